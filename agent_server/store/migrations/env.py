"""Run by alembic, on the connection it was given."""

from __future__ import annotations

from alembic import context

from agent_server.store.tables import Row

context.configure(
    connection=context.config.attributes["connection"], target_metadata=Row.metadata, render_as_batch=True
)
with context.begin_transaction():
    context.run_migrations()

"""Alembic scripts. `Database.migrate` runs them; the newest shape is that of `store.tables`."""

"""What a run has cost, and how much it may cost."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("run") as run:
        run.add_column(sa.Column("usage", sa.JSON(), nullable=False, server_default="{}"))
        run.add_column(sa.Column("budget_tokens", sa.Integer(), nullable=True))
        run.add_column(sa.Column("budget_cost_usd", sa.Double(), nullable=True))


def downgrade() -> None:
    with op.batch_alter_table("run") as run:
        run.drop_column("budget_cost_usd")
        run.drop_column("budget_tokens")
        run.drop_column("usage")

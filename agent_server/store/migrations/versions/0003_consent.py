"""Who agreed that pictures of a phone may go to a host."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "consent",
        sa.Column("serial", sa.String(), nullable=False),
        sa.Column("host", sa.String(), nullable=False),
        sa.Column("model", sa.String(), nullable=False),
        sa.Column("run_id", sa.String(), nullable=False),
        sa.Column("given_at", sa.String(24), nullable=False),
        sa.PrimaryKeyConstraint("serial", "host"),
    )


def downgrade() -> None:
    op.drop_table("consent")

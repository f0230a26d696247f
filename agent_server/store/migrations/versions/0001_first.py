"""The first shape of the tables."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    _runs()
    _steps()
    _story()


def _runs() -> None:
    op.create_table(
        "artifact",
        sa.Column("hash", sa.String(), nullable=False),
        sa.Column("media_type", sa.String(), nullable=False),
        sa.Column("bytes", sa.Integer(), nullable=False),
        sa.Column("stored_at", sa.String(24), nullable=False),
        sa.PrimaryKeyConstraint("hash"),
    )
    op.create_table(
        "device_lease",
        sa.Column("serial", sa.String(), nullable=False),
        sa.Column("holder", sa.String(), nullable=False),
        sa.Column("epoch", sa.Integer(), nullable=False),
        sa.Column("taken_at", sa.String(24), nullable=False),
        sa.PrimaryKeyConstraint("serial"),
    )
    op.create_table(
        "run",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("task", sa.String(), nullable=False),
        sa.Column("serial", sa.String(), nullable=False),
        sa.Column("policy", sa.String(), nullable=False),
        sa.Column("params", sa.JSON(), nullable=False),
        sa.Column("lang", sa.String(), nullable=False),
        sa.Column("trusted", sa.Boolean(), nullable=False),
        sa.Column("budget_steps", sa.Integer(), nullable=False),
        sa.Column("budget_seconds", sa.Double(), nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("outcome", sa.JSON(), nullable=True),
        sa.Column("steps", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.String(24), nullable=False),
        sa.Column("started_at", sa.String(24), nullable=True),
        sa.Column("finished_at", sa.String(24), nullable=True),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("run_by_serial", "run", ["serial"], unique=False)
    op.create_index("run_by_state", "run", ["state"], unique=False)
    op.create_table(
        "idempotency",
        sa.Column("key", sa.String(), nullable=False),
        sa.Column("body_hash", sa.String(), nullable=False),
        sa.Column("run_id", sa.String(), nullable=False),
        sa.Column("expires", sa.String(24), nullable=False),
        sa.ForeignKeyConstraint(
            ["run_id"],
            ["run.id"],
        ),
        sa.PrimaryKeyConstraint("key"),
    )


def _steps() -> None:
    op.create_table(
        "step",
        sa.Column("run_id", sa.String(), nullable=False),
        sa.Column("n", sa.Integer(), nullable=False),
        sa.Column("phase", sa.String(), nullable=False),
        sa.Column("started_at", sa.String(24), nullable=False),
        sa.Column("finished_at", sa.String(24), nullable=True),
        sa.Column("frame", sa.String(), nullable=True),
        sa.Column("overlay", sa.String(), nullable=True),
        sa.Column("elements", sa.String(), nullable=True),
        sa.Column("app", sa.String(), nullable=False),
        sa.Column("activity", sa.String(), nullable=False),
        sa.Column("thought", sa.String(), nullable=False),
        sa.Column("summary", sa.String(), nullable=False),
        sa.Column("memo", sa.String(), nullable=False),
        sa.Column("raw", sa.String(), nullable=False),
        sa.Column("choice", sa.JSON(), nullable=True),
        sa.Column("target", sa.JSON(), nullable=True),
        sa.Column("verdict", sa.String(), nullable=False),
        sa.Column("reason", sa.String(), nullable=False),
        sa.Column("sent", sa.String(), nullable=False),
        sa.Column("changed", sa.String(), nullable=False),
        sa.Column("path", sa.String(), nullable=False),
        sa.Column("note", sa.String(), nullable=False),
        sa.Column("reply", sa.String(), nullable=False),
        sa.Column("usage", sa.JSON(), nullable=False),
        sa.Column("timings", sa.JSON(), nullable=False),
        sa.ForeignKeyConstraint(
            ["run_id"],
            ["run.id"],
        ),
        sa.PrimaryKeyConstraint("run_id", "n"),
    )


def _story() -> None:
    op.create_table(
        "action_intent",
        sa.Column("run_id", sa.String(), nullable=False),
        sa.Column("step", sa.Integer(), nullable=False),
        sa.Column("action_hash", sa.String(), nullable=False),
        sa.Column("lease_epoch", sa.Integer(), nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("planned_at", sa.String(24), nullable=False),
        sa.Column("settled_at", sa.String(24), nullable=True),
        sa.ForeignKeyConstraint(
            ["run_id"],
            ["run.id"],
        ),
        sa.PrimaryKeyConstraint("run_id", "step"),
    )
    op.create_table(
        "artifact_ref",
        sa.Column("run_id", sa.String(), nullable=False),
        sa.Column("step", sa.Integer(), nullable=False),
        sa.Column("role", sa.String(), nullable=False),
        sa.Column("hash", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(
            ["hash"],
            ["artifact.hash"],
        ),
        sa.ForeignKeyConstraint(
            ["run_id"],
            ["run.id"],
        ),
        sa.PrimaryKeyConstraint("run_id", "step", "role"),
    )
    op.create_index("ix_artifact_ref_hash", "artifact_ref", ["hash"], unique=False)
    op.create_table(
        "event",
        sa.Column("run_id", sa.String(), nullable=False),
        sa.Column("seq", sa.Integer(), nullable=False),
        sa.Column("ts", sa.String(24), nullable=False),
        sa.Column("type", sa.String(), nullable=False),
        sa.Column("step", sa.Integer(), nullable=True),
        sa.Column("actor", sa.String(), nullable=False),
        sa.Column("importance", sa.Integer(), nullable=False),
        sa.Column("speak", sa.String(), nullable=False),
        sa.Column("lang", sa.String(), nullable=False),
        sa.Column("data", sa.JSON(), nullable=False),
        sa.ForeignKeyConstraint(
            ["run_id"],
            ["run.id"],
        ),
        sa.PrimaryKeyConstraint("run_id", "seq"),
    )
    op.create_table(
        "question",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("run_id", sa.String(), nullable=False),
        sa.Column("step", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("prompt", sa.String(), nullable=False),
        sa.Column("speak", sa.String(), nullable=False),
        sa.Column("lang", sa.String(), nullable=False),
        sa.Column("options", sa.JSON(), nullable=False),
        sa.Column("default", sa.String(), nullable=False),
        sa.Column("why", sa.String(), nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("asked_at", sa.String(24), nullable=False),
        sa.Column("deadline", sa.String(24), nullable=False),
        sa.Column("answer", sa.String(), nullable=True),
        sa.Column("answered_at", sa.String(24), nullable=True),
        sa.ForeignKeyConstraint(
            ["run_id"],
            ["run.id"],
        ),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("ix_question_run_id", "question", ["run_id"], unique=False)
    op.create_index("ix_question_state", "question", ["state"], unique=False)


def downgrade() -> None:
    for table in (
        "step",
        "question",
        "idempotency",
        "event",
        "artifact_ref",
        "action_intent",
        "run",
        "device_lease",
        "artifact",
    ):
        op.drop_table(table)

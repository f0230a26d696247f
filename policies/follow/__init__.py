"""Step-by-step instructions, followed without a model."""

from policies.follow.policy import Follow

__all__ = ["Follow"]

"""MM-Navigator: a chat model looks at the screen and at its marked copy, and names a mark."""

from policies.mm_navigator.policy import MmNavigator

__all__ = ["MmNavigator"]

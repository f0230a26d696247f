"""How each kind of node looks. Importing this package registers every painter."""

from device.virtual.ui.paint import composite, content, controls, fields
from device.virtual.ui.paint.fields import text_index
from device.virtual.ui.paint.pen import PAINTERS, Pen

__all__ = ["PAINTERS", "Pen", "composite", "content", "controls", "fields", "text_index"]

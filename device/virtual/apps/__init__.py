"""The apps that come with the phone."""

from device.virtual.apps.contacts import Contacts
from device.virtual.apps.settings import Settings

__all__ = ["Contacts", "Settings"]

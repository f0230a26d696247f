"""The address book app."""

from device.virtual.apps.contacts.app import Contacts
from device.virtual.apps.contacts.model import Contact

__all__ = ["Contact", "Contacts"]

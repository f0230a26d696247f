"""The settings app."""

from device.virtual.apps.settings.app import Settings
from device.virtual.apps.settings.radios import BluetoothDevice, WifiNetwork

__all__ = ["BluetoothDevice", "Settings", "WifiNetwork"]

"""What the phone's radios see and know: Wi-Fi networks and Bluetooth devices."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from device.virtual.core.world import World

PASSWORD_MIN = 8
"""Fewest characters of a WPA passphrase (IEEE 802.11i, 8 to 63)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WifiNetwork:
    """A network in reach or saved. `level` is the signal, 0 to 4; 0 means out of reach."""

    id: int
    ssid: str
    level: int
    secured: bool
    saved: bool = False
    joined: bool = False
    password: str = ""
    auto_join: bool = True
    metered: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class BluetoothDevice:
    """A device in reach; `kind` is headphones, watch, speaker, car, keyboard or laptop."""

    id: int
    name: str
    kind: str
    paired: bool = False
    connected: bool = False


_NETWORKS = (
    ("HomeNet 5G", 4, True),
    ("HomeNet", 4, True),
    ("Northwind Guest", 3, False),
    ("Harbour Cafe", 3, False),
    ("Lantern House", 2, True),
    ("Atelier Lune", 2, True),
    ("蓝山茶馆", 1, True),
)
_DEVICES = (
    ("Paper Kites Buds", "headphones", True),
    ("Fjord Watch 3", "watch", True),
    ("Kitchen speaker", "speaker", False),
    ("Grünwerk Car", "car", False),
    ("Lumen Keyboard", "keyboard", False),
    ("Studio laptop", "laptop", False),
)
KIND_ICONS = {
    "headphones": "headphones",
    "watch": "watch",
    "speaker": "speaker",
    "car": "directions_car",
    "keyboard": "keyboard",
    "laptop": "computer",
}


def seed(w: World, rng: random.Random) -> None:
    """Networks and devices of a fresh phone: the first network is joined, strengths of the others vary."""
    for n, (ssid, level, secured) in enumerate(_NETWORKS):
        home = n == 0
        strength = level if home else max(1, min(4, level + rng.choice((-1, 0, 1))))
        password = "paper-lantern" if home else ""
        w.table(WifiNetwork).add(ssid=ssid, level=strength, secured=secured, saved=home, joined=home, password=password)
    for name, kind, paired in _DEVICES:
        w.table(BluetoothDevice).add(name=name, kind=kind, paired=paired)


def wifi_on(w: World) -> bool:
    """Whether the Wi-Fi switch is on."""
    return w.settings.flag("global", "wifi_on", True)


def bluetooth_on(w: World) -> bool:
    """Whether the Bluetooth switch is on."""
    return w.settings.flag("global", "bluetooth_on")


def networks(w: World) -> list[WifiNetwork]:
    """All networks: the joined one first, then saved ones, then by signal and name."""
    return sorted(w.table(WifiNetwork).all(), key=lambda n: (not n.joined, not n.saved, -n.level, n.ssid))


def joined(w: World) -> WifiNetwork | None:
    """The network in use, None without one or with Wi-Fi off."""
    return w.table(WifiNetwork).first(joined=True) if wifi_on(w) else None


def devices(w: World, *, paired: bool | None = True) -> list[BluetoothDevice]:
    """Paired devices, or those that are not, or all of them (None)."""
    return [d for d in w.table(BluetoothDevice).all() if paired is None or d.paired == paired]


def join(w: World, network_id: int, password: str = "") -> bool:
    """Save and use a network, leaving the present one; False for a password that is too short."""
    network = w.table(WifiNetwork).get(network_id)
    password = password or network.password
    if network.secured and len(password) < PASSWORD_MIN:
        return False
    for other in w.table(WifiNetwork).find(joined=True):
        w.table(WifiNetwork).update(other.id, joined=False)
    w.table(WifiNetwork).update(network_id, saved=True, joined=True, password=password)
    return True


def forget(w: World, network_id: int) -> None:
    """Leave a network and drop its password; one that is out of reach disappears."""
    if w.table(WifiNetwork).get(network_id).level == 0:
        w.table(WifiNetwork).remove(network_id)
    else:
        w.table(WifiNetwork).update(network_id, saved=False, joined=False, password="", auto_join=True, metered=False)

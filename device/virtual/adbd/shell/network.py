"""Commands on the network: the phone has one address on a Wi-Fi that leads nowhere."""

from __future__ import annotations

from device.virtual.adbd.shell.command import Call, Command, plain
from device.virtual.phone import VirtualPhone

ADDRESS, NETWORK = "192.168.1.50", "192.168.1.0/24"
_FIELDS = "UP BROADCAST RUNNING MULTICAST  MTU:1500  Metric:1"


def _wifi(phone: VirtualPhone) -> bool:
    settings = phone.world.settings
    return settings.flag("global", "wifi_on")


def ifconfig(phone: VirtualPhone, call: Call) -> int:
    names = [word for word in call.args if not word.startswith("-")] or ["wlan0", "lo"]
    for name in names:
        if name == "lo":
            call.say("lo        Link encap:Local Loopback", "          inet addr:127.0.0.1  Mask:255.0.0.0")
        elif name == "wlan0":
            call.say("wlan0     Link encap:Ethernet  HWaddr 02:00:00:00:00:00")
            if _wifi(phone):
                call.say(f"          inet addr:{ADDRESS}  Bcast:192.168.1.255  Mask:255.255.255.0")
            call.say(f"          {_FIELDS}")
        else:
            return call.fail("ifconfig: ioctl 8913: No such device")
    return 0


def ip(phone: VirtualPhone, call: Call) -> int:
    words = [word for word in call.args if not word.startswith("-")]
    match words:
        case ["addr" | "address" | "a", *rest]:
            return _ip_addr(phone, call, rest[-1] if rest else "")
        case ["route" | "r", *_]:
            call.say(*([f"{NETWORK} dev wlan0 proto kernel scope link src {ADDRESS}"] if _wifi(phone) else []))
            return 0
    phone.journal.append("unknown", {"command": "ip", "args": words})
    return call.fail(f'Object "{words[0] if words else ""}" is unknown, try "ip help".')


def _ip_addr(phone: VirtualPhone, call: Call, device: str) -> int:
    if device not in ("", "show", "lo", "wlan0"):
        return call.fail(f'Device "{device}" does not exist.')
    if device != "wlan0":
        call.say("1: lo: <LOOPBACK,UP,LOWER_UP> mtu 65536 state UNKNOWN", "    inet 127.0.0.1/8 scope host lo")
    if device != "lo":
        up = _wifi(phone)
        call.say(f"2: wlan0: <BROADCAST,MULTICAST,UP> mtu 1500 state {'UP' if up else 'DOWN'}")
        call.say(*([f"    inet {ADDRESS}/24 brd 192.168.1.255 scope global wlan0"] if up else []))
    return 0


COMMANDS: dict[str, Command] = plain(ifconfig=ifconfig, ip=ip)

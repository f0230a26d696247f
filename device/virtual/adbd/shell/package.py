"""The commands `pm` and `cmd package`: what is installed, and changing it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from device.virtual.adbd import filesystem
from device.virtual.adbd.apk import NotAnApk, read_manifest
from device.virtual.adbd.shell.command import Call, Command, Console
from device.virtual.adbd.shell.dumpsys import dumpsys
from device.virtual.adbd.shell.installed import apk_path, find_package, full_class, home_package, uid
from device.virtual.errors import PhoneError
from device.virtual.packages import INPUT_METHODS
from device.virtual.phone import VirtualPhone

EXCEPTION = 255
FEATURES = ("android.hardware.screen.landscape", "android.hardware.screen.portrait", "android.hardware.touchscreen")


def pm(phone: VirtualPhone, call: Call) -> int:
    if not call.args:
        return call.fail("usage: pm [path|list|install|uninstall|clear|grant|revoke|enable|disable|dump]", 1)
    name, *args = call.args
    run = _COMMANDS.get(name)
    if run is None:
        phone.journal.append("unknown", {"command": "pm", "args": [name]})
        return call.fail(f"Unknown command: {name}", EXCEPTION)
    return run(phone, call, _without_user(args))


def _without_user(args: list[str]) -> list[str]:
    """Without `--user N`: the phone has one user."""
    kept = list(args)
    while "--user" in kept:
        at = kept.index("--user")
        del kept[at : at + 2]
    return kept


def _list(phone: VirtualPhone, call: Call, args: list[str]) -> int:
    kind, *rest = args or ["packages"]
    match kind:
        case "packages" | "package":
            return _list_packages(phone, call, rest)
        case "features":
            call.say(*(f"feature:{name}" for name in FEATURES))
        case "users":
            call.say("Users:", "\tUserInfo{0:Owner:c13} running")
        case "libraries":
            call.say("library:android.test.base", "library:org.apache.http.legacy")
        case "permissions":
            found = sorted({permission for package in phone.packages() for permission in package.permissions})
            call.say("All Permissions:", "", *(f"+ permission:{name}" for name in found))
        case _:
            return call.fail(f"Error: unknown list type '{kind}'", EXCEPTION)
    return 0


def _list_packages(phone: VirtualPhone, call: Call, args: list[str]) -> int:
    letters = "".join(word[1:] for word in args if word.startswith("-") and not word.startswith("--"))
    if unknown := set(letters) - set("f3sdeiuU"):
        return call.fail(f"Error: Unknown option: -{sorted(unknown)[0]}", EXCEPTION)
    wanted = next((word for word in args if not word.startswith("-")), "")
    for package in phone.packages():
        hidden = (
            ("3" in letters and package.system)
            or ("s" in letters and not package.system)
            or ("d" in letters and package.enabled)
            or ("e" in letters and not package.enabled)
            or wanted not in package.name
        )
        if not hidden:
            path = f"{apk_path(package)}=" if "f" in letters else ""
            more = f" uid:{uid(phone, package)}" if "U" in letters else ""
            more += "  installer=null" if "i" in letters else ""
            call.say(f"package:{path}{package.name}{more}")
    return 0


def _path(phone: VirtualPhone, call: Call, args: list[str]) -> int:
    package = find_package(phone, args[0]) if args else None
    if package is None:
        return 1
    call.say(f"package:{apk_path(package)}")
    return 0


def install_bytes(phone: VirtualPhone, call: Call, data: bytes) -> int:
    """Install the apk: one whose app the phone has, or one that brings an input method it knows."""
    try:
        manifest = read_manifest(data)
    except NotAnApk:
        return _failed(
            call, "INSTALL_PARSE_FAILED_NOT_APK: Failed to parse base.apk: Failed to load asset path base.apk"
        )
    known = manifest.package in phone.apps or manifest.package in INPUT_METHODS
    if not known and find_package(phone, manifest.package) is None:
        phone.journal.append("unknown", {"command": "pm install", "args": [manifest.package]})
        return _failed(
            call, "INSTALL_FAILED_NO_MATCHING_ABIS: Failed to extract native libraries, res=-113: no foreign code"
        )
    phone.install(manifest.package)
    call.say("Success")
    return 0


def _failed(call: Call, reason: str) -> int:
    call.say(f"Failure [{reason}]")
    return 1


def _install(phone: VirtualPhone, call: Call, args: list[str]) -> int:
    values = {"-i", "--install-location", "--install-reason", "--abi", "-S"}
    operands, skip = [], False
    for word in args:
        if not skip and not word.startswith("-"):
            operands.append(word)
        skip = word in values
    if not operands:
        return call.fail("Error: must either specify a package size or an APK file", 1)
    try:
        data = filesystem.read(phone, call.path(operands[0]))
    except filesystem.FileError:
        call.complain(f"Error: Unable to open file: {operands[0]}", "Consider using a file under /data/local/tmp/")
        return call.fail(f"Error: Can't open file: {operands[0]}", EXCEPTION)
    return install_bytes(phone, call, data)


def _uninstall(phone: VirtualPhone, call: Call, args: list[str]) -> int:
    names = [word for word in args if not word.startswith("-")]
    package = find_package(phone, names[0]) if names else None
    if package is None:
        return _failed(call, "DELETE_FAILED_INTERNAL_ERROR")
    if package.system and package.name not in INPUT_METHODS:
        return _failed(call, "DELETE_FAILED_INTERNAL_ERROR")
    phone.uninstall(package.name)
    call.say("Success")
    return 0


def _clear(phone: VirtualPhone, call: Call, args: list[str]) -> int:
    if not args or find_package(phone, args[0]) is None:
        return call.fail("Failed")
    phone.clear(args[0])
    call.say("Success")
    return 0


def _permission(phone: VirtualPhone, call: Call, args: list[str], *, give: bool) -> int:
    verb = "grant" if give else "revoke"
    if len(args) < 2:
        return _exception(call, verb, f'Argument expected after "{args[0] if args else verb}"')
    package, permission = args[:2]
    if find_package(phone, package) is None:
        return _exception(call, verb, f"Unknown package: {package}")
    try:
        (phone.grant if give else phone.revoke)(package, permission)
    except (ValueError, PhoneError):
        phrase = f"Package {package} has not requested permission {permission}"
        return _exception(call, verb, phrase, "java.lang.SecurityException")
    return 0


def _exception(call: Call, verb: str, text: str, name: str = "java.lang.IllegalArgumentException") -> int:
    call.complain("", f"Exception occurred while executing '{verb}':", f"{name}: {text}")
    return EXCEPTION


def _grant(phone: VirtualPhone, call: Call, args: list[str]) -> int:
    return _permission(phone, call, args, give=True)


def _revoke(phone: VirtualPhone, call: Call, args: list[str]) -> int:
    return _permission(phone, call, args, give=False)


def _resolve_activity(phone: VirtualPhone, call: Call, args: list[str]) -> int:
    brief, package = "--brief" in args, ""
    skip = False
    for word in args:
        if not skip and not word.startswith("-"):
            package = word
        skip = word in ("-a", "-c", "-d", "-t", "--query-flags", "-p", "-n")
        if word in ("-p", "-n"):
            package = args[args.index(word) + 1].partition("/")[0]
    if "android.intent.category.HOME" in args:
        package = home_package(phone)
    component = phone.resolve(package)
    if component is None:
        call.say("No activity found")
        return 0
    call.say("priority=0 preferredOrder=0 match=0x108000 specificIndex=-1 isDefault=true")
    if brief:
        call.say(component)
    else:
        name, _, activity = component.partition("/")
        call.say("ActivityInfo:", f"  name={full_class(name, activity)}", f"  packageName={name}", "  enabled=true")
    return 0


def _query_activities(phone: VirtualPhone, call: Call, args: list[str]) -> int:
    found = [package.component for package in phone.packages() if package.launchable and phone.resolve(package.name)]
    call.say(f"{len(found)} activities found:")
    for number, component in enumerate(found):
        call.say(f"  Activity #{number}:", "    priority=0 preferredOrder=0 match=0x108000", f"    {component}")
    return 0


def _dump(phone: VirtualPhone, call: Call, args: list[str]) -> int:
    inner = Call(name="dumpsys", args=("package", *args[:1]), chunks=call.chunks)
    return dumpsys(phone, inner)


def _reset_permissions(phone: VirtualPhone, call: Call, args: list[str]) -> int:
    phone.reset_permissions()
    return 0


_Sub = Callable[[VirtualPhone, Call, list[str]], int]
_COMMANDS: dict[str, _Sub] = {
    "list": _list,
    "path": _path,
    "install": _install,
    "uninstall": _uninstall,
    "clear": _clear,
    "grant": _grant,
    "reset-permissions": _reset_permissions,
    "revoke": _revoke,
    "resolve-activity": _resolve_activity,
    "query-activities": _query_activities,
    "dump": _dump,
}


def comes_over_stdin(args: Sequence[str]) -> bool:
    """Whether `install -S N` is asked for."""
    return "install" in args and "-S" in args


async def install_stream(console: Console, call: Call) -> int:
    """`pm install -S N` and `cmd package install -S N`: the apk comes over standard input."""
    args = list(call.args)
    size = args[args.index("-S") + 1] if "-S" in args[:-1] else ""
    if not size.isdigit():
        return call.fail("Error: must either specify a package size or an APK file")
    data = await console.read(int(size))
    return await console.host.run(lambda phone: install_bytes(phone, call, data))


COMMANDS: dict[str, Command] = {"pm": Command(pm, install_stream, waits=comes_over_stdin)}

"""The command `dumpsys`: what the phone's services tell about themselves, in the lines that programs read.

The lines follow outputs recorded from phones (Android 11, 13, 14); only what is read by programs is printed.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Sequence

from device.virtual.adbd import filesystem
from device.virtual.adbd.shell.command import Call, Command
from device.virtual.adbd.shell.installed import apk_path, find_package, full_class, uid
from device.virtual.core.package import Notification, Package
from device.virtual.phone import VirtualPhone
from device.virtual.ui.a11y import A11yWindow

TARGET_SDK = 34
OLD_LOCK_FLAGS_SDK = 30
"""From this SDK on mShowingLockscreen and mDreamingLockscreen are gone (appium/appium-adb#566)."""
FOCUS_GONE_SDK = 30
"""From this SDK on `dumpsys window windows` no longer tells the focus (recorded on Android 11, 12 and 13)."""

_Sub = Callable[[VirtualPhone, Call, Sequence[str]], int]


def token(*parts: object) -> str:
    """A hexadecimal identity as Android prints for its objects: the same for the same thing."""
    return f"{zlib.crc32(repr(parts).encode()) & 0xFFFFFFF:07x}"


def dumpsys(phone: VirtualPhone, call: Call) -> int:
    args = list(call.args)
    while args[:1] == ["-t"]:
        args = args[2:]
    if args[:1] == ["-l"]:
        call.say("Currently running services:", *(f"  {name}" for name in sorted(_SERVICES)))
        return 0
    if not args:
        return call.fail("dumpsys: name a service; dumpsys -l lists them", 1)
    run = _SERVICES.get(args[0])
    if run is None:
        phone.journal.append("unknown", {"command": "dumpsys", "args": args[:1]})
        return call.fail(f"Can't find service: {args[0]}", 0)
    return run(phone, call, args[1:])


# windows


def _focus(phone: VirtualPhone) -> str:
    """The focused window as the window manager names it; `null` in the dark, unless the lock screen is behind it."""
    title = phone.focused_window
    if not title:
        return "null"
    package, slash, activity = title.partition("/")
    if slash:
        title = f"{package}/{full_class(package, activity)}"
    return f"Window{{{token('window', title)} u0 {title}}}"


def _record(phone: VirtualPhone, package: str, activity: str) -> str:
    return f"ActivityRecord{{{token('activity', package, activity)} u0 {package}/{activity} t{_task(phone, package)}}}"


def _task(phone: VirtualPhone, package: str) -> int:
    found = find_package(phone, package)
    return 10 + (found.id if found else 0)


def _window(phone: VirtualPhone, call: Call, args: Sequence[str]) -> int:
    kind = args[0] if args else "all"
    if kind in ("all", "-a", "policy", "p"):
        _window_policy(phone, call)
    if kind in ("all", "-a", "displays", "d"):
        _window_displays(phone, call)
    if kind in ("all", "-a", "windows", "w", "visible"):
        _window_windows(phone, call, full=kind not in ("windows", "w", "visible"))
    elif kind not in ("policy", "p", "displays", "d"):
        return call.fail(f"Bad window command, or no windows match: {kind}", 0)
    return 0


def _window_policy(phone: VirtualPhone, call: Call) -> None:
    locked, dreaming = str(phone.locked).lower(), str(phone.wakefulness == "Dreaming").lower()
    secure = str(phone.lock_kind == "pin").lower()
    state = "AWAKE" if phone.awake else "SLEEP"
    old = (
        f"    mShowingLockscreen={locked} mShowingDream={dreaming} mDreamingLockscreen={locked} mTopIsFullscreen=true",
    )
    call.say(
        "WINDOW MANAGER POLICY STATE (dumpsys window policy)",
        f"    mSystemReady=true mSystemBooted=true mAwake={str(phone.awake).lower()}",
        f"    interactiveState=INTERACTIVE_STATE_{state}",
        f"    screenState=SCREEN_STATE_{'ON' if phone.awake else 'OFF'}",
        *(old if phone.profile.sdk < OLD_LOCK_FLAGS_SDK else ()),
        "    KeyguardServiceDelegate",
        f"      showing={locked}",
        "      showingAndNotOccluded=true",
        f"      inputRestricted={locked}",
        "      occluded=false",
        f"      secure={secure}",
        f"      dreaming={dreaming}",
        "    KeyguardStateMonitor",
        f"      mIsShowing={locked}",
        "      mSimSecure=false",
        f"      mInputRestricted={locked}",
        "",
    )


def _window_displays(phone: VirtualPhone, call: Call) -> None:
    width, height = phone.natural_size
    now_width, now_height = phone.size
    package, activity = phone.foreground
    call.say(
        "WINDOW MANAGER DISPLAY CONTENTS (dumpsys window displays)",
        "  Display: mDisplayId=0 (organized)",
        f"    init={width}x{height} {phone.panel.dpi}dpi cur={now_width}x{now_height} app={now_width}x{now_height}",
        f"    mRotation={phone.rotation} mDisplayRotation=ROTATION_{phone.rotation * 90}",
        "",
        f"  mCurrentFocus={_focus(phone)}",
        f"  mFocusedApp={_record(phone, package, activity)}",
        "",
    )


def _window_windows(phone: VirtualPhone, call: Call, *, full: bool) -> None:
    call.say("WINDOW MANAGER WINDOWS (dumpsys window windows)")
    for number, window in enumerate(phone.windows()):
        title = window.title
        package, slash, activity = title.partition("/")
        shown = f"{package}/{full_class(package, activity)}" if slash else title
        left, top, right, bottom = window.root.bounds
        kind = _LAYER_TYPES.get(window.type, "APPLICATION")
        call.say(
            f"  Window #{number} Window{{{token('window', shown)} u0 {shown}}}:",
            f"    mDisplayId=0 mOwnerUid=1000 package={window.package} appop=NONE",
            f"    mAttrs={{(0,0)(fillxfill) sim={{adjust=resize}} ty={kind} fmt=TRANSPARENT",
            f"      fl={_flags(window)}",
            f"      pfl={'SHOW_FOR_ALL_USERS SYSTEM_ERROR' if window.type == 'alert' else 'USE_BLAST'}}}",
            f"    Frames: frame=[{left},{top}][{right},{bottom}]",
            "    isOnScreen=true",
            "    isVisible=true",
        )
    call.say("")
    package, activity = phone.foreground
    if full or phone.profile.sdk < FOCUS_GONE_SDK:
        call.say(f"  mCurrentFocus={_focus(phone)}", f"  mFocusedApp={_record(phone, package, activity)}")
    call.say(
        f"  mInputMethodWindow={'Window{' + token('ime') + ' u0 InputMethod}' if phone.ime_shown else 'null'}",
        f"  mDisplayFrozen=false windows=0 client=false apps=0  mRotation={phone.rotation}",
    )


def _flags(window: A11yWindow) -> str:
    """Window flags as the window manager prints them: in the order of their bits, SECURE among them."""
    shown = {
        "NOT_FOCUSABLE": not window.focused,
        "DIM_BEHIND": window.type in ("dialog", "alert"),
        "LAYOUT_IN_SCREEN": window.type != "alert",
        "SECURE": window.secure,
        "ALT_FOCUSABLE_IM": window.type == "alert",
        "SPLIT_TOUCH": True,
        "HARDWARE_ACCELERATED": True,
    }
    return " ".join(name for name, on in shown.items() if on)


_LAYER_TYPES = {
    "app": "BASE_APPLICATION",
    "alert": "SYSTEM_ALERT",
    "dream": "DREAM",
    "heads_up": "NOTIFICATION_SHADE",
    "dialog": "APPLICATION",
    "ime": "INPUT_METHOD",
    "status_bar": "STATUS_BAR",
    "nav_bar": "NAVIGATION_BAR",
    "shade": "NOTIFICATION_SHADE",
    "toast": "TOAST",
    "keyguard": "NOTIFICATION_SHADE",
}


# activities


def _activity(phone: VirtualPhone, call: Call, args: Sequence[str]) -> int:
    match args[0] if args else "activities":
        case "activities" | "a":
            _activities(phone, call)
        case "top":
            _top(phone, call)
        case "recents" | "r":
            call.say("ACTIVITY MANAGER RECENT TASKS (dumpsys activity recents)", "  Recent tasks:")
            for number, (_, package) in enumerate(phone.running()):
                call.say(f"  * Recent #{number}: Task{{{token('task', package)} #{_task(phone, package)} A={package}}}")
        case "processes" | "p":
            call.say("ACTIVITY MANAGER RUNNING PROCESSES (dumpsys activity processes)")
            for pid, package in phone.running():
                call.say(f"  *APP* UID 10000 ProcessRecord{{{token('process', pid)} {pid}:{package}/u0a0}}")
        case other:
            phone.journal.append("unknown", {"command": "dumpsys activity", "args": [other]})
            return call.fail(f"Bad activity command, or no activities match: {other}", 0)
    return 0


def _activities(phone: VirtualPhone, call: Call) -> None:
    package, activity = phone.foreground
    record = _record(phone, package, activity)
    call.say("ACTIVITY MANAGER ACTIVITIES (dumpsys activity activities)")
    call.say("Display #0 (activities from top to bottom):")
    call.say(f"  * Task{{{token('task', package)} #{_task(phone, package)} type=standard A=10000:{package}}}")
    call.say(f"    * Hist  #0: {record}")
    if phone.awake:
        call.say(f"    mResumedActivity: {record}", "", f"  topResumedActivity={record}")
        call.say(f"  ResumedActivity: {record}")
    call.say("  mLastFocusedRootTask=null", "  KeyguardController:")
    call.say(f"    mKeyguardShowing={str(phone.locked).lower()}", f"    mAodShowing={str(_ambient(phone)).lower()}")


def _top(phone: VirtualPhone, call: Call) -> None:
    front = phone.foreground
    pids = {package: pid for pid, package in phone.running()}
    for package in [*(name for name in pids if name != front[0]), front[0]]:
        row = find_package(phone, package)
        activity = front[1] if package == front[0] else (row.activities[0] if row and row.activities else "")
        if not activity:
            continue
        call.say(
            f"TASK {package} id={_task(phone, package)} userId=0",
            f"  ACTIVITY {package}/{activity} {token('activity', package, activity)} pid={pids.get(package, 0)}",
            f"    mResumed={str(package == front[0] and phone.awake).lower()}",
        )


# display, power, keyboard, battery


def _ambient(phone: VirtualPhone) -> bool:
    return phone.wakefulness == "Dozing" and phone.world.settings.flag("secure", "doze_always_on")


def _display_state(phone: VirtualPhone) -> str:
    """ON, OFF, or DOZE while the phone shows its ambient clock."""
    return "ON" if phone.awake else "DOZE" if phone.wakefulness == "Dozing" else "OFF"


def _display(phone: VirtualPhone, call: Call, args: Sequence[str]) -> int:
    width, height = phone.natural_size
    now_width, now_height = phone.size
    state, used, shown = _display_state(phone), phone.panel, phone.displays()
    lines = []
    for display in shown:
        panel = display.panel
        wide, high = (width, height) if display.active else (panel.width, panel.height)
        name = "Built-in Screen" if panel.port == 0 else panel.name
        lines.append(
            f'  DisplayDeviceInfo{{"{name}": uniqueId="local:{panel.id}", {wide} x {high}, '
            f"density {phone.density if display.active else panel.dpi}, "
            f"state {state if display.active else 'OFF'}, type INTERNAL}}"
        )
    call.say(
        "DISPLAY MANAGER (dumpsys display)",
        "  mOnlyCore=false",
        f"  mViewports=[DisplayViewport{{type=INTERNAL, valid=true, isActive={str(phone.awake).lower()}, displayId=0, "
        f"uniqueId='local:{used.id}', physicalPort={used.port}, orientation={phone.rotation}, "
        f"logicalFrame=Rect(0, 0 - {now_width}, {now_height}), physicalFrame=Rect(0, 0 - {now_width}, {now_height}), "
        f"deviceWidth={now_width}, deviceHeight={now_height}}}]",
        f"Display Devices: size={len(shown)}",
        *lines,
        f"    mPrimaryDisplayDevice={'Built-in Screen' if used.port == 0 else used.name}(local:{used.id})",
        f"  mScreenState={state}",
        f"  mScreenBrightness={phone.brightness / 255:.4f}",
    )
    return 0


def _power(phone: VirtualPhone, call: Call, args: Sequence[str]) -> int:
    awake = str(phone.awake).lower()
    plugged = int(phone.world.settings.number("global", "stay_on_while_plugged_in", 0))
    call.say(
        "POWER MANAGER (dumpsys power)",
        "",
        "Power Manager State:",
        f"  mWakefulness={phone.wakefulness}",
        "  mIsPowered=true",
        f"  mBatteryLevel={_battery_level(phone)}",
        f"  mStayOn={str(bool(plugged)).lower()}",
        f"  mHoldingWakeLockSuspendBlocker={awake}",
        f"  mHoldingDisplaySuspendBlocker={awake}",
        f"  mStayOnWhilePluggedInSetting={plugged}",
        "",
        f"Display Power: state={_display_state(phone)}",
    )
    return 0


def _input_method(phone: VirtualPhone, call: Call, args: Sequence[str]) -> int:
    shown = str(phone.ime_shown).lower()
    field = phone.focused_field
    package = phone.foreground[0]
    call.say(
        "Current Input Method Manager state:",
        "  Input Methods: mMethodMapUpdateCount=1",
        *(f"    InputMethod #{n}: {method.id}" for n, method in enumerate(phone.input_methods())),
        f"  mCurMethodId={phone.current_ime}",
        f"  mCurFocusedWindow={token('focus', phone.focused_window)} softInputMode=ADJUST_RESIZE",
        f"  mShowRequested={shown} mShowExplicitlyRequested=false mShowForced=false mInputShown={shown}",
        f"  mInputShown={shown}",
        "Current Input Method Service state:",
        f"  mDecorViewVisible={shown} mWindowVisible={shown}",
        f"  mIsInputViewShown={shown}",
        f"  mServedInputConnection={'IRemoteInputConnectionInvoker{' + token('field') + '}' if field else 'null'}",
        *([f"    packageName={package} fieldId={token('field', package)}"] if field else []),
    )
    return 0


def _battery_level(phone: VirtualPhone) -> int:
    return int(phone.world.settings.number("global", "battery_level", 87))


def _battery(phone: VirtualPhone, call: Call, args: Sequence[str]) -> int:
    match list(args):
        case ["set", "level", level] if level.isdigit() and 0 <= int(level) <= 100:
            filesystem.put_setting(phone, "global", "battery_level", level)
        case ["reset"]:
            filesystem.put_setting(phone, "global", "battery_level", None)
        case []:
            call.say(
                "Current Battery Service state:",
                "  AC powered: false",
                "  USB powered: true",
                "  Wireless powered: false",
                "  Dock powered: false",
                "  Max charging current: 500000",
                "  Max charging voltage: 5000000",
                "  Charge counter: 3480000",
                "  status: 2",
                "  health: 2",
                "  present: true",
                f"  level: {_battery_level(phone)}",
                "  scale: 100",
                "  voltage: 4200",
                "  temperature: 250",
                "  technology: Li-ion",
            )
        case _:
            phone.journal.append("unknown", {"command": "dumpsys battery", "args": list(args)})
            return call.fail(f"Unknown set option: {' '.join(args)}", 0)
    return 0


# packages and the rest


def _package(phone: VirtualPhone, call: Call, args: Sequence[str]) -> int:
    names = [word for word in args if not word.startswith("-")]
    chosen = [package for package in phone.packages() if not names or package.name == names[0]]
    if not chosen:
        call.say(f"Unable to find package: {names[0]}")
        return 0
    call.say("Packages:")
    for package in chosen:
        _describe_package(phone, call, package)
    return 0


def _describe_package(phone: VirtualPhone, call: Call, package: Package) -> None:
    flags = "SYSTEM HAS_CODE ALLOW_CLEAR_USER_DATA" if package.system else "HAS_CODE ALLOW_CLEAR_USER_DATA"
    path = apk_path(package)
    call.say(
        f"  Package [{package.name}] ({token('package', package.name)}):",
        f"    userId={uid(phone, package)}",
        f"    codePath={path.rpartition('/')[0]}",
        f"    versionCode={package.version_code} minSdk=24 targetSdk={TARGET_SDK}",
        f"    versionName={package.version_name}",
        f"    flags=[ {flags} ]",
        f"    pkgFlags=[ {flags} ]",
        f"    timeStamp={package.last_update:%Y-%m-%d %H:%M:%S}",
        f"    lastUpdateTime={package.last_update:%Y-%m-%d %H:%M:%S}",
        f"    signatures=PackageSignatures{{{token('sign', package.name)} version:2, signatures:[{token('cert')}], "
        f"past signatures:[]}}",
        "    requested permissions:",
        *(f"      {name}" for name in package.permissions),
        "    install permissions:",
        f"    User 0: ceDataInode=1 installed=true hidden=false suspended=false stopped=false "
        f"enabled={0 if package.enabled else 3}",
        f"      firstInstallTime={package.first_install:%Y-%m-%d %H:%M:%S}",
        "      runtime permissions:",
        *(f"        {name}: granted={_granted(package, name)}" for name in package.permissions),
    )


def _granted(package: Package, permission: str) -> str:
    flag = package.flags.get(permission, "")
    flags = {"": "", "USER_SET": "USER_SET"}.get(flag, f"USER_SET|{flag}")
    return f"{str(permission in package.granted).lower()}{f', flags=[ {flags} ]' if flags else ''}"


def _surface_flinger(phone: VirtualPhone, call: Call, args: Sequence[str]) -> int:
    if list(args) == ["--display-id"]:
        for number, display in enumerate(phone.displays()):
            panel = display.panel
            call.say(
                f'Display {panel.id} (HWC display {number}): port={panel.port} pnpId=TAP displayName="{panel.name}"'
            )
    else:
        width, height = phone.size
        call.say(f"Display {phone.panel.id} (active)", f"  layerStack=0 size={width}x{height} fps=60")
    return 0


def _notification(phone: VirtualPhone, call: Call, args: Sequence[str]) -> int:
    call.say("Current Notification Manager state:", "  Notification List:")
    for note in phone.world.table(Notification):
        call.say(
            f"    NotificationRecord(0x{token('note', note.id)}: pkg={note.package} user=UserHandle{{0}} id={note.id}"
        )
        call.say(f"        android.title=String ({note.title})", f"        android.text=String ({note.text})")
    return 0


def _wifi(phone: VirtualPhone, call: Call, args: Sequence[str]) -> int:
    on = phone.world.settings.flag("global", "wifi_on")
    call.say(f"Wi-Fi is {'enabled' if on else 'disabled'}")
    return 0


def _trust(phone: VirtualPhone, call: Call, args: Sequence[str]) -> int:
    locked = int(phone.locked and phone.lock_kind == "pin")  # a swipe lock does not lock the device
    call.say("Trust manager state:")
    call.say(f' User "Owner" (id=0, flags=0x4c13) (current): trusted=0, trustManaged=0, deviceLocked={locked}')
    return 0


def _accessibility(phone: VirtualPhone, call: Call, args: Sequence[str]) -> int:
    exploring = str(phone.screen_reader).lower()
    bound = (
        f"Service[label={_label(name)}, feedbackType[FEEDBACK_{'SPOKEN' if 'TalkBack' in name else 'GENERIC'}],"
        " capabilities=251, eventTypes=TYPES_ALL_MASK, notificationTimeout=0, requestA11yBtn=false]"
        for name in phone.bound_services
    )
    call.say("ACCESSIBILITY MANAGER (dumpsys accessibility)", "", "User state[")
    call.say(
        f"     attributes:{{id=0, touchExplorationEnabled={exploring}, serviceHandlesDoubleTap={exploring}, "
        "requestMultiFingerGestures=false, displayMagnificationEnabled=false}"
    )
    call.say(f"     Bound services:{{{', '.join(bound)}}}")
    call.say(f"     Enabled services:{{{', '.join(f'{{{name}}}' for name in phone.accessibility_services)}}}")
    call.say("     Binding services:{}", "     Crashed services:{}]")
    return 0


def _label(component: str) -> str:
    """The name under which a service is offered: `.../TalkBackService` is TalkBack."""
    return component.rpartition(".")[2].removesuffix("Service")


_SERVICES: dict[str, _Sub] = {
    "SurfaceFlinger": _surface_flinger,
    "accessibility": _accessibility,
    "activity": _activity,
    "battery": _battery,
    "display": _display,
    "input_method": _input_method,
    "notification": _notification,
    "package": _package,
    "power": _power,
    "trust": _trust,
    "wifi": _wifi,
    "window": _window,
}

COMMANDS: dict[str, Command] = {"dumpsys": Command(dumpsys)}

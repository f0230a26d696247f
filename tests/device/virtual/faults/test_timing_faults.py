"""Events and openings: what happens by itself, once, when its rule says so."""

from __future__ import annotations

from device.virtual.faults.plan import read_plan

from .bench import SETTINGS, Bench


def test_an_event_without_conditions_happens_at_once_and_once(bench: Bench) -> None:
    bench.arm("toast", text="here")
    assert bench.phone.toast == "here" and len(bench.fired()) == 1
    bench.hand().tap(1, 2)
    bench.phone.advance(1000)
    assert len(bench.fired()) == 1


def test_an_event_after_acts_comes_when_the_last_of_them_has_ended(bench: Bench) -> None:
    bench.arm("toast", {"after_acts": 2})
    for _ in range(2):
        bench.hand().tap(1, 2)
        assert bench.phone.toast is None
        bench.phone.advance(50)
    bench.phone.advance(60)
    assert bench.phone.toast is not None


def test_an_event_may_come_several_times_by_chance(bench: Bench) -> None:
    bench.arm("toast", {"probability": 0.5, "next": 3})
    for _ in range(20):
        bench.hand().tap(1, 2)
        bench.phone.advance(500)
    assert len(bench.fired()) == 3


def test_an_event_at_a_moment_counts_from_arming(bench: Bench) -> None:
    bench.phone.advance(5000)
    bench.arm("screen_off", {"at_ms": 700})
    bench.phone.advance(699)
    assert bench.phone.awake
    bench.phone.advance(1)
    assert (bench.phone.awake, bench.phone.locked) == (False, True)


def test_an_event_on_a_screen_comes_when_it_opens(bench: Bench) -> None:
    bench.arm("rotate", {"screen": SETTINGS}, to=1)
    bench.phone.advance(1000)
    assert bench.phone.size == (1080, 2400)
    bench.open_settings()
    bench.phone.advance(1)
    assert bench.phone.size == (2400, 1080)


def test_a_plan_that_is_replaced_takes_its_timers_along(bench: Bench) -> None:
    bench.arm("toast", {"at_ms": 500})
    bench.injector.clear(bench.phone)
    bench.phone.advance(1000)
    assert bench.phone.toast is None


def test_the_clock_jumps_and_monotonic_time_goes_on(bench: Bench) -> None:
    before, now = bench.phone.clock.wall(), bench.phone.clock.now_ms()
    bench.arm("clock_jump", ms=-7_200_000)
    assert (bench.phone.clock.wall() - before).total_seconds() == -7200 and bench.phone.clock.now_ms() == now


def test_the_app_in_front_does_not_respond(bench: Bench) -> None:
    bench.open_settings()
    bench.arm("anr")
    bench.phone.settle()
    assert bench.phone.focused_window == f"Application Not Responding: {SETTINGS}"


def test_the_app_in_front_crashes(bench: Bench) -> None:
    bench.open_settings()
    bench.arm("crash")
    bench.phone.settle()
    assert bench.phone.focused_window == f"Application Error: {SETTINGS}"


def test_the_app_in_front_asks_for_a_permission(bench: Bench) -> None:
    bench.phone.start("org.tapwright.contacts")
    bench.phone.settle()
    bench.phone.revoke("org.tapwright.contacts", "android.permission.READ_CONTACTS")
    bench.arm("permission_dialog")
    bench.phone.settle()
    assert bench.phone.focused_window.startswith("com.android.permissioncontroller/")


def test_a_cold_start_shows_a_starting_window_that_swallows_touches(bench: Bench) -> None:
    bench.arm("cold_start", ms=2000)
    bench.open_settings()
    assert bench.phone.foreground[0] == SETTINGS and "Network" not in bench.xml()
    bench.hand().tap(540, 1000)
    bench.phone.advance(500)
    assert bench.phone.screen == "root"
    bench.phone.advance(2000)
    assert "Network" in bench.xml()
    (entry,) = bench.fired()
    assert (entry["fault"], entry["package"]) == ("cold_start", SETTINGS)


def test_a_cold_start_spares_screens_of_an_app_that_runs(bench: Bench) -> None:
    bench.arm("cold_start", ms=100)
    bench.open_settings()
    bench.phone.advance(200)
    bench.touch("Display")
    assert bench.phone.screen != "root" and len(bench.fired()) == 1


def test_home_can_be_reached_from_a_starting_window(bench: Bench) -> None:
    bench.arm("cold_start", ms=60_000)
    bench.open_settings()
    bench.hand().key(3)
    bench.phone.settle()
    assert bench.phone.foreground[0] == "org.tapwright.launcher" and "Contacts" in bench.xml()


def test_a_screen_may_show_a_progress_first(bench: Bench) -> None:
    bench.open_settings()
    bench.arm("spinner", ms=1500)
    bench.touch("Display")
    assert "android.widget.ProgressBar" in bench.xml() and "Dark theme" not in bench.xml()
    bench.phone.advance(1500)
    assert "Dark theme" in bench.xml()


def test_something_late_pushes_the_screen_down(bench: Bench) -> None:
    bench.arm("late_layout", ms=800, dp=72)
    bench.open_settings()
    before = bench.node("Search settings").bounds
    bench.phone.advance(800)
    after = bench.node("Search settings").bounds
    assert abs(after[1] - before[1] - 72 * 2.625) <= 1 and "New features" in bench.xml()
    bench.touch("Search settings")
    assert bench.phone.screen != "root"  # a tap goes where the picture shows the target
    bottoms = [node.bounds[3] for window in bench.phone.windows() for node in window.root.children]
    assert max(bottoms) <= 2400


def test_events_without_a_link_leave_the_phone_alone(bench: Bench) -> None:
    rules = [{"fault": name} for name in ("disconnect", "unauthorized", "offline", "new_port")]
    bench.injector.arm(bench.phone, read_plan(rules))
    assert len(bench.fired()) == 4 and bench.phone.awake


def test_a_restart_ends_apps_and_locks(bench: Bench) -> None:
    bench.open_settings()
    bench.arm("reboot")
    assert bench.phone.awake and bench.phone.locked
    assert SETTINGS not in [package for _, package in bench.phone.running()]

"""Which installed packages a name may mean."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from device.adb.apps import candidates, plain

INSTALLED = (
    "com.android.settings",
    "com.android.contacts",
    "com.android.systemui",
    "com.android.chrome",
    "com.google.android.calendar",
    "com.google.android.deskclock",
    "com.google.android.gm",
    "com.tencent.mm",
    "com.spotify.music",
    "org.videolan.vlc",
    "com.foo.notes",
    "com.bar.notes",
    "com.acme.weatherradar",
)


def first(name: str, installed: tuple[str, ...] = INSTALLED) -> tuple[str, ...]:
    return next((found for found in candidates(name, installed) if found), ())


@pytest.mark.parametrize(
    "name, package",
    [
        ("com.android.settings", "com.android.settings"),
        ("Settings", "com.android.settings"),
        ("the Settings app", "com.android.settings"),
        ("  SETTINGS ", "com.android.settings"),
        ("设置", "com.android.settings"),
        ("联系人", "com.android.contacts"),
        ("通讯录", "com.android.contacts"),
        ("people", "com.android.contacts"),
        ("Contacts", "com.android.contacts"),
        ("browser", "com.android.chrome"),
        ("alarm", "com.google.android.deskclock"),
        ("日历", "com.google.android.calendar"),
        ("Gmail", "com.google.android.gm"),
        ("微信", "com.tencent.mm"),
        ("WeChat", "com.tencent.mm"),
        ("VLC", "org.videolan.vlc"),
        ("spotify", "com.spotify.music"),
        ("Setings", "com.android.settings"),
        ("contcts", "com.android.contacts"),
        ("Weather Radar", "com.acme.weatherradar"),
        ("ｓｅｔｔｉｎｇｓ", "com.android.settings"),
    ],
)
def test_a_name_means_this_package(name: str, package: str) -> None:
    assert first(name) == (package,)


def test_two_apps_that_fit_alike_are_both_named() -> None:
    assert set(first("notes")) == {"com.foo.notes", "com.bar.notes"}


@pytest.mark.parametrize("name", ["zzz", "com.absent.app", "火箭", "", "  "])
def test_a_name_that_fits_nothing_means_nothing(name: str) -> None:
    assert first(name) == ()


def test_a_package_that_is_absent_is_not_replaced_by_a_similar_one() -> None:
    assert first("com.android.setting") == ()


def test_the_maker_app_wins_over_an_app_of_that_word() -> None:
    installed = ("com.foo.calendar", "com.google.android.calendar")
    assert first("calendar", installed) == ("com.google.android.calendar",)


@given(name=st.text(), installed=st.lists(st.from_regex(r"[a-z]{1,5}(\.[a-z]{1,5}){1,3}", fullmatch=True), max_size=5))
def test_candidates_are_always_installed(name: str, installed: list[str]) -> None:
    for found in candidates(name, installed):
        assert set(found) <= set(installed)
    plain(name)

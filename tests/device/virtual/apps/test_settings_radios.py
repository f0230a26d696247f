"""Wi-Fi, Bluetooth, apps and services in the settings, through taps."""

from __future__ import annotations

from finger import Finger

from device.virtual.apps.settings import BluetoothDevice, WifiNetwork
from device.virtual.core.package import Package
from device.virtual.phone import VirtualPhone

SETTINGS = "com.android.settings"
CONTACTS = "org.tapwright.contacts"


def opened(finger: Finger, activity: str) -> None:
    finger.phone.start(SETTINGS, activity)
    finger.phone.settle()
    finger.changes()


def network(phone: VirtualPhone, ssid: str) -> WifiNetwork:
    found = phone.world.table(WifiNetwork).first(ssid=ssid)
    assert found is not None
    return found


def test_a_secured_network_is_joined_with_its_password(finger: Finger, phone: VirtualPhone) -> None:
    opened(finger, ".Settings$WifiSettingsActivity")
    finger.tap("Lantern House")
    finger.fill("Password", "blue harbour 9")
    finger.tap("Connect")
    joined = network(phone, "Lantern House")
    assert (joined.joined, joined.saved, joined.password) == (True, True, "blue harbour 9")
    assert not network(phone, "HomeNet 5G").joined
    assert finger.find("Connected") is not None


def test_a_short_password_cannot_be_sent(finger: Finger, phone: VirtualPhone) -> None:
    opened(finger, ".Settings$WifiSettingsActivity")
    finger.tap("Lantern House")
    finger.fill("Password", "seven77")
    connect = finger.find("Connect")
    assert connect is not None and not connect.enabled
    finger.tap("Connect")
    assert finger.changes() == []


def test_cancel_in_the_password_dialog_changes_nothing(finger: Finger) -> None:
    opened(finger, ".Settings$WifiSettingsActivity")
    finger.tap("Lantern House")
    finger.fill("Password", "blue harbour 9")
    finger.tap("Cancel")
    assert finger.changes() == []
    assert finger.find("Password") is None


def test_an_open_network_is_joined_by_one_tap(finger: Finger, phone: VirtualPhone) -> None:
    opened(finger, ".Settings$WifiSettingsActivity")
    finger.tap("Harbour Cafe")
    assert network(phone, "Harbour Cafe").joined


def test_a_saved_network_can_be_forgotten(finger: Finger, phone: VirtualPhone) -> None:
    opened(finger, ".Settings$WifiSettingsActivity")
    finger.tap("HomeNet 5G")
    finger.tap("Forget")
    finger.tap("Forget")
    known = network(phone, "HomeNet 5G")
    assert (known.saved, known.joined, known.password) == (False, False, "")


def test_an_unlisted_network_is_saved(finger: Finger, phone: VirtualPhone) -> None:
    opened(finger, ".Settings$WifiSettingsActivity")
    finger.tap("Add network")
    finger.fill("Network name", "Attic")
    finger.fill("Password", "paper boats")
    finger.tap("Connect")
    assert network(phone, "Attic").saved


def test_without_wifi_no_network_is_listed(finger: Finger) -> None:
    opened(finger, ".Settings$WifiSettingsActivity")
    finger.tap("Use Wi-Fi")
    assert finger.find("HomeNet") is None
    assert finger.find("To see available networks, turn Wi-Fi on") is not None


def test_a_device_is_paired_after_bluetooth_was_turned_on(finger: Finger, phone: VirtualPhone) -> None:
    opened(finger, ".Settings$ConnectedDeviceDashboardActivity")
    finger.tap("Pair new device")
    finger.tap("Turn on Bluetooth to pair")
    finger.tap("Kitchen speaker")
    finger.tap("Pair")
    row = phone.world.table(BluetoothDevice).first(name="Kitchen speaker")
    assert row is not None and row.paired and row.connected
    assert phone.world.settings.get("global", "bluetooth_on") == "1"


def test_an_accessibility_service_is_added_to_the_list_and_taken_out(finger: Finger, phone: VirtualPhone) -> None:
    opened(finger, ".Settings$AccessibilitySettingsActivity")
    before = phone.world.settings.get("secure", "enabled_accessibility_services")
    finger.tap("Select to Speak")
    finger.tap("Use Select to Speak")
    service = "org.tapwright.speak/.SelectToSpeakService"
    assert finger.changes() == [
        ("settings/secure/accessibility_enabled", None, "1"),
        ("settings/secure/enabled_accessibility_services", before or None, service),
        ("settings/secure/touch_exploration_enabled", None, "0"),
    ]
    finger.tap("Use Select to Speak")
    assert phone.world.settings.get("secure", "enabled_accessibility_services") == ""


def test_a_permission_is_given_and_taken_in_the_apps_own_page(finger: Finger, phone: VirtualPhone) -> None:
    opened(finger, ".Settings$ManageApplicationsActivity")
    finger.tap("Contacts")
    finger.tap("Permissions")
    row = phone.world.table(Package).first(name=CONTACTS)
    assert row is not None
    had = "android.permission.READ_CONTACTS" in row.granted
    finger.tap("Read contacts")
    row = phone.world.table(Package).first(name=CONTACTS)
    assert row is not None
    assert ("android.permission.READ_CONTACTS" in row.granted) is not had


def test_seven_taps_on_the_build_number_unlock_the_developer_options(finger: Finger, phone: VirtualPhone) -> None:
    opened(finger, ".Settings$MyDeviceInfoActivity")
    for _ in range(6):
        finger.tap("Build number")
    assert finger.changes() == []
    finger.tap("Build number")
    assert finger.changes() == [("settings/global/development_settings_enabled", "0", "1")]


def test_a_wallpaper_is_chosen_by_touching_it(finger: Finger) -> None:
    opened(finger, ".Settings$WallpaperSettingsActivity")
    finger.tap("Wallpaper 3")
    assert finger.changes() == [("settings/secure/wallpaper", "1", "3")]


def test_reset_gives_every_setting_its_first_value_back(finger: Finger, phone: VirtualPhone) -> None:
    opened(finger, ".Settings$SoundSettingsActivity")
    fresh = phone.world.settings.dump()
    finger.tap("Touch sounds")
    finger.tap("Dial pad tones")
    phone.force_stop(SETTINGS)
    phone.start(SETTINGS)
    phone.settle()
    for title in ("System", "Reset options", "Reset all settings", "Reset"):
        finger.tap(title)
    assert phone.world.settings.dump() == fresh

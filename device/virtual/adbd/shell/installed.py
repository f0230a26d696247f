"""Installed packages as the package manager sees them: files, user ids, components."""

from __future__ import annotations

import hashlib

from device.virtual.core.package import Package
from device.virtual.phone import VirtualPhone

FIRST_UID = 10100


def find_package(phone: VirtualPhone, name: str) -> Package | None:
    """The installed package of that name."""
    return next((package for package in phone.packages() if package.name == name), None)


def apk_path(package: Package) -> str:
    """Where the package manager says the package's file is."""
    if package.system:
        short = package.name.rpartition(".")[2].capitalize()
        return f"/system/app/{short}/{short}.apk"
    digest = hashlib.sha256(package.name.encode()).hexdigest()
    return f"/data/app/~~{digest[:22]}==/{package.name}-{digest[22:44]}==/base.apk"


def home_package(phone: VirtualPhone) -> str:
    """The launcher."""
    return next(app.package for app in phone.apps.values() if app.wallpaper)


def uid(phone: VirtualPhone, package: Package) -> int:
    return FIRST_UID + package.id


def full_class(package: str, activity: str) -> str:
    """The activity's class with its package, however short it was written."""
    return package + activity if activity.startswith(".") else activity

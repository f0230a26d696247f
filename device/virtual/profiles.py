"""The devices a virtual phone can be: sizes, densities and names."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """A device model. Width and height are pixels in the natural orientation."""

    name: str
    width: int
    height: int
    dpi: int
    model: str
    product: str
    device: str
    brand: str = "Tapwright"
    sdk: int = 34
    release: str = "14"

    @property
    def density(self) -> float:
        """Pixels per dp."""
        return self.dpi / 160


PROFILES: dict[str, Profile] = {
    profile.name: profile
    for profile in (
        Profile(name="phone", width=1080, height=2400, dpi=420, model="Tapwright Phone", product="twp", device="twp"),
        Profile(name="tablet", width=1600, height=2560, dpi=320, model="Tapwright Tablet", product="twt", device="twt"),
        Profile(name="foldable", width=2208, height=1840, dpi=420, model="Tapwright Fold", product="twf", device="twf"),
    )
}


def profile_of(name: str | Profile) -> Profile:
    """The profile of that name; raises ValueError with the known names."""
    if isinstance(name, Profile):
        return name
    try:
        return PROFILES[name]
    except KeyError:
        raise ValueError(f"device profile must be one of {', '.join(PROFILES)}, not {name!r}") from None

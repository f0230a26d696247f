"""The devices a virtual phone can be: sizes, densities and names."""

from __future__ import annotations

from dataclasses import dataclass

FIRST_DISPLAY_ID, SECOND_DISPLAY_ID = 4619827259835644672, 4619827551948147201
"""What SurfaceFlinger calls the first and second display of a phone, as recorded from a folding one's emulator."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Panel:
    """A display that is built in. Width and height are pixels in its natural orientation."""

    width: int
    height: int
    dpi: int
    id: int = FIRST_DISPLAY_ID
    name: str = "Virtual"
    port: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """A device model. Width and height are those of its (inner) display; `outer` is the one of a closed foldable."""

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
    outer: Panel | None = None

    @property
    def density(self) -> float:
        """Pixels per dp."""
        return self.dpi / 160

    @property
    def panels(self) -> tuple[Panel, ...]:
        """Its displays in the order of the hardware composer, the inner one first."""
        inner = Panel(width=self.width, height=self.height, dpi=self.dpi)
        return (inner,) if self.outer is None else (inner, self.outer)


_OUTER = Panel(width=1080, height=2092, dpi=420, id=SECOND_DISPLAY_ID, name="Virtual outer", port=1)

PROFILES: dict[str, Profile] = {
    profile.name: profile
    for profile in (
        Profile(name="phone", width=1080, height=2400, dpi=420, model="Tapwright Phone", product="twp", device="twp"),
        Profile(name="tablet", width=1600, height=2560, dpi=320, model="Tapwright Tablet", product="twt", device="twt"),
        Profile(
            name="foldable",
            width=2208,
            height=1840,
            dpi=420,
            model="Tapwright Fold",
            product="twf",
            device="twf",
            outer=_OUTER,
        ),
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

"""Makes the committed assets from their source packages. For maintainers; nothing imports this at run time.

    python device/virtual/assets/build.py SOURCES

`SOURCES` is a folder in which these packages are unpacked (npm tarballs, one Debian package), each under its name:
`roboto` and `noto-sans-sc` (@expo-google-fonts, OFL-1.1), `material-symbols` (@material-symbols/svg-400, Apache-2.0),
`emoji` (fonts-noto-color-emoji, bitmap build, OFL-1.1). Needs fonttools and brotli. Writes fonts/, icons.json.gz,
emoji.bin, emoji.json, coverage.json and licenses/ beside this file.
"""

from __future__ import annotations

import gzip
import io
import json
import re
import shutil
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from fontTools import subset
from fontTools.ttLib import TTFont
from PIL import Image

HERE = Path(__file__).parent
WEIGHTS = {"400": "400Regular", "500": "500Medium", "700": "700Bold"}
LATIN = (
    (0x20, 0x7E), (0xA0, 0x17F), (0x18F, 0x18F), (0x192, 0x192), (0x1A0, 0x1B0), (0x2C6, 0x2DD), (0x370, 0x45F),
    (0x490, 0x491), (0x1EA0, 0x1EF9), (0x2010, 0x2027), (0x2030, 0x203A), (0x20A0, 0x20BF), (0x2100, 0x2126),
    (0x2190, 0x2199), (0x2200, 0x2265), (0x25A0, 0x25CF), (0xFFFD, 0xFFFD),
)  # fmt: skip
HANZI = (0x4E00, 0x9FFF)
LEVEL_2 = 0xD8  # GB 2312: hanzi of rows 0xB0..0xD7 are level 1, from 0xD8 on level 2
EMOJI_PX = 72
"""Height of a stored emoji: 1.3 times body text at 640 dpi."""
CUSTOM_ICONS = {
    "nav_back": "M640-230v-500q0-18-15-26t-31 2L238-506q-14 9-14 26t14 26l356 252q16 10 31 2t15-30Z",
    "nav_home": "M480-230q-104 0-177-73t-73-177q0-104 73-177t177-73q104 0 177 73t73 177q0 104-73 177t-177 73Z",
    "nav_recents": "M300-250q-50 0-50-50v-360q0-50 50-50h360q50 0 50 50v360q0 50-50 50H300Z",
}
"""Three-button navigation: triangle, disc, square. Drawn for this project."""


def main(sources: Path) -> None:
    """Rebuild everything."""
    (HERE / "fonts").mkdir(exist_ok=True)
    (HERE / "licenses").mkdir(exist_ok=True)
    coverage = {"roboto": build_roboto(sources / "roboto"), **build_hanzi(sources / "noto-sans-sc")}
    dump_json("coverage.json", {name: ranges(points) for name, points in coverage.items()})
    build_icons(sources / "material-symbols")
    build_emoji(next((sources / "emoji").rglob("NotoColorEmoji.ttf")))
    shutil.copy(sources / "roboto" / "LICENSE_FONT", HERE / "licenses" / "Roboto-OFL.txt")
    shutil.copy(sources / "noto-sans-sc" / "LICENSE_FONT", HERE / "licenses" / "NotoSansSC-OFL.txt")
    shutil.copy(
        sources / "emoji/usr/share/doc/fonts-noto-color-emoji/copyright", HERE / "licenses/NotoColorEmoji-OFL.txt"
    )
    shutil.copy(sources / "material-symbols" / "LICENSE", HERE / "licenses" / "MaterialSymbols-Apache-2.0.txt")
    for path in sorted(HERE.rglob("*")):
        if path.is_file() and path.suffix != ".pyc":
            print(f"{path.stat().st_size:9,}  {path.relative_to(HERE)}")


def build_roboto(package: Path) -> set[int]:
    """Three weights, Latin, Greek and Cyrillic. Returns the code points."""
    points = {point for low, high in LATIN for point in range(low, high + 1)}
    covered: set[int] = set()
    for weight, folder in WEIGHTS.items():
        source = next((package / folder).glob("*.ttf"))
        font = cut(source, points)
        covered = set(font.getBestCmap())
        save(font, f"roboto-{weight}.woff2", "woff2")
    return covered


def build_hanzi(package: Path) -> dict[str, set[int]]:
    """GB 2312 in two files: the common characters map straight from disk, the rare ones are compressed."""
    source = next((package / WEIGHTS["400"]).glob("*.ttf"))
    common, rare = split_gb2312()
    result = {}
    for name, points, flavor in (("hanzi", common, None), ("hanzi-rare", rare, "woff2")):
        font = cut(source, points)
        result[name] = set(font.getBestCmap())
        save(font, f"noto-sans-sc-{name}.{flavor or 'ttf'}", flavor)
    return result


def split_gb2312() -> tuple[set[int], set[int]]:
    """Code points of GB 2312: symbols with the 3,755 hanzi of level 1, and the 3,008 of level 2."""
    common, rare = set(), set()
    for row in range(0xA1, 0xF8):
        for cell in range(0xA1, 0xFF):
            try:
                point = ord(bytes([row, cell]).decode("gb2312"))
            except UnicodeDecodeError:
                continue
            (rare if HANZI[0] <= point <= HANZI[1] and row >= LEVEL_2 else common).add(point)
    return common | set(range(0xFF01, 0xFF5F)), rare


def cut(source: Path, points: Iterable[int]) -> TTFont:
    """The font with those code points only, without layout tables and hints."""
    options = subset.Options()
    options.hinting = False
    options.layout_features = []
    options.name_IDs = [0, 1, 2, 13, 14]
    options.drop_tables += ["GSUB", "GPOS", "GDEF", "BASE", "STAT", "vhea", "vmtx", "DSIG"]
    options.notdef_outline = True
    font = subset.load_font(str(source), options)
    subsetter = subset.Subsetter(options)
    subsetter.populate(unicodes=list(points))
    subsetter.subset(font)
    return font


def save(font: TTFont, name: str, flavor: str | None) -> None:
    """Write a font without dates, so that the same sources give the same bytes."""
    font.recalcTimestamp = False
    font.flavor = flavor
    font.save(HERE / "fonts" / name)


def build_icons(package: Path) -> None:
    """icons.json.gz: name -> [outline path, filled path] in a box of 960 units, y from -960 to 0."""
    icons: dict[str, list[str]] = {name: [path, path] for name, path in CUSTOM_ICONS.items()}
    for word in (HERE / "icon_names.txt").read_text().split():
        name, _, source = word.partition("=")
        outline = path_of(package / "rounded" / f"{source or name}.svg")
        filled = package / "rounded" / f"{source or name}-fill.svg"
        icons[name] = [outline, path_of(filled) if filled.exists() else outline]
    text = json.dumps(dict(sorted(icons.items())), separators=(",", ":"))
    (HERE / "icons.json.gz").write_bytes(gzip.compress(text.encode(), mtime=0))


def path_of(svg: Path) -> str:
    """The path data of a one-path SVG file."""
    return " ".join(re.findall(r'<path d="([^"]+)"', svg.read_text()))


def build_emoji(source: Path) -> None:
    """emoji.bin: pictures one after another; emoji.json: sequence without variation selectors -> [offset, length]."""
    font = TTFont(source)
    cmap = font.getBestCmap()
    ligatures = dict(ligatures_of(font))
    strike = font["CBDT"].strikeData[0]
    blob, index = bytearray(), {}
    for sequence in wanted_emoji():
        names = tuple(cmap[ord(char)] for char in sequence)
        name = names[0] if len(names) == 1 else ligatures.get(names)
        if name not in strike:
            raise SystemExit(f"no picture for {sequence!r}")
        data = shrink(strike[name].imageData)
        index[sequence] = [len(blob), len(data)]
        blob += data
    (HERE / "emoji.bin").write_bytes(blob)
    dump_json("emoji.json", index)


def ligatures_of(font: TTFont) -> Iterator[tuple[tuple[str, ...], str]]:
    """(glyphs, ligature) of every ligature substitution."""
    for lookup in font["GSUB"].table.LookupList.Lookup:
        for part in lookup.SubTable:
            part = getattr(part, "ExtSubTable", part)
            for first, found in getattr(part, "ligatures", {}).items():
                for ligature in found:
                    yield (first, *ligature.Component), ligature.LigGlyph


def wanted_emoji() -> list[str]:
    """Every sequence of emoji_names.txt without variation selectors."""
    text = (HERE / "emoji_names.txt").read_text().replace("\ufe0f", "")
    singles, toned, sequences, flags = [block.split("\n", 1)[1] for block in text.split("# ")[1:]]
    single = [char for char in singles if not char.isspace()]
    tones = [chr(0x1F3FB + i) for i in range(5)]
    hands = [hand + tone for hand in toned.split() for tone in tones]
    return list(dict.fromkeys([*single, *hands, *sequences.split(), *flags.split()]))


def shrink(png: bytes) -> bytes:
    """The bitmap at `EMOJI_PX` with a palette, as PNG."""
    image = Image.open(io.BytesIO(png)).convert("RGBA")
    width = round(image.width * EMOJI_PX / image.height)
    small = image.resize((width, EMOJI_PX), Image.Resampling.LANCZOS).quantize(64, Image.Quantize.FASTOCTREE)
    out = io.BytesIO()
    small.save(out, "PNG", optimize=True)
    return out.getvalue()


def ranges(points: Iterable[int]) -> list[list[int]]:
    """Sorted code points as closed ranges."""
    result: list[list[int]] = []
    for point in sorted(points):
        if result and result[-1][1] == point - 1:
            result[-1][1] = point
        else:
            result.append([point, point])
    return result


def dump_json(name: str, value: object) -> None:
    """Write compact JSON."""
    (HERE / name).write_text(json.dumps(value, ensure_ascii=False, separators=(",", ":")) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))

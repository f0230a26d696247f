"""The OCR engine on pictures whose text is known; loads the models once."""

from __future__ import annotations

import json
import logging
from pathlib import Path

import numpy as np
import pytest

from device.frame import Pixels, decode
from device.geometry import Box, Size
from perception.base import TextLine
from perception.draft import Dp, folded
from perception.merge import confirm_ratio, merge
from perception.ocr import RapidOcrReader, sample, warm_up
from perception.tree import parse

RECORDED = Path(__file__).parents[1] / "recorded" / "screens"


@pytest.fixture(scope="module")
def reader() -> RapidOcrReader:
    made = RapidOcrReader(threads=2)
    warm_up(made)
    return made


@pytest.fixture(scope="module")
def trains(reader: RapidOcrReader) -> tuple[TextLine, ...]:
    return reader.read(pixels("pair_trains.png"))


def pixels(name: str) -> Pixels:
    return decode((RECORDED / name).read_bytes(), "image/png")


def test_the_models_come_with_the_package_and_say_nothing(
    reader: RapidOcrReader, capfd: pytest.CaptureFixture[str]
) -> None:
    assert [line.text for line in reader.read(sample())] == ["Tapwright"]
    assert reader.read(np.zeros((400, 300, 3), np.uint8)) == ()
    assert capfd.readouterr() == ("", "")
    assert logging.getLogger("RapidOCR").level >= logging.CRITICAL


def test_every_line_of_a_rendered_settings_page_is_read_and_hit(reader: RapidOcrReader) -> None:
    truth = json.loads((RECORDED / "syn_settings_en.json").read_text(encoding="utf-8"))
    size = Size(1080, 2400)
    lines = reader.read(pixels("syn_settings_en.png"))
    read = {folded(line.text) for line in lines}
    texts = [text["text"] for text in truth["texts"] if not text["trunc"]]
    assert sum(folded(text) in read for text in texts) >= 0.95 * len(texts)
    clicks = [element.click for element in merge(size, None, lines).elements if element.interactable]
    rows = [w for w in truth["widgets"] if w["click"] and w["role"] not in ("icon_button", "switch")]
    assert all(any(Box.from_pixel(*row["box"], size).contains(click) for click in clicks) for row in rows)


def test_a_real_phones_tree_is_confirmed_by_its_picture(trains: tuple[TextLine, ...]) -> None:
    size = Size(1080, 2414)
    tree = parse((RECORDED / "pair_trains.xml").read_text(encoding="utf-8"), size)
    ratio = confirm_ratio(tree, trains, Dp.of(size))
    assert ratio is not None
    assert ratio >= 0.85
    merged = merge(size, tree, trains)
    names = {element.name for element in merged.elements if element.interactable}
    assert {"Find trains", "Swap Stations", "Rura", "Phaphund", "Voice search", "EXPRESS", "METRO"} <= names


def test_a_keyboards_keys_do_not_become_elements(reader: RapidOcrReader) -> None:
    size = Size(1080, 2280)
    merged = merge(size, None, reader.read(pixels("emulator_keyboard.png")), keyboard=True)
    assert "bestbuy.com/creditcard" in {element.text for element in merged.elements}
    assert max(element.box.bottom for element in merged.elements) < 0.7


@pytest.mark.parametrize("shape", [(1, 1), (3, 900), (900, 7), (8, 8), (20, 700)])
def test_shapes_that_hold_no_text_give_none(reader: RapidOcrReader, shape: tuple[int, int]) -> None:
    assert reader.read(np.full((*shape, 3), 255, np.uint8)) == ()


def test_no_threads_are_refused() -> None:
    with pytest.raises(ValueError, match="threads must be at least 1, not 0"):
        RapidOcrReader(threads=0)

"""Text of every kind lands exactly or is reported with both strings; keyboard and clipboard are afterwards as before.

A sample by default; all of it with TAPWRIGHT_SOAK=1 (`make soak`).
"""

from __future__ import annotations

import os
import random
import unicodedata
from collections.abc import Iterator

import pytest

from device.actions import TypeText
from device.base import Answer, Outcome
from tests.device.adb.phone_bench import Bench, field_text, open_editor
from tests.lab import Lab

pytestmark = pytest.mark.anyio

SOAK = os.environ.get("TAPWRIGHT_SOAK", "") not in ("", "0")
OWNERS = "what the owner had copied"

FAMILIES: dict[str, tuple[str, ...]] = {
    "ASCII": ("hello", "two  spaces", " leading and trailing ", "A1!b2@c3#", "null", "--option -n", "tab\tin it"),
    "quotes": ("it's", 'say "yes"', "`tick`", "'\"'\"'", "“curly” ‘ones’", "'", '"'),
    "%s": ("%s", "100%", "%s%s %d", "%%s", "50 %s off", "%", "a%sb%20c"),
    "$()": ("$(reboot)", "$HOME", "${PATH}", "$((1+1))", "; rm -rf /", "&& echo | cat > /x", "a & b"),
    "backslashes": ("\\", "C:\\dir\\n", "\\\\server", "\\u0041", "a\\ b", "\\'", "\\$x"),
    "newlines": ("one\ntwo", "\nfirst", "last\n", "a\n\nb", "x\r\ny", "1\n2\n3", "\n"),
    "accents": ("é", "e\u0301", "ñandú", "Ünïcödé ß", "žluťoučký kůň", "İstanbul", "ǅ ﬁ"),
    "Chinese": ("你好", "你好，世界！", "繁體中文", "㐀𠀀", "日本語かな", "한국어", "「引号」"),
    "Arabic": ("مرحبا", "مرحبا بالعالم", "שלום", "اللغة 123 العربية", "لا إله", "\u200fRTL\u200e", "فارسی"),
    "emoji": ("👍🏽", "👩🏽‍🚀", "👨‍👩‍👧‍👦", "❤️ 🇪🇸", "a😀b", "🏴󠁧󠁢󠁥󠁮󠁧󠁿", "1️⃣"),
}
"""Pieces that have broken text entry somewhere."""
PER_FAMILY = 20


def all_texts() -> list[tuple[str, str]]:
    """Twenty of each family: the pieces, pieces joined at random (seeded), and one of 500 characters."""
    found = []
    for name, pieces in FAMILIES.items():
        dice = random.Random(name)
        joined = [" ".join(dice.choices(pieces, k=dice.randint(2, 6))) for _ in range(PER_FAMILY - len(pieces) - 1)]
        long = "".join(dice.choices(pieces, k=500))[:500].rstrip("\u200d")
        found += [(name, text) for text in (*pieces, *joined, long)]
    return found


def sample() -> list[tuple[str, str]]:
    """The first piece and the long one of each family."""
    texts = all_texts()
    return [texts[at + part] for at in range(0, len(texts), PER_FAMILY) for part in (0, PER_FAMILY - 1)]


def test_there_are_200_texts_of_ten_kinds() -> None:
    texts = all_texts()
    assert len(texts) == 200 and len({name for name, _ in texts}) == 10
    assert all(len(text) <= 500 for _, text in texts) and sum(len(text) > 490 for _, text in texts) == 10


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    lab = Lab(tmp_path_factory.mktemp("texts"))
    with lab.adb_server(), lab.phone() as phone:
        yield Bench(lab, phone)


def same(one: str, other: str) -> bool:
    return unicodedata.normalize("NFC", one) == unicodedata.normalize("NFC", other)


def complaint(text: str, outcome: Outcome, shown: str) -> str:
    """What is wrong with the driver's word about a text, or ""."""
    if outcome.sent is not Answer.YES:
        return f"not typed: {outcome}"
    if outcome.landed is None or not same(outcome.landed, shown):
        return f"the field shows {shown!r}, the driver read {outcome.landed!r}"
    if same(shown, text):
        return ""
    reported = outcome.expected is not None and same(outcome.expected, text) and bool(outcome.note)
    return "" if reported else f"the field shows {shown!r}, and that was not reported: {outcome}"


async def test_every_text_lands_exactly_or_is_reported_with_both_strings(bench: Bench) -> None:
    keyboard = bench.keyboard()
    wrong, exact = [], 0
    async with bench.opened() as device:
        await open_editor(device)
        u2 = device._automation.u2
        assert u2 is not None
        await u2.call("setClipboard", None, OWNERS)
        texts = all_texts() if SOAK else sample()
        for number, (name, text) in enumerate(texts):
            # Every other text is put in beside what is there, so that it is pasted and not set.
            beside = number % 2 == 1
            if beside:
                await device.act(TypeText("~", replace=True))
            outcome = await device.act(TypeText(text, replace=not beside))
            whole = f"~{text}" if beside else text
            shown = field_text(await device.observe())
            if said := complaint(whole, outcome, shown):
                wrong.append(f"{name} {text!r}: {said}")
            exact += same(shown, whole)
            assert bench.facts()["clipboard"] == OWNERS, f"after {text!r}"
    assert not wrong, "\n".join(wrong)
    # Only a line break cannot land in a field of one line.
    assert exact >= len([name for name, _ in texts if name != "newlines"])
    assert bench.keyboard() == keyboard and bench.facts()["clipboard"] == OWNERS

"""Tree faults: what a dump says is not what is on the screen."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree

import pytest

from device.virtual.faults.reader import DumpFailed, windows

from .bench import Bench


def parts(xml: str) -> list[ElementTree.Element]:
    return list(ElementTree.fromstring(xml).iter("node"))


def bounds(node: ElementTree.Element) -> list[int]:
    return [int(number) for number in re.findall(r"-?\d+", node.attrib["bounds"])]


def test_a_tree_without_faults_is_the_screens(bench: Bench) -> None:
    honest = bench.phone.dump()
    bench.arm("crlf")
    assert bench.xml() == honest and bench.xml("stock") == bench.phone.dump(u2=False)


@pytest.mark.parametrize(
    ("fault", "words", "status"),
    [("not_idle", "ERROR: could not get idle state.", 0), ("dump_killed", "Killed", 137)],
)
def test_the_stock_dumper_fails_in_its_own_words(bench: Bench, fault: str, words: str, status: int) -> None:
    bench.arm(fault)
    with pytest.raises(DumpFailed, match=words) as caught:
        bench.xml("stock")
    assert caught.value.status == status
    assert parts(bench.xml("u2"))


def test_an_empty_tree_has_no_element_and_selectors_find_none(bench: Bench) -> None:
    bench.arm("empty_tree")
    assert bench.xml().endswith('<hierarchy rotation="0" />') and bench.xml("stock").endswith("/>")
    assert windows(bench.phone, bench.injector) == ()
    bench.arm("empty_tree", path="stock")
    assert windows(bench.phone, bench.injector) and parts(bench.xml())


def test_a_tree_is_cut(bench: Bench) -> None:
    bench.arm("truncated_tree", share=0.5)
    with pytest.raises(ElementTree.ParseError):
        parts(bench.xml())


def test_a_stale_tree_is_the_one_dumped_before(bench: Bench) -> None:
    bench.arm("stale_tree", {"after_acts": 1, "next": 1})
    before = bench.xml()
    bench.hand().key(3)
    bench.open_settings()
    assert bench.xml() == before != bench.phone.dump()
    assert bench.xml() == bench.phone.dump()


def test_bounds_are_off_by_the_status_bar(bench: Bench) -> None:
    honest = [bounds(node) for node in parts(bench.phone.dump())]
    for px, down in ((0, 84), (-10, -10)):
        bench.arm("bounds_off", px=px)
        moved = [bounds(node) for node in parts(bench.xml())]
        assert moved == [[left, top + down, right, bottom + down] for left, top, right, bottom in honest]


def test_texts_are_missing(bench: Bench) -> None:
    bench.open_settings()
    bench.arm("missing_texts")
    assert not any(node.attrib["text"] or node.attrib["content-desc"] for node in parts(bench.xml()))
    bench.arm("missing_texts", share=0.5)
    texts = [node.attrib["text"] for node in parts(bench.xml())]
    assert "" in texts and any(texts)


def test_buttons_are_unlabelled(bench: Bench) -> None:
    bench.arm("missing_texts", of="buttons")
    nodes = parts(bench.xml())
    assert not any(node.attrib["content-desc"] for node in nodes if node.attrib["clickable"] == "true")
    assert any(node.attrib["text"] for node in nodes if node.attrib["clickable"] == "false")
    assert any(node.get("NAF") == "true" for node in nodes)


def test_ids_are_all_the_same(bench: Bench) -> None:
    bench.open_settings()
    bench.arm("duplicate_ids")
    ids = {node.attrib["resource-id"] for node in parts(bench.xml("stock"))}
    assert ids == {"", "com.android.settings:id/item"}


def test_the_tree_is_of_the_wrong_window(bench: Bench) -> None:
    bench.open_settings()
    bench.arm("wrong_window")
    for path in ("u2", "stock"):
        assert {node.attrib["package"] for node in parts(bench.xml(path))} == {"com.android.systemui"}


def test_roots_come_in_a_random_order(bench: Bench) -> None:
    bench.open_field()
    bench.arm("roots_shuffled")
    orders = {tuple(node.attrib["package"] for node in ElementTree.fromstring(bench.xml())) for _ in range(12)}
    assert len(orders) > 2 and len({tuple(sorted(order)) for order in orders}) == 1

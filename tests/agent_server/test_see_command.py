"""`tapwright see`: the marked picture of a screenshot, in the style that was asked for."""

from __future__ import annotations

from pathlib import Path

import pytest
import typer

from agent_server.cli.see import see
from agent_server.model_server.looking import tags_of
from device.frame import decode
from tests.policies.mm_navigator.pages import page

TREE = """<?xml version='1.0' encoding='UTF-8' standalone='yes' ?>
<hierarchy rotation="0"><node index="0" text="" class="android.widget.FrameLayout" package="org.example"
 content-desc="" clickable="false" enabled="true" visible-to-user="true" bounds="[0,0][1080,2400]"><node index="0"
 text="Display" class="android.widget.TextView" package="org.example" content-desc="" clickable="true" enabled="true"
 visible-to-user="true" bounds="[0,600][1080,800]"/></node></hierarchy>"""


@pytest.mark.parametrize("style", ["placed", "centre", "beside", "red", "none"])
def test_a_screenshot_is_marked_in_the_style_that_was_asked_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], style: str
) -> None:
    (tmp_path / "shot.png").write_bytes(page("Network").frame.data)
    (tmp_path / "tree.xml").write_text(TREE)
    target = tmp_path / "marks.jpg"
    see(tmp_path / "shot.png", None, tmp_path / "tree.xml", target, style=style)
    drawn = decode(target.read_bytes(), "image/jpeg")
    assert "Display" in capsys.readouterr().out
    tags = tags_of(drawn)
    assert bool(tags) == (style != "none")
    if style == "red":
        reddest = drawn[..., 0].astype(int) - drawn[..., 1:].max(axis=2)
        assert reddest.max() > 100


def test_an_unknown_style_lists_the_known_ones(tmp_path: Path) -> None:
    with pytest.raises(typer.BadParameter, match="placed, centre, beside, red, none"):
        see(tmp_path / "shot.png", style="blue")

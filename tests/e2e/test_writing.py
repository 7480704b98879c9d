"""What goes with a message and what is told of an answer, with the real starter, in a window of its own process."""

from __future__ import annotations

from pathlib import Path

from tests.e2e.window_user import report_of
from tests.e2e.writing_driver import CODE, KEPT_PROMPT, PDF_TEXT, QUESTION, THOUGHT


def test_files_presets_prompts_figures_finding_copying_and_thoughts_do_what_they_say(starter_home: Path) -> None:
    report = report_of("tests.e2e.writing_driver", starter_home)
    assert report["preset_words"] == "Short"
    assert report["presets"] == "Short"
    assert all(size.endswith(" tokens") for size in report["sizes"])
    assert report["pdf"] == PDF_TEXT
    assert report["code"] == CODE.strip()
    assert report["params"] == [0.25, 24]
    assert "File paper.pdf:" in report["sent"]
    assert "File one.py:" in report["sent"]
    assert report["sent"].endswith(QUESTION)
    for words in (
        "System prompt of the model, as you gave none:",
        "with what the model adds: 0 tokens",
        "Kept free for the reply, at the least: 24 tokens",
        "Limit of a chat:",
    ):
        assert words in report["gauge_before"]
    assert "What you are writing: 0 tokens" in report["gauge_after"]
    figures, details = report["figures"]
    assert [part in figures for part in (" tok/s", "first token ", " tokens", " cached")] == [True] * 4
    assert [part in details for part in ("seed ", "reading ")] == [True] * 2
    assert report["prompt"] == KEPT_PROMPT
    assert report["prompt_is_gone"]
    assert report["prompt_is_back"]
    # Which of them is the first in sight depends on the font.
    assert report["places"] in (["1 of 2", "2 of 2"] * 2, ["2 of 2", "1 of 2"] * 2)
    assert report["focus_is_back"]
    assert report["copied"] == "And which fruit is yours?"
    assert report["copied_text"]
    assert report["undone"]
    assert report["thoughts"] == ["Thought", [False, True, False], THOUGHT]

"""Stop strings in streamed text: what may be shown, what must wait, and where the answer ends.

Knows nothing of tokens: in which pieces the text comes changes nothing.
"""

from __future__ import annotations

from collections.abc import Sequence


class StopMatcher:
    """Lets text through once it can no longer be the beginning of a stop string.

    The stop string that is complete first ends the text; of several complete at once, the longest.
    """

    def __init__(self, stops: Sequence[str]) -> None:
        self._stops = tuple(stops)
        self._held = ""
        self.has_matched = False

    def add(self, text: str) -> str:
        """The text that may be shown now. After a match that is everything before the stop string, and then nothing."""
        if self.has_matched:
            return ""
        text = self._held + text
        found = [(start + len(stop), start) for stop in self._stops if (start := text.find(stop)) >= 0]
        if found:
            self.has_matched, self._held = True, ""
            _, start = min(found)
            return text[:start]
        keep = self._num_suspect(text)
        self._held = text[len(text) - keep :]
        return text[: len(text) - keep]

    def finish(self) -> str:
        """What was held back, now that no more text comes."""
        held, self._held = self._held, ""
        return held

    def _num_suspect(self, text: str) -> int:
        """Length of the longest end of `text` with which some stop string begins."""
        longest = max((len(stop) for stop in self._stops), default=1) - 1
        for size in range(min(longest, len(text)), 0, -1):
            if any(stop.startswith(text[-size:]) for stop in self._stops):
                return size
        return 0

"""Owns the words for a job's progress, and the rate and remaining time that they need.

Knows neither widgets nor where the progress comes from.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

from app.engine_words.recognition import in_window_words
from app.i18n import translate
from app.models.job_ids import converted_path, is_download
from app.widgets.units import done_of_total, duration, file_size
from engine.messages import JobProgress

_WINDOW_S = 5.0
_MIN_SPAN_S = 0.5
"""A shorter time says little of the rate."""
_DOWNLOAD_SHARE = 0.7
"""Of the bar of a model that is fetched and then converted."""
_CONVERSION = {"verify": (0.0, 0.05), "convert": (0.05, 0.6), "measure": (0.65, 0.3), "written": (0.95, 0.05)}
"""Where each stage of a conversion begins, and how much of it it takes, about; `verify` is of what is converted."""


class JobText:
    """Feed it one job's progress; it keeps the last seconds to tell the rate. `now_s` is a monotonic clock."""

    def __init__(self, now_s: Callable[[], float]) -> None:
        self._now_s = now_s
        self._stage = ""
        self._seen: set[str] = set()
        self._samples: deque[tuple[float, int]] = deque()
        self.last = ""
        """What was said last, "" before the first progress."""
        self.share = 0.0
        """How much of the job was done then, from 0 to 1, all its stages together."""

    def describe(self, progress: JobProgress) -> str:
        """`last`, brought up to date."""
        self._seen.add(progress.stage)
        self.last = self._describe(progress)
        share = progress.done / progress.total if progress.total > 0 else 0.0
        start, width = self._part(progress)
        share = start + width * share
        # What an earlier run has done, and what is left out, is passed at once. Only a download can begin again.
        self.share = share if progress.stage == "download" else max(self.share, share)
        return self.last

    def _part(self, progress: JobProgress) -> tuple[float, float]:
        """Where the bar stands as the stage begins, and how much of it the stage takes, about."""
        is_fetch = is_download(progress.job_id)
        if is_fetch and progress.stage == "verify" and not self._seen & {"download", "convert"}:
            # What an earlier run has fetched is read through, before the rest comes.
            return 0.0, 0.0
        if progress.stage == "download":
            return 0.0, _DOWNLOAD_SHARE
        if not is_fetch and converted_path(progress.job_id) is None:
            return 0.0, 1.0
        starts_at = _DOWNLOAD_SHARE if is_fetch else 0.0
        start, width = _CONVERSION[
            "written" if progress.stage == "verify" and "convert" in self._seen else progress.stage
        ]
        return starts_at + (1 - starts_at) * start, (1 - starts_at) * width

    def _describe(self, progress: JobProgress) -> str:
        """What is done, and what is left where it is known; or why the job waits.

        `Download 1.2 of 1.8 GB · 22 MB/s · 27 s left`, `Convert layer 14 of 36 · about 4 min left`, `Verify`.
        """
        if progress.waits_for is not None:
            return in_window_words(progress.waits_for)
        if progress.stage in ("convert", "measure"):
            return self._describe_layers(progress)
        if progress.stage == "verify":
            return self._verify_words(progress)
        is_move = progress.stage == "move"
        words = translate("app", "Move {amount}") if is_move else translate("app", "Download {amount}")
        text = words.format(amount=done_of_total(progress.done, progress.total))
        rate = self._rate(progress)
        if rate is None:
            return text
        left = translate("app", "{time} left").format(time=duration((progress.total - progress.done) / rate))
        return f"{text} · {file_size(round(rate))}/s · {left}"

    def _verify_words(self, progress: JobProgress) -> str:
        """Which bytes are read through."""
        if "convert" in self._seen:
            return translate("app", "Check what was written")
        if "download" in self._seen:
            return translate("app", "Check the download")
        is_source = converted_path(progress.job_id) is not None
        return translate("app", "Read the file") if is_source else translate("app", "Verify")

    def _describe_layers(self, progress: JobProgress) -> str:
        is_conversion = progress.stage == "convert"
        words = (
            translate("app", "Convert layer {done} of {total}")
            if is_conversion
            else translate("app", "Compare with the source, layer {done} of {total}")
        )
        text = words.format(done=progress.done, total=progress.total)
        left_s, rate = progress.left_s, self._rate(progress)
        if left_s is None and rate is not None:
            left_s = (progress.total - progress.done) / rate
        if not left_s:
            return text
        return f"{text} · {translate('app', 'about {time} left').format(time=duration(left_s))}"

    def _rate(self, progress: JobProgress) -> float | None:
        """Bytes per second over the last seconds; None while too little is known, or nothing comes."""
        now_s = self._now_s()
        if progress.stage != self._stage or (self._samples and progress.done < self._samples[-1][1]):
            # Another stage, or a new start.
            self._stage = progress.stage
            self._samples.clear()
        self._samples.append((now_s, progress.done))
        while len(self._samples) > 2 and now_s - self._samples[0][0] > _WINDOW_S:
            self._samples.popleft()
        first_s, first = self._samples[0]
        if now_s - first_s < _MIN_SPAN_S or progress.done == first:
            return None
        return (progress.done - first) / (now_s - first_s)

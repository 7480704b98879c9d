"""The pictures of the models: those that are here, the search, verdicts of machines large and small, jobs, and errors.

Knows nothing of chats. Nothing is fetched but from the small hub on this computer.
"""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

from PySide6.QtWidgets import QScrollArea

from app.main_window import MainWindow
from app.models.fit import fit_of_download
from app.models.fit_verdict import fit_in
from app.models.host import Host
from app.models.hub_card import HubCard
from app.models.hub_search import ResultRow
from app.state import options
from docs.camera import Camera
from docs.paper_model import write_paper_model
from engine.errors import StorageError
from engine.messages import JobFinished, ModelChoice, RepositoryFacts
from engine.store.files import require_free_space
from tests.engine.hub.hub_server import HubServer, Stall, Status, Wrong

_SMALL_MACHINE_BYTES = 4 << 30
_CHAT_FILE, _STORY_FILE = "Small-Chat-106M-Q4_0.gguf", "Small-Story-106M-Q4_0.gguf"
_PART_BYTES = 5_000_000
"""Of the download, before each connection stalls."""
_MANY = 64
"""As often as nothing gets through."""


class ModelScenes:
    """`home` is the window's data folder, in which there is a model already."""

    def __init__(self, window: MainWindow, home: Path, hub: HubServer, camera: Camera) -> None:
        self._window = window
        self._page = window.model_page
        self._home = home
        self._hub = hub
        self._camera = camera

    async def show(self) -> None:
        window, page, camera = self._window, self._page, self._camera
        window.show_models()
        await camera.save_at_rest("models", window)
        await self._show_damaged()
        page.show_get()
        await camera.save_at_rest("fits", window)
        await self._show_fit_of("Qwen2.5 1.5B")
        await self._show_small_machine()
        self._fill_hub()
        await self._show_search()
        await self._show_import()
        await self._end_jobs()

    async def _show_fit_of(self, title: str) -> None:
        """A card opened, with what the hub would answer for it."""
        card = self._offer(title)
        card.show_facts(_facts_of(card))
        card.open_button.setChecked(True)
        await self._camera.pause()
        self._page.scroll_to(card, card.body.quality)
        await self._camera.save_at_rest("fit_details", self._window)
        card.open_button.setChecked(False)

    async def _show_small_machine(self) -> None:
        """The verdicts of a machine with less memory: not all models fit it."""
        host = self._page.get._read_host()
        self._show_verdicts(replace(host, memory_free_bytes=_SMALL_MACHINE_BYTES))
        await self._camera.pause()
        last = self._page.get.hub_cards[-1]
        self._page.scroll_to(last, last)
        await self._camera.save_at_rest("does_not_fit", self._window)
        self._show_verdicts(host)

    def _show_verdicts(self, host: Host) -> None:
        for card in self._page.get.hub_cards:
            assert card.offer.spec is not None, card.offer.title
            fit = fit_in(card.offer.spec, "balanced", host)
            card.verdict.show_fit(fit_of_download(fit, card.offer.download_bytes, host.disk_free_bytes))

    def _fill_hub(self) -> None:
        """Only now, so that the usual hub is named until it is asked."""
        data = write_paper_model(self._home / "source.gguf").read_bytes()
        self._hub.add("maker/Small-Chat-106M-GGUF", {_CHAT_FILE: data})
        self._hub.add("maker/Small-Story-106M-GGUF", {_STORY_FILE: data})
        self._window.settings.set(options.HUB_ENDPOINT, self._hub.url)

    async def _show_search(self) -> None:
        window, search, camera = self._window, self._page.get.search, self._camera
        self._scroll_to_top()
        self._hub.api_faults.extend([Status(503)] * 8)
        search.field.setText("Small")
        search.field.returnPressed.emit()
        await camera.wait(lambda: bool(search.error.text()))
        await camera.save_at_rest("error_search", window)
        self._hub.api_faults.clear()
        search.field.returnPressed.emit()
        await camera.wait(lambda: bool(search.rows))
        for row in list(search.rows):
            assert isinstance(row, ResultRow), row
            if "Chat" in row.button.accessibleName():
                row.button.click()
        await camera.wait(lambda: bool(search.cards()))
        # The header of the file is read first.
        await camera.wait(search.cards()[0].body.quality.verdict.isVisible)
        await camera.save_at_rest("model_search", window)
        await self._show_jobs(search.cards()[0])

    async def _show_jobs(self, card: HubCard) -> None:
        window, page, camera = self._window, self._page, self._camera
        self._hub.faults[_CHAT_FILE].extend([Stall(_PART_BYTES)] * _MANY)
        card.get_button.click()
        await camera.wait(lambda: bool(page.jobs.rows))
        running = next(iter(page.jobs.rows.values()))
        await camera.wait(lambda: "·" in running.strip.text())
        self._scroll_to_top()
        await camera.save_at_rest("jobs", window)
        for row in page.get.search.rows:
            if isinstance(row, ResultRow):
                row.button.click()
        other = next(one for one in page.get.search.cards() if one is not card)
        await camera.wait(other.body.quality.verdict.isVisible)
        self._hub.faults[_STORY_FILE].extend([Wrong()] * _MANY)
        other.get_button.click()
        await camera.wait(lambda: any(row.strip.error_text() for row in page.jobs.rows.values()))
        failed_id = next(job_id for job_id, row in page.jobs.rows.items() if row.strip.error_text())
        page.jobs.rows[failed_id].show_button.click()
        await camera.save_at_rest("error_download", window)
        try:
            require_free_space(self._home, 2 * page.get._read_host().disk_free_bytes)
        except StorageError as error:
            window.models.client.job_finished.emit(JobFinished(failed_id, None, error.code, str(error)))
        await camera.save_at_rest("error_disk", window)

    def _scroll_to_top(self) -> None:
        area = self._page.findChild(QScrollArea)
        assert area is not None, "the page does not scroll"
        area.verticalScrollBar().setValue(0)

    async def _end_jobs(self) -> None:
        """What does not come to its end would be told in every picture that follows."""
        for row in list(self._page.jobs.rows.values()):
            row.strip.cancel_button.click()
        await self._camera.wait(lambda: not self._page.jobs.rows)

    async def _show_import(self) -> None:
        page = self._page
        broken = self._home / "broken.gguf"
        broken.write_bytes((self._home / "source.gguf").read_bytes()[:_PART_BYTES])
        self._window.models.take_in(str(broken))
        await self._camera.wait(lambda: bool(page.import_card.strip.error_text()) or page.import_card.strip.isHidden())
        await self._camera.save_at_rest("error", self._window)

    async def _show_damaged(self) -> None:
        models = self._home / "models"
        whole = next(folder for folder in models.iterdir() if folder.is_dir())
        damaged = models / "letters-1b"
        shutil.copytree(whole, damaged)
        manifest = damaged / "manifest.json"
        text = manifest.read_text(encoding="utf-8").replace(whole.name, damaged.name)
        loaded = self._window.models.loaded
        assert loaded is not None, "no model is loaded"
        manifest.write_text(text.replace(loaded.name, "Letters 1B"), encoding="utf-8")
        weights = damaged / "embed.safetensors"
        weights.write_bytes(weights.read_bytes()[:1000])
        self._window.models.refresh()
        await self._camera.pause()
        await self._camera.wait(lambda: damaged.name in self._page.damaged.cards or self._has_card(damaged.name))
        await self._camera.save_at_rest("error_damaged", self._window)
        shutil.rmtree(damaged)
        self._window.models.refresh()

    def _has_card(self, model_id: str) -> bool:
        return self._page.card(model_id) is not None

    def _offer(self, title: str) -> HubCard:
        return next(card for card in self._page.get.hub_cards if card.offer.title == title)


def _facts_of(card: HubCard) -> RepositoryFacts:
    offer = card.offer
    choices = tuple(
        ModelChoice(label, "gguf", (f"{label}.gguf",), round(offer.download_bytes * part))
        for label, part in (("Q4_K_M", 1.0), ("Q8_0", 1.7))
    )
    return RepositoryFacts(
        offer.repo_id,
        "c" * 40,
        f"https://huggingface.co/{offer.repo_id}",
        "apache-2.0",
        None,
        True,
        (),
        "qwen2",
        None,
        (),
        choices,
        offer.spec,
    )

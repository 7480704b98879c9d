"""Owns the presets and the prompts that a person keeps.

Does not know those that come with the program, nor what is made of either.
"""

from __future__ import annotations

from app.state.database import Database
from app.state.parameters import ChatParameters, Preset, Prompt


class Presets:
    """Each call is one transaction. Every method raises `HistoryError`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def all(self) -> list[Preset]:
        """By name."""
        with self._database.reading() as db:
            rows = db.execute("SELECT name, system_prompt, parameters, id FROM presets ORDER BY name COLLATE NOCASE")
            return [
                Preset(name, system_prompt, ChatParameters.from_json(parameters), preset_id)
                for name, system_prompt, parameters, preset_id in rows
            ]

    def save(self, preset: Preset) -> None:
        """A new one, or another content or name of one that is there."""
        with self._database.writing() as db:
            db.execute(
                "INSERT OR REPLACE INTO presets (id, name, system_prompt, parameters) VALUES (?, ?, ?, ?)",
                (preset.id, preset.name, preset.system_prompt, preset.parameters.to_json()),
            )

    def remove(self, preset_id: str) -> None:
        """Chats that were made from it keep their copy."""
        with self._database.writing() as db:
            db.execute("DELETE FROM presets WHERE id = ?", (preset_id,))


class Prompts:
    """Each call is one transaction. Every method raises `HistoryError`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def all(self) -> list[Prompt]:
        """By name."""
        with self._database.reading() as db:
            return [
                Prompt(*row) for row in db.execute("SELECT name, text, id FROM prompts ORDER BY name COLLATE NOCASE")
            ]

    def save(self, prompt: Prompt) -> None:
        """A new one, or another content or name of one that is there."""
        with self._database.writing() as db:
            db.execute(
                "INSERT OR REPLACE INTO prompts (id, name, text) VALUES (?, ?, ?)",
                (prompt.id, prompt.name, prompt.text),
            )

    def remove(self, prompt_id: str) -> None:
        with self._database.writing() as db:
            db.execute("DELETE FROM prompts WHERE id = ?", (prompt_id,))

"""Owns the page of settings: its sections, and the search that leaves the rows that match.

Does not know what a setting is for.
"""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QHideEvent, QResizeEvent
from PySide6.QtWidgets import QFormLayout, QLabel, QPushButton, QWidget

from app.i18n import LanguageChoice, language_of, translate
from app.models.token_row import TokenRow
from app.preferences.about import About
from app.preferences.effective_words import (
    hub_words,
    kv_memory_words,
    kv_precision_words,
    language_words,
    theme_words,
)
from app.preferences.setting_row import SettingRow
from app.state.options import (
    ENGINE_SETTINGS,
    HUB_ENDPOINT,
    KV_BUDGET_MIB,
    KV_DTYPE,
    LANGUAGE,
    NUM_THREADS,
    SECTIONS,
    SETTINGS,
    THEME,
)
from app.state.setting import Setting
from app.state.settings import Settings
from app.theme import current_theme, theme_signals
from app.widgets.icon_field import IconField
from app.widgets.page import ClosablePage
from app.widgets.text_label import TextLabel
from engine.api import ModelSpec
from engine.messages import EngineStarted, ModelLoaded

_SPACING_PX = 16
_LABEL_SPACING_PX = 24
_MIN_CHARACTERS_BESIDE = 84
"""In a narrower page the labels stand above their fields."""


class SettingsPage(ClosablePage):
    """Every change holds at once, those of the engine from its next start on."""

    changed = Signal(object, object)
    """setting, value"""
    restart_requested = Signal()
    """Of the engine."""
    program_restart_requested = Signal()

    def __init__(self, settings: Settings, about: About, parent: QWidget | None = None) -> None:
        super().__init__(translate("app", "Settings"), parent)
        self.rows: dict[str, SettingRow] = {}
        self._sections: list[tuple[TextLabel, list[SettingRow | TokenRow]]] = []
        self.token_row = TokenRow()
        self._labels: list[QLabel] = []
        self._blanks: list[QLabel] = []
        # One form, so that the fields of all sections stand in one column.
        self._form = QFormLayout()
        self._form.setHorizontalSpacing(_LABEL_SPACING_PX)
        self._form.setVerticalSpacing(_SPACING_PX)
        self._form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        self._form.setLabelAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop)
        self.search = IconField()
        self.search.setPlaceholderText(translate("app", "Find a setting"))
        self.search.setAccessibleName(translate("app", "Find a setting"))
        self.search.textChanged.connect(self._find)
        self.column.addWidget(self.search)
        self.nothing_label = TextLabel(translate("app", "No setting has these words."), "muted")
        self.nothing_label.hide()
        self.column.addWidget(self.nothing_label)
        self.restart_button = QPushButton(translate("app", "Restart the engine"))
        self.restart_note = TextLabel(
            translate("app", "Changes in this section hold once the engine is restarted, which ends running answers."),
            "muted",
        )
        self.restart_button.clicked.connect(self.restart_requested)
        self._language = language_of(settings.get(LANGUAGE))
        """In which the window's words are."""
        self.program_restart_button = QPushButton(translate("app", "Restart now"))
        self.program_restart_button.setToolTip(translate("app", "Start DeepInfer again, with the same tabs"))
        self.program_restart_button.clicked.connect(self.program_restart_requested)
        self.column.addSpacing(_SPACING_PX)
        self.column.addLayout(self._form)
        for section, words in SECTIONS:
            self._add_section(section, translate("app", words), settings)
        self.rows[LANGUAGE.key].add_button(self.program_restart_button)
        self.about = about
        self.column.addSpacing(_SPACING_PX)
        self.column.addWidget(about)
        self.column.addStretch(1)
        self.setFocusProxy(self.search)
        self._settings = settings
        for setting in (LANGUAGE, THEME, HUB_ENDPOINT):
            self._show_effective(setting)
        theme_signals().theme_changed.connect(self._on_theme_changed)

    def show_value(self, setting: Setting[Any]) -> None:
        """Brings a row in line with a value that was changed elsewhere."""
        if (row := self.rows.get(setting.key)) is not None:
            row.show_value()
        self._show_effective(setting)
        if setting in ENGINE_SETTINGS:
            self._show_restart(True)

    def _on_changed(self, setting: Setting[Any], value: Any) -> None:
        self.changed.emit(setting, value)
        if setting is LANGUAGE:
            self._show_language(value)

    def _show_language(self, choice: LanguageChoice) -> None:
        is_other = language_of(choice) != self._language
        self.rows[LANGUAGE.key].show_button(self.program_restart_button, is_other)

    def _show_effective(self, setting: Setting[Any]) -> None:
        """What the setting comes to, as far as it can be told without the engine."""
        if setting is LANGUAGE:
            words = language_words(self._settings.get(LANGUAGE), self._language)
        elif setting is THEME:
            words = theme_words(self._settings.get(THEME), current_theme().is_dark)
        elif setting is HUB_ENDPOINT:
            words = hub_words(self._settings.get(HUB_ENDPOINT))
        else:
            return
        self.rows[setting.key].show_effective(words)

    def _on_theme_changed(self) -> None:
        self._wrap_rows()
        self._show_effective(THEME)

    def show_engine(self, engine: EngineStarted) -> None:
        """What the engine made of its settings."""
        words = translate("app", "%n thread(s) at the moment.", None, engine.num_threads)
        self.rows[NUM_THREADS.key].show_effective(words)
        self._show_restart(False)

    def show_model(self, model: ModelLoaded | None, spec: ModelSpec | None) -> None:
        """What the loaded model, whose numbers are `spec`, made of the settings; None if there is none."""
        self.rows[KV_BUDGET_MIB.key].show_effective(kv_memory_words(model))
        self.rows[KV_DTYPE.key].show_effective(kv_precision_words(model, spec))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._wrap_rows()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        for row in self.rows.values():
            row.flush()

    def _add_section(self, section: str, words: str, settings: Settings) -> None:
        heading = TextLabel(words, "heading")
        self._form.addRow(heading)
        rows: list[SettingRow | TokenRow] = []
        for setting in SETTINGS:
            if setting.section == section:
                row = SettingRow(setting, settings)
                row.changed.connect(self._on_changed)
                if isinstance(setting.default, bool):
                    # It has its words itself. Without a label the form would give the row another height.
                    blank = QLabel()
                    self._form.addRow(blank, row)
                    self._blanks.append(blank)
                else:
                    self._add_labelled(row)
                self.rows[setting.key] = row
                rows.append(row)
        if section == "models":
            self._add_labelled(self.token_row)
            rows.append(self.token_row)
        self._sections.append((heading, rows))
        if section == "engine":
            self._form.addRow(self.restart_note)
            self._form.addRow(self.restart_button)
            self._show_restart(False)

    def _add_labelled(self, row: SettingRow | TokenRow) -> None:
        label = QLabel(row.words)
        label.setProperty("kind", "field")
        label.setAlignment(Qt.AlignmentFlag.AlignTop)
        # Its padding would bring an indent, and it stands below the heading.
        label.setIndent(0)
        self._labels.append(label)
        self._form.addRow(label, row)

    def _wrap_rows(self) -> None:
        is_narrow = self.width() < self.fontMetrics().averageCharWidth() * _MIN_CHARACTERS_BESIDE
        policy = QFormLayout.RowWrapPolicy.WrapAllRows if is_narrow else QFormLayout.RowWrapPolicy.DontWrapRows
        self._form.setRowWrapPolicy(policy)
        for blank in self._blanks:
            # Above its row it would be a gap.
            blank.setVisible(not is_narrow)
        # What it tells stands below the fields.
        self.about.set_label_width(0 if is_narrow else max(label.sizeHint().width() for label in self._labels))

    def _show_restart(self, is_needed: bool) -> None:
        self.restart_note.setVisible(is_needed)
        self.restart_button.setVisible(is_needed)

    def show_setting(self, key: str) -> None:
        """Brings a setting into view, with the focus in its field."""
        self.search.clear()
        row = self.rows[key]
        self.scroll_to(row, row.field)
        row.field.setFocus()

    def _find(self, text: str) -> None:
        text = text.strip()
        num_found = 0
        for heading, rows in self._sections:
            section_matches = text.casefold() in heading.text().casefold()
            found = [row for row in rows if section_matches or row.has(text)]
            self._form.setRowVisible(heading, bool(found))
            for row in rows:
                self._form.setRowVisible(row, row in found)
            num_found += len(found)
        about_matches = self.about.has(text)
        self.about.setVisible(about_matches)
        self.nothing_label.setVisible(not num_found and not about_matches)

"""Owns the words for what settings come to at the moment, where the choice alone does not say it.

Knows neither the page nor its rows. Empty where there is nothing to say.
"""

from __future__ import annotations

import os

from app.i18n import Language, LanguageChoice, translate
from app.state.options import LANGUAGE, THEME
from app.theme import ThemeName
from app.widgets.units import memory_size
from engine.api import ENDPOINT_VARIABLE, ModelSpec, hub_address
from engine.messages import ModelLoaded

_BITS_PER_BYTE = 8


def _now(value: str) -> str:
    return translate("app", "{value} at the moment.").format(value=value)


def theme_words(choice: ThemeName, is_dark: bool) -> str:
    """Which of its two the system wants."""
    name = "dark" if is_dark else "light"
    return _now(translate("app", dict(THEME.choices)[name])) if choice == "system" else ""


def language_words(choice: LanguageChoice, spoken: Language) -> str:
    return _now(dict(LANGUAGE.choices)[spoken]) if choice == "system" else ""


def hub_words(endpoint: str) -> str:
    """Where a hub is asked that was not chosen here, and who says so."""
    if endpoint:
        return ""
    if os.environ.get(ENDPOINT_VARIABLE, "").strip():
        words = translate("app", "{value} at the moment, from the environment variable {variable}.")
        return words.format(value=hub_address(), variable=ENDPOINT_VARIABLE)
    return _now(hub_address())


def kv_memory_words(model: ModelLoaded | None) -> str:
    """What the loaded model's chats share."""
    if model is None:
        return ""
    return _now(memory_size(model.num_blocks * model.block_size * model.kv_bytes_per_token))


def kv_precision_words(model: ModelLoaded | None, spec: ModelSpec | None) -> str:
    """Of the loaded model, whose numbers `spec` has."""
    if model is None or spec is None:
        return ""
    if model.kv_bytes_per_token == model.eight_bit_kv_bytes_per_token:
        bits = _BITS_PER_BYTE
    else:
        bits = _BITS_PER_BYTE * model.kv_bytes_per_token // spec.kv_bytes_per_token(1)
    return _now(translate("app", "%n bit(s)", None, bits))

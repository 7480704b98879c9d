"""Owns the words for a model that is being loaded.

Knows nothing of widgets.
"""

from __future__ import annotations

from app.i18n import translate
from engine.messages import ModelLoadProgress


def load_text(progress: ModelLoadProgress) -> str:
    """`Load layer 12 of 30`."""
    words = translate("app", "Load layer {done} of {total}")
    return words.format(done=progress.num_layers_loaded, total=progress.num_layers)

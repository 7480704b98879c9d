"""Owns the words for a model that is being loaded.

Knows nothing of widgets.
"""

from __future__ import annotations

from engine.messages import ModelLoadProgress


def load_text(progress: ModelLoadProgress) -> str:
    """`Load layer 12 of 30`."""
    return f"Load layer {progress.num_layers_loaded} of {progress.num_layers}"

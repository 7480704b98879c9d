"""Owns the presets that come with the program, and what a chat takes from one.

Does not know where a person's own presets are kept.
"""

from __future__ import annotations

from app.i18n import translate
from app.state.parameters import ChatParameters, Preset
from app.state.session import Session

_BUILT_IN = "built-in:"


def built_in_presets() -> list[Preset]:
    return [
        Preset(translate("app", "Standard"), id=f"{_BUILT_IN}standard"),
        Preset(translate("app", "Precise"), "", ChatParameters(temperature=0.2, top_p=0.9), id=f"{_BUILT_IN}precise"),
        Preset(
            translate("app", "Inventive"), "", ChatParameters(temperature=1.1, min_p=0.05), id=f"{_BUILT_IN}inventive"
        ),
        Preset(
            translate("app", "Code"),
            "You are an experienced programmer. Answer with short explanations and complete, correct code.",
            ChatParameters(temperature=0.2),
            id=f"{_BUILT_IN}code",
        ),
    ]


def is_built_in(preset: Preset) -> bool:
    return preset.id.startswith(_BUILT_IN)


def apply_preset(session: Session, preset: Preset) -> None:
    """The chat keeps a copy: the preset may be changed or deleted later."""
    session.preset = preset
    session.system_prompt = preset.system_prompt
    session.parameters = preset.parameters


def is_changed(session: Session) -> bool:
    """Whether the chat no longer is as its preset has it. A model alone makes no difference, and without a preset
    the system prompt is that of the settings."""
    preset = session.preset
    own, its = session.parameters, ChatParameters() if preset is None else preset.parameters
    same = all(getattr(own, name) == getattr(its, name) for name in _NAMES)
    return not same or (preset is not None and session.system_prompt != preset.system_prompt)


_NAMES = ("temperature", "top_p", "top_k", "min_p", "repetition_penalty", "seed", "max_tokens", "stop")

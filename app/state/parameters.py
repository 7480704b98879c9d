"""Owns what a chat sets for itself beside its messages: how its answers are drawn, and the preset it was made from.

Does not know the settings, which fill what is left open here, nor the database, which keeps it as JSON.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any

from app.state.message import new_id
from engine.messages import SamplingParams


@dataclass(frozen=True, slots=True)
class ChatParameters:
    """None leaves the choice to the settings. The names are those of `SamplingParams`."""

    model_id: str | None = None
    temperature: float | None = None
    top_p: float | None = None
    top_k: int | None = None
    min_p: float | None = None
    repetition_penalty: float | None = None
    seed: int | None = None
    max_tokens: int | None = None
    stop: tuple[str, ...] | None = None

    def to_json(self) -> str:
        """Only what is set."""
        return json.dumps({name: value for name, value in asdict(self).items() if value is not None})

    def applied_to(self, params: SamplingParams) -> SamplingParams:
        """The parameters of an answer, with what is left open here from `params`."""
        chosen = {name: value for name, value in asdict(self).items() if value is not None and name != "model_id"}
        return replace(params, **chosen)

    @classmethod
    def from_json(cls, text: str) -> ChatParameters:
        """What a later version added is passed over."""
        return cls.from_dict(json.loads(text))

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> ChatParameters:
        known = {name: data[name] for name in (field.name for field in fields(cls)) if data.get(name) is not None}
        if "stop" in known:
            known["stop"] = tuple(known["stop"])
        return cls(**known)


@dataclass(frozen=True, slots=True)
class Preset:
    """A system prompt and parameters under a name. A chat keeps its own copy: a preset may change or go."""

    name: str
    system_prompt: str = ""
    parameters: ChatParameters = field(default_factory=ChatParameters)
    id: str = field(default_factory=new_id)

    def to_json(self) -> str:
        return json.dumps(
            {
                "id": self.id,
                "name": self.name,
                "system_prompt": self.system_prompt,
                "parameters": json.loads(self.parameters.to_json()),
            },
            ensure_ascii=False,
        )

    @classmethod
    def from_json(cls, text: str) -> Preset:
        data = json.loads(text)
        return cls(data["name"], data["system_prompt"], ChatParameters.from_dict(data["parameters"]), data["id"])


@dataclass(frozen=True, slots=True)
class Prompt:
    """A text of the prompt library, to be put into a message."""

    name: str
    text: str
    id: str = field(default_factory=new_id)

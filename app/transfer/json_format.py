"""Owns our own format of exported chats: JSON that holds each whole, with all versions of its messages.

    {"format": "deepinfer-chats", "version": 1, "chats": [{
        "id", "title", "system_prompt", "is_pinned", "created_at_s", "updated_at_s", "when_full",
        "folder": name or null, "parameters": {what is set},
        "preset": null or {"id", "name", "system_prompt", "parameters"},
        "leaf_id": the id of the newest message that is shown, or null,
        "messages": [in the order in which they were made {
            "id", "parent_id": of the message that it follows, or null, "role": "user" or "assistant", "text",
            "created_at_s", and where they are known "model_name", "end", "error", "error_code", "reasoning",
            "reasoning_s", "seed", "stats": {…}, "forgotten": {…},
            "attachments": [{"id", "name", "text", "num_tokens"}]}]}]}

Times are seconds since 1970. Read again it gives the same chats, but for what lies in the trash, which is not exported.
Does not know files.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, fields
from typing import Any, get_args

from app.i18n import translate
from app.state.archive import ChatCopy
from app.state.message import AnswerEnd, AnswerStats, Attachment, ForgottenTurns, Message, Role
from app.state.message_tree import MessageTree
from app.state.parameters import ChatParameters, Preset
from app.state.session import Session, restored_phase
from app.transfer.errors import TransferError
from app.transfer.fields import Fields
from engine.messages import WhenFull

FORMAT = "deepinfer-chats"
VERSION = 1
_OPTIONAL = ("model_name", "end", "error", "error_code", "reasoning_s", "seed")
_COUNTS = tuple(figure.name for figure in fields(AnswerStats) if figure.name.startswith("num_"))


def write_json(copies: Iterable[ChatCopy]) -> str:
    """The file's whole text."""
    return json.dumps(to_data(copies), ensure_ascii=False, indent=1) + "\n"


def to_data(copies: Iterable[ChatCopy], *, only_shown: bool = False) -> dict[str, Any]:
    """The object of the format; `only_shown` leaves the other versions out."""
    return {"format": FORMAT, "version": VERSION, "chats": [_chat_data(copy, only_shown) for copy in copies]}


def read_data(data: Any) -> list[ChatCopy]:
    """The chats of a parsed file. Raises `TransferError` for anything that the format does not allow."""
    whole = Fields(data, translate("app", "The export"))
    version = whole.whole("version")
    if version > VERSION:
        words = translate("app", "It was written by a newer DeepInfer (format {version}, known {known}).")
        raise TransferError(words.format(version=version, known=VERSION))
    return [_chat(fields) for fields in whole.objects("chats")]


def _chat_data(copy: ChatCopy, only_shown: bool) -> dict[str, Any]:
    session = copy.session
    messages = session.tree.everything()
    if only_shown:
        messages = session.messages
    return {
        "id": session.id,
        "title": session.title,
        "system_prompt": session.system_prompt,
        "is_pinned": session.is_pinned,
        "created_at_s": session.created_at_s,
        "updated_at_s": copy.updated_at_s,
        "when_full": session.when_full,
        "folder": copy.folder_name,
        "parameters": json.loads(session.parameters.to_json()),
        "preset": None if session.preset is None else json.loads(session.preset.to_json()),
        "leaf_id": session.messages[-1].id if session.messages else None,
        "messages": [message_data(message) for message in messages],
    }


def message_data(message: Message) -> dict[str, Any]:
    """The object of one message."""
    data: dict[str, Any] = {
        "id": message.id,
        "parent_id": message.parent_id,
        "role": message.role,
        "text": message.text,
        "created_at_s": message.created_at_s,
    }
    if message.reasoning:
        data["reasoning"] = message.reasoning
    data |= {name: value for name in _OPTIONAL if (value := getattr(message, name)) is not None}
    if message.stats is not None:
        data["stats"] = asdict(message.stats)
    if message.forgotten is not None:
        data["forgotten"] = asdict(message.forgotten)
    if message.attachments:
        data["attachments"] = [asdict(attachment) for attachment in message.attachments]
    return data


def _chat(chat: Fields) -> ChatCopy:
    messages = [_message(fields) for fields in chat.objects("messages")]
    _check_tree(messages, chat.place)
    tree = MessageTree.grown(messages, chat.optional_text("leaf_id"))
    preset = chat.data.get("preset")
    session = Session(
        id=chat.text("id"),
        title=chat.text("title"),
        system_prompt=chat.text("system_prompt"),
        is_pinned=chat.flag("is_pinned"),
        created_at_s=chat.number("created_at_s"),
        when_full=chat.one_of("when_full", get_args(WhenFull)),  # type: ignore[arg-type]
        parameters=_parameters(chat.object("parameters")),
        preset=None if preset is None else _preset(chat.object("preset")),
        messages=tree.path,
        aside=tree.aside,
        phase=restored_phase(tree.path),
    )
    return ChatCopy(session, chat.number("updated_at_s"), chat.optional_text("folder"))


def _check_tree(messages: Sequence[Message], place: str) -> None:
    """Each message follows one that stands before it: so nothing follows itself."""
    known: set[str] = set()
    for number, message in enumerate(messages, 1):
        if message.id in known:
            words = translate("app", "message {number} has the id of another").format(number=number)
            raise TransferError(f"{place}: {words}")
        if message.parent_id is not None and message.parent_id not in known:
            words = translate("app", "message {number} follows one that does not stand before it")
            raise TransferError(f"{place}: {words.format(number=number)}")
        known.add(message.id)


def _message(message: Fields) -> Message:
    stats = message.data.get("stats")
    forgotten = message.data.get("forgotten")
    end = message.data.get("end")
    return Message(
        role=message.one_of("role", get_args(Role)),  # type: ignore[arg-type]
        text=message.text("text"),
        model_name=message.optional_text("model_name"),
        end=None if end is None else message.one_of("end", get_args(AnswerEnd)),  # type: ignore[arg-type]
        error=message.optional_text("error"),
        error_code=message.optional_text("error_code"),
        stats=None if stats is None else _stats(message.object("stats")),
        id=message.text("id"),
        forgotten=None if forgotten is None else _forgotten(message.object("forgotten")),
        reasoning=message.optional_text("reasoning") or "",
        reasoning_s=message.optional_number("reasoning_s"),
        seed=message.optional_whole("seed"),
        attachments=tuple(
            Attachment(one.text("name"), one.text("text"), one.optional_whole("num_tokens"), one.text("id"))
            for one in (message.objects("attachments") if "attachments" in message.data else ())
        ),
        created_at_s=message.number("created_at_s"),
        parent_id=message.optional_text("parent_id"),
    )


def _stats(stats: Fields) -> AnswerStats:
    values = {
        figure.name: stats.optional_whole(figure.name) if figure.name in _COUNTS else stats.optional_number(figure.name)
        for figure in fields(AnswerStats)
    }
    for name in ("num_prompt_tokens", "num_cached_tokens", "num_completion_tokens"):
        stats.whole(name)
    return AnswerStats(**values)  # type: ignore[arg-type]  # the counts that must be there are checked above


def _forgotten(forgotten: Fields) -> ForgottenTurns:
    return ForgottenTurns(forgotten.whole("num_turns"), forgotten.whole("num_tokens"))


def _parameters(parameters: Fields) -> ChatParameters:
    stop = parameters.data.get("stop")
    if stop is not None and (not isinstance(stop, list) or not all(isinstance(one, str) for one in stop)):
        raise TransferError(f"{parameters.place}: {translate('app', '“stop” must be a list of texts')}")
    checked = {
        "model_id": parameters.optional_text("model_id"),
        **{name: parameters.optional_number(name) for name in ("temperature", "top_p", "min_p", "repetition_penalty")},
        **{name: parameters.optional_whole(name) for name in ("top_k", "seed", "max_tokens")},
        "stop": stop,
    }
    return ChatParameters.from_dict({**parameters.data, **checked})


def _preset(preset: Fields) -> Preset:
    return Preset(
        preset.text("name"), preset.text("system_prompt"), _parameters(preset.object("parameters")), preset.text("id")
    )

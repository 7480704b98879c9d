"""Owns the versions of a chat: which message follows which, and which of them are shown.

Does not know what the messages say. Messages that follow the same one are each other's versions: a question that was
edited, an answer that was asked for again. A deleted message keeps its place; what followed it follows the message
before it, until it is restored.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from app.state.message import Message


@dataclass(slots=True)
class MessageTree:
    """A chat's messages: the `path` from the first to the newest that is shown, and all others, `aside`.

    Changes the two lists that it is given in place. A message that was just appended to the path needs no
    `parent_id`: it follows the one before it.
    """

    path: list[Message]
    aside: list[Message]

    @classmethod
    def grown(cls, messages: Sequence[Message], leaf_id: str | None) -> MessageTree:
        """Of messages in the order in which they were made, the path to the leaf or else to the newest message."""
        tree = cls([], list(messages))
        living = [message for message in messages if message.deleted_at_s is None]
        leaf = next((message for message in living if message.id == leaf_id), living[-1] if living else None)
        if leaf is not None:
            tree._set_path(leaf)
        return tree

    def everything(self) -> list[Message]:
        """All messages, the deleted ones too, in the order in which they were made."""
        self.note_parents()
        return sorted([*self.path, *self.aside], key=lambda message: message.created_at_s)

    def versions(self, message: Message) -> list[Message]:
        """Those that follow the same message as this one, itself too, in the order in which they were made."""
        parents = self._parents()
        return [
            other
            for other in self.everything()
            if other.deleted_at_s is None and parents[other.id] == parents[message.id]
        ]

    def places(self) -> dict[str, tuple[int, int]]:
        """Of each shown message that has other versions, its id, its place among them from 1 on, and their number."""
        if not self.aside:
            return {}
        parents = self._parents()
        siblings: dict[str | None, list[str]] = {}
        for other in self.everything():
            if other.deleted_at_s is None:
                siblings.setdefault(parents[other.id], []).append(other.id)
        places = {}
        for message in self.path:
            versions = siblings[parents[message.id]]
            if len(versions) > 1:
                places[message.id] = (versions.index(message.id) + 1, len(versions))
        return places

    def show(self, message: Message) -> None:
        """Leads the path through this message, and from there along the newest versions."""
        parents = self._parents()
        newest = {parents[other.id]: other for other in self.everything() if other.deleted_at_s is None}
        leaf = message
        while leaf.id in newest:
            leaf = newest[leaf.id]
        self._set_path(leaf)

    def cut(self, index: int) -> None:
        """Sets the path aside from this index on: what is appended next is a version of the message that stood there.

        To make a version of a message whose forerunner was deleted, give the new one its `parent_id`.
        """
        self.note_parents()
        self.aside.extend(self.path[index:])
        del self.path[index:]

    def delete(self, messages: Sequence[Message], at_s: float) -> None:
        """Takes these out of what is shown; what follows them stays.

        If nothing does, the version next to the first of them is shown, and what follows that.
        """
        versions = self.versions(messages[0])
        is_end = any(message is self.path[-1] for message in messages)
        for message in messages:
            message.deleted_at_s = at_s
        self.aside.extend(message for message in self.path if message.deleted_at_s is not None)
        self.path[:] = [message for message in self.path if message.deleted_at_s is None]
        place = next(index for index, version in enumerate(versions) if version is messages[0])
        others = [*versions[place + 1 :], *reversed(versions[:place])]
        if is_end and others:
            self.show(others[0])

    def restore(self, messages: Sequence[Message]) -> None:
        """Puts deleted messages back, and shows the last of them, with what followed it if that is still shown."""
        for message in messages:
            message.deleted_at_s = None
        if self.path and messages[-1] in self._ancestors(self.path[-1]):
            self._set_path(self.path[-1])
        else:
            self.show(messages[-1])

    def forget_deleted(self) -> None:
        """The trash is being emptied: what follows a deleted message follows the one before it from now on."""
        parents = self._parents()
        for message in self.everything():
            message.parent_id = parents[message.id]
        self.aside[:] = [message for message in self.aside if message.deleted_at_s is None]

    def _set_path(self, leaf: Message) -> None:
        every = self.everything()
        path = [*self._ancestors(leaf)][::-1]
        shown = {message.id for message in path}
        self.path[:] = path
        self.aside[:] = [message for message in every if message.id not in shown]

    def _ancestors(self, message: Message) -> Iterator[Message]:
        """The message, the one that it follows, and so on to the first."""
        by_id = {other.id: other for other in self.everything()}
        parents = self._parents()
        at: str | None = message.id
        while at is not None:
            yield by_id[at]
            at = parents[at]

    def _parents(self) -> dict[str, str | None]:
        """Of each message the one that it follows, past those that are deleted."""
        by_id = {message.id: message for message in self.everything()}
        parents = {}
        for message in by_id.values():
            before = message.parent_id
            while before is not None and (before not in by_id or by_id[before].deleted_at_s is not None):
                before = by_id[before].parent_id if before in by_id else None
            parents[message.id] = before
        return parents

    def note_parents(self) -> None:
        """Gives each message that was appended to the path the one before it as its parent."""
        for before, message in zip(self.path, self.path[1:], strict=False):
            if message.parent_id is None:
                message.parent_id = before.id

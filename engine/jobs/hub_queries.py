"""Questions to the hub on threads of their own, answered as events. Knows nothing of jobs.

Imports what asks the hub only on such a thread.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from threading import Event as Flag
from threading import Thread

from engine.errors import EngineError
from engine.messages import Event, HubFailed, HubResults, InspectRepository, ReadHeader, SearchHub

_log = logging.getLogger(__name__)
Question = SearchHub | InspectRepository | ReadHeader
_FAULT = "Asking the hub broke by a fault of the program: the log has the details, try again"


class HubQueries:
    """Each question gets exactly one answer; `sink` is called on the questions' threads, the rest on the caller's."""

    def __init__(self, sink: Callable[[Sequence[Event]], None]) -> None:
        self._sink = sink
        self._stops: dict[str, Flag] = {}
        """Of the headers that were asked for last, by repository."""

    def ask(self, question: Question) -> None:
        """Returns at once. The thread ends by itself: every request has a time limit."""
        stop = Flag()
        if isinstance(question, ReadHeader):
            self.stop_reading(question.facts.repo_id)
            self._stops[question.facts.repo_id] = stop
        Thread(target=self._run, args=(question, stop), name="hub-query", daemon=True).start()

    def stop_reading(self, repo_id: str) -> None:
        """Give up the header of a repository's file."""
        if (stop := self._stops.pop(repo_id, None)) is not None:
            stop.set()

    def _run(self, question: Question, stop: Flag) -> None:
        try:
            event = answer(question, stop.is_set)
        except EngineError as error:
            event = HubFailed(_about(question), error.code, str(error))
        except Exception:
            # The whole of this thread: whatever broke, the client must not wait for an answer for ever.
            _log.exception("a question to the hub broke")
            event = HubFailed(_about(question), EngineError.code, _FAULT)
        self._sink([event])


def _about(question: Question) -> str:
    match question:
        case SearchHub(words):
            return words
        case InspectRepository(repo_id):
            return repo_id
        case ReadHeader(facts):
            return facts.repo_id


def answer(question: Question, is_cancelled: Callable[[], bool]) -> Event:
    """Ask here and now. Raises `EngineError`."""
    from engine.hub.client import HubClient
    from engine.hub.tokens import find_token
    from engine.jobs.hub_header import with_header
    from engine.jobs.hub_spec import with_spec

    client = HubClient(find_token(), endpoint=question.endpoint)
    match question:
        case SearchHub(words, limit):
            return HubResults(words, client.search(words, limit))
        case InspectRepository(repo_id, revision):
            return with_spec(client, client.inspect(repo_id, revision))
        case ReadHeader(facts, choice):
            return with_header(client, facts, choice, is_cancelled)

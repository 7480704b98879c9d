"""Questions to the hub on threads of their own, answered as events. Knows nothing of jobs.

Imports what asks the hub only on such a thread.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from threading import Thread

from engine.errors import EngineError
from engine.messages import Event, HubFailed, HubResults, InspectRepository, SearchHub

_log = logging.getLogger(__name__)
_FAULT = "Asking the hub broke by a fault of the program: the log has the details, try again"


class HubQueries:
    """Each question gets exactly one answer; `sink` is called on the questions' threads."""

    def __init__(self, sink: Callable[[Sequence[Event]], None]) -> None:
        self._sink = sink

    def ask(self, question: SearchHub | InspectRepository) -> None:
        """Returns at once. The thread ends by itself: every request has a time limit."""
        Thread(target=self._run, args=(question,), name="hub-query", daemon=True).start()

    def _run(self, question: SearchHub | InspectRepository) -> None:
        about = question.words if isinstance(question, SearchHub) else question.repo_id
        try:
            event = answer(question)
        except EngineError as error:
            event = HubFailed(about, error.code, str(error))
        except Exception:
            # The whole of this thread: whatever broke, the client must not wait for an answer for ever.
            _log.exception("a question to the hub broke")
            event = HubFailed(about, EngineError.code, _FAULT)
        self._sink([event])


def answer(question: SearchHub | InspectRepository) -> Event:
    """Ask here and now. Raises `EngineError`."""
    from engine.hub.client import HubClient
    from engine.hub.tokens import find_token
    from engine.jobs.hub_spec import with_spec

    client = HubClient(find_token(), endpoint=question.endpoint)
    match question:
        case SearchHub(words, limit):
            return HubResults(words, client.search(words, limit))
        case InspectRepository(repo_id, revision):
            return with_spec(client, client.inspect(repo_id, revision))

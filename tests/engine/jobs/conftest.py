"""The hub of tests/engine/hub, for the jobs that download from it."""

from tests.engine.hub.conftest import hub, keys

__all__ = ["hub", "keys"]

"""The hub of tests/engine/hub, for the commands that ask it."""

from tests.engine.hub.conftest import hub, keys

__all__ = ["hub", "keys"]

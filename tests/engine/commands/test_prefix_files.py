"""What the command line says of a saved prefix."""

from pathlib import Path

import pytest

from engine.commands.prefix_files import restore_prefix, save_prefix
from engine.messages import PrefixRefused, PrefixRestored, PrefixSaved, RestorePrefix, SavePrefix

PATH = Path("folder") / "file"


class Session:
    """Answers any command with one event."""

    def __init__(self, answer):
        self._answer = answer
        self.sent = []

    def send(self, command):
        self.sent.append(command)

    def events(self):
        yield self._answer


def test_refused_file_is_a_warning_alone(capsys):
    session = Session(PrefixRefused("0", str(PATH), "snapshot", "file is not used: it is damaged"))
    restore_prefix(session, PATH, "0")
    assert session.sent == [RestorePrefix("0", str(PATH))]
    assert capsys.readouterr().err == "warning: file is not used: it is damaged\n"


@pytest.mark.parametrize(("num_tokens", "said"), [(48, "note: 48 of 64 saved tokens fit the cache\n"), (64, "")])
def test_restoring_tells_what_did_not_fit(capsys, num_tokens, said):
    restore_prefix(Session(PrefixRestored("0", str(PATH), num_tokens, 64, 1)), PATH, "0")
    assert capsys.readouterr().err == said


def test_file_that_cannot_be_written_is_an_error():
    session = Session(PrefixRefused("0", str(PATH), "snapshot", "the disk is full"))
    assert save_prefix(session, PATH, "0") == ["the disk is full"]


def test_saving_waits_for_the_file(capsys):
    session = Session(PrefixSaved("0", str(PATH), 64, 1000))
    assert save_prefix(session, PATH, "0") == []
    assert session.sent == [SavePrefix("0", str(PATH))]
    assert capsys.readouterr().err == ""

"""Neighbours of one role become one message."""

from engine.messages import ChatMessage
from engine.text.alternation import join_alike


def test_neighbours_of_one_role_are_joined_and_others_stay():
    system, hello = ChatMessage("system", "be brief"), ChatMessage("assistant", "hello")
    one, two, three = (ChatMessage("user", text) for text in ("one", "two", "three"))
    assert join_alike([system, one, two, hello, three]) == [system, ChatMessage("user", "one\n\ntwo"), hello, three]
    assert join_alike([]) == []

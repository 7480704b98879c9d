"""Two texts to continue: one repeats itself, so that what comes next stands in it already, the other does not."""

from __future__ import annotations

_VERSE = (
    "The miller wakes before the sun and walks along the river bend. He lifts the gate, the wheel begins, and flour "
    "falls till daylight's end. His daughter counts the sacks by twos and ties each one with yellow string, then loads "
    "the cart and feeds the mule, while blackbirds on the sluice post sing.\n\n"
)

REPEATING = 3 * _VERSE + _VERSE[:60]
"""The fourth time has begun, so a model goes on as before."""

PLAIN = (
    "In the spring of that year the council sent two surveyors to the northern valley, which no map had ever shown. "
    "They carried a chain, a compass and food for nine days. On the first evening they made camp beside a stream, and "
    "the older of the two wrote in his notebook what he thought of the weather, the mules, and his companion:"
)

"""Bytes and JSON values that are slightly, or wildly, not what they were. Knows nothing of what reads them."""

from __future__ import annotations

import copy
from random import Random
from typing import Any

_SIZES = (0, 1, 2, 31, 2**16, 2**31 - 1, 2**31, 2**32 - 1, 2**40, 2**62, 2**63 - 1, 2**63, 2**64 - 1)
_NAMES = (
    "../../evil",
    "..",
    "/tmp/evil",
    "C:\\evil",
    "\\\\host\\evil",
    "a/../../evil",
    "con",
    "x\0y",
    "",
    ".",
    "~",
    "ü模",
)
_TEXTS = (*_NAMES, "a" * 5000, "\ud800", "{{ x }}", "%s", "\n", "\u202e", "NaN", "null")
_NUMBERS = (*_SIZES, -1, -(2**63), 0.5, -0.0, 1e308, 1e-320, float("inf"), float("nan"), 2**200)


def changed_bytes(random: Random, data: bytes, header_bytes: int | None = None) -> bytes:
    """One to five changes; most of them in the first `header_bytes`, where sizes and names are."""
    changed = bytearray(data)
    for _ in range(random.randint(1, 5)):
        if not changed:
            break
        end = len(changed) if header_bytes is None or random.random() < 0.2 else min(header_bytes, len(changed))
        _change(random, changed, random.randrange(end))
    return bytes(changed)


def _change(random: Random, data: bytearray, at: int) -> None:
    length = random.choice((1, 2, 4, 8, 64, 1000))
    match random.randrange(8):
        case 0:
            data[at] ^= 1 << random.randrange(8)
        case 1:
            data[at] = random.randrange(256)
        case 2:
            data[at : at + 8] = random.choice(_SIZES).to_bytes(8, "little")
        case 3:
            data[at : at + 4] = (random.choice(_SIZES) % 2**32).to_bytes(4, "little")
        case 4:
            del data[at:]
        case 5:
            del data[at : at + length]
        case 6:
            data[at:at] = data[at : at + length]
        case _:
            data[at:at] = random.randbytes(length)


def changed_json(random: Random, value: Any) -> Any:
    """A copy in which one to four places are replaced, removed, doubled or put elsewhere."""
    value = copy.deepcopy(value)
    for _ in range(random.randint(1, 4)):
        parents = list(_containers(value))
        if not parents:
            return any_json(random)
        _change_in(random, random.choice(parents))
    return value


def any_json(random: Random, depth: int = 0) -> Any:
    kind = random.randrange(8 if depth < 3 else 6)
    match kind:
        case 0:
            return random.choice((None, True, False))
        case 1 | 2:
            return random.choice(_NUMBERS)
        case 3 | 4:
            return random.choice(_TEXTS)
        case 5:
            return "".join(map(chr, random.choices(range(32, 0x2000), k=random.randrange(12))))
        case 6:
            return [any_json(random, depth + 1) for _ in range(random.randrange(4))]
        case _:
            return {str(any_json(random, 3)): any_json(random, depth + 1) for _ in range(random.randrange(4))}


def nested(depth: int) -> str:
    """JSON text that a reader which calls itself cannot follow."""
    return "[" * depth + "]" * depth


def _containers(value: Any) -> Any:
    if isinstance(value, dict | list):
        if value:
            yield value
        for inner in value.values() if isinstance(value, dict) else value:
            yield from _containers(inner)


def _change_in(random: Random, parent: Any) -> None:
    key = random.choice(list(parent)) if isinstance(parent, dict) else random.randrange(len(parent))
    match random.randrange(6):
        case 0:
            del parent[key]
        case 1 if isinstance(parent, dict):
            parent[random.choice(_NAMES)] = parent.pop(key)
        case 2:
            # Another value of the same place: right in its type, wrong in its meaning.
            values = list(parent.values()) if isinstance(parent, dict) else parent
            parent[key] = copy.deepcopy(random.choice(values))
        case 3 if isinstance(parent, list):
            parent.insert(key, copy.deepcopy(parent[key]))
        case 4 if isinstance(parent[key], int) and not isinstance(parent[key], bool):
            parent[key] += random.choice((-1, 1, 2**31))
        case _:
            parent[key] = any_json(random)

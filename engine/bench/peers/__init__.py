"""Other engines as sides of the benchmark, one program each, run in virtual environments of their own."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal


@dataclass(frozen=True, slots=True)
class Peer:
    """`model` is what it reads: the GGUF file our model was converted from, or a folder it was exported to.

    Of several `variants`, which are further options, the fastest one on this machine is compared.
    """

    name: str
    module: str
    model: Literal["gguf", "export"]
    needs: str
    variants: tuple[dict[str, Any], ...] = field(default=({},))


PEERS = (
    Peer("llama.cpp", "engine.bench.peers.llama_cpp", "gguf", "llama-cpp-python"),
    Peer(
        "transformers",
        "engine.bench.peers.transformers",
        "gguf",
        "transformers, torch, gguf and accelerate",
        ({"dtype": "float32"}, {"dtype": "bfloat16"}),
    ),
    Peer("openvino", "engine.bench.peers.openvino", "export", "openvino-genai"),
)

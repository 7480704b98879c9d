"""Every way of scaling the rotary embedding against transformers' own functions, over the numbers of real models."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from transformers import LlamaConfig
from transformers.modeling_rope_utils import ROPE_INIT_FUNCTIONS

from engine.models.adapters import spec_from_config
from engine.models.decoder import position_table, rope_table
from engine.models.rope_config import KINDS
from engine.rope_spec import RopeSpec

HEAD_DIM = 64
CONTEXT = 8192
SCALINGS: dict[str, dict[str, Any]] = {
    "default": {},
    "linear": {"factor": 4.0},
    "dynamic": {"factor": 2.0},
    "llama3": {
        "factor": 8.0,
        "low_freq_factor": 1.0,
        "high_freq_factor": 4.0,
        "original_max_position_embeddings": 2048,
    },
    "yarn": {"factor": 4.0, "original_max_position_embeddings": 2048},
    "yarn with scales": {
        "factor": 40.0,
        "original_max_position_embeddings": 4096,
        "mscale": 0.707,
        "mscale_all_dim": 1.2,
        "beta_fast": 24,
        "beta_slow": 2,
    },
    "yarn with a factor of its own": {
        "factor": 4.0,
        "original_max_position_embeddings": 2048,
        "attention_factor": 1.25,
        "truncate": False,
    },
    "longrope": {
        "short_factor": [1.0 + 0.01 * index for index in range(HEAD_DIM // 2)],
        "long_factor": [1.0 + index for index in range(HEAD_DIM // 2)],
        "original_max_position_embeddings": 1024,
    },
}


def test_every_type_is_compared() -> None:
    assert {name.split(" ")[0] for name in SCALINGS} == set(KINDS)


@pytest.mark.parametrize("is_long", [False, True])
@pytest.mark.parametrize("name", SCALINGS)
def test_frequencies_are_those_of_transformers(name: str, is_long: bool) -> None:
    kind = name.split(" ")[0]
    parameters = {"rope_type": kind, "rope_theta": 5e5, **SCALINGS[name]}
    config = LlamaConfig(
        hidden_size=4 * HEAD_DIM,
        num_attention_heads=4,
        num_hidden_layers=1,
        max_position_embeddings=CONTEXT,
        rope_parameters=parameters,
    )
    spec = spec_from_config({**config.to_dict(), "architectures": ["LlamaForCausalLM"]})
    if kind == "default":
        inverse, attention = 1 / 5e5 ** (torch.arange(0, HEAD_DIM, 2).double() / HEAD_DIM), 1.0
    else:
        length = spec.max_context if is_long else 100
        inverse, attention = ROPE_INIT_FUNCTIONS[kind](config, torch.device("cpu"), seq_len=length)
    positions = torch.tensor([0, 1, 2, 17, 999])
    angles = positions.unsqueeze(1) * inverse.double()
    wanted = torch.stack([angles.cos(), angles.sin()], dim=1).float() * attention
    table = rope_table(spec.rope, HEAD_DIM, 1000, is_long)
    torch.testing.assert_close(torch.from_numpy(table)[positions], wanted, atol=2e-4, rtol=0)


def test_rows_of_long_requests_lie_behind_those_of_short_ones() -> None:
    scaling = {"rope_type": "longrope", "rope_theta": 1e4, **SCALINGS["longrope"]}
    spec = spec_from_config(
        {
            "architectures": ["Phi3ForCausalLM"],
            "hidden_size": 4 * HEAD_DIM,
            "num_attention_heads": 4,
            "num_hidden_layers": 1,
            "intermediate_size": 64,
            "vocab_size": 100,
            "max_position_embeddings": 2000,
            "rope_parameters": scaling,
        }
    )
    table, rope = position_table(spec, spec.rope), spec.rope
    assert len(table) == 1024 + 2000
    assert (rope.offset(1024), rope.offset(1025)) == (0, 1024)
    assert np.array_equal(table[700], rope_table(rope, HEAD_DIM, 1000)[700])
    assert np.array_equal(table[1024 + 700], rope_table(rope, HEAD_DIM, 1000, is_long=True)[700])


def test_what_does_not_rotate_stands_still() -> None:
    table = rope_table(RopeSpec(100.0, rotary_dim=4, attention_factor=2.0), head_dim=8, max_positions=3)
    assert (table[:, 0, 2:] == 1).all()
    assert (table[:, 1, 2:] == 0).all()
    np.testing.assert_allclose(table[2, 0, :2], 2 * np.cos([2.0, 0.2]), rtol=1e-6)

"""Log-probabilities of the starter, prompt and answer, held to transformers with the same weights."""

from __future__ import annotations

import json

import pytest
import torch
from transformers import LlamaConfig, LlamaForCausalLM

from engine.api import list_models
from engine.serving import load_tokenizer
from engine.store.checkpoint import Checkpoint
from kernels.formats import dequantize

PROMPTS = {
    "prose": "The library at the end of the street opened at nine. On rainy days, the first visitor was",
    "code": "def fibonacci(n):\n    if n < 2:\n        return n\n    return",
    "other scripts": "Привет, 世界! Les élèves étudient le théorème de",
}


def transformers_model(checkpoint: Checkpoint) -> LlamaForCausalLM:
    """transformers' own decoder, float32, with the weights of the checkpoint."""
    spec = checkpoint.manifest.spec
    config = LlamaConfig(
        vocab_size=spec.vocab_size,
        hidden_size=spec.hidden_size,
        intermediate_size=spec.intermediate_size,
        num_hidden_layers=spec.num_layers,
        num_attention_heads=spec.num_heads,
        num_key_value_heads=spec.num_kv_heads,
        head_dim=spec.head_dim,
        max_position_embeddings=spec.max_context,
        rms_norm_eps=spec.rms_norm_eps,
        rope_parameters={"rope_type": "default", "rope_theta": spec.rope.theta},
        tie_word_embeddings=True,
    )
    model = LlamaForCausalLM(config)
    table = dequantize(checkpoint.read_embedding())
    weights = {
        "model.embed_tokens.weight": table,
        "lm_head.weight": table,
        "model.norm.weight": torch.from_numpy(checkpoint.read_head().norm),
    }
    for index in range(spec.num_layers):
        layer, name = checkpoint.read_layer(index), f"model.layers.{index}"
        q, k, v = dequantize(layer.qkv).split([spec.query_size, spec.kv_size, spec.kv_size])
        gate, up = dequantize(layer.gate_up).chunk(2)
        weights |= {
            f"{name}.input_layernorm.weight": torch.from_numpy(layer.attention_norm),
            f"{name}.self_attn.q_proj.weight": q,
            f"{name}.self_attn.k_proj.weight": k,
            f"{name}.self_attn.v_proj.weight": v,
            f"{name}.self_attn.o_proj.weight": dequantize(layer.output),
            f"{name}.post_attention_layernorm.weight": torch.from_numpy(layer.feed_forward_norm),
            f"{name}.mlp.gate_proj.weight": gate,
            f"{name}.mlp.up_proj.weight": up,
            f"{name}.mlp.down_proj.weight": dequantize(layer.down),
        }
    model.load_state_dict(weights)
    return model.eval()


@pytest.fixture(scope="module")
def checkpoint(kept_home):
    (entry,) = list_models(kept_home)
    return Checkpoint.open(entry.path)


@torch.inference_mode()
def test_prompt_and_answer_have_the_log_probabilities_of_transformers(engine, checkpoint):
    arguments = [argument for prompt in PROMPTS.values() for argument in ("--prompt", prompt)]
    result = engine(
        "generate", "starter", *arguments, "--raw", "--backend", "reference", "--temperature", "0",
        "--max-tokens", "12", "--logprobs", "5", "--prompt-logprobs", "5", "--json",
    )  # fmt: skip
    assert result.returncode == 0, result.stderr
    model, tokenizer = transformers_model(checkpoint), load_tokenizer(checkpoint)
    for prompt, completion in zip(PROMPTS.values(), json.loads(result.stdout), strict=True):
        told = [*completion["prompt_logprobs"], *completion["logprobs"]]
        token_ids = [*tokenizer.encode_raw(prompt), *completion["token_ids"]]
        assert [place["token_id"] for place in told] == token_ids[1:]
        expected = torch.log_softmax(model(torch.tensor([token_ids])).logits[0].double(), dim=-1)
        for place, row in zip(told, expected, strict=False):
            assert place["logprob"] == pytest.approx(float(row[place["token_id"]]), abs=1e-3)
            values = [top["logprob"] for top in place["top"]]
            assert values == pytest.approx(row.topk(5).values.tolist(), abs=1e-3)
            assert values == pytest.approx([float(row[top["token_id"]]) for top in place["top"]], abs=1e-3)

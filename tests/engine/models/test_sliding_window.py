"""A tiny Mistral, from its file to its tokens in a pool that never holds them all, against transformers."""

import pytest
import torch
from transformers import MistralConfig, MistralForCausalLM

from engine.cache.window import Window
from engine.config import EngineConfig
from engine.convert.pipeline import Conversion, convert_file
from engine.messages import PromptLogprobs, RequestFinished, RequestPreempted, SamplingParams, Submit, TextDelta
from engine.serving import load_tokenizer, serve
from engine.store.checkpoint import Checkpoint
from engine.store.library import Library
from kernels.backends import load_backend
from kernels.formats import dequantize
from tests.engine.tiny_decoder import DecoderEngine
from tests.engine.tiny_models import TinyShape, tiny_gguf

WINDOW = 24
PROMPT = "the cat and the world: hello user, as an assistant I was on the wall. " * 8
MAX_TOKENS = 60
TOLERANCES = {"reference": 1e-4, "cpu": 0.12}


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    folder = tmp_path_factory.mktemp("home")
    tiny = tiny_gguf(shape=TinyShape(max_context=1024), metadata={"llama.attention.sliding_window": WINDOW})
    source = tiny.write(folder / "tiny.gguf")
    convert_file(folder, Conversion(source, "tiny"), lambda *progress: None, lambda: False)
    return folder


def mistral(checkpoint, window):
    """The same weights, as they come out of their blocks, in transformers' model."""
    spec = checkpoint.manifest.spec
    config = MistralConfig(
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
        sliding_window=window,
        tie_word_embeddings=True,
        attn_implementation="eager",
    )
    table = dequantize(checkpoint.read_embedding())
    state = {
        "model.embed_tokens.weight": table,
        "lm_head.weight": table,
        "model.norm.weight": torch.from_numpy(checkpoint.read_head().norm),
    }
    for index in range(spec.num_layers):
        layer, prefix = checkpoint.read_layer(index), f"model.layers.{index}"
        parts = dequantize(layer.qkv).split([spec.query_size, spec.kv_size, spec.kv_size])
        gate, up = dequantize(layer.gate_up).chunk(2)
        matrices = dict(zip(("self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj"), parts, strict=True))
        matrices |= {"self_attn.o_proj": dequantize(layer.output), "mlp.gate_proj": gate, "mlp.up_proj": up}
        matrices |= {"mlp.down_proj": dequantize(layer.down), "input_layernorm": torch.from_numpy(layer.attention_norm)}
        matrices["post_attention_layernorm"] = torch.from_numpy(layer.feed_forward_norm)
        state |= {f"{prefix}.{name}.weight": values for name, values in matrices.items()}
    model = MistralForCausalLM(config).eval()
    model.load_state_dict(state)
    return model


@torch.inference_mode()
def logprobs_of(model, token_ids):
    """Each token's log-probability after those before it, the first's left out: float32 [n - 1]."""
    logits = model(torch.tensor([token_ids])).logits[0, :-1]
    return torch.log_softmax(logits.float(), dim=-1).gather(1, torch.tensor(token_ids[1:]).unsqueeze(1)).squeeze(1)


@pytest.mark.parametrize("backend_name", ["reference", "cpu"])
def test_prompt_and_answer_far_beyond_the_window_are_as_probable_as_in_transformers(home, backend_name):
    entry, backend = Library(home / "models").find("tiny"), load_backend(backend_name)
    block_bytes = 16 * entry.spec.kv_bytes_per_token(backend.kv_dtype.itemsize)
    config = EngineConfig(home, max_batched_tokens=144, max_prompt_chunk=128, kv_budget_bytes=12 * block_bytes)
    served = serve(entry, backend, config, lambda progress: None)
    assert served.facts.num_blocks == 12
    params = SamplingParams(temperature=0.0, max_tokens=MAX_TOKENS, ignore_eos=True, logprobs=0, prompt_logprobs=0)
    served.core.submit(Submit("r", params, prompt=PROMPT))
    events = []
    while served.core.num_live:
        events += served.core.step()
        served.core.check_invariants()
    assert isinstance(events[-1], RequestFinished), events[-1]
    told = [event for event in events if isinstance(event, PromptLogprobs)]
    deltas = [event for event in events if isinstance(event, TextDelta)]
    checkpoint = Checkpoint.open(entry.path)
    prompt_ids = load_tokenizer(checkpoint).encode_raw(PROMPT)
    token_ids = prompt_ids + [token for delta in deltas for token in delta.token_ids]
    # More than the pool holds.
    assert len(token_ids) > 12 * 16
    actual = torch.tensor([each.logprob for event in (*told, *deltas) for each in event.logprobs])
    tolerance = TOLERANCES[backend_name]
    torch.testing.assert_close(actual, logprobs_of(mistral(checkpoint, WINDOW), token_ids), atol=tolerance, rtol=0)
    # What the comparison is worth: one token more or less in the window is told apart.
    for window in (WINDOW - 1, WINDOW + 1, None):
        assert (actual - logprobs_of(mistral(checkpoint, window), token_ids)).abs().max() > 2 * tolerance


@pytest.mark.parametrize("preemption", ["swap", "recompute"])
@pytest.mark.parametrize("window", [16, 17, 24])
def test_answers_in_a_scarce_pool_are_those_of_an_ample_one(window, preemption):
    prompts = {"a": "once upon a time there was a cat", "b": "once upon a time there was a dog, too", "c": "hello"}
    answers = []
    scarce = Window(window, block_size=4).peak_blocks(0, 1000, max_chunk=16)
    for num_blocks, max_batched_tokens in ((400, 64), (scarce, 16)):
        engine = DecoderEngine(
            num_blocks=num_blocks, max_batched_tokens=max_batched_tokens, window=window, preemption=preemption
        )
        for request_id, prompt in prompts.items():
            engine.submit(request_id, prompt, max_tokens=60, ignore_eos=True)
        engine.run()
        answers.append([engine.token_ids(request_id) for request_id in prompts])
    assert answers[0] == answers[1]
    assert {event.how for event in engine.events if isinstance(event, RequestPreempted)} == {preemption}

"""Every family as transformers saves it arrives as transformers has it: names, orders, norms, experts, ties."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from engine.convert.opening import open_source
from tests.engine.convert.hf_folders import tokenizer_json
from tests.engine.convert.packed_models import pack_model, read_decoder
from tests.engine.models.test_families import NUM_TOKENS, REFERENCE, TOLERANCE, paged_logits, random_ids
from tests.engine.models.tiny_families import FAMILIES, expected_logits, make_model
from tests.engine.tiny_models import vocabulary


@pytest.mark.parametrize("name", FAMILIES)
def test_family_arrives_as_transformers_has_it(name: str, tmp_path: Path) -> None:
    model = make_model(FAMILIES[name], vocab_size=len(vocabulary()[0]))
    model.save_pretrained(tmp_path, max_shard_size="200KB")
    (tmp_path / "tokenizer.json").write_text(tokenizer_json(), encoding="utf-8")
    with open_source(tmp_path) as source:
        # A dynamic scaling has one base for all long texts, that of the longest.
        token_ids = random_ids(source.spec.max_context if name == "llama-dynamic" else NUM_TOKENS)
        actual = paged_logits(read_decoder(source), REFERENCE, token_ids, chunk=16)
        packed = pack_model(source).matrices
    torch.testing.assert_close(actual, expected_logits(model, token_ids), atol=TOLERANCE, rtol=TOLERANCE)
    assert all(0 < (item.form.error or 0) < 0.01 for item in packed.values())

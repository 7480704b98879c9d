"""The chat templates of the supported families: the expected text, and the same as transformers makes of them.

`tests/data/templates/README.md` says which of them come from real model files.
"""

import re
from pathlib import Path

import pytest
from transformers.utils.chat_template_utils import render_jinja_template

from engine.errors import InvalidRequestError
from engine.messages import ChatMessage
from engine.text.template import ChatTemplate

FOLDER = Path(__file__).parents[2] / "data" / "templates"
FAMILIES = sorted(path.stem for path in FOLDER.glob("*.jinja"))
SYSTEM, HI, HELLO, MORE = (
    ChatMessage("system", "Be brief."),
    ChatMessage("user", 'Hi <é> & "you"  '),
    ChatMessage("assistant", "Hello 👋"),
    ChatMessage("user", "More?\n"),
)
CHATS = {"one": (HI,), "system": (SYSTEM, HI), "long": (HI, HELLO, MORE), "all": (SYSTEM, HI, HELLO, MORE)}
VARIABLES = {"date_string": "26 Jul 2024"}
TOOL = {"type": "function", "function": {"name": "get_time", "description": "Tells <the> time", "parameters": {}}}


def load(family):
    return ChatTemplate((FOLDER / f"{family}.jinja").read_text(encoding="utf-8"), "<s>", "</s>")


def of_transformers(template, chat, **variables):
    turns = [{"role": message.role, "content": message.content} for message in chat]
    tokens = {"bos_token": "<s>", "eos_token": "</s>"}
    return render_jinja_template([turns], chat_template=template.source, **tokens, **variables)[0][0]


@pytest.mark.parametrize("add_generation_prompt", [True, False])
@pytest.mark.parametrize("chat", CHATS.values(), ids=CHATS)
@pytest.mark.parametrize("family", FAMILIES)
def test_text_is_that_of_transformers(family, chat, add_generation_prompt):
    template = load(family)
    if family == "gemma2" and chat[0] is SYSTEM:
        with pytest.raises(InvalidRequestError, match="System role not supported"):
            template.render(chat)
        return
    variables = {"add_generation_prompt": add_generation_prompt, **VARIABLES}
    assert template.render(chat, **variables) == of_transformers(template, chat, **variables)


@pytest.mark.parametrize("family", ["qwen2.5", "qwen3", "llama3.2"])
def test_tools_are_written_as_transformers_writes_them(family):
    template = load(family)
    text = template.render((HI,), tools=[TOOL], **VARIABLES)
    assert '"Tells <the> time"' in text
    assert text == of_transformers(template, (HI,), tools=[TOOL], add_generation_prompt=True, **VARIABLES)


CHAT = (SYSTEM, ChatMessage("user", "Hi"), ChatMessage("assistant", "Hello"), ChatMessage("user", "More?"))
CHATML = (
    "<|im_start|>system\nBe brief.<|im_end|>\n<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\nHello<|im_end|>\n"
    "<|im_start|>user\nMore?<|im_end|>\n<|im_start|>assistant\n"
)
LLAMA3 = (
    "<|start_header_id|>user<|end_header_id|>\n\nHi<|eot_id|>"
    "<|start_header_id|>assistant<|end_header_id|>\n\nHello<|eot_id|>"
    "<|start_header_id|>user<|end_header_id|>\n\nMore?<|eot_id|><|start_header_id|>assistant<|end_header_id|>\n\n"
)
EXPECTED = {
    "smollm2": CHATML,
    "qwen2.5": CHATML,
    "qwen3": CHATML,
    "llama3": "<s><|start_header_id|>system<|end_header_id|>\n\nBe brief.<|eot_id|>" + LLAMA3,
    "llama3.2": "<s><|start_header_id|>system<|end_header_id|>\n\nCutting Knowledge Date: December 2023\n"
    "Today Date: 26 Jul 2024\n\nBe brief.<|eot_id|>" + LLAMA3,
    "gemma3": "<s><start_of_turn>user\nBe brief.\n\nHi<end_of_turn>\n<start_of_turn>model\nHello<end_of_turn>\n"
    "<start_of_turn>user\nMore?<end_of_turn>\n<start_of_turn>model\n",
    "mistral": "<s> [INST] Be brief.\n\nHi [/INST] Hello</s> [INST] More? [/INST]",
    "phi3": "<|system|>\nBe brief.<|end|>\n<|user|>\nHi<|end|>\n<|assistant|>\nHello<|end|>\n"
    "<|user|>\nMore?<|end|>\n<|assistant|>\n",
    "phi4": "<|im_start|>system<|im_sep|>Be brief.<|im_end|><|im_start|>user<|im_sep|>Hi<|im_end|>"
    "<|im_start|>assistant<|im_sep|>Hello<|im_end|><|im_start|>user<|im_sep|>More?<|im_end|>"
    "<|im_start|>assistant<|im_sep|>",
    "phi4-mini": "<|system|>Be brief.<|end|><|user|>Hi<|end|>"
    "<|assistant|>Hello<|end|><|user|>More?<|end|><|assistant|>",
}


@pytest.mark.parametrize("family", EXPECTED)
def test_a_chat_is_written_as_the_family_expects(family):
    assert load(family).render(CHAT, **VARIABLES) == EXPECTED[family]


def test_gemma_2_calls_the_assistant_model():
    assert load("gemma2").render(CHAT[1:]) == (
        "<s><start_of_turn>user\nHi<end_of_turn>\n<start_of_turn>model\nHello<end_of_turn>\n"
        "<start_of_turn>user\nMore?<end_of_turn>\n<start_of_turn>model\n"
    )


def test_smollm2_and_qwen2_5_bring_a_system_prompt_of_their_own():
    assert "<|im_start|>system\nYou are a helpful AI assistant named SmolLM" in load("smollm2").render((HI,))
    assert "<|im_start|>system\nYou are Qwen, created by Alibaba Cloud." in load("qwen2.5").render((HI,))


def test_qwen3_can_be_told_not_to_think():
    template = load("qwen3")
    for enable_thinking, end in ((True, "assistant\n"), (False, "assistant\n<think>\n\n</think>\n\n")):
        text = template.render((HI,), enable_thinking=enable_thinking)
        assert text.endswith(f"<|im_start|>{end}")
        assert text == of_transformers(template, (HI,), add_generation_prompt=True, enable_thinking=enable_thinking)


def test_qwen3_forgets_what_it_thought_in_earlier_turns():
    thought = ChatMessage("assistant", "<think>\nhm\n</think>\n\nHello")
    template = load("qwen3")
    text = template.render((HI, thought, MORE))
    assert "hm" not in text
    assert "<|im_start|>assistant\nHello<|im_end|>" in text
    assert text == of_transformers(template, (HI, thought, MORE), add_generation_prompt=True)


def test_llama_3_2_writes_the_day():
    assert re.search(r"Today Date: \d\d \w{3} \d{4}\n", load("llama3.2").render((HI,)))


def test_roles_that_do_not_alternate_are_refused_in_the_templates_words():
    with pytest.raises(InvalidRequestError, match=r"refused these messages: .*must alternate"):
        load("mistral").render((HI, HI))

"""Which files of a repository make a model."""

import pytest

from engine.errors import InvalidRequestError, SourceError
from engine.hub.selection import choices, choose, is_safe_path
from engine.messages import ModelChoice, RepositoryFacts, RepositoryFile


def files(*paths: str) -> tuple[RepositoryFile, ...]:
    return tuple(RepositoryFile(path, 10 + index, None, "b" * 40) for index, path in enumerate(paths))


def facts(*paths: str) -> RepositoryFacts:
    made = files(*paths)
    return RepositoryFacts("a/b", "c" * 40, "", None, None, True, (), None, None, made, choices(made))


def labels(*paths: str) -> list[str]:
    return [choice.label for choice in choices(files(*paths))]


@pytest.mark.parametrize(
    ("name", "label"),
    [
        ("Qwen3-0.6B-Q4_K_M.gguf", "Q4_K_M"),
        ("qwen2.5-coder-0.5b-instruct-q4_0.gguf", "Q4_0"),
        ("model.Q8_0.gguf", "Q8_0"),
        ("gemma-2-2b-it-IQ3_XXS.gguf", "IQ3_XXS"),
        ("Llama-3.2-1B-UD-Q2_K_XL.gguf", "UD-Q2_K_XL"),
        ("phi-4-mini-bf16.gguf", "BF16"),
        ("deep/folder/model-f16.gguf", "F16"),
        ("plain.gguf", "plain"),
    ],
)
def test_a_gguf_is_called_by_its_quantisation(name: str, label: str) -> None:
    assert labels(name) == [label]


def test_two_models_of_one_quantisation_are_called_by_their_files() -> None:
    assert labels("base-Q4_0.gguf", "chat-Q4_0.gguf", "chat-Q8_0.gguf") == ["base-Q4_0", "chat-Q4_0", "Q8_0"]


def test_a_split_gguf_is_one_choice_if_it_is_whole() -> None:
    parts = [f"Q8_0/m-Q8_0-0000{part}-of-00003.gguf" for part in (2, 1, 3)]
    assert choices(files(*parts)) == (ModelChoice("Q8_0", "gguf", tuple(sorted(parts)), 33, "m"),)
    assert labels(*parts[:2]) == []


def test_what_is_no_language_model_is_left_out() -> None:
    assert labels("mmproj-model-f16.gguf", "model-imatrix.gguf", "pytorch_model.bin", "model.pt", "x.pkl") == []


def test_sharded_safetensors_come_with_their_texts_and_without_pickles() -> None:
    shards = ["model-00001-of-00002.safetensors", "model-00002-of-00002.safetensors"]
    texts = ["config.json", "tokenizer.json", "tokenizer_config.json", "chat_template.jinja"]
    index = "model.safetensors.index.json"
    others = ["pytorch_model-00001-of-00002.bin", "README.md", "consolidated.safetensors", "onnx/model.safetensors"]
    (choice,) = choices(files(*shards, *texts, index, *others))
    assert (choice.kind, set(choice.paths)) == ("safetensors", {*shards, *texts, index})


@pytest.mark.parametrize("missing", ["config.json", "tokenizer.json", "model-00002-of-00002.safetensors", "index"])
def test_safetensors_that_lack_something_are_no_choice(missing: str) -> None:
    needed = [f"model-0000{part}-of-00002.safetensors" for part in (1, 2)]
    needed += ["config.json", "tokenizer.json", "model.safetensors.index.json"]
    assert labels(*(name for name in needed if missing not in name)) == []


def test_a_choice_is_made_by_label_or_file_and_else_the_usual_one() -> None:
    repository = facts("m-Q8_0.gguf", "m-Q4_K_M.gguf", "m-F16.gguf")
    assert choose(repository, []).label == "Q4_K_M"
    assert choose(repository, ["q8_0"]).paths == ("m-Q8_0.gguf",)
    assert choose(repository, ["m-F16.gguf"]).label == "F16"
    with pytest.raises(InvalidRequestError, match="has no Q5_0: choose one of Q8_0, Q4_K_M, F16"):
        choose(repository, ["Q5_0"])
    with pytest.raises(InvalidRequestError, match="several models: choose one of"):
        choose(facts("a.gguf", "b.gguf"), [])
    assert choose(facts("only.gguf"), []).label == "only"
    with pytest.raises(SourceError, match="choose another repository"):
        choose(facts("model.bin"), [])


@pytest.mark.parametrize(
    "path",
    ["../x.gguf", "/x.gguf", "a/../../x.gguf", "C:/x.gguf", "C:x.gguf", "a\\b.gguf", "a//b.gguf", "./x", "x\0", ""],
)
def test_a_name_that_leads_out_of_the_folder_is_never_chosen(path: str) -> None:
    assert not is_safe_path(path)


@pytest.mark.parametrize("path", ["m.gguf:hidden", "a/con/m.gguf", "NUL.gguf", "q4/COM1.safetensors", "a /m.gguf"])
def test_a_name_that_windows_takes_for_another_file_is_never_chosen(path: str) -> None:
    assert not is_safe_path(path)
    assert labels(path, "other-Q4_0.gguf") == ["Q4_0"]
    assert labels(path) == []


@pytest.mark.parametrize("path", ["x.gguf", "a/b c/ü.gguf", "..x.gguf", "a..b.gguf"])
def test_an_ordinary_name_is_safe(path: str) -> None:
    assert is_safe_path(path)

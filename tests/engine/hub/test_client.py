"""What the hub says, and what is told when it says nothing."""

import subprocess
import sys

import huggingface_hub
import pytest

from engine.errors import GatedError, InvalidRequestError, OfflineError, RateLimitError, RepositoryError, TokenError
from engine.hub.client import HubClient
from engine.messages import HubModel, RepositoryFile
from tests.engine.hub.hub_server import COMMIT, TOKEN, HubServer, Status, blob_id

REPO = "maker/model-GGUF"


@pytest.fixture(autouse=True)
def _repository(hub: HubServer) -> None:
    hub.add(REPO, {"model-Q4_0.gguf": bytes(2000), "README.md": b"# Model"})


def test_search_tells_what_a_person_chooses_by(hub: HubServer) -> None:
    hub.add("other/thing", {})
    hub.add("maker/gated-model", {}, gate="auto", tags=["safetensors"])
    found = HubClient().search("model", 10)
    assert found == (
        HubModel(REPO, 12345, 7, None, "mit", "2025-01-31", ("gguf",)),
        HubModel("maker/gated-model", 12345, 7, "auto", None, "2025-01-31", ("safetensors",)),
    )
    assert len(HubClient().search("model", 1)) == 1


def test_facts_come_with_sizes_and_checksums_and_no_download(hub: HubServer) -> None:
    facts = HubClient().inspect(REPO)
    assert (facts.commit, facts.license, facts.gate, facts.is_accessible) == (COMMIT, "mit", None, True)
    assert (facts.base_models, facts.architecture, facts.num_parameters) == (("maker/base",), "llama", 135)
    assert facts.page_url == f"{hub.url}/{REPO}"
    large, small = facts.files
    assert large.sha256 is not None
    assert small == RepositoryFile("README.md", 7, None, blob_id(b"# Model"))
    assert [choice.label for choice in facts.choices] == ["Q4_0"]
    assert all("/resolve/" not in path for _, path, _ in hub.requests)


def test_a_gated_repository_is_shown_with_whether_it_is_open_to_us(hub: HubServer) -> None:
    repository = hub.add("maker/gated", {"a-Q4_0.gguf": bytes(9)}, gate="manual")
    assert not HubClient().inspect("maker/gated").is_accessible
    assert HubClient(TOKEN).inspect("maker/gated").is_accessible
    repository.is_open = False
    facts = HubClient(TOKEN).inspect("maker/gated")
    assert (facts.gate, facts.is_accessible) == ("manual", False)


@pytest.mark.parametrize(
    ("repo_id", "revision", "kind", "words"),
    [
        ("maker/nothing", None, RepositoryError, "shows no repository maker/nothing"),
        (REPO, "v9", RepositoryError, "no such revision"),
        ("a/b/c", None, InvalidRequestError, "owner/name"),
        ("../x", None, InvalidRequestError, "owner/name"),
        ("a b", None, InvalidRequestError, "owner/name"),
    ],
)
def test_what_is_not_there_is_told(
    hub: HubServer, repo_id: str, revision: str | None, kind: type[Exception], words: str
) -> None:
    with pytest.raises(kind, match=words):
        HubClient().inspect(repo_id, revision)


def test_a_wrong_token_is_told(hub: HubServer) -> None:
    with pytest.raises(TokenError, match="refuses your access token"):
        HubClient("hf_wrong").account()
    assert HubClient(TOKEN).account() == "somebody"


@pytest.mark.parametrize(
    ("status", "kind", "words"),
    [
        (Status(429, {"Retry-After": "40"}), RateLimitError, "in 40 s"),
        (Status(429, {"RateLimit": '"api";r=0;t=55'}), RateLimitError, "in 55 s"),
        (Status(502), OfflineError, "status 502"),
        (Status(403, {"X-Error-Code": "GatedRepo"}), GatedError, "terms"),
        (Status(403), TokenError, "may not read"),
    ],
)
def test_a_refusal_is_told_at_once_to_the_impatient(
    hub: HubServer, status: Status, kind: type[Exception], words: str
) -> None:
    hub.api_faults.append(status)
    with pytest.raises(kind, match=words):
        HubClient().inspect(REPO)
    assert len(hub.requests) == 1


def test_the_patient_ask_again_unless_waiting_does_not_help(hub: HubServer) -> None:
    waits_s: list[float] = []
    client = HubClient(patience=lambda why, duration_s: waits_s.append(duration_s))
    hub.api_faults += [Status(500), Status(429, {"Retry-After": "7"})]
    assert client.inspect(REPO).repo_id == REPO
    assert waits_s == [1.0, 7.0]
    hub.api_faults += [Status(403)]
    with pytest.raises(TokenError):
        client.inspect(REPO)
    assert len(waits_s) == 2


def test_without_a_connection_it_says_what_to_check(hub: HubServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    with pytest.raises(OfflineError, match=r"cannot be reached .* proxy"):
        HubClient().inspect(REPO)


def test_a_mirror_without_a_scheme_is_refused(hub: HubServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_ENDPOINT", "mirror.example")
    with pytest.raises(InvalidRequestError, match="HF_ENDPOINT"):
        HubClient()


def test_a_proxy_is_asked_if_one_is_set(hub: HubServer, monkeypatch: pytest.MonkeyPatch) -> None:
    huggingface_hub.close_session()
    # Our own hub stands in for the proxy of a hub that no name leads to.
    monkeypatch.setenv("HTTP_PROXY", hub.url)
    monkeypatch.setenv("HF_ENDPOINT", "http://hub.invalid")
    assert HubClient().inspect(REPO).commit == COMMIT
    assert [headers["host"] for _, _, headers in hub.requests] == ["hub.invalid"]


def test_the_hub_is_told_of_no_other_libraries() -> None:
    code = (
        "from engine.environment import prepare_environment; prepare_environment(); "
        "from engine.hub.client import HubClient; print(HubClient().headers['user-agent'])"
    )
    agent = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert agent.startswith("deepinfer/")
    assert "torch" not in agent


def test_nothing_that_asks_the_hub_is_loaded_before_it_is_asked() -> None:
    code = (
        "import sys, engine.worker, engine.__main__, engine.jobs.runner, engine.hub.selection, engine.hub.discovery; "
        "print(sorted({'huggingface_hub', 'httpx2', 'keyring'} & set(sys.modules)))"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"

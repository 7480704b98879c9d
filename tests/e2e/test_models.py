"""From a hub to a chat by clicks alone, in a real window with the real engine, in a process of its own."""

from __future__ import annotations

import os
from pathlib import Path

from tests.e2e.window_user import report_of
from tests.engine.hub.hub_server import HubServer
from tests.engine.tiny_models import write_tiny_gguf

PROXIES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy", "HF_TOKEN")


def test_a_model_is_found_fetched_converted_loaded_and_answers(tmp_path: Path) -> None:
    data = write_tiny_gguf(tmp_path / "source.gguf").read_bytes()
    with HubServer() as hub:
        hub.add("maker/tiny-GGUF", {"Tiny-Q8_0.gguf": data})
        environment = {key: value for key, value in os.environ.items() if key not in PROXIES}
        environment |= {
            "HF_ENDPOINT": hub.url,
            # No keyring of this machine is asked.
            "PYTHON_KEYRING_BACKEND": "keyring.backends.null.Keyring",
        }
        report = report_of("tests.e2e.models_driver", tmp_path / "home", environment)
    assert hub.url in report["note"]
    assert report["facts"].startswith("licence mit")
    assert report["model_id"] == "tiny-q8_0"
    assert report["roles"] == ["user", "assistant"]
    assert report["restored"] == "Tiny-Q8_0"

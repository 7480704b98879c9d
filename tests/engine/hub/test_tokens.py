"""The token is the variable's, else the keyring's; a machine without a keyring works without."""

import huggingface_hub
import keyring
import pytest
from keyring.backends.fail import Keyring as NoKeyring

from engine.errors import TokenError
from engine.hub.tokens import find_token, forget_token, store_token


def test_a_stored_token_is_found_until_it_is_forgotten() -> None:
    assert find_token() is None
    store_token("hf_a")
    assert find_token() == "hf_a"
    assert forget_token()
    assert not forget_token()
    assert find_token() is None


def test_the_variable_comes_first_and_other_logins_last(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(huggingface_hub, "get_token", lambda: "hf_other")
    assert find_token() == "hf_other"
    store_token("hf_a")
    assert find_token() == "hf_a"
    monkeypatch.setenv("HF_TOKEN", " hf_b\n")
    assert find_token() == "hf_b"


def test_without_a_keyring_it_is_told_only_where_one_is_needed() -> None:
    keyring.set_keyring(NoKeyring())
    assert find_token() is None
    with pytest.raises(TokenError, match="set HF_TOKEN instead"):
        store_token("hf_a")
    with pytest.raises(TokenError, match="nothing is kept"):
        forget_token()

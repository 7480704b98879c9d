"""The access token for the hub, kept in the system's keyring. Knows nothing of what it opens."""

from __future__ import annotations

import os

import huggingface_hub
import keyring
from keyring.errors import KeyringError, PasswordDeleteError

from engine.errors import TokenError

_SERVICE, _USER = "DeepInfer", "hub access token"
TOKEN_VARIABLE = "HF_TOKEN"


def find_token() -> str | None:
    """The variable's, else the keyring's, else the one that `hf auth login` has left."""
    named = os.environ.get(TOKEN_VARIABLE, "").strip()
    return named or _from_keyring() or huggingface_hub.get_token()


def store_token(token: str) -> None:
    """Raises `TokenError` if the system has no keyring that works."""
    try:
        keyring.set_password(_SERVICE, _USER, token)
    except KeyringError as error:
        raise TokenError(
            f"The token cannot be kept, the system's keyring does not work ({error}): set {TOKEN_VARIABLE} instead"
        ) from error


def forget_token() -> bool:
    """Whether there was one to forget. Raises `TokenError` if the keyring does not work."""
    try:
        keyring.delete_password(_SERVICE, _USER)
    except PasswordDeleteError:
        return False
    except KeyringError as error:
        raise TokenError(f"The system's keyring does not work ({error}): nothing is kept there") from error
    return True


def _from_keyring() -> str | None:
    try:
        return keyring.get_password(_SERVICE, _USER)
    except KeyringError:
        # Without a keyring nothing can have been stored in it.
        return None

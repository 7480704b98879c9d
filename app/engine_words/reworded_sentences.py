"""What the engine says in the words of its command line, and what the window says in their place.

The engine's sentence is the key by which it is recognised; only the window's is translated. Knows no errors.
"""

from __future__ import annotations

from app.i18n import QT_TRANSLATE_NOOP

REWORDED_SENTENCES = {
    "This model has no chat template: send a raw prompt (--raw)": QT_TRANSLATE_NOOP(
        "app",
        "This model has no chat template: choose another model",
    ),
    "This version has no GPU kernels: use --backend cpu": QT_TRANSLATE_NOOP(
        "app",
        "This version has no GPU kernels: use the processor",
    ),
    ("There is no model {name} (models: {have}): use one of these, or get one with `{command}`"): QT_TRANSLATE_NOOP(
        "app",
        "There is no model {name} (models: {have}): use one of these, or get one on the page Models",
    ),
    "{name} is not here yet (models: {have}): get it with `{command}`": QT_TRANSLATE_NOOP(
        "app",
        "{name} is not here yet (models: {have}): get it on the page Models",
    ),
    "The name {name} makes no folder name: give a --name with latin letters or digits": QT_TRANSLATE_NOOP(
        "app",
        "The name {name} makes no folder name: give it one with latin letters or digits",
    ),
    ("There is already a model {name}, {difference}: choose another name than {other} with --name"): QT_TRANSLATE_NOOP(
        "app",
        "There is already a model {name}, {difference}: give this one another name than {other}",
    ),
    "There is no {name} in the trash: `python -m engine trash` lists what is": QT_TRANSLATE_NOOP(
        "app",
        "There is no {name} in the trash: look at it again",
    ),
    "Cannot write {path}: the folder is read-only for you, choose another with --home": QT_TRANSLATE_NOOP(
        "app",
        "Cannot write {path}: the folder is read-only for you, allow writing to it, or choose another data folder at "
        "the next start",
    ),
    (
        "Cannot write {path}: another program may hold it, such as a virus scanner. Start again, finished parts are "
        "kept; if it happens every time, choose another folder with --home"
    ): QT_TRANSLATE_NOOP(
        "app",
        "Cannot write {path}: another program may hold it, such as a virus scanner. Start again, finished parts are "
        "kept; if it happens every time, choose another data folder at the next start",
    ),
    (
        "Needs {needed} in {folder}, {free} free, of which other jobs need {others}: free some space, or choose "
        "another folder with --home"
    ): QT_TRANSLATE_NOOP(
        "app",
        "Needs {needed} in {folder}, {free} free, of which other jobs need {others}: free some space, or move models "
        "to another disk",
    ),
    (
        "Needs {needed} in {folder}, {free} free: free some space, or choose another folder with --home"
    ): QT_TRANSLATE_NOOP(
        "app",
        "Needs {needed} in {folder}, {free} free: free some space, or move models to another disk",
    ),
    (
        "Guessing tokens of {name} by a draft model needs one: name it (--draft-model), or use --speculate lookup"
    ): QT_TRANSLATE_NOOP(
        "app",
        "Guessing tokens of {name} by a draft model needs one: let it guess from the chat's own text (Settings, "
        "Engine)",
    ),
    (
        "{draft} cannot guess tokens of {name}: {sizes} tokens against {others}, of {tokenizer}. Pick a smaller "
        "model of the same family, or use --speculate lookup"
    ): QT_TRANSLATE_NOOP(
        "app",
        "{draft} cannot guess tokens of {name}: {sizes} tokens against {others}, of {tokenizer}. Pick a smaller "
        "model of the same family, or let it guess from the chat's own text (Settings, Engine)",
    ),
    (
        "The hub's answer about {about} makes no sense ({reason}): choose another one, or check HF_ENDPOINT"
    ): QT_TRANSLATE_NOOP(
        "app",
        "The hub's answer about {about} makes no sense ({reason}): choose another one, or check the hub's address in "
        "Settings",
    ),
    ("The hub tells no sizes of the files of {repo}: unset HF_ENDPOINT if it names a mirror"): QT_TRANSLATE_NOOP(
        "app",
        "The hub tells no sizes of the files of {repo}: check the hub's address in Settings, if it is a mirror",
    ),
    "The hub gave an answer that makes no sense ({reason}): check HF_ENDPOINT": QT_TRANSLATE_NOOP(
        "app",
        "The hub gave an answer that makes no sense ({reason}): check the hub's address in Settings",
    ),
    ("The hub refused the request (status {status}): check HF_ENDPOINT, or try again later"): QT_TRANSLATE_NOOP(
        "app",
        "The hub refused the request (status {status}): check the hub's address in Settings, or try again later",
    ),
    "The hub refuses your access token: make a new one, then `hub login`": QT_TRANSLATE_NOOP(
        "app",
        "The hub refuses your access token: make a new one on the hub's site and keep it, here or in Settings",
    ),
    "Your access token may not read {repo}: see {page}, or `hub login` anew": QT_TRANSLATE_NOOP(
        "app",
        "Your access token may not read {repo}: see {page}, or keep another token, here or in Settings",
    ),
    (
        "The hub shows no repository {repo}: check the name, or it is private: then log in with `hub login`"
    ): QT_TRANSLATE_NOOP(
        "app",
        "The hub shows no repository {repo}: check the name, or it is private: then keep your access token, "
        "here or in Settings",
    ),
    "HF_HUB_OFFLINE is set: unset it to use the hub": QT_TRANSLATE_NOOP(
        "app",
        "The environment variable HF_HUB_OFFLINE forbids the hub: unset it, then start DeepInfer again",
    ),
    "{repo} wants its terms accepted first: do so at {page} then log in with `hub login`": QT_TRANSLATE_NOOP(
        "app",
        "{repo} wants its terms accepted first: do so at {page}, then keep an access token of your account, "
        "here or in Settings",
    ),
    (
        "{repo} wants its terms accepted first: do so at {page}, log in with `hub login` with the same account, then "
        "start again"
    ): QT_TRANSLATE_NOOP(
        "app",
        "{repo} wants its terms accepted first: do so at {page}, keep an access token of the same account (here "
        "or in Settings), then start again",
    ),
    (
        "The server answers with {range} for byte {start} of {size} of {file}: try again later, or unset HF_ENDPOINT "
        "if it names a mirror"
    ): QT_TRANSLATE_NOOP(
        "app",
        "The server answers with {range} for byte {start} of {size} of {file}: try again later, or check the hub's "
        "address in Settings, if it is a mirror",
    ),
    "The server sends {file} compressed: unset HF_ENDPOINT if it names a mirror": QT_TRANSLATE_NOOP(
        "app",
        "The server sends {file} compressed: check the hub's address in Settings, if it is a mirror",
    ),
    "The server sends no parts of {file}: unset HF_ENDPOINT if it names a mirror": QT_TRANSLATE_NOOP(
        "app",
        "The server sends no parts of {file}: check the hub's address in Settings, if it is a mirror",
    ),
    (
        "The token cannot be kept, the system's keyring does not work ({reason}): set {variable} instead"
    ): QT_TRANSLATE_NOOP(
        "app",
        "The token cannot be kept, the system's keyring does not work ({reason}): set the environment variable "
        "{variable} instead, then start DeepInfer again",
    ),
    (
        "Cannot download: this Python has no pip. Run `python -m ensurepip`, then fetch again, or download a GGUF "
        "file yourself and convert it"
    ): QT_TRANSLATE_NOOP(
        "app",
        "Cannot download: this Python has no pip. Download a GGUF file yourself and drop it on the window",
    ),
}
"""{the engine's sentence: the window's}. A gap that the window needs not may be left out."""

"""What the engine says of models, memory, disks and saved prefixes.

Knows no errors, only their sentences; recognition.py reads them.
"""

from __future__ import annotations

from app.i18n import QT_TRANSLATE_NOOP

MODEL_SENTENCES = (
    QT_TRANSLATE_NOOP(
        "app",
        "The KV cache needs {needed} at least, for {tokens} tokens; a quarter of the {free} of free memory "
        "is {share}: close other programs, raise the budget or pick a smaller model",
    ),
    QT_TRANSLATE_NOOP(
        "app",
        "The KV cache needs {needed} at least, for {tokens} tokens; the budget is {share}: close other "
        "programs, raise the budget or pick a smaller model",
    ),
    QT_TRANSLATE_NOOP(
        "app",
        "The KV cache's budget is {budget}, {free} of memory are free: lower the budget or close other programs",
    ),
    QT_TRANSLATE_NOOP(
        "app",
        "{name} ({size} MiB of weights) does not fit the {free} MiB of free memory: close other programs or "
        "pick a smaller model",
    ),
    QT_TRANSLATE_NOOP("app", "Answers take several times as long as they could: {problem}"),
    QT_TRANSLATE_NOOP(
        "app",
        "The native CPU kernels are not built ({path} is missing): build them with: python -m kernels.cpu.build",
    ),
    QT_TRANSLATE_NOOP(
        "app", "The native CPU kernels do not load ({problem}): build them with: python -m kernels.cpu.build"
    ),
    QT_TRANSLATE_NOOP(
        "app",
        "The native CPU kernels are older than their sources ({path}): build them with: python -m kernels.cpu.build",
    ),
    QT_TRANSLATE_NOOP("app", "The native CPU kernels need a processor with AVX2, FMA and F16C"),
    QT_TRANSLATE_NOOP("app", "The native CPU kernels cannot be used: {problem}"),
    QT_TRANSLATE_NOOP("app", "The catalogue has no model {name}: choose one of {known}"),
    QT_TRANSLATE_NOOP("app", "A model's name has 1 to {limit} characters and no line breaks"),
    QT_TRANSLATE_NOOP("app", "{name} is called {new_name} already: choose another name"),
    QT_TRANSLATE_NOOP("app", "made from another file ({file})"),
    QT_TRANSLATE_NOOP("app", "made with other options ({options})"),
    QT_TRANSLATE_NOOP("app", "{name} is loaded: unload it first, or load another model"),
    QT_TRANSLATE_NOOP("app", "There is a model {name} again: delete that one first"),
    QT_TRANSLATE_NOOP("app", "There is a model {name} again: delete or move that one first"),
    QT_TRANSLATE_NOOP("app", "{name} is being worked on by another process or job: wait until it has ended"),
    QT_TRANSLATE_NOOP("app", "{name} is being downloaded by another process or job: wait until it has ended"),
    QT_TRANSLATE_NOOP("app", "{name} is being fetched by another process or job: wait until it has ended"),
    QT_TRANSLATE_NOOP("app", "{name} is being converted by another process or job: wait until it has ended"),
    QT_TRANSLATE_NOOP("app", "{path} is being made by another process"),
    QT_TRANSLATE_NOOP("app", "{target} is another model of the same id: move or delete that one first"),
    QT_TRANSLATE_NOOP("app", "{target} is in the way: {reason}"),
    QT_TRANSLATE_NOOP("app", "{folder} is a file: choose a folder"),
    QT_TRANSLATE_NOOP("app", "{folder} is inside the models' folder {other}: choose one outside of it"),
    QT_TRANSLATE_NOOP("app", "Cannot list {folder}: {reason}"),
    QT_TRANSLATE_NOOP("app", "Cannot read {path}: {reason}"),
    QT_TRANSLATE_NOOP("app", "Cannot read {path} ({reason}): convert the model again"),
    QT_TRANSLATE_NOOP("app", "Cannot read {path} ({reason}): check its permissions and the disk"),
    QT_TRANSLATE_NOOP("app", "Cannot read {path} ({reason}): correct it, or remove it and move models again"),
    QT_TRANSLATE_NOOP("app", "Cannot write {path}: {reason}"),
    QT_TRANSLATE_NOOP(
        "app",
        "The disk is full, writing {path}: free some space and start again, finished parts are kept",
    ),
    QT_TRANSLATE_NOOP("app", "The disk is full, downloading the model: free some space, then fetch again"),
    QT_TRANSLATE_NOOP("app", "Paused, the disk is full: goes on once {needed} are free in {folder}"),
    QT_TRANSLATE_NOOP("app", "Cancelled: finished parts are kept, start again to go on"),
    QT_TRANSLATE_NOOP("app", "The job broke by a fault of the program: the log has the details, start it again"),
    QT_TRANSLATE_NOOP("app", "{path} is missing: convert the model again"),
    QT_TRANSLATE_NOOP("app", "{path} has {size} bytes, must have {wanted}: convert the model again"),
    QT_TRANSLATE_NOOP("app", "{path} is damaged ({reason}): convert the model again"),
    QT_TRANSLATE_NOOP("app", "{path} is damaged ({reason}): remove the folder, then convert the model again"),
    QT_TRANSLATE_NOOP("app", "{path} differs from its recorded sha256: convert the model again"),
    QT_TRANSLATE_NOOP("app", "{path} is no tokenizer ({reason}): convert the model again"),
    QT_TRANSLATE_NOOP("app", "{path} lacks {name}: convert the model again"),
    QT_TRANSLATE_NOOP("app", "{path}: {reason}: convert the model again"),
    QT_TRANSLATE_NOOP("app", "{folder} is no model, it has no {file}: if it is in the way, move it"),
    QT_TRANSLATE_NOOP("app", "{folder} holds the model {name}: give the folder that name"),
    QT_TRANSLATE_NOOP(
        "app",
        "{folder} has format version {version}, this program reads {known}: use the program that made it, or "
        "convert the model again under another name",
    ),
    QT_TRANSLATE_NOOP("app", "the same tokenizer"),
    QT_TRANSLATE_NOOP("app", "another tokenizer"),
    QT_TRANSLATE_NOOP("app", "{path} is a folder or a device, no file: choose another name to save to"),
    QT_TRANSLATE_NOOP(
        "app",
        "Cannot save to {path}: {reason}. Choose another place or free some space; the chat itself is not touched",
    ),
    QT_TRANSLATE_NOOP("app", "{problem}. Nothing is lost: what it holds is computed again"),
    QT_TRANSLATE_NOOP("app", "There is no saved prefix {path}: check the name"),
    QT_TRANSLATE_NOOP("app", "{name} needs more memory than is free: close other programs"),
    QT_TRANSLATE_NOOP("app", "{name} is not used: {reason}"),
    QT_TRANSLATE_NOOP(
        "app",
        "Nothing of {owner} is cached: it can be saved once {count} tokens or more of it were computed, for "
        "as long as others do not need their room",
    ),
    QT_TRANSLATE_NOOP(
        "app",
        "{owner} may grow to {length} tokens, beyond {limit}, up to which this model's texts can be saved: "
        "go on with shorter answers, then save it",
    ),
    QT_TRANSLATE_NOOP("app", "{path} was read for {name}, which is no longer loaded"),
    QT_TRANSLATE_NOOP(
        "app",
        "No room for {path}: it takes {count} blocks, and of the {total} there are, running answers and what "
        "is pinned leave {left}",
    ),
    QT_TRANSLATE_NOOP("app", "No memory to copy {count} blocks ({reason}): close other programs and save again"),
    QT_TRANSLATE_NOOP("app", "{path} could not be copied into the cache ({reason})"),
    QT_TRANSLATE_NOOP("app", "{count} chats wait to be saved already: try again when one of them is"),
)

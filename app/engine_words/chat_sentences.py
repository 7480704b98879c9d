"""What the engine says of a request: prompts, parameters, templates, the engine itself.

Knows no errors, only their sentences; recognition.py reads them.
"""

from __future__ import annotations

from app.i18n import QT_TRANSLATE_NOOP

TOO_LONG = QT_TRANSLATE_NOOP(
    "app",
    "Needs {needed} tokens ({num_prompt} of {prompt} and {answer}), {place} holds {limit}: {advice}",
)

CHAT_SENTENCES = (
    TOO_LONG,
    QT_TRANSLATE_NOOP("app", "The prompt is empty: write something"),
    QT_TRANSLATE_NOOP("app", "A request needs either messages or a raw prompt"),
    QT_TRANSLATE_NOOP("app", "Unknown role {role}: use system, user or assistant"),
    QT_TRANSLATE_NOOP("app", "There is no answer to go on with: the last message is the {role}'s"),
    QT_TRANSLATE_NOOP("app", "The prompt has the token {token}: this model's ids are 0 to {last}"),
    QT_TRANSLATE_NOOP("app", "prompt"),
    QT_TRANSLATE_NOOP("app", "system prompt and newest message alone"),
    QT_TRANSLATE_NOOP("app", "1 token of answer"),
    QT_TRANSLATE_NOOP("app", "up to {asked} of answer"),
    QT_TRANSLATE_NOOP("app", "the model's context"),
    QT_TRANSLATE_NOOP("app", "the whole block pool"),
    QT_TRANSLATE_NOOP("app", "shorten the message"),
    QT_TRANSLATE_NOOP("app", "shorten the message or ask for a shorter answer"),
    QT_TRANSLATE_NOOP("app", "shorten the message, or ask for a shorter answer"),
    QT_TRANSLATE_NOOP("app", "shorten the chat, or let it forget its oldest turns"),
    QT_TRANSLATE_NOOP("app", "shorten the chat, let it forget its oldest turns, or ask for a shorter answer"),
    QT_TRANSLATE_NOOP("app", "shorten the chat, or ask for a shorter answer"),
    QT_TRANSLATE_NOOP(
        "app",
        "min_tokens is {asked}, but the answer may have {limit} tokens at most: ask for fewer, or raise max_tokens",
    ),
    QT_TRANSLATE_NOOP("app", "timeout_s is {value}: it must be above 0, or None for no limit"),
    QT_TRANSLATE_NOOP("app", "n is {count}, but this engine runs {limit} answers at once: ask for fewer"),
    QT_TRANSLATE_NOOP("app", "The text is not valid Unicode at character {place}: save or send it as UTF-8"),
    QT_TRANSLATE_NOOP("app", "{name} is {value}: it must be {wanted}"),
    QT_TRANSLATE_NOOP("app", "a number from 0 up"),
    QT_TRANSLATE_NOOP("app", "0 (off) or more, up to 2**31"),
    QT_TRANSLATE_NOOP("app", "above 0 and at most 1"),
    QT_TRANSLATE_NOOP("app", "from 0 to below 1"),
    QT_TRANSLATE_NOOP("app", "above 0, at most 10"),
    QT_TRANSLATE_NOOP("app", "from -2 to 2"),
    QT_TRANSLATE_NOOP("app", "numbers from -100 to 100"),
    QT_TRANSLATE_NOOP("app", "1 or more"),
    QT_TRANSLATE_NOOP("app", "0 (off) or more"),
    QT_TRANSLATE_NOOP("app", "from 0 to below 2**64"),
    QT_TRANSLATE_NOOP("app", "strings that are not empty"),
    QT_TRANSLATE_NOOP("app", "from 0 to {limit}"),
    QT_TRANSLATE_NOOP("app", "logit_bias names a token twice: give each token one bias"),
    QT_TRANSLATE_NOOP(
        "app",
        "allowed_token_ids and banned_token_ids leave no token to generate: allow one that is not banned",
    ),
    QT_TRANSLATE_NOOP("app", "{name} has the token {token}: this model's tokens are 0 to {last}"),
    QT_TRANSLATE_NOOP(
        "app",
        "{count} requests are waiting already, which is the limit: try again when one has finished",
    ),
    QT_TRANSLATE_NOOP("app", "The model's chat template refused these messages: {reason}"),
    QT_TRANSLATE_NOOP("app", "The model's chat template failed{place}: {reason}"),
    QT_TRANSLATE_NOOP("app", "The model's chat template made more than {limit} characters: shorten the chat"),
    QT_TRANSLATE_NOOP("app", "The model's chat template has an error in line {line}: {reason}"),
    QT_TRANSLATE_NOOP("app", "The model's chat template cannot be used: {reason}"),
    QT_TRANSLATE_NOOP("app", "The model's tokenizer failed ({error}): try again, or convert the model again"),
    QT_TRANSLATE_NOOP("app", "No model is loaded: load one first"),
    QT_TRANSLATE_NOOP("app", "{count} answer still running on {name}: stop them or wait until they end"),
    QT_TRANSLATE_NOOP("app", "{count} answers still running on {name}: stop them or wait until they end"),
    QT_TRANSLATE_NOOP("app", "The engine stopped: restart it and try again"),
    QT_TRANSLATE_NOOP(
        "app", "The engine cannot start: a part of this program is missing or damaged. Install the program again"
    ),
    QT_TRANSLATE_NOOP(
        "app", "{name} cannot be run: a part of this program is missing or damaged. Install the program again"
    ),
)

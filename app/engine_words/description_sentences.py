"""What the catalogue and the list of recommended models say of each.

Knows no errors, only their sentences; recognition.py reads them.
"""

from __future__ import annotations

from app.i18n import QT_TRANSLATE_NOOP

DESCRIPTION_SENTENCES = (
    QT_TRANSLATE_NOOP(
        "app",
        "A small English chat model by Hugging Face to begin with: quick on any computer, often wrong on facts.",
    ),
    QT_TRANSLATE_NOOP("app", "A quick small English model for short questions."),
    QT_TRANSLATE_NOOP("app", "Small, speaks many languages, also Chinese."),
    QT_TRANSLATE_NOOP("app", "Small, thinks before it answers, many languages."),
    QT_TRANSLATE_NOOP("app", "English, good at rewriting and summaries."),
    QT_TRANSLATE_NOOP("app", "Many languages, a good middle for a laptop."),
    QT_TRANSLATE_NOOP("app", "Writes well for its size."),
    QT_TRANSLATE_NOOP("app", "An all-rounder with long chats."),
    QT_TRANSLATE_NOOP("app", "Many languages, knows more; not for commercial use."),
    QT_TRANSLATE_NOOP(
        "app",
        "Thinks before it answers, many languages; the most capable that still runs at reading speed.",
    ),
    QT_TRANSLATE_NOOP("app", "Knows much more, and is slow without a fast computer."),
)

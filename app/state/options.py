"""Owns the table of settings: what there is to choose, with the words for it.

Does not know what was chosen.
"""

from __future__ import annotations

from typing import Any, Literal

from app.i18n import QT_TRANSLATE_NOOP
from app.state.setting import Setting
from engine.api import KvDtype, Speculation

SECTIONS: tuple[tuple[str, str], ...] = (
    ("general", QT_TRANSLATE_NOOP("app", "General")),
    ("appearance", QT_TRANSLATE_NOOP("app", "Appearance")),
    ("chats", QT_TRANSLATE_NOOP("app", "Chats")),
    ("models", QT_TRANSLATE_NOOP("app", "Models")),
    ("engine", QT_TRANSLATE_NOOP("app", "Engine")),
)
"""(section, words) in the order of the settings page."""

LANGUAGE: Setting[Literal["system", "en", "zh_CN"]] = Setting(
    "language",
    "system",
    QT_TRANSLATE_NOOP("app", "Language"),
    QT_TRANSLATE_NOOP("app", "Takes effect at the next start."),
    keywords=QT_TRANSLATE_NOOP("app", "translation english chinese"),
    section="general",
    # A language is called by its own name in every language.
    choices=(("system", QT_TRANSLATE_NOOP("app", "As the system")), ("en", "English"), ("zh_CN", "简体中文")),
)
NOTIFY = Setting(
    "notify",
    True,
    QT_TRANSLATE_NOOP("app", "Tell me when something ends"),
    QT_TRANSLATE_NOOP("app", "A desktop notification, when an answer or a job ends while another window is in front."),
    keywords=QT_TRANSLATE_NOOP("app", "notification alert sound popup"),
    section="general",
)
KEEP_AWAKE = Setting(
    "keep_awake",
    True,
    QT_TRANSLATE_NOOP("app", "Keep the computer awake while it works"),
    QT_TRANSLATE_NOOP("app", "While an answer is written or a model is fetched. The screen may still go dark."),
    keywords=QT_TRANSLATE_NOOP("app", "sleep suspend standby power energy battery"),
    section="general",
)
THEME: Setting[Literal["light", "dark", "contrast", "system"]] = Setting(
    "theme",
    "system",
    QT_TRANSLATE_NOOP("app", "Theme"),
    keywords=QT_TRANSLATE_NOOP("app", "dark light night mode colour color look"),
    section="appearance",
    choices=(
        ("system", QT_TRANSLATE_NOOP("app", "As the system")),
        ("light", QT_TRANSLATE_NOOP("app", "Light")),
        ("dark", QT_TRANSLATE_NOOP("app", "Dark")),
        ("contrast", QT_TRANSLATE_NOOP("app", "High contrast")),
    ),
)
ZOOM_PERCENT = Setting(
    "zoom_percent",
    100,
    QT_TRANSLATE_NOOP("app", "Zoom"),
    QT_TRANSLATE_NOOP("app", "Ctrl+plus, Ctrl+minus; Ctrl+0 resets."),
    keywords=QT_TRANSLATE_NOOP("app", "size scale font text larger smaller big small dpi"),
    section="appearance",
    minimum=80,
    maximum=200,
)
TEMPERATURE = Setting(
    "temperature",
    0.7,
    QT_TRANSLATE_NOOP("app", "Temperature"),
    QT_TRANSLATE_NOOP("app", "0 always takes the likeliest word; higher is more surprising."),
    keywords=QT_TRANSLATE_NOOP("app", "sampling creativity randomness random creative"),
    section="chats",
    minimum=0.0,
    maximum=2.0,
)
TOP_P = Setting(
    "top_p",
    0.95,
    QT_TRANSLATE_NOOP("app", "Top-p"),
    QT_TRANSLATE_NOOP("app", "Only the likeliest words that make up this share together. 1 is off."),
    keywords=QT_TRANSLATE_NOOP("app", "sampling nucleus randomness random"),
    section="chats",
    minimum=0.01,
    maximum=1.0,
)
TOP_K = Setting(
    "top_k",
    0,
    QT_TRANSLATE_NOOP("app", "Top-k"),
    QT_TRANSLATE_NOOP("app", "Only so many of the likeliest words. 0 is off."),
    keywords=QT_TRANSLATE_NOOP("app", "sampling randomness random"),
    section="chats",
    minimum=0,
    maximum=1000,
)
MIN_P = Setting(
    "min_p",
    0.0,
    QT_TRANSLATE_NOOP("app", "Min-p"),
    QT_TRANSLATE_NOOP("app", "Only words at least this likely beside the likeliest. 0 is off."),
    keywords=QT_TRANSLATE_NOOP("app", "sampling randomness random"),
    section="chats",
    minimum=0.0,
    maximum=0.99,
)
REPETITION_PENALTY = Setting(
    "repetition_penalty",
    1.0,
    QT_TRANSLATE_NOOP("app", "Repetition penalty"),
    QT_TRANSLATE_NOOP("app", "Above 1 makes words that were there less likely. 1 is off."),
    keywords=QT_TRANSLATE_NOOP("app", "sampling repeat loop frequency presence"),
    section="chats",
    minimum=0.5,
    maximum=2.0,
)
MAX_TOKENS = Setting(
    "max_tokens",
    0,
    QT_TRANSLATE_NOOP("app", "Longest answer"),
    QT_TRANSLATE_NOOP(
        "app",
        "In tokens. Automatic is up to 4,096, and less where the chat has nearly filled the model's context.",
    ),
    keywords=QT_TRANSLATE_NOOP("app", "length limit max tokens long short reply response"),
    section="chats",
    minimum=0,
    minimum_words=QT_TRANSLATE_NOOP("app", "automatic"),
    maximum=131072,
)
SEED = Setting(
    "seed",
    0,
    QT_TRANSLATE_NOOP("app", "Seed"),
    QT_TRANSLATE_NOOP("app", "The same seed gives the same answer to the same chat."),
    keywords=QT_TRANSLATE_NOOP("app", "sampling random reproducible repeatable deterministic"),
    section="chats",
    minimum=0,
    minimum_words=QT_TRANSLATE_NOOP("app", "another for each answer"),
    # As far as the field counts.
    maximum=2**31 - 1,
)
SYSTEM_PROMPT = Setting(
    "system_prompt",
    "",
    QT_TRANSLATE_NOOP("app", "System prompt"),
    QT_TRANSLATE_NOOP("app", "Stands before the first message of new chats."),
    keywords=QT_TRANSLATE_NOOP("app", "instructions persona role character custom"),
    section="chats",
)
NUM_THREADS = Setting(
    "num_threads",
    0,
    QT_TRANSLATE_NOOP("app", "Threads"),
    QT_TRANSLATE_NOOP("app", "How many of the processor's threads compute. Automatic is one for each core."),
    keywords=QT_TRANSLATE_NOOP("app", "cpu gpu cores processor cuda speed performance compute"),
    section="engine",
    minimum=0,
    minimum_words=QT_TRANSLATE_NOOP("app", "automatic"),
    maximum=256,
)
KV_BUDGET_MIB = Setting(
    "kv_budget_mib",
    0,
    QT_TRANSLATE_NOOP("app", "Memory for chats (MiB)"),
    QT_TRANSLATE_NOOP(
        "app",
        "What all chats share. Automatic is a quarter of the memory that is free beside the model, but no more than "
        "four chats as long as the model allows.",
    ),
    keywords=QT_TRANSLATE_NOOP("app", "ram memory context length window kv cache size"),
    section="engine",
    minimum=0,
    minimum_words=QT_TRANSLATE_NOOP("app", "automatic"),
    maximum=1 << 20,
)
SWAP_BUDGET_MIB = Setting(
    "swap_budget_mib",
    256,
    QT_TRANSLATE_NOOP("app", "Memory for waiting chats (MiB)"),
    QT_TRANSLATE_NOOP("app", "Where a chat's blocks are kept while others need its place; 0 computes them again."),
    keywords=QT_TRANSLATE_NOOP("app", "ram memory swap kv cache"),
    section="engine",
    minimum=0,
    maximum=1 << 20,
)
MAX_RUNNING = Setting(
    "max_running_sequences",
    16,
    QT_TRANSLATE_NOOP("app", "Answers at once"),
    QT_TRANSLATE_NOOP("app", "Further ones wait for their turn."),
    keywords=QT_TRANSLATE_NOOP("app", "parallel concurrent batch simultaneous requests"),
    section="engine",
    minimum=1,
    maximum=64,
)
SPECULATION: Setting[Speculation] = Setting(
    "speculation",
    "lookup",
    QT_TRANSLATE_NOOP("app", "Guess the next words"),
    QT_TRANSLATE_NOOP("app", "Guesses are checked by the model: answers stay the same and come sooner."),
    keywords=QT_TRANSLATE_NOOP("app", "speculative decoding speed faster draft"),
    section="engine",
    choices=(
        ("lookup", QT_TRANSLATE_NOOP("app", "From the chat's own text")),
        ("off", QT_TRANSLATE_NOOP("app", "Never")),
    ),
)
HUB_ENDPOINT = Setting(
    "hub_endpoint",
    "",
    QT_TRANSLATE_NOOP("app", "Model hub"),
    QT_TRANSLATE_NOOP(
        "app",
        "The address of a mirror of the Hugging Face hub, such as https://hub.example; empty for the hub itself. "
        "An access token that you keep is sent there too.",
    ),
    keywords=QT_TRANSLATE_NOOP("app", "huggingface mirror proxy url address server download"),
    section="models",
    is_line=True,
)
DEFAULT_MODEL_ID = Setting("default_model_id", "")
"""Loaded at the start; "" takes the one that was loaded last."""
KV_DTYPE: Setting[KvDtype] = Setting(
    "kv_dtype",
    "auto",
    QT_TRANSLATE_NOOP("app", "Precision of chats in memory"),
    QT_TRANSLATE_NOOP("app", "Eight bits hold about twice as many tokens; answers differ a little."),
    keywords=QT_TRANSLATE_NOOP("app", "kv cache quantization quantisation int8 context length memory"),
    section="engine",
    choices=(
        ("auto", QT_TRANSLATE_NOOP("app", "As the processor works best")),
        ("int8", QT_TRANSLATE_NOOP("app", "Eight bits")),
    ),
)
ENGINE_SETTINGS: tuple[Setting[Any], ...] = (
    NUM_THREADS,
    KV_BUDGET_MIB,
    SWAP_BUDGET_MIB,
    MAX_RUNNING,
    KV_DTYPE,
    SPECULATION,
)
"""They hold from the engine's next start on."""
LAST_MODEL_ID = Setting("last_model_id", "")
WINDOW_GEOMETRY = Setting("window_geometry", "")
"""Base64 of what Qt saves."""
WINDOW_STATE = Setting("window_state", "")
SIDEBAR_WIDTH_PX = Setting("sidebar_width_px", 230, minimum=80, maximum=4096)
MEMORY_WIDTH_PX = Setting("memory_width_px", 390, minimum=80, maximum=4096)
SPLIT_CHAT_IDS = Setting("split_chat_ids", "")
"""The chat in the row and the one beside it, parted by a blank; "" while one is seen alone."""
MEMORY_FOLDED = Setting("memory_folded", "tree steps fit")
"""Keys of the memory view's folded sections, parted by blanks."""
LAST_FOLDERS = Setting("last_folders", "")
"""In which files were chosen, as the dialogs tell it."""
CHAT_COLORS = Setting("chat_colors", "")
"""The colours of the open chats in the memory view, as it tells them."""

SETTINGS: tuple[Setting[Any], ...] = (
    LANGUAGE,
    NOTIFY,
    KEEP_AWAKE,
    THEME,
    ZOOM_PERCENT,
    TEMPERATURE,
    TOP_P,
    TOP_K,
    MIN_P,
    REPETITION_PENALTY,
    MAX_TOKENS,
    SEED,
    SYSTEM_PROMPT,
    HUB_ENDPOINT,
    *ENGINE_SETTINGS,
    DEFAULT_MODEL_ID,
    LAST_MODEL_ID,
    WINDOW_GEOMETRY,
    WINDOW_STATE,
    SIDEBAR_WIDTH_PX,
    MEMORY_WIDTH_PX,
    SPLIT_CHAT_IDS,
    MEMORY_FOLDED,
    CHAT_COLORS,
    LAST_FOLDERS,
)

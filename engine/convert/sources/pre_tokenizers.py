"""How byte-level tokenizers cut a text before they merge: by the name that GGUF files give it, `tokenizer.ggml.pre`.

The names and what they stand for are those of llama.cpp's llama-vocab.cpp; the expressions are the ones of the Hugging
Face tokenizers that it cites, which cut the same way. Left out are the ways that llama.cpp has code of its own for
(kimi-k2, afmoe), and those whose tokens are not bytes (gemma4, sarvam-moe, whitespace). Knows nothing of vocabularies.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

_CONTRACTIONS = r"(?:'[sS]|'[tT]|'[rR][eE]|'[vV][eE]|'[mM]|'[lL][lL]|'[dD])"
_SPACES = r"|\s*[\r\n]+|\s+(?!\S)|\s+"
_MARKS_AND_SPACES = r"| ?[^\s\p{L}\p{N}]+[\r\n]*" + _SPACES
_WORD = r"[^\r\n\p{L}\p{N}]?\p{L}+"
# Words in which capitals do not follow small letters.
_UPPER, _LOWER = r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]", r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]"
_CASED_WORD = rf"[^\r\n\p{{L}}\p{{N}}]?{_UPPER}*{_LOWER}+"
_CAPITAL_WORD = rf"[^\r\n\p{{L}}\p{{N}}]?{_UPPER}+{_LOWER}*"
_PATHS_AND_SPACES = r"| ?[^\s\p{L}\p{N}]+[\r\n/]*" + _SPACES

GPT2 = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
_LLAMA3 = f"{_CONTRACTIONS}|{_WORD}|\\p{{N}}{{1,3}}{_MARKS_AND_SPACES}"
_QWEN2 = f"{_CONTRACTIONS}|{_WORD}|\\p{{N}}{_MARKS_AND_SPACES}"
_QWEN35 = _CONTRACTIONS + r"|[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+|\p{N}| ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*" + _SPACES
_GPT4O = f"{_CASED_WORD}{_CONTRACTIONS}?|{_CAPITAL_WORD}{_CONTRACTIONS}?|\\p{{N}}{{1,3}}{_PATHS_AND_SPACES}"
_TEKKEN = f"{_CASED_WORD}|{_CAPITAL_WORD}|\\p{{N}}{_PATHS_AND_SPACES}"
_JAIS2 = (
    f"{_CONTRACTIONS}|{_WORD}|\\p{{N}}{{1,3}}"
    r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s{512}(?!\S)|\s{256}(?!\S)|\s{128}(?!\S)|\s{64}(?!\S)|\s{32}(?!\S)"
    r"|\s{16}(?!\S)|\s{8}(?!\S)|\s{4}(?!\S)|\s{1,2}(?!\S)|\s{1}"
)
_BAILINGMOE = (
    r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]++[\r\n]*|\s*[\r\n]|\s+(?!\S)|\s+"
)
_SEED_CODER = f"{_CONTRACTIONS}|{_WORD}" + r"|\p{N}| ?[^\s\p{L}\p{N}\r\n]+|\s*[\r\n]+|\s+(?!\S)|\s+"
_EXAONE_MOE = (
    _CONTRACTIONS + r"|[^\r\n\p{L}\p{N}]?(?:\p{L}\p{M}*(?: \p{L}\p{M}*)*)+|\p{N}"
    r"| ?[^\s\p{L}\p{N}]+[\r\n/]?|\s*[\r\n]|\s+(?!\S)|\s+"
)
_WESTERN_PUNCTUATION = r"[!\"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~]"
_DEEPSEEK3 = (
    rf"{_WESTERN_PUNCTUATION}[A-Za-z]+|[^\r\n\p{{L}}\p{{P}}\p{{S}}]?[\p{{L}}\p{{M}}]+"
    r"| ?[\p{P}\p{S}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
_SPARK = (
    rf"{_WESTERN_PUNCTUATION}[A-Za-z]+|[^\r\n\p{{L}}\p{{P}}\p{{S}}]?[\p{{L}}\p{{M}}]+"
    r"| ?[\p{P}\p{S}]+|[\r\n]|\s+(?!\S)|\s+"
)
_CHINESE_AND_KANA = "[\u4e00-\u9fa5\u3040-\u309f\u30a0-\u30ff]+"
_CHINESE_AND_HANGUL = "[\u4e00-\u9fa5\u0800-\u4e00\uac00-\ud7ff]+"
_SENTENCES = " ?[^(\\s|.,!?\u2026\u3002\uff0c\u3001\u0964\u06d4\u060c)]+"
_ASIAN_RUNS = (
    "[\uac00-\ud7a3\u3131-\u318e]+"
    "|[\uff01\u2026\u201c\u201d\u2018\u2019\u2014\uff1a\uff1b\uff0c\u3001-\u303f\ufe30-\ufe4f]+"
    "|[\u3105-\u312f]+|" + _CHINESE_AND_KANA
)
_YOUTU = f"{_CASED_WORD}{_CONTRACTIONS}?|{_CAPITAL_WORD}{_CONTRACTIONS}?|\\p{{N}}{_PATHS_AND_SPACES}"
_SOME_PUNCTUATION = r"[\p{P}\$\+<=>\^~\|]+"


@dataclass(frozen=True, slots=True)
class PreTokenizer:
    """Each expression cuts what the one before has left whole; what matches is a piece, and so is what lies between.

    `takes_whole_words`: a piece that is a token is not merged from parts. `adds_bos`: a prompt begins with the
    beginning token unless the file says otherwise. `composes`: text is brought to Unicode's NFC first.
    """

    expressions: tuple[str, ...]
    takes_whole_words: bool = False
    adds_bos: bool = False
    composes: bool = False


_GPT2_LIKE = PreTokenizer((GPT2,))
_DIGITS = PreTokenizer((r"\p{N}", GPT2))
_LLAMA3_LIKE = PreTokenizer((_LLAMA3,), takes_whole_words=True, adds_bos=True)
_QWEN2_LIKE = PreTokenizer((_QWEN2,), composes=True)
_GPT4O_LIKE = PreTokenizer((_GPT4O,))
_DEEPSEEK3_LIKE = PreTokenizer((r"\p{N}{1,3}", _CHINESE_AND_KANA, _DEEPSEEK3))
_BAILINGMOE_LIKE = PreTokenizer((_BAILINGMOE,))

PRE_TOKENIZERS: Mapping[str, PreTokenizer] = {
    "default": PreTokenizer((_SOME_PUNCTUATION, GPT2, r"\p{N}+", "[0-9][0-9][0-9]")),
    **dict.fromkeys(
        (
            "gpt-2", "phi-2", "jina-es", "jina-de", "gigachat", "jina-v2-es", "jina-v2-de", "a.x-4.0", "mellum",
            "modern-bert", "jina-v1-en", "jina-v2-code", "roberta-bpe", "mpt", "olmo", "jais", "trillion",
            "granite-docling", "exaone4",
        ),
        _GPT2_LIKE,
    ),
    **dict.fromkeys(
        ("smollm", "starcoder", "refact", "codeshell", "exaone", "command-r", "minerva-7b", "mellum2"), _DIGITS
    ),
    **dict.fromkeys(
        ("llama-bpe", "llama3", "llama-v3", "falcon3", "falcon-h1", "pixtral", "midm-2.0", "lfm2", "jina-v5-nano"),
        _LLAMA3_LIKE,
    ),
    **dict.fromkeys(("dbrx", "smaug-bpe", "glm4", "chatglm-bpe"), PreTokenizer((_LLAMA3,))),
    **dict.fromkeys(("qwen2", "deepseek-r1-qwen", "kormo", "f2llmv2"), _QWEN2_LIKE),
    **dict.fromkeys(("stablelm2", "megrez", "hunyuan", "solar-open", "grok-2"), PreTokenizer((_QWEN2,))),
    "qwen35": PreTokenizer((_QWEN35,), composes=True),
    "tekken": PreTokenizer((_TEKKEN,), takes_whole_words=True, adds_bos=True),
    **dict.fromkeys(("gpt-4o", "llama4", "kanana2", "talkie", "minimax-m2"), _GPT4O_LIKE),
    **dict.fromkeys(("tiny_aya", "cohere2moe"), PreTokenizer((r"\d{1,3}(?=(?:\d{3})*\b)", _GPT4O))),
    "deepseek-llm": PreTokenizer(
        (
            r"[\r\n]",
            # The letters that have a case, as Unicode 11 knows them.
            r"\s?[\p{Lu}\p{Ll}\p{Lt}]+",
            "\\s?[!-/:-~\uff01-\uff0f\uff1a-\uff5e\u2018-\u201f\u3000-\u3002]+",
            r"\s+$",
            _CHINESE_AND_HANGUL,
            r"\p{N}+",
        )
    ),
    "deepseek-coder": PreTokenizer((r"[\r\n]", r"\s?\p{L}+", r"\s?\p{P}+", _CHINESE_AND_HANGUL, r"\p{N}")),
    **dict.fromkeys(("deepseek-v3", "hunyuan-dense", "joyai-llm", "hy_v4"), _DEEPSEEK3_LIKE),
    "spark2_5": PreTokenizer((r"\p{N}{1,3}", _CHINESE_AND_KANA, _SPARK, r"\p{N}")),
    "falcon": PreTokenizer((r"[\p{P}\$\+<=>\^~\|`]+", GPT2, "[0-9][0-9][0-9]")),
    "jais-2": PreTokenizer((_JAIS2,)),
    **dict.fromkeys(("poro-chat", "bloom", "gpt3-finnish"), PreTokenizer((_SENTENCES,))),
    "viking": PreTokenizer((_SENTENCES, r"\p{N}")),
    **dict.fromkeys(("bailingmoe", "bailingmoe2", "llada-moe"), _BAILINGMOE_LIKE),
    "seed-coder": PreTokenizer((_SEED_CODER,)),
    "superbpe": PreTokenizer((r"\p{N}+", r"(?=(\d{3})+(?!\d))")),
    "minicpm5": PreTokenizer(
        (r"\p{N}{1,3}", f"{_CONTRACTIONS}|{_WORD}|\\p{{N}}+{_MARKS_AND_SPACES}"), takes_whole_words=True
    ),
    "exaone-moe": PreTokenizer((_EXAONE_MOE,)),
    "ufakzeka": PreTokenizer((f"{_WORD}|\\p{{N}}{_MARKS_AND_SPACES}",)),
    "youtu": PreTokenizer((_ASIAN_RUNS, _YOUTU), takes_whole_words=True),
    "chameleon": PreTokenizer(
        (
            "<sentinel:[0-9]+>",
            "(IMGIMG)((A|B|C|D|E|F|G|H|I){1,4})Z",
            "([\\t\\n]|    |  )",
            r"\p{N}",
            r"[\p{P}!-/:-@\[-`{-~]",
            GPT2,
        ),
        adds_bos=True,
    ),
    "laguna": PreTokenizer((r"[^\n]+|[\n]+", _QWEN2)),
}  # fmt: skip

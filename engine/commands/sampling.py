"""The options of `generate` and `chat` that become `SamplingParams`. Knows nothing of what may be asked."""

from __future__ import annotations

import argparse

from engine.messages import SamplingParams


def add_sampling(parser: argparse.ArgumentParser) -> None:
    _add_choice(parser)
    _add_tokens(parser)
    _add_end(parser)


def _add_choice(parser: argparse.ArgumentParser) -> None:
    defaults = SamplingParams()
    parser.add_argument("--temperature", type=float, default=defaults.temperature, help="0 is greedy (%(default)s)")
    parser.add_argument("--top-k", type=int, default=defaults.top_k, help="0 is off (%(default)s)")
    for flag, off in (
        ("top-p", 1),
        ("min-p", 0),
        ("typical-p", 1),
        ("repetition-penalty", 1),
        ("frequency-penalty", 0),
        ("presence-penalty", 0),
    ):
        default = getattr(defaults, flag.replace("-", "_"))
        parser.add_argument(f"--{flag}", type=float, default=default, help=f"{off} is off (%(default)s)")
    parser.add_argument("--seed", type=int, help="makes the answer repeatable")


def _add_tokens(parser: argparse.ArgumentParser) -> None:
    for flag, text in (
        ("ban-token", "never generate the token of this id; may be given several times"),
        ("allow-token", "generate only tokens given so"),
    ):
        parser.add_argument(f"--{flag}", type=int, action="append", metavar="ID", help=text)
    parser.add_argument(
        "--logit-bias",
        type=_bias,
        action="append",
        default=[],
        metavar="ID:BIAS",
        help="add to the logit of the token of this id; may be given several times",
    )


def _add_end(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--max-tokens", type=int, help="at most so many tokens of answer")
    parser.add_argument("--min-tokens", type=int, default=0, help="at least so many tokens of answer")
    parser.add_argument("--ignore-eos", action="store_true", help="go on after the model's own end tokens")
    parser.add_argument("--stop", action="append", default=[], help="end before this text; may be given several times")
    parser.add_argument(
        "--stop-token", type=int, action="append", default=[], metavar="ID", help="end with this token; as above"
    )


def read_sampling(args: argparse.Namespace) -> SamplingParams:
    """The options of `add_sampling`."""
    return SamplingParams(
        temperature=args.temperature,
        top_k=args.top_k,
        top_p=args.top_p,
        min_p=args.min_p,
        max_tokens=args.max_tokens,
        stop=tuple(args.stop),
        seed=args.seed,
        typical_p=args.typical_p,
        repetition_penalty=args.repetition_penalty,
        frequency_penalty=args.frequency_penalty,
        presence_penalty=args.presence_penalty,
        logit_bias=tuple(args.logit_bias),
        banned_token_ids=tuple(args.ban_token or ()),
        allowed_token_ids=None if args.allow_token is None else tuple(args.allow_token),
        min_tokens=args.min_tokens,
        ignore_eos=args.ignore_eos,
        stop_token_ids=tuple(args.stop_token),
    )


def _bias(text: str) -> tuple[int, float]:
    """`ID:BIAS`. Raises ArgumentTypeError for anything else."""
    token_id, _, bias = text.partition(":")
    try:
        return int(token_id), float(bias)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"{text!r} is not ID:BIAS, such as 42:-5") from error

"""`generate` and `chat`: answers on the terminal, through the same engine as the window."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, get_args

from engine.commands.answer_printer import AnswerPrinter
from engine.commands.completions import CompletedAnswer, Completion, collect
from engine.commands.exit_codes import EXIT_ERROR, EXIT_OK
from engine.commands.kv_option import add_kv_dtype
from engine.commands.prefix_files import add_prefix_files, restore_prefix, save_prefix
from engine.commands.sampling import add_sampling, read_sampling
from engine.commands.session import EngineSession
from engine.commands.trim_notice import TrimNotice
from engine.config import EngineConfig, Speculation, Weights
from engine.errors import InvalidRequestError
from engine.messages import (
    Cancel,
    ChatMessage,
    ContextTrimmed,
    RequestFailed,
    RequestFinished,
    SamplingParams,
    Submit,
    TextDelta,
    WhenFull,
)


def add_parsers(subparsers: argparse._SubParsersAction[Any]) -> None:
    generate = subparsers.add_parser("generate", help="answer one or more prompts, all at once")
    generate.add_argument("model", metavar="MODEL")
    generate.add_argument("--prompt", action="append", required=True, help="may be given several times")
    generate.add_argument("--raw", action="store_true", help="continue the prompt as it is, without chat template")
    _add_answering(generate)
    generate.add_argument("--logprobs", type=int, metavar="N", help="tell the N most probable tokens too (with --json)")
    generate.add_argument("--prompt-logprobs", type=int, metavar="N", help="the same for the prompt's tokens")
    generate.add_argument("-n", type=int, default=1, help="so many answers to each prompt (%(default)s)")
    add_prefix_files(generate)
    generate.set_defaults(run=run_generate)
    chat = subparsers.add_parser("chat", help="chat on the terminal")
    chat.add_argument("model", metavar="MODEL")
    _add_answering(chat)
    chat.add_argument(
        "--when-full",
        choices=("stop", "drop-oldest"),
        default="stop",
        help="when the chat has outgrown the context: stop, or let the model forget the oldest turns (%(default)s)",
    )
    chat.set_defaults(run=run_chat)


def _add_answering(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--system", help="a system prompt")
    parser.add_argument("--kv-mib", type=int, help="memory for the KV cache in MiB (a share of what is free)")
    add_kv_dtype(parser)
    parser.add_argument(
        "--speculate",
        choices=get_args(Speculation),
        default=EngineConfig().speculation,
        help="guess tokens by what stood before, or by a draft model; the answers stay the same (%(default)s)",
    )
    parser.add_argument(
        "--weights",
        choices=get_args(Weights),
        default=EngineConfig().weights,
        help="mapped from a file that is made with the first load, or repacked into memory (%(default)s)",
    )
    parser.add_argument("--draft-model", metavar="NAME", help="the model that guesses, with --speculate draft")
    add_sampling(parser)


def _config(args: argparse.Namespace) -> EngineConfig:
    if args.draft_model is not None and args.speculate != "draft":
        raise InvalidRequestError("--draft-model has a place with --speculate draft only: give both, or neither")
    budget = None if args.kv_mib is None else args.kv_mib << 20
    return EngineConfig(
        home=args.home,
        backend=args.backend,
        kv_budget_bytes=budget,
        kv_dtype=args.kv_dtype,
        speculation=args.speculate,
        draft_model=args.draft_model,
        weights=args.weights,
    )


def run_generate(args: argparse.Namespace) -> int:
    """All prompts run in one engine at once. Exit code 2 if any of them failed; the others are printed all the same."""
    if args.raw and args.system is not None:
        raise InvalidRequestError("--raw uses no chat template, so --system has no place: leave one of them out")
    params = replace(read_sampling(args), logprobs=args.logprobs, prompt_logprobs=args.prompt_logprobs, n=args.n)
    # All of them may have to wait.
    config = replace(_config(args), max_waiting_requests=len(args.prompt))
    # The engine refuses more answers than it runs at once, so there is no need of a place for each.
    num_answers = max(1, min(params.n, config.max_running_sequences))
    completions = {
        str(index): Completion([CompletedAnswer() for _ in range(num_answers)]) for index in range(len(args.prompt))
    }
    failures: list[str] = []
    with EngineSession(config, args.model) as session:
        if args.restore_prefix is not None:
            restore_prefix(session, args.restore_prefix, owner="0")
        for request_id, prompt in zip(completions, args.prompt, strict=True):
            session.send(_submit(request_id, prompt, args, params))
        collect(session, completions)
        for index, completion in enumerate(completions.values()):
            if completion.error is not None:
                failures.append(f"prompt {index + 1}: {completion.error.message}")
        # Of a prompt that failed there may be nothing, and what else is kept under its name was not asked for.
        if args.save_prefix is not None and completions["0"].error is None:
            failures += save_prefix(session, args.save_prefix, owner="0")
    if args.json:
        print(json.dumps([completion.to_json() for completion in completions.values()], ensure_ascii=False, indent=1))
    else:
        _print_texts(list(completions.values()))
    for failure in failures:
        print(f"error: {failure}", file=sys.stderr)
    return EXIT_ERROR if failures else EXIT_OK


def _submit(request_id: str, prompt: str, args: argparse.Namespace, params: SamplingParams) -> Submit:
    if args.raw:
        return Submit(request_id, params, prompt=prompt, owner=request_id)
    return Submit(request_id, params, messages=(*_system(args), ChatMessage("user", prompt)), owner=request_id)


def _system(args: argparse.Namespace) -> tuple[ChatMessage, ...]:
    return () if args.system is None else (ChatMessage("system", args.system),)


def _print_texts(completions: list[Completion]) -> None:
    for index, completion in enumerate(completions):
        if completion.error is not None:
            continue
        for answer_index, answer in enumerate(completion.answers):
            if len(completion.answers) > 1:
                print(f"--- {index + 1}.{answer_index + 1}")
            elif len(completions) > 1:
                print(f"--- {index + 1}")
            print(answer.text)


_LEAVE = ("/quit", "/exit")
_CHAT_HELP = """\
/help         this text
/quit, /exit  leave (also Ctrl+D, on Windows Ctrl+Z and Enter)
Ctrl+C        stop an answer; at the prompt leave
All else is a message to the model."""


def run_chat(args: argparse.Namespace) -> int:
    """Reads lines until end of input. Ctrl+C stops an answer; at the prompt it leaves."""
    params = read_sampling(args)
    when_full: WhenFull = "drop_oldest" if args.when_full == "drop-oldest" else "stop"
    messages = list(_system(args))
    notice = TrimNotice(sys.stderr)
    with EngineSession(_config(args), args.model) as session:
        if sys.stdin.isatty():
            print("Write a message; Ctrl+C stops an answer, /quit leaves, /help tells more.", file=sys.stderr)
        for turn, line in enumerate(_lines()):
            messages.append(ChatMessage("user", line))
            submit = Submit(str(turn), params, messages=tuple(messages), owner="chat", when_full=when_full)
            answer = _stream_answer(session, submit, notice)
            if answer is None:
                messages.pop()
            else:
                messages.append(ChatMessage("assistant", answer))
    return EXIT_OK


def _lines() -> Iterator[str]:
    while True:
        if sys.stdin.isatty():
            print("> ", end="", flush=True)
        line = sys.stdin.readline()
        word = line.strip()
        if not line or (sys.stdin.isatty() and word in _LEAVE):
            return
        if sys.stdin.isatty() and word.startswith("/") and " " not in word:
            # To a person a slash is a command; in a file it is as good a message as any.
            print(_CHAT_HELP, file=sys.stderr)
        elif word:
            yield line.rstrip("\r\n")


def _stream_answer(session: EngineSession, submit: Submit, notice: TrimNotice) -> str | None:
    """Print the answer as it comes; None if the request failed, in which case the reason was printed."""
    session.send(submit)
    request_id = submit.request_id
    text = ""
    printer = AnswerPrinter(sys.stdout)
    events = session.events()
    while True:
        try:
            event = next(events)
        except KeyboardInterrupt:
            session.send(Cancel(request_id))
            events = session.events()
            continue
        match event:
            case ContextTrimmed(id_) if id_ == request_id:
                notice.show(event, submit.messages)
            case TextDelta(id_, new_text, _, _, reasoning) if id_ == request_id:
                text += new_text
                printer.add(new_text, reasoning)
            case RequestFinished(id_) if id_ == request_id:
                printer.end()
                _print_facts(event)
                return text
            case RequestFailed(id_, _, message) if id_ == request_id:
                printer.end()
                print(f"error: {message}", file=sys.stderr)
                return None


def _print_facts(end: RequestFinished) -> None:
    if not sys.stderr.isatty():
        return
    facts = []
    if end.tokens_per_s is not None:
        facts.append(f"{end.tokens_per_s:.0f} tok/s")
    if end.ttft_s is not None:
        facts.append(f"first token {end.ttft_s:.2f} s")
    if end.num_drafted_tokens:
        facts.append(f"{end.num_accepted_tokens} of {end.num_drafted_tokens} guesses right")
    facts += [f"{end.num_cached_tokens} cached", end.reason]
    print(f"[{' · '.join(facts)}]", file=sys.stderr)

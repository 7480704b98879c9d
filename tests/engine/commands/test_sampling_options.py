"""The options of `generate` and `chat` that become sampling parameters."""

import argparse

import pytest

from engine.commands.sampling import add_sampling, read_sampling
from engine.messages import SamplingParams


def read(*arguments):
    parser = argparse.ArgumentParser()
    add_sampling(parser)
    return read_sampling(parser.parse_args(arguments))


def test_without_options_they_are_the_defaults():
    assert read() == SamplingParams()


def test_lists_are_given_one_by_one():
    params = read(
        *("--logit-bias", "42:-5", "--logit-bias", "7:0.5", "--ban-token", "1", "--ban-token", "2"),
        *("--allow-token", "3", "--stop-token", "4", "--stop-token", "5", "--ignore-eos", "--min-tokens", "6"),
    )
    assert params == SamplingParams(
        logit_bias=((42, -5.0), (7, 0.5)),
        banned_token_ids=(1, 2),
        allowed_token_ids=(3,),
        stop_token_ids=(4, 5),
        ignore_eos=True,
        min_tokens=6,
    )


def test_penalties_and_filters_have_options_of_their_names():
    params = read(
        *("--typical-p", "0.9", "--repetition-penalty", "1.1"),
        *("--frequency-penalty", "-0.5", "--presence-penalty", "0.25"),
    )
    assert (params.typical_p, params.repetition_penalty) == (0.9, 1.1)
    assert (params.frequency_penalty, params.presence_penalty) == (-0.5, 0.25)


@pytest.mark.parametrize("bias", ["42", "x:1", "42:", ":3", "1.5:2"])
def test_what_is_no_bias_is_refused(bias, capsys):
    with pytest.raises(SystemExit):
        read("--logit-bias", bias)
    assert f"{bias!r} is not ID:BIAS, such as 42:-5" in capsys.readouterr().err

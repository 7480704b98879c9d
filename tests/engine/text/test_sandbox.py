"""What a template may not do: run for long, or make texts of gigabytes. And what it may, as in transformers."""

import pytest
from transformers.utils.chat_template_utils import render_jinja_template

from engine.errors import InvalidRequestError
from engine.messages import ChatMessage
from engine.text.budget import MAX_RENDER_S, MAX_SIZE, MAX_STEPS, Budget, TooMuchWorkError, written_size
from engine.text.template import ChatTemplate

USER = (ChatMessage("user", "hi"),)
BIG = "{% set big = 'x' * 8000000 %}"


def render(source, **variables):
    return ChatTemplate(source, "<s>", "</s>").render(USER, **variables)


@pytest.mark.parametrize(
    "source",
    [
        "{{ 'x' * 10**9 }}",
        "{{ 10**9 * 'x' }}",
        "{{ ['x'] * 10**9 }}",
        "{{ 10 ** 1000000000 }}",
        "{% set ns = namespace(n=3) %}{% for i in range(60) %}{% set ns.n = ns.n * ns.n %}{% endfor %}",
        "{% for i in range(99999) %}{% for j in range(99999) %}{% endfor %}{% endfor %}",
        "{% for i in range(99999) %}{% for j in range(99999) %}x{% endfor %}{% endfor %}",
        "{% set ns = namespace(s='xxxx') %}{% for i in range(60) %}{% set ns.s = ns.s + ns.s %}{% endfor %}",
        "{% set ns = namespace(s='xxxx') %}{% for i in range(60) %}{% set ns.s = ns.s ~ ns.s %}{% endfor %}",
        "{% set ns = namespace(s='xxxx') %}{% for i in range(60) %}{% set ns.s = [ns.s, ns.s]|join %}{% endfor %}",
        "{% set ns = namespace(s='x') %}{% for i in range(60) %}{% set ns.s = ns.s.replace('x', 'xx') %}{% endfor %}",
        "{% set ns = namespace(s='x') %}{% for i in range(60) %}{% set ns.s = ns.s|replace('x', 'xx') %}{% endfor %}",
        "{% set ns = namespace(l=[1]) %}{% for i in range(60) %}{% set ns.l = [ns.l, ns.l] %}{% endfor %}{{ ns.l }}",
        "{% set ns = namespace(l=[1]) %}{% for i in range(60) %}{% set ns.l = [ns.l, ns.l] %}{% endfor %}"
        "{{ ns.l|tojson }}",
        "{% set ns = namespace(l=[1]) %}{% for i in range(60) %}{% set ns.l = [ns.l, ns.l] %}{% endfor %}"
        "{{ ns.l|string }}",
        "{% set s %}xxxx{% endset %}" + "{% set s %}{{ s }}{{ s }}{% endset %}" * 60,
        "{% macro m(s) %}{{ s }}{{ s }}{% endmacro %}{% set ns = namespace(s='x') %}"
        "{% for i in range(60) %}{% set ns.s = m(ns.s) %}{% endfor %}",
        "{% macro m(n) %}{% if n %}{{ m(n - 1) }}{{ m(n - 1) }}{% endif %}{% endmacro %}{{ m(60) }}",
        "{% for i in [[[]]] recursive %}{{ loop([[], []]) }}{{ loop(i) }}{% endfor %}"
        "{% for i in range(9999) recursive %}{{ loop(range(9999)) }}{% endfor %}",
        "{% set ns = namespace(a=[1], b=[1]) %}{% for i in range(60) %}{% set ns.a = [ns.a, ns.a] %}"
        "{% set ns.b = [ns.b, ns.b] %}{% endfor %}{{ ns.a == ns.b }}",
        "{{ ('a,' * 4000000)|list|sort|length }}",
        "{{ strftime_now('%c' * 4000000)|length }}",
        "{{ 'x'|center(10**9) }}",
        "{{ 'x'.center(10**9) }}",
        "{{ 'x'.zfill(10**9) }}",
        "{{ 'x\n'|indent(10**9) }}",
        "{{ '%1000000000d' % 1 }}",
        "{{ '%*d' % (10**9, 1) }}",
        "{{ '%1000000000d'|format(1) }}",
        "{{ '{:1000000000}'.format(1) }}",
        "{{ '{:{}}'.format(1, 10**9) }}",
        "{{ {'a': 1}|tojson(indent=10**9) }}",
        "{{ range(99999)|list|map('center', 99999)|list|length }}",
        "{{ lipsum(n=10**6) }}",
        "{{ range(99999)|batch(1)|sum(start=[])|length }}",
        BIG + "{{ big|wordwrap(10) }}",
        BIG + "{{ big|urlize }}",
        BIG + "{% for i in range(9999) %}{{ big }}{% endfor %}",
        BIG + "{% set l = [] %}{% for i in range(9999) %}{% set l = l + [big ~ i] %}{% endfor %}",
        BIG + "{{ ([big] * 99999)|join }}",
        BIG + "{{ big.join(range(99999)|map('string')) }}",
        BIG + "{% for i in range(99999) %}{% if big + 'a' == big + 'b' %}{% endif %}{% endfor %}",
        BIG + "{% for i in range(99999) %}{% if big|upper == 'b' %}{% endif %}{% endfor %}",
    ],
)
def test_too_much_work_is_refused(source):
    with pytest.raises(InvalidRequestError, match="chat template"):
        render(source)


def test_the_clock_ends_what_is_not_counted():
    now_s = [0.0]
    budget = Budget(lambda: now_s[0])
    now_s[0] = MAX_RENDER_S + 0.1
    with pytest.raises(TooMuchWorkError, match="not done"):
        list(budget.count(range(MAX_STEPS)))


def test_each_rendering_has_a_budget_of_its_own():
    template = ChatTemplate("{% set s = 'x' * 8000000 %}{{ s|length }}", "", "")
    assert [template.render(USER) for _ in range(40)] == ["8000000"] * 40


def test_a_long_chat_is_within_the_budget():
    turns = [ChatMessage("user" if i % 2 == 0 else "assistant", "word " * 200) for i in range(1000)]
    source = "{% for m in messages %}{{ '<' + m.role + '>' + m.content|trim + '\n' }}{% endfor %}"
    assert len(ChatTemplate(source, "", "").render(turns)) > 1_000_000 - len(turns)


def test_written_size_stops_counting_a_list_that_holds_itself_many_times():
    value = [1]
    for _ in range(60):
        value = [value, value]
    assert MAX_SIZE < written_size(value) < 2 * MAX_SIZE


SAME = {
    "generation": "{% for m in messages %}{% generation %}{{ m.content }}{% endgeneration %}!{% endfor %}",
    "generation scope": "{% set x = 1 %}{% generation %}{% set x = 2 %}{{ x }}{% endgeneration %}{{ x }}",
    "loop controls": "{% for i in range(9) %}{% if i == 1 %}{% continue %}{% elif i == 4 %}{% break %}{% endif %}"
    "{{ i }}{% endfor %}",
    "loop facts": "{% for i in 'abc' %}{{ loop.index }}{{ loop.length }}{{ loop.revindex0 }}{{ loop.last }}"
    "{{ loop.previtem }}{{ loop.nextitem }}{{ loop.cycle('x', 'y') }}{{ loop.changed(i) }}{% endfor %}",
    "loop filter and else": "{% for i in range(5) if i > 7 %}{{ i }}{% else %}none{% endfor %}",
    "loop over pairs": "{% for k, v in {'b': 1, 'a': [2, none]}.items() %}{{ k }}={{ v }};{% endfor %}",
    "recursive loop": "{% for i in [[1, [2]], [3]] recursive %}[{% if i is iterable %}{{ loop(i) }}"
    "{% else %}{{ i }}{% endif %}]{% endfor %}",
    "tojson": "{{ {'é': '<b>', 'a': [1, none, true]}|tojson }}{{ {'b': 1, 'a': 2}|tojson(indent=2, sort_keys=true) }}"
    "{{ 'é'|tojson(ensure_ascii=true) }}{{ [1, 2]|tojson(separators=(',', ':')) }}",
    "concat": "{{ 'a' ~ 1 ~ none ~ [1] ~ undefined_name }}",
    "filters": "{{ [3, 1]|sort|join(', ') }}{{ 'x'|center(5) }}{{ messages|map(attribute='role')|join('-') }}"
    "{{ [{'a': 1}]|join(attribute='a') }}{{ 'a\nb'|indent(2, true) }}{{ '%s-%d'|format('a', 3) }}{{ 3|string * 2 }}"
    "{{ messages|selectattr('role', 'equalto', 'user')|list|length }}{{ [1, [2]]|string }}{{ ' x '|trim }}",
    "operators": "{{ '%s %5d' % ('a', 3) }}{{ 'ab' * 3 }}{{ [1] * 2 }}{{ 2 ** 10 }}{{ 7 // 2 }}{{ 1.5 * 2 }}{{-1*3}}",
    "methods": "{{ 'a,b'.split(',') }}{{ '{} {x}'.format(1, x=2) }}{{ 'ab'.replace('a', 'c') }}{{ 'x'.ljust(3) }}|",
    "output": "{{ none }}{{ true }}{{ 1.0 }}{{ {'a': 'é'} }}{{ missing }}{{ missing is defined }}{{ tools is none }}",
    "whitespace": "  {% if true %}\n  a\n  {%- endif %}\n\n{{ 'b' }}\n",
    "macro": "{% macro m(x, y='d') %}<{{ x }}{{ y }}{{ caller() if caller }}>{% endmacro %}{{ m(1) }}"
    "{% call m(2, y=3) %}in{% endcall %}",
    "namespace": "{% set ns = namespace(a=1, b=[]) %}{% for m in messages %}{% set ns.a = ns.a + 1 %}"
    "{% endfor %}{{ ns.a }}",
    "capture": "{% set t %}a{{ 1 }}{% endset %}{{ t }}{% filter upper %}b{{ t }}{% endfilter %}",
    "functions": "{{ dict(a=1) }}{{ range(3)|list }}{{ strftime_now('%') }}"
    "{% set c = cycler('a', 'b') %}{{ c.next() }}",
    "tokens": "{{ bos_token }}{{ eos_token }}{{ unk_token }}{{ add_generation_prompt }}{{ enable_thinking }}",
}


@pytest.mark.parametrize("source", SAME.values(), ids=SAME)
def test_the_text_is_that_of_transformers(source):
    turns = [{"role": "user", "content": "hi"}]
    variables = {"add_generation_prompt": True, "enable_thinking": False, "unk_token": "<unk>"}
    tokens = {"bos_token": "<s>", "eos_token": "</s>"}
    expected = render_jinja_template([turns], chat_template=source, **tokens, **variables)[0][0]
    assert render(source, **variables) == expected
    assert expected

"""How figures look: tables, charts, the page and the JSON."""

import json
from xml.etree import ElementTree

import pytest

from engine.bench.charts import BarChart
from engine.bench.comparison import Result
from engine.bench.report import Report, Section
from engine.bench.tables import Table, compared, listed, number
from engine.bench.workloads import Metric

RATE, WAIT = Metric("tokens/s", "1/s", "more"), Metric("first token", "ms", "less")
RESULTS = [
    Result("1 | alone", RATE, {"ours": [20.0, 22.0, 21.0], "theirs": [10.0, 10.0, 10.0]}),
    Result("8", RATE, {"ours": [1234.5], "theirs": []}),
]


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "–"),
        (0, "0.00"),
        (9.994, "9.99"),
        (9.996, "10.0"),
        (99.96, "100"),
        (12345.6, "12,346"),
        (-12.34, "-12.3"),
    ],
)
def test_numbers_have_three_digits(value, text):
    assert number(value) == text


def test_compared_sides_stand_in_columns_with_their_ratio():
    table = compared(RESULTS, ["ours", "theirs"])
    assert table.headers == ("tokens/s", "ours", "theirs", "ratio")
    assert table.rows == (("1 | alone", "21.0", "10.0", "2.10"), ("8", "1,234", "–", "–"))


def test_with_several_peers_each_ratio_names_its_own():
    results = [Result("1", RATE, {"ours": [4.0], "a": [2.0], "b": [8.0]}), Result("1", WAIT, {"ours": [1.0]})]
    table = compared(results, ["ours", "a", "b"])
    assert table.headers == ("1", "ours", "a", "b", "ratio to a", "ratio to b")
    assert table.rows[0] == ("tokens/s", "4.00", "2.00", "8.00", "2.00", "0.50")
    assert table.rows[1][0] == "first token [ms]"


def test_figures_of_one_side_stand_in_columns():
    results = [Result("cold", RATE, {"ours": [1.0]}), Result("warm", WAIT, {"ours": [2.0]})]
    table = listed(results, "ours")
    assert table.headers == ("", "tokens/s", "first token [ms]")
    assert table.rows == (("cold", "1.00", "–"), ("warm", "–", "2.00"))


def test_text_is_aligned_and_markdown_is_escaped():
    table = Table(("", "a"), (("1 | x", "10"), ("2", "7")))
    assert table.to_text() == "        a\n1 | x  10\n2       7"
    assert table.to_markdown() == "|  | a |\n| --- | ---: |\n| 1 \\| x | 10 |\n| 2 | 7 |"


def test_chart_draws_bars_by_their_values_and_leaves_out_what_is_missing():
    svg = BarChart("Rates & more", ["1", "<8>"], ["ours", "theirs"], [[20.0, 10.0], [5.0, None]]).to_svg()
    root = ElementTree.fromstring(svg)
    bars = [element for element in root.iter("{http://www.w3.org/2000/svg}rect") if element.get("height") == "16"]
    widths = [float(bar.get("width")) for bar in bars]
    assert widths == [460, 115, 230]
    texts = [element.text for element in root.iter("{http://www.w3.org/2000/svg}text")]
    assert {"Rates & more", "<8>", "ours", "theirs", "20", "5"} <= set(texts)


def test_page_has_every_section_and_its_charts(tmp_path):
    chart = BarChart("Rates", ["1"], ["ours"], [[1.0]])
    report = Report("Model on machine", "model", {"Threads": "2"})
    report.sides.append({"name": "ours", "threads": 2})
    report.sections.append(
        Section("decode", "Decode", Table(("", "a"), (("1", "2"),)), [{"case": "1"}], ("a note",), (chart, chart))
    )
    page = report.write_markdown(tmp_path / "docs")
    text = page.read_text(encoding="utf-8")
    assert page.name == "model.md"
    for part in ("# Model on machine", "- Threads: 2", "**ours** threads 2", "## Decode", "| 1 | 2 |", "a note"):
        assert part in text
    assert "![Rates](model-decode.svg)" in text
    assert "![Rates](model-decode-2.svg)" in text
    assert (tmp_path / "docs" / "model-decode-2.svg").read_text(encoding="utf-8") == chart.to_svg()
    assert json.loads(json.dumps(report.to_json()))["workloads"]["decode"]["results"] == [{"case": "1"}]

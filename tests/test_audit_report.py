"""The report of an audit: every format, and every printed number on its safe side."""

import csv
import io
import json
import math
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from checker import audit_report, scorefile, scores
from checker.attention import Mask
from checker.audit import Audit
from checker.errors import InputError
from checker.formats import FORMATS
from checker.scorearray import Scores

DATA = Path(__file__).parent / "data" / "minilm_scores.npz"


@pytest.fixture(scope="module")
def short() -> Audit:
    return scores.audit(scorefile.read(DATA, "short"), mask=Mask.STRICT_FUTURE)


def test_text_names_the_hardest_heads_first(short: Audit) -> None:
    text = audit_report.report(short)
    assert "72 heads, 648 rows of 9 keys, 72 of them empty under the mask" in " ".join(text.split())
    lines = text.splitlines()
    first = lines[next(i for i, line in enumerate(lines) if line.startswith("─")) + 1]
    assert first.split() == ["0,1", "8", "0.0003412", "0.06134", "every", "1.000", "0.6711", "4"]
    assert "\n10 rows of lowest temperature\n" in text


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("every_row", [False, True])
def test_every_format(short: Audit, form: str, every_row: bool) -> None:
    text = audit_report.report(short, form, every_row=every_row)
    assert text.endswith("\n")
    if form == "latex":
        assert text.count(r"\toprule") == text.count(r"\bottomrule") == 2
        assert "6.179e-5" not in text
    if form == "markdown":
        lines = text.splitlines()
        assert sum(line.startswith("| :--") for line in lines) == 2
        assert all(line.count(" | ") in (7, 10) for line in lines if line.startswith("| "))


def test_unknown_format_and_digits(short: Audit) -> None:
    with pytest.raises(InputError, match="format must be one of text, markdown, latex, csv, json, got 'pdf'"):
        audit_report.report(short, "pdf")
    with pytest.raises(InputError, match="digits must be at least 1, got 0"):
        audit_report.report(short, digits=0)


@pytest.mark.parametrize("digits", [1, 3, 12])
def test_csv_is_on_the_safe_side(short: Audit, digits: int) -> None:
    lines = list(csv.DictReader(io.StringIO(audit_report.report(short, "csv", every_row=True, digits=digits))))
    assert len(lines) == short.rows
    for number, line in enumerate(lines):
        row = short.row(number)
        assert line["row"] == ",".join(map(str, row.index))
        assert line["hard"] == " ".join(map(str, row.hard))
        assert line["gap"] == "-" if row.gap is None else Fraction(line["gap"]) == row.gap
        assert row.tv[1] <= Decimal(line["tv"]) <= Decimal(row.tv[1]) * Decimal("1.000001")
        if row.critical[0] == math.inf:
            assert line["critical"] == "every"
        else:
            assert Decimal(row.critical[0]) * Decimal("0.999999") <= Decimal(line["critical"]) <= row.critical[0]


def test_cells_are_rounded_to_the_safe_side(short: Audit) -> None:
    table = audit_report.row_table(short, short.lowest(20), digits=2)
    keys = [column.key for column in table.columns]
    for number, cells in zip(short.lowest(20), table.rows, strict=True):
        row, text = short.row(number), {key: cell.text for key, cell in zip(keys, cells, strict=True)}
        assert row.gap is not None
        assert row.slack is not None
        assert Fraction(text["critical"]) <= Fraction(row.critical[0])
        assert Fraction(text["bound_critical"]) <= Fraction(row.bound_critical[0])
        assert Fraction(text["slack"]) <= Fraction(row.slack[0])
        assert Fraction(text["gap"]) <= row.gap
        assert Fraction(text["spread"]) <= row.spread
        assert Fraction(text["tv"]) >= Fraction(row.tv[1])
        assert Fraction(text["bound_tv"]) >= Fraction(row.bound_tv[1])


def test_json_holds_everything_outward(short: Audit) -> None:
    document = json.loads(audit_report.report(short, "json"))
    assert (document["eps"], document["tau"], document["mask"]) == ("0.01", "1", "strict-future")
    assert (document["shape"], document["empty"]) == ([6, 12, 9, 9], 72)
    assert len(document["heads"]) == 72
    assert [head["head"] for head in document["heads"]] == [[i, j] for i in range(6) for j in range(12)]
    assert len(document["rows"]) == 648
    for number, line in enumerate(document["rows"]):
        row = short.row(number)
        assert line["row"] == list(row.index)
        assert line["hard"] == list(row.hard)
        assert row.gap is None or Fraction(line["gap"]) == row.gap
        assert line["tv"]["lower"] <= row.tv[0] <= row.tv[1] <= line["tv"]["upper"]
        if row.critical[0] < math.inf:
            assert line["critical"]["lower"] <= row.critical[0] < row.critical[1] <= line["critical"]["upper"]
        else:
            assert line["critical"] == "every"


@given(st.floats(allow_nan=False), st.sampled_from([-math.inf, math.inf]))
def test_outward(x: float, towards: float) -> None:
    shown = audit_report.outward(x, towards)
    if math.isinf(x):
        assert shown is None
        return
    if shown is None or math.isinf(shown):
        assert abs(x) > 1.79e308
        return
    decimal = Fraction(repr(shown))
    assert decimal <= Fraction(x) if towards < 0 else decimal >= Fraction(x)
    assert shown in (x, math.nextafter(x, towards))


def test_ends_beyond_float64_unlimited_rows_and_long_hard_sets() -> None:
    array = np.vstack([np.eye(1, 9) * 5e-324, np.zeros((1, 9))])
    audit = scores.audit(Scores("a_1", array))
    document = audit_report.document(audit)
    assert document["rows"][0]["critical"] == {"lower": 0, "upper": 5e-324}
    assert document["rows"][0]["gap"] == audit_report.exact_text(Fraction(1, 2**1074))
    assert document["rows"][1]["critical"] == "every"
    assert document["rows"][1]["slack"] is None
    for form in FORMATS:
        text = audit_report.report(audit, form, every_row=True)
        assert "every" in text
    assert "0,1,2,3,4,5 +3" in audit_report.report(audit, "markdown", every_row=True)


def test_a_single_row_has_a_head_without_index() -> None:
    assert "\n-         1" in audit_report.report(scores.audit(Scores("a", np.array([1.0, 0]))))

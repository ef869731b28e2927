"""Printed formulas mean what was checked; every name has its LaTeX; lines keep to the width; LaTeX compiles."""

from __future__ import annotations

import re
import shutil
import subprocess

import pytest
import sympy as sp
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from reader_fixture import LatexReader, TextReader
from steps_fixture import all_props, sides, undecided, value

from proofs.certificate import split_how
from proofs.latex_names import is_known, words
from proofs.latex_terms import expr_latex, prop_latex
from proofs.props import Each, MaxOver, Rel, functions_of
from proofs.registry import STATEMENTS, library, uses
from proofs.render import claim_text, how_text, statement_text, wrapped
from proofs.render_latex import claim_latex, document, how_latex, statement_latex
from proofs.text_terms import expr_text, prop_text

n, k, i, j, u, a = sp.symbols("n k i j u a", integer=True)
gamma, tau, eta, top, x, y, z = sp.symbols("gamma tau eta top x y z", real=True)
s, p, p2, h, mu = (sp.Function(name, real=True) for name in ("s", "p", "p2", "h", "mu"))


@pytest.mark.parametrize(
    ("expr", "text", "latex"),
    [
        (n - k, "n - k", "n - k"),
        (top - s(i), "top - s(i)", r"\mathrm{top} - s_{i}"),
        (s(i) - top, "s(i) - top", r"s_{i} - \mathrm{top}"),
        (sp.exp(-(top - s(i)) / tau), "exp(-(top - s(i))/tau)", r"e^{-(\mathrm{top} - s_{i}) / \tau}"),
        ((1 - mu(i)) * (top - s(i) - gamma), "(1 - mu(i))*(top - s(i) - gamma)", None),
        (2 * (n - 1) * x, "2*x*(n - 1)", r"2 x \, (n - 1)"),
        (sp.Sum(abs(p(j) - h(j)), (j, 1, n)) / 2, "1/2*sum_j |p(j) - h(j)|", None),
        (sp.Sum(s(j), (j, 1, u)) + x, "x + sum_{j=1..u} s(j)", r"x + \sum_{j=1}^{u} s_{j}"),
        (sp.Sum(s(j) + x, (j, 1, n)), "sum_j (s(j) + x)", r"\sum_{j=1}^{n} (s_{j} + x)"),
        (x / sp.Sum(s(j), (j, 1, n)), "x/(sum_j s(j))", r"\frac{x}{\sum_{j=1}^{n} s_{j}}"),
        (x * y / (2 * z), "x*y/(2*z)", r"\frac{x \, y}{2 z}"),
        (-x / y - 1, "-1 - x/y", None),
        (sp.exp(x / (2 * tau)), "exp(x/(2*tau))", r"e^{x / (2 \tau)}"),
        (n**-2, "1/n^2", r"\frac{1}{{n}^{2}}"),
        ((x + 1) ** 2, "(1 + x)^2", r"{(1 + x)}^{2}"),
        (sp.Mul(-1, n + k, evaluate=False), "-(n + k)", "-(n + k)"),
        (sp.sqrt(x), "sqrt(x)", r"\sqrt{x}"),
        (x**y, "x^(y)", "{x}^{y}"),
        (p2(i) ** 2, "p2(i)^2", r"{p'_{i}}^{2}"),
        (sp.Rational(-2, 3), "-2/3", r"-\frac{2}{3}"),
        (MaxOver(x * a - 1, a, 0, k), "max_{a=0..k} (a*x - 1)", None),
        (sp.tanh(eta / (2 * tau)), "tanh(eta/(2*tau))", r"\tanh\Bigl(\frac{\eta}{2 \tau}\Bigr)"),
        (sp.S.Zero, "0", "0"),
    ],
)
def test_expressions(expr: sp.Expr, text: str, latex: str | None) -> None:
    assert expr_text(expr) == text
    if latex is not None:
        assert expr_latex(expr) == latex


def test_printed_text_means_the_checked_proposition() -> None:
    for place, prop in all_props():
        for side in sides(prop):
            printed = expr_text(side)
            assert TextReader(printed).whole()({}) == pytest.approx(value(side), rel=1e-9, abs=1e-12), (place, printed)


def test_printed_latex_means_the_checked_proposition() -> None:
    for place, prop in all_props():
        for side in sides(prop):
            printed = expr_latex(side)
            assert LatexReader(printed).whole()({}) == pytest.approx(value(side), rel=1e-9, abs=1e-12), (place, printed)


def _exprs() -> st.SearchStrategy[sp.Expr]:
    leaves = st.sampled_from([n, k, gamma, tau, top, x, y, mu(i), s(i), p2(i), s(j), mu(j), a, sp.S.One, sp.S(2)])

    def larger(inner: st.SearchStrategy[sp.Expr]) -> st.SearchStrategy[sp.Expr]:
        pairs = st.tuples(inner, inner)
        return st.one_of(
            pairs.map(lambda pair: pair[0] + pair[1]),
            pairs.map(lambda pair: pair[0] - pair[1]),
            pairs.map(lambda pair: pair[0] * pair[1]),
            pairs.map(lambda pair: pair[0] / pair[1] if pair[1] != 0 else pair[0]),
            inner.map(lambda body: body**2),
            inner.map(lambda body: -body / 3),
            inner.map(lambda body: sp.exp(-body / 7)),
            inner.map(sp.tanh),
            inner.map(abs),
            inner.map(lambda body: sp.Sum(body, (j, 1, n))),
            inner.map(lambda body: MaxOver(body, a, 0, k)),
        )

    return st.recursive(leaves, larger, max_leaves=9)


@given(_exprs())
@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_any_expression_is_printed_faithfully(expr: sp.Expr) -> None:
    try:
        exact = value(expr, {"j": 2})
    except (ZeroDivisionError, OverflowError):
        assume(False)
    assume(1e-6 < abs(exact) < 1e12)
    for reader in (TextReader(expr_text(expr)), LatexReader(expr_latex(expr))):
        assert reader.whole()({"j": 2}) == pytest.approx(exact, rel=1e-6), (expr_text(expr), expr_latex(expr))


def test_the_readers_see_a_missing_parenthesis() -> None:
    exact = value((n - k) * x / (k + x))
    assert TextReader("(n - k)*x/(k + x)").whole()({}) == pytest.approx(exact)
    assert TextReader("n - k*x/(k + x)").whole()({}) != pytest.approx(exact)
    assert LatexReader(r"\frac{(n - k) \, x}{k + x}").whole()({}) == pytest.approx(exact)
    assert LatexReader(r"\frac{n - k \, x}{k + x}").whole()({}) != pytest.approx(exact)


def test_both_sides_the_relation_and_the_range_are_printed() -> None:
    latex = {"=": "=", "<": "<", "<=": r"\le", ">": ">", ">=": r"\ge"}
    for _, prop in all_props():
        rel = prop.rel if isinstance(prop, Each) else prop
        suffix = f" for every {prop.var} = {prop.lo}..{expr_text(prop.hi)}" if isinstance(prop, Each) else ""
        assert prop_text(prop) == f"{expr_text(rel.lhs)} {rel.op} {expr_text(rel.rhs)}{suffix}"
        broken = re.sub(r"\$\\newline\\hspace\*\{1em\}\$\\displaystyle\{\}", "", prop_latex(prop))
        assert broken.startswith(rf"$\displaystyle {expr_latex(rel.lhs)} {latex[rel.op]} {expr_latex(rel.rhs)}$")
        assert ("for every" in broken) == isinstance(prop, Each)


def test_every_name_has_its_latex() -> None:
    for place, prop in all_props():
        lhs, rhs = sides(prop)
        symbols = lhs.atoms(sp.Symbol) | rhs.atoms(sp.Symbol)
        functions = {str(f) for f in functions_of(prop) if f != MaxOver}
        unknown = [name for name in {symbol.name for symbol in symbols} | functions if not is_known(name)]
        assert not unknown, f"{place}: no LaTeX for {unknown}"


def test_one_printed_name_is_one_symbol() -> None:
    for place, prop in all_props():
        lhs, rhs = sides(prop)
        symbols = lhs.atoms(sp.Symbol) | rhs.atoms(sp.Symbol) | ({prop.var} if isinstance(prop, Each) else set())
        assert len({symbol.name for symbol in symbols}) == len(symbols), place
        texs = {expr_latex(symbol) for symbol in symbols}
        assert len(texs) == len(symbols), place


@pytest.mark.parametrize("width", [60, 100])
def test_lines_keep_to_the_width_and_lose_nothing(width: int) -> None:
    for statement in STATEMENTS.values():
        text = statement_text(statement, undecided(), [], width)
        assert max(map(len, text.splitlines())) <= width
        for claim in statement.claims:
            squeezed = re.sub(r"\s", "", claim_text(claim, undecided().prove(claim.name)[1], width))
            for step in undecided().prove(claim.name)[1].steps:
                assert f"{step.number}." + re.sub(r"\s", "", prop_text(step.prop)) in squeezed


def test_breaks_prefer_the_outermost_place() -> None:
    lines = wrapped("(aaaa + bbbb) + (cccc + dddd)", 20, "", "  ")
    assert lines == ["(aaaa + bbbb) +", "  (cccc + dddd)"]
    assert wrapped("indivisible_name", 8, "", "  ") == ["indivisible_name"]


def test_latex_braces_and_fences_balance() -> None:
    for name, claim in undecided().claims.items():
        tex = claim_latex(claim, undecided().prove(name)[1])
        plain = tex.replace(r"\{", "").replace(r"\}", "")
        assert plain.count("{") == plain.count("}"), name
        assert len(re.findall(r"\\[bB]ig+l", tex)) == len(re.findall(r"\\[bB]ig+r", tex)), name
        assert tex.count(r"\begin") == tex.count(r"\end"), name
        assert tex.count("$") % 2 == 0, name


def test_words_are_escaped() -> None:
    assert words(r"50% of a_b & {c} # ~ ^ \ $") == r"50\% of a\_b \& \{c\} \# \~{} \^{} \textbackslash{} \$"
    assert words("gap >= gamma, |x| < eps") == r"gap $\ge$ $\gamma$, $|$x$|$ $<$ $\varepsilon$"
    assert words("gammas") == "gammas"


def test_certificates_are_read_back() -> None:
    start = "coefficients: no negative one after "
    how = start + "n = k + n', Sum(Abs(f(j)), (j, 1, n)) = Sum(Abs(f(j)), (j, 1, n))' - f(m)**2/2; sums made linear"
    assert how_text(how) == start + "n = k + n', sum_j |f(j)| = (sum_j |f(j)|)' - f(m)^2/2; sums made linear"
    assert r"$n = k + {n}^{\circ}$" in how_latex(how)
    assert how_text(start + "q = 1/(q' + 1)") == start + "q = 1/(1 + q')"
    assert how_text(start + "s(2) = eta'/2 - s(1)'") == start + "s(2) = eta'/2 - s(1)'"


@pytest.mark.parametrize(
    "how", ["", "Z3: the negation is unsatisfiable", "coefficients: no negative one after expansion"]
)
def test_other_reports_stay_as_they_are(how: str) -> None:
    assert how_text(how) == how


@pytest.mark.parametrize("text", ["x == y", "x = (y", "x = y)", "x = Sum(y)", "x = y,", "x = y $ z", "= y"])
def test_unreadable_certificates_stay_as_they_are(text: str) -> None:
    how = "coefficients: no negative one after " + text
    assert split_how(how) == (how, [], "")
    assert how_text(how) == how


def test_gap_bound_in_text() -> None:
    proved = library()
    text = claim_text(proved.claims["A2.bound"], proved.prove("A2.bound")[1], 100)
    lines = text.splitlines()
    assert lines[:3] == ["A2.bound: the gap bound", "  Where", "    1. 1 <= k"]
    assert "   10. (1 - mu(i))*(top - s(i) - gamma) >= 0 for every i = 1..n" in lines
    then = lines.index("  then")
    bound = "1/2*sum_j |p(j) - h(j)| <= (n - k)*exp(-gamma/tau)/(k + (n - k)*exp(-gamma/tau))"
    assert lines[then + 1 : then + 3] == ["       " + bound, "  Proof"]
    assert "       [cite: A1.exact; from 1, 2, 3, 4, 5, 6, 7, 8, 9]" in lines
    squeezed = re.sub(r"\s+", " ", text)
    assert "Z'/(k + Z') <= (n - k)*q/(k + (n - k)*q) [polynomial: coefficients: no negative one after " in squeezed
    assert "(z/(k + z) increases in z)" in squeezed


def test_gap_bound_in_latex() -> None:
    claim = STATEMENTS["A2"].claim("A2.bound")
    assert prop_latex(claim.conclusion) == (
        r"$\displaystyle \frac{1}{2} \, \sum_{j=1}^{n} \lvert p_{j} - h_{j}\rvert "
        r"\le \frac{(n - k) \, e^{-\gamma / \tau}}{k + (n - k) \, e^{-\gamma / \tau}}$"
    )
    assert prop_latex(claim.hypotheses[0]) == (
        r"$\displaystyle (1 - \mu_{i}) \, (\mathrm{top} - s_{i} - \gamma) \ge 0$ for every $i = 1, \dots, n$"
    )


def test_an_assumption_is_named_until_it_is_discharged() -> None:
    steps = undecided().prove("S.term")[1].steps
    text = claim_text(undecided().claims["S.term"], undecided().prove("S.term")[1], 200)
    assert steps[4].rule == "assume"
    assert "   12. 0 <= f(u + 1)   [at; from 1, 11, 5; under 5, 9]" in text
    assert text.splitlines()[-1].endswith("[at; from 30, 2, 3]")


def test_unknown_nodes_are_still_printed() -> None:
    unknown = sp.Function("mystery")(x, y)
    assert expr_text(unknown) == "mystery(x, y)"
    assert expr_latex(unknown) == r"\operatorname{mystery}(x, y)"
    assert prop_text(Rel(sp.Symbol("new_name", real=True), "<", 1)) == "new_name < 1"
    assert expr_latex(sp.Symbol("new_name")) == r"\mathrm{new\_name}"


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="pdflatex is not installed")
def test_all_statements_compile(tmp_path) -> None:
    proved, decided = undecided(), library()
    with_certificates = [name for name in decided.claims if name.startswith("S.") or name == "A2.bound"]
    bodies = [claim_latex(decided.claims[name], decided.prove(name)[1]) for name in with_certificates]
    bodies += [statement_latex(statement, proved, uses(statement, proved)) for statement in STATEMENTS.values()]
    (tmp_path / "all.tex").write_text(document(bodies), encoding="utf-8")
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "all.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stdout[-2000:]
    overfull = [line for line in (tmp_path / "all.log").read_text(errors="replace").splitlines() if "Overfull" in line]
    assert not overfull

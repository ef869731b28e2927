"""The Coq statements say what the claims say, and Coq notices when a bound changes on either side."""

import dataclasses
import math
import random
import re
import shutil

import pytest
import sympy as sp
from coq_fixture import CoqTerm
from sympy.core.function import AppliedUndef

from checker.errors import InputError
from checker.formalise import axioms
from checker.formalise.__main__ import main
from checker.formalise.build import build, compiled_file, read_record
from checker.formalise.development import development
from checker.formalise.statements import SOURCES, read_proofs, statement_lines
from checker.formalise.terms import NotInCoqError, binders, proposition, real
from checker.kernel import kernel_status
from proofs.props import Each, Rel
from proofs.registry import STATEMENTS

KERNEL = [statement for statement in STATEMENTS.values() if statement.kernel]
COQ = pytest.mark.skipif(shutil.which("coqc") is None, reason="skipped: coqc not found")

# -- the printed terms -------------------------------------------------------------------------------------------------


def sides(claim):
    for prop in (*claim.definitions, *claim.hypotheses, claim.conclusion):
        rel = prop.rel if isinstance(prop, Each) else prop
        yield from (rel.lhs, rel.rhs)


def at_random(expr, seed):
    """The same random numbers for SymPy and for the reader: symbols, and functions by name and place."""
    chance = random.Random(seed)
    symbols = {
        symbol: chance.randint(3, 6) if symbol.is_integer else chance.uniform(0.5, 1.5)
        for symbol in sorted(expr.free_symbols, key=str)
    }

    def function(name):
        return lambda place: random.Random(f"{seed} {name} {int(place)}").uniform(0.1, 1.9)

    functions = {node.func.__name__: function(node.func.__name__) for node in expr.atoms(AppliedUndef)}
    plain = expr.subs(symbols).doit()
    values = {node: functions[node.func.__name__](node.args[0]) for node in plain.atoms(AppliedUndef)}
    return float(plain.subs(values)), {**{str(symbol): value for symbol, value in symbols.items()}, **functions}


@pytest.mark.parametrize("statement", KERNEL, ids=lambda statement: statement.id)
def test_printed_terms_have_the_value_of_the_claims_terms(statement):
    compared = 0
    for claim in statement.claims:
        for number, expr in enumerate(sides(claim)):
            try:
                text = real(expr)
                expected, names = at_random(expr, f"{claim.name} {number}")
            except (NotInCoqError, TypeError):  # Theta; or log of a negative number
                continue
            if not math.isfinite(expected):
                continue
            assert CoqTerm(text, names).value() == pytest.approx(expected, rel=1e-9, abs=1e-9), (claim.name, text)
            compared += 1
    assert compared > len(statement.claims)


def test_the_gap_bound_reads_as_expected():
    text = statement_lines(STATEMENTS["A2"].claim("A2.bound"))
    assert text.splitlines()[0] == "  forall (k n : Z) (gamma tau top : R) (h mu p s : Z -> R),"
    assert "(forall i : Z, (1 <= i <= n)%Z -> 0 <= (1 - mu i) * (top - s i - gamma)) ->" in text
    assert "sum (positions n) (fun j => Rabs (p j - h j)) / 2 <= " in text
    assert " ".join(text.split()).endswith(
        "<= (IZR n - IZR k) * exp (- gamma / tau) / (IZR k + (IZR n - IZR k) * exp (- gamma / tau))"
    )


def test_relations_are_turned_round_and_ranges_are_integers():
    x, n, i = sp.Symbol("x", real=True), sp.Symbol("n", integer=True), sp.Symbol("i", integer=True)
    f = sp.Function("f", real=True)
    assert proposition(Rel(x, ">", n)) == "IZR n < x"
    assert proposition(Rel(-(x**2), ">=", sp.Rational(-1, 2))) == "- 1 / 2 <= - x ^ 2"
    assert proposition(Each(i, 1, n - 2, Rel(f(i + 1), "=", x))) == (
        "forall i : Z, (1 <= i <= n - 2)%Z -> f (1 + i)%Z = x"
    )


def test_names_that_mean_something_in_coq_are_refused():
    bad = Rel(sp.Symbol("exp", real=True), "=", 1)
    with pytest.raises(NotInCoqError, match="cannot be a name in Coq"):
        proposition(bad)
    twice = Rel(sp.Symbol("x", real=True), "=", sp.Symbol("x", integer=True))
    with pytest.raises(NotInCoqError, match="both called x"):
        binders([twice])


# -- the hand-written proofs -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("statement", KERNEL, ids=lambda statement: statement.id)
def test_every_claim_has_a_proof_or_a_reason_and_the_main_claim_a_proof(statement):
    proofs = read_proofs(statement.section)
    assert statement.main in proofs.proofs
    for claim in statement.claims:
        assert (claim.name in proofs.proofs) != (claim.name in proofs.omitted), claim.name


def test_nothing_but_imports_stands_outside_the_blocks(tmp_path):
    (tmp_path / "claims").mkdir()
    path = tmp_path / "claims" / "A.v.in"
    path.write_text('Open Scope R_scope.\nNotation "a <= b" := True.\n\nClaim A2.bound.\n  easy.\nQed.\n')
    with pytest.raises(InputError, match=r"outside the blocks; only Require Import"):
        read_proofs("A", tmp_path)
    path.write_text("Claim A2.bound.\n  easy.\nQed.\n\nClaim A2.linear.\n  easy.\n")
    with pytest.raises(InputError, match=r"a block is not of the form"):
        read_proofs("A", tmp_path)


def test_no_source_assumes_anything():
    for path in [*SOURCES.glob("*.v"), *SOURCES.glob("claims/*.v.in")]:
        words = set(path.read_text(encoding="utf-8").replace(".", " ").replace("(", " ").split())
        assert words.isdisjoint({"Admitted", "admit", "Axiom", "Axioms", "Parameter", "Conjecture", "Unset"}), path


def test_the_project_file_lists_every_source():
    listed = (SOURCES / "_CoqProject").read_text(encoding="utf-8").split()
    assert {name for name in listed if name.endswith(".v")} == {path.name for path in SOURCES.glob("*.v")}


def test_the_note_quotes_the_development():
    note = (SOURCES.parents[1] / "notes" / "formal.md").read_text(encoding="utf-8")
    theory = "\n".join(path.read_text(encoding="utf-8") for path in sorted(SOURCES.glob("*.v")))
    theorems = set(re.findall(r"^(?:Theorem|Lemma) (\w+)", theory, re.MULTILINE))
    named = set(re.findall(r"`([A-E]\d_\w+)`", note))
    assert named
    assert named <= theorems
    (quoted,) = re.findall(r"```coq\n(.*?)```", note, re.DOTALL)
    assert all(part in theory for part in quoted.strip().split("\n\n"))
    assert all(f"| `{axiom}` |" in note for axiom in axioms.ALLOWED)


# -- axioms ------------------------------------------------------------------------------------------------------------


def test_axioms_are_read_and_anything_else_is_forbidden():
    printed = "Axioms:\nClassical_Prop.classic : forall P : Prop, P \\/ ~ P\nmine\n  : 0 = 1\n"
    assert axioms.read_axioms(printed) == ["Classical_Prop.classic", "mine"]
    assert axioms.forbidden(axioms.read_axioms(printed)) == ["mine"]
    assert axioms.read_axioms("Closed under the global context\n") == []
    unsafe = axioms.read_axioms("Axioms:\nf is assumed to be guarded.\n")
    assert axioms.forbidden(unsafe) == ["f is assumed to be guarded."]
    with pytest.raises(axioms.UnreadableError):
        axioms.read_axioms("f : nat\n")


# -- Coq ---------------------------------------------------------------------------------------------------------------

CHANGED = {  # claim: what is changed in its conclusion
    "A2.literature": lambda rel: Rel(rel.lhs, rel.op, rel.rhs * sp.Rational(99, 100)),
    "A5.bound": lambda rel: Rel(
        rel.lhs, rel.op, rel.rhs.subs(sp.Symbol("eta", real=True), sp.Symbol("tau", real=True))
    ),
    "A7.bound": lambda rel: Rel(rel.lhs, rel.op, rel.rhs * sp.Rational(1, 2)),
}
TRIED = [STATEMENTS[name] for name in ("A2", "A5", "A7")]


def changed(statement):
    claims = [
        dataclasses.replace(claim, conclusion=CHANGED[claim.name](claim.conclusion)) if claim.name in CHANGED else claim
        for claim in statement.claims
    ]
    return dataclasses.replace(statement, claims=tuple(claims))


def labels(statements):
    return [f"Statements/{statement.id}" for statement in statements]


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """A folder in which A2, A5 and A7 are compiled with the theory they need."""
    out = tmp_path_factory.mktemp("coq")
    record = build(development(TRIED).only(*labels(TRIED)), out)
    assert record.failed == []
    return out


@COQ
def test_statements_are_checked_after_a_build(built):
    for statement in TRIED:
        status, reason = kernel_status(statement, built)
        assert (status, reason.startswith(f"{len(statement.claims)} claims accepted by Coq")) == ("checked", True)
    assert kernel_status(STATEMENTS["A8"], built)[0] == "not planned"
    assert kernel_status(STATEMENTS["A1"], built) == (
        "not run",
        "Claims/A1 has changed since it was built; run make formal",
    )


@COQ
def test_a_changed_constant_breaks_the_build_and_the_status(built, tmp_path):
    mutants = [changed(statement) for statement in TRIED]
    for mutant in mutants:
        assert kernel_status(mutant, built)[0] == "not run"
    shutil.copytree(built, tmp_path / "coq")
    record = build(development(mutants).only(*labels(mutants)), tmp_path / "coq")
    assert {outcome.label for outcome in record.failed} == {
        f"{folder}/{mutant.id}" for mutant in mutants for folder in ("Claims", "Statements")
    }
    for mutant in mutants:
        status, reason = kernel_status(mutant, tmp_path / "coq")
        assert (status, reason.split(":")[0]) == ("not run", f"Coq did not accept Claims/{mutant.id}")


@COQ
def test_a_changed_theory_or_compiled_file_is_noticed(built, tmp_path):
    shutil.copytree(SOURCES, tmp_path / "sources")
    theory = tmp_path / "sources" / "A2.v"
    theory.write_text(theory.read_text(encoding="utf-8").replace("(n - k) * q / (k", "2 * (n - k) * q / (k", 1))
    assert kernel_status(STATEMENTS["A2"], built, tmp_path / "sources") == (
        "not run", "HardSoft/A2 has changed since it was built; run make formal",
    )  # fmt: skip
    shutil.copytree(built, tmp_path / "coq")
    compiled_file(tmp_path / "coq", "Claims/A7").write_bytes(b"")
    assert kernel_status(STATEMENTS["A7"], tmp_path / "coq")[1].startswith("the compiled file of Claims/A7 is not")
    assert kernel_status(STATEMENTS["A2"], tmp_path / "coq")[0] == "checked"


@COQ
def test_a_proof_that_admits_or_states_something_else_is_not_accepted(built, tmp_path):
    shutil.copytree(built, tmp_path / "coq")
    shutil.copytree(SOURCES, tmp_path / "sources")
    path = tmp_path / "sources" / "claims" / "A.v.in"
    honest = path.read_text(encoding="utf-8")
    block = honest[honest.index("Claim A7.bound.") :]
    block = block[: block.index("Qed.") + 4]
    tricks = {
        "Admitted.\nTheorem other : True.\nProof.\n  exact I.\n": "rests on Claims.A7.claim_A7_bound",
        "Abort.\nTheorem claim_A7_bound : True.\nProof.\n  exact I.\n": "Error",
    }
    for trick, complaint in tricks.items():
        path.write_text(honest.replace(block, f"Claim A7.bound.\n  {trick}Qed."), encoding="utf-8")
        made = development([STATEMENTS["A7"]], tmp_path / "sources").only("Statements/A7")
        record = build(made, tmp_path / "coq")
        assert [outcome.label for outcome in record.failed] == ["Statements/A7"]
        assert complaint in record.failed[0].error
        assert kernel_status(STATEMENTS["A7"], tmp_path / "coq", tmp_path / "sources")[0] == "not run"


def test_without_a_record_nothing_is_checked(tmp_path):
    assert read_record(tmp_path) is None
    assert kernel_status(STATEMENTS["A1"], tmp_path) == ("not run", "there is no record of a build; run make formal")


def test_without_coq_the_command_says_what_to_install(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("PATH", str(tmp_path))
    assert main(["A7", "--out", str(tmp_path / "coq")]) == 3
    assert capsys.readouterr().err == (
        "error: coqc is not there; install Coq 8.16 or later (Debian: apt-get install coq)\n"
    )

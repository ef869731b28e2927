"""The directions of imports: proofs know nothing of the checker, one module knows FLINT, the core knows no proofs."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
MODULES = [path for folder in ("proofs", "checker") for path in sorted((ROOT / folder).rglob("*.py"))]
CORE = (
    "errors", "exact", "verdict", "env", "ball", "formula", "mp", "mpinterval", "mptheta", "mpquantity", "expsum",
    "attention", "quantity", "decide", "formal", "sides", "rounding", "scores", "audit", "critical", "recheck",
)  # fmt: skip


def imported(path: Path) -> set[str]:
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            found.add(node.module or "")
    return found


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_imports_run_one_way(path):
    packages = {name.split(".")[0] for name in imported(path)}
    if path.is_relative_to(ROOT / "proofs"):
        assert "checker" not in packages
        assert packages.isdisjoint({"flint", "mpmath", "numpy"})
    if path.name != "ball.py":
        assert "flint" not in packages
    if path.parent == ROOT / "checker" and path.stem in CORE:
        assert "proofs" not in packages


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_module_says_what_it_is_for_and_evaluates_no_text(path):
    tree = ast.parse(path.read_text(encoding="utf-8"))
    assert ast.get_docstring(tree)
    called = {node.func.id for node in ast.walk(tree) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)}
    assert called.isdisjoint({"eval", "exec", "compile", "__import__"})


def test_every_core_module_exists():
    assert all((ROOT / "checker" / f"{name}.py").exists() for name in CORE)

"""The parameters of the bound tables: their symbols, admissible ranges, and lists given on the command line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from checker.errors import InputError
from checker.exact import exact_int_list, exact_list, show

ORDER = ("n", "k", "gamma", "eta", "delta", "tau", "eps")
"""All parameters a table can have, in the order of its columns."""

LATEX = {
    "n": "$n$",
    "k": "$k$",
    "gamma": r"$\gamma$",
    "eta": r"$\eta$",
    "delta": r"$\delta$",
    "tau": r"$\tau$",
    "eps": r"$\varepsilon$",
}

_INTEGERS = ("n", "k")
_LARGEST_K = 10**300  # larger k makes the exact search for n too slow


def parse_values(flags: Mapping[str, str | None]) -> dict[str, list[Fraction]]:
    """Read the lists of a command line, {"n": "10,10^6", "tau": None, ...}; flags that are None are left out.

    Raises InputError, naming the flag and the item's place, for anything that is not a number (n and k: integer).
    """
    values: dict[str, list[Fraction]] = {}
    for name, text in flags.items():
        if text is None:
            continue
        if name in _INTEGERS:
            values[name] = [Fraction(number) for number in exact_int_list(text, f"--{name}")]
        else:
            values[name] = exact_list(text, f"--{name}")
    return values


def check_range(name: str, numbers: Sequence[Fraction], largest_eps: int) -> None:
    """Raise InputError, naming the parameter and its admissible range, for the first number outside it.

    n, k: integers >= 1. gamma, delta, tau: > 0. eta: >= 0. eps: 0 < eps <= largest_eps (1 for TV, 2 for L1).
    """
    for x in numbers:
        if name in _INTEGERS:
            if x.denominator != 1 or x < 1:
                raise InputError(f"{name} must be an integer >= 1, got {show(x)}")
        elif name == "eta":
            if x < 0:
                raise InputError(f"eta must be >= 0, got {show(x)}")
        elif name == "eps":
            if not 0 < x <= largest_eps:
                raise InputError(f"eps must satisfy 0 < eps <= {largest_eps}, got {show(x)}")
        elif x <= 0:
            raise InputError(f"{name} must be > 0, got {show(x)}")


def check_row(row: Mapping[str, Fraction]) -> None:
    """Raise InputError where a row of parameters makes a bound void: k >= n, n = 1, or k too large to solve for n."""
    if "n" in row and "k" in row and row["k"] >= row["n"]:
        raise InputError(
            f"k must satisfy 1 <= k <= n - 1, got k = {show(row['k'])} for n = {show(row['n'])}"
            " (with k = n every score is maximal and the error is 0)"
        )
    if "n" in row and row["n"] < 2:
        raise InputError(f"n must be >= 2, got {show(row['n'])} (with one position the error is 0)")
    if "n" not in row and "k" in row and row["k"] > _LARGEST_K:
        raise InputError(f"k must be at most 10^300 when solving for n, got {show(row['k'])}")

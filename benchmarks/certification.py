"""Exhaustive certification of formulas against a plain float64 forward pass, and against Arb word by word.

    python -m benchmarks.certification [--length 15] [--arb-length 7] [--rounds 3] [--json FILE]

All contestants take all words of every length up to the one given. The certification compares the formula, the exact
hard run and the enclosed softmax run at every position; the forward pass (numpy, float64, in batches) computes the
softmax logits and proves nothing; word by word means the same comparison by single exact runs and single runs in Arb.
"""

from __future__ import annotations

import sys
from functools import partial

from benchmarks.measure import interleaved, parser, peak, report, table
from checker.certify.exhaustive import compare_all
from checker.compile.compiler import compile_formula
from checker.logic.formula import temporal_depth
from checker.logic.semantics import evaluate, words_block
from checker.logic.text import parse_formula
from checker.transformer.dense import forward_float
from checker.transformer.hard import run_hard
from checker.transformer.soft import run_soft
from checker.verdict import Verdict

FORMULAS = {
    "since, nested 3 deep": "a S (b & Y (a S (b & !Y b)))",
    "dyck-1, 2 levels deep": "!P ((a & Y a & Y Y a) | (b & Y b & Y Y b))",
    "majority": "#<-[a] > #<-[b]",
}
ALPHABET = ("a", "b")
BLOCK = 4096


def model_of(text: str):
    """The formula and its model at a fixed temperature."""
    formula = parse_formula(text)
    return formula, compile_formula(formula, ALPHABET)


def plain(text: str, longest: int) -> int:
    """The float64 forward pass over all words; returns their number."""
    _, model = model_of(text)
    for n in range(1, longest + 1):
        tau, total = float(model.temperature.at(0, n)), 2**n
        for first in range(0, total, BLOCK):
            forward_float(model, words_block(2, n, first, min(total, first + BLOCK)), tau)
    return 2 ** (longest + 1) - 2


def certified(text: str, longest: int) -> int:
    """The three-way comparison over the same words; raises if anything disagrees or stays undecided."""
    formula, model = model_of(text)
    found = compare_all(model, formula, longest, lambda n: model.temperature.at(0, n))
    if found.disagreement is not None or found.undecided or found.words != 2 ** (longest + 1) - 2:
        raise RuntimeError(f"{text}: the certification did not go through")
    return found.words


def word_by_word(text: str, longest: int) -> int:
    """The same comparison by single runs."""
    formula, model = model_of(text)
    for n in range(1, longest + 1):
        tau = model.temperature.at(0, n)
        words = words_block(2, n, 0, 2**n)
        for word, expected in zip(words, evaluate(formula, words, ALPHABET), strict=True):
            symbols = [ALPHABET[symbol] for symbol in word]
            hard = [logit > 0 for logit in run_hard(model, symbols).logits]
            soft = [verdict is Verdict.HOLDS for verdict in run_soft(model, symbols, tau).verdicts]
            if hard != list(expected) or soft != hard:
                raise RuntimeError(f"{text}: the certification did not go through")
    return 2 ** (longest + 1) - 2


def measure(text: str, longest: int, short: int, rounds: int) -> dict[str, object]:
    """One formula: ratios of times per word, and memory."""
    at_length = interleaved({"ours": partial(certified, text, longest), "plain": partial(plain, text, longest)}, rounds)
    by_word = interleaved({"ours": partial(certified, text, short), "arb": partial(word_by_word, text, short)}, rounds)
    return {
        "formula": text,
        "temporal depth": temporal_depth(parse_formula(text)),
        "words": 2 ** (longest + 1) - 2,
        "ours us/word": 1e6 * at_length.median("ours"),
        "plain us/word": 1e6 * at_length.median("plain"),
        "ours/plain": at_length.ratio("ours", "plain"),
        f"arb/ours, lengths to {short}": by_word.ratio("arb", "ours"),
        "ours MiB": peak(certified, text, longest),
        "plain MiB": peak(plain, text, longest),
    }


def growth(text: str, lengths: range, rounds: int) -> list[tuple[int, float]]:
    """Microseconds per word for all words of length 1 to n."""
    return [(n, 1e6 * interleaved({"ours": partial(certified, text, n)}, rounds).median("ours")) for n in lengths]


def main() -> None:
    made = parser("Exhaustive certification against a plain float64 forward pass and against Arb word by word.")
    made.add_argument("--length", type=int, default=15)
    made.add_argument("--arb-length", type=int, default=7)
    options = made.parse_args()
    rows = {name: measure(text, options.length, options.arb_length, options.rounds) for name, text in FORMULAS.items()}
    head = ["", *next(iter(rows.values()))]
    text = [f"certification of all words of length 1 to {options.length} over {len(ALPHABET)} symbols", ""]
    text.append(table([head[0], *head[3:]], [[name, *list(row.values())[2:]] for name, row in rows.items()]))
    lengths = range(4, options.length + 1)
    grown = {name: growth(formula, lengths, 1) for name, formula in FORMULAS.items()}
    text += ["", "microseconds per word, all words of length 1 to n", ""]
    text.append(
        table(
            ["n", *grown],
            [[str(n), *[found[place][1] for found in grown.values()]] for place, n in enumerate(lengths)],
        )
    )
    report(options, "\n".join(text), {"length": options.length, "formulas": rows, "growth": grown})


if __name__ == "__main__":
    sys.exit(main())

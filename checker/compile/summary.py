"""What a compiled transformer amounts to: its depth and width, and its heads with the statements they rest on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from checker.logic.alphabet import show_alphabet
from checker.transformer.model import Transformer

MOST_HEADS = 40
"""Heads listed in a text; data lists all."""


def summary(model: Transformer) -> dict[str, Any]:
    """The summary of a model made by `compile_formula` as JSON-like data.

    depth: layers with heads. width: directions of the residual stream. layers: with the heads' ledger entries.
    """
    layers = [
        {
            "heads": len(layer.heads),
            "feed-forward parts": len(layer.feed_forward),
            "hidden units": sum(len(part.hidden) for part in layer.feed_forward),
        }
        for layer in model.layers
    ]
    return {
        "name": model.name,
        "alphabet": list(model.alphabet),
        "acceptance": model.output.position,
        "temperature": str(model.temperature),
        **{key: value for key, value in model.origin.items() if key != "ledger"},
        "width": len(model.directions),
        "layers": layers,
        "heads": sum(len(layer.heads) for layer in model.layers),
        "hidden units": sum(layer["hidden units"] for layer in layers),
        "ledger": model.origin["ledger"],
    }


def summary_text(model: Transformer) -> str:
    """The same as text; of many heads, the first MOST_HEADS."""
    data = summary(model)
    largest = data["largest tau_0"]
    limit = f"; the largest admissible one is {largest} (rounded down)" if largest else "; every tau_0 will do"
    if not data["guaranteed"]:
        limit = "; WITHOUT guarantee: bounded scores at a constant temperature fail from some length on"
    lines = [
        data["name"],
        "",
        f"  alphabet     {show_alphabet(model.alphabet)}; judged at the {data['acceptance']} position",
        f"  regime       {data['regime']}: temperature {data['temperature']}",
        f"  tau_0        {data['tau_0']}{limit}",
        f"  clean-up     threshold {data['threshold']}",
        f"  depth        {data['depth']} (layers with heads)",
        f"  width        {data['width']} directions, {data['hidden units']} hidden units",
    ]
    entries: Sequence[Mapping[str, Any]] = data["ledger"]
    if entries:
        lines += ["", *_table([row for entry in entries[:MOST_HEADS] for row in _rows(entry)])]
    if len(entries) > MOST_HEADS:
        lines.append(f"  ... and {len(entries) - MOST_HEADS} more heads (--json lists all)")
    return "\n".join(lines)


_TITLES = ("layer", "head", "rests on", "error", "at most", "allowed", "slack", "largest tau_0")


def _rows(entry: Mapping[str, Any]) -> list[tuple[str, ...]]:
    """One line for each requirement on the head, or one that says that it is exact."""
    head = (str(entry["layer"]), entry["head"].partition(" ")[2], ", ".join(entry["statements"]))
    if not entry["requirements"]:
        return [(*head, "exact", "0", "", "", "any")]
    keys = ("bound", "value", "threshold", "slack", "largest tau_0")
    rows = [tuple(requirement[key] or "-" for key in keys) for requirement in entry["requirements"]]
    return [(*head, *rows[0]), *(("", "", "", *row) for row in rows[1:])]


def _table(rows: list[tuple[str, ...]]) -> list[str]:
    every = [_TITLES, *rows]
    widths = [max(len(row[column]) for row in every) for column in range(len(_TITLES))]
    return [
        "  " + "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in every
    ]

"""Claims as random trees with a text and a meaning of their own, and rows searched by brute force from the definitions.

Nothing here uses checker.claims: softmax, hard attention and the bounds are evaluated with 400 digits from lists of
scores. A comparison counts only when the two sides differ by more than 10^-40 of their size.
"""

import itertools
from dataclasses import dataclass, field
from fractions import Fraction

import mpmath

LONGEST = 2000
DIGITS = 400
NEARLY, TINY = mpmath.mpf(10) ** -40, mpmath.mpf(10) ** -300


def real(value):
    return mpmath.mpf(value.numerator) / value.denominator if isinstance(value, Fraction) else mpmath.mpf(value)


# Terms: numbers, names, ("exp", score), and (op, a, b). Text and value of each.


def text_of(term):
    if isinstance(term, Fraction):
        return str(term) if term.denominator == 1 and term >= 0 else f"({term})"
    if isinstance(term, str):
        return term
    op, *args = term
    if op == "exp":
        return f"exp(-{text_of(args[0])}/tau)"
    if op in ("min", "max"):
        return f"{op}({text_of(args[0])}, {text_of(args[1])})"
    if op == "sqrt":
        return f"sqrt({text_of(args[0])})"
    return f"({text_of(args[0])} {op} {text_of(args[1])})"


def value_of(term, point):
    """The value at a point (names to Fractions); None where it is not defined."""
    if isinstance(term, Fraction):
        return real(term)
    if isinstance(term, str):
        return real(point[term])
    op, *args = term
    values = [value_of(arg, point) for arg in args]
    if any(value is None for value in values):
        return None
    if op == "exp":
        return mpmath.exp(-values[0] / real(point["tau"]))
    if op == "sqrt":
        return mpmath.sqrt(values[0]) if values[0] >= 0 else None
    a, b = values
    if op == "/":
        return a / b if abs(b) > NEARLY else None
    return {"+": a + b, "-": a - b, "*": a * b, "min": min(a, b), "max": max(a, b)}[op]


def names_in(term):
    if isinstance(term, str):
        return {term}
    if isinstance(term, Fraction):
        return set()
    return set().union(*[names_in(arg) for arg in term[1:]]) | ({"tau"} if term[0] == "exp" else set())


def compared(lhs, op, rhs):
    """True or False where the sides clearly differ, None where they agree to 40 digits."""
    if abs(lhs - rhs) <= NEARLY * (abs(lhs) + abs(rhs)) + TINY:
        return None
    return lhs < rhs if op in ("<", "<=") else lhs > rhs if op in (">", ">=") else False


def meets(lhs, op, rhs):
    """Whether lhs op rhs, where sides that agree to 40 digits count as equal."""
    known = compared(lhs, op, rhs)
    return (op in ("<=", ">=", "=")) if known is None else known


@dataclass
class Claim:
    """A claim in parts: the quantity, the hard side, the bounds of the row, relations of the parameters, the bound."""

    quantity: str
    op: str
    bound: object
    tie: str = "average"
    rows: dict = field(default_factory=dict)  # gap, spread, perturbation, values, growth: a name or a Fraction
    sides: str = "one-sided"
    relations: list = field(default_factory=list)  # (term, op, term)

    @property
    def text(self):
        return f"{self.quantity} {self.op} {text_of(self.bound)}"

    @property
    def assume(self):
        found = [f"hard = {self.tie}"] if self.tie != "average" else []
        for kind, value in self.rows.items():
            if kind == "lookup":
                found.append("lookup")
            elif kind == "growth":
                found.append(f"growth {self.sides} >= {text_of(value)}")
            else:
                found.append(
                    f"{'value range' if kind == 'values' else kind} {'>=' if kind == 'gap' else '<='} {text_of(value)}"
                )
        found += [f"{text_of(a)} {op} {text_of(b)}" for a, op, b in self.relations]
        return found

    @property
    def names(self):
        found = names_in(self.bound) | {"tau"}
        for value in self.rows.values():
            found |= names_in(value)
        for a, _, b in self.relations:
            found |= names_in(a) | names_in(b)
        return found


def size_of(value, point):
    return value if isinstance(value, Fraction) else point[value]


def softmax(scores, tau):
    top = max(scores)
    weights = [mpmath.exp(real((score - top) / tau)) for score in scores]
    total = mpmath.fsum(weights)
    return [weight / total for weight in weights]


def hard(scores, tie):
    places = [j for j, score in enumerate(scores) if score == max(scores)]
    if tie == "average":
        return [mpmath.mpf(j in places) / len(places) for j in range(len(scores))]
    chosen = places[0] if tie == "leftmost" else places[-1]
    return [mpmath.mpf(j == chosen) for j in range(len(scores))]


def quantity_at(claim, scores, soft_scores, values, tau):
    """The quantity, from lists of scores (and values)."""
    soft = softmax(soft_scores or scores, tau)
    target = softmax(scores, tau) if claim.quantity.endswith("_moved") else hard(scores, claim.tie)
    if claim.quantity == "max_weight":
        return max(soft)
    if claim.quantity == "winner_weight":
        return mpmath.fsum(p for p, h in zip(soft, target, strict=True) if h > 0)
    if claim.quantity == "value_error":
        return abs(mpmath.fsum((p - h) * real(v) for p, h, v in zip(soft, target, values, strict=True)))
    distance = mpmath.fsum(abs(p - h) for p, h in zip(soft, target, strict=True))
    return distance / 2 if claim.quantity.startswith("tv") else distance


def assumptions_hold(claim, point, scores, soft_scores, values):
    """Every assumption about the parameters and the row, exactly (up to 40 digits for relations of the parameters)."""
    n, top = len(scores), max(scores)
    k = sum(score == top for score in scores)
    if point["n"] != n or point["k"] != k or point["tau"] <= 0:
        return False
    if any(point.get(name, 1) <= 0 for name in ("gamma", "delta", "eps")):
        return False
    if any(point.get(name, 0) < 0 for name in ("eta", "D")):
        return False
    for a, op, b in claim.relations:
        lhs, rhs = value_of(a, point), value_of(b, point)
        if lhs is None or rhs is None or not meets(lhs, op, rhs):
            return False
    below = [score for score in scores if score < top]
    if "gap" in claim.rows and below and top - max(below) < size_of(claim.rows["gap"], point):
        return False
    if "spread" in claim.rows and top - min(scores) > size_of(claim.rows["spread"], point):
        return False
    if "perturbation" in claim.rows:
        eta = size_of(claim.rows["perturbation"], point)
        if soft_scores is None or any(abs(a - b) > eta for a, b in zip(scores, soft_scores, strict=True)):
            return False
    if values is not None:
        width = size_of(claim.rows.get("values", "D"), point)
        if max(values) - min(values) > width:
            return False
    if "growth" in claim.rows or "lookup" in claim.rows:
        slope = size_of(claim.rows.get("growth", "gamma"), point)
        place = scores.index(top)
        drops = [(abs(j - place), top - score) for j, score in enumerate(scores)]
        if k != 1:
            return False
        if "lookup" in claim.rows:
            return all(drop == slope * steps**2 for steps, drop in drops)
        if claim.sides == "one-sided" and place not in (0, n - 1):
            return False
        if claim.sides == "two-sided" and (point["l"], point["r"]) != (place, n - 1 - place):
            return False
        return all(drop >= slope * steps for steps, drop in drops)
    return True


def rows_near(claim, point, n, rng):
    """Rows (scores, perturbed scores, values) for a point: extreme ones and random ones; not all satisfy the claim."""
    tau = point["tau"]
    gap = size_of(claim.rows["gap"], point) if "gap" in claim.rows else None
    spread = size_of(claim.rows["spread"], point) if "spread" in claim.rows else None
    drops = [d for d in (gap, spread) if d is not None] + [tau / 10**6, 60 * tau, tau]
    candidates = []
    if "growth" in claim.rows or "lookup" in claim.rows:
        slope = size_of(claim.rows.get("growth", "gamma"), point)
        power = 2 if "lookup" in claim.rows else 1
        for place in range(n):
            candidates.append([-slope * abs(j - place) ** power for j in range(n)])
            candidates.append([-slope * abs(j - place) ** power * rng.choice([1, 2, 40]) for j in range(n)])
    else:
        for k in range(1, n + 1):
            for drop in drops:
                scores = [Fraction(0)] * k + [-drop] * (n - k)
                candidates.append(scores)
            mixed = [Fraction(0)] * k + [-rng.choice(drops) for _ in range(n - k)]
            rng.shuffle(mixed)
            candidates.append(mixed)
            candidates.append(mixed[::-1])
    eta = size_of(claim.rows["perturbation"], point) if "perturbation" in claim.rows else None
    width = size_of(claim.rows.get("values", "D"), point) if claim.quantity == "value_error" else None
    for scores in candidates:
        softs = [None]
        if eta is not None:
            signs = (
                list(itertools.product((-1, 1), repeat=n))
                if n <= 3
                else [[rng.choice((-1, 1)) for _ in range(n)] for _ in range(6)]
            )
            softs = [[s + sign * eta for s, sign in zip(scores, choice, strict=True)] for choice in signs]
            softs.append(list(scores))
        for soft in softs:
            if width is None:
                yield scores, soft, None
                continue
            top = max(scores)
            yield scores, soft, [Fraction(0) if s == top else width for s in scores]
            chosen = scores.index(top) if claim.tie == "leftmost" else n - 1 - scores[::-1].index(top)
            yield scores, soft, [Fraction(0) if j == chosen else width for j in range(n)]
            yield scores, soft, [rng.choice([Fraction(0), width]) for _ in range(n)]
            yield scores, soft, [Fraction(0)] * n


def points_near(claim, n, rng, count):
    """Random points for rows of n positions; k is filled in by the row."""
    for _ in range(count):
        point = {
            "n": Fraction(n),
            "tau": rng.choice([Fraction(1), Fraction(2), Fraction(1, 3), Fraction(10), Fraction(1, 12)]),
        }
        for name in sorted(claim.names | ({"D"} if claim.quantity == "value_error" else set())):
            if name in ("gamma", "delta"):
                point[name] = rng.choice([Fraction(1), Fraction(1, 10), Fraction(3), Fraction(1, 1000), Fraction(8)])
            if name == "eta":
                point[name] = rng.choice([Fraction(0), Fraction(1, 10), Fraction(1), Fraction(4)])
            if name in ("eps", "D"):
                point[name] = rng.choice(
                    [Fraction(1), Fraction(1, 10), Fraction(3, 2), Fraction(2)] + [Fraction(0)] * (name == "D")
                )
        yield point


def broken(claim, point, scores, soft, values):
    """True where the row satisfies the assumptions and clearly breaks the claim; None where the bound is undefined."""
    if not assumptions_hold(claim, point, scores, soft, values):
        return False
    bound = value_of(claim.bound, point)
    if bound is None:
        return None
    value = quantity_at(claim, scores, soft, values, point["tau"])
    known = compared(value, claim.op, bound)
    if known is None:  # equal to 40 digits: a strict claim is broken (used only where the sides are formally equal)
        return claim.op in ("<", ">") and abs(value - bound) == 0
    return not known


def counterexample(claim, rng, sizes=(1, 2, 3, 4, 6), count=6):
    """A row that breaks the claim, or None; and how many rows satisfied the assumptions."""
    fitting = 0
    with mpmath.workdps(DIGITS):
        for n in sizes:
            for point in points_near(claim, n, rng, count):
                for scores, soft, values in rows_near(claim, point, n, rng):
                    place = scores.index(max(scores))
                    full = {
                        **point,
                        "k": Fraction(sum(s == max(scores) for s in scores)),
                        "l": Fraction(place),
                        "r": Fraction(n - 1 - place),
                    }
                    if not assumptions_hold(claim, full, scores, soft, values):
                        continue
                    fitting += 1
                    if broken(claim, full, scores, soft, values):
                        return (full, scores, soft, values), fitting
    return None, fitting


def confirms(claim, witness):
    """Whether a witness (parameters, grouped rows, values) breaks the claim, by an evaluation of its own."""

    def spread_out(row):
        return [s for s, m in zip(row.scores, row.multiplicities, strict=True) for _ in range(m)]

    if witness.row is None or witness.row.n > LONGEST:
        return False
    scores = spread_out(witness.row)
    soft = spread_out(witness.soft) if witness.soft is not None else None
    values = None
    if witness.values is not None:
        values = [v for v, m in zip(witness.values, witness.row.multiplicities, strict=True) for _ in range(m)]
    with mpmath.workdps(DIGITS):
        if not assumptions_hold(claim, witness.point, scores, soft, values):
            return False
        bound = value_of(claim.bound, witness.point)
        if bound is None:
            return False
        value = quantity_at(claim, scores, soft, values, witness.point["tau"])
        return not meets(value, claim.op, bound)


def random_claim(rng):
    """A claim whose bound is often the worst case itself, changed a little."""
    quantity = rng.choice(
        ["l1", "l1", "tv", "tv", "max_weight", "winner_weight", "value_error", "l1_moved", "tv_moved"]
    )
    rows, sides, tie = {}, "one-sided", rng.choice(["average", "average", "leftmost", "rightmost"])
    relations = []
    one = Fraction(1)
    if quantity.endswith("_moved"):
        tie = "average"
        rows["perturbation"] = rng.choice(["eta", "gamma", one, Fraction(1, 2)])
        if rng.random() < 0.3:
            rows["gap"] = "gamma"
        if rng.random() < 0.2:
            rows["spread"] = "delta"
    else:
        shape = rng.random()
        if shape < 0.55:
            if rng.random() < 0.7:
                rows["gap"] = rng.choice(["gamma", "gamma", "delta", one, Fraction(1, 2)])
            if rng.random() < 0.45:
                rows["spread"] = rng.choice(["delta", "delta", "gamma", Fraction(2), one])
        elif shape < 0.7 and quantity in ("l1", "tv"):
            rows["perturbation"] = rng.choice(["eta", one, "delta"])
            if rng.random() < 0.8:
                rows["gap"] = rng.choice(["gamma", one])
            if rng.random() < 0.5:
                relations.append(("k", "=", one))
        elif shape < 0.85:
            rows["growth"] = rng.choice(["gamma", "gamma", "delta", one])
            sides = rng.choice(["one-sided", "two-sided"])
        elif shape < 0.92:
            rows["lookup"] = "gamma"
        if quantity == "value_error" and rng.random() < 0.7:
            rows["values"] = rng.choice(["D", one, Fraction(0)])
    upper = rng.random() < 0.65
    op = rng.choice(["<=", "<=", "<"] if upper else [">=", ">=", ">"])
    if rng.random() < 0.3:
        relations.append(
            rng.choice(
                [
                    ("n", ">=", Fraction(2)),
                    ("k", "<", "n"),
                    ("k", "=", one),
                    ("k", "=", "n"),
                    ("k", ">=", Fraction(2)),
                    ("n", "<=", Fraction(3)),
                    ("tau", "<=", one),
                    ("n", "=", Fraction(4)),
                ]
            )
        )
    if "gamma" in rows.values() and "delta" in rows.values() and rng.random() < 0.4:
        relations.append(rng.choice([("gamma", "<=", "delta"), ("delta", "<=", "gamma"), ("gamma", "=", "delta")]))
    return Claim(quantity, op, _bound(rng, quantity, rows, tie, sides), tie, rows, sides, relations)


def _bound(rng, quantity, rows, tie, sides):
    score = rng.choice(
        [v for kind, v in rows.items() if kind in ("gap", "spread", "growth", "lookup", "perturbation")] or ["gamma"]
    )
    q = ("exp", score)
    one, two = Fraction(1), Fraction(2)
    count = rng.choice([("-", "n", "k"), ("-", "n", "k"), ("-", "n", one), "n"])
    k = rng.choice(["k", "k", one])
    if "growth" in rows or "lookup" in rows:
        options = [
            q,
            ("*", two, q),
            ("/", q, ("+", one, q)),
            ("/", ("*", two, q), ("+", one, q)),
            ("/", q, ("-", one, q)),
        ]
        if "growth" in rows and sides == "two-sided":
            options.append(("*", ("+", "l", "r"), q))
        distance = rng.choice(options)
    elif "perturbation" in rows and rng.random() < 0.7:
        e = ("exp", rows["perturbation"])
        distance = rng.choice([("-", one, e), ("/", ("-", one, e), ("+", one, e)), ("-", one, ("*", e, e))])
        if "gap" in rows and not quantity.endswith("_moved"):
            distance = ("+", distance, ("*", count, ("exp", rows["gap"])))
    else:
        z = rng.choice([("*", count, q), ("*", count, q), count, Fraction(0)])
        distance = ("/", z, ("+", k, z)) if tie == "average" else ("/", ("+", ("-", k, one), z), ("+", k, z))
        if quantity in ("max_weight",):
            distance = ("/", one, ("+", k, z))
        if quantity == "winner_weight":
            distance = ("/", k if tie == "average" else one, ("+", k, z))
    if quantity.startswith("l1"):
        distance = ("*", two, distance)
    if quantity == "value_error":
        distance = ("*", rows.get("values", "D"), distance)
    if quantity in ("max_weight", "winner_weight") and ("growth" in rows or "lookup" in rows):
        distance = ("-", one, distance)
    change = rng.random()
    if change < 0.5:
        return distance
    factor = rng.choice([Fraction(1, 2), Fraction(2), Fraction(3, 2), Fraction(9, 10), Fraction(0)])
    if change < 0.75:
        return ("*", factor, distance)
    if change < 0.85:
        return ("min", distance, rng.choice([one, two, Fraction(1, 2)]))
    if change < 0.92:
        return ("max", distance, rng.choice([Fraction(1, 2), Fraction(1, 10), ("/", one, "n")]))
    return (
        "+",
        distance,
        ("*", rng.choice([Fraction(1, 10), Fraction(-1, 10)]), rng.choice([q, one, ("/", one, "n")])),
    )

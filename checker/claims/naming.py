"""Names for what the language of proofs lacks: logarithms inside exponentials, roots, min and max, floor and ceiling.

Each name is a symbol with the relations that define it; these become hypotheses of the theorem, which therefore says
the same as the claim. A quotient by something that contains such a name gets a name too: w with w * divisor = 1.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import sympy as sp

from proofs.props import Rel


class UnsupportedTermError(Exception):
    """A term for which there is no proof method; the message shows it."""


@dataclass
class Names:
    """Names in use, and the relations that define them."""

    definitions: list[Rel] = field(default_factory=list)
    logs: list[tuple[sp.Symbol, sp.Expr]] = field(default_factory=list)
    inverses: list[tuple[sp.Symbol, sp.Expr]] = field(default_factory=list)
    _known: dict[sp.Expr, sp.Symbol] = field(default_factory=dict)

    def __call__(self, expr: sp.Expr) -> sp.Expr:
        """The term in the language of proofs; raises UnsupportedTermError."""
        if not expr.args:
            return expr
        if isinstance(expr, sp.Pow) and not isinstance(expr, sp.exp):
            return self._power(*expr.args)
        args = [self(arg) for arg in expr.args]
        if isinstance(expr, (sp.Add, sp.Mul, sp.exp, sp.tanh)):
            return expr.func(*args)
        if isinstance(expr, sp.log):
            return self._log(args[0])
        if isinstance(expr, (sp.Max, sp.Min)):
            return self._extreme(expr, args)
        if isinstance(expr, sp.Abs):
            return self._extreme(sp.Max(*expr.args, -expr.args[0], evaluate=False), [args[0], -args[0]])
        if isinstance(expr, (sp.floor, sp.ceiling)):
            return self._whole(expr, args[0])
        raise UnsupportedTermError(f"there is no proof method for {expr}")

    def _new(self, key: sp.Expr, letter: str, *, integer: bool = False) -> tuple[sp.Symbol, bool]:
        """The name of `key`, and whether it is new."""
        if key in self._known:
            return self._known[key], False
        name = f"{letter}{len(self._known) + 1}"
        self._known[key] = sp.Symbol(name, integer=True) if integer else sp.Symbol(name, real=True)
        return self._known[key], True

    def _log(self, argument: sp.Expr) -> sp.Symbol:
        name, new = self._new(sp.log(argument), "u")
        if new:
            self.definitions.append(Rel(name, "=", sp.log(argument)))
            self.logs.append((name, argument))
        return name

    def _power(self, base: sp.Expr, exponent: sp.Expr) -> sp.Expr:
        base = self(base)
        if not exponent.is_Rational:
            raise UnsupportedTermError(f"there is no proof method for {base}**({exponent})")
        if exponent.is_Integer and exponent > 0:
            return base**exponent
        if exponent.is_Integer:
            named = base.free_symbols & set(self._known.values())
            return self._inverse(base) ** (-exponent) if named else base**exponent
        root, new = self._new(base ** sp.Rational(1, exponent.q), "s")
        if new:
            self.definitions += [Rel(root, ">=", 0), Rel(root**exponent.q, "=", base)]
        return root**exponent.p if exponent > 0 else self._inverse(root) ** (-exponent.p)

    def _inverse(self, divisor: sp.Expr) -> sp.Symbol:
        name, new = self._new(1 / divisor, "w")
        if new:
            self.definitions.append(Rel(name * divisor, "=", 1))
            self.inverses.append((name, divisor))
        return name

    def _extreme(self, key: sp.Expr, args: list[sp.Expr]) -> sp.Symbol:
        name, new = self._new(key, "m")
        if new:
            op = ">=" if isinstance(key, sp.Max) else "<="
            self.definitions += [Rel(name, op, arg) for arg in args]
            self.definitions.append(Rel(sp.Mul(*[name - arg for arg in args]), "=", 0))
        return name

    def _whole(self, key: sp.Expr, arg: sp.Expr) -> sp.Symbol:
        name, new = self._new(key, "f", integer=True)
        if new:
            low, high = (name, arg) if isinstance(key, sp.floor) else (arg, name)
            self.definitions += [Rel(low, "<=", high), Rel(high, "<", low + 1)]
        return name

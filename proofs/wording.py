"""What the hypotheses of claims say, in words, and how a rule justifies a step; for printing only.

MEANINGS is keyed by the hypothesis as plain text (proofs/text_terms.py). A hypothesis without an entry says what it
says: `tau > 0` needs no words.
"""

from __future__ import annotations

from .certificate import split_how
from .props import Prop
from .sequent import Step
from .text_terms import prop_text

MEANINGS = {
    "p(i) = exp(s(i)/tau)/(sum_j exp(s(j)/tau)) for every i = 1..n": "p is the softmax of s",
    "p2(i) = exp(s2(i)/tau)/(sum_j exp(s2(j)/tau)) for every i = 1..n": "p' is the softmax of s'",
    "mu(i)*(1 - mu(i)) = 0 for every i = 1..n": "mu is 0 or 1: 1 at the maximal positions",
    "sum_j mu(j) = k": "there are k of them",
    "mu(i)*(top - s(i)) = 0 for every i = 1..n": "maximal positions have the score top",
    "top - s(i) + mu(i) > 0 for every i = 1..n": "all others have less",
    "h(i) = mu(i)/k for every i = 1..n": "h is average-hard attention",
    "lam(i)*(1 - lam(i)) = 0 for every i = 1..n": "lam is 0 or 1",
    "sum_j lam(j) = 1": "lam selects one position",
    "lam(i)*(1 - mu(i)) = 0 for every i = 1..n": "the selected position is maximal",
    "(1 - mu(i))*(top - s(i) - gamma) >= 0 for every i = 1..n": "the gap is at least gamma",
    "(1 - mu(i))*(top - s(i) - gamma) = 0 for every i = 1..n": "all others lie exactly gamma below the maximum",
    "mu(m) = 0": "m is not maximal",
    "top - s(m) > gamma": "m lies more than gamma below the maximum",
    "sum_j |p(j) - h(j)| <= eps": "the L1 error is at most eps",
    "top - s(i) <= delta for every i = 1..n": "the spread is at most delta",
    "(1 - mu(i))*(top - s(i) - delta) = 0 for every i = 1..n": "all others lie exactly delta below the maximum",
    "top - s(i) >= 0 for every i = 1..n": "no score exceeds top",
    "top2 - s2(i) >= 0 for every i = 1..n": "no score of s' exceeds top'",
    "top2 - s2(i) <= delta for every i = 1..n": "the spread of s' is at most delta",
    "sum_j (1 - lam(j))*exp(s(j)/tau) > 0": "there is another position",
    "(1 - lam(i))*(s2(i) - s(i)) = 0 for every i = 1..n": "only the score of the selected position changes",
    "(1 - lam(i))*(v2(i) - v(i)) = 0 for every i = 1..n": "only the value of the selected position changes",
    "lo <= v(i) for every i = 1..n": "values are at least lo",
    "v(i) <= hi for every i = 1..n": "and at most hi",
    "lo <= v2(i) for every i = 1..n": "new values are at least lo",
    "v2(i) <= hi for every i = 1..n": "and at most hi",
    "chi(i)*(1 - chi(i)) = 0 for every i = 1..n": "chi is 0 or 1: it selects a set of positions",
    "s2(i) - s(i) <= eta for every i = 1..n": "no score rises by more than eta",
    "s(i) - s2(i) <= eta for every i = 1..n": "and none falls by more than eta",
    "s2(i) = s(i) + eta*(2*chi(i) - 1) for every i = 1..n": "the set rises by eta, the rest falls by eta",
    "sum_j chi(j)*p(j) = 1/(1 + exp(eta/tau))": "the softmax mass of the set",
    "mu(i)*(top2 - s2(i)) = 0 for every i = 1..n": "top' is the perturbed score of the maximal position",
    "s2(i) = s(i) + eta*(1 - 2*mu(i)) for every i = 1..n": "the maximal score falls by eta, the others rise by eta",
    "sum_j p(j) = 1": "the weights p add up to 1",
    "sum_j a(j) = 1": "the weights a(j) add up to 1",
    "(2*chi(i) - 1)*(p(i) - a(i)) = |p(i) - a(i)| for every i = 1..n": "chi is 1 where p(i) exceeds a(i)",
    "v(i) = lo + chi(i)*(hi - lo) for every i = 1..n": "values are high on the set and low elsewhere",
    "p(i) >= 0 for every i = 1..n": "weights are not negative",
    "v2(i) - v(i) <= nu for every i = 1..n": "no value rises by more than nu",
    "v(i) - v2(i) <= nu for every i = 1..n": "and none falls by more than nu",
    "v2(i) = v(i) + nu for every i = 1..n": "all values rise by nu",
    "(1 - chi(i))*(1 - mu(i)) = 0 for every i = 1..n": "the set contains every position that is not maximal",
    "sum_j chi(j)*mu(j) = b": "and b of the maximal ones",
    "top - s(i) >= gamma*(n - i) for every i = 1..n": "scores fall by gamma per position to the left",
    "top - s(i) >= gamma*(i - 1) for every i = 1..n": "the i-th distance is at least gamma(i - 1)",
    "top - s(i) = gamma*(n - i) for every i = 1..n": "scores fall by exactly gamma per position",
    "top - s(i) = gamma*(i - 1) for every i = 1..n": "scores fall by exactly gamma per position",
    "top - s(i) = c*(i - a)^2 for every i = 1..n": "the scores fall off quadratically",
    "top - s(i) = c*((i - a)^2 - 2*eta*(i - a)) for every i = 1..n": "quadratic, the query being off by eta",
    "mu(m) = 1": "m is the maximal position",
    "chi(m) = 1": "the predicate holds at m",
    "chi(m + i) = 0 for every i = 1..n - m": "and at no later position",
    "chi(i) = 0 for every i = 1..m - 1": "and at no earlier position",
    "chi(i) = 0 for every i = 1..n": "the predicate holds nowhere",
    "s(i) = c*(i + A*chi(i)) for every i = 1..n": "the scores of the head for the rightmost position",
    "s(i) = c*(A*chi(i) - i) for every i = 1..n": "the scores of the head for the leftmost position",
    "s2(i) = factor*s(i) for every i = 1..n": "all scores multiplied by one factor",
    "s2(i) = s(i)/n for every i = 1..n": "scores divided by n",
    "s2(i) = s(i)/n^2 for every i = 1..n": "scores divided by n^2",
    "top - s(i) = gamma*e(i) for every i = 1..n": "distances in units of gamma, in increasing order",
    "e(1 + i) - e(i) >= 1 for every i = 1..n - 1": "which increase by at least 1",
    "B(n) - B(1) <= delta": "the spread is at most delta",
    "f(i) = 1 for every i = 1..n": "all bits are 1",
    "(1 - f(i))*f(i) = 0 for every i = 1..n": "f(i) is 0 or 1",
    "s(i) = c*(b + i) for every i = 1..n": "scores grow with the position b + i",
    "s(i) = -c*(b + i) for every i = 1..n": "scores fall with the position b + i",
    "0 <= v(i) for every i = 1..n": "values are at least 0",
    "v(i) <= 1 for every i = 1..n": "and at most 1",
    "phi(i)*(1 - phi(i)) = 0 for every i = 1..n": "phi is 0 or 1",
    "psi(i)*(1 - psi(i)) = 0 for every i = 1..n": "psi is 0 or 1",
    "chi(i) = 1 - phi(i) + phi(i)*psi(i) for every i = 1..n": "chi is: not phi, or psi",
    "t(i) = psi(i) + phi(i)*(1 - psi(i))*t(i - 1) for every i = 1..n": "t is the truth value of phi since psi",
    "t(i) = psi(i) + phi(i)*(1 - psi(i))*t(1 + i) for every i = 1..n": "t is the truth value of phi until psi",
    "t(i) = phi(i)*t(i - 1) for every i = 1..n": "t is the truth value of historically phi",
    "s(i) = top for every i = 1..n": "all scores are equal",
    "s(i) = x for every i = 1..n": "all scores are equal",
    "x = C/w": "x is the frequency C/w",
    "s(i) = n*c*(2*x*(i - 1) - y*(i - 1)^2) for every i = 1..n": "the scores of the head that looks up a count",
    "s(a) - s(i) >= c*(i - a)^2 for every i = 1..n": "the scores fall off at least quadratically",
    "g(i) - f(i) <= nu for every i = 1..n": "no count is too large by more than nu",
    "f(i) - g(i) <= nu for every i = 1..n": "and none too small by more than nu",
    "(g(i) - f(i))*a(i) = nu*|a(i)| for every i = 1..n": "each count is off by nu in the direction of its coefficient",
    "v(i) = 1 - v(i - 1) for every i = 1..n": "values alternate",
    "s2(i) = s(i)/n^3 for every i = 1..n": "scores divided by n^3",
    "sum_{j=1..r} |W(j)| = w": "w is the sum of the absolute values of the entries of the score form",
    "sum_{j=1..c} |U(j)| = vmap": "vmap is that sum for a row of the value map",
    "s(i) = sum_{j=1..r} W(j)*x(j)*z(j + (i - 1)*r) for every i = 1..n": "the score of key i in the hard run",
    "s2(i) = sum_{j=1..r} W(j)*x2(j)*z2(j + (i - 1)*r) for every i = 1..n": "and in the soft run",
    "v(i) = sum_{j=1..c} U(j)*u(j + c*(i - 1)) for every i = 1..n": "the value of position i in the hard run",
    "v2(i) = sum_{j=1..c} U(j)*u2(j + c*(i - 1)) for every i = 1..n": "and in the soft run",
    "|z(e)| <= B for every e = 1..n*r": "the keys of the hard run have size at most B",
    "|z(e) - z2(e)| <= delta for every e = 1..n*r": "and those of the soft run are off by at most delta",
    "|u(e)| <= B for every e = 1..n*c": "the inputs of the values have size at most B",
    "|u(e) - u2(e)| <= delta for every e = 1..n*c": "and are off by at most delta",
    "|a0 - a2| <= delta": "the inputs of the layer are off by at most delta",
    "|o(i) - o2(i)| <= err(i) for every i = 1..H": "the output of head i is off by at most err(i)",
    "|out - out2| <= K*|a0 - a2 + sum_{j=1..H} o(j) - sum_{j=1..H} o2(j)|": "the position-wise map has the constant K",
    "err(0) = 0": "both runs start from the same embeddings",
    "A0 + D0/tau <= exp(P)": "exp(P) is at least the rate of growth per layer",
    "exp(P) = A0 + D0/tau": "P is the logarithm of the rate of growth",
    "(1 - t)*(1 + t) = 0": "t is 1 or -1",
    "-mu(i)*(m - i) >= 0 for every i = 1..n": "every maximal position is at m or to its right",
    "mu(i)*(m - i) >= 0 for every i = 1..n": "every maximal position is at m or to its left",
    "-lam(i)*(m - i) = 0 for every i = 1..n": "lam is 0 except at m",
    "(1 - lam(i))*((i - m)^2 - 1) >= 0 for every i = 1..n": "and 1 at m",
    "sum_{j=1..r} (Y(j) - Y2(j))*X(j)*a(j) = N": "N is an integer, a sum of products of integers",
    "sum_{j=1..r} (k2*Y(j) - k1*Y2(j))*X(j)*a(j) = N": "N is an integer, a sum of products of integers",
    "sum_{j=1..r} W(j)*x(j)*y(j) - sum_{j=1..r} W(j)*x(j)*y2(j) > 0": "the first key has the larger score",
    "6*B*M*w <= gamma*theta": "errors up to M move scores by at most theta gamma/2",
}


def meaning(prop: Prop) -> str:
    """What a hypothesis says in words, as plain text; empty when its formula says it."""
    return MEANINGS.get(prop_text(prop), "")


def reason(step: Step) -> tuple[str, str]:
    """(what was done, the steps it follows from) in plain text; how it was applied is left to the caller.

    The premises are named by the part they play: those of a case analysis, of an induction, of an instance.
    """
    numbers = [premise.number for premise in step.premises]
    listed = ", ".join(map(str, dict.fromkeys(numbers)))
    match step.rule:
        case "assume":
            return "assumed", ""
        case "define":
            return "definition", listed and f"by {listed}"
        case "at":
            return "", f"instance of {numbers[0]}, in range by {', '.join(map(str, dict.fromkeys(numbers[1:])))}"
        case "generalise":
            return "", f"{numbers[0]} at an arbitrary position ({numbers[1]}, {numbers[2]})"
        case "cases":
            product, left, one, right, two = numbers
            return "", f"{left} or {right}, by {product}; case {left}: {one}, case {right}: {two}"
        case "induction":
            return f"induction {step.how}:", f"base {numbers[0]}, hypothesis {numbers[1]}, step {numbers[2]}"
        case "substitute" if step.how:
            shown = ", ".join(map(str, dict.fromkeys(numbers[1:])))
            return f"{step.how} in {numbers[0]}", shown and f"by {shown}"
        case "substitute":
            shown = ", ".join(map(str, dict.fromkeys(numbers[1:])))
            return "", f"{numbers[0]} with {shown}" if shown else f"{numbers[0]}"
        case "transitive":
            return "chain", listed
        case "monotone":
            derivative, domain, start, order = numbers
            return "increasing", f"derivative {derivative} where {domain}; end points {start}, {order}"
        case "cite":
            return f"by {step.how}", listed and f"from {listed}"
        case "analysis":
            return f"{step.how};" if listed else step.how, listed and f"from {listed}"
        case _:
            return step.how, listed and f"from {listed}"


def decided(how: str) -> str:
    """How an (in)equality of rational functions was decided, in words."""
    head, semicolon, _ = how.partition("; sums made linear by ")
    words = {
        "trivial": "arithmetic",
        "coefficients: no negative one after expansion": "no negative coefficient",
        "Z3: the negation is unsatisfiable": "the contrary is contradictory (Z3)",
    }.get(head, head)
    return f"{words}; sums are linear" if semicolon else words


def opening(how: str) -> tuple[str, str]:
    """The words around the equations of a coefficient certificate."""
    before, equations, rest = split_how(how)
    if not equations:
        return decided(before), ""
    return "no negative coefficient after ", "; sums are linear" if rest.startswith("; sums made linear by ") else rest

"""The zoo: languages with a formula each, from all classes of statement D7.

checker.logic.deciders decides each of them without the logic, and the tests compare the two on all short words.
"""

from __future__ import annotations

import difflib

from checker.errors import InputError
from checker.exact import show
from checker.logic.acceptance import Acceptance
from checker.logic.classes import LogicClass
from checker.logic.language import Language
from checker.logic.patterns import bounded_dyck
from checker.logic.text import to_text

_FIRST, _LAST = Acceptance.FIRST, Acceptance.LAST
_DEFINITE, _ONCE, _STAR_FREE, _MODULAR, _NUMERICAL, _COUNTING = LogicClass

_DWYER = "Dwyer, Avrunin, Corbett (1999)"
_TOMITA = "Tomita (1982), with a for 1 and b for 0"
_BARCELO = "Barcelo, Kozachinskiy, Lin, Podolskii (2024)"
_AC0 = "Barrington, Compton, Straubing, Therien (1992)"
_MASKED = "Yang, Chiang, Angluin (2024)"
_HAHN = "Hahn (2020)"
_TESTABLE = "McNaughton, Papert (1971)"
_DEFINITE_EVENTS = "Perles, Rabin, Shamir (1963)"
_PIECEWISE = "Simon (1975)"
_LTL = "Kamp (1968)"
_COUNTERS = "Bhattamishra, Ahuja, Goyal (2020)"

_SQUARES = ", ".join(str(k * k) for k in range(1, 13))
_PRIMES = ", ".join(str(p) for p in range(2, 100) if all(p % d for d in range(2, p)))

_ENTRIES: tuple[tuple[str, str, str, str, Acceptance, LogicClass, bool, str], ...] = (
    # name, title, formula, alphabet, acceptance, class, empty word, reference
    ("ends-with-ab", "the word ends with ab",
     "b & Y a", "ab", _LAST, _DEFINITE, False, _DEFINITE_EVENTS),
    ("second-last-a", "the last symbol but one is a",
     "Y a", "ab", _LAST, _DEFINITE, False, _DEFINITE_EVENTS),
    ("last-two-equal", "the last two symbols are equal",
     "a & Y a | b & Y b", "ab", _LAST, _DEFINITE, False, _DEFINITE_EVENTS),
    ("trigram", "the word ends with abc or bac",
     "c & (Y (b & Y a) | Y (a & Y b))", "abc", _LAST, _DEFINITE, False, _DEFINITE_EVENTS),
    ("tomita-1", "a*: no b",
     "H a", "ab", _LAST, _ONCE, True, _TOMITA),
    ("tomita-7", "b*a*b*a*",
     "!P (b & P (a & P (b & P a)))", "ab", _LAST, _ONCE, True, _TOMITA),
    ("sorted", "a*b*: no a after a b",
     "!P (a & P b)", "ab", _LAST, _ONCE, True, _PIECEWISE),
    ("subsequence-abc", "a, then b, then c occur, with others between",
     "P (c & P (b & P a))", "abc", _LAST, _ONCE, False, _PIECEWISE),
    ("every-symbol", "a, b and c all occur",
     "P a & P b & P c", "abc", _LAST, _ONCE, False, _PIECEWISE),
    ("tomita-2", "(ab)*",
     "b & H ((a -> !Y a) & (b -> Y a))", "ab", _LAST, _STAR_FREE, True, _TOMITA),
    ("tomita-4", "bbb does not occur",
     "!P (b & Y (b & Y b))", "ab", _LAST, _STAR_FREE, True, _TOMITA),
    ("aa-but-not-bb", "aa occurs and bb does not (locally testable)",
     "P (a & Y a) & !P (b & Y b)", "ab", _LAST, _STAR_FREE, False, _TESTABLE),
    ("one-b", "exactly one b",
     "P (b & !Y P b) & !P (b & Y P b)", "ab", _LAST, _STAR_FREE, False, _TESTABLE),
    ("first-is-last", "the first symbol and the last are equal",
     "a <-> P (a & first)", "ab", _LAST, _STAR_FREE, False, _HAHN),
    ("since", "a b occurs, followed by a's only",
     "a S b", "abc", _LAST, _STAR_FREE, False, _LTL),
    ("until", "a's, then a b, then anything",
     "a U b", "abc", _FIRST, _STAR_FREE, False, _LTL),
    ("begins-with-ab", "the word begins with ab",
     "a & X b", "ab", _FIRST, _STAR_FREE, False, _LTL),
    ("dyck-1-depth-1", "well-nested brackets, 1 level deep",
     to_text(bounded_dyck(1)), "()", _LAST, _STAR_FREE, True, _MASKED),
    ("dyck-1-depth-2", "well-nested brackets, at most 2 levels deep",
     to_text(bounded_dyck(2)), "()", _LAST, _STAR_FREE, True, _MASKED),
    ("dyck-1-depth-3", "well-nested brackets, at most 3 levels deep",
     to_text(bounded_dyck(3)), "()", _LAST, _STAR_FREE, True, _MASKED),
    ("absence", "c never occurs",
     "G !c", "abc", _FIRST, _STAR_FREE, True, _DWYER),
    ("absence-after", "from the first b on, c never occurs",
     "G (b -> G !c)", "abc", _FIRST, _STAR_FREE, True, _DWYER),
    ("absence-between", "no c between an a and the next b",
     "G (a & F b -> !c U b)", "abc", _FIRST, _STAR_FREE, True, _DWYER),
    ("existence", "c occurs",
     "F c", "abc", _FIRST, _STAR_FREE, False, _DWYER),
    ("universality-before", "a's only until the first b, if there is one",
     "a W b", "abc", _FIRST, _STAR_FREE, True, _DWYER),
    ("precedence", "no b before the first a",
     "!b W a", "abc", _FIRST, _STAR_FREE, True, _DWYER),
    ("response", "every a is followed by a b, at once or later",
     "G (a -> F b)", "abc", _FIRST, _STAR_FREE, True, _DWYER),
    ("bounded-response", "after every a, one of the next two symbols is b",
     "G (a -> X (b | X b))", "abc", _FIRST, _STAR_FREE, True, _DWYER),
    ("response-chain", "every a is followed by a b, and that by a c",
     "G (a -> F (b & X F c))", "abc", _FIRST, _STAR_FREE, True, _DWYER),
    ("bounded-existence", "at most two a's",
     "!F (a & X F (a & X F a))", "ab", _FIRST, _STAR_FREE, True, _DWYER),
    ("even-a", "(aa)*: a's only, of even number",
     "i % 2 == 0 & H a", "ab", _LAST, _MODULAR, True, _AC0),
    ("even-length", "the length is even",
     "i % 2 == 0", "ab", _LAST, _MODULAR, True, _AC0),
    ("a-at-odd", "a at the odd positions, b at the even ones",
     "G (a <-> i % 2 == 1)", "ab", _FIRST, _MODULAR, True, _AC0),
    ("aab-star", "(aab)*",
     "b & H (b <-> i % 3 == 0)", "ab", _LAST, _MODULAR, True, _AC0),
    # A block is odd iff the positions of its first and its last symbol have equal parity.
    ("tomita-3", "no odd block of b's anywhere after an odd block of a's",
     "!P ((last | X a) & b & (i % 2 == 1 <-> b S (b & !Y b & i % 2 == 1)) & "
     "P (b & Y (a & (i % 2 == 1 <-> a S (a & !Y a & i % 2 == 1)))))", "ab", _LAST, _MODULAR, True, _TOMITA),
    ("a-at-squares", "a exactly at the positions 1, 4, 9, ..., 144",
     f"G (a <-> i in {{{_SQUARES}}})", "ab", _FIRST, _NUMERICAL, True, _AC0),
    ("first-half", "a's in the first half (rounded down), b's in the second",
     "G (a <-> 2*i <= n)", "ab", _FIRST, _NUMERICAL, True, _AC0),
    ("middle-a", "the middle symbol (of two, the left one) is a",
     "F (a & n <= 2*i <= n + 1)", "ab", _FIRST, _NUMERICAL, False, _AC0),
    ("anbn-by-position", "a^m b^m, by comparing positions with the length",
     "n % 2 == 0 & H (a <-> 2*i <= n)", "ab", _LAST, _NUMERICAL, True, _AC0),
    ("prime-length", "a^p, p a prime below 100",
     f"n in {{{_PRIMES}}}", "a", _LAST, _NUMERICAL, False, _AC0),
    ("majority", "MAJORITY: more a's than b's",
     "#[a] > #[b]", "ab", _LAST, _COUNTING, False, _BARCELO),
    ("plurality", "more a's than b's, and more than c's",
     "#[a] > #[b] & #[a] > #[c]", "abc", _LAST, _COUNTING, False, _BARCELO),
    ("a-third", "at least a third of the symbols are a's",
     "3*#[a] >= n", "ab", _LAST, _COUNTING, True, _BARCELO),
    ("parity", "PARITY: the number of a's is odd",
     "#[a] % 2 == 1", "ab", _LAST, _COUNTING, False, _HAHN),
    ("even-by-counts", "an even number of a's, by comparing counts",
     "P (2*#<-[a] == #[a])", "ab", _LAST, _COUNTING, True, _BARCELO),
    ("tomita-5", "an even number of a's and an even number of b's",
     "#[a] % 2 == 0 & #[b] % 2 == 0", "ab", _LAST, _COUNTING, True, _TOMITA),
    ("tomita-6", "the numbers of a's and of b's are equal modulo 3",
     "#[a] % 3 == 0 & #[b] % 3 == 0 | #[a] % 3 == 1 & #[b] % 3 == 1 | #[a] % 3 == 2 & #[b] % 3 == 2",
     "ab", _LAST, _COUNTING, True, _TOMITA),
    ("three-a", "exactly three a's",
     "#[a] == 3", "ab", _LAST, _COUNTING, False, _BARCELO),
    ("equal-numbers", "as many a's as b's",
     "#[a] == #[b]", "ab", _LAST, _COUNTING, True, _COUNTERS),
    ("anbn", "a^m b^m",
     "H (a -> H a) & #[a] == #[b]", "ab", _LAST, _COUNTING, True, _COUNTERS),
    ("anbncn", "a^m b^m c^m",
     "!P (a & P (b | c)) & !P (b & P c) & #[a] == #[b] & #[b] == #[c]", "abc", _LAST, _COUNTING, True, _COUNTERS),
    ("dyck-1", "well-nested brackets, of any depth",
     'H (#<-["("] >= #<-[")"]) & #["("] == #[")"]', "()", _LAST, _COUNTING, True, _COUNTERS),
    ("ahead-half", "at half of the positions or more, a is ahead of b so far",
     "2*#[#<-[a] > #<-[b]] >= n", "ab", _LAST, _COUNTING, True, _BARCELO),
    ("suffixes", "every suffix has at least as many a's as b's",
     "G (#->[a] >= #->[b])", "ab", _FIRST, _COUNTING, True, _COUNTERS),
)  # fmt: skip

LANGUAGES: dict[str, Language] = {
    name: Language(name, title, text, tuple(alphabet), acceptance, logic, empty, reference)
    for name, title, text, alphabet, acceptance, logic, empty, reference in _ENTRIES
}


def find(name: str) -> Language:
    """The language of that name; InputError, with the nearest names, if there is none."""
    if name in LANGUAGES:
        return LANGUAGES[name]
    close = difflib.get_close_matches(name, LANGUAGES, n=3, cutoff=0.5)
    hint = f"did you mean {' or '.join(close)}?" if close else "see the list without a name"
    raise InputError(f"no language is named {show(name)}; {hint}")

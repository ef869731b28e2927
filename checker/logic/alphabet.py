"""Alphabets and words as text: "abc" or "a,b,begin" for an alphabet, "abba" or "a,begin,b" for a word."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from checker.errors import InputError
from checker.exact import show

MAX_SYMBOLS = 256
"""Most symbols of an alphabet: words are stored as bytes."""


def check_alphabet(symbols: Iterable[str]) -> tuple[str, ...]:
    """The symbols as a tuple; InputError unless they are 1 to 256 different non-empty printable strings."""
    names = tuple(symbols)
    if not names:
        raise InputError("the alphabet is empty; name at least one symbol, such as ab")
    if len(names) > MAX_SYMBOLS:
        raise InputError(f"the alphabet has {len(names)} symbols; at most {MAX_SYMBOLS} are accepted")
    for place, name in enumerate(names, start=1):
        if not isinstance(name, str) or not name or not name.isprintable():
            raise InputError(f"symbol {place} of the alphabet is not a non-empty printable string: {show(name)}")
        if names.index(name) != place - 1:
            raise InputError(f"symbol {show(name)} occurs twice in the alphabet, as number {names.index(name) + 1} and "
                             f"{place}")  # fmt: skip
    return names


def parse_alphabet(text: str) -> tuple[str, ...]:
    """Read an alphabet: the letters of the text, or the names between its commas.

    Raises InputError for an empty alphabet or name, a repeated symbol, or unprintable characters.

    >>> parse_alphabet("abc"), parse_alphabet("a, b, begin")
    (('a', 'b', 'c'), ('a', 'b', 'begin'))
    """
    if "," not in text:
        return check_alphabet(text.strip())
    names = [name.strip() for name in text.split(",")]
    for place, name in enumerate(names, start=1):
        if not name:
            raise InputError(f"symbol {place} of the alphabet {show(text)} is empty")
    return check_alphabet(names)


def parse_word(text: str, alphabet: Sequence[str]) -> tuple[int, ...]:
    """Read a word as indices of symbols: one symbol per letter, or names between commas or spaces.

    One symbol per letter if every letter of the text is a symbol and every symbol is one letter. Raises InputError,
    with the place, for a symbol that is not in the alphabet.

    >>> parse_word("abba", ("a", "b")), parse_word("a begin", ("a", "begin")), parse_word("", ("a",))
    ((0, 1, 1, 0), (0, 1), ())
    """
    index = {name: number for number, name in enumerate(alphabet)}
    letters = all(len(name) == 1 for name in alphabet)
    if letters and all(letter in index for letter in text):
        return tuple(index[letter] for letter in text)
    if not letters or "," in text or len(text.split()) > 1:
        names = [name.strip() for name in text.split(",")] if "," in text else text.split()
    else:
        names = list(text.strip())
    for place, name in enumerate(names, start=1):
        if name not in index:
            hint = "" if letters or "," in text or " " in text else "; separate symbols by commas"
            known = show_alphabet(alphabet)
            raise InputError(f"symbol {place} of the word, {show(name)}, is not in the alphabet {known}{hint}")
    return tuple(index[name] for name in names)


def show_alphabet(alphabet: Sequence[str]) -> str:
    """The alphabet in short: at most ten symbols."""
    shown = ", ".join(alphabet[:10])
    return shown if len(alphabet) <= 10 else f"{shown}, ... ({len(alphabet)} symbols)"


def word_text(word: Iterable[int], alphabet: Sequence[str]) -> str:
    """The word as text that `parse_word` reads back: letters side by side if all symbols are, else with commas.

    >>> word_text((0, 1, 1), ("a", "b")), word_text((0, 1), ("a", "begin"))
    ('abb', 'a,begin')
    """
    return ("" if all(len(name) == 1 for name in alphabet) else ",").join(alphabet[number] for number in word)

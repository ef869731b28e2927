"""What activations depend on, and the cells of a range of words: equal cells exactly where that is equal."""

import itertools

import pytest

from checker.attention import Mask
from checker.compile.compiler import compile_formula
from checker.logic.semantics import words_block
from checker.logic.text import parse_formula
from checker.transformer.prefixplan import plan
from checker.transformer.ranges import blocks
from checker.transformer.sharing import Block, Kind, join, reach

KINDS = list(Kind)
LONG = 45  # 3^45 > 2^63


def block_of(k, n, start, stop, begin=True, end=True, whole=True):
    positions = range(0 if begin else 1, n + 1 + end)
    return Block(k, positions, n, start, stop, whole_begin=whole, whole_end=whole)


def below(one, two):
    return join(one, two) is two


def test_kinds_are_a_lattice_with_full_on_top():
    for a, b, c in itertools.product(KINDS, repeat=3):
        assert join(a, b) is join(b, a)
        assert join(join(a, b), c) is join(a, join(b, c)) is join(a, b, c)
        assert below(a, join(a, b))
        assert not (below(a, c) and below(b, c)) or below(join(a, b), c)
    for a in KINDS:
        assert join(a) is join(a, a) is join(a, Kind.CONSTANT) is a
        assert join(a, Kind.FULL) is Kind.FULL
    assert join(Kind.PREFIX, Kind.SUFFIX) is join(Kind.PREFIX, Kind.WORD) is join(Kind.POSITION, Kind.WORD) is Kind.FULL


@pytest.mark.parametrize("mask", Mask)
def test_what_a_query_sees(mask):
    """By definition: what it reads changes with a part of the word only if the kind says so."""
    n, words = 4, list(itertools.product("ab", repeat=4))
    seen = {
        Kind.CONSTANT: lambda _word, _j: None,
        Kind.POSITION: lambda _word, j: j,
        Kind.LOCAL: lambda word, j: (j, word[j]),
        Kind.PREFIX: lambda word, j: (j, word[: j + 1]),
        Kind.SUFFIX: lambda word, j: (j, word[j:]),
        Kind.WORD: lambda word, _j: word,
        Kind.FULL: lambda word, j: (j, word),
    }
    visible = {
        Mask.NONE: lambda _i: range(n),
        Mask.FUTURE: lambda i: range(i + 1),
        Mask.STRICT_FUTURE: lambda i: range(i),
        Mask.PAST: lambda i: range(i, n),
        Mask.STRICT_PAST: lambda i: range(i + 1, n),
    }[mask]
    for query, key in itertools.product(KINDS, repeat=2):
        found = reach(mask, query, key)
        read = {}
        for word, i in itertools.product(words, range(n)):
            known = seen[query](word, i), tuple(seen[key](word, j) for j in visible(i))
            assert read.setdefault(seen[found](word, i), known) == known  # a function of what the kind says
        for smaller in KINDS:
            if below(smaller, key):
                assert below(reach(mask, query, smaller), found)
            if below(smaller, query):
                assert below(reach(mask, smaller, key), found)


@pytest.mark.parametrize(
    ("k", "n", "start", "stop"),
    [
        (2, 4, 0, 16), (2, 4, 3, 11), (3, 3, 0, 27), (3, 3, 8, 10), (1, 3, 0, 1), (2, 1, 0, 2), (2, 6, 16, 32),
        (3, 4, 26, 55), (2, 5, 31, 32), (3, LONG, 3**44 - 2, 3**44 + 3), (3, LONG, 3**45 - 4, 3**45),
        (2, 70, 2**69 - 3, 2**69 + 3), (2, 70, 2**64, 2**64 + 8),
    ],
)  # fmt: skip
@pytest.mark.parametrize("markers", [(True, True), (False, True), (True, False), (False, False)])
def test_cells_are_equal_exactly_where_words_are(k, n, start, stop, markers):
    block = block_of(k, n, start, stop, *markers)
    words = [tuple(word) for word in words_block(k, n, start, stop).tolist()]
    full = [(("begin",) if markers[0] else ()) + word + (("end",) if markers[1] else ()) for word in words]
    for kind, of in (
        (Kind.LOCAL, lambda word, j: (j, word[j])),
        (Kind.PREFIX, lambda word, j: (j, word[: j + 1])),
        (Kind.SUFFIX, lambda word, j: (j, word[j:])),
    ):
        cells = block.cells(kind)
        assert cells.index.shape == (len(words), len(full[0]))
        meaning = {}
        for (row, word), j in itertools.product(enumerate(full), range(len(full[0]))):
            cell = int(cells.index[row, j])
            assert meaning.setdefault(cell, of(word, j)) == of(word, j)
            assert cells.column[cell] == j
            if kind is not Kind.LOCAL:
                assert of(full[cells.word[cell]], j) == of(word, j)
                assert cells.word[cell] <= row
        assert len(set(meaning.values())) == len(meaning)
        if kind is not Kind.LOCAL:
            assert len(meaning) == len(cells.word) == len(cells.column)
            order = list(range(len(full[0])))[:: 1 if kind is Kind.PREFIX else -1]
            for before, j in itertools.pairwise(order):
                assert (cells.parent[cells.index[:, j]] == cells.index[:, before]).all()
            assert [int(cells.column[level.start]) for level in cells.levels] == order
            assert (block.seen(kind) == cells.index[cells.word]).all()


def test_all_words_make_a_complete_trie():
    n = 7
    cells = block_of(2, n, 0, 2**n).cells(Kind.PREFIX)
    assert [level.stop - level.start for level in cells.levels] == [1, *(2**i for i in range(1, n + 1)), 2**n]
    without = block_of(2, n, 0, 2**n, whole=False).cells(Kind.PREFIX)
    assert len(without.word) == 2 ** (n + 1) - 1


def test_blocks_of_the_same_form_share_a_layout():
    one, two, other = (block_of(2, 9, start, start + 64) for start in (0, 192, 32))
    assert one.layout is two.layout
    assert one.layout is not other.layout
    assert (one.cells(Kind.LOCAL).index != two.cells(Kind.LOCAL).index).any()


def test_ranges_are_cut_into_aligned_blocks_of_bounded_size():
    model = compile_formula(parse_formula("a S (b & Y b)"), ("a", "b"))
    known = plan(model)
    for n, start, stop in ((16, 0, 2**16), (16, 4097, 2**15 + 3), (30, 2**29 - 5, 2**29 + 5), (3, 2, 2)):
        found = list(blocks(known, n, start, stop))
        place = start
        for block in found:
            assert block.start == place
            place += block.count
            assert block.count * known.scores(n) <= 1 << 18
        assert place == stop
        size = 1
        while size < max((block.count for block in found), default=1):
            size *= 2
        assert all(block.start // size == (block.start + block.count - 1) // size for block in found)


@pytest.mark.parametrize(
    ("text", "scores", "ends"),
    [
        ("a S (b & Y b)", [{Kind.POSITION}, {Kind.PREFIX}], (False, False)),
        ("#<-[a] > #<-[b]", [{Kind.POSITION}, {Kind.PREFIX}], (False, False)),
        ("#[a] > #[b]", [{Kind.CONSTANT}, {Kind.WORD}], (False, False)),
        ("G (a -> F b)", [{Kind.SUFFIX}, {Kind.SUFFIX}], (False, False)),
        ("#[Y a] > 2", [{Kind.POSITION}, {Kind.CONSTANT}, {Kind.WORD}], (False, True)),
        ("#[X a] > 2", [{Kind.POSITION}, {Kind.CONSTANT}, {Kind.WORD}], (True, False)),
        ("P (a & F b)", [{Kind.SUFFIX}, {Kind.FULL}], (True, False)),
    ],
)
def test_kinds_of_compiled_formulas(text, scores, ends):
    from checker.logic.acceptance import Acceptance

    known = plan(compile_formula(parse_formula(text), ("a", "b"), acceptance=Acceptance.LAST))
    assert [{head[0] for head in layer} for layer in known.heads if layer] == scores
    assert (known.whole_begin, known.whole_end) == ends

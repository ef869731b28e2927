"""Reading attention scores: what is exact stays exact, and every bad file is refused in one clear line."""

import io
import json
import pickle
import zipfile
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from checker import scorefile
from checker.errors import InputError
from checker.scorearray import Scores, from_exact

DATA = Path(__file__).parent / "data" / "minilm_scores.npz"
NINF = -np.inf


def refused(path: Path, array_name: str | None = None) -> str:
    """The one-line message with which a file is refused."""
    with pytest.raises(InputError) as caught:
        scorefile.read(path, array_name)
    message = str(caught.value)
    assert "\n" not in message
    assert path.name in message
    return message


def save(path: Path, array: object) -> Path:
    np.save(path, array, allow_pickle=True)
    return path


def write(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def test_real_data_are_read_as_they_are() -> None:
    scores = scorefile.read(DATA, "long")
    assert scores.shape == (6, 12, 35, 35)
    assert (scores.keys, scores.rows) == (35, 6 * 12 * 35)
    assert scores.name == "minilm_scores.npz, array 'long'"
    row = scores.rows - 1
    assert scores.index(row) == (5, 11, 34)
    with np.load(DATA) as archive:
        assert scores.exact_row(row) == [Fraction(float(x)) for x in archive["long"][5, 11, 34]]


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("dtype", ["<f4", ">f4", "<f2", "<f8", "<i2", "<u1"])
def test_npy_of_every_real_dtype_and_order(tmp_path: Path, dtype: str, order: str) -> None:
    array = np.asarray(np.arange(24).reshape(2, 3, 4), dtype=dtype, order=order)  # type: ignore[call-overload]
    scores = scorefile.read(save(tmp_path / "a.npy", array))
    assert scores.shape == (2, 3, 4)
    assert not scores.inexact(0, 6).any()
    for row in range(6):
        assert scores.exact_row(row) == [Fraction(4 * row + j) for j in range(4)]
        assert scores.floats(row, row + 1).tolist() == [[4.0 * row + j for j in range(4)]]


def test_blocks_cover_every_row_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("checker.scorearray.BLOCK_ENTRIES", 7)
    scores = Scores("a", np.zeros((5, 3)))
    assert list(scores.blocks()) == [(0, 2), (2, 4), (4, 5)]


def test_one_row_and_minus_infinity() -> None:
    scores = Scores("a", np.array([0.5, NINF]))
    assert (scores.rows, scores.index(0)) == (1, ())
    assert scores.exact_row(0) == [Fraction(1, 2), None]


def test_integers_and_long_doubles_beyond_float64_stay_exact() -> None:
    big = Scores("a", np.array([[2**53 + 1, 0], [1, 2]]))
    assert big.inexact(0, 2).tolist() == [True, False]
    assert big.exact_row(0) == [2**53 + 1, 0]
    assert Scores("a", np.array([2**64 - 1], dtype=np.uint64)).exact_row(0) == [2**64 - 1]
    wide = np.array([[1, 2]], dtype=np.longdouble) + np.finfo(np.longdouble).eps
    if np.finfo(np.longdouble).nmant > 52:
        assert Scores("a", wide).inexact(0, 1).tolist() == [True]
        assert Scores("a", wide).exact_row(0)[0] == 1 + Fraction(1, 2 ** np.finfo(np.longdouble).nmant)


def test_text_numbers_are_exact_decimals(tmp_path: Path) -> None:
    csv = scorefile.read(write(tmp_path / "a.csv", "# from a model\n0.1, -inf ,1/3\n-2,1e-400,1e400\n\n"))
    text = '{"a": [[0.1, -Infinity, "1/3"], [-2, "1e-400", 1e400]], "b": [1]}'
    json_scores = scorefile.read(write(tmp_path / "a.json", text), "a")
    for scores in (csv, json_scores):
        assert scores.shape == (2, 3)
        assert scores.exact_row(0) == [Fraction(1, 10), None, Fraction(1, 3)]
        assert scores.exact_row(1) == [-2, Fraction(1, 10**400), 10**400]
        assert scores.inexact(0, 2).all()


def test_text_of_binary_fractions_needs_no_fractions(tmp_path: Path) -> None:
    scores = scorefile.read(write(tmp_path / "a.json", '[0.5, -3.25, "-inf"]'))
    assert scores.written is None
    assert scores.exact_row(0) == [Fraction(1, 2), Fraction(-13, 4), None]


def test_json_of_any_depth(tmp_path: Path) -> None:
    nested = np.arange(16).reshape(2, 2, 2, 2).tolist()
    assert scorefile.read(write(tmp_path / "a.json", json.dumps(nested))).shape == (2, 2, 2, 2)


def test_the_only_array_needs_no_name(tmp_path: Path) -> None:
    np.savez(tmp_path / "a.npz", only=np.zeros((2, 2)))
    assert scorefile.read(tmp_path / "a.npz").name == "a.npz, array 'only'"
    assert scorefile.read(write(tmp_path / "a.json", '{"only": [1]}')).name == "a.json, array 'only'"


def test_missing_and_unknown_files(tmp_path: Path) -> None:
    assert "no such file" in refused(tmp_path / "a.npy")
    assert ".npy, .npz, .csv, .json" in refused(write(tmp_path / "a.pt", ""))
    (tmp_path / "b.npy").mkdir()
    assert "not a file" in refused(tmp_path / "b.npy")


def test_array_names(tmp_path: Path) -> None:
    assert "no array 'medium'; the arrays are: short, long" in refused(DATA, "medium")
    assert "holds 2 arrays (short, long); name one" in refused(DATA)
    assert "array name 'x'" in refused(save(tmp_path / "a.npy", np.zeros(2)), "x")
    assert "array name 'x'" in refused(write(tmp_path / "a.csv", "1"), "x")
    assert "array name 'x'" in refused(write(tmp_path / "a.json", "[1]"), "x")
    assert "no array 'x'; the arrays are: a, b" in refused(write(tmp_path / "b.json", '{"a": [1], "b": [2]}'), "x")
    assert "'a' occurs twice" in refused(write(tmp_path / "c.json", '{"a": [1], "a": [2]}'))
    np.savez(tmp_path / "none.npz")
    assert "holds no array" in refused(tmp_path / "none.npz")


@pytest.mark.parametrize(
    ("array", "part"),
    [
        (np.array([[0.0, 1.0], [np.nan, 0.0]]), "NaN at index [1, 0]"),
        (np.array([[[0.0, np.inf]]]), "+inf at index [0, 0, 1]"),
        (np.array([[0.0, 1.0], [NINF, NINF]]), "every score of row [1] is -inf"),
        (np.array([NINF, NINF]), "every score of row [] is -inf"),
        (np.zeros((3, 0)), "empty array of shape (3, 0)"),
        (np.zeros((0, 3)), "empty array of shape (0, 3)"),
        (np.array(1.0), "a single number"),
        (np.array([1j]), "dtype complex128"),
        (np.array([True]), "dtype bool"),
        (np.array(["1"]), "dtype <U1"),
        (np.zeros(2, dtype=[("x", "f4")]), "dtype"),
        (np.array(["2020-01-01"], dtype="datetime64[D]"), "dtype datetime64[D]"),
    ],
)
def test_arrays_that_are_not_scores(tmp_path: Path, array: np.ndarray, part: str) -> None:
    assert part in refused(save(tmp_path / "a.npy", array))
    np.savez(tmp_path / "a.npz", x=array)
    message = refused(tmp_path / "a.npz")
    assert part in message
    assert "array 'x'" in message


class Bomb:
    """An object whose unpickling would be noticed."""

    exploded = False

    def __reduce__(self) -> tuple[object, tuple[object, ...]]:
        return (explode, ())


def explode() -> None:
    Bomb.exploded = True


def test_nothing_is_ever_unpickled(tmp_path: Path) -> None:
    objects = np.array([Bomb(), Bomb()], dtype=object)
    assert "never unpickled" in refused(save(tmp_path / "a.npy", objects))
    np.savez(tmp_path / "a.npz", x=objects)
    assert "never unpickled" in refused(tmp_path / "a.npz")
    for name in ("b.npy", "b.npz"):
        (tmp_path / name).write_bytes(pickle.dumps(Bomb()))
        assert "a pickle, which is never loaded" in refused(tmp_path / name)
    assert not Bomb.exploded


def test_damaged_numpy_files(tmp_path: Path) -> None:
    whole = save(tmp_path / "whole.npy", np.zeros((50, 50))).read_bytes()
    for length in (0, 3, 8, 20, 100, len(whole) - 1):
        (tmp_path / "a.npy").write_bytes(whole[:length])
        refused(tmp_path / "a.npy")
    npz = DATA.read_bytes()
    for length in (0, 10, 1000, len(npz) - 1):
        (tmp_path / "a.npz").write_bytes(npz[:length])
        refused(tmp_path / "a.npz", "long")
    flipped = bytearray(npz)
    with zipfile.ZipFile(io.BytesIO(npz)) as archive:
        place = archive.getinfo("long.npy").header_offset + 5000
    flipped[place] ^= 255
    (tmp_path / "b.npz").write_bytes(flipped)
    assert "truncated or damaged" in refused(tmp_path / "b.npz", "long")


def test_npz_member_that_is_no_array(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.npz", "w") as archive:
        archive.writestr("notes.txt", "hello")
    assert "not a NumPy array" in refused(tmp_path / "a.npz")


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("", "no rows"),
        ("# only a comment\n", "no rows"),
        ("1,2\n3\n", "line 2 has 1 cells, line 1 has 2"),
        ("1,2\n\n3,4\n", "line 2 is blank"),
        ("1,2\n3,x\n", "line 2, column 2: 'x' is not a score"),
        ("q,k\n1,2\n", "line 1, column 1: 'q' is not a score"),
        ("1,\n", "line 1, column 2: '' is not a score"),
        ("1,nan\n", "line 1, column 2: 'nan' is not a score"),
        ("1,inf\n", "line 1, column 2: 'inf' is not a score"),
        ("1 2\n", "line 1, column 1: '1 2' is not a score"),
        ("0,1\n-inf,-inf\n", "every score of row [1] is -inf"),
        ('"1\n', "not a comma-separated text file"),
    ],
)
def test_bad_csv(tmp_path: Path, text: str, part: str) -> None:
    assert part in refused(write(tmp_path / "a.csv", text))


def test_binary_garbage_as_text(tmp_path: Path) -> None:
    for name in ("a.csv", "a.json"):
        (tmp_path / name).write_bytes(b"\xff\xfe\x00\x01")
        refused(tmp_path / name)


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("", "not JSON"),
        ("[1, 2", "not JSON"),
        ("3", "a number, not an array"),
        ("null", "null, not an array"),
        ("[]", "empty list at index []"),
        ("[[1], []]", "ragged, index [1] has 0 entries where 1 are due"),
        ("[[1, 2], [3]]", "ragged, index [1] has 1 entries where 2 are due"),
        ("[[1, 2], 3]", "ragged, a number at index [1]"),
        ("[1, [2]]", "index [1]: a list is not a score"),
        ("[1, null]", "index [1]: null is not a score"),
        ("[1, true]", "index [1]: true or false is not a score"),
        ('[1, "x"]', "index [1]: 'x' is not a score"),
        ("[1, NaN]", "NaN: a score is a finite number"),
        ("[1, Infinity]", "Infinity: a score is a finite number"),
        ("[1, 1e10000000]", "exponent"),
        ('[["-inf"]]', "every score of row [0] is -inf"),
        ("[" * 100_000, "nested too deeply"),
        ("[" * 40 + "1" + "]" * 40, "more than 32 dimensions"),
    ],
)
def test_bad_json(tmp_path: Path, text: str, part: str) -> None:
    assert part in refused(write(tmp_path / "a.json", text))


def test_exact_numbers_are_rounded_only_for_guidance() -> None:
    scores = from_exact("a", [Fraction(10) ** 400, -(Fraction(10) ** 400), None], (3,))
    assert np.isfinite(scores.data[:2]).all()
    assert scores.exact_row(0) == [Fraction(10) ** 400, -(Fraction(10) ** 400), None]

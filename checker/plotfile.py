"""Writes a picture and, beside it, its data as CSV: both files whole, or neither."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping
from pathlib import Path

from checker.errors import InputError
from checker.figures import FORMATS, render
from checker.picture import Picture, to_csv
from checker.plotstyle import WIDTHS


def save(picture: Picture, path: Path, width: str = "single") -> list[Path]:
    """Draw a picture to path (.pdf, .svg or .png) and its data to the same stem with .csv; return both paths.

    width: "single" or "double". Both files are written whole or not at all. Raises InputError for another suffix or
    width and for a path that cannot be written; HardsoftError if matplotlib is missing.
    """
    suffix = check_path(path)
    if width not in WIDTHS:
        raise InputError(f"--width must be one of {', '.join(WIDTHS)}, got {width!r}")
    data = path.with_suffix(".csv")
    _check_data(data)
    drawn = render(picture, suffix, WIDTHS[width])
    _write({path: drawn, data: to_csv(picture).encode()})
    return [path, data]


def _check_data(path: Path) -> None:
    """InputError for a CSV file that is there and is not the data of a picture: it would be lost."""
    try:
        with path.open(encoding="utf-8", errors="replace") as stream:
            header = stream.readline(200)
    except OSError:
        return  # not there, or not readable: writing will tell
    if header and not header.startswith(("curve,", "panel,curve,")):
        raise InputError(f"{path} exists and is not the data of a picture; choose another name for the picture")


def check_path(path: Path) -> str:
    """Return the suffix of a path to draw to, in lower case; InputError for another one than FORMATS."""
    suffix = path.suffix.lower()
    if suffix not in FORMATS:
        raise InputError(f"the file must end in {', '.join(FORMATS)}, got {path.name!r}")
    return suffix


def _write(files: Mapping[Path, bytes]) -> None:
    """Write all files beside their places, then rename them: none is ever seen half-written."""
    ready: list[tuple[str, Path]] = []
    path = next(iter(files))
    try:
        for path, content in files.items():
            if path.is_dir():
                raise InputError(f"cannot write {path}: it is a directory")
            handle, name = tempfile.mkstemp(dir=path.parent, prefix=".hardsoft-")
            ready.append((name, path))
            with os.fdopen(handle, "wb") as stream:
                stream.write(content)
            os.chmod(name, 0o666 & ~_umask())
        for name, path in ready:
            os.replace(name, path)
    except OSError as error:
        raise InputError(f"cannot write {path}: {error.strerror}") from None
    finally:
        for name, _ in ready:
            Path(name).unlink(missing_ok=True)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask

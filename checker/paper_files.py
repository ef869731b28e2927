"""Writes a directory of files as a whole: either all of them are there, or the directory is as it was before.

A new directory is made under a temporary name beside its place and renamed. In a directory that exists the files are
made in a hidden folder first; then each is renamed into place, and every rename is undone if one of them fails. Files
of an earlier run that are no longer part are removed; files of other origin are never touched, except that --force
lets one be replaced by a file of the same name.
"""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path, PurePosixPath

from checker.errors import InputError

README = "README.txt"
MARK = "Written by `hardsoft paper`"
"""How README.txt begins in a directory that may be written into again."""
OURS = re.compile(r"appendix\.tex|README\.txt|tables/[\w.-]+\.tex|figures/[\w.-]+\.(?:pdf|csv)")


def listed(readme: str) -> list[str]:
    """The files that a README.txt of an earlier run lists, one a line, indented by two blanks."""
    names = [line.strip() for line in readme.splitlines() if line.startswith("  ")]
    return [name for name in names if OURS.fullmatch(name)]


def check_target(out: Path, force: bool) -> list[str]:
    """Raise InputError if `out` may not be written into; else return the files of an earlier run that are there."""
    if out.is_symlink() and not out.exists():
        raise InputError(f"{out} is a link to nothing")
    if not out.exists():
        return []
    if not out.is_dir():
        raise InputError(f"{out} is not a directory")
    if not any(out.iterdir()):
        return []
    try:
        readme = (out / README).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        readme = ""
    if readme.startswith(MARK):
        return [name for name in listed(readme) if (out / name).is_file()]
    if force:
        return []
    raise InputError(f"{out} is not empty and was not written by hardsoft paper; choose another --out, or use --force")


def write(out: Path, files: Mapping[str, bytes], force: bool = False) -> None:
    """Write `files` (content by relative path) into the directory `out`, all of them or none.

    Raises InputError, in one line, if `out` may not be written into (see check_target) or writing fails.
    """
    for name in files:
        if not OURS.fullmatch(name):
            raise ValueError(f"not a file of the paper kit: {name}")
    try:
        earlier = check_target(out, force)
        if out.exists():
            _replace(out, files, [name for name in earlier if name not in files])
        else:
            _create(out, files)
    except OSError as error:
        raise InputError(f"cannot write {out}: {error.strerror or error}") from None


def _fill(folder: Path, files: Mapping[str, bytes]) -> None:
    for name, content in files.items():
        path = folder / PurePosixPath(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


def _create(out: Path, files: Mapping[str, bytes]) -> None:
    out.parent.mkdir(parents=True, exist_ok=True)
    staging = Path(tempfile.mkdtemp(prefix=f".{out.name}.", dir=out.parent))
    try:
        _fill(staging, files)
        staging.chmod(0o777 & ~_umask())
        staging.rename(out)
    except BaseException:
        shutil.rmtree(staging, ignore_errors=True)
        raise


def _replace(out: Path, files: Mapping[str, bytes], stale: list[str]) -> None:
    staging = Path(tempfile.mkdtemp(prefix=".hardsoft-paper.", dir=out))
    undo: list[tuple[Path, Path]] = []  # (where it is, where it was), in the order of the renames
    try:
        _fill(staging / "new", files)
        for name in (*stale, *files):
            target, aside = out / name, staging / "old" / name
            if target.is_dir() and not target.is_symlink():
                raise InputError(f"{target} is a directory, and a file of that name is to be written")
            target.parent.mkdir(exist_ok=True)
            aside.parent.mkdir(parents=True, exist_ok=True)
            if target.exists() or target.is_symlink():
                os.rename(target, aside)
                undo.append((aside, target))
            if name in files:
                os.rename(staging / "new" / name, target)
                undo.append((target, staging / "new" / name))
    except BaseException:
        for where, before in reversed(undo):
            os.rename(where, before)
        raise
    finally:
        shutil.rmtree(staging, ignore_errors=True)
        for folder in ("tables", "figures"):
            if (out / folder).is_dir() and not any((out / folder).iterdir()):
                (out / folder).rmdir()


def _umask() -> int:
    """The process's file mode mask, which can only be read by setting it."""
    mask = os.umask(0o022)
    os.umask(mask)
    return mask

"""The results of a run in an SQLite file, written as tasks end, so that a run that was killed goes on where it was.

A ledger belongs to one run: its header holds the run's identity, and every row a checksum over that identity, the
task's key and the result. It says what this program computed on this machine; it proves nothing to anybody else.
"""

from __future__ import annotations

import hashlib
import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from checker.errors import InputError
from checker.work.identity import FORMAT, Identity
from checker.work.plain import canonical

_APPLICATION = 0x48534C31
_TABLES = {
    "header": "CREATE TABLE header (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID",
    "results": "CREATE TABLE results (key TEXT PRIMARY KEY, text TEXT NOT NULL, checksum TEXT NOT NULL) WITHOUT ROWID",
    "extent": "CREATE TABLE extent (count INTEGER NOT NULL)",
}
_CHECKSUM = "checksum"
_SHOWN = 60


class Ledger:
    """An open ledger; nobody else can open it meanwhile."""

    def __init__(self, path: str | Path, identity: Identity) -> None:
        """Open or create the ledger of a run; InputError, one line, if it is another run's, damaged, or cannot be used.

        Every row is checked now, and again when it is used.
        """
        self.path = Path(path)
        self._header, self._digest = identity.header, identity.digest
        self._check_place()
        with self._clear():
            self._connection = sqlite3.connect(self.path, timeout=0, isolation_level=None)
        try:
            with self._clear():
                self._lock()
                if self._is_new():
                    self._create()
                self._check_header()
                self._check_rows()
        except BaseException:
            self._connection.close()
            raise

    # -- use --------------------------------------------------------------------------------------------------------

    def get(self, key: str) -> str | None:
        """The text of a result, None if it is not there."""
        with self._clear():
            row = self._connection.execute("SELECT text, checksum FROM results WHERE key = ?", (key,)).fetchone()
        return None if row is None else self._checked(key, *row)

    def put(self, key: str, text: str) -> None:
        """Keep a result; it is on its way to the disk when this returns, and survives the end of this process."""
        with self._clear(), self._transaction():
            row = (key, text, _checksum(self._digest, key, text))
            self._connection.execute("INSERT INTO results VALUES (?, ?, ?)", row)
            self._connection.execute("UPDATE extent SET count = count + 1")

    def __len__(self) -> int:
        """The number of results."""
        with self._clear():
            return int(self._connection.execute("SELECT count FROM extent").fetchone()[0])

    def close(self) -> None:
        """Close the file."""
        with self._clear():
            self._connection.close()

    def damaged(self, what: str) -> InputError:
        """The error for a ledger that cannot be believed."""
        return InputError(f"--ledger: {self.path} is damaged ({what}); remove it to start afresh")

    # -- opening ----------------------------------------------------------------------------------------------------

    def _check_place(self) -> None:
        if self.path.is_dir():
            raise InputError(f"--ledger: {self.path} is a directory; name a file")
        if not self.path.parent.is_dir():
            raise InputError(f"--ledger: there is no directory {self.path.parent}; create it first")
        if self.path.exists() and not self.path.is_file():
            raise InputError(f"--ledger: {self.path} is not a regular file; name one")
        for place in (self.path.parent, self.path):
            if place.exists() and not os.access(place, os.W_OK):
                raise InputError(f"--ledger: {place} cannot be written; change its permissions, or name another file")

    def _lock(self) -> None:
        run = self._connection.execute
        run("PRAGMA trusted_schema = OFF")
        run("PRAGMA cell_size_check = ON")
        run("PRAGMA locking_mode = EXCLUSIVE")
        mode = run("PRAGMA journal_mode = WAL").fetchone()[0]
        if mode != "wal":
            raise InputError(f"--ledger: {self.path} cannot be written in WAL mode here; name a file on a local disk")
        run("PRAGMA synchronous = NORMAL")
        run("BEGIN IMMEDIATE")  # from here to the end, others find the file locked
        run("COMMIT")

    def _is_new(self) -> bool:
        (application,) = self._connection.execute("PRAGMA application_id").fetchone()
        empty = self._connection.execute("SELECT count(*) FROM sqlite_master").fetchone() == (0,)
        if application != _APPLICATION and not (empty and application == 0):
            raise InputError(f"--ledger: {self.path} is a database of another program; name another file")
        return empty and application == 0

    def _create(self) -> None:
        run = self._connection.execute
        with self._transaction():
            for statement in _TABLES.values():
                run(statement)
            header = {**self._header, _CHECKSUM: hashlib.sha256(canonical(self._header).encode()).hexdigest()}
            self._connection.executemany("INSERT INTO header VALUES (?, ?)", header.items())
            run("INSERT INTO extent VALUES (0)")
            run(f"PRAGMA application_id = {_APPLICATION}")
            run(f"PRAGMA user_version = {FORMAT}")

    def _check_header(self) -> None:
        run = self._connection.execute
        (found,) = run("PRAGMA user_version").fetchone()
        if found != FORMAT:
            raise InputError(f"--ledger: {self.path} has format {found}; this program reads format {FORMAT}")
        problem = run("PRAGMA integrity_check(1)").fetchone()[0]
        if problem != "ok":
            raise self.damaged(" ".join(str(problem).split())[:_SHOWN])
        tables = dict(run("SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL").fetchall())
        if tables != _TABLES:
            raise self.damaged("its tables are not those of a ledger")
        header = dict(run("SELECT name, value FROM header").fetchall())
        checksum = header.pop(_CHECKSUM, None)
        if checksum != hashlib.sha256(canonical(header).encode()).hexdigest():
            raise self.damaged("the checksum of its header is wrong")
        for name in dict.fromkeys((*self._header, *header)):
            old, new = header.get(name), self._header.get(name)
            if old != new:
                raise InputError(
                    f"--ledger: {self.path} is of another run: {name} is {_short(old)} there and {_short(new)} here; "
                    "name another file"
                )

    def _check_rows(self) -> None:
        count = 0
        for key, text, checksum in self._connection.execute("SELECT key, text, checksum FROM results"):
            self._checked(key, text, checksum)
            count += 1
        extent = self._connection.execute("SELECT count FROM extent").fetchall()
        if extent != [(count,)]:
            raise self.damaged(f"{count} results where there should be {extent[0][0] if extent else 'some'}")

    def _checked(self, key: object, text: object, checksum: object) -> str:
        right = isinstance(key, str) and isinstance(text, str) and checksum == _checksum(self._digest, key, text)
        if not right or not isinstance(text, str):
            raise self.damaged(f"the checksum of the result {_short(str(key))} is wrong")
        return text

    # -- errors -----------------------------------------------------------------------------------------------------

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        self._connection.execute("BEGIN IMMEDIATE")
        try:
            yield
            self._connection.execute("COMMIT")
        except BaseException:
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")
            raise

    @contextmanager
    def _clear(self) -> Iterator[None]:
        """What SQLite says, as one line."""
        try:
            yield
        except sqlite3.Error as error:
            raise self._error(error) from None
        except (UnicodeError, OverflowError) as error:
            raise self.damaged(f"{type(error).__name__} in a text") from None

    def _error(self, error: sqlite3.Error) -> InputError:
        name, says = getattr(error, "sqlite_errorname", ""), str(error)
        if name.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
            return InputError(f"--ledger: {self.path} is in use by another process; wait for it, or name another file")
        if name.startswith("SQLITE_NOTADB"):
            return InputError(f"--ledger: {self.path} is not a ledger (not an SQLite file); name another file")
        if name.startswith(("SQLITE_READONLY", "SQLITE_CANTOPEN", "SQLITE_PERM", "SQLITE_AUTH")):
            return InputError(f"--ledger: {self.path} or its directory cannot be written ({says})")
        if name.startswith(("SQLITE_FULL", "SQLITE_IOERR", "SQLITE_NOMEM", "SQLITE_TOOBIG")):
            return InputError(f"--ledger: writing to {self.path} failed ({says}); what it holds is kept")
        return self.damaged(says[:_SHOWN])


def _checksum(digest: str, key: str, text: str) -> str:
    return hashlib.sha256(canonical([digest, key, text]).encode()).hexdigest()


def _short(value: str | None) -> str:
    if value is None:
        return "missing"
    return value if len(value) <= _SHOWN else f"{value[:12]}.."

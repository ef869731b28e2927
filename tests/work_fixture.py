"""Helpers of the tests of long runs: an engine that ends tasks in any order, and commands in processes to be killed.

As a program: `work_fixture.py SCORES ARGUMENT..` is `hardsoft ARGUMENT..` with tasks of about SCORES scores; with
`--serve` instead it imports once, and forks for each line {"out": file, "err": file, "arguments": [..]} that it reads.
"""

import json
import os
import random
import subprocess
import sys
import time
from pathlib import Path

from checker import cli
from checker.work import tasks
from checker.work.engines import outcome

ROOT = Path(__file__).parent.parent
SMALL = 2**9
"""Scores of a task, so that runs of a second have a hundred tasks."""


class Shuffled:
    """An engine that ends tasks in a random order."""

    here = True

    def __init__(self, seed, window=7):
        self.random, self.window, self.tasks, self.done = random.Random(seed), window, [], 0

    def submit(self, number, task):
        self.tasks.append((number, task))

    def wait(self):
        number, task = self.tasks.pop(self.random.randrange(len(self.tasks)))
        self.done += 1
        return number, outcome(task)

    def cancel(self):
        self.tasks.clear()

    def close(self):
        self.tasks.clear()


class Interrupted(Shuffled):
    """An engine that is stopped (Ctrl-C) after some tasks."""

    def __init__(self, seed, after):
        super().__init__(seed)
        self.after = after

    def wait(self):
        if self.done == self.after:
            raise KeyboardInterrupt
        return super().wait()


def command(*arguments, scores=SMALL):
    """The command line of a process of its own."""
    return [sys.executable, str(Path(__file__)), str(scores), *arguments]


def grown(path, size):
    """Wait until a ledger holds something."""
    wal = path.with_name(path.name + "-wal")
    for _ in range(600):
        if wal.exists() and wal.stat().st_size > size:
            return
        time.sleep(0.05)
    raise AssertionError("nothing was written to the ledger")


class Server:
    """Runs command lines in processes forked from one that has imported everything."""

    def __init__(self):
        self.process = subprocess.Popen(
            command("--serve"), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT
        )
        assert self.process.stdout.readline() == "ready\n"

    def start(self, out, err, *arguments):
        """Start one; its process id."""
        return int(self._ask({"out": str(out), "err": str(err), "arguments": arguments}))

    def end(self):
        """Wait for the one that was started; its exit code, or minus the signal that ended it."""
        return int(self._ask({}))

    def _ask(self, request):
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        return self.process.stdout.readline()

    def close(self):
        self.process.stdin.close()
        self.process.wait()
        self.process.stdout.close()


def _serve():
    print("ready", flush=True)
    pid = 0
    for line in sys.stdin:
        request = json.loads(line)
        if not request:
            status = os.waitpid(pid, 0)[1]
            print(os.waitstatus_to_exitcode(status), flush=True)
            continue
        pid = os.fork()
        if pid == 0:
            for stream, name in ((1, "out"), (2, "err")):
                os.dup2(os.open(request[name], os.O_WRONLY | os.O_CREAT | os.O_TRUNC), stream)
            os._exit(cli.run(request["arguments"]))
        print(pid, flush=True)


if __name__ == "__main__":
    tasks.SCORES = int(sys.argv[1])
    if sys.argv[2:] == ["--serve"]:
        _serve()
    else:
        sys.exit(cli.run(sys.argv[2:]))

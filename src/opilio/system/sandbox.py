"""A process of its own for work on hostile bytes: whatever they do to it, only that piece of work is lost.

It has limits on time and memory, and is started again when it was killed. The work is a function of plain values, named as
"module:function"; both ends speak msgpack over pipes.
"""

from __future__ import annotations

import atexit
import os
import resource
import select
import subprocess
import sys
import threading
import time
from contextlib import suppress
from importlib import import_module
from signal import Signals
from typing import Any, BinaryIO

import msgpack

from .signals import held

CHUNK = 1 << 16
STARTING = 60.0  # seconds for the libraries to be imported, on a busy machine
LARGEST = 64 << 20  # bytes of an answer


class SandboxError(Exception):
    """The work was not done; why, in a few words."""


class SandboxTimeoutError(SandboxError):
    """It took too long."""


class Sandbox:
    """Does one piece of work at a time, for any thread; the process lives until `close`, or until this one ends."""

    def __init__(self, work: str, *, seconds: float, megabytes: int) -> None:
        self._work, self._seconds, self._megabytes = work, seconds, megabytes
        self._process: subprocess.Popen[bytes] | None = None
        self._lock = threading.Lock()

    def ask(self, *arguments: Any) -> Any:
        """What the function answers; SandboxError when it raised an exception, took too long, or died."""
        with self._lock:
            process = self._process or self._started()
            try:
                _send(process.stdin, msgpack.packb(arguments))
                answer = _received(process, self._seconds)
            except OSError:  # it has died
                answer = None
            except BaseException:  # its answer would be taken for that to the next question
                self._kill()
                raise
            if answer is None:
                raise self._kill()
        done, value = msgpack.unpackb(answer)
        if not done:
            raise SandboxError(value)
        return value

    def close(self) -> None:
        with self._lock:
            if self._process:
                self._kill()

    def _started(self) -> subprocess.Popen[bytes]:
        call = [sys.executable, "-m", __name__, self._work, str(self._seconds), str(self._megabytes)]
        with held():  # a stop is for this process to hear
            self._process = subprocess.Popen(
                call, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, start_new_session=True
            )
        atexit.register(self.close)
        if _received(self._process, STARTING) is None:
            raise SandboxError(f"cannot start: {self._kill()}")
        return self._process

    def _kill(self) -> SandboxError:
        """End the process; what became of it."""
        process, self._process = self._process, None
        atexit.unregister(self.close)
        assert process
        code = process.poll()
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout):
            with suppress(OSError):  # what was not read by the process
                assert pipe
                pipe.close()
        if code is None:
            return SandboxTimeoutError(f"took longer than {self._seconds:g} s")
        return SandboxError(f"died ({Signals(-code).name})" if code < 0 else f"ended with code {code}")


def _send(pipe: BinaryIO | Any, data: bytes) -> None:
    pipe.write(len(data).to_bytes(8, "big") + data)
    pipe.flush()


def _received(process: subprocess.Popen[bytes], seconds: float) -> bytes | None:
    """The next answer; None when it does not come in time, or not at all."""
    assert process.stdout
    until, handle = time.monotonic() + seconds, process.stdout.fileno()
    got = bytearray()
    while len(got) < 8 or len(got) < 8 + int.from_bytes(got[:8], "big"):
        ready, _, _ = select.select([handle], [], [], max(0.0, until - time.monotonic()))
        part = os.read(handle, CHUNK) if ready else b""
        if not part or len(got) > LARGEST:
            with suppress(subprocess.TimeoutExpired):  # one that has died is about to say how
                process.wait(0 if not ready else 1)
            return None
        got += part
    return bytes(got[8:])


def main() -> None:
    """What the process does: import the work, say that it is ready, work until there is no more."""
    work, seconds, megabytes = sys.argv[1:]
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # what a library prints is not an answer
    module, _, name = work.partition(":")
    function = getattr(import_module(module), name)
    _limit(resource.RLIMIT_AS, int(megabytes) << 20)
    _limit(resource.RLIMIT_CORE, 0)
    _send(answers, b"ready")
    while arguments := _question(sys.stdin.buffer):
        # Should whoever asks be gone, nobody else would end an endless loop.
        _limit(resource.RLIMIT_CPU, int(time.process_time() + float(seconds)) + 2)
        _send(answers, msgpack.packb(_answer(function, arguments)))


def _answer(function: Any, arguments: bytes) -> tuple[bool, Any]:
    """Whether the work was done, and what came of it. Other exceptions end the process: it is started again."""
    try:
        return True, function(*msgpack.unpackb(arguments))
    except MemoryError:
        return False, "needs too much memory"
    except RecursionError:
        return False, "nests too deep"
    except ValueError as error:
        return False, str(error)[:200]


def _question(pipe: BinaryIO) -> bytes:
    size = pipe.read(8)
    return pipe.read(int.from_bytes(size, "big")) if len(size) == 8 else b""


def _limit(what: int, most: int) -> None:
    hard = resource.getrlimit(what)[1]
    resource.setrlimit(what, (most if hard == resource.RLIM_INFINITY else min(most, hard), hard))


if __name__ == "__main__":
    main()

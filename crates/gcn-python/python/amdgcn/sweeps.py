"""Launches by the thousand, in processes of their own."""

from __future__ import annotations

import collections
import fcntl
import itertools
import json
import os
import signal
import sys
import threading
import time
from typing import Any, BinaryIO, Callable, Collection, Iterable, Iterator, Mapping, Sequence, Sized, overload

from .errors import Error
from .launches import Launch, header, key_of, task_of
from .workers import Processes, RayActors

__all__ = ["Table", "sweep"]

#: Longest time in seconds until an interrupt or a timeout is noticed.
_TICK = 0.2
#: Workers in succession that may die before their first launch.
_FAILED_STARTS = 3
#: Seconds between updates of a line of progress.
_UPDATE = 0.1


class Table(Sequence[Mapping[str, Any]]):
    """Results of a sweep: a row, a ``dict``, for each launch, in the order of the launches.

    >>> import amdgcn
    >>> launch = amdgcn.Launch(amdgcn.EXAMPLE, 2, args=["u32:1,2", 3])
    >>> table = amdgcn.sweep(launch.variations(target=["gfx900", "gfx1030"]))
    >>> [(row["target"], row["status"], row.get("error")) for row in table]
    [('gfx900', 'ok', None), ('gfx1030', 'error', 'unsupported-target')]
    >>> table
    <amdgcn.Table: 2 launches, 1 ok, 1 error>
    >>> table.failed[0]["target"]
    'gfx1030'
    """

    def __init__(self, rows: Iterable[Mapping[str, Any]]) -> None:
        #: The rows, as a list.
        self.rows = list(rows)

    @property
    def counts(self) -> Mapping[str, int]:
        """Number of rows of each status."""
        return collections.Counter(row["status"] for row in self.rows)

    @property
    def failed(self) -> Table:
        """Rows whose status is not ``ok``."""
        return Table(row for row in self.rows if row["status"] != "ok")

    def to_pandas(self) -> Any:
        """``pandas.DataFrame`` of the rows; elements of ``digests`` and ``values`` are columns such as ``digests.xs``."""
        import pandas

        return pandas.json_normalize(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    @overload
    def __getitem__(self, index: int) -> Mapping[str, Any]: ...
    @overload
    def __getitem__(self, index: slice) -> Table: ...
    def __getitem__(self, index: int | slice) -> Any:
        return Table(self.rows[index]) if isinstance(index, slice) else self.rows[index]

    def __repr__(self) -> str:
        counts = "".join(f", {count} {status}" for status, count in self.counts.items())
        return f"<amdgcn.Table: {len(self)} launch{'' if len(self) == 1 else 'es'}{counts}>"


class _Results:
    """Rows of a file, by their keys, and a place for more: a line of JSON each."""

    def __init__(self, path: str | os.PathLike[str] | None) -> None:
        self.rows: dict[str, dict[str, Any]] = {}
        self._file: BinaryIO | None = None
        if path is None:
            return
        file = self._file = open(path, "a+b")
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            self._read(file, os.fspath(path))
        except BlockingIOError:
            file.close()
            raise Error(f"{os.fspath(path)}: another sweep writes its results there") from None
        except BaseException:
            file.close()
            raise

    def _read(self, file: BinaryIO, path: str) -> None:
        file.seek(0)
        whole, end, _ = file.read().rpartition(b"\n")
        for number, line in enumerate(whole.split(b"\n") if end else [], 1):
            try:
                row = json.loads(line)
                self.rows[row["key"]] = row
            except (ValueError, TypeError, KeyError):
                raise Error(f"{path}:{number}: this line is no row of a sweep") from None
        # A line without its end was cut off.
        file.truncate(len(whole) + len(end))

    def add(self, row: Mapping[str, Any]) -> None:
        if self._file is not None:
            self._file.write(json.dumps(row).encode() + b"\n")
            self._file.flush()

    def close(self) -> None:
        if self._file is not None:
            self._file.close()


class _Progress:
    """Progress on standard error: by tqdm if it is installed, else a line of text."""

    def __init__(self, total: int | None, shown: bool | None) -> None:
        self._bar: Any = None
        self._shown_at: float | None = None
        self._total, self._done, self._failed = total, 0, 0
        self._begun = time.monotonic()
        self._is_line = False
        if not (sys.stderr.isatty() if shown is None else shown):
            return
        try:
            from tqdm import tqdm
        except ImportError:
            self._is_line = True
        else:
            self._bar = tqdm(total=total, unit="launch", desc="sweep")

    def add(self, row: Mapping[str, Any]) -> None:
        self._done += 1
        self._failed += row["status"] != "ok"
        if self._bar is not None:
            self._bar.set_postfix(failed=self._failed, refresh=False)
            self._bar.update()
        now = time.monotonic()
        if self._is_line and (self._shown_at is None or now >= self._shown_at + _UPDATE):
            self._shown_at = now
            self._show("")

    def _show(self, end: str) -> None:
        total = "" if self._total is None else f" of {self._total}"
        seconds = time.monotonic() - self._begun
        line = f"sweep: {self._done}{total} launches, {self._failed} failed, {seconds:.0f} s"
        print(f"\r{line}", end=end, file=sys.stderr, flush=True)

    def close(self) -> None:
        if self._bar is not None:
            self._bar.close()
        if self._is_line:
            self._show("\n")


class _Interrupt:
    """Ctrl-C as a flag, so that it comes between rows; a second one raises ``KeyboardInterrupt`` at once.

    Threads other than the main one receive no signals.
    """

    def __init__(self) -> None:
        self.is_set = False
        self._before: Any = None

    def __enter__(self) -> _Interrupt:
        if threading.current_thread() is threading.main_thread():
            before = signal.getsignal(signal.SIGINT)
            if before is signal.default_int_handler:
                self._before = before
                signal.signal(signal.SIGINT, self._receive)
        return self

    def _receive(self, number: int, frame: Any) -> None:
        self.is_set = True
        self.__exit__()

    def __exit__(self, *_: Any) -> None:
        if self._before is not None:
            signal.signal(signal.SIGINT, self._before)
            self._before = None


class _Schedule:
    """Launches under way in a pool of workers."""

    def __init__(self, pool: Any, count: int, timeout: float | None) -> None:
        self._pool, self._count, self._timeout = pool, count, timeout
        self._idle: list[Any] = []
        self._starting: list[Any] = []
        #: Busy workers, with the number of their launch and the time when it has to have ended.
        self._busy: list[tuple[Any, int, float]] = []
        self._failed_starts = 0

    def run(self, tasks: Iterator[tuple[int, Any]], is_stopped: Callable[[], bool]) -> Iterator[Any]:
        """Runs launches, and returns their numbers with the columns that their ends add to their rows."""
        waiting = next(tasks, None)
        while (waiting or self._busy) and not is_stopped():
            while waiting and self._idle:
                worker = self._idle.pop()
                number, task = waiting
                self._pool.send(worker, task)
                deadline = float("inf") if self._timeout is None else time.monotonic() + self._timeout
                self._busy.append((worker, number, deadline))
                waiting = next(tasks, None)
            used = len(self._starting) + len(self._busy)
            if waiting and not self._idle and used < self._count:
                self._starting.append(self._pool.start())
                # The next one is started when this loop comes here again.
                yield from self._messages(0 if used + 1 < self._count else _TICK)
            else:
                yield from self._messages(_TICK)
            yield from self._late()
        yield from self._messages(0)

    def _messages(self, seconds: float) -> Iterator[Any]:
        for worker, columns, death in self._pool.wait(seconds):
            if worker in self._starting:
                self._starting.remove(worker)
                if death is None:
                    self._failed_starts = 0
                    self._idle.append(worker)
                    continue
                self._failed_starts += 1
                if self._failed_starts >= _FAILED_STARTS:
                    raise Error(f"no worker of the sweep starts: {death}")
                continue
            if death is None:
                self._idle.append(worker)
            elif worker in self._idle:
                self._idle.remove(worker)
            for number in self._ended(worker):
                yield number, {"status": "crash", "message": death} if death else columns

    def _late(self) -> Iterator[Any]:
        now = time.monotonic()
        for worker, number, deadline in list(self._busy):
            if now >= deadline:
                self._pool.kill(worker)
                self._ended(worker)
                message = f"the launch has not ended in {self._timeout} s"
                yield number, {"status": "timeout", "message": message}

    def _ended(self, worker: Any) -> list[int]:
        """Takes the launch of a worker out of the busy ones, and returns its number."""
        numbers = [number for it, number, _ in self._busy if it is worker]
        self._busy = [entry for entry in self._busy if entry[0] is not worker]
        return numbers


_POOLS: Mapping[str, Callable[[], Any]] = {"processes": Processes, "ray": RayActors}


def sweep(
    launches: Iterable[Launch],
    *,
    results: str | os.PathLike[str] | None = None,
    on: str = "processes",
    workers: int | None = None,
    timeout: float | None = None,
    rerun: Collection[str] = (),
    progress: bool | None = None,
) -> Table:
    """Runs launches in processes of their own, and returns a table with a row for each.

    A launch that fails is a row with its ``status``: ``ok``, ``findings``, ``mismatch`` (elements are not as expected), ``fault``,
    ``error``, ``timeout`` (after ``timeout`` seconds), or ``crash`` (of its process). ``on`` is ``processes``, children of this one, or
    ``ray``, actors on the cluster that Ray is connected to or finds (``pip install amdgcn[ray]``). ``workers`` is their number, by default
    that of CPUs.

    ``results`` is a file of rows, JSON in lines, to which a row is added when its launch has ended. A launch whose row the file has is not
    run again, unless its status is among ``rerun``: so a sweep that was stopped is resumed by the same call. ``progress`` shows a bar, by
    default on terminals. Ctrl-C ends the workers and raises ``KeyboardInterrupt``, whose ``table`` has the rows so far.

    >>> import amdgcn, os, tempfile
    >>> launch = amdgcn.Launch(amdgcn.EXAMPLE, args=["u32*64:random(1)", 3], grid=64)
    >>> with tempfile.TemporaryDirectory() as directory:
    ...     file = os.path.join(directory, "results.jsonl")
    ...     table = amdgcn.sweep(launch.variations(late=[None, 1, 2]), results=file)
    ...     again = amdgcn.sweep(launch.variations(late=[None, 1, 2, 3]), results=file)  # runs one
    >>> table.rows == again.rows[:3], len({row["digests"]["xs"] for row in again})
    (True, 1)
    """
    if on not in _POOLS:
        raise ValueError(f"`{on}` runs no launches: {' or '.join(_POOLS)}")
    if workers is not None and workers < 1:
        raise ValueError(f"a sweep needs at least one worker, not {workers}")
    total = len(launches) if isinstance(launches, Sized) else None
    stored = _Results(results)
    try:
        shown = _Progress(total, progress)
        try:
            with _Interrupt() as interrupt:
                return _swept(iter(launches), stored, rerun, shown, interrupt, _POOLS[on], workers, timeout)
        finally:
            shown.close()
    finally:
        stored.close()


def _swept(
    launches: Iterator[Launch],
    stored: _Results,
    rerun: Collection[str],
    shown: _Progress,
    interrupt: _Interrupt,
    pool_type: Callable[[], Any],
    workers: int | None,
    timeout: float | None,
) -> Table:
    """Rows of all launches, by their numbers."""
    rows: list[Any] = []
    #: Numbers of the launches with a key, which are run once.
    numbers: dict[str, list[int]] = {}
    headers: dict[int, Mapping[str, Any]] = {}

    def enter(number: int, row: Mapping[str, Any]) -> None:
        rows[number] = row
        shown.add(row)

    def tasks() -> Iterator[tuple[int, Any]]:
        for launch in launches:
            number = len(rows)
            rows.append(None)
            try:
                task = task_of(launch)
                key = key_of(task)
            except (TypeError, ValueError, OSError) as error:
                message = f"{type(error).__name__}: {error}"
                columns = {"status": "error", "error": type(error).__name__, "message": message}
                enter(number, {"key": None, **launch.labels, "target": launch.target, **columns})
                continue
            same = numbers.setdefault(key, [])
            same.append(number)
            is_first = len(same) == 1
            known = stored.rows.get(key) if is_first else rows[same[0]]
            if known is not None and not (is_first and known["status"] in rerun):
                enter(number, known)
            elif is_first:
                headers[number] = header(task, key)
                yield number, task

    try:
        left = tasks()
        first = next(left, None)
        if first is not None:
            pool = pool_type()
            try:
                schedule = _Schedule(pool, workers or pool.default_count(), timeout)
                left = itertools.chain([first], left)
                for number, columns in schedule.run(left, lambda: interrupt.is_set):
                    row = {"error": None, "message": "", "findings": [], **columns}
                    row = {**headers.pop(number), **row}
                    stored.add(row)
                    for same in numbers[row["key"]]:
                        enter(same, row)
            finally:
                pool.close()
        if interrupt.is_set:
            raise KeyboardInterrupt("the sweep was stopped")
    except KeyboardInterrupt as stopped:
        stopped.table = Table(row for row in rows if row is not None)  # type: ignore[attr-defined]
        raise
    return Table(rows)

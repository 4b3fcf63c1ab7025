"""Processes that run launches: children of this process, and actors of Ray.

A pool has three methods: ``start`` a worker, ``send`` it a launch, and ``wait`` for messages of workers: that they are ready, that a
launch has ended, or that they have died.
"""

from __future__ import annotations

import os
import queue
import signal
import subprocess
import sys
import threading
from multiprocessing.connection import Connection, Pipe, wait
from typing import Any, Mapping, NamedTuple

from .launches import run

__all__ = ["Message", "Processes", "RayActors"]


class Message(NamedTuple):
    """News of a worker."""

    worker: Any
    #: Columns that the end of a launch adds to its row; ``None`` if the worker is ready for its first one, or has died.
    columns: Mapping[str, Any] | None
    #: Reason of its death.
    death: str | None = None


class _Process:
    """Child process, and this end of the pipe to it."""

    def __init__(self) -> None:
        self.connection, other = Pipe()
        paths = [path or os.getcwd() for path in sys.path]
        try:
            # A new interpreter: a forked one would have locks of threads that it does not have, and multiprocessing runs the
            # caller's script once more. In a group of its own: Ctrl-C is for this process.
            self.process = subprocess.Popen(
                [sys.executable, "-c", f"import amdgcn.workers as it; it.serve({other.fileno()})"],
                env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
                stdin=subprocess.DEVNULL,
                pass_fds=[other.fileno()],
                process_group=0,
            )
        finally:
            other.close()

    def death(self) -> str:
        """How the process has ended."""
        status = self.process.wait()
        if status >= 0:
            return f"the worker process ended with status {status}"
        try:
            return f"the worker process was ended by {signal.Signals(-status).name}"
        except ValueError:
            return f"the worker process was ended by signal {-status}"

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()
        self.connection.close()


class Processes:
    """Pool of child processes."""

    def __init__(self) -> None:
        #: Workers by their connections.
        self._workers: dict[Any, _Process] = {}

    def default_count(self) -> int:
        """One for each CPU that this process may use."""
        return len(os.sched_getaffinity(0))

    def start(self) -> _Process:
        worker = _Process()
        self._workers[worker.connection] = worker
        return worker

    def send(self, worker: _Process, task: Mapping[str, Any]) -> None:
        try:
            worker.connection.send(task)
        except OSError:
            pass  # Its death is its next message.

    def wait(self, seconds: float) -> list[Message]:
        """Messages that arrive within some seconds."""
        messages = []
        for connection in wait(list(self._workers), seconds):
            worker = self._workers[connection]
            try:
                messages.append(Message(worker, worker.connection.recv()))
            except (EOFError, OSError):
                del self._workers[connection]
                worker.connection.close()
                messages.append(Message(worker, None, worker.death()))
        return messages

    def kill(self, worker: _Process) -> None:
        """Ends a worker, which sends nothing more."""
        self._workers.pop(worker.connection, None)
        worker.kill()

    def close(self) -> None:
        """Ends all workers."""
        for worker in list(self._workers.values()):
            self.kill(worker)


def serve(descriptor: int) -> None:
    """Runs the launches that a pipe brings until its other end is closed: the main function of a child process."""
    connection = Connection(descriptor)
    tasks: queue.SimpleQueue[Any] = queue.SimpleQueue()

    def receive() -> None:
        # In a thread of its own, which notices the end of the other process even while a kernel runs.
        try:
            while True:
                tasks.put(connection.recv())
        except (EOFError, OSError):
            os._exit(0)

    connection.send(None)
    threading.Thread(target=receive, daemon=True).start()
    while True:
        connection.send(run(tasks.get()))


class _Actor:
    """Actor of Ray, which runs one launch at a time."""

    def ready(self) -> None:
        """Ends when the actor has a process."""

    def run(self, task: Mapping[str, Any]) -> Mapping[str, Any]:
        """Runs a launch."""
        return run(task)


class RayActors:
    """Pool of Ray's actors, each of which takes a CPU of the cluster. Connects to Ray, unless the caller has."""

    def __init__(self) -> None:
        try:
            import ray
        except ImportError:
            raise ImportError("Ray is not installed: pip install 'amdgcn[ray]'") from None
        self._ray = ray
        if not ray.is_initialized():
            ray.init()
        self._class: Any = ray.remote(num_cpus=1, max_restarts=0, max_task_retries=0)(_Actor)
        self._actors: list[Any] = []
        #: Actors by references to what is waited for.
        self._waited: dict[Any, Any] = {}

    def default_count(self) -> int:
        """One for each CPU of the cluster."""
        return max(1, int(self._ray.cluster_resources().get("CPU", 1)))

    def start(self) -> Any:
        actor = self._class.remote()
        self._actors.append(actor)
        self._waited[actor.ready.remote()] = actor
        return actor

    def send(self, worker: Any, task: Mapping[str, Any]) -> None:
        self._waited[worker.run.remote(task)] = worker

    def wait(self, seconds: float) -> list[Message]:
        """Messages that arrive within some seconds."""
        references = list(self._waited)
        if not references:
            return []
        ended, _ = self._ray.wait(references, num_returns=1, timeout=seconds)
        if ended:  # And all others that have ended by now.
            ended, _ = self._ray.wait(references, num_returns=len(references), timeout=0)
        messages = []
        for reference in ended:
            actor = self._waited.pop(reference)
            try:
                messages.append(Message(actor, self._ray.get(reference)))
            except self._ray.exceptions.RayError as error:
                reason = " ".join(str(error).split())
                messages.append(Message(actor, None, f"Ray's actor has died: {reason}"))
        return messages

    def kill(self, worker: Any) -> None:
        """Ends a worker, which sends nothing more."""
        self._actors.remove(worker)
        self._waited = {it: actor for it, actor in self._waited.items() if actor is not worker}
        self._ray.kill(worker)

    def close(self) -> None:
        """Ends all workers."""
        for worker in list(self._actors):
            self.kill(worker)

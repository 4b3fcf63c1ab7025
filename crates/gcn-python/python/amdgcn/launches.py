"""Launches as data, which other processes run."""

from __future__ import annotations

import functools
import hashlib
import itertools
import json
import os
import time
from dataclasses import dataclass, field, fields, replace
from typing import Any, Iterable, Mapping, Sequence

from . import _amdgcn
from .arrays import Array, element_type
from .assembler import assemble
from .errors import Error, Fault, LaunchError
from .runtime import _LANGUAGES, Device, Kernel, Local, Module, Size

__all__ = ["Launch"]

#: Columns of a row besides the labels of its launch.
COLUMNS = (
    "key",
    "target",
    "kernel",
    "grid",
    "group",
    "late",
    "schedule",
    "status",
    "error",
    "message",
    "findings",
    "instructions",
    "waves",
    "groups",
    "seconds",
    "printed",
    "digests",
    "values",
)
#: Differences that a message shows.
_SHOWN = 3


@dataclass(frozen=True, eq=False)
class Launch:
    """Launch of a kernel as data: the code, the device and the arguments, for :func:`amdgcn.sweep`.

    ``source`` is a text, which includes no files; ``bytes`` of a code object; or a path to a file with either, which is read when the
    sweep begins. Arguments are those of :meth:`Kernel.launch`, in order or by name, with arrays as any object with the buffer protocol and
    at least one dimension (numpy arrays, ``array.array``), or as text (``f32*1000:random(7)``, see :meth:`Device.array`).

    >>> import amdgcn
    >>> launch = amdgcn.Launch(amdgcn.EXAMPLE, 3, args={"xs": "u32:1,2,3", "factor": 10}, expect={"xs": "u32:10,20,30"})
    >>> len(launch.variations(target=["gfx900", "gfx906"], late=[None, 1, 2]))
    6
    >>> amdgcn.sweep([launch]).rows[0]["status"]
    'ok'
    """

    #: Text, code object, or path of a file.
    source: str | bytes | os.PathLike[str]
    #: Work-items in x, y and z.
    grid: Size
    #: Work-items of a workgroup; that of the kernel, or 64, if it is ``None``.
    group: Size | None = None
    #: Arguments in order or by name.
    args: Sequence[Any] | Mapping[str, Any] = ()
    #: Name of the kernel; needed if there are several.
    kernel: str | None = None
    #: Language of a text: ``asm``, ``opencl``, ``openclcpp``, ``hip`` or ``ir``. A file's extension decides.
    language: str = "asm"
    #: Options of Clang.
    options: Sequence[str] = ("-g",)
    #: GPU.
    target: str = "gfx906"
    #: Seed of late memory operations, or ``None``.
    late: int | None = None
    #: Seed of the order of waves, or ``None``.
    schedule: int | None = None
    #: Checks, as for :meth:`Kernel.launch`.
    check: bool | str | Sequence[str] = False
    #: Most instructions of a wave.
    limit: int | None = None
    #: Bytes of LDS that are added to each workgroup's.
    lds: int = 0
    #: Bytes of the device's memory.
    memory: int | None = None
    #: Elements that arrays have afterwards, by the names or numbers of the arguments: arrays, or text such as ``f32*64:iota~1e-6`` with a
    #: tolerance (a number, ``4 ulp``, ``exact`` or ``any``).
    expect: Mapping[Any, Any] = field(default_factory=dict)
    #: Names or numbers of arguments whose elements the row has, in ``values``.
    keep: Sequence[Any] = ()
    #: Columns of one's own for the row, with values that JSON has.
    labels: Mapping[str, Any] = field(default_factory=dict)

    def variations(self, **axes: Iterable[Any]) -> list[Launch]:
        """Launches with all combinations of values of these fields; the last one varies fastest.

        >>> import amdgcn
        >>> launch = amdgcn.Launch(amdgcn.EXAMPLE, 64)
        >>> [(it.target, it.schedule) for it in launch.variations(target=["gfx900", "gfx906"], schedule=[1, 2])]
        [('gfx900', 1), ('gfx900', 2), ('gfx906', 1), ('gfx906', 2)]
        """
        known = {it.name for it in fields(self)}
        for name in axes:
            if name not in known:
                raise TypeError(f"a launch has no field {name}; it has {', '.join(sorted(known))}")
        values = itertools.product(*axes.values())
        return [replace(self, **dict(zip(axes, combination))) for combination in values]

    @property
    def key(self) -> str:
        """Digest of the content: equal for launches that do the same and have the same labels.

        >>> import amdgcn
        >>> a, b = amdgcn.Launch("s_endpgm", 64), amdgcn.Launch("s_endpgm", 64, late=1)
        >>> a.key == amdgcn.Launch("s_endpgm", grid=64).key, a.key == b.key
        (True, False)
        """
        return key_of(task_of(self))


def _size(size: Size | None) -> Any:
    if size is None or isinstance(size, int):
        return size
    return [int(it) for it in size]


def _plain(value: Any) -> Any:
    """Argument or expected elements as a list that begins with its kind, of plain values."""
    if value is None:
        return ["null"]
    if isinstance(value, (bool, int, float)):
        return ["number", value]
    if isinstance(value, str):
        return ["elements", value]
    if isinstance(value, Local):
        return ["local", value.bytes]
    if isinstance(value, (bytes, bytearray)):
        return ["bytes", bytes(value)]
    is_scalar = not getattr(value, "shape", None)
    if is_scalar and hasattr(value, "__index__"):
        return ["number", value.__index__()]
    if is_scalar and hasattr(value, "__float__"):
        return ["number", float(value)]
    try:
        view = memoryview(value)
    except TypeError:
        return ["vector", [it if isinstance(it, int) else float(it) for it in value]]
    if view.ndim == 0:
        return ["bytes", view.tobytes()]
    return ["array", element_type(view.format).name, list(view.shape or ()), view.tobytes()]


def _named(arguments: Any) -> Any:
    """Plain arguments, in order or by name."""
    if isinstance(arguments, Mapping):
        return {name: _plain(value) for name, value in arguments.items()}
    return [_plain(value) for value in arguments]


def task_of(launch: Launch) -> dict[str, Any]:
    """Launch as plain values, which every process can read. Reads the source's file.

    Raises ``TypeError`` or ``ValueError`` for values that are none of a launch's, and ``OSError`` if the file cannot be read.
    """
    source, language = launch.source, launch.language
    if isinstance(source, os.PathLike):
        path = os.fspath(source)
        extension = os.path.splitext(path)[1]
        with open(path, "rb") as file:
            source = file.read()
        if extension in (".s", ".S", ".asm"):
            source, language = source.decode(), "asm"
        elif extension in _LANGUAGES and extension != ".bc":
            source, language = source.decode(), _LANGUAGES[extension]
    wrong = sorted(set(launch.labels) & set(COLUMNS))
    if wrong:
        raise ValueError(f"the label {wrong[0]} has the name of a column of all rows")
    check = launch.check
    return {
        "source": source,
        "language": "object" if isinstance(source, bytes) else language,
        "options": [str(it) for it in launch.options],
        "kernel": launch.kernel,
        "target": launch.target,
        "grid": _size(launch.grid),
        "group": _size(launch.group),
        "args": _named(launch.args),
        "late": launch.late,
        "schedule": launch.schedule,
        "check": check if isinstance(check, (bool, str)) else ",".join(check),
        "limit": launch.limit,
        "lds": launch.lds,
        "memory": launch.memory,
        "expect": [[it, _plain(value)] for it, value in launch.expect.items()],
        "keep": list(launch.keep),
        "labels": dict(launch.labels),
    }


def _digest(data: bytes) -> str:
    return hashlib.blake2b(data, digest_size=16).hexdigest()


def key_of(task: Mapping[str, Any]) -> str:
    """Digest of a launch as plain values."""

    def digested(value: Any) -> Any:
        if isinstance(value, bytes):
            return {"bytes": _digest(value)}
        raise TypeError(f"{value!r} is no value of JSON")

    return _digest(json.dumps(task, sort_keys=True, default=digested).encode())


def header(task: Mapping[str, Any], key: str) -> dict[str, Any]:
    """Columns of a row that follow from the launch."""
    shown = {name: task[name] for name in ("target", "kernel", "grid", "group", "late", "schedule")}
    return {"key": key, **task["labels"], **shown}


@functools.lru_cache(maxsize=64)
def _built(source: str, language: str, options: tuple[str, ...], target: str) -> bytes:
    """Code object of a source; those of many launches are often one."""
    if language == "asm":
        return assemble(source, target, debug=True).object
    device = Device(target, threads=1)
    return Module.from_source(device, source, language, options).code


def _argument(device: Device, label: str, plain: Sequence[Any]) -> Any:
    """Argument of a launch, from its plain values."""
    kind, *rest = plain
    if kind == "elements":
        return device.array(rest[0], name=label)
    if kind == "array":
        name, shape, data = rest
        made = device.array(tuple(shape), name, name=label)
        made._write(data)
        return made
    if kind == "local":
        return Local(rest[0])
    return None if kind == "null" else rest[0]


def _difference(label: str, array: Array, plain: Sequence[Any]) -> str | None:
    """How the elements of an array differ from the expected ones; ``None`` if they do not."""
    kind, *rest = plain
    if kind == "elements":
        text, _, tolerance = rest[0].partition("~")
        dtype, count, data = _amdgcn.elements(text, 0, array.size)
        data = bytes(data)
    elif kind == "array":
        dtype, shape, data = rest
        count, tolerance = len(data) // array.itemsize, None
    else:
        raise LaunchError(f"what is expected of {label} is no array and no text", "invalid-expectation")
    if (dtype, count) != (array.dtype, array.size):
        raise LaunchError(
            f"{label} has {array.size} elements of {array.dtype}, and {count} of {dtype} are expected",
            "invalid-expectation",
        )
    different, first = _amdgcn.compare(dtype, array.tobytes(), data, tolerance or None)
    if not different:
        return None
    shown = [f"{label}[{index}] is {value}, expected {wanted}" for index, value, wanted in first]
    more = f", and {different - _SHOWN} more" if different > _SHOWN else ""
    return f"{', '.join(shown[:_SHOWN])}{more} of {count} elements"


def _arrays(kernel: Kernel, given: Any) -> dict[Any, Array]:
    """Arrays among the arguments, by the names of parameters, or by their numbers if they have none."""
    if isinstance(given, Mapping):
        return {label: value for label, value in given.items() if isinstance(value, Array)}
    parameters = kernel.parameters or ()
    names = [it.label if it.name is not None else it.index for it in parameters]
    pairs = itertools.zip_longest(names[: len(given)], given)
    labelled = ((index if name is None else name, it) for index, (name, it) in enumerate(pairs))
    return {label: value for label, value in labelled if isinstance(value, Array)}


def _of(arrays: Mapping[Any, Array], label: Any) -> Array:
    """Array of a name, or of a number among the arrays' parameters."""
    if label not in arrays:
        known = ", ".join(map(str, arrays)) or "none"
        raise LaunchError(f"no argument {label} is an array; these are: {known}", "unknown-argument")
    return arrays[label]


def _labels(task: Mapping[str, Any], kernel: Kernel) -> list[str]:
    """Names of the arguments in order, for reports."""
    parameters = kernel.parameters or ()
    names = [it.label for it in parameters]
    return names + [f"argument {index}" for index in range(len(names), len(task["args"]))]


def _completed(task: Mapping[str, Any]) -> dict[str, Any]:
    """Runs a launch: the columns of its row that follow from its end."""
    source, target = task["source"], task["target"]
    if isinstance(source, str):
        source = _built(source, task["language"], tuple(task["options"]), target)
    device = Device(
        target, threads=1, memory=task["memory"], late=task["late"], schedule=task["schedule"]
    )
    kernel = Module(device, source).kernel(task["kernel"])
    args = task["args"]
    if isinstance(args, Mapping):
        given: Any = {name: _argument(device, name, plain) for name, plain in args.items()}
    else:
        given = [_argument(device, *it) for it in zip(_labels(task, kernel), args)]
    options = {"check": task["check"], "limit": task["limit"], "lds": task["lds"]}
    done = kernel.launch(task["grid"], task["group"], given, **options)
    arrays = _arrays(kernel, given)
    differences = [_difference(str(it), _of(arrays, it), plain) for it, plain in task["expect"]]
    wrong = [it for it in differences if it is not None]
    status = "mismatch" if wrong else "findings" if done.findings else "ok"
    row = {
        "kernel": done.kernel,
        "status": status,
        "message": "\n".join(wrong + [str(it) for it in done.findings]),
        "findings": [it.name for it in done.findings],
        "instructions": done.instructions,
        "waves": done.waves,
        "groups": done.groups,
        "seconds": done.seconds,
        "printed": done.printed.decode(errors="replace"),
        "digests": {str(label): _digest(it.tobytes()) for label, it in arrays.items()},
    }
    if task["keep"]:
        row["values"] = {str(it): _of(arrays, it).tolist() for it in task["keep"]}
    return row


def run(task: Mapping[str, Any]) -> dict[str, Any]:
    """Runs a launch: the columns of its row that follow from its end, or from the exception that it raises."""
    begun = time.monotonic()
    try:
        return _completed(task)
    except Exception as error:
        name = type(error).__name__
        message = f"{name}: {error}"
        if isinstance(error, Error):
            name, message = error.name or name, str(error)
        return {
            "status": "fault" if isinstance(error, Fault) else "error",
            "error": name,
            "message": message,
            "findings": [it.name for it in getattr(error, "findings", ())],
            "seconds": time.monotonic() - begun,
        }

"""Devices, modules, kernels and launches."""

from __future__ import annotations

import contextlib
import itertools
import numbers
import os
import struct
from dataclasses import dataclass, field
from typing import Any, Iterator, Mapping, NamedTuple, Sequence, Union

from . import _amdgcn
from .arrays import TYPES, Array, element_type
from .assembler import Program, assemble, assemble_file
from .errors import Error, LaunchError
from .reports import Finding, Profile

__all__ = ["Completion", "Device", "Event", "Kernel", "Local", "Module", "Parameter", "Queue"]

Size = Union[int, Sequence[int]]

#: Language of a source file, by its extension.
_LANGUAGES = {".cl": "opencl", ".clcpp": "openclcpp", ".hip": "hip", ".ll": "ir", ".bc": "ir"}
#: Elements of a described array that are made at once.
_PIECE = 1 << 16
#: Extensions of assembly.
_ASSEMBLY = {".s", ".S", ".asm"}


class Device:
    """Emulated GPU with memory of its own.

    ``memory`` limits its bytes, ``threads`` the host threads that a kernel runs on, ``limit`` the instructions of a wave. ``late`` and
    ``schedule`` are seeds of executions in which memory operations take effect late, and waves run in another order: a right program
    has the same results.

    >>> import amdgcn
    >>> amdgcn.Device("gfx906")
    <amdgcn.Device gfx906 (GCN 1.4.1)>
    >>> amdgcn.Device("vega20", memory=1 << 20).memory
    (0, 1048576)
    """

    def __init__(
        self,
        target: str = "gfx906",
        *,
        memory: int | None = None,
        threads: int | None = None,
        limit: int | None = None,
        late: int | None = None,
        schedule: int | None = None,
    ) -> None:
        self._native = _amdgcn.Device(target, memory, threads, limit, late, schedule)
        self._target = target
        self._numbers = itertools.count()

    @property
    def target(self) -> str:
        """Name of the target, such as ``gfx906``."""
        return self._native.target

    @property
    def isa(self) -> str:
        """Version of the instruction set, such as ``GCN 1.4``."""
        return self._native.isa

    @property
    def threads(self) -> int:
        """Host threads that a kernel runs on."""
        return self._native.threads

    @property
    def memory(self) -> tuple[int, int]:
        """Bytes of memory in use, and bytes that may be."""
        return self._native.usage

    def array(
        self,
        data: Any,
        dtype: Any = None,
        *,
        name: str | None = None,
        copy: bool = True,
    ) -> Array:
        """Array with the elements of a buffer (bytes, ``array.array``, a numpy array, …) or of a list, or of zeros.

        An integer or a tuple is a shape, of zeros; a text describes elements as ``gcn run --arg`` has them (``u32*64:iota``,
        ``f32*64:random(SEED,LOW,HIGH)``, ``f32:1,2.5``). ``dtype`` names the element type (``f32``, ``numpy.float32``, ``<f4``); a buffer has
        its own. Reports of faults call the array by ``name``. With ``copy=False`` kernels access the memory of the buffer itself, which
        must be writable and contiguous.

        >>> import amdgcn, array
        >>> device = amdgcn.Device("gfx906")
        >>> device.array((2, 3), "f32").tolist()
        [[0.0, 0.0, 0.0], [0.0, 0.0, 0.0]]
        >>> own = array.array("I", [1, 2, 3])
        >>> device.array(own)[1]
        2
        >>> device.array("i32*4:iota(5,-2)").tolist()
        [5, 3, 1, -1]
        >>> shared = device.array(own, copy=False)
        >>> own[1] = 7
        >>> shared[1]
        7
        """
        if name is None:
            name = f"array {next(self._numbers)}"
        if isinstance(data, numbers.Integral):
            data = (int(data),)
        if isinstance(data, tuple):
            if not copy:
                raise TypeError("a shape has no memory to share")
            return self._allocate(name, data, element_type("f32" if dtype is None else dtype))
        if isinstance(data, str):
            if dtype is not None or not copy:
                raise TypeError("a text has an element type of its own, and no memory to share")
            return self._described(name, data)
        try:
            view = memoryview(data)
        except TypeError:
            view = None
        if view is None:
            if dtype is None or not copy:
                raise TypeError("elements that are no buffer need an element type, and are copied")
            kind = element_type(dtype)
            elements = list(data)
            made = self._allocate(name, (len(elements),), kind)
            made._write(struct.pack(f"<{len(elements)}{kind.format}", *elements))
            return made
        kind = element_type(view.format)
        if dtype is not None and element_type(dtype) != kind:
            raise TypeError(f"the buffer has elements of {kind.name}; convert them first")
        if not copy:
            if view.readonly or not view.c_contiguous:
                raise BufferError("only writable, contiguous memory is shared with a device")
            host = view.cast("B") if view.nbytes else view
            return Array(self._native, name, view.shape or (), kind.format, kind.size, host)
        made = self._allocate(name, view.shape or (), kind)
        made._write(view.tobytes())
        return made

    def _described(self, name: str, text: str) -> Array:
        kind, count, _ = _amdgcn.elements(text, 0, 0)
        made = self._allocate(name, (count,), element_type(kind))
        if count:
            view = memoryview(made).cast("B")
            for start in range(0, count, _PIECE):
                _, _, piece = _amdgcn.elements(text, start, _PIECE)
                view[start * made.itemsize :][: len(piece)] = piece
        return made

    def _allocate(self, name: str, shape: Sequence[int], kind: Any) -> Array:
        return Array(self._native, name, list(shape), kind.format, kind.size)

    def queue(self) -> Queue:
        """Queue of its own: launches in it are in order, and beside those of other queues."""
        return Queue(self)

    def __repr__(self) -> str:
        return f"<amdgcn.Device {self.target} ({self.isa})>"


class Module:
    """Code in a device's memory."""

    def __init__(self, device: Device, code: Any, *, diagnostics: Any = ()) -> None:
        """Loads a code object, or the one for the device in a bundle, a fat binary or an executable that holds one.

        >>> import amdgcn
        >>> program = amdgcn.assemble(amdgcn.EXAMPLE, "gfx906")
        >>> amdgcn.Module(amdgcn.Device("gfx906"), program.object).kernels
        ['scale']
        """
        native = code
        if not isinstance(code, _amdgcn.Module):
            native = _amdgcn.Module.load(device._native, bytes(code))
        self._native = native
        self._device = device
        #: Warnings of the assembler, or Clang's as text.
        self.diagnostics = diagnostics

    @classmethod
    def assemble(cls, device: Device, text: str, *, name: str = "<source>", **options: Any) -> Module:
        """Assembles a text for the device and loads it. Options are those of :func:`amdgcn.assemble`.

        >>> import amdgcn
        >>> module = amdgcn.Module.assemble(amdgcn.Device("gfx906"), amdgcn.EXAMPLE)
        >>> [parameter.name for parameter in module.kernel("scale").parameters]
        ['xs', 'factor']
        """
        options.setdefault("debug", True)
        program = assemble(text, device._target, name=name, **options)
        return cls._of_program(device, program)

    @classmethod
    def _of_program(cls, device: Device, program: Program) -> Module:
        return cls(device, program.object, diagnostics=program.diagnostics)

    @classmethod
    def from_source(
        cls, device: Device, text: str, language: str = "opencl", options: Sequence[str] = ("-g",)
    ) -> Module:
        """Compiles a text with the system's newest Clang, or takes the result from the user's cache, and loads it.

        ``language`` is ``opencl``, ``openclcpp``, ``hip`` or ``ir``; ``options`` are Clang's. Raises :class:`CompileError`, which has
        Clang's messages, or says which package is missing.

        >>> import amdgcn
        >>> device = amdgcn.Device("gfx906")
        >>> try:
        ...     module = amdgcn.Module.from_source(device, "kernel void twice(global int *x) { x[get_global_id(0)] *= 2; }")
        ... except amdgcn.CompileError as error:
        ...     assert error.name == "missing-compiler", error
        ... else:
        ...     xs = device.array([1, 2, 3], "i32")
        ...     _ = module.kernel("twice")[3](xs)
        ...     assert xs.tolist() == [2, 4, 6]
        """
        native, diagnostics = _amdgcn.Module.compile(
            device._native, language, text=text, options=list(options)
        )
        return cls(device, native, diagnostics=diagnostics)

    @classmethod
    def from_file(
        cls,
        device: Device,
        path: str | os.PathLike[str],
        *,
        language: str | None = None,
        options: Sequence[str] = ("-g",),
    ) -> Module:
        """Loads a file: assembly (``.s``), a source (``.cl``, ``.clcpp``, ``.hip``, ``.ll``, ``.bc``), or code, as :class:`Module` does."""
        extension = os.path.splitext(path)[1]
        if language is None and extension in _ASSEMBLY:
            return cls._of_program(device, assemble_file(path, device._target, debug=True))
        language = language or _LANGUAGES.get(extension)
        if language is not None:
            native, diagnostics = _amdgcn.Module.compile(
                device._native, language, path=os.fspath(path), options=list(options)
            )
            return cls(device, native, diagnostics=diagnostics)
        with open(path, "rb") as file:
            return cls(device, file.read())

    @property
    def device(self) -> Device:
        """Device that it is loaded on."""
        return self._device

    @property
    def kernels(self) -> list[str]:
        """Names of the kernels."""
        return self._native.kernels

    @property
    def code(self) -> bytes:
        """Bytes of the code object."""
        return bytes(self._native.code)

    def kernel(self, name: str | None = None) -> Kernel:
        """Kernel of a name: its symbol, or its name in the source. A module's only kernel needs no name."""
        if name is None:
            names = self.kernels
            if len(names) != 1:
                raise LaunchError(f"the module has {len(names)} kernels: {', '.join(names)}")
            name = names[0]
        return Kernel(self, self._native.kernel(name))

    def symbol(self, name: str) -> tuple[int, int] | None:
        """Address and bytes of a variable, if the module has one of the name."""
        return self._native.symbol(name)

    def __repr__(self) -> str:
        return f"<amdgcn.Module {', '.join(self.kernels)}>"


class Local(NamedTuple):
    """Argument that is dynamic LDS: a number of bytes for each workgroup."""

    bytes: int


@dataclass(frozen=True)
class Parameter:
    """Parameter of a kernel, as metadata and symbol describe it."""

    #: Name, if the metadata have it.
    name: str | None
    #: Number, from 0.
    index: int
    #: Place in the argument segment, in bytes.
    offset: int
    #: Bytes in the argument segment.
    size: int
    #: ``value``, ``buffer``, ``local`` or ``other``.
    kind: str
    #: Element type, such as ``f32``, if it is known.
    type: str | None
    #: Elements of a vector type; 1 of others.
    lanes: int
    #: Type as the source declares it, if it is known.
    declared: str | None
    #: Argument that it takes, in words.
    wants: str = field(repr=False)

    @property
    def label(self) -> str:
        """Name, or number if it has none."""
        return str(self.index) if self.name is None else self.name


@dataclass(frozen=True)
class Completion:
    """Work of a launch that has ended."""

    #: Symbol of the kernel.
    kernel: str
    #: Instructions executed, one for each wave that did.
    instructions: int
    #: Waves run.
    waves: int
    #: Workgroups run.
    groups: int
    #: Time that the host took.
    seconds: float
    #: Bytes that the kernel printed.
    printed: bytes
    #: Decisions that were made without being asked for.
    notes: Sequence[str]
    #: Findings; empty unless the launch was checked.
    findings: Sequence[Finding]
    #: Counts, if the launch was profiled.
    profile: Profile | None


class Queue:
    """Launches of a device in order; those of several queues run beside each other."""

    def __init__(self, device: Device) -> None:
        self._native = _amdgcn.Queue(device._native)
        self._last: Event | None = None

    def finish(self) -> None:
        """Waits for all launches, and raises the error of the last one."""
        if self._last is not None:
            self._last.wait()

    def clear(self) -> None:
        """Has launches begin again that would be skipped after a failure."""
        self._native.clear()


class Event:
    """Launch that has been submitted to a queue.

    >>> import amdgcn
    >>> device = amdgcn.Device("gfx906")
    >>> kernel = amdgcn.Module.assemble(device, amdgcn.EXAMPLE).kernel("scale")
    >>> xs, queue, other = device.array([1, 2, 3], "u32"), device.queue(), device.queue()
    >>> first = kernel.launch(3, None, (xs, 10), queue=queue)
    >>> second = kernel.launch(3, None, (xs, 10), queue=other, after=[first])
    >>> second.wait().waves, xs.tolist()
    (1, [100, 200, 300])
    """

    def __init__(self, native: _amdgcn.Event) -> None:
        self._native = native

    @property
    def is_done(self) -> bool:
        """True if the launch has ended, in whatever way."""
        return self._native.is_done

    def wait(self, timeout: float | None = None) -> Completion:
        """Waits for the end without the GIL. Raises :class:`Fault` or another :class:`Error`; ``TimeoutError`` after ``timeout`` seconds,
        while the launch goes on. Ctrl-C cancels the launch."""
        seconds = None
        if timeout is not None:
            from datetime import timedelta

            seconds = timedelta(seconds=timeout)
        fields = self._native.wait(seconds)
        fields["findings"] = [Finding._read(*pair) for pair in fields["findings"]]
        profile = fields["profile"]
        fields["profile"] = None if profile is None else Profile._read(*profile)
        return Completion(**fields)

    def cancel(self) -> bool:
        """Stops the launch, or has it never begin; false if it has ended."""
        return self._native.cancel()


class Kernel:
    """Kernel of a module.

    ``kernel[grid, group](*arguments)`` runs it: ``grid`` counts work-items, as OpenCL and HSA do, and ``group`` those of a workgroup;
    both are a number or up to three. Arguments are :class:`Array`, numbers, ``bytes``, anything with the buffer protocol (``ctypes``
    structures, numpy scalars), and :class:`Local`, in their order or by their names.

    >>> import amdgcn
    >>> device = amdgcn.Device("gfx906")
    >>> kernel = amdgcn.Module.assemble(device, amdgcn.EXAMPLE).kernel("scale")
    >>> xs = device.array(range(4), "u32")
    >>> done = kernel[4, 64](xs, factor=3)
    >>> xs.tolist(), done.waves
    ([0, 3, 6, 9], 1)
    >>> kernel[4](xs)
    Traceback (most recent call last):
        ...
    amdgcn.LaunchError: scale takes xs (a buffer of u32), factor (a number, u32); factor is missing
    """

    def __init__(self, module: Module, native: _amdgcn.Kernel) -> None:
        self._module = module
        self._native = native
        parameters = native.parameters
        self._parameters = (
            None if parameters is None else [Parameter(**fields) for fields in parameters]
        )

    @property
    def name(self) -> str:
        """Symbol."""
        return self._native.name

    @property
    def module(self) -> Module:
        """Module that it is in."""
        return self._module

    @property
    def parameters(self) -> Sequence[Parameter] | None:
        """Parameters that callers give arguments for; ``None`` if the code has no metadata."""
        return self._parameters

    def __getitem__(self, sizes: Any) -> _Sized:
        grid, group = sizes if isinstance(sizes, tuple) and len(sizes) == 2 else (sizes, None)
        return _Sized(self, grid, group)

    def launch(
        self,
        grid: Size,
        group: Size | None = None,
        args: Sequence[Any] | Mapping[str, Any] = (),
        *,
        queue: Queue | None = None,
        after: Sequence[Event] = (),
        check: bool | str | Sequence[str] = False,
        profile: bool = False,
        limit: int | None = None,
        lds: int = 0,
    ) -> Any:
        """Runs the kernel and returns its :class:`Completion`; with a ``queue``, submits it and returns its :class:`Event`.

        ``args`` are the arguments in order, or by their names. The launch begins ``after`` others. ``check`` has it watched: by the
        checks that are on by default, or by those that it names (``"races"``, ``["bounds", "waits"]``). ``limit`` is the most
        instructions of a wave; ``lds`` adds bytes of LDS.

        >>> import amdgcn
        >>> device = amdgcn.Device("gfx906")
        >>> kernel = amdgcn.Module.assemble(device, amdgcn.EXAMPLE).kernel("scale")
        >>> xs = device.array([1, 2], "u32")
        >>> kernel.launch(2, args={"factor": 5, "xs": xs}, check=True).findings
        []
        >>> xs.tolist()
        [5, 10]
        """
        event = self._submit(grid, group, args, queue, after, _checks(check), profile, limit, None, lds)
        if queue is None:
            return event.wait()
        queue._last = event
        return event

    def trace(
        self,
        grid: Size,
        group: Size | None = None,
        args: Sequence[Any] | Mapping[str, Any] = (),
        *,
        only: Sequence[str] = (),
        limit: int | None = None,
        lds: int = 0,
    ) -> Iterator[str]:
        """Runs the kernel, and yields a line for each instruction that a wave executes: those of ``gcn run --trace``.

        ``only`` selects instructions as ``--trace-only`` does: ``workgroup=0,0,0``, ``wave=0..2``, ``code=SYMBOL``, ``memory=A..B``,
        ``instruction=global_*``. The kernel waits if its lines are not read, and is stopped if the iterator is closed before their end.
        After the last line, a failure is raised. The other arguments are those of :meth:`launch`.

        >>> import amdgcn
        >>> device = amdgcn.Device("gfx906")
        >>> kernel = amdgcn.Module.assemble(device, amdgcn.EXAMPLE).kernel("scale")
        >>> xs = device.array([1, 2, 3], "u32")
        >>> for line in kernel.trace(3, 64, (xs, 10), only=["instruction=v_mul_*"]):
        ...     print(*line.split("  ")[2:])
        exec=0000000000000007 v_mul_lo_u32 v1, v1, s6 -> v1=0xa+0xa*lane
        """
        return _lines(self._submit(grid, group, args, None, (), None, False, limit, list(only), lds))

    def _submit(
        self,
        grid: Size,
        group: Size | None,
        args: Sequence[Any] | Mapping[str, Any],
        queue: Queue | None,
        after: Sequence[Event],
        checks: str | None,
        profile: bool,
        limit: int | None,
        trace: Sequence[str] | None,
        lds: int,
    ) -> Event:
        bound = self._bind((), args) if isinstance(args, Mapping) else self._bind(args, {})
        # Of its own: a failure has nothing to skip.
        target = self._module.device.queue() if queue is None else queue
        return Event(
            _amdgcn.submit(
                self._native,
                target._native,
                _three(grid, "grid"),
                None if group is None else _three(group, "group"),
                bound,
                [event._native for event in after],
                checks,
                profile,
                limit,
                trace,
                lds,
            )
        )

    def _bind(self, args: Sequence[Any], named: Mapping[str, Any]) -> list[Any]:
        """Arguments as the native part takes them."""
        given = self._in_order(args, named)
        if self._parameters is None:
            return [_untyped(self.name, index, value) for index, value in enumerate(given)]
        return [_typed(self.name, *it) for it in zip(self._parameters, given)]

    def _in_order(self, args: Sequence[Any], named: Mapping[str, Any]) -> Sequence[Any]:
        """Arguments in the order of the parameters."""
        if self._parameters is None:
            if named:
                raise LaunchError(f"{self.name} has no metadata that name its parameters")
            return args

        def wrong(reason: str, name: str) -> LaunchError:
            return LaunchError(f"{self._signature()}; {reason}", name)

        if len(args) > len(self._parameters):
            raise wrong(f"{len(args)} are given", "unknown-argument")
        given = dict(enumerate(args))
        indices = {parameter.label: parameter.index for parameter in self._parameters}
        for label, value in named.items():
            if label not in indices:
                raise wrong(f"it has no parameter {label}", "unknown-argument")
            if indices[label] in given:
                raise wrong(f"{label} is given twice", "duplicate-argument")
            given[indices[label]] = value
        for parameter in self._parameters:
            if parameter.index not in given:
                raise wrong(f"{parameter.label} is missing", "missing-argument")
        return [given[parameter.index] for parameter in self._parameters]

    def _signature(self) -> str:
        wanted = [f"{parameter.label} ({parameter.wants})" for parameter in self._parameters or ()]
        return f"{self.name} takes {', '.join(wanted) or 'no arguments'}"

    def __repr__(self) -> str:
        return f"<amdgcn.Kernel {self.name}>"


def _lines(event: Event) -> Iterator[str]:
    """Lines of the trace of a launch; then waits for the end of the launch."""
    native = event._native
    try:
        while (lines := native.trace_lines()) is not None:
            yield from lines
    except BaseException:
        event.cancel()
        native.close_trace()
        with contextlib.suppress(Error):
            event.wait()
        raise
    event.wait()


class _Sized:
    """Kernel with the sizes of its launches."""

    def __init__(self, kernel: Kernel, grid: Size, group: Size | None) -> None:
        self._kernel, self._grid, self._group = kernel, grid, group

    def __call__(self, *args: Any, **named: Any) -> Completion:
        """Runs the kernel with these arguments."""
        bound = self._kernel._in_order(args, named)
        return self._kernel.launch(self._grid, self._group, bound)


def _three(size: Size, what: str) -> list[int]:
    """Sizes in x, y and z."""
    sizes = [size] if isinstance(size, int) else [int(n) for n in size]
    if not 1 <= len(sizes) <= 3 or any(not 1 <= n < 1 << 32 for n in sizes):
        raise LaunchError(f"{what} has one to three sizes of at least 1, not {size!r}", "launch-size")
    return sizes + [1] * (3 - len(sizes))


def _checks(check: bool | str | Sequence[str]) -> str | None:
    if isinstance(check, bool):
        return "default" if check else None
    return check if isinstance(check, str) else ",".join(check)


def _untyped(kernel: str, index: int, value: Any) -> Any:
    """Argument of a kernel without metadata: arrays, and values whose bytes say their size."""
    if isinstance(value, Array):
        return value
    if isinstance(value, Local):
        return value.bytes
    try:
        return bytes(memoryview(value))
    except TypeError:
        raise LaunchError(
            f"argument {index} of {kernel}: the code has no metadata that say its type; "
            f"write ctypes.c_uint32(…) or another value with a size",
            "untyped-argument",
        ) from None


def _typed(kernel: str, parameter: Parameter, value: Any) -> Any:
    """Argument for a parameter that metadata describe."""

    def wrong(reason: str = "") -> LaunchError:
        given = type(value).__name__
        end = f": {reason}" if reason else ""
        return LaunchError(
            f"argument {parameter.label} of {kernel} takes {parameter.wants}, not {given}{end}",
            "argument-type",
        )

    if isinstance(value, Array):
        if parameter.kind not in ("buffer", "value") or parameter.size != 8:
            raise wrong()
        return value
    if isinstance(value, Local):
        if parameter.kind != "local":
            raise wrong()
        return value.bytes
    if parameter.kind == "local":
        raise wrong("write amdgcn.Local(bytes)")
    if parameter.kind == "other":
        raise wrong()
    if parameter.kind == "buffer" and not (value is None or isinstance(value, int)):
        raise wrong("copy it to the device with device.array(…)")
    try:
        if parameter.kind == "buffer":
            return (value or 0).to_bytes(parameter.size, "little")
        return _value(parameter, value)
    except (struct.error, OverflowError, TypeError, ValueError) as error:
        raise wrong(str(error)) from None


def _value(parameter: Parameter, value: Any) -> bytes:
    kind = TYPES.get(parameter.type or "")
    is_number = hasattr(value, "__index__") or hasattr(value, "__float__")
    if is_number and parameter.lanes == 1:
        if kind is not None:
            number = value
            if kind.format not in "efd":
                number = value.__index__() if hasattr(value, "__index__") else int(value)
                if number != value:
                    raise ValueError(f"{value!r} is no whole number")
            return struct.pack(f"<{kind.format}", number)
        if not hasattr(value, "__index__"):
            formats = {2: "<e", 4: "<f", 8: "<d"}
            if parameter.size not in formats:
                raise TypeError(f"{parameter.size} bytes are expected")
            return struct.pack(formats[parameter.size], value)
        number = value.__index__()
        return number.to_bytes(parameter.size, "little", signed=number < 0)
    try:
        data = bytes(memoryview(value))
    except TypeError:
        # A vector of OpenCL: three elements have the place of four.
        elements = [] if is_number else list(value)
        if kind is None or len(elements) != parameter.lanes:
            raise TypeError(f"{parameter.lanes} elements are expected") from None
        data = struct.pack(f"<{len(elements)}{kind.format}", *elements)
        return data.ljust(parameter.size, b"\0")
    if len(data) != parameter.size:
        raise ValueError(f"it has {len(data)} bytes, not {parameter.size}")
    return data

"""Tests of the package `amdgcn`, and of the examples in its documentation."""

import ast
import array
import contextlib
import ctypes
import doctest
import importlib
import inspect
import io
import os
import pathlib
import pickle
import pkgutil
import re
import signal
import tempfile
import threading
import time
import unittest

import amdgcn
from amdgcn import isa

try:
    import numpy
except ImportError:
    numpy = None

# The documentation, where the tests run in the repository.
GUIDE = pathlib.Path(__file__).resolve().parents[4] / "docs/python.md"
MODULES = ["amdgcn"] + [f"amdgcn.{module.name}" for module in pkgutil.iter_modules(amdgcn.__path__)]

# A kernel that branches to itself.
ENDLESS = """
.text
.globl endless
.p2align 8
.type endless,@function
endless:
  s_branch endless
  s_endpgm
.rodata
.p2align 6
.amdhsa_kernel endless
  .amdhsa_next_free_vgpr 1
  .amdhsa_next_free_sgpr 1
.end_amdhsa_kernel
"""

# A kernel that waits until the number at its argument is not 0.
GATE = """
.text
.globl gate
.p2align 8
.type gate,@function
gate:
  s_load_dwordx2 s[4:5], s[0:1], 0x0
  v_mov_b32_e32 v0, 0
  s_waitcnt lgkmcnt(0)
closed:
  global_load_dword v1, v0, s[4:5] glc
  s_waitcnt vmcnt(0)
  v_readfirstlane_b32 s6, v1
  s_cmp_eq_u32 s6, 0
  s_cbranch_scc1 closed
  s_endpgm
.rodata
.p2align 6
.amdhsa_kernel gate
  .amdhsa_user_sgpr_kernarg_segment_ptr 1
  .amdhsa_next_free_vgpr 2
  .amdhsa_next_free_sgpr 7
.end_amdhsa_kernel
"""


def load_tests(loader, tests, pattern):
    # Those of modules; classes and functions come with them. The native part has no examples.
    for name in MODULES:
        if not name.endswith("._amdgcn"):
            flags = doctest.IGNORE_EXCEPTION_DETAIL | doctest.ELLIPSIS
            tests.addTests(doctest.DocTestSuite(name, optionflags=flags))
    if numpy is not None:  # The guide's first example has numpy's arrays.
        tests.addTests(doctest.DocFileSuite(str(GUIDE), module_relative=False, globs={"amdgcn": amdgcn}))
    return tests


def scale(device, text=amdgcn.EXAMPLE):
    return amdgcn.Module.assemble(device, text).kernel("scale")


class Arrays(unittest.TestCase):
    def setUp(self):
        self.device = amdgcn.Device("gfx906", threads=1)

    def test_views_are_the_memory(self):
        xs = self.device.array((2, 3), "u32")
        view = memoryview(xs)
        self.assertEqual((view.shape, view.format, view.readonly, view.nbytes), ((2, 3), "I", False, 24))
        view[1, 2] = 7
        self.assertEqual(ctypes.c_uint32.from_address(xs.address + 20).value, 7)
        scale(self.device)[6](xs, 3)
        self.assertEqual(view.tolist(), [[0, 0, 0], [0, 0, 21]])

    def test_memory_lives_as_long_as_its_views(self):
        before = self.device.memory[0]
        view = memoryview(self.device.array([5, 6], "u16"))
        self.assertEqual(view.tolist(), [5, 6])
        self.assertGreater(self.device.memory[0], before)
        view.release()
        self.assertEqual(self.device.memory[0], before)

    def test_element_types(self):
        for name, value in [("u8", 255), ("i8", -128), ("i16", -2), ("f32", 1.5), ("f64", -0.1), ("i64", -(1 << 63))]:
            with self.subTest(name):
                xs = self.device.array([value, 0], name)
                self.assertEqual((xs.tolist(), xs.dtype), ([value, 0], name))
                again = self.device.array(memoryview(xs))
                self.assertEqual((again.tolist(), again.dtype), ([value, 0], name))
        names = {"uint32": "u32", "<u8": "u64", "<f4": "f32", "d": "f64", "float16": "f16", "u8": "u8"}
        for name, dtype in names.items():
            self.assertEqual(self.device.array(1, name).dtype, dtype)
        for wrong in ("f8x", ">f4", None.__class__, 3):
            with self.assertRaises(TypeError):
                self.device.array(1, wrong)

    def test_elements_as_text(self):
        xs = self.device.array("u16*100000:iota", name="xs")
        self.assertEqual((xs.dtype, xs.size, xs[99999], xs.name), ("u16", 100000, 99999 & 0xFFFF, "xs"))
        self.assertEqual(self.device.array("f32:1.5,-2").tolist(), [1.5, -2])
        self.assertEqual(self.device.array("u8*0").tolist(), [])
        random = self.device.array("f32*70000:random(7,-1,1)").tolist()
        self.assertTrue(all(-1 <= x <= 1 for x in random) and len(set(random)) > 60000)
        self.assertEqual(random, self.device.array("f32*70000:random(7,-1,1)").tolist())
        for wrong in ("", "u32", "42", "f8*4", "u8:256", "u8*4:undefined", "@/dev/zero", "local:4", "null", "xs"):
            with self.subTest(wrong), self.assertRaises(amdgcn.LaunchError):
                self.device.array(wrong)
        with self.assertRaises(amdgcn.OutOfMemoryError):
            self.device.array("f64*0x1000000000000:iota")
        with self.assertRaises(TypeError):
            self.device.array("u32*4", "f32")

    def test_sizes_that_are_none(self):
        self.assertEqual(self.device.array(0, "f32").tolist(), [])
        self.assertEqual(self.device.array((), "u32").size, 1)
        with self.assertRaises(ValueError):
            self.device.array(-1, "u8")
        with self.assertRaises(ValueError):
            self.device.array((1 << 62, 1 << 62), "u8")
        with self.assertRaises(amdgcn.OutOfMemoryError) as raised:
            amdgcn.Device("gfx906", memory=4096).array(8192, "u8")
        self.assertIsInstance(raised.exception, MemoryError)

    def test_host_memory_is_shared(self):
        own = array.array("I", range(64))
        shared = self.device.array(own, copy=False)
        scale(self.device)[64](shared, 2)
        self.assertEqual(own.tolist(), [2 * x for x in range(64)])
        with self.assertRaises(BufferError):
            own.append(1)  # The view keeps it where it is.
        del shared
        own.append(1)
        with self.assertRaises(BufferError):
            self.device.array(b"read only", copy=False)

    @unittest.skipIf(numpy is None, "numpy is not installed")
    def test_numpy(self):
        own = numpy.arange(6, dtype=numpy.float32).reshape(2, 3)
        xs = self.device.array(own)
        view = numpy.asarray(xs)
        self.assertEqual((view.dtype, view.shape), (numpy.float32, (2, 3)))
        self.assertEqual(view.ctypes.data, xs.address)
        view += 1
        self.assertEqual(xs.tolist(), [[1, 2, 3], [4, 5, 6]])
        interface = type("Interface", (), {"__array_interface__": xs.__array_interface__})()
        self.assertEqual(numpy.asarray(interface).ctypes.data, xs.address)
        self.assertEqual(numpy.from_dlpack(xs).ctypes.data, xs.address)
        self.assertEqual(self.device.array(2, numpy.uint16).dtype, "u16")
        self.assertEqual(self.device.array(2, numpy.dtype("uint64")).dtype, "u64")
        strided = self.device.array(own[:, ::2])
        self.assertEqual(strided.tolist(), own[:, ::2].tolist())


class Launches(unittest.TestCase):
    def setUp(self):
        self.device = amdgcn.Device("gfx906", threads=1)

    def test_arguments(self):
        kernel, xs = scale(self.device), self.device.array([1, 2], "u32")
        for args in [(xs, 3), {"factor": 3, "xs": xs}, (xs, ctypes.c_uint32(3)), (xs.address, 3)]:
            xs.fill(2)
            kernel.launch(2, 64, args)
            self.assertEqual(xs.tolist(), [6, 6])
        wrong = [
            ((xs,), "missing-argument"),
            ((xs, 1, 2), "unknown-argument"),
            ({"xs": xs, "n": 1, "factor": 1}, "unknown-argument"),
            ((xs, 1.5), "argument-type"),
            ((xs, 1 << 32), "argument-type"),
            ((xs, -1), "argument-type"),
            ((xs, ctypes.c_uint64(3)), "argument-type"),
            (([1, 2], 3), "argument-type"),
            ((-1, 3), "argument-type"),
            ((1 << 64, 3), "argument-type"),
            ((xs, xs), "argument-type"),
            ((xs, amdgcn.Local(4)), "argument-type"),
        ]
        for args, name in wrong:
            with self.subTest(args), self.assertRaises(amdgcn.LaunchError) as raised:
                kernel.launch(2, 64, args)
            self.assertEqual(raised.exception.name, name)
        with self.assertRaises(amdgcn.LaunchError) as raised:
            kernel[2, 64](xs, 3, factor=3)
        self.assertEqual(raised.exception.name, "duplicate-argument")

    def test_values_of_other_types(self):
        declared = "{ .name: factor, .type_name: uint, .offset: 8, .size: 4,"
        segment = ".kernarg_segment_size: 16"
        xs = self.device.array([1], "u32")
        number = type("Number", (), {"__float__": lambda self: 1.5})()
        cases = [
            (".type_name: float4, .offset: 16, .size: 16", (1, 2.5, 3, number), True),
            (".type_name: float4, .offset: 16, .size: 16", array.array("f", range(4)), True),
            (".type_name: float4, .offset: 16, .size: 16", 1.5, False),
            (".type_name: float4, .offset: 16, .size: 16", 1, False),
            (".type_name: float4, .offset: 16, .size: 16", number, False),
            (".type_name: float4, .offset: 16, .size: 16", (1, 2), False),
            (".type_name: pair, .offset: 16, .size: 16", 1.5, False),
            (".type_name: pair, .offset: 16, .size: 16", bytes(16), True),
            (".type_name: float, .offset: 8, .size: 4", number, True),
            (".type_name: real, .offset: 8, .size: 4", number, True),
        ]
        for parameter, value, is_right in cases:
            text = amdgcn.EXAMPLE.replace(declared, f"{{ .name: factor, {parameter},")
            kernel = scale(self.device, text.replace(segment, ".kernarg_segment_size: 32"))
            with self.subTest(parameter=parameter, value=value):
                if is_right:
                    kernel.launch(1, None, (xs, value))
                    continue
                with self.assertRaises(amdgcn.LaunchError) as raised:
                    kernel.launch(1, None, (xs, value))
                self.assertEqual(raised.exception.name, "argument-type")

    def test_code_without_metadata(self):
        text = amdgcn.EXAMPLE.split(".amdgpu_metadata")[0]
        kernel, xs = scale(self.device, text), self.device.array([1, 2], "u32")
        self.assertIsNone(kernel.parameters)
        kernel[2](xs, ctypes.c_uint32(4))
        self.assertEqual(xs.tolist(), [4, 8])
        with self.assertRaises(amdgcn.LaunchError) as raised:
            kernel[2](xs, 4)
        self.assertEqual(raised.exception.name, "untyped-argument")

    def test_sizes(self):
        kernel, xs = scale(self.device), self.device.array(256, "u32")
        xs.fill(1)
        done = kernel[256](xs, 2)
        self.assertEqual((done.groups, done.waves, xs[255]), (4, 4, 2))
        self.assertGreater(done.instructions, 40)
        for grid, group in [(0, None), ((1, 1, 1, 1), None), (64, 0), (1 << 32, None)]:
            with self.subTest(grid), self.assertRaises(amdgcn.LaunchError):
                kernel.launch(grid, group, (xs, 2))
        with self.assertRaises(amdgcn.LaunchError):
            kernel[256, 32](xs, 2)  # It requires 64.

    def test_faults_carry_the_report(self):
        kernel, short = scale(self.device), self.device.array(5, "u32", name="short")
        with self.assertRaises(amdgcn.Fault) as raised:
            kernel[64](short, 2)
        fault = raised.exception
        self.assertEqual(
            (fault.name, fault.kernel, fault.lane, fault.wave, fault.workgroup),
            ("unmapped-access", "scale", 5, 0, (0, 0, 0)),
        )
        self.assertEqual((fault.nearest["name"], fault.nearest["bytes"]), ("short", 20))
        self.assertEqual(fault.address, short.address + 20)
        self.assertTrue(fault.instruction.startswith("global_load_dword"))
        self.assertIn("<source>:12", fault.source)
        lines = str(fault).splitlines()
        self.assertTrue(lines[0].startswith("error[unmapped-access]: kernel scale, workgroup 0,0,0, wave 0, lane 5, at 0x"), lines)
        self.assertEqual(lines[1], "  --> <source>:12: global_load_dword v1, v0, s[4:5]")
        self.assertIn("nearest is short: 20 bytes", lines[-1])
        self.assertEqual(f"error[{fault.name}]: {fault.message}", str(fault))
        again = pickle.loads(pickle.dumps(fault))
        self.assertEqual((str(again), again.lane), (str(fault), 5))
        kernel[5](short, 2)  # The device goes on.

    def test_checks(self):
        text = amdgcn.EXAMPLE.replace("s_waitcnt vmcnt(0)", "s_nop 0")
        kernel, xs = scale(self.device, text), self.device.array(64, "u32")
        self.assertEqual(kernel.launch(64, 64, (xs, 2)).findings, [])
        for check in (True, "waits", ["bounds", "waits"]):
            finding, = kernel.launch(64, 64, (xs, 2), check=check).findings
            self.assertEqual((finding.name, finding.kernel, finding.line), ("missing-wait", "scale", 14))
            lines = str(finding).splitlines()
            self.assertTrue(lines[0].startswith("error[missing-wait]: "), lines)
            self.assertIn("  --> <source>:14:3", lines[1])
            self.assertIn("14 |   v_mul_lo_u32 v1, v1, s6", lines)
            self.assertTrue(any(line.endswith("12 |   global_load_dword v1, v0, s[4:5]") for line in lines), lines)
        self.assertEqual(kernel.launch(64, 64, (xs, 2), check="bounds").findings, [])
        with self.assertRaises(ValueError):
            kernel.launch(64, 64, (xs, 2), check="wait")
        with self.assertRaises(amdgcn.Fault) as raised:
            scale(self.device).launch(128, 64, (xs, 2), check=True)
        self.assertEqual([it.name for it in raised.exception.findings], ["global-out-of-bounds"])

    def test_profile(self):
        kernel, xs = scale(self.device), self.device.array(128, "u32")
        profile = kernel.launch(128, 64, (xs, 2), profile=True).profile
        rows = {row["instruction"]: row["executions"] for row in profile.instructions}
        self.assertEqual(rows["v_mul_lo_u32 v1, v1, s6"], 2)
        self.assertIn("kernel scale: 1 dispatch", str(profile))
        self.assertTrue(any(row["line"] == 12 for row in profile.lines))
        self.assertIsNone(kernel.launch(128, 64, (xs, 2)).profile)

    def test_traces(self):
        kernel, xs = scale(self.device), self.device.array(range(128), "u32")
        lines = list(kernel.trace(128, 64, (xs, 2)))
        self.assertEqual((len(lines), xs[127]), (kernel.launch(128, 64, (xs, 1)).instructions, 254))
        line, = kernel.trace(128, 64, {"xs": xs, "factor": 1}, only=["instruction=v_mul_*", "workgroup=1,0,0"])
        self.assertTrue(line.startswith("[1,0,0] 0  0x"), line)
        self.assertIn(" scale+0x2c  exec=ffffffffffffffff  v_mul_lo_u32 v1, v1, s6  -> v1=", line)
        with self.assertRaises(ValueError):
            kernel.trace(128, 64, (xs, 1), only=["waves=1"])
        lines = []
        with self.assertRaises(amdgcn.Fault):
            for line in kernel.trace(64, 64, (self.device.array(5, "u32"), 2)):
                lines.append(line)
        self.assertIn("s_waitcnt lgkmcnt(0)", lines[-1])

    def test_a_trace_may_be_left(self):
        lines = amdgcn.Module.assemble(self.device, ENDLESS).kernel().trace(1)
        for _ in range(10_000):
            self.assertIn("  s_branch ", next(lines))
        lines.close()
        xs = self.device.array([1], "u32")
        scale(self.device)[1](xs, 2)
        self.assertEqual(xs.tolist(), [2])

    def test_queues(self):
        kernel, xs = scale(self.device), self.device.array([1], "u32")
        one, other = self.device.queue(), self.device.queue()
        event = None
        for step in range(8):
            queue = (one, other)[step % 2]
            event = kernel.launch(1, None, (xs, 2), queue=queue, after=[event] if event else [])
        event.wait(60)
        self.assertEqual(xs.tolist(), [256])
        self.assertTrue(event.is_done and not event.cancel())
        one.finish()

    def test_a_launch_keeps_shared_memory_until_it_ends(self):
        gate, kernel = amdgcn.Module.assemble(self.device, GATE).kernel(), scale(self.device)
        opened, queue = self.device.array(1, "u32"), self.device.queue()
        waiting = gate.launch(1, None, (opened,), queue=self.device.queue())
        self.addCleanup(waiting.cancel)
        own = array.array("I", [1, 2, 3])
        # Nobody else keeps this event and its array.
        kernel.launch(3, None, (self.device.array(own, copy=False), 10), queue=queue, after=[waiting])
        last = kernel.launch(1, None, (opened, 1), queue=queue)
        with self.assertRaises(BufferError):
            own.append(4)
        opened[0] = 1
        last.wait(60)
        self.assertEqual(own.tolist(), [10, 20, 30])
        own.append(4)

    def test_a_failure_skips_what_follows(self):
        kernel, queue = scale(self.device), self.device.queue()
        short, xs = self.device.array(1, "u32"), self.device.array([1], "u32")
        failed = kernel.launch(64, None, (short, 2), queue=queue)
        skipped = kernel.launch(1, None, (xs, 2), queue=queue)
        with self.assertRaises(amdgcn.Skipped):
            skipped.wait(60)
        with self.assertRaises(amdgcn.Fault):
            failed.wait(60)
        queue.clear()
        kernel.launch(1, None, (xs, 2), queue=queue).wait(60)
        self.assertEqual(xs.tolist(), [2])

    def test_limits(self):
        kernel = amdgcn.Module.assemble(self.device, ENDLESS).kernel()
        with self.assertRaises(amdgcn.Fault) as raised:
            kernel.launch(1, limit=1000)
        self.assertEqual(raised.exception.name, "instruction-limit")


class Interrupts(unittest.TestCase):
    def setUp(self):
        self.device = amdgcn.Device("gfx906", threads=1)
        self.kernel = amdgcn.Module.assemble(self.device, ENDLESS).kernel()
        # Shells let the processes that they start in the background ignore Ctrl-C.
        before = signal.signal(signal.SIGINT, signal.default_int_handler)
        self.addCleanup(signal.signal, signal.SIGINT, before)

    def test_ctrl_c_stops_a_kernel_that_never_ends(self):
        timer = threading.Timer(0.2, os.kill, [os.getpid(), signal.SIGINT])
        timer.start()
        begun = time.monotonic()
        with self.assertRaises(KeyboardInterrupt):
            self.kernel[64]()
        self.assertLess(time.monotonic() - begun, 30)
        timer.join()
        xs = self.device.array([1], "u32")
        scale(self.device)[1](xs, 2)
        self.assertEqual(xs.tolist(), [2])

    def test_other_threads_run_meanwhile(self):
        queue, counts = self.device.queue(), [0]
        event = self.kernel.launch(64, queue=queue)

        def count():
            for _ in range(1000):
                counts[0] += 1
            event.cancel()

        thread = threading.Thread(target=count)
        thread.start()
        # The thread ends the kernel: with the GIL held, the wait would last forever.
        with self.assertRaises((amdgcn.Cancelled, amdgcn.Fault)):
            event.wait()
        thread.join()
        self.assertEqual(counts, [1000])

    def test_a_wait_may_end_early(self):
        event = self.kernel.launch(64, queue=self.device.queue())
        with self.assertRaises(TimeoutError):
            event.wait(0.05)
        self.assertFalse(event.is_done)
        self.assertTrue(event.cancel())
        with self.assertRaises((amdgcn.Cancelled, amdgcn.Fault)):
            event.wait(60)


class Modules(unittest.TestCase):
    def setUp(self):
        self.device = amdgcn.Device("gfx906", threads=1)

    def test_files(self):
        with tempfile.TemporaryDirectory() as directory:
            path = pathlib.Path(directory, "scale.s")
            path.write_text('.include "body.s"\n')
            path.with_name("body.s").write_text(amdgcn.EXAMPLE)
            module = amdgcn.Module.from_file(self.device, path)
            self.assertEqual(module.kernels, ["scale"])
            path = path.with_suffix(".co")
            path.write_bytes(module.code)
            self.assertEqual(amdgcn.Module.from_file(self.device, path).kernels, ["scale"])
            self.assertEqual(amdgcn.CodeObject.read(path).kernel("scale").metadata[".name"], "scale")

    def test_code_that_does_not_load(self):
        program = amdgcn.assemble(amdgcn.EXAMPLE, "gfx900")
        with self.assertRaises(amdgcn.LoadError) as raised:
            amdgcn.Module(self.device, program.object)
        self.assertEqual(raised.exception.name, "no-matching-code")
        for bad in (b"", b"text", program.object[:100]):
            with self.subTest(bad), self.assertRaises(amdgcn.LoadError):
                amdgcn.Module(self.device, bad)
            with self.assertRaises(amdgcn.LoadError):
                amdgcn.CodeObject.read(bad)
        with self.assertRaises(amdgcn.LoadError):
            scale(self.device).module.kernel("scaled")

    def test_sources(self):
        text = "kernel void add(global float *xs, float x, local float *room) { xs[get_global_id(0)] += x; }"
        try:
            module = amdgcn.Module.from_source(self.device, text)
        except amdgcn.CompileError as error:
            if error.name == "missing-compiler":
                self.skipTest(str(error))
            raise
        kernel, xs = module.kernel("add"), self.device.array([1, 2], "f32")
        self.assertEqual([(it.name, it.type, it.kind) for it in kernel.parameters][:2], [("xs", "f32", "buffer"), ("x", "f32", "value")])
        kernel[2](xs, 0.5, amdgcn.Local(64))
        self.assertEqual(xs.tolist(), [1.5, 2.5])
        with self.assertRaises(amdgcn.CompileError) as raised:
            amdgcn.Module.from_source(self.device, "kernel void k() { return 1; }")
        self.assertIn("error:", raised.exception.diagnostics)
        self.assertTrue(raised.exception.commands)


class Assembly(unittest.TestCase):
    def test_diagnostics(self):
        with self.assertRaises(amdgcn.AssembleError) as raised:
            amdgcn.assemble("s_nop 0\n  s_noop 1\nv_mov_b32 v0, v256\n", name="a.s")
        error = raised.exception
        places = [(it.name, it.file, it.line, it.column) for it in error.diagnostics]
        self.assertEqual(places[0], ("unknown-opcode", "a.s", 2, 3))
        self.assertEqual((len(places), places[1][2]), (2, 3))
        self.assertIn("  s_noop 1", str(error))
        self.assertEqual(error.name, "unknown-opcode")

    def test_included_files(self):
        with self.assertRaises(amdgcn.AssembleError):
            amdgcn.assemble('.include "a.s"')
        with tempfile.TemporaryDirectory() as directory:
            pathlib.Path(directory, "a.s").write_text("s_noop 0\n")
            with self.assertRaises(amdgcn.AssembleError) as raised:
                amdgcn.assemble('\n.include "a.s"', include=[directory])
        first = raised.exception.diagnostics[0]
        self.assertEqual((os.path.basename(first.file), first.line), ("a.s", 1))

    def test_targets(self):
        for target in isa.targets():
            code = amdgcn.assemble("v_mov_b32 v0, 1.0\ns_endpgm", target.name).code
            self.assertEqual([str(it) for it in amdgcn.disassemble(code, target.name)], ["v_mov_b32_e32 v0, 1.0", "s_endpgm"])
        with self.assertRaises(amdgcn.TargetError):
            amdgcn.assemble("s_endpgm", "gfx1030")


class Instructions(unittest.TestCase):
    def test_text_assembles_to_the_same_words(self):
        code = amdgcn.assemble(amdgcn.EXAMPLE, "gfx906").code
        instructions = amdgcn.disassemble(code, "gfx906", address=0x1000)
        again = amdgcn.assemble("\n".join(map(str, instructions)), "gfx906").code
        self.assertEqual(again, code)
        self.assertEqual(sum(it.size for it in instructions), len(code))
        self.assertEqual(instructions[1].address, 0x1000 + instructions[0].size)

    def test_facts(self):
        load, = amdgcn.disassemble(bytes.fromhex("0080 51dc 0000 0401"), "gfx906")
        self.assertEqual(load.text, "global_load_dword v1, v0, s[4:5] glc")
        self.assertEqual([(it.text, it.kind) for it in load.operands], [("v1", "vgpr"), ("v0", "vgpr"), ("s[4:5]", "scalar")])
        self.assertIn("s[4:5]", load.reads)
        self.assertEqual(load.writes[0], "v1")
        self.assertEqual((load.memory, load.counters), ("global read", ["vmcnt"]))
        self.assertEqual(load.modifiers, {"glc": 1})
        branch, = amdgcn.disassemble(bytes.fromhex("feff 82bf"), address=0x100)
        self.assertEqual(branch.branch_target, 0xFC)

    def test_words_that_are_no_instruction(self):
        instructions = amdgcn.disassemble(b"\xff\xff\xff\xff\x00\x00\x81\xbf\x01\x02", "gfx906")
        self.assertEqual([it.text for it in instructions], [".long 0xffffffff", "s_endpgm", ".byte 0x01, 0x02"])
        bad = instructions[0]
        self.assertEqual((bad.is_valid, bad.mnemonic, bad.operands, bad.reads, bad.effect), (False, None, [], [], None))
        with self.assertRaises(amdgcn.DecodeError):
            amdgcn.disassemble(b"\xff\xff\xff\xff", "gfx906", strict=True)
        with self.assertRaises(amdgcn.DecodeError):
            amdgcn.disassemble(b"\x00", "gfx906", strict=True)

    def test_every_instruction_is_described(self):
        for target in ("gfx600", "gfx803", "gfx906"):
            names = isa.mnemonics(target)
            self.assertGreater(len(names), 700)
            for name in names:
                entry = isa.lookup(name, target)
                self.assertTrue(entry.effect and entry.syntax and entry.encodings, name)
        with self.assertRaises(amdgcn.Error) as raised:
            isa.lookup("v_ad_f32")
        self.assertIn("v_add_f32", str(raised.exception))


class Package(unittest.TestCase):
    def test_the_guide_begins_with_a_program_that_prints_what_it_says(self):
        text = GUIDE.read_text()
        program, printed = re.search(r"-c '(.*?)'\n(.*?)\n```", text, re.DOTALL).groups()
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            exec(program, {})
        self.assertEqual(out.getvalue().rstrip(), printed)

    def test_public_names_are_documented(self):
        for name in amdgcn.__all__:
            item = getattr(amdgcn, name)
            if not (inspect.isclass(item) or inspect.isfunction(item)):
                continue
            self.assertTrue(inspect.getdoc(item), name)
            for member, value in vars(item).items() if inspect.isclass(item) else ():
                is_code = inspect.isfunction(value) or isinstance(value, (property, classmethod))
                if is_code and not member.startswith("_"):
                    self.assertTrue(inspect.getdoc(value), f"{name}.{member}")

    def test_exceptions_are_one_hierarchy(self):
        exceptions = [it for it in vars(amdgcn).values() if inspect.isclass(it) and issubclass(it, Exception)]
        self.assertGreater(len(exceptions), 10)
        for exception in exceptions:
            self.assertTrue(issubclass(exception, amdgcn.Error) and exception.__module__ == "amdgcn")

    def test_stubs_have_the_names_of_the_native_part(self):
        native = importlib.import_module("amdgcn._amdgcn")
        stubs = ast.parse(pathlib.Path(amdgcn.__file__).with_name("_amdgcn.pyi").read_text())

        def names(body):
            for item in body:
                if isinstance(item, (ast.ClassDef, ast.FunctionDef)):
                    yield item.name
                elif isinstance(item, ast.AnnAssign):
                    yield item.target.id

        public = {name for name in dir(native) if not name.startswith("__")} | {"__version__"}
        self.assertEqual(set(names(stubs.body)), public)
        for item in stubs.body:
            if isinstance(item, ast.ClassDef):
                own = {name for name in vars(getattr(native, item.name)) if not name.startswith("__")}
                self.assertEqual({name for name in names(item.body) if not name.startswith("__")}, own, item.name)

    def test_only_equally_many_elements_are_compared(self):
        native = importlib.import_module("amdgcn._amdgcn")
        one, two = (1).to_bytes(4, "little"), (2).to_bytes(4, "little")
        self.assertEqual(native.compare("u32", one + two, one + one), (1, [(1, "2", "1")]))
        with self.assertRaisesRegex(ValueError, "4 bytes cannot be compared with 8"):
            native.compare("u32", one, one + two)

    def test_it_is_typed(self):
        self.assertTrue(pathlib.Path(amdgcn.__file__).with_name("py.typed").exists())


if __name__ == "__main__":
    unittest.main()

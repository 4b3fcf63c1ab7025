"""Tests of `amdgcn.sweep`, with processes of this machine and with a local cluster of Ray."""

import array
import contextlib
import ctypes
import io
import json
import os
import pathlib
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import unittest.mock

import amdgcn

try:
    import numpy
except ImportError:
    numpy = None
try:
    import pandas
except ImportError:
    pandas = None
try:
    import ray
except ImportError:
    ray = None

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
ENDLESS_LAUNCH = amdgcn.Launch(ENDLESS, 1)


def scaled(count, factor=3, **fields):
    """Launch that multiplies the numbers below `count`."""
    args = {"xs": f"u32*{count}:iota", "factor": factor}
    expect = {"xs": f"u32*{count}:iota(0,{factor})"}
    return amdgcn.Launch(amdgcn.EXAMPLE, count, args=args, expect=expect, **fields)


def statuses(table):
    return [row["status"] for row in table]


def children(parent):
    """Numbers of the processes that a process has started."""
    found = []
    for path in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            # The name in parentheses may contain anything.
            state, number = path.read_text().rpartition(")")[2].split()[:2]
        except OSError:
            continue
        if int(number) == parent and state != "Z":
            found.append(int(path.parent.name))
    return found


def soon(find):
    """Waits until `find` returns something."""
    deadline = time.monotonic() + 60
    while not (found := find()):
        if time.monotonic() > deadline:
            raise TimeoutError
        time.sleep(0.02)
    return found


class Launches(unittest.TestCase):
    def test_keys_follow_from_the_content(self):
        data = array.array("I", range(4))
        same = [amdgcn.Launch("s_endpgm", 64, args=[data]) for _ in range(2)]
        self.assertEqual(same[0].key, same[1].key)
        changed = array.array("I", [0, 1, 2, 4])
        others = [
            amdgcn.Launch("s_endpgm", 64, args=[changed]),
            amdgcn.Launch("s_endpgm", 64, args=[memoryview(data).cast("B").cast("i")]),
            amdgcn.Launch("s_endpgm", 64, args=[data], expect={0: data}),
            amdgcn.Launch("s_endpgm", 64, args=[data], labels={"n": 4}),
            amdgcn.Launch("s_endpgm", 65, args=[data]),
            amdgcn.Launch("s_nop 0", 64, args=[data]),
        ]
        self.assertEqual(len({it.key for it in same + others}), 7)

    def test_a_file_is_its_contents(self):
        with tempfile.TemporaryDirectory() as directory:
            path = pathlib.Path(directory, "scale.s")
            path.write_text(amdgcn.EXAMPLE)
            launch = scaled(8)
            moved = amdgcn.Launch(path, 8, args=launch.args, expect=launch.expect)
            self.assertEqual(moved.key, launch.key)
            path.with_suffix(".co").write_bytes(amdgcn.assemble(amdgcn.EXAMPLE, "gfx906").object)
            binary = amdgcn.Launch(path.with_suffix(".co"), 8, args=launch.args, expect=launch.expect)
            self.assertEqual(statuses(amdgcn.sweep([moved, binary])), ["ok", "ok"])

    def test_variations(self):
        with self.assertRaises(TypeError):
            scaled(1).variations(targets=["gfx906"])
        self.assertEqual([it.grid for it in scaled(4).variations(grid=[1, 2])], [1, 2])

    def test_arguments(self):
        own = array.array("I", [1, 2, 3])
        launches = [
            amdgcn.Launch(amdgcn.EXAMPLE, 3, args=args, expect={"xs": array.array("I", [4, 8, 12])}, keep=["xs"])
            for args in [(own, 4), {"xs": own, "factor": ctypes.c_uint32(4)}, ("u32:1,2,3", 4.0)]
        ]
        table = amdgcn.sweep(launches, workers=1)
        self.assertEqual([row["values"] for row in table], [{"xs": [4, 8, 12]}] * 3, [row["message"] for row in table])
        self.assertEqual(statuses(table), ["ok"] * 3)

    @unittest.skipIf(numpy is None, "numpy is not installed")
    def test_arrays_of_numpy(self):
        xs = numpy.arange(6, dtype="uint32").reshape(2, 3)
        launch = amdgcn.Launch(amdgcn.EXAMPLE, 6, args=(xs, numpy.uint32(2)), expect={"xs": 2 * xs}, keep=["xs"])
        row, = amdgcn.sweep([launch])
        self.assertEqual((row["status"], row["values"]["xs"]), ("ok", [[0, 2, 4], [6, 8, 10]]), row)


class Processes(unittest.TestCase):
    def setUp(self):
        self.directory = tempfile.TemporaryDirectory()
        self.addCleanup(self.directory.cleanup)
        self.file = pathlib.Path(self.directory.name, "results.jsonl")

    def test_failures_are_rows(self):
        racy = amdgcn.EXAMPLE.replace("s_waitcnt vmcnt(0)", "s_nop 0")
        launches = [
            scaled(64, labels={"n": 64}),
            amdgcn.Launch(racy, 64, args=scaled(64).args, check=True),
            amdgcn.Launch(amdgcn.EXAMPLE, 8, args=["u32*8:iota", 2], expect={"xs": "u32*8:iota"}),
            amdgcn.Launch(amdgcn.EXAMPLE, 64, args=["u32*5", 2]),
            amdgcn.Launch(amdgcn.EXAMPLE, 64, args=["u32*5"]),
            amdgcn.Launch(amdgcn.EXAMPLE, 64, args=["f8*5", 2]),
            amdgcn.Launch("v_ad_f32 v0, v1, v2", 64),
            amdgcn.Launch(ENDLESS, 1, limit=1000),
            amdgcn.Launch(pathlib.Path(self.directory.name, "missing.s"), 64),
            amdgcn.Launch(amdgcn.EXAMPLE, 64, args=[object()]),
            ENDLESS_LAUNCH,
            scaled(8, target="gfx90c"),
        ]
        table = amdgcn.sweep(launches, results=self.file, workers=2, timeout=5)
        self.assertEqual(
            [(row["status"], row.get("error")) for row in table],
            [
                ("ok", None),
                ("findings", None),
                ("mismatch", None),
                ("fault", "unmapped-access"),
                ("error", "missing-argument"),
                ("error", "invalid-value"),
                ("error", "unknown-opcode"),
                ("fault", "instruction-limit"),
                ("error", "FileNotFoundError"),
                ("error", "TypeError"),
                ("timeout", None),
                ("ok", None),
            ],
            table.rows,
        )
        self.assertEqual((table[0]["n"], table[0]["waves"], table[0]["kernel"]), (64, 1, "scale"))
        self.assertEqual(table[1]["findings"], ["missing-wait"])
        self.assertIn("v_mul_lo_u32 v1, v1, s6", table[1]["message"])
        self.assertIn("xs[1] is 2, expected 1", table[2]["message"])
        self.assertTrue(table[3]["message"].startswith("error[unmapped-access]: kernel scale"))
        self.assertIn("--> <source>:12", table[3]["message"])
        self.assertEqual(table.counts["error"], 5)
        self.assertEqual(len(table.failed), 10)
        # Rows of launches that could not be read are not stored: they have no content.
        self.assertEqual(len(self.file.read_text().splitlines()), 10)

    def test_results_are_those_of_a_launch_here(self):
        launches = [scaled(count, late=late) for count in (1, 64, 1000) for late in (None, 1)]
        table = amdgcn.sweep(launches, workers=2)
        self.assertEqual(set(statuses(table)), {"ok"})
        device = amdgcn.Device("gfx906", threads=1)
        xs = device.array("u32*1000:iota")
        done = amdgcn.Module.assemble(device, amdgcn.EXAMPLE).kernel().launch(1000, args=(xs, 3))
        row = table[4]
        self.assertEqual((row["instructions"], row["waves"], row["groups"]), (done.instructions, done.waves, done.groups))
        self.assertEqual(table[4]["digests"], table[5]["digests"])

    def test_a_sweep_is_resumed(self):
        launches = [scaled(count) for count in range(1, 9)]
        first = amdgcn.sweep(launches[:5], results=self.file)
        lines = self.file.read_bytes().splitlines(keepends=True)
        self.assertEqual(len(lines), 5)
        # A machine that fails may cut off the last line.
        self.file.write_bytes(b"".join(lines[:4]) + lines[4][: len(lines[4]) // 2])
        again = amdgcn.sweep(launches, results=self.file)
        self.assertEqual(statuses(again), ["ok"] * 8)
        known = {json.loads(line)["key"] for line in lines[:4]}
        self.assertEqual([row for row in again if row["key"] in known], [row for row in first if row["key"] in known])
        stored = self.file.read_bytes()
        self.assertEqual(stored[: sum(map(len, lines[:4]))], b"".join(lines[:4]))
        self.assertEqual(len(stored.splitlines()), 8)
        amdgcn.sweep(launches, results=self.file)
        self.assertEqual(self.file.read_bytes(), stored, "nothing is run again")

    def test_thousands_of_launches(self):
        launches = [scaled(1 + number % 64, factor=number) for number in range(2000)]
        launches[1000] = amdgcn.Launch(amdgcn.EXAMPLE, 64, args=["u32*5", 2])
        first = amdgcn.sweep(launches[:1200], results=self.file)
        self.assertEqual(first.counts, {"ok": 1199, "fault": 1})
        stored = self.file.read_bytes()
        table = amdgcn.sweep(launches, results=self.file)
        self.assertEqual(table.rows[:1200], first.rows)
        self.assertEqual(table.counts, {"ok": 1999, "fault": 1})
        self.assertEqual([row["key"] for row in table.failed], [launches[1000].key])
        self.assertEqual([row["key"] for row in table], [launch.key for launch in launches])
        whole = self.file.read_bytes()
        self.assertTrue(whole.startswith(stored), "no row is written again")
        self.assertEqual(len(whole.splitlines()), 2000)

    def test_rows_are_run_again_on_request(self):
        stopped = amdgcn.sweep([ENDLESS_LAUNCH], results=self.file, timeout=0.5)
        self.assertEqual(statuses(stopped), ["timeout"])
        kept = amdgcn.sweep([ENDLESS_LAUNCH], results=self.file)
        self.assertEqual(kept.rows, stopped.rows)
        amdgcn.sweep([ENDLESS_LAUNCH], results=self.file, timeout=0.5, rerun=["timeout"])
        self.assertEqual(len(self.file.read_text().splitlines()), 2)
        # One that is given twice is run again once, and both rows are new.
        shown = io.StringIO()
        with unittest.mock.patch.dict(sys.modules, {"tqdm": None}), contextlib.redirect_stderr(shown):
            twice = [ENDLESS_LAUNCH] * 2
            amdgcn.sweep(twice, results=self.file, timeout=0.5, rerun=["timeout"], progress=True)
        self.assertEqual(len(self.file.read_text().splitlines()), 3)
        self.assertIn("sweep: 2 of 2 launches, 2 failed", shown.getvalue().split("\r")[-1])

    def test_other_files_are_left_alone(self):
        self.file.write_text("a letter\nto somebody\n")
        with self.assertRaises(amdgcn.Error) as raised:
            amdgcn.sweep([scaled(1)], results=self.file)
        self.assertIn("results.jsonl:1: this line is no row", str(raised.exception))
        self.assertEqual(self.file.read_text(), "a letter\nto somebody\n")

    def test_a_launch_that_is_given_twice_is_run_once(self):
        table = amdgcn.sweep([scaled(8), scaled(9), scaled(8)], results=self.file)
        self.assertEqual(table[0], table[2])
        self.assertEqual(len(self.file.read_text().splitlines()), 2)

    def test_a_worker_that_dies_is_a_row(self):
        known = set(children(os.getpid()))
        killed = []

        def kill():
            killed.extend(soon(lambda: [it for it in children(os.getpid()) if it not in known and is_busy(it)]))
            os.kill(killed[0], signal.SIGKILL)

        thread = threading.Thread(target=kill)
        thread.start()
        table = amdgcn.sweep([ENDLESS_LAUNCH, *(scaled(it) for it in range(1, 5))], workers=1, timeout=60)
        thread.join()
        self.assertEqual(statuses(table), ["crash", "ok", "ok", "ok", "ok"])
        self.assertEqual(table[0]["message"], "the worker process was ended by SIGKILL")

    def test_workers_that_cannot_start_are_an_error(self):
        before, sys.executable = sys.executable, "/bin/false"
        try:
            with self.assertRaises(amdgcn.Error) as raised:
                amdgcn.sweep([scaled(1)])
        finally:
            sys.executable = before
        self.assertIn("ended with status 1", str(raised.exception))

    def test_ctrl_c_loses_nothing(self):
        # Programs that a shell has started in the background ignore the signal.
        before = signal.signal(signal.SIGINT, signal.default_int_handler)
        self.addCleanup(signal.signal, signal.SIGINT, before)

        def interrupt():
            soon(lambda: self.file.exists() and self.file.read_text().count("\n") == 3)
            os.kill(os.getpid(), signal.SIGINT)

        thread = threading.Thread(target=interrupt)
        thread.start()
        before = set(children(os.getpid()))
        launches = [*(scaled(it) for it in range(1, 4)), ENDLESS_LAUNCH, scaled(4)]
        with self.assertRaises(KeyboardInterrupt) as raised:
            amdgcn.sweep(launches, results=self.file, workers=1, timeout=120)
        thread.join()
        self.assertEqual(statuses(raised.exception.table), ["ok"] * 3)
        self.assertEqual(set(children(os.getpid())), before, "no process is left")
        self.assertIs(signal.getsignal(signal.SIGINT), signal.default_int_handler)
        again = amdgcn.sweep(launches, results=self.file, timeout=0.5)
        self.assertEqual(statuses(again), ["ok", "ok", "ok", "timeout", "ok"])
        self.assertEqual(again.rows[:3], raised.exception.table.rows)

    def test_workers_end_with_their_parent(self):
        script = "import amdgcn, sys; amdgcn.sweep([amdgcn.Launch(sys.argv[1], 1)])"
        parent = subprocess.Popen([sys.executable, "-c", script, ENDLESS], env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)})
        worker, = soon(lambda: [it for it in children(parent.pid) if is_busy(it)])
        parent.kill()
        parent.wait()
        soon(lambda: not is_busy(worker))

    def test_launches_are_read_as_they_are_needed(self):
        read = []

        def launches():
            for count in range(1, 50):
                read.append(count)
                yield scaled(count)
                if count == 20:
                    raise KeyboardInterrupt

        with self.assertRaises(KeyboardInterrupt) as raised:
            amdgcn.sweep(launches(), workers=1)
        self.assertEqual(len(read), 20)
        self.assertGreater(len(raised.exception.table), 10)

    def test_wrong_calls(self):
        for options in ({"on": "threads"}, {"workers": 0}):
            with self.subTest(options), self.assertRaises(ValueError):
                amdgcn.sweep([scaled(1)], **options)
        row, = amdgcn.sweep([scaled(1, labels={"key": 1})])
        self.assertEqual(row["error"], "ValueError")

    @unittest.skipIf(pandas is None, "pandas is not installed")
    def test_tables_of_pandas(self):
        frame = amdgcn.sweep([scaled(count, labels={"n": count}) for count in (1, 2)]).to_pandas()
        self.assertEqual(list(frame["n"]), [1, 2])
        self.assertEqual(list(frame["status"]), ["ok", "ok"])
        self.assertIn("digests.xs", frame.columns)

    def test_progress(self):
        code = """
import amdgcn, sys
if sys.argv[1] == "line":
    sys.modules["tqdm"] = None
amdgcn.sweep([amdgcn.Launch(amdgcn.EXAMPLE, 1, args=["u32*1", it]) for it in range(9)], progress=True)
"""
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}

        def shown(kind):
            run = [sys.executable, "-c", code, kind]
            return subprocess.run(run, env=environment, capture_output=True, text=True, check=True).stderr

        self.assertIn("sweep: 9 of 9 launches, 0 failed", shown("line"))
        try:
            import tqdm
        except ImportError:
            self.skipTest("tqdm is not installed")
        self.assertIn("9/9", shown(tqdm.__name__))


def is_busy(process):
    """True if a process has a launch: it has used some time in its kernel."""
    try:
        fields = pathlib.Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return False
    ticks = int(fields[11]) + int(fields[12])
    return fields[0] != "Z" and ticks > os.sysconf("SC_CLK_TCK")


def node():
    """Arguments for a node of a cluster."""
    # With ports of our choice a node does not wait for its agents, whose start has a time limit that a busy machine exceeds
    # (https://github.com/ray-project/ray/issues/65983).
    names = ("metrics_agent_port", "metrics_export_port", "dashboard_agent_listen_port", "runtime_env_agent_port")
    with contextlib.ExitStack() as stack:
        sockets = [stack.enter_context(socket.create_server(("", 0))) for _ in names]
        ports = {name: it.getsockname()[1] for name, it in zip(names, sockets)}
    return {"num_cpus": 1, "object_store_memory": 80 << 20, **ports}


@unittest.skipIf(ray is None, "Ray is not installed (pip install 'amdgcn[ray]')")
class Ray(unittest.TestCase):
    """A cluster of two nodes, each with processes of its own."""

    @classmethod
    def setUpClass(cls):
        from ray.cluster_utils import Cluster

        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
        # Processes of this cluster have it in their environment.
        os.environ["AMDGCN_TEST_CLUSTER"] = str(os.getpid())
        cls.mark = f"AMDGCN_TEST_CLUSTER={os.getpid()}\0"
        # Workers of the cluster find the package by the path of this process.
        os.environ["PYTHONPATH"] = os.pathsep.join(path for path in sys.path if path)
        cls.cluster = Cluster(initialize_head=True, head_node_args={**node(), "include_dashboard": False})
        cls.cluster.add_node(**node())
        ray.init(address=cls.cluster.address, log_to_driver=False, logging_level="error")
        cls.cluster.wait_for_nodes()

    @classmethod
    def tearDownClass(cls):
        ray.shutdown()
        cls.cluster.shutdown()

    def test_a_cluster_has_the_results_of_processes(self):
        self.assertEqual(len(ray.nodes()), 2)
        self.assertEqual(ray.cluster_resources()["CPU"], 2)
        launches = [
            *(scaled(count, target=target) for count in range(1, 17) for target in ("gfx900", "gfx906")),
            amdgcn.Launch(amdgcn.EXAMPLE, 64, args=["u32*5", 2]),
            ENDLESS_LAUNCH,
            scaled(17),
        ]
        with tempfile.TemporaryDirectory() as directory:
            file = os.path.join(directory, "results.jsonl")
            table = amdgcn.sweep(launches, on="ray", timeout=5, results=file)
            self.assertEqual(statuses(table), ["ok"] * 32 + ["fault", "timeout", "ok"])
            # The same file, whoever ran the launches.
            self.assertEqual(amdgcn.sweep(launches, results=file).rows, table.rows)
        local = amdgcn.sweep(launches[:32])
        for name in ("key", "digests", "instructions", "target"):
            self.assertEqual([row[name] for row in table[:32]], [row[name] for row in local])

    def test_an_actor_that_dies_is_a_row(self):
        def actors():
            found = []
            for path in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
                try:
                    is_actor = path.read_bytes().startswith(b"ray::_Actor.run")
                    is_ours = self.mark.encode() in path.with_name("environ").read_bytes()
                except OSError:
                    continue
                if is_actor and is_ours:
                    found.append(int(path.parent.name))
            return found

        def kill():
            os.kill(soon(actors)[0], signal.SIGKILL)

        thread = threading.Thread(target=kill)
        thread.start()
        table = amdgcn.sweep([ENDLESS_LAUNCH, scaled(3)], on="ray", workers=1, timeout=60)
        thread.join()
        self.assertEqual(statuses(table), ["crash", "ok"])
        self.assertIn("Ray's actor has died", table[0]["message"])


if __name__ == "__main__":
    unittest.main()

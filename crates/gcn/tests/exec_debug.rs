//! Tests of `gcn exec --debug` and `gcn exec --dap` with the programs in `tests/exec`.

#[path = "../../gcn-hsa/tests/hip/cache.rs"]
mod cache;
#[allow(dead_code, reason = "the test `dap` uses the rest")]
#[path = "dap/client.rs"]
mod client;
#[path = "exec_debug/clients.rs"]
mod clients;
#[path = "exec_debug/libraries.rs"]
mod libraries;
#[path = "../../gcn-hsa/link.rs"]
mod link;
#[path = "exec_debug/terminals.rs"]
mod terminals;

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use libraries::libraries;

/// Time limit for each wait.
const LIMIT: Duration = Duration::from_secs(60);
/// Interval at which a process is polled.
const PAUSE: Duration = Duration::from_millis(10);

/// Directory of the programs' sources.
fn sources() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/exec")
}

/// Compiles a program, unless an earlier test has compiled the same source with the same command.
fn built(name: &str, command: &mut Command) -> PathBuf {
    let directory = cache::directory("exec-programs").expect("a directory");
    let source = sources().join(name);
    let text = fs::read_to_string(&source).expect("a source");
    cache::make(&directory, name, text, command.arg(&source)).expect("it compiles")
}

/// Builds the HIP program.
fn scale() -> &'static Path {
    static PROGRAM: OnceLock<PathBuf> = OnceLock::new();
    PROGRAM.get_or_init(|| {
        let mut hipcc = Command::new("hipcc");
        built(
            "scale.hip",
            hipcc.args(["-O1", "-g", "--offload-arch=gfx906"]),
        )
    })
}

/// Builds the OpenCL program.
fn shift() -> &'static Path {
    static PROGRAM: OnceLock<PathBuf> = OnceLock::new();
    PROGRAM.get_or_init(|| built_with_opencl("shift.c"))
}

/// Builds an OpenCL program.
fn built_with_opencl(name: &str) -> PathBuf {
    let command = &mut Command::new("cc");
    built(
        name,
        command
            .args(["-std=c11", "-x", "c"])
            .args(["-Wl,--no-as-needed", "-lOpenCL", "-lm"]),
    )
}

/// `gcn exec` with the libraries of this build.
fn gcn_exec() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gcn"));
    command
        .env("GCN_LIB_DIR", libraries())
        .env_remove("GCN_CHECK")
        .arg("exec");
    command
}

/// `gcn exec --debug` with options, and a program with its arguments.
fn gcn(options: &[&str], program: &[&str]) -> Command {
    let mut command = gcn_exec();
    command.arg("--debug").args(options).arg("--").args(program);
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

/// Options that pass commands to the debugger.
fn commands<'a>(lines: &[&'a str]) -> Vec<&'a str> {
    lines.iter().flat_map(|line| ["--execute", line]).collect()
}

/// Runs a program to its end, with debugger options and commands, and with a text as its standard input.
#[track_caller]
fn session(
    options: &[&str],
    lines: &[&str],
    program: &[&str],
    input: &str,
) -> (Option<i32>, String, String) {
    let options = [options, &commands(lines)].concat();
    let mut child = gcn(&options, program).spawn().expect("gcn starts");
    let mut stdin = child.stdin.take().expect("a pipe");
    let _ = stdin.write_all(input.as_bytes()); // The program may not read it.
    drop(stdin);
    let Output {
        status,
        stdout,
        stderr,
    } = child.wait_with_output().expect("it ends");
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    (status.code(), text(stdout), text(stderr))
}

/// Asserts that a text contains `parts` in this order.
#[track_caller]
fn assert_parts(text: &str, parts: &[&str]) {
    let mut rest = text;
    for part in parts {
        let Some(at) = rest.find(part) else {
            panic!("`{part}` is not there, or not in this order:\n{text}");
        };
        rest = &rest[at + part.len()..];
    }
}

fn name(program: &Path) -> &str {
    program.to_str().expect("text")
}

#[test]
fn kernels_of_a_hip_program_stop_at_symbols_and_lines() {
    let lines = [
        "break scale if $group_x == 1 && $wave == 0",
        "break sum",
        "run",
        "info dispatch",
        "backtrace",
        "print pixels[65]",
        "print factor",
        "x/2fw &pixels[66]",
        "info breakpoints",
        "delete 1",
        "tbreak scale.hip:13",
        "continue",
        "lane 7",
        "continue",
        "info dispatch",
        "print pixels[65]",
        "continue",
    ];
    let (status, stdout, stderr) = session(&[], &lines, &[name(scale())], "quick\n");
    assert_eq!(
        (status, &*stdout),
        (Some(5), "program quick\nsum 24384\n"),
        "{stderr}"
    );
    assert_parts(
        &stderr,
        &[
            "(gcn) break scale if $group_x == 1 && $wave == 0\nBreakpoint 1 at _ZN5image5scaleIfEEvPT_S1_ (",
            "(gcn) break sum\nBreakpoint 2 at _Z3sumPKfPfi",
            "(gcn) run\nBreakpoint 1\nworkgroup 1,0,0, wave 0: _ZN5image5scaleIfEEvPT_S1_ (",
            "kernel _ZN5image5scaleIfEEvPT_S1_, grid 128,1,1, group 64,1,1",
            "(gcn) backtrace\n#0 ",
            "image::scale<float> at scale.hip:12\n",
            "pixels[65] = 65\n",
            "factor = {3}\n",
            "<pixels+264>:\t66\t67\n",
            "1: break _ZN5image5scaleIfEEvPT_S1_ (",
            ", hit 1 times\n",
            "Temporary breakpoint 3 at ",
            "(scale.hip:13)",
            "Breakpoint 3\n",
            "(scale.hip:13)\n13\t    pixels[at] = pixels[at] * factor;\n",
            "(gcn) lane 7\nlane 7\n",
            "(gcn) continue\n_ZN5image5scaleIfEEvPT_S1_ has ended: waves 2, instructions ",
            "Breakpoint 2\nworkgroup 0,0,0, wave 0: _Z3sumPKfPfi",
            "kernel _Z3sumPKfPfi, grid 1,1,1, group 1,1,1",
            "pixels[65] = 195\n",
            "(gcn) continue\n_Z3sumPKfPfi has ended: waves 1, instructions ",
            "The program ended with status 5.\n",
        ],
    );
}

#[test]
fn kernels_of_an_opencl_program_stop_at_symbols_and_lines() {
    let lines = [
        "break fill",
        "start",
        "watch data[5..7]",
        "info buffers",
        "continue",
        "print by",
        "info registers scc",
        "list 3",
        "run",
        "delete 2",
        "continue",
        "print data[5]",
        "print number",
        "stepi",
        "start",
    ];
    let (status, stdout, stderr) = session(&[], &lines, &[name(shift())], "");
    assert_eq!((status, &*stdout), (Some(0), "ok\n"), "{stderr}");
    assert_parts(
        &stderr,
        &[
            "(gcn) break fill\nBreakpoint 1 at fill (<program ",
            "(gcn) start\nshift begins\nworkgroup 0,0,0, wave 0: shift (",
            "(gcn) watch data[5..7]\nWatchpoint 2: data[5..7]\n",
            "data: 1024 x i32 at 0x",
            "by: 1 x i32 at 0x",
            "(gcn) continue\nWatchpoint 2: data[5..7]\n  data[5] was 5, is 80; 1 more changed\n  by workgroup 0,0,0, wave 0, shift",
            "(<program ",
            ":4)\n4\t}\n",
            "by = {4}\n",
            "scc = ",
            " 1\tkernel void shift(global int* data, int by) {\n",
            " 3\t    data[at] = data[at] << by;\n>4\t}\n",
            "(gcn) run\nerror: the program is already running: continue resumes it",
            "shift has ended: waves 1, instructions ",
            "Breakpoint 1\nworkgroup 0,0,0, wave 0: fill (",
            "data[5] = 80\n",
            "number = {4}\n",
            "(gcn) start\nfill has ended: waves 1, instructions ",
            "The program ended with status 0.\n",
        ],
    );
}

#[test]
fn launches_of_an_opencl_program_go_back_and_explain_values() {
    let lines = [
        "break fill",
        "start",
        "watch data[5]",
        "continue",
        "why/3 data[5]",
        "reverse-continue",
        "print data[5]",
        "why data[5]",
        "info record",
        "reverse-stepi 100",
        "delete 2",
        "next 2",
        "print data[5]",
        "reverse-continue",
        "continue",
        "print data[5]",
        "reverse-stepi",
        "continue",
    ];
    let (status, stdout, stderr) = session(&[], &lines, &[name(shift())], "");
    // The program checks the results of its launches.
    assert_eq!((status, &*stdout), (Some(0), "ok\n"), "{stderr}");
    assert_parts(
        &stderr,
        &[
            "data[5] was 5, is 80\n",
            "(gcn) why/3 data[5]\ndata[5] = 80\n└─ global_store_dword v[0:1], v2, off  [<program ",
            "   ├─ v2 = 80: v_lshlrev_b32_e32 v2, s",
            " ← argument by\n",
            "inputs: data[5]\narguments: by, ",
            "(gcn) reverse-continue\n",
            "global_store_dword v[0:1], v2, off\n(gcn) print data[5]\ndata[5] = 5\n",
            "(gcn) why data[5]\ndata[5] = 5\n└─ input data[5]\n",
            "The recording starts with the launch, 17 instructions ago; checkpoints: 1, ",
            "(gcn) reverse-stepi 100\nStart of the launch: nothing earlier is recorded\n",
            "(gcn) next 2\n",
            "data[5] = 80\n",
            "(gcn) reverse-continue\nStart of the launch: nothing earlier is recorded\n",
            "shift has ended: waves 1, instructions 19\n",
            "data[5] = 80\n",
            "(gcn) reverse-stepi\nStart of the launch: nothing earlier is recorded\n",
            "The program ended with status 0.\n",
        ],
    );
}

#[test]
fn a_breakpoint_waits_for_code_that_has_its_name() {
    let lines = [
        "break nosuch",
        "break nosuch.hip:3",
        "break *16",
        "break foo_*",
        "info breakpoints",
        "continue",
    ];
    let (status, stdout, stderr) = session(&[], &lines, &[name(shift())], "");
    assert_eq!((status, &*stdout), (Some(0), "ok\n"), "{stderr}");
    assert_parts(
        &stderr,
        &[
            "Breakpoint 1 waits for the code of a later launch: no symbol, line or instruction is named nosuch; symbols are shift, fill",
            "Breakpoint 2 waits for the code of a later launch: no file nosuch.hip",
            "error: 0x10 is not the address of an instruction of the program\n",
            "Breakpoint 3 waits for the code of a later launch: no symbol, line or instruction is named foo_*; symbols are ",
            "1: break nosuch, not in any loaded code\n",
            "The program ended with status 0.\n",
        ],
    );
}

#[test]
fn faults_and_findings_stop() {
    let lines = ["run", "info registers exec", "backtrace", "continue"];
    let (status, stdout, stderr) = session(&[], &lines, &[name(scale())], "fault\n");
    assert_eq!(
        (status, &*stdout),
        (Some(134), "program fault\n"),
        "{stderr}"
    );
    assert_parts(
        &stderr,
        &[
            "(gcn) run\nFault: stores 4 bytes at unmapped address 0x10, lane 0\n",
            "(scale.hip:23)\n23\t    *total = all;\n",
            "exec = 0x1\n",
            "#0 sum at scale.hip:23\n",
            "(gcn) continue\n",
            "The program was ended by signal 6 (SIGABRT).\n",
        ],
    );
    let lines = ["catch", "run", "print data[63]", "continue", "continue"];
    let options = ["--check=bounds"];
    let program = [name(shift()), "wrong"];
    let (status, stdout, stderr) = session(&options, &lines, &program, "");
    assert_eq!((status, &*stdout), (Some(0), "ok\n"), "{stderr}");
    assert_parts(
        &stderr,
        &[
            "fault stops\nbounds stops\n",
            "(gcn) run\n",
            "fill",
            "data[63] = ",
            "(gcn) continue\n",
        ],
    );
    for part in [
        "error[global-out-of-bounds]",
        "\nglobal-out-of-bounds: ",
        "Fault: ",
    ] {
        assert!(stderr.contains(part), "{stderr}");
    }
}

#[test]
fn the_end_of_commands_ends_the_program() {
    let script = tempfile::NamedTempFile::new().expect("a file");
    fs::write(&script, "# A session.\ntbreak shift\nrun\nx/i $pc\n").expect("written");
    let options = ["--commands", name(script.path())];
    let (status, stdout, stderr) = session(&options, &[], &[name(shift())], "");
    assert_eq!((status, &*stdout), (Some(0), ""), "{stderr}");
    assert_parts(
        &stderr,
        &[
            "(gcn) tbreak shift\nTemporary breakpoint 1 at shift",
            "Breakpoint 1\n",
            "(gcn) x/i $pc\n=> shift:\t",
            "The program was terminated.\n",
        ],
    );
}

#[test]
fn programs_without_kernels_end_as_without_a_debugger() {
    let none = " and launched no kernel on an emulated device.\n";
    for (program, status, end) in [
        (&["true"][..], 0, "The program ended with status 0"),
        (
            &["sh", "-c", "exit 7"],
            7,
            "The program ended with status 7",
        ),
        (
            &["sh", "-c", "kill -SEGV $$"],
            139,
            "The program was ended by signal 11 (SIGSEGV)",
        ),
    ] {
        let ended = session(&[], &["run"], program, "");
        assert_eq!(ended, (Some(status), String::new(), format!("{end}{none}")));
    }
    let (status, stdout, _) = session(&[], &["run"], &["cat"], "of the program\n");
    assert_eq!((status, &*stdout), (Some(0), "of the program\n"));
}

#[test]
fn wrong_uses_are_refused() {
    let refused = |options: &[&str], lines: &[&str], program: &str, status, message: &str| {
        let ended = session(options, lines, &[program], "");
        assert_eq!((ended.0, &*ended.1), (Some(status), ""), "{}", ended.2);
        assert!(ended.2.contains(message), "{}", ended.2);
    };
    refused(
        &[],
        &["run"],
        "no-such-program",
        127,
        "there is no program no-such-program",
    );
    refused(
        &[],
        &[],
        "true",
        125,
        "--debug needs a terminal, or commands from --commands FILE or --execute COMMAND",
    );
    refused(
        &["--commands", "-"],
        &[],
        "true",
        125,
        "standard input is the program's: --commands needs a file",
    );
    refused(
        &["--commands", "no-such-file"],
        &[],
        "true",
        125,
        "no-such-file",
    );
    let output = Command::new(env!("CARGO_BIN_EXE_gcn"))
        .args(["exec", "--execute", "run", "true"])
        .output()
        .expect("gcn starts");
    assert_eq!(output.status.code(), Some(125));
    assert!(String::from_utf8_lossy(&output.stderr).contains("--debug"));
}

/// Debugger whose program runs an endless kernel.
struct Endless {
    gcn: Child,
    stderr: BufReader<std::process::ChildStderr>,
    /// Process ID of the program.
    program: u32,
}

impl Endless {
    /// Starts the debugger, and waits until the kernel runs. `lines` are the commands for the next stop.
    fn start(lines: &[&str]) -> Endless {
        let all = [
            &[
                "break sum",
                "run",
                "print count",
                "echo goes on",
                "continue",
            ],
            lines,
        ]
        .concat();
        let mut gcn = gcn(&commands(&all), &[name(scale())])
            .spawn()
            .expect("gcn starts");
        let mut stdin = gcn.stdin.take().expect("a pipe");
        stdin.write_all(b"forever\n").expect("it is read");
        let mut stderr = BufReader::new(gcn.stderr.take().expect("a pipe"));
        let mut line = String::new();
        while line != "(gcn) continue\n" {
            line.clear();
            assert_ne!(
                stderr.read_line(&mut line).expect("text"),
                0,
                "it has ended"
            );
        }
        let tasks = fs::read_dir(format!("/proc/{}/task", gcn.id())).expect("threads");
        let lists = tasks.flatten().map(|it| it.path().join("children"));
        let found: String = lists.filter_map(|it| fs::read_to_string(it).ok()).collect();
        let program = found.trim().parse().expect("one child");
        // The waves continue once the command has reached the program.
        std::thread::sleep(20 * PAUSE);
        Endless {
            gcn,
            stderr,
            program,
        }
    }

    /// Sends the debugger a signal.
    fn signal(&self, signal: &str) {
        let sent = Command::new("kill")
            .args([signal, &self.gcn.id().to_string()])
            .status();
        assert!(sent.expect("kill runs").success());
    }

    /// Waits for the debugger and the program to end. Returns the debugger's status and the rest of its output.
    fn end(mut self) -> (Option<i32>, String) {
        let start = Instant::now();
        let status = loop {
            if let Some(status) = self.gcn.try_wait().expect("a child") {
                break status;
            }
            assert!(start.elapsed() < LIMIT, "it does not end");
            std::thread::sleep(PAUSE);
        };
        while Path::new(&format!("/proc/{}", self.program)).exists() {
            assert!(start.elapsed() < LIMIT, "the program does not end");
            std::thread::sleep(PAUSE);
        }
        let mut text = String::new();
        self.stderr.read_to_string(&mut text).expect("text");
        (status.code(), text)
    }
}

#[test]
fn interrupts_stop_waves() {
    let session = Endless::start(&["info waves", "quit"]);
    session.signal("-INT");
    let (status, text) = session.end();
    assert_eq!(status, Some(0), "{text}");
    assert_parts(
        &text,
        &[
            "Interrupted\nworkgroup 0,0,0, wave 0: _Z3sumPKfPfi",
            "* workgroup 0,0,0, wave 0: runs, 1 lanes, ",
            "The program was terminated.\n",
        ],
    );
}

#[test]
fn the_program_ends_with_the_debugger() {
    let session = Endless::start(&[]);
    session.signal("-KILL");
    assert_eq!(session.end(), (None, String::new()));
}

//! Benchmark of the debugger: the time of its commands, and of runs under it relative to a plain run.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::Instant;

use anyhow::{Context, Result, bail};

use super::{RUNS, sorted};
use crate::measure::measure;

/// Kernel of one wave, which executes 10⁸ instructions.
const LOOP: &str = "
    .globl kernel
    .type kernel,@function
    kernel:
        s_load_dwordx2 s[4:5], s[0:1], 0x0
        v_lshlrev_b32 v1, 2, v0
        v_mov_b32 v2, v0
        s_mov_b32 s8, 20000000
    loop:
        v_add_u32 v2, v2, v1
        v_xor_b32 v2, s8, v2
        s_sub_u32 s8, s8, 1
        s_cmp_lg_u32 s8, 0
        s_cbranch_scc1 loop
        s_waitcnt lgkmcnt(0)
    end:
        global_store_dword v1, v2, s[4:5]
        s_cbranch_execnz done
    never:
        s_nop 0
    done:
        s_endpgm
    .rodata
    .p2align 6
    .amdhsa_kernel kernel
        .amdhsa_user_sgpr_kernarg_segment_ptr 1
        .amdhsa_next_free_vgpr 4
        .amdhsa_next_free_sgpr 16
    .end_amdhsa_kernel";

/// Kernel of many waves with loads, stores, LDS and barriers.
const TILES: &str = "
    .globl kernel
    .type kernel,@function
    kernel:
        s_load_dwordx2 s[4:5], s[0:1], 0x0
        s_lshl_b32 s2, s2, 10
        v_lshlrev_b32 v3, 2, v0
        v_add_u32 v1, s2, v3
        v_mov_b32 v2, 0
        s_movk_i32 s8, 1000
        s_waitcnt lgkmcnt(0)
    loop:
        global_load_dword v4, v1, s[4:5]
        s_waitcnt vmcnt(0)
        ds_write_b32 v3, v4
        s_waitcnt lgkmcnt(0)
        s_barrier
        ds_read_b32 v5, v3 offset:4
        s_waitcnt lgkmcnt(0)
        v_mac_f32 v2, v4, v5
        v_add_u32 v2, v2, v5
        s_barrier
    store:
        global_store_dword v1, v2, s[4:5]
        s_sub_u32 s8, s8, 1
        s_cmp_lg_u32 s8, 0
        s_cbranch_scc1 loop
        s_cbranch_execnz done
    never:
        s_nop 0
    done:
        s_endpgm
    .rodata
    .p2align 6
    .amdhsa_kernel kernel
        .amdhsa_user_sgpr_kernarg_segment_ptr 1
        .amdhsa_group_segment_fixed_size 1028
        .amdhsa_next_free_vgpr 8
        .amdhsa_next_free_sgpr 16
    .end_amdhsa_kernel";

/// Command-line arguments for a launch of many waves.
const MANY: [&str; 7] = [
    "--grid",
    "65536",
    "--group",
    "256",
    "--arg",
    "out=u32*65536:iota",
    "--target=gfx900",
];
/// Command-line arguments for a launch of one wave.
const ONE: [&str; 5] = ["--grid", "64", "--arg", "out=u32*64", "--target=gfx900"];

/// Prints the run times of debugger commands, and of runs under the debugger. Does not compare them with limits.
///
/// # Errors
/// Fails if a command cannot be run.
pub(crate) fn debug(gcn: &str, dir: &Path) -> Result<()> {
    let write = |name: &str, text: &str| -> Result<String> {
        let path = dir.join(name).display().to_string();
        std::fs::write(&path, text).with_context(|| format!("cannot write {path}"))?;
        Ok(path)
    };
    let (one, many) = (write("loop.s", LOOP)?, write("tiles.s", TILES)?);
    let debug = |source: &str, sizes: &[&str], commands: &[&str]| {
        let commands = commands.iter().flat_map(|it| ["-e", it]);
        let arguments = ["debug", source].into_iter().chain(sizes.iter().copied());
        seconds(gcn, arguments.chain(commands))
    };
    let plain = |source: &str, sizes: &[&str]| {
        let arguments = ["run", source, "--threads", "1"].into_iter();
        seconds(gcn, arguments.chain(sizes.iter().copied()))
    };
    println!(
        "first stop: {:.0} ms with the process",
        debug(&many, &MANY, &["start", "quit"])? * 1e3
    );

    let run = plain(&one, &ONE)?;
    let recorded = debug(&one, &ONE, &["run", "quit"])?;
    println!(
        "10^8 instructions of a wave: run {run:.2} s, recorded {recorded:.2} s ({:.2} times)",
        recorded / run
    );
    let stopping = debug(&one, &ONE, &["break never", "run", "quit"])?;
    println!(
        "with a breakpoint that it does not reach: {stopping:.2} s ({:.2} times)",
        stopping / run
    );
    let mut session = Session::begin(gcn, &one, &ONE)?;
    for command in ["break end", "run"] {
        session.seconds(command)?;
    }
    for command in [
        "reverse-stepi",
        "reverse-step",
        "reverse-stepi 50000000",
        "reverse-continue",
    ] {
        let mut times = Vec::new();
        for _ in 0..RUNS {
            times.push(session.seconds(command)?);
        }
        let median = sorted(times)[RUNS / 2] * 1e3;
        println!("{command} behind them: {median:.1} ms");
    }

    let run = plain(&many, &MANY)?;
    println!("1024 waves with loads, stores, LDS and barriers: run {run:.2} s");
    for (what, commands) in [
        ("recorded", &["run"][..]),
        (
            "conditional breakpoint",
            &["break store if s8 == 5000", "run"][..],
        ),
        (
            "watchpoint on memory",
            &["start", "watch out[5] if 0", "continue"][..],
        ),
        (
            "breakpoint that no wave reaches",
            &["break never", "run"][..],
        ),
    ] {
        let time = debug(&many, &MANY, &[commands, &["quit"]].concat())?;
        println!("{what}: {time:.2} s ({:.2} times)", time / run);
    }
    Ok(())
}

/// Running debugger, which takes commands from a pipe.
struct Session {
    process: Child,
    output: BufReader<ChildStdout>,
}

/// Text that the debugger prints after the output of a command.
const MARK: &str = "end of the command";

impl Session {
    fn begin(gcn: &str, source: &str, sizes: &[&str]) -> Result<Session> {
        let mut process = Command::new(gcn)
            .args(["debug", source])
            .args(sizes)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let output = process.stdout.take().context("the output is a pipe")?;
        Ok(Session {
            process,
            output: BufReader::new(output),
        })
    }

    /// Returns the run time of a command in seconds.
    fn seconds(&mut self, command: &str) -> Result<f64> {
        let begin = Instant::now();
        let input = self.process.stdin.as_mut().context("the input is a pipe")?;
        input.write_all(format!("{command}\necho {MARK}\n").as_bytes())?;
        let mut line = String::new();
        while line.trim() != MARK {
            line.clear();
            if self.output.read_line(&mut line)? == 0 {
                bail!("the debugger has ended at {command}");
            }
        }
        Ok(begin.elapsed().as_secs_f64())
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        // Fails if the debugger has already exited.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Returns the median run time of a command in seconds.
fn seconds<'a>(gcn: &str, arguments: impl Iterator<Item = &'a str>) -> Result<f64> {
    let arguments: Vec<&str> = arguments.collect();
    let mut times = Vec::new();
    for _ in 0..RUNS {
        let mut command = Command::new(gcn);
        let measured = measure(command.args(&arguments).stdin(Stdio::null()))?;
        if !measured.status.success() {
            bail!("{arguments:?} failed: {}", measured.status);
        }
        times.push(measured.seconds);
    }
    Ok(sorted(times)[RUNS / 2])
}

//! Our tools and LLVM's on the same file in one go, so that a machine's speed of the day cancels out.

use std::fmt::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context, Result, bail};

/// Lines of the assembly file.
const LINES: usize = 600_000;
/// Runs of each command; the median counts.
const RUNS: usize = 5;

/// Assembles and disassembles mixed memory instructions for gfx900 with `gcn` and with LLVM 19.
pub(crate) fn asm() -> Result<()> {
    let cargo = env!("CARGO");
    let status = Command::new(cargo)
        .args(["build", "--release", "--package", "gcn"])
        .status()?;
    if !status.success() {
        bail!("building gcn failed");
    }
    let target = std::env::var("CARGO_TARGET_DIR").unwrap_or_else(|_| "target".to_owned());
    let gcn = format!("{target}/release/gcn");
    let dir = Path::new(&target).join("bench");
    std::fs::create_dir_all(&dir)?;
    let path = |name: &str| dir.join(name).display().to_string();
    let (source, ours, theirs) = (path("memory.s"), path("ours.co"), path("theirs.o"));
    std::fs::write(&source, memory_lines()).with_context(|| format!("cannot write {source}"))?;

    let assemblers = [
        vec![&*gcn, "asm", "--target", "gfx900", &source, "-o", &ours],
        vec![
            "llvm-mc-19",
            "-triple=amdgcn-amd-amdhsa",
            "-mcpu=gfx900",
            "-filetype=obj",
            &source,
            "-o",
            &theirs,
        ],
    ];
    report("assemble", &assemblers)?;
    let disassemblers = [
        vec![&*gcn, "dis", &ours],
        vec!["llvm-objdump-19", "-d", &ours],
    ];
    report("disassemble", &disassemblers)
}

/// Times two commands in turns and prints their medians and the ratio.
fn report(what: &str, commands: &[Vec<&str>; 2]) -> Result<()> {
    let mut seconds = [Vec::new(), Vec::new()];
    for _ in 0..RUNS {
        for (command, seconds) in commands.iter().zip(&mut seconds) {
            let begin = Instant::now();
            let status = Command::new(command[0])
                .args(&command[1..])
                .stdout(Stdio::null())
                .status()
                .with_context(|| format!("cannot run {}", command[0]))?;
            if !status.success() {
                bail!("{command:?} failed: {status}");
            }
            seconds.push(begin.elapsed().as_secs_f64());
        }
    }
    let [ours, theirs] = seconds.map(|mut s| {
        s.sort_by(f64::total_cmp);
        s[s.len() / 2]
    });
    println!(
        "{what}: gcn {ours:.3} s, LLVM {theirs:.3} s, {:.1} times as fast",
        theirs / ours
    );
    Ok(())
}

/// Lines that mix the families, registers, offsets and modifiers.
fn memory_lines() -> String {
    let mut text = String::from(".text\n");
    for i in 0..LINES {
        let (a, b, c) = (i % 200, i % 100, (i % 24) * 4);
        let _ = match i % 10 {
            0 => writeln!(text, "ds_add_u32 v{a}, v{b} offset:{}", i % 65536),
            1 => writeln!(
                text,
                "global_load_dwordx4 v[{a}:{}], v[{b}:{}], off offset:{} glc",
                a + 3,
                b + 1,
                i % 4096
            ),
            2 => writeln!(
                text,
                "s_load_dwordx2 s[{c}:{}], s[{}:{}], {:#x}",
                c + 1,
                (c / 2) & !1,
                ((c / 2) & !1) + 1,
                i % 0xf_ffff
            ),
            3 => writeln!(
                text,
                "flat_store_dword v[{a}:{}], v{b} offset:{}",
                a + 1,
                i % 4096
            ),
            4 => writeln!(
                text,
                "ds_read2_b64 v[{a}:{}], v{b} offset0:{} offset1:{}",
                a + 3,
                i % 256,
                (i + 7) % 256
            ),
            5 => writeln!(
                text,
                "global_atomic_add v{a}, v[{b}:{}], v{a}, off glc",
                b + 1
            ),
            6 => writeln!(
                text,
                "scratch_load_dword v{a}, v{b}, off offset:{}",
                i as i64 % 8192 - 4096
            ),
            7 => writeln!(text, "s_buffer_load_dword s{c}, s[{c}:{}], s{}", c + 3, b),
            8 => writeln!(
                text,
                "ds_write_b128 v{a}, v[{b}:{}] offset:{}",
                b + 3,
                i % 65536
            ),
            _ => writeln!(
                text,
                "global_store_dwordx3 v{a}, v[{b}:{}], s[{c}:{}] slc",
                b + 2,
                c + 1
            ),
        };
    }
    text
}

//! Benchmarks of our tools against LLVM's, and of the debugger. Ours and LLVM's run alternately on the same file, so
//! that changes in the machine's speed cancel out.

mod debug;
mod varied_text;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use gcn_isa::Target;

use crate::measure::measure;
use varied_text::VariedText;

/// Target chip of the benchmark sources, which supports all GCN 1.4.1 instructions.
const CHIP: &str = "gfx906";

/// Number of lines in the assembly file.
const LINES: usize = 600_000;
/// Number of lines between labels.
const BLOCK_LINES: usize = 60;
/// Repeat count of the `.rept` benchmarks.
const REPEATS: usize = 1_000_000;
/// Number of runs per command; the median is used.
const RUNS: usize = 5;

/// Benchmarks the debugger.
pub(crate) fn debug() -> Result<()> {
    let (gcn, dir) = built()?;
    debug::debug(&gcn, &dir)
}

/// Builds `gcn`. Returns its path, and a directory for files.
fn built() -> Result<(String, PathBuf)> {
    let cargo = env!("CARGO");
    let status = Command::new(cargo)
        .args(["build", "--release", "--package", "gcn"])
        .status()?;
    if !status.success() {
        bail!("building gcn failed");
    }
    let target = std::env::var("CARGO_TARGET_DIR").unwrap_or_else(|_| "target".to_owned());
    let dir = Path::new(&target).join("bench");
    std::fs::create_dir_all(&dir)?;
    Ok((format!("{target}/release/gcn"), dir))
}

/// Benchmarks assembling and disassembling a kernel of mixed instructions and other sources, with `gcn` and LLVM 19.
/// Both must produce the same code.
pub(crate) fn asm() -> Result<()> {
    let (gcn, dir) = built()?;
    let path = |name: &str| dir.join(name).display().to_string();
    let (ours, theirs) = (path("ours.co"), path("theirs.o"));
    let write = |name: &str, text: String| -> Result<String> {
        let path = path(name);
        std::fs::write(&path, text).with_context(|| format!("cannot write {path}"))?;
        Ok(path)
    };
    let target = Target::named(CHIP).with_context(|| format!("{CHIP} is no target"))?;
    let varied = VariedText::new(target, &dir)?;
    println!(
        "the varied text: {} different lines of {} instructions; LLVM assembles none of {}",
        varied.lines.len(),
        varied.instructions,
        varied.refused.join(", ")
    );
    let sources = [
        (
            "assemble a line",
            write("line.s", "s_nop 0\n".to_owned())?,
            1,
        ),
        (
            "repeat s_nop",
            write("s_nop.s", repeated("s_nop 0"))?,
            REPEATS,
        ),
        (
            "repeat v_add_f32",
            write("v_add.s", repeated("v_add_f32 v0, v1, v2"))?,
            REPEATS,
        ),
        (
            "assemble 40 kinds of line",
            write("kernel.s", kernel_lines())?,
            LINES,
        ),
        (
            "assemble a varied text",
            write("varied.s", text_of(&varied.lines))?,
            LINES,
        ),
    ];
    let chip = format!("-mcpu={CHIP}");
    for (what, source, lines) in &sources {
        let assemblers = [
            vec![&*gcn, "asm", "--target", CHIP, source, "-o", &ours],
            vec![
                "llvm-mc-19",
                "-triple=amdgcn-amd-amdhsa",
                &chip,
                "-filetype=obj",
                source,
                "-o",
                &theirs,
            ],
        ];
        report(what, *lines, &assemblers)?;
        same_code(&ours, &theirs).with_context(|| format!("{what}: {source}"))?;
    }
    // `ours` now contains the varied text, which was assembled last.
    let disassemblers = [
        vec![&*gcn, "dis", &ours],
        vec!["llvm-objdump-19", "-d", &ours],
    ];
    report("disassemble the varied text", LINES, &disassemblers)
}

/// Writes an assembly source with varied instructions to a directory, and returns its chip and path.
///
/// # Errors
/// Fails if LLVM cannot be run, or the file cannot be written.
pub(crate) fn varied_source(directory: &Path) -> Result<(&'static str, PathBuf)> {
    let target = Target::named(CHIP).with_context(|| format!("{CHIP} is no target"))?;
    let varied = VariedText::new(target, directory)?;
    let path = directory.join("varied.s");
    std::fs::write(&path, text_of(&varied.lines))
        .with_context(|| format!("cannot write {}", path.display()))?;
    Ok((CHIP, path))
}

/// Builds an assembly source of [`LINES`] lines by cycling through the given ones.
fn text_of(lines: &[String]) -> String {
    let mut text = String::from(".text\n");
    for line in lines.iter().cycle().take(LINES) {
        let _ = writeln!(text, "\t{line}");
    }
    text.push_str("s_endpgm\n");
    text
}

/// Returns an error unless two objects contain the same code.
fn same_code(ours: &str, theirs: &str) -> Result<()> {
    let code = |object: &str| -> Result<Vec<u8>> {
        let path = format!("{object}.text");
        let status = Command::new("llvm-objcopy-19")
            .args(["-O", "binary", "--only-section=.text", object, &path])
            .status()
            .context("cannot run llvm-objcopy-19")?;
        if !status.success() {
            bail!("llvm-objcopy-19 cannot read {object}");
        }
        std::fs::read(&path).with_context(|| format!("cannot read {path}"))
    };
    let (ours, theirs) = (code(ours)?, code(theirs)?);
    if ours == theirs && !ours.is_empty() {
        return Ok(());
    }
    let mut pairs = ours.iter().zip(&theirs);
    let same = pairs.position(|(a, b)| a != b);
    bail!(
        "the code is not LLVM's: {} and {} bytes, different from byte {}",
        ours.len(),
        theirs.len(),
        same.unwrap_or(ours.len().min(theirs.len()))
    )
}

/// Times two commands, alternating with `true`, which measures process overhead. Prints medians, lines per second,
/// peak memory, ratios, and the smallest and largest time ratio.
fn report(what: &str, lines: usize, commands: &[Vec<&str>; 2]) -> Result<()> {
    let [ours, theirs] = commands;
    let nothing = vec!["true"];
    let mut seconds = [Vec::new(), Vec::new(), Vec::new()];
    let mut memory = [0; 3];
    for _ in 0..RUNS {
        for ((command, seconds), memory) in [ours, theirs, &nothing]
            .into_iter()
            .zip(&mut seconds)
            .zip(&mut memory)
        {
            let (time, peak) = run(command)?;
            seconds.push(time);
            *memory = peak.max(*memory);
        }
    }
    let [ours, theirs, _] = &seconds;
    let ratios = sorted(theirs.iter().zip(ours).map(|(a, b)| a / b).collect());
    let (least, most) = (ratios[0], ratios[RUNS - 1]);
    let [ours, theirs, nothing] = seconds.map(|all| sorted(all)[RUNS / 2]);
    let [our_memory, their_memory, _] = memory;
    println!(
        "{what}: gcn {:.1} ms ({:.2} million lines a second) and {:.1} MB, LLVM {:.1} ms and {:.1} MB: {:.1} times as fast \
         ({least:.1} to {most:.1}), {:.2} of its memory (`true` {:.1} ms)",
        ours * 1e3,
        lines as f64 / ours / 1e6,
        our_memory as f64 / 1e3,
        theirs * 1e3,
        their_memory as f64 / 1e3,
        theirs / ours,
        our_memory as f64 / their_memory as f64,
        nothing * 1e3
    );
    Ok(())
}

fn sorted(mut numbers: Vec<f64>) -> Vec<f64> {
    numbers.sort_by(f64::total_cmp);
    numbers
}

/// Returns the run time of a command in seconds and its peak memory in kilobytes.
fn run(command: &[&str]) -> Result<(f64, u64)> {
    let measured = measure(Command::new(command[0]).args(&command[1..]))
        .with_context(|| format!("cannot run {}", command[0]))?;
    if !measured.status.success() {
        bail!("{command:?} failed: {}", measured.status);
    }
    Ok((measured.seconds, measured.kilobytes))
}

/// Builds a kernel with vector ALU instructions in every encoding, scalar ALU and memory instructions, and branches.
fn kernel_lines() -> String {
    let mut text = String::from(".text\n");
    let mut written = 0;
    for block in 0.. {
        if written >= LINES {
            break;
        }
        let _ = writeln!(text, "BB0_{block}:");
        for line in 0..BLOCK_LINES {
            let n = block * BLOCK_LINES + line;
            kernel_line(&mut text, n, block);
            written += 1;
        }
    }
    text.push_str("s_endpgm\n");
    text
}

/// Appends line `n` of the kernel. Blocks branch to themselves and to the previous block.
#[rustfmt::skip]
fn kernel_line(text: &mut String, n: usize, block: usize) {
    let (a, b, c) = (n % 200, n % 100, n % 50 + 4);
    let (pair, quad, four) = (n % 40 * 2, n % 20 * 4, b + 3);
    let before = block.saturating_sub(1);
    let _ = match n % 40 {
        0 => writeln!(text, "\tv_add_f32_e32 v{a}, v{b}, v{c}"),
        1 => writeln!(text, "\tv_mul_f32 v{a}, s{c}, v{b}"),
        2 => writeln!(text, "\tv_mac_f32_e32 v{a}, v{b}, v{c}                     // {n}"),
        3 => writeln!(text, "\tv_fma_f32 v{a}, v{b}, -v{c}, |v{a}|"),
        4 => writeln!(text, "\tv_mov_b32_e32 v{a}, {:#x}", n * 77),
        5 => writeln!(text, "\tv_lshlrev_b32_e32 v{a}, 2, v{b}"),
        6 => writeln!(text, "\tv_add_co_u32_e32 v{a}, vcc, s{c}, v{b}"),
        7 => writeln!(text, "\tv_addc_co_u32_e32 v{a}, vcc, v{b}, v{c}, vcc"),
        8 => writeln!(text, "\tv_cmp_gt_f32_e32 vcc, 1.0, v{b}"),
        9 => writeln!(text, "\tv_cndmask_b32_e32 v{a}, v{b}, v{c}, vcc"),
        10 => writeln!(text, "\tv_cmp_lt_u32_e64 s[{pair}:{}], v{b}, s{c}", pair + 1),
        11 => writeln!(text, "\tv_add_f32_e64 v{a}, |v{b}|, -v{c} clamp mul:2"),
        12 => writeln!(text, "\tv_lshl_add_u32 v{a}, v{b}, 3, v{c}"),
        13 => writeln!(text, "\tv_pk_fma_f16 v{a}, v{b}, v{c}, v{a} op_sel:[0,1,0]"),
        14 => writeln!(text, "\tv_and_b32_sdwa v{a}, v{b}, v{c} dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:BYTE_1 src1_sel:DWORD"),
        15 => writeln!(text, "\tv_add_u32_dpp v{a}, v{b}, v{c} row_shr:1 row_mask:0xf bank_mask:0xf"),
        16 => writeln!(text, "\tv_cvt_f32_u32_e32 v{a}, v{b}"),
        17 => writeln!(text, "\tv_mad_u32_u24 v{a}, v{b}, s{c}, v{c}"),
        18 => writeln!(text, "\ts_add_u32 s{c}, s{b}, {:#x}", n * 77),
        19 => writeln!(text, "\ts_addc_u32 s{c}, s{b}, 0"),
        20 => writeln!(text, "\ts_and_saveexec_b64 s[{pair}:{}], vcc", pair + 1),
        21 => writeln!(text, "\ts_cmp_lg_u32 s{b}, {}", n % 64),
        22 => writeln!(text, "\ts_cbranch_scc1 BB0_{block}"),
        23 => writeln!(text, "\ts_lshl_b64 s[{pair}:{}], s[{quad}:{}], {}", pair + 1, quad + 1, n % 32),
        24 => writeln!(text, "\ts_movk_i32 s{c}, {:#x}", n % 0x8000),
        25 => writeln!(text, "\ts_waitcnt vmcnt({}) lgkmcnt(0)", n % 60),
        26 => writeln!(text, "\ts_cbranch_execz BB0_{before}"),
        27 => writeln!(text, "\ts_or_b64 exec, exec, s[{pair}:{}]", pair + 1),
        28 => writeln!(text, "\tds_add_u32 v{a}, v{b} offset:{}", n % 65536),
        29 => writeln!(text, "\tglobal_load_dwordx4 v[{a}:{}], v[{b}:{}], off offset:{} glc", a + 3, b + 1, n % 4096),
        30 => writeln!(text, "\ts_load_dwordx2 s[{pair}:{}], s[{quad}:{}], {:#x}", pair + 1, quad + 1, n % 0xf_ffff),
        31 => writeln!(text, "\tflat_store_dword v[{a}:{}], v{b} offset:{}", a + 1, n % 4096),
        32 => writeln!(text, "\tds_read2_b64 v[{a}:{}], v{b} offset0:{} offset1:{}", a + 3, n % 256, (n + 7) % 256),
        33 => writeln!(text, "\tglobal_atomic_add v{a}, v[{b}:{}], v{a}, off glc", b + 1),
        34 => writeln!(text, "\tscratch_load_dword v{a}, v{b}, off offset:{}", n as i64 % 8192 - 4096),
        35 => writeln!(text, "\ts_buffer_load_dword s{c}, s[{quad}:{}], s{b}", quad + 3),
        36 => writeln!(text, "\tbuffer_load_dword v{a}, v{b}, s[{quad}:{}], s{c} offen offset:{}", quad + 3, n % 4096),
        37 => writeln!(text, "\tds_write_b128 v{a}, v[{b}:{four}] offset:{}", n % 65536),
        38 => writeln!(text, "\tglobal_store_dwordx3 v{a}, v[{b}:{}], s[{pair}:{}] slc", b + 2, pair + 1),
        _ => writeln!(text, "\tv_readfirstlane_b32 s{c}, v{b}"),
    };
}

/// Builds a source that repeats one instruction [`REPEATS`] times.
fn repeated(instruction: &str) -> String {
    format!(".rept {REPEATS}\n{instruction}\n.endr\n")
}

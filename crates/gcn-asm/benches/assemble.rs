//! Assembly speed in lines per second for mixed memory instructions. Compare with `llvm-mc-19 -mcpu=gfx900` on the
//! same text.

use std::fmt::Write;
use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use gcn_asm::{Options, Source, assemble};
use gcn_isa::Target;

const LINES: u64 = 600_000;

/// A text of `lines` lines, identical in every run.
fn mixed(lines: u64) -> String {
    let mut state: u64 = 1;
    let mut number = |bound: u64| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % bound
    };
    let mut text = String::new();
    for line in 0..lines {
        let (v, w, n) = (number(200), number(200), number(4096));
        let (pair, quad) = (2 * number(45), 4 * number(20));
        // Writing to a String cannot fail.
        let _ = match line % 10 {
            0 => writeln!(text, "\tds_read_b32 v{v}, v{w} offset:{n}"),
            1 => writeln!(
                text,
                "\tds_write2_b64 v{v}, v[{w}:{}], v[{v}:{}] offset0:{} offset1:3",
                w + 1,
                v + 1,
                n & 255
            ),
            2 => writeln!(
                text,
                "\tglobal_load_dwordx4 v[{v}:{}], v[{w}:{}], off offset:{n} glc",
                v + 3,
                w + 1
            ),
            3 => writeln!(
                text,
                "\tglobal_store_dword v{v}, v{w}, s[{pair}:{}] offset:-{n}",
                pair + 1
            ),
            4 => writeln!(
                text,
                "\tflat_atomic_add v{v}, v[{w}:{}], v{v} offset:{n} glc",
                w + 1
            ),
            5 => writeln!(
                text,
                "\tscratch_load_dword v{v}, off, s{pair} offset:16 ; spilled"
            ),
            6 => writeln!(
                text,
                "\ts_load_dwordx4 s[{quad}:{}], s[{pair}:{}], {n:#x}",
                quad + 3,
                pair + 1
            ),
            7 => writeln!(
                text,
                "\ts_atomic_add s{pair}, s[{quad}:{}], m0 glc",
                quad + 1
            ),
            8 => writeln!(
                text,
                "\ts_buffer_load_dword s{pair}, s[{quad}:{}], {n:#x}",
                quad + 3
            ),
            _ => writeln!(text, "\ts_waitcnt vmcnt({}) lgkmcnt({})", n & 31, n & 7),
        };
    }
    text
}

fn assemble_mixed(c: &mut Criterion) {
    let Some(target) = Target::named("gfx900") else {
        return;
    };
    let text = mixed(LINES);
    let source = Source {
        name: "mixed.s",
        text: &text,
    };
    let options = Options::new(target);
    let assembly = assemble(&source, &options);
    assert_eq!(assembly.diagnostics, [], "the text is valid");
    let mut group = c.benchmark_group("assemble");
    group.sample_size(10);
    group.throughput(Throughput::Elements(LINES));
    group.bench_function("mixed memory instructions", |b| {
        b.iter(|| assemble(black_box(&source), &options));
    });
    group.finish();
}

criterion_group!(benches, assemble_mixed);
criterion_main!(benches);

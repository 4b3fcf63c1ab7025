//! Speed of decoding and printing a million words of mixed code.

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use gcn_isa::{Encoding, Inst, Isa, Syntax, decode, rows};

const WORDS: usize = 1 << 20;

/// All instructions of `isa` repeatedly, with varying registers.
fn code(isa: Isa) -> Vec<u32> {
    let mut seed = 0x9e37_79b9_7f4a_7c15_u64;
    let mut words = Vec::with_capacity(WORDS);
    let all: Vec<Inst> = rows()
        .flat_map(|row| {
            row.encodings()
                .filter_map(|encoding| Inst::new(isa, row.op(), encoding))
        })
        .filter(|inst| inst.encoding != Encoding::Sopk)
        .collect();
    for inst in all.iter().cycle() {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        let noise = (seed >> 40) as u32 & 0x3f_3f3f;
        let mut both = inst.words();
        let in_second = inst.dwords() == 2;
        both[usize::from(in_second)] ^= if in_second { noise } else { noise & 0x3f };
        let next = &both[..inst.dwords()];
        if words.len() + next.len() > WORDS {
            break;
        }
        words.extend_from_slice(next);
    }
    words
}

fn walk(isa: Isa, words: &[u32], mut each: impl FnMut(Inst)) {
    let mut rest = words;
    while !rest.is_empty() {
        let length = match decode(isa, rest) {
            Ok(inst) => {
                each(inst);
                inst.dwords()
            }
            Err(_) => 1,
        };
        rest = rest.get(length..).unwrap_or(&[]);
    }
}

fn bench(c: &mut Criterion) {
    let isa = Isa::Vega20;
    let words = code(isa);
    let mut group = c.benchmark_group("words");
    group.throughput(Throughput::Elements(words.len() as u64));
    group.bench_function("decode", |b| {
        b.iter(|| walk(isa, &words, |inst| _ = black_box(inst)))
    });
    let mut out = String::new();
    group.bench_function("decode and print", |b| {
        b.iter(|| {
            out.clear();
            walk(isa, &words, |inst| {
                let _ = black_box(inst.print(&mut out, Syntax::Llvm, None));
                out.push('\n');
            });
        });
    });
    group.finish();
}

criterion_group!(benches, bench);
criterion_main!(benches);

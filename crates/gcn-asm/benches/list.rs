//! Speed of listing machine code: memory instructions in a compiler's typical mix, and random words.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use gcn_asm::list::{ListOptions, ListedCode, list};
use gcn_isa::{Isa, Target};
use std::hint::black_box;

/// Instructions of every family of vector and scalar memory, and a branch, for GCN 1.4.
const MIXED: [[u32; 2]; 8] = [
    [0xd86c_0010, 0x0100_0002], // ds_read_b32 v1, v2 offset:16
    [0xd81c_4020, 0x0003_0201], // ds_write2_b32 v1, v2, v3 offset0:32 offset1:64
    [0xdc50_8010, 0x0502_0003], // global_load_dword v5, v3, s[2:3] offset:16
    [0xdc70_0000, 0x0000_0301], // flat_store_dword v[1:2], v3
    [0xc006_0103, 0x0000_0040], // s_load_dwordx2 s[4:5], s[6:7], 0x40
    [0xdd09_8000, 0x057f_0301], // global_atomic_add v5, v[1:2], v3, off glc
    [0xdc50_4004, 0x0104_0000], // scratch_load_dword v1, off, s4 offset:4
    [0xbf8c_0070, 0xbf85_fffe], // s_waitcnt vmcnt(0) lgkmcnt(0); s_cbranch_scc1
];
/// Number of repetitions of the mix: about as much code as a large kernel library.
const REPEATS: usize = 20_000;

fn mixed() -> Vec<u8> {
    let words = MIXED.iter().flatten().flat_map(|word| word.to_le_bytes());
    words.collect::<Vec<u8>>().repeat(REPEATS)
}

/// Words from Knuth's MMIX linear congruential generator, identical in every run.
fn random(count: usize) -> Vec<u8> {
    let mut state = 1u64;
    (0..count)
        .flat_map(|_| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            ((state >> 32) as u32).to_le_bytes()
        })
        .collect()
}

fn listing(c: &mut Criterion) {
    let isa = Target::named("gfx900").map_or(Isa::Gfx9, |target| target.isa);
    let inputs = [
        ("mixed", mixed()),
        ("random", random(MIXED.len() * 2 * REPEATS)),
    ];
    let mut group = c.benchmark_group("list");
    for (name, bytes) in &inputs {
        group.throughput(Throughput::Bytes(bytes.len() as u64));
        group.bench_function(*name, |b| {
            b.iter(|| {
                list(
                    black_box(&ListedCode::raw(isa, bytes)),
                    &ListOptions::default(),
                )
            });
        });
    }
    group.finish();
}

criterion_group!(benches, listing);
criterion_main!(benches);

//! Wave instructions per second of loops of memory instructions, on one core.

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use gcn_asm::{Options, Source, assemble};
use gcn_emu::code::Code;
use gcn_emu::device::{Config, Device};
use gcn_emu::run::{Dispatch, Initial, InitialSgpr, run};
use gcn_isa::Target;

const VGPRS: usize = 32;
const SGPRS: u8 = 32;
/// Address of the code.
const BASE: u64 = 0x1000;
/// Times that the loop is run.
const ROUNDS: u32 = 2000;
/// Memory instructions in the loop.
const UNROLLED: usize = 16;

/// Name and instruction. v0 is 4 times the lane, v[2:3] an address 4 apart by lane, v[4:5] the same for all,
/// v[6:7] scattered; s[0:1] a buffer.
const LOOPS: &[(&str, &str)] = &[
    ("global_load_dword", "global_load_dword v8, v[2:3], off"),
    (
        "global_load_dword_saddr",
        "global_load_dword v8, v0, s[0:1]",
    ),
    (
        "global_load_dword_uniform",
        "global_load_dword v8, v[4:5], off",
    ),
    (
        "global_load_dword_scattered",
        "global_load_dword v8, v[6:7], off",
    ),
    (
        "global_load_dwordx4",
        "global_load_dwordx4 v[8:11], v[12:13], off",
    ),
    ("global_store_dword", "global_store_dword v[2:3], v8, off"),
    ("flat_load_dword", "flat_load_dword v8, v[2:3]"),
    ("ds_read_b32", "ds_read_b32 v8, v0"),
    ("ds_read_b32_scattered", "ds_read_b32 v8, v14"),
    ("ds_write_b32", "ds_write_b32 v0, v8"),
    ("ds_read2_b32", "ds_read2_b32 v[8:9], v0 offset1:1"),
    ("ds_add_u32", "ds_add_u32 v0, v15"),
    ("global_atomic_add", "global_atomic_add v[2:3], v15, off"),
    ("s_load_dwordx2", "s_load_dwordx2 s[4:5], s[0:1], 0x8"),
];

fn kernel(target: &'static Target, body: &str) -> Vec<u8> {
    let text = format!(
        "v_lshlrev_b32 v0, 2, v0\nv_mov_b32 v3, s1\nv_add_co_u32 v2, vcc, s0, v0\n\
         v_mov_b32 v4, s0\nv_mov_b32 v5, s1\n\
         v_xor_b32 v14, 0x54, v0\nv_add_co_u32 v6, vcc, s0, v14\nv_mov_b32 v7, s1\n\
         v_lshlrev_b32 v12, 2, v0\nv_add_co_u32 v12, vcc, s0, v12\nv_mov_b32 v13, s1\nv_mov_b32 v15, 1\n\
         s_movk_i32 s2, {ROUNDS}\nloop:\n{}s_sub_u32 s2, s2, 1\ns_cmp_lg_u32 s2, 0\ns_cbranch_scc1 loop\ns_endpgm\n",
        format!("{body}\n").repeat(UNROLLED)
    );
    let source = Source {
        name: "bench",
        text: &text,
    };
    let assembly = assemble(&source, &Options::new(target));
    assert!(!assembly.has_errors(), "{:?}", assembly.diagnostics);
    let section = assembly.program.section(".text").expect("there is code");
    section.bytes.clone()
}

fn memory(criterion: &mut Criterion) {
    let target = Target::named("gfx900").expect("it exists");
    let mut group = criterion.benchmark_group("memory");
    group.throughput(Throughput::Elements(u64::from(ROUNDS) * UNROLLED as u64));
    for (name, body) in LOOPS {
        let mut device = Device::new(Config::new(target.isa));
        let buffer = device
            .memory
            .allocate("data", 4096)
            .expect("there is memory");
        let code = Code::new(target.isa, BASE, &kernel(target, body), VGPRS, SGPRS);
        let dispatch = Dispatch {
            entry: BASE,
            grid: [64, 1, 1],
            group: [64, 1, 1],
            lds_bytes: 1024,
            scratch_bytes_per_lane: 0,
            initial: Initial {
                sgprs: vec![
                    InitialSgpr::Value(buffer as u32),
                    InitialSgpr::Value((buffer >> 32) as u32),
                ],
                work_item_ids: 1,
                mode: 0,
            },
        };
        group.bench_function(*name, |b| {
            b.iter(|| {
                let done = run(&mut device, &code, &dispatch, || ()).expect("it starts");
                assert_eq!(done.fault, None);
                black_box(done.stats)
            });
        });
    }
    group.finish();
}

criterion_group!(benches, memory);
criterion_main!(benches);

//! Throughput of loops of one instruction each, in wave instructions per second on one core.

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use gcn_asm::{Options, Source, assemble};
use gcn_emu::Code;
use gcn_emu::device::{Config, Device};
use gcn_emu::observe::Observers;
use gcn_emu::run::{Dispatch, Initial, InitialSgpr, run};
use gcn_isa::Target;

const VGPRS: usize = 32;
const SGPRS: u8 = 32;
/// Size in bytes of the buffer and of LDS.
const BYTES: u64 = 4096;
/// Address of the code.
const BASE: u64 = 0x1000;
/// Number of iterations of the loop.
const ROUNDS: u32 = 2000;
/// Number of copies of the body in the loop.
const UNROLLED: usize = 16;

/// Instructions common in compiled programs, each measured in its own loop. v1 is the lane number and v0 four times the
/// lane number. v[2:3], v[12:13], v[4:5] and v[6:7] are addresses in the buffer: with a stride of 4 bytes, with a
/// stride of 16 bytes, equal in all lanes, and scattered. v14 holds scattered offsets, v15 is 1. s[0:1] is the address
/// of the buffer, s[8:11] its descriptor.
const LOOPS: &[(&str, &[&str])] = &[
    (
        "vector",
        &[
            "v_mov_b32 v8, v1",
            "v_mov_b32 v8, 0x1234567",
            "v_add_u32 v8, v9, v10",
            "v_add_co_u32 v8, vcc, v9, v10",
            "v_addc_co_u32 v8, vcc, v9, v10, vcc",
            "v_cndmask_b32 v8, v9, v10, vcc",
            "v_cmp_gt_u32 vcc, v9, v10",
            "v_cmp_gt_f32 s[12:13], v9, v10",
            "v_lshlrev_b32 v8, 3, v9",
            "v_lshlrev_b64 v[8:9], 3, v[10:11]",
            "v_mul_lo_u32 v8, v9, v10",
            "v_mul_hi_u32 v8, v9, v10",
            "v_mad_u64_u32 v[8:9], vcc, v10, v11, v[16:17]",
            "v_mad_u32_u24 v8, v9, v10, v11",
            "v_bfe_u32 v8, v9, 3, 5",
            "v_perm_b32 v8, v9, v10, s2",
            "v_alignbit_b32 v8, v9, v10, 7",
            "v_bcnt_u32_b32 v8, v9, v10",
            "v_mbcnt_lo_u32_b32 v8, -1, 0",
            "v_ffbh_u32 v8, v9",
            "v_readfirstlane_b32 s12, v9",
            "v_readlane_b32 s12, v9, 5",
            "v_writelane_b32 v9, s2, 5",
            "v_add_f32 v8, v9, v10",
            "v_add_f32 v8, v9, -v10",
            "v_add_f32 v8, v9, v10 clamp",
            "v_mul_f32 v8, v9, v10 mul:2",
            "v_mac_f32 v8, v9, v10",
            "v_fma_f32 v8, v9, v10, v11",
            "v_max3_f32 v8, v9, v10, v11",
            "v_med3_f32 v8, v9, v10, v11",
            "v_rcp_f32 v8, v9",
            "v_rsq_f32 v8, v9",
            "v_sqrt_f32 v8, v9",
            "v_exp_f32 v8, v9",
            "v_log_f32 v8, v9",
            "v_sin_f32 v8, v9",
            "v_floor_f32 v8, v9",
            "v_fract_f32 v8, v9",
            "v_ldexp_f32 v8, v9, v10",
            "v_frexp_mant_f32 v8, v9",
            "v_div_scale_f32 v8, vcc, v9, v10, v9",
            "v_div_fmas_f32 v8, v9, v10, v11",
            "v_div_fixup_f32 v8, v9, v10, v11",
            "v_cvt_f32_u32 v8, v9",
            "v_cvt_i32_f32 v8, v9",
            "v_cvt_f16_f32 v8, v9",
            "v_cvt_f32_f16 v8, v9",
            "v_cvt_pkrtz_f16_f32 v8, v9, v10",
            "v_cvt_f64_f32 v[8:9], v10",
            "v_cvt_f32_f64 v8, v[10:11]",
            "v_cvt_f32_ubyte1 v8, v9",
            "v_add_f64 v[8:9], v[10:11], v[16:17]",
            "v_mul_f64 v[8:9], v[10:11], v[16:17]",
            "v_fma_f64 v[8:9], v[10:11], v[16:17], v[18:19]",
            "v_rcp_f64 v[8:9], v[10:11]",
            "v_rsq_f64 v[8:9], v[10:11]",
            "v_div_scale_f64 v[8:9], vcc, v[10:11], v[16:17], v[10:11]",
            "v_div_fmas_f64 v[8:9], v[10:11], v[16:17], v[18:19]",
            "v_div_fixup_f64 v[8:9], v[10:11], v[16:17], v[18:19]",
            "v_ldexp_f64 v[8:9], v[10:11], v16",
            "v_add_f16 v8, v9, v10",
            "v_fma_f16 v8, v9, v10, v11",
            "v_mad_f16 v8, v9, v10, v11",
            "v_mad_u16 v8, v9, v10, v11",
            "v_pk_fma_f16 v8, v9, v10, v11",
            "v_pk_fma_f16 v8, v9, v10, v11 op_sel:[0,1,0]",
            "v_pk_add_u16 v8, v9, v10",
            "v_pk_lshlrev_b16 v8, v9, v10",
            "v_fma_mix_f32 v8, v9, v10, v11 op_sel_hi:[1,1,0]",
            "v_dot4_i32_i8 v8, v9, v10, v11",
            "v_sad_u8 v8, v9, v10, v11",
            "v_add_u32_sdwa v8, v9, v10 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:BYTE_1 src1_sel:WORD_1",
            "v_or_b32_sdwa v8, v9, v10 dst_sel:WORD_1 dst_unused:UNUSED_PRESERVE src0_sel:DWORD src1_sel:BYTE_0",
            "v_add_f16_sdwa v8, v9, v10 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1 src1_sel:WORD_0",
            "v_cmp_eq_u32_sdwa vcc, v9, v10 src0_sel:BYTE_1 src1_sel:DWORD",
            "v_add_u32_dpp v8, v9, v10 row_shr:1 row_mask:0xf bank_mask:0xf",
            "v_mov_b32_dpp v8, v9 quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf",
            "v_add_f32_dpp v8, v9, v10 row_bcast:15 row_mask:0xa bank_mask:0xf",
        ],
    ),
    (
        "memory",
        &[
            "global_load_dword v8, v[2:3], off",
            "global_load_dword v8, v0, s[0:1]",
            "global_load_dword v8, v[4:5], off",
            "global_load_dword v8, v[6:7], off",
            "global_load_dwordx2 v[8:9], v[12:13], off",
            "global_load_dwordx4 v[8:11], v[12:13], off",
            "global_load_ubyte v8, v[2:3], off",
            "global_load_short_d16_hi v8, v[2:3], off",
            "global_store_dword v[2:3], v8, off",
            "global_store_dwordx2 v[12:13], v[8:9], off",
            "global_store_dwordx4 v[12:13], v[8:11], off",
            "global_store_dword v[6:7], v8, off",
            "global_store_byte v[2:3], v8, off",
            "global_store_short_d16_hi v[2:3], v8, off",
            "global_atomic_add v[2:3], v15, off",
            "global_atomic_add v[6:7], v15, off",
            "global_atomic_add v8, v[4:5], v15, off glc",
            "global_atomic_cmpswap v8, v[2:3], v[16:17], off glc",
            "global_atomic_add_x2 v[12:13], v[16:17], off",
            "flat_load_dword v8, v[2:3]",
            "flat_store_dword v[2:3], v8",
            "flat_atomic_add v[2:3], v15",
            "buffer_load_dword v8, v0, s[8:11], 0 offen",
            "buffer_load_dwordx4 v[8:11], v0, s[8:11], 0 offen",
            "buffer_load_ubyte v8, v0, s[8:11], 0 offen",
            "buffer_store_dword v8, v0, s[8:11], 0 offen",
            "buffer_load_format_xyzw v[8:11], v1, s[8:11], 0 idxen",
            "tbuffer_load_format_x v8, v0, s[8:11], 0 offen",
            "buffer_atomic_add v15, v0, s[8:11], 0 offen",
            "ds_read_b32 v8, v0",
            "ds_read_b32 v8, v14",
            "ds_read2_b32 v[8:9], v0 offset1:1",
            "ds_read_b64 v[8:9], v0",
            "ds_read_b128 v[8:11], v0",
            "ds_read_u8 v8, v0",
            "ds_read_u16_d16 v8, v0",
            "ds_write_b32 v0, v8",
            "ds_write_b32 v14, v8",
            "ds_write2_b32 v0, v8, v9 offset1:128",
            "ds_write_b64 v0, v[8:9]",
            "ds_write_b128 v0, v[8:11]",
            "ds_write_b8 v0, v8",
            "ds_add_u32 v0, v15",
            "ds_add_u32 v14, v15",
            "ds_add_u32 v10, v15",
            "ds_add_rtn_u32 v8, v0, v15",
            "ds_add_u64 v0, v[16:17]",
            "ds_add_f32 v0, v15",
            "ds_cmpst_rtn_b32 v8, v0, v15, v9",
            "ds_max_i32 v0, v15",
            "ds_bpermute_b32 v8, v0, v9",
            "ds_permute_b32 v8, v0, v9",
            "ds_swizzle_b32 v8, v9 offset:0x801f",
            "s_load_dword s12, s[0:1], 0x8",
            "s_load_dwordx2 s[12:13], s[0:1], 0x8",
            "s_load_dwordx8 s[16:23], s[0:1], 0x0",
            "s_buffer_load_dword s12, s[8:11], 0x8",
        ],
    ),
    (
        "scalar",
        &[
            "s_add_u32 s12, s13, s14",
            "s_lshl_b64 s[12:13], s[14:15], 3",
            "s_mul_i32 s12, s13, s14",
            "s_and_saveexec_b64 s[12:13], exec",
            "s_cmp_lt_i32 s12, s13",
            "s_bfe_u32 s12, s13, 0x50003",
            "s_nop 0",
            "s_waitcnt lgkmcnt(0)",
            "s_barrier",
        ],
    ),
];

/// Sequences of different 32-bit operations.
const INTEGERS: &str = "v_add_u32 v9, v16, v10\nv_xor_b32 v11, v17, v9\nv_lshlrev_b32 v8, 3, v11\nv_max_u32 v10, v8, v9";
const FLOATS: &str = "v_add_f32 v9, v16, v10\nv_mul_f32 v11, v17, v9\nv_fma_f32 v8, v9, v11, v18\nv_sub_f32 v10, v8, v9";
/// Number of instructions in [`INTEGERS`] and in [`FLOATS`].
const IN_A_ROW: u64 = 4;

/// MODE with all denormals preserved.
const KEPT: u32 = 0xf0;

fn kernel(target: &'static Target, body: &str) -> Vec<u8> {
    let text = format!(
        "v_mov_b32 v1, v0\nv_lshlrev_b32 v0, 2, v0\nv_mov_b32 v3, s1\nv_add_co_u32 v2, vcc, s0, v0\n\
         v_mov_b32 v4, s0\nv_mov_b32 v5, s1\n\
         v_xor_b32 v14, 0x54, v0\nv_add_co_u32 v6, vcc, s0, v14\nv_mov_b32 v7, s1\n\
         v_lshlrev_b32 v12, 2, v0\nv_add_co_u32 v12, vcc, s0, v12\nv_mov_b32 v13, s1\nv_mov_b32 v15, 1\n\
         s_mov_b64 s[8:9], s[0:1]\ns_movk_i32 s10, {BYTES}\ns_mov_b32 s11, 0x27fac\n\
         s_movk_i32 s2, {ROUNDS}\nloop:\n{}s_sub_u32 s2, s2, 1\ns_cmp_lg_u32 s2, 0\ns_cbranch_scc1 loop\ns_endpgm\n",
        format!("{body}\n").repeat(UNROLLED)
    );
    let source = Source {
        name: "bench",
        text: &text,
    };
    let assembly = assemble(&source, &Options::new(target));
    assert!(!assembly.has_errors(), "{body}: {:?}", assembly.diagnostics);
    let section = assembly.program.section(".text").expect("there is code");
    section.bytes.clone()
}

/// Measures a loop whose `body` has `count` instructions, with `lanes` work-items in a workgroup.
fn bench(
    criterion: &mut Criterion,
    group: &str,
    name: &str,
    body: &str,
    count: u64,
    mode: u32,
    lanes: u32,
) {
    let target = Target::named("gfx906").expect("it exists");
    let mut device = Device::new(Config::new(target.isa));
    let buffer = device.memory.allocate("data", BYTES).expect("memory");
    let code = Code::new(target.isa, BASE, &kernel(target, body), VGPRS, SGPRS);
    let dispatch = Dispatch {
        kernel: None,
        kernarg: None,
        entry: BASE,
        grid: [lanes, 1, 1],
        group: [lanes, 1, 1],
        lds_bytes: BYTES as u32,
        scratch_bytes_per_lane: 0,
        restricted: Vec::new(),
        acquires: true,
        initial: Initial {
            sgprs: vec![
                InitialSgpr::Value(buffer as u32),
                InitialSgpr::Value((buffer >> u32::BITS) as u32),
            ],
            work_item_ids: 1,
            mode,
        },
    };
    let mut group = criterion.benchmark_group(group);
    group.throughput(Throughput::Elements(
        u64::from(ROUNDS) * UNROLLED as u64 * count,
    ));
    group.bench_function(name, |b| {
        b.iter(|| {
            let done = run(&mut device, &code, &dispatch, &Observers::none()).expect("it starts");
            assert_eq!(done.fault, None, "{body}");
            black_box(done.stats)
        });
    });
    group.finish();
}

fn all(criterion: &mut Criterion) {
    for (group, loops) in LOOPS {
        for body in *loops {
            bench(criterion, group, body, body, 1, KEPT, 64);
        }
    }
    for (name, body) in [("integers", INTEGERS), ("floats", FLOATS)] {
        bench(criterion, "mixed", name, body, IN_A_ROW, KEPT, 64);
        bench(
            criterion,
            "mixed",
            &format!("{name}, 40 lanes"),
            body,
            IN_A_ROW,
            KEPT,
            40,
        );
    }
    bench(
        criterion,
        "mixed",
        "floats, denormals flushed",
        FLOATS,
        IN_A_ROW,
        0,
        64,
    );
}

criterion_group!(benches, all);
criterion_main!(benches);

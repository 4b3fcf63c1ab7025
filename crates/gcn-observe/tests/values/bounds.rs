//! Bounds.

use gcn_observe::finding::Check;
use gcn_runtime::AccessRule;

use crate::{TARGETS, Watched};

fn vega(statements: &str) -> Watched {
    Watched::assembly("gfx900", Check::Bounds, statements)
}

/// Loads the address of the first buffer, and that of a dword for each lane.
const BEGIN: &str =
    "s_load_dwordx2 s[4:5], s[0:1], 0x0\nv_lshlrev_b32 v1, 2, v0\ns_waitcnt lgkmcnt(0)\n";

#[test]
fn global_memory_has_the_bounds_of_its_allocation() {
    let text = |statement: &str| vega(&format!("{BEGIN}{statement}"));
    text("global_load_dword v2, v1, s[4:5]")
        .buffer(64)
        .finds(&[]);
    let beyond = ["global-out-of-bounds global_load_dword"];
    let kernel = text("global_load_dword v2, v1, s[4:5]").buffer(63);
    kernel.finds(&beyond);
    let (all, _) = kernel.findings.all();
    assert_eq!(all[0].place.lane, Some(63));
    let [note] = &all[0].notes[..] else {
        panic!("{all:#?}");
    };
    assert!(
        note.starts_with("nearest is a buffer: 252 bytes at "),
        "{note}"
    );
    assert!(
        note.ends_with("; the address is right past its end"),
        "{note}"
    );
    let before = text("global_store_dword v1, v0, s[4:5] offset:-4").buffer(64);
    before.finds(&["global-out-of-bounds global_store_dword"]);
    let partly = text("global_load_dwordx2 v[2:3], v1, s[4:5]").buffer(64);
    partly.finds(&["global-out-of-bounds global_load_dwordx2"]);
    let scalar = text("s_load_dwordx2 s[8:9], s[4:5], 0xfc").buffer(64);
    scalar.finds(&["global-out-of-bounds s_load_dwordx2"]);
    let flat = "v_mov_b32 v2, s4\nv_mov_b32 v3, s5\nflat_atomic_add v[2:3], v0 offset:256";
    text(flat)
        .buffer(64)
        .finds(&["global-out-of-bounds flat_atomic_add"]);
}

#[test]
fn freed_memory_is_named() {
    let mut kernel = vega(&format!("{BEGIN}s_load_dwordx2 s[6:7], s[4:5], 0x0\ns_waitcnt lgkmcnt(0)\nglobal_load_dword v2, v1, s[6:7]")).buffer(2);
    let freed = kernel.device.buffer("freed", &[0_u32; 64]).expect("memory");
    let address = freed.address();
    kernel.buffers[0]
        .write(0, &[address])
        .expect("it is as large");
    drop(freed);
    kernel.finds(&["use-after-free global_load_dword"]);
    let (all, _) = kernel.findings.all();
    assert_eq!(
        all[0].message,
        "loads 4 bytes of freed, which has been freed"
    );
    kernel.buffers.clear();
}

#[test]
fn lds_has_the_bytes_that_the_kernel_asks_for() {
    for target in TARGETS {
        let text = |m0: &str, offset: u32| {
            let statements = format!(
                "s_mov_b32 m0, {m0}\nv_lshlrev_b32 v1, 2, v0\nds_write_b32 v1, v0 offset:{offset}"
            );
            Watched::assembly(target, Check::Bounds, &statements)
        };
        text("-1", 0).finds(&[]);
        text("-1", 4).finds(&["lds-out-of-bounds ds_write_b32"]);
        let bounded: &[&str] = if target == "gfx900" {
            &[]
        } else {
            &["lds-out-of-bounds ds_write_b32"]
        };
        text("128", 0).finds(bounded);
    }
}

#[test]
fn descriptors_have_bounds() {
    for target in TARGETS {
        let text = |bytes: u32| {
            let statements = format!(
                "s_load_dwordx2 s[4:5], s[0:1], 0x0
                 v_lshlrev_b32 v1, 2, v0
                 s_mov_b32 s6, {bytes}
                 s_mov_b32 s7, 0x27000
                 s_waitcnt lgkmcnt(0)
                 buffer_load_dword v2, v1, s[4:7], 0 offen"
            );
            Watched::assembly(target, Check::Bounds, &statements).buffer(64)
        };
        text(256).finds(&[]);
        text(255).finds(&["buffer-out-of-bounds buffer_load_dword"]);
    }
    let scalar = "
        s_load_dwordx2 s[4:5], s[0:1], 0x0
        s_mov_b32 s6, 8
        s_mov_b32 s7, 0x27000
        s_waitcnt lgkmcnt(0)
        s_buffer_load_dwordx2 s[8:9], s[4:7], OFFSET";
    vega(&scalar.replace("OFFSET", "0x0")).buffer(64).finds(&[]);
    let beyond = vega(&scalar.replace("OFFSET", "0x4")).buffer(64);
    beyond.finds(&["buffer-out-of-bounds s_buffer_load_dwordx2"]);
}

const OPENCL: &[(&str, &[&str])] = &[
    ("kernel void k(global int *xs) { xs[get_global_id(0)] = 1; }", &[]),
    ("kernel void k(global int *xs) { xs[get_global_id(0) + 1] = 1; }", &["global-out-of-bounds"]),
    ("kernel void k(global const int *xs) { ((global int *)xs)[get_global_id(0)] = 1; }", &["store-to-read-only"]),
    (
        "kernel void k(global int *xs) { local int t[64]; t[get_local_id(0) + 1] = 1; barrier(CLK_LOCAL_MEM_FENCE);
         xs[get_local_id(0)] = t[get_local_id(0)]; }",
        &["lds-out-of-bounds"],
    ),
    (
        "kernel void k(global int *xs) { volatile int t[4]; for (int i = 0; i < 4; ++i) t[i] = i;
         xs[get_local_id(0)] = t[3 - (get_local_id(0) & 3)]; }",
        &[],
    ),
    (
        "kernel void k(global int *xs) { volatile int t[4]; for (int i = 0; i < 4; ++i) t[i] = i;
         xs[get_local_id(0)] = t[(xs[0] + 1) << 20]; }",
        &["scratch-out-of-bounds"],
    ),
];

#[test]
fn compiled_kernels_have_the_findings_of_their_source() {
    for target in ["gfx700", "gfx803", "gfx900"] {
        for level in ["-O0", "-O2"] {
            for (text, expected) in OPENCL {
                let kernel = Watched::opencl(target, level, Check::Bounds, text).buffer(64);
                let found = kernel.run();
                let kinds: Vec<_> = found.iter().map(|it| it.split(' ').next()).collect();
                let expected: Vec<_> = expected.iter().map(|it| Some(*it)).collect();
                assert_eq!(kinds, expected, "{target} {level} {text}: {found:?}");
            }
        }
    }
}

#[test]
fn an_argument_that_may_be_written_makes_its_buffer_writable() {
    let text =
        "kernel void k(global const int *xs, global int *ys) { ys[get_global_id(0)] = xs[0]; }";
    let mut kernel = Watched::opencl("gfx900", "-O2", Check::Bounds, text).buffer(64);
    let same = kernel.buffers[0].clone();
    kernel.buffers.push(same);
    kernel.finds(&[]);
}

#[test]
fn buffers_may_be_made_to_be_only_read_or_only_written() {
    for target in TARGETS {
        let text = |access: &str| {
            let statements = format!(
                "{BEGIN}s_mov_b32 s6, 256
                 s_mov_b32 s7, 0x27000
                 {access}"
            );
            Watched::assembly(target, Check::Bounds, &statements).buffer(64)
        };
        let load = "buffer_load_dword v2, v1, s[4:7], 0 offen";
        let store = "buffer_store_dword v0, v1, s[4:7], 0 offen";
        let add = "buffer_atomic_add v0, v1, s[4:7], 0 offen";
        let scalar = "s_load_dword s8, s[4:5], 0x0";
        for (access, rule, expected) in [
            (load, AccessRule::ReadOnly, None),
            (scalar, AccessRule::ReadOnly, None),
            (
                store,
                AccessRule::ReadOnly,
                Some("store-to-read-only buffer_store_dword"),
            ),
            (
                add,
                AccessRule::ReadOnly,
                Some("store-to-read-only buffer_atomic_add"),
            ),
            (
                load,
                AccessRule::WriteOnly,
                Some("load-from-write-only buffer_load_dword"),
            ),
            (
                scalar,
                AccessRule::WriteOnly,
                Some("load-from-write-only s_load_dword"),
            ),
            (store, AccessRule::WriteOnly, None),
            (
                add,
                AccessRule::WriteOnly,
                Some("load-from-write-only buffer_atomic_add"),
            ),
            (load, AccessRule::MappedForReading, None),
            (scalar, AccessRule::MappedForReading, None),
            (
                store,
                AccessRule::MappedForReading,
                Some("mapped-buffer-access buffer_store_dword"),
            ),
            (
                load,
                AccessRule::MappedForWriting,
                Some("mapped-buffer-access buffer_load_dword"),
            ),
            (
                add,
                AccessRule::MappedForWriting,
                Some("mapped-buffer-access buffer_atomic_add"),
            ),
            (
                scalar,
                AccessRule::WrittenAfterUnmap,
                Some("written-after-unmap s_load_dword"),
            ),
            (store, AccessRule::WrittenAfterUnmap, None),
            (
                load,
                AccessRule::OutsideSubBuffers,
                Some("sub-buffer-overrun buffer_load_dword"),
            ),
            (
                store,
                AccessRule::OutsideSubBuffers,
                Some("sub-buffer-overrun buffer_store_dword"),
            ),
        ] {
            text(access).only(rule).finds(expected.as_slice());
        }
    }
    let kernel = vega(&format!("{BEGIN}global_load_dword v2, v1, s[4:5]")).buffer(64);
    let kernel = kernel.only(AccessRule::WriteOnly);
    kernel.run();
    let (all, _) = kernel.findings.all();
    assert_eq!(
        all[0].message,
        "loads 4 bytes of a buffer that was created write-only for kernels"
    );
    assert_eq!(all[0].place.lane, Some(0));
}

#[test]
fn an_access_has_a_finding_of_each_kind() {
    // The lanes before the one that leaves the buffer load what must not be loaded.
    let load = vega(&format!("{BEGIN}global_load_dword v2, v1, s[4:5]")).buffer(63);
    let load = load.only(AccessRule::WriteOnly);
    load.finds(&[
        "global-out-of-bounds global_load_dword",
        "load-from-write-only global_load_dword",
    ]);
    let (all, _) = load.findings.all();
    let lanes: Vec<_> = all.iter().map(|it| (it.place.lane, it.count)).collect();
    assert_eq!(lanes, [(Some(63), 1), (Some(0), 1)]);
    // Lanes of one instruction that leave two memories.
    let flat = vega(
        "s_mov_b64 s[4:5], src_shared_base
         v_cmp_gt_u32 vcc, 32, v0
         v_mov_b32 v2, 0x100
         v_mov_b32 v3, s5
         v_cndmask_b32 v3, 1, v3, vcc
         flat_store_dword v[2:3], v0",
    );
    flat.finds(&[
        "global-out-of-bounds flat_store_dword",
        "lds-out-of-bounds flat_store_dword",
    ]);
    let (all, _) = flat.findings.all();
    let lanes: Vec<_> = all.iter().map(|it| it.place.lane).collect();
    assert_eq!(lanes, [Some(32), Some(0)]);
}

//! Tests of memory operations that take effect as late as the wait counters allow: correct programs have the same
//! results, and a missing wait changes them.

mod common;

use common::{ALL, CI_VI, GFX9, LANES, NINE, SI, code};
use gcn_emu::Code;
use gcn_emu::device::{Config, Device};
use gcn_emu::observe::Observers;
use gcn_emu::run::{Dispatch, Finished, Initial, InitialSgpr, run};
use gcn_isa::Target;

const DWORDS: usize = 512;

/// Runs one workgroup, and returns the buffer, which initially contains 0, 1, 2, …. Its address is in s[0:1] and in
/// v[10:11]; v0 is the work-item ID, and v12 is four times that.
fn results(name: &str, late: Option<u64>, items: u32, text: &str) -> (Vec<u32>, Finished) {
    let target = Target::named(name).expect("it exists");
    let mut config = Config::new(target.isa);
    config.late = late;
    let mut device = Device::new(config);
    let buffer = device
        .memory
        .allocate("buffer", 4 * DWORDS as u64)
        .expect("memory");
    let contents: Vec<u8> = (0..DWORDS as u32).flat_map(u32::to_le_bytes).collect();
    assert!(device.memory.write(buffer, &contents));
    let text = format!(
        "v_mov_b32 v10, s0\n v_mov_b32 v11, s1\n v_lshlrev_b32 v12, 2, v0\n s_mov_b32 m0, -1\n {text}\n s_endpgm"
    );
    let code = Code::new(target.isa, 0x1000, &code(target, &text), 24, 32);
    let sgprs = [buffer, buffer >> u32::BITS].map(|half| InitialSgpr::Value(half as u32));
    let dispatch = Dispatch {
        kernel: None,
        kernarg: None,
        restricted: Vec::new(),
        acquires: true,
        entry: 0x1000,
        grid: [items, 1, 1],
        group: [items, 1, 1],
        lds_bytes: 1024,
        scratch_bytes_per_lane: 0,
        initial: Initial {
            sgprs: sgprs.to_vec(),
            work_item_ids: 1,
            mode: 0,
        },
    };
    let finished = run(&mut device, &code, &dispatch, &Observers::none()).expect("it starts");
    let mut bytes = vec![0; 4 * DWORDS];
    assert!(device.memory.read(buffer, &mut bytes));
    let dwords = bytes.as_chunks().0.iter().map(|it| u32::from_le_bytes(*it));
    (dwords.collect(), finished)
}

/// Asserts that a program has the same results with and without late operations, or different ones.
#[track_caller]
fn compare(name: &str, text: &str, is_same: bool) {
    let text = &text.replace("ADD", add(name));
    let (early, _) = results(name, None, 64, text);
    for seed in [1, 2, 77] {
        let (late, finished) = results(name, Some(seed), 64, text);
        assert!(finished.fault.is_none(), "{name}: {text}");
        assert_eq!(early == late, is_same, "{name}, seed {seed}: {text}");
    }
}

/// Addition of a generation with carry-out to VCC.
fn add(target: &str) -> &'static str {
    match target {
        SI | "gfx700" => "v_add_i32",
        "gfx803" => "v_add_u32",
        _ => "v_add_co_u32",
    }
}

/// Store of v5 to the work-item's element in the second half of the buffer. ADD stands for [`add`].
fn store(target: &str) -> &'static str {
    match target {
        SI => {
            "s_mov_b32 s6, -1\n s_mov_b32 s7, 0x27000\n s_mov_b64 s[4:5], s[0:1]\n buffer_store_dword v5, v12, s[4:7], 0 offen offset:1024"
        }
        "gfx700" | "gfx803" => {
            "ADD v13, vcc, 0x400, v12\n ADD v13, vcc, s0, v13\n v_mov_b32 v14, v11\n flat_store_dword v[13:14], v5"
        }
        _ => "global_store_dword v12, v5, s[0:1] offset:1024",
    }
}

#[test]
fn waits_hide_late_operations() {
    for target in ALL {
        let store = store(target);
        let lds = "ds_write_b32 v12, v0\n s_waitcnt lgkmcnt(0)\n ds_read_b32 v5, v12\n";
        compare(
            target,
            &format!("{lds} s_waitcnt lgkmcnt(0)\n {store}"),
            true,
        );
        let early_use = format!("{lds} ADD v5, vcc, 1, v5\n {store}");
        compare(target, &early_use, false);
        let is_in_dwords = matches!(*target, "gfx600" | "gfx700");
        let offset = if is_in_dwords { "2" } else { "0x8" };
        let scalar = format!("s_load_dword s9, s[0:1], {offset}\n");
        let waited = format!("{scalar} s_waitcnt lgkmcnt(0)\n v_mov_b32 v5, s9\n {store}");
        compare(target, &waited, true);
        compare(
            target,
            &format!("{scalar} v_mov_b32 v5, s9\n {store}"),
            false,
        );
    }
}

#[test]
fn operations_have_the_registers_of_their_issue() {
    // Sources, EXEC and the descriptor change before the wait. The destination is written when the load returns, even
    // if it was overwritten before.
    let sources = "global_load_dword v5, v12, s[0:1] offset:16\n v_mov_b32 v12, 0\n s_mov_b64 exec, 1\n s_mov_b64 s[0:1], 0\n \
                   s_waitcnt vmcnt(0)\n s_mov_b64 exec, -1\n v_lshlrev_b32 v12, 2, v0\n v_readfirstlane_b32 s0, v10\n \
                   v_readfirstlane_b32 s1, v11\n global_store_dword v12, v5, s[0:1] offset:1024\n v_mov_b32 v5, 0";
    compare(GFX9, sources, true);
    let overwritten = "global_load_dword v5, v12, s[0:1] offset:16\n v_mov_b32 v5, 7\n s_waitcnt vmcnt(0)\n \
                       global_store_dword v12, v5, s[0:1] offset:1024";
    compare(GFX9, overwritten, false);
    let (late, _) = results(GFX9, Some(1), 64, overwritten);
    assert_eq!(
        late[256..320],
        (4..68).collect::<Vec<u32>>()[..],
        "the load comes last"
    );
}

#[test]
fn operations_of_one_kind_are_in_order() {
    // The load after a store to the same address, and, of two loads, the first, whose wait allows one outstanding
    // operation.
    let text = "v_mov_b32 v5, 9\n global_store_dword v12, v5, s[0:1]\n global_load_dword v6, v12, s[0:1]\n \
                global_load_dword v7, v12, s[0:1] offset:256\n s_waitcnt vmcnt(1)\n global_store_dword v12, v6, s[0:1] offset:1024\n \
                s_waitcnt vmcnt(0)\n global_store_dword v12, v7, s[0:1] offset:1280";
    compare(GFX9, text, true);
    // The second load's value may not be used yet.
    compare(
        GFX9,
        &text
            .replacen("s[0:1] offset:1024", "s[0:1] offset:1536", 1)
            .replacen("v12, v6", "v12, v7", 1),
        false,
    );
    // Scalar loads are unordered: a wait that allows one outstanding load guarantees neither.
    let scalar = "s_load_dword s8, s[0:1], 0x4\n s_load_dword s9, s[0:1], 0x8\n s_waitcnt lgkmcnt(1)\n v_mov_b32 v5, s8\n \
                  global_store_dword v12, v5, s[0:1] offset:1024";
    compare(GFX9, scalar, false);
}

#[test]
fn flat_waits_by_the_aperture_of_its_lanes() {
    for target in CI_VI.iter().chain(NINE) {
        let store = store(target);
        let text = format!(
            "ADD v13, vcc, s0, v12\n v_mov_b32 v14, v11\n flat_load_dword v5, v[13:14]\n s_waitcnt vmcnt(0)\n {store}"
        );
        compare(target, &text, true);
        compare(target, &text.replace("vmcnt(0)", "lgkmcnt(0)"), false);
    }
}

#[test]
fn a_full_counter_completes_the_oldest() {
    // 70 loads, the first into another register: the counter holds 63.
    let loads = "global_load_dword v6, v12, s[0:1] offset:4\n".repeat(69);
    let text = format!(
        "global_load_dword v5, v12, s[0:1]\n {loads} global_store_dword v12, v5, s[0:1] offset:1024"
    );
    compare(GFX9, &text, true);
}

#[test]
fn operations_that_nothing_waits_for_do_not_slow_others_down() {
    // The loads are outstanding until the turn ends. Comparing all pairs of them would take minutes.
    let text = "s_load_dword s9, s[0:1], 0x4\n".repeat(9_000);
    let (_, finished) = results(GFX9, Some(1), 64, &text);
    assert!(finished.fault.is_none());
}

#[test]
fn atomics_and_stores_take_effect_at_the_end_at_the_latest() {
    let text = "v_mov_b32 v5, 1\n v_mov_b32 v6, 0\n global_atomic_add v6, v5, s[0:1] offset:1024\n ds_add_u32 v6, v5\n \
                s_sleep 1\n ds_read_b32 v7, v6\n s_waitcnt lgkmcnt(0)\n global_store_dword v12, v7, s[0:1] offset:1280";
    compare(GFX9, text, true);
}

#[test]
fn waves_that_wait_for_each_other_go_on() {
    // Wave 0 sets a flag and waits for wave 1's answer, both in loops without a wait for their stores.
    let text = "v_readfirstlane_b32 s9, v0\n v_mov_b32 v6, 0\n v_mov_b32 v5, 1\n s_cmp_eq_u32 s9, 0\n s_cbranch_scc0 other\n \
                global_store_dword v6, v5, s[0:1] offset:1024\n\
                first:\n global_load_dword v7, v6, s[0:1] offset:1028 glc\n s_waitcnt vmcnt(0)\n v_cmp_ne_u32 vcc, 1, v7\n \
                s_cbranch_vccnz first\n s_endpgm\n\
                other:\n global_load_dword v7, v6, s[0:1] offset:1024 glc\n s_waitcnt vmcnt(0)\n v_cmp_ne_u32 vcc, 1, v7\n \
                s_cbranch_vccnz other\n global_store_dword v6, v5, s[0:1] offset:1028";
    let (late, finished) = results(GFX9, Some(1), 2 * LANES as u32, text);
    assert!(finished.fault.is_none());
    assert_eq!(late[256..258], [1, 1]);
}

#[test]
fn a_late_fault_is_the_operations() {
    let text = "v_mov_b32 v13, 0\n v_mov_b32 v14, 0\n global_load_dword v5, v[13:14], off\n v_mov_b32 v15, 1\n s_waitcnt vmcnt(0)";
    let sites = [None, Some(3)].map(|late| {
        let (_, finished) = results(GFX9, late, 64, text);
        let fault = finished.fault.expect("it faults");
        (fault.pc, fault.lane)
    });
    assert_eq!(sites[0], sites[1]);
}

#[test]
fn stores_precede_loads_of_other_waves_after_a_barrier() {
    // Each wave stores its numbers, and loads those of the other wave; the load before the store returns the old value.
    let text = "v_xor_b32 v13, 0x100, v12\n v_add_u32 v5, 0x200, v0\n global_load_dword v7, v12, s[0:1]\n \
                global_store_dword v12, v5, s[0:1]\n s_barrier\n global_load_dword v6, v13, s[0:1]\n s_waitcnt vmcnt(0)\n \
                v_add_u32 v6, v6, v7\n global_store_dword v12, v6, s[0:1] offset:1024";
    let (early, _) = results(GFX9, None, 128, text);
    let expected = (0..128).map(|item| 0x200 + (item ^ 64) + item);
    assert!(early[256..384].iter().copied().eq(expected));
    for seed in [1, 2, 77] {
        let (late, finished) = results(GFX9, Some(seed), 128, text);
        assert!(finished.fault.is_none());
        assert_eq!(early, late, "seed {seed}");
    }
}

#[test]
fn loads_precede_stores_of_other_waves_after_a_barrier() {
    // Each wave loads its numbers, stores after a barrier to the elements that the other wave has loaded, and then
    // waits.
    let text = "v_xor_b32 v13, 0x100, v12\n v_add_u32 v5, 0x200, v0\n global_load_dword v7, v12, s[0:1]\n s_barrier\n \
                global_store_dword v13, v5, s[0:1]\n s_waitcnt vmcnt(0)\n global_store_dword v12, v7, s[0:1] offset:1024";
    let early_use = text.replace("s_waitcnt vmcnt(0)", "");
    let (early, _) = results(GFX9, None, 128, text);
    assert!(early[256..384].iter().copied().eq(0..128));
    for seed in [1, 2, 77] {
        let (late, finished) = results(GFX9, Some(seed), 128, text);
        assert!(finished.fault.is_none());
        assert_eq!(early, late, "seed {seed}");
        // The register receives the loaded value only at the wait.
        let (late, _) = results(GFX9, Some(seed), 128, &early_use);
        assert_ne!(early, late, "seed {seed}");
    }
}

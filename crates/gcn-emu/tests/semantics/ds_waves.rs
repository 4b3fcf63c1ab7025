//! Tests of section 2 of the checklist, DS: state that waves share (LDS_DIRECT, contents of LDS, barriers, GWS, order).

use super::scalar::program;
use crate::common::*;
use gcn_emu::device::{Config, LdsFill};
use gcn_emu::fault::FaultKind;
use gcn_emu::internals::Attempt;
use gcn_emu::run::{Initial, InitialSgpr};
use gcn_isa::Target;

/// Kernel that sets dword `l` of LDS to `l` times 0x10204, exclusive-ored with 0x80f0c0a0. It then reads LDS_DIRECT
/// with each value of M0, and stores a row of dwords for each to the buffer at s[0:1].
fn direct_reads(m0: &[u32]) -> String {
    let mut text =
        "s_mov_b32 s8, s0\ns_mov_b32 s9, s1\ns_mov_b32 s10, 4096\ns_mov_b32 s11, 0x27fac\n\
        v_lshlrev_b32 v1, 2, v0\nv_mul_u32_u24 v2, 0x10204, v0\nv_xor_b32 v2, 0x80f0c0a0, v2\n\
        s_mov_b32 m0, -1\nds_write_b32 v1, v2\ns_waitcnt lgkmcnt(0)\n"
            .to_owned();
    for (row, m0) in m0.iter().enumerate() {
        text += &format!(
            "s_mov_b32 m0, {m0:#x}\nv_mov_b32 v3, src_lds_direct\ns_movk_i32 s4, {}\n\
             buffer_store_dword v3, v1, s[8:11], s4 offen\n",
            256 * row
        );
    }
    text + "s_endpgm"
}

#[test]
fn e246_lds_direct_is_one_value_for_all_lanes() {
    // Errata E246
    let dword = |l: u32| (l * 0x1_0204) ^ 0x80f0_c0a0;
    let rows = [
        (0x2_0000 | (4 * 9), dword(9)),
        // The low address bits are ignored.
        (0x2_0000 | (4 * 9 + 3), dword(9)),
        (4 * 9 + 1, (dword(9) >> 8) & 0xff),
        (0x1_0000 | (4 * 9 + 2), dword(9) >> 16),
        (0x4_0000 | (4 * 9 + 3), (dword(9) as i32 >> 24) as u32),
        (0x5_0000 | (4 * 9 + 3), (dword(9) as i32 >> 16) as u32),
        // The highest bits are ignored, and reads beyond the allocation return 0.
        (0xfff8_0000 | 0x2_0000 | (4 * 63), dword(63)),
        (0x2_ffc0, 0),
    ];
    for name in ALL {
        let target = Target::named(name).expect("it exists");
        let mut device = gcn_emu::device::Device::new(Config::new(target.isa));
        let buffer = (device.memory.allocate("out", 4096)).expect("there is memory");
        let initial = with_buffer(buffer);
        let source = direct_reads(&rows.map(|(m0, _)| m0));
        let done = dispatch(&mut device, target, &source, 1, 64, initial);
        assert_eq!(done.fault, None, "{name}");
        for (row, (m0, expected)) in (0..).zip(rows) {
            for lane in [0, 40, 63] {
                let is = device.memory.load_u32(buffer + 256 * row + 4 * lane);
                assert_eq!(is, Some(expected), "{name}: M0 is {m0:#x}, lane {lane}");
            }
        }
    }
}

/// Initial registers for a kernel that expects the address of its buffer in s[0:1] and work-item IDs in v0.
pub fn with_buffer(buffer: u64) -> Initial {
    Initial {
        sgprs: [buffer, buffer >> 32]
            .map(|half| InitialSgpr::Value(half as u32))
            .into(),
        work_item_ids: 1,
        mode: 0,
    }
}

/// Kernel whose two waves wait for each other at a counter in LDS, like MIOpen's Winograd kernels: DS_APPEND counts
/// lanes, and LDS_DIRECT is compared with the expected number.
const COUNTED_BARRIER: &str = "s_movk_i32 s4, 0x80\ns_mov_b32 m0, 0x1ffff\nds_append v1 offset:64\ns_mov_b32 m0, 0x20040\nwait:\n\
    v_cmp_eq_u32_e64 vcc, src_lds_direct, s4\ns_cbranch_vccz wait\n\
    v_lshlrev_b32 v1, 2, v0\nv_mov_b32 v2, 0x80\nglobal_store_dword v1, v2, s[0:1]\ns_endpgm";

#[test]
fn e246_waves_wait_at_a_counter_in_lds() {
    // Errata E051: DS_APPEND ignores M0.
    for name in NINE {
        let target = Target::named(name).expect("it exists");
        let mut config = Config::new(target.isa);
        config.limit = Some(1_000_000);
        let mut device = gcn_emu::device::Device::new(config);
        let buffer = device.memory.allocate("out", 512).expect("there is memory");
        let initial = with_buffer(buffer);
        let done = dispatch(&mut device, target, COUNTED_BARRIER, 1, 128, initial);
        assert_eq!(done.fault, None, "{name}");
        for lane in 0..128 {
            assert_eq!(
                device.memory.load_u32(buffer + 4 * lane),
                Some(0x80),
                "{lane}"
            );
        }
    }
}

/// Kernel that stores the first 256 bytes of LDS to the buffer at s[0:1], and then writes to them.
const READ_LDS: &str = "v_lshlrev_b32 v1, 2, v0\ns_mov_b32 m0, -1\nds_read_b32 v2, v1\n\
    s_waitcnt lgkmcnt(0)\nglobal_store_dword v1, v2, s[0:1]\nds_write_b32 v1, v1\ns_endpgm";

#[test]
fn s2_29_lds_is_zero_or_random() {
    let target = Target::named(GFX9).expect("it exists");
    let first = |fill| {
        let mut config = Config::new(target.isa);
        config.lds_fill = fill;
        let mut device = gcn_emu::device::Device::new(config);
        let buffer = device.memory.allocate("out", 256).expect("there is memory");
        let initial = with_buffer(buffer);
        // The second workgroup runs after the first one has written.
        let done = dispatch(&mut device, target, READ_LDS, 2, 64, initial);
        assert_eq!(done.fault, None);
        let mut bytes = [0; 256];
        assert!(device.memory.read(buffer, &mut bytes));
        bytes
    };
    assert_eq!(first(LdsFill::Zero), [0; 256]);
    let noise = first(LdsFill::Random(1));
    assert!(noise.iter().filter(|b| **b != 0).count() > 200);
    assert_eq!(
        noise,
        first(LdsFill::Random(1)),
        "the same seed, the same noise"
    );
    assert_ne!(noise, first(LdsFill::Random(2)));
}

#[test]
fn s2_30_gws_semaphores() {
    // E048
    on(ALL, |m| {
        m.exec(0b100).set(0, |l| 10 * l as u32).s(M0, 5 << 16);
        m.run("ds_gws_init v0 offset:3 gds");
        // Resource 8, as another sum of M0 and offset.
        m.s(M0, 8 << 16);
        for _ in 0..20 {
            m.run("ds_gws_sema_p gds");
        }
        assert_eq!(
            m.try_run("ds_gws_sema_p gds"),
            Ok(Attempt::Blocked),
            "20 was lane 2's"
        );
        m.run("ds_gws_sema_v gds\nds_gws_sema_p gds");
        assert_eq!(m.try_run("ds_gws_sema_p gds"), Ok(Attempt::Blocked));
        m.set(0, |_| 2)
            .run("ds_gws_sema_br v0 gds\nds_gws_sema_p gds\nds_gws_sema_p gds");
        assert_eq!(m.try_run("ds_gws_sema_p gds"), Ok(Attempt::Blocked));
        // 63 + 9 is 8 modulo 64.
        m.s(M0, 63 << 16).run("ds_gws_sema_v offset:9 gds");
        m.s(M0, 8 << 16).run("ds_gws_sema_p gds");
    });
    on(FROM_CI, |m| {
        m.s(M0, 0);
        assert_eq!(m.try_run("ds_gws_sema_p gds"), Ok(Attempt::Blocked));
        // Another wave releases this one.
        let waiting = m.wave.gws_ticket.take();
        m.run("ds_gws_sema_release_all gds");
        m.wave.gws_ticket = waiting;
        m.run("ds_gws_sema_p gds");
        assert_eq!(m.try_run("ds_gws_sema_p gds"), Ok(Attempt::Blocked));
    });
}

/// Kernel in which each workgroup adds 1 to a counter, waits for the others at a GWS barrier, and stores the counter's
/// value.
const GWS_BARRIER: &str = "s_mov_b32 m0, 0\nv_mov_b32 v1, s4\nds_gws_init v1 gds\n\
    v_mov_b32 v2, 0\nv_mov_b32 v3, 1\n\
    s_mov_b64 exec, 1\nglobal_atomic_add v2, v3, s[0:1]\ns_waitcnt vmcnt(0)\n\
    ds_gws_barrier v1 gds\ns_waitcnt lgkmcnt(0)\n\
    global_load_dword v4, v2, s[0:1]\ns_lshl_b32 s3, s2, 2\nv_mov_b32 v5, s3\ns_waitcnt vmcnt(0)\n\
    global_store_dword v5, v4, s[0:1] offset:4\n\
    ds_gws_barrier v1 gds\nglobal_atomic_add v2, v3, s[0:1]\ns_endpgm";

#[test]
fn s2_30_gws_barrier_across_workgroups_and_threads() {
    const GROUPS: u32 = 24;
    for threads in [1, 3] {
        for name in NINE {
            let target = Target::named(name).expect("it exists");
            let mut config = Config::new(target.isa);
            config.threads = threads;
            let mut device = gcn_emu::device::Device::new(config);
            let buffer = device
                .memory
                .allocate("out", 4096)
                .expect("there is memory");
            let initial = |others| Initial {
                sgprs: vec![
                    InitialSgpr::Value(buffer as u32),
                    InitialSgpr::Value((buffer >> 32) as u32),
                    InitialSgpr::GroupId(0),
                    InitialSgpr::Value(0),
                    InitialSgpr::Value(others),
                ],
                work_item_ids: 1,
                mode: 0,
            };
            let done = dispatch(
                &mut device,
                target,
                GWS_BARRIER,
                GROUPS,
                64,
                initial(GROUPS - 1),
            );
            assert_eq!(done.fault, None, "{threads} threads");
            assert_eq!(device.memory.load_u32(buffer), Some(2 * GROUPS));
            for group in 0..u64::from(GROUPS) {
                assert_eq!(device.memory.load_u32(buffer + 4 + 4 * group), Some(GROUPS));
            }
            // One more than the number of workgroups: all are blocked, and the run reports it.
            let done = dispatch(
                &mut device,
                target,
                GWS_BARRIER,
                GROUPS,
                64,
                initial(GROUPS),
            );
            let kind = done.fault.map(|f| f.kind);
            let expected = FaultKind::Blocked {
                at_barrier: 0,
                at_gws: 1,
                ended: 0,
            };
            assert_eq!(kind, Some(expected), "{threads} threads");
        }
    }
}

/// Kernel in which each wave adds 1 to a counter, polls it until the others have done so, too, and stores its value.
/// The text between the two halves is executed for each poll.
const MEMORY_BARRIER: [&str; 2] = [
    "v_mov_b32 v2, 0\nv_mov_b32 v3, 1\ns_mov_b32 s6, 0\ns_mov_b64 exec, 1\n\
    global_atomic_add v2, v3, s[0:1]\nlook:\n",
    "global_load_dword v4, v2, s[0:1] glc\ns_waitcnt vmcnt(0)\n\
    v_readfirstlane_b32 s5, v4\ns_cmp_lt_u32 s5, s4\ns_cbranch_scc1 look\n\
    s_lshl_b32 s3, s2, 2\nv_mov_b32 v5, s3\nglobal_store_dword v5, v4, s[0:1] offset:4\ns_endpgm",
];

#[test]
fn e243_many_workgroups_wait_for_each_other_by_memory() {
    const GROUPS: u32 = 50;
    // Errata E243: a thread polls in a loop that changes nothing, sleeps, has a barrier, or counts.
    for (waves, each_time) in [
        (1, ""),
        (1, "s_sleep 2\n"),
        (2, "s_barrier\n"),
        (1, "s_add_u32 s6, s6, 1\n"),
    ] {
        for threads in [1, 3] {
            let target = Target::named("gfx900").expect("it exists");
            let mut config = Config::new(target.isa);
            config.threads = threads;
            config.quantum = 200;
            config.limit = Some(20_000_000);
            let mut device = gcn_emu::device::Device::new(config);
            let buffer = device
                .memory
                .allocate("out", 4096)
                .expect("there is memory");
            let initial = Initial {
                sgprs: vec![
                    InitialSgpr::Value(buffer as u32),
                    InitialSgpr::Value((buffer >> 32) as u32),
                    InitialSgpr::GroupId(0),
                    InitialSgpr::Value(0),
                    InitialSgpr::Value(waves * GROUPS),
                ],
                work_item_ids: 1,
                mode: 0,
            };
            let source = MEMORY_BARRIER.join(each_time);
            let done = dispatch(&mut device, target, &source, GROUPS, 64 * waves, initial);
            assert_eq!(done.fault, None, "{each_time:?}, {threads} threads");
            for group in 0..u64::from(GROUPS) {
                let seen = device.memory.load_u32(buffer + 4 + 4 * group);
                assert_eq!(seen, Some(waves * GROUPS), "{each_time:?}, {group}");
            }
        }
    }
}

/// The fault has its own address and that of the jump, even if the wave's turn ends after the jump.
#[test]
fn a_wave_that_leaves_the_code_is_reported_with_the_jump() {
    for quantum in [1, 2, 3, 4, 100] {
        for (distance, misaligned) in [(10, true), (0x1000, false), (0x1001, true)] {
            let target = Target::named("gfx900").expect("it exists");
            let mut config = Config::new(target.isa);
            config.quantum = quantum;
            let mut device = gcn_emu::device::Device::new(config);
            let initial = Initial {
                sgprs: Vec::new(),
                work_item_ids: 1,
                mode: 0,
            };
            let source = format!(
                "s_getpc_b64 s[4:5]\ns_add_u32 s4, s4, {distance}\ns_setpc_b64 s[4:5]\ns_endpgm"
            );
            let done = dispatch(&mut device, target, &source, 1, 64, initial);
            let fault = done.fault.expect("it leaves the code");
            // The distance counts from the end of the first instruction. A literal makes the second instruction longer.
            let behind_first = fault.pc - distance;
            let from = Some(behind_first + if distance <= 64 { 4 } else { 8 });
            let kind = match misaligned {
                true => FaultKind::PcMisaligned { from },
                false => FaultKind::PcOutside { from },
            };
            assert_eq!(fault.kind, kind, "{quantum}, {distance:#x}");
            let text = fault.from.and_then(|site| site.text);
            assert_eq!(text.as_deref(), Some("s_setpc_b64 s[4:5]"));
        }
    }
}

#[test]
fn s2_31_waves_count_in_order() {
    // E008, E049
    on(ALL, |m| {
        // Base 64, wave 0, and a counter at dword 1. The operand is that of the first active lane.
        m.s(124, 64 << 16).set_gds(68, 100);
        m.exec(0b1100).set(2, |lane| 10 + lane as u32).set(1, |_| 7);
        m.run("ds_ordered_count v1, v2 offset:4 gds");
        assert_eq!((m.v(1, 0), m.v(1, 2), m.v(1, 3)), (7, 100, 100));
        assert_eq!(m.gds32(68), 112);
        // An exchange with wave_release, which passes the turn on.
        m.run("ds_ordered_count v1, v2 offset:0x1104 gds");
        assert_eq!((m.v(1, 2), m.gds32(68)), (112, 12));
        let again = m.try_run("ds_ordered_count v1, v2 offset:4 gds");
        assert_eq!(again, Ok(Attempt::Blocked), "wave 0 has had its turn");
        // Wave 1 has no active lanes: it adds nothing, and passes the turn on.
        m.s(124, 64 << 16 | 1).exec(0);
        m.run("ds_ordered_count v1, v2 offset:0x204 gds");
        assert_eq!(m.gds32(68), 12);
        m.s(124, 64 << 16 | 2).exec(1);
        m.run("ds_ordered_count v1, v2 offset:4 gds");
        assert_eq!((m.v(1, 0), m.gds32(68)), (12, 22));
    });
}

#[test]
fn instructions_without_a_section_run() {
    // E045. The listings' operator precedence (E072): the offset is masked, not the sum of pointers.
    on(FROM_VI, |m| {
        m.exec(1)
            .set_lds(0, 0)
            .set(0, |_| 0)
            .set(1, |_| 1.0f32.to_bits());
        m.run("ds_add_rtn_f32 v2, v0, v1\nds_add_src2_f32 v0\nds_gws_sema_v gds\ns_dcache_wb");
        assert_eq!(m.lds32(0), 2.0f32.to_bits());
    });
}

#[test]
fn stores_take_their_data_at_issue() {
    // E107: the emulator does not have the hazard.
    for name in NINE {
        let text = "v_lshlrev_b32 v0, 4, v0\nv_mov_b32 v1, 1\nv_mov_b32 v2, 2\nv_mov_b32 v3, 3\nv_mov_b32 v4, 4\n\
            global_store_dwordx4 v0, v[1:4], s[0:1]\nv_mov_b32 v4, 9\ns_endpgm";
        assert_eq!(program(name, text, &[0; 256])[..4], [1, 2, 3, 4], "{name}");
    }
}

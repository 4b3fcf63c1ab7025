//! Tests of section 4 of the checklist: SMEM.

use super::ds_waves::with_buffer;
use super::flat_addresses::count_up;
use crate::common::*;
use gcn_emu::device::{Config, OnViolation};
use gcn_emu::fault::{FaultKind, Intent};
use gcn_isa::{Isa, Target};

#[test]
fn s4_1_scalar_addresses() {
    // E110, E113, E133
    on(FROM_VI, |m| {
        let buffer = m.buffer(&count_up(64));
        m.s64(2, buffer + 2)
            .s(6, 7)
            .run("s_load_dword s4, s[2:3], 0xb");
        assert_eq!(m.wave.scalar(4), 2);
        m.run("s_load_dword s4, s[2:3], s6");
        assert_eq!(m.wave.scalar(4), 1, "each part is masked by itself");
        m.s64(2, buffer - (1 << 31))
            .s(6, 0x8000_0010)
            .run("s_load_dword s4, s[2:3], s6");
        assert_eq!(m.wave.scalar(4), 4, "the register has no sign");
    });
    on(NINE, |m| {
        let buffer = m.buffer(&count_up(64));
        m.s64(2, buffer + 64).run("s_load_dword s4, s[2:3], -4");
        assert_eq!(m.wave.scalar(4), 15);
        m.s(6, 16).run("s_load_dword s4, s[2:3], s6 offset:-0x10");
        assert_eq!(m.wave.scalar(4), 16);
    });
    let mut m = Machine::new(VI);
    let buffer = m.buffer(&count_up(64));
    m.s64(2, buffer.wrapping_sub(0xf_fffc))
        .run("s_load_dword s4, s[2:3], 0xffffc");
    assert_eq!(m.wave.scalar(4), 0, "no sign on GCN 1.2");
    // SMRD offsets are in dwords, but in bytes if in a register.
    on(&[SI, CI], |m| {
        let buffer = m.buffer(&count_up(400));
        m.s64(2, buffer)
            .s(6, 12)
            .run("s_load_dword s4, s[2:3], 0x5\ns_load_dword s5, s[2:3], s6");
        assert_eq!((m.wave.scalar(4), m.wave.scalar(5)), (5, 3));
    });
    let mut m = Machine::new(CI);
    let buffer = m.buffer(&count_up(400));
    m.s64(2, buffer).run("s_load_dword s4, s[2:3], 0x12c");
    assert_eq!(m.wave.scalar(4), 300, "a literal counts dwords as well");
}

#[test]
fn s4_2_imm_and_soe() {
    // E025, E108, E109, E111
    on(FROM_VI, |m| {
        let buffer = m.buffer(&count_up(64));
        m.s64(2, buffer).s(4, 8);
        m.run_words(&[0xc000_0041, 0x0000_0004]).expect("it runs");
        assert_eq!(m.wave.scalar(1), 2, "(0,0): a register");
        m.run_words(&[0xc002_0041, 0x0000_0010]).expect("it runs");
        assert_eq!(m.wave.scalar(1), 4, "(1,0): an immediate");
    });
    on(NINE, |m| {
        let buffer = m.buffer(&count_up(64));
        m.s64(2, buffer).s(4, 8);
        m.run_words(&[0xc002_4041, 0x0800_0010]).expect("it runs");
        assert_eq!(m.wave.scalar(1), 6, "(1,1): both");
        m.run_words(&[0xc000_4041, 0x0800_0010]).expect("it runs");
        assert_eq!(m.wave.scalar(1), 2, "(0,1): the register in SOFFSET");
    });
}

#[test]
fn s4_3_m0_may_be_the_offset() {
    // E026, E122
    on(FROM_VI, |m| {
        let buffer = m.buffer(&count_up(64));
        m.s64(2, buffer)
            .s(M0, 20)
            .run("s_load_dword s4, s[2:3], m0");
        assert_eq!(m.wave.scalar(4), 5);
        m.s(4, 77).run("s_store_dword s4, s[2:3], m0");
        assert_eq!(m.mem(buffer + 20), 77);
    });
    on(NINE, |m| {
        let buffer = m.buffer(&count_up(64));
        m.s64(2, buffer)
            .s(5, 24)
            .s(4, 77)
            .run("s_store_dword s4, s[2:3], s5");
        assert_eq!(m.mem(buffer + 24), 77);
    });
}

#[test]
fn s4_4_scalar_scratch_counts_64_bytes() {
    // E121, E116
    on(NINE, |m| {
        let buffer = m.buffer(&count_up(64));
        m.s64(2, buffer)
            .s(6, 1)
            .run("s_scratch_load_dword s4, s[2:3], s6");
        assert_eq!(m.wave.scalar(4), 16);
        m.s(6, 3)
            .run("s_scratch_load_dwordx2 s[4:5], s[2:3], s6 offset:0x8");
        assert_eq!((m.wave.scalar(4), m.wave.scalar(5)), (50, 51));
        m.s(4, 9).run("s_scratch_store_dword s4, s[2:3], 0x6");
        assert_eq!(m.mem(buffer + 4), 9, "the immediate is not scaled");
    });
}

#[test]
fn s4_5_scalar_buffers_have_bounds() {
    // E119
    on(ALL, |m| {
        let buffer = m.buffer(&count_up(64));
        let high = (buffer >> 32) as u32;
        // Stride 0: NUM_RECORDS is in bytes.
        m.s(8, buffer as u32).s(9, high).s(10, 24).s(11, u32::MAX);
        let imm = if m.target.isa < Isa::Vi { 4 } else { 16 };
        m.run(&format!("s_buffer_load_dwordx4 s[4:7], s[8:11], {imm:#x}"));
        assert_eq!(
            [4, 5, 6, 7].map(|s| m.wave.scalar(s)),
            [4, 5, 0, 0],
            "per dword"
        );
        // Stride 8, three records; swizzling does not matter.
        m.s(9, high | 8 << 16 | 1 << 31).s(10, 3);
        m.run(&format!("s_buffer_load_dwordx4 s[4:7], s[8:11], {imm:#x}"));
        assert_eq!([4, 5, 6, 7].map(|s| m.wave.scalar(s)), [4, 5, 0, 0]);
        m.s(12, 22).run("s_buffer_load_dword s4, s[8:11], s12");
        assert_eq!(m.wave.scalar(4), 5);
        m.s(12, 24).run("s_buffer_load_dword s4, s[8:11], s12");
        assert_eq!((m.wave.scalar(4), m.violated()), (0, false));
    });
    on(FROM_VI, |m| {
        let buffer = m.buffer(&count_up(64));
        m.s(8, buffer as u32)
            .s(9, (buffer >> 32) as u32)
            .s(10, 8)
            .s(4, 90)
            .s(5, 91);
        m.run("s_buffer_store_dwordx2 s[4:5], s[8:11], 0x4");
        assert_eq!((m.mem(buffer + 4), m.mem(buffer + 8)), (90, 2));
    });
    on(NINE, |m| {
        let buffer = m.buffer(&count_up(64));
        m.s(8, buffer as u32)
            .s(9, (buffer >> 32) as u32)
            .s(10, 8)
            .s(4, 90)
            .s(5, 0);
        m.run("s_buffer_atomic_add s4, s[8:11], 0x8 glc");
        assert_eq!((m.wave.scalar(4), m.mem(buffer + 8)), (0, 2));
        m.s(4, 90).run("s_buffer_atomic_add s4, s[8:11], 0x4 glc");
        assert_eq!((m.wave.scalar(4), m.mem(buffer + 4)), (1, 91));
        m.s(6, 4)
            .s(7, 8)
            .run("s_buffer_load_dword s4, s[8:11], s6 offset:0x0");
        assert_eq!(m.wave.scalar(4), 91);
    });
}

#[test]
fn s4_6_discard_addresses_lines() {
    // E123
    on(NINE, |m| {
        let buffer = m.buffer(&count_up(64));
        m.s64(2, buffer)
            .s(4, 0x44)
            .run("s_dcache_discard s[2:3], s4");
        assert_eq!(
            (
                m.transfer.access_mut().address[0],
                m.transfer.access_mut().bytes,
                m.transfer.access_mut().intent
            ),
            (buffer + 64, 64, None)
        );
        m.run("s_dcache_discard_x2 s[2:3], s4 offset:0x40");
        assert_eq!(
            (
                m.transfer.access_mut().address[0],
                m.transfer.access_mut().bytes
            ),
            (buffer + 128, 128)
        );
        assert_eq!(m.mem(buffer + 64), 16);
    });
}

#[test]
fn s4_7_scalar_loads_and_stores() {
    // E003, E133
    on(ALL, |m| {
        let buffer = m.buffer(&count_up(64));
        m.s64(2, buffer)
            .run("s_load_dwordx16 s[16:31], s[2:3], 0x0\ns_load_dwordx8 s[32:39], s[2:3], 0x8");
        assert_eq!((m.wave.scalar(16), m.wave.scalar(31)), (0, 15));
        let first = if m.target.isa < Isa::Vi { 8 } else { 2 };
        assert_eq!((m.wave.scalar(32), m.wave.scalar(39)), (first, first + 7));
    });
    on(FROM_VI, |m| {
        let buffer = m.buffer(&[0; 8]);
        m.s64(2, buffer).s(4, 1).s(5, 2).s(6, 3).s(7, 4);
        m.run("s_store_dwordx4 s[4:7], s[2:3], 0x0\ns_store_dwordx2 s[6:7], s[2:3], 0x10");
        assert_eq!([0, 12, 16, 20].map(|a| m.mem(buffer + a)), [1, 4, 3, 4]);
        m.s64(2, 0);
        let fault = FaultKind::Unmapped {
            intent: Intent::Store,
            address: 8,
            bytes: 4,
        };
        assert_eq!(
            m.try_run("s_store_dword s4, s[2:3], 0x8"),
            Err((fault, None))
        );
        m.device.config.on_violation = OnViolation::Continue;
        m.run("s_load_dwordx2 s[6:7], s[2:3], 0x8");
        assert_eq!((m.wave.scalar(6), m.wave.scalar(7)), (0, 0));
    });
}

#[test]
fn s4_8_scalar_atomics() {
    // E112, E115, E117, E118, E131, E004
    on(NINE, |m| {
        let buffer = m.buffer(&[7, 0, 8, 0]);
        m.s64(2, buffer)
            .s(4, 9)
            .s(5, 7)
            .run("s_atomic_cmpswap s[4:5], s[2:3], 0x0 glc");
        assert_eq!(
            (m.wave.scalar(4), m.wave.scalar(5), m.mem(buffer)),
            (7, 7, 9)
        );
        m.s(4, 3).run("s_atomic_add s4, s[2:3], 0x0");
        assert_eq!(
            (m.wave.scalar(4), m.mem(buffer)),
            (3, 12),
            "no return without glc"
        );
        m.s64(8, 1 << 40)
            .s64(10, 8)
            .run("s_atomic_cmpswap_x2 s[8:11], s[2:3], 0x8 glc");
        assert_eq!(
            (m.wave.scalar64(8), m.wave.scalar64(10), m.mem64(buffer + 8)),
            (8, 8, 1 << 40)
        );
        m.s(4, u32::MAX)
            .run("s_atomic_smax s4, s[2:3], 0x0\ns_atomic_dec s4, s[2:3], 0x0");
        assert_eq!(m.mem(buffer), 11);
        m.s(4, 5)
            .run("s_atomic_sub s4, s[2:3], 0x0\ns_atomic_smin s4, s[2:3], 0x0");
        assert_eq!(m.mem(buffer), 5);
        let fault = FaultKind::Misaligned {
            address: buffer + 4,
            bytes: 8,
        };
        assert_eq!(
            m.try_run("s_atomic_add_x2 s[8:9], s[2:3], 0x4"),
            Err((fault, None))
        );
    });
}

#[test]
fn s4_9_times() {
    // E126
    on(ALL, |m| {
        m.run("s_memtime s[4:5]\ns_memtime s[6:7]");
        assert!(m.wave.scalar64(6) > m.wave.scalar64(4));
    });
    on(FROM_VI, |m| {
        m.run("s_memrealtime s[4:5]");
        std::thread::sleep(std::time::Duration::from_millis(2));
        m.run("s_memrealtime s[6:7]");
        let ticks = m.wave.scalar64(6) - m.wave.scalar64(4);
        assert!(ticks >= 200_000, "2 ms at 100 MHz: {ticks}");
        let mut config = Config::new(m.target.isa);
        config.realtime_hz = 1;
        let mut slow = Machine::configured(m.target, config);
        slow.run("s_memrealtime s[4:5]");
        assert_eq!(slow.wave.scalar64(4), 0);
    });
}

#[test]
fn s4_10_cache_operations_have_no_visible_effect() {
    // E027, E123, E124, E125
    let check = |m: &mut Machine, text: &str| {
        let buffer = m.buffer(&[5; 64]);
        m.s64(2, buffer).s(4, 0);
        let before: Vec<u32> = (0..SGPRS).map(|s| m.wave.scalar(s)).collect();
        m.run(text);
        let after: Vec<u32> = (0..SGPRS).map(|s| m.wave.scalar(s)).collect();
        assert_eq!((before, m.mem(buffer)), (after, 5), "{text}");
    };
    on(ALL, |m| check(m, "s_dcache_inv"));
    on(FROM_CI, |m| check(m, "s_dcache_inv_vol"));
    on(FROM_VI, |m| {
        check(m, "s_dcache_wb\ns_dcache_wb_vol");
        check(
            m,
            "s_atc_probe 7, s[2:3], 0x0\ns_atc_probe_buffer 7, s[4:7], 0x0",
        );
    });
    on(NINE, |m| {
        check(
            m,
            "s_dcache_discard s[2:3], s4\ns_dcache_discard_x2 s[2:3], s4",
        )
    });
}

#[test]
fn s4_11_scalar_loads_read_current_memory() {
    // E127
    on(FROM_CI, |m| {
        let buffer = m.buffer(&[5]);
        m.s64(2, buffer).exec(1).set64(0, |_| buffer).set(2, |_| 6);
        m.run("s_load_dword s4, s[2:3], 0x0\nflat_store_dword v[0:1], v2\ns_load_dword s5, s[2:3], 0x0");
        assert_eq!((m.wave.scalar(4), m.wave.scalar(5)), (5, 6));
    });
}

#[test]
fn s4_12_scalar_memory_counts_one_or_two() {
    // E120, E123, E125
    on(ALL, |m| {
        let buffer = m.buffer(&[0; 64]);
        m.s64(2, buffer)
            .s(8, buffer as u32)
            .s(9, (buffer >> 32) as u32)
            .s(10, 256);
        assert_eq!(m.counts("s_load_dword s4, s[2:3], 0x0"), (0, 1, 0));
        assert_eq!(m.counts("s_load_dwordx2 s[4:5], s[2:3], 0x0"), (0, 2, 0));
        assert_eq!(
            m.counts("s_buffer_load_dwordx8 s[16:23], s[8:11], 0x0"),
            (0, 2, 0)
        );
        assert_eq!(m.counts("s_memtime s[4:5]"), (0, 2, 0));
        assert_eq!(m.counts("s_dcache_inv"), (0, 1, 0));
    });
    on(FROM_VI, |m| {
        let buffer = m.buffer(&[0; 64]);
        m.s64(2, buffer);
        assert_eq!(m.counts("s_store_dword s4, s[2:3], 0x0"), (0, 1, 0));
        assert_eq!(m.counts("s_store_dwordx4 s[4:7], s[2:3], 0x0"), (0, 2, 0));
        assert_eq!(m.counts("s_memrealtime s[4:5]"), (0, 2, 0));
        assert_eq!(m.counts("s_atc_probe 7, s[2:3], 0x0"), (0, 1, 0));
    });
    on(NINE, |m| {
        let buffer = m.buffer(&[0; 64]);
        m.s64(2, buffer);
        assert_eq!(m.counts("s_atomic_add s4, s[2:3], 0x0"), (0, 1, 0));
        assert_eq!(m.counts("s_atomic_add_x2 s[4:5], s[2:3], 0x0"), (0, 2, 0));
        assert_eq!(m.counts("s_dcache_discard s[2:3], s4"), (0, 1, 0));
        assert_eq!(m.counts("s_dcache_discard_x2 s[2:3], s4"), (0, 2, 0));
    });
}

#[test]
fn s4_13_scalar_memory_is_marked_as_out_of_order() {
    on(ALL, |m| {
        let buffer = m.buffer(&[0; 64]);
        m.s64(2, buffer)
            .run("s_load_dword s4, s[2:3], 0x0\ns_load_dword s5, s[2:3], 0x0");
        let kinds: Vec<_> = m
            .wave
            .scoreboard
            .outstanding()
            .map(|o| o.held.order)
            .collect();
        assert_eq!(
            kinds,
            [gcn_isa::uses::Order::Scalar; 2],
            "for a checker to ask for lgkmcnt(0)"
        );
    });
}

/// Runs a program of one wave with a buffer at s[0:1], and returns the buffer.
pub fn program(name: &str, text: &str, dwords: &[u32]) -> Vec<u32> {
    let target = Target::named(name).expect("it exists");
    let mut device = gcn_emu::device::Device::new(Config::new(target.isa));
    let bytes = dwords.len() as u64 * 4;
    let buffer = device
        .memory
        .allocate("data", bytes)
        .expect("there is memory");
    device
        .memory
        .store_dwords(buffer, dwords)
        .expect("it is mapped");
    let initial = with_buffer(buffer);
    let done = dispatch(&mut device, target, text, 1, 64, initial);
    assert_eq!(done.fault, None, "{name}: {text}");
    let mut out = vec![0; dwords.len()];
    device
        .memory
        .load_dwords(buffer, &mut out)
        .expect("it is mapped");
    out
}

#[test]
fn s4_14_the_descriptor_hazard_has_no_effect() {
    // E130: the value just written is used.
    for name in FROM_VI {
        let text = "s_mov_b32 s4, s0\ns_mov_b32 s5, s1\ns_mov_b32 s6, 8\n\
            s_buffer_load_dwordx2 s[8:9], s[4:7], 0x4\ns_waitcnt lgkmcnt(0)\n\
            s_store_dwordx2 s[8:9], s[0:1], 0x8\ns_endpgm";
        assert_eq!(program(name, text, &[1, 2, 3, 4]), [1, 2, 2, 0], "{name}");
    }
}

#[test]
fn s4_15_a_load_to_vcc_keeps_vccz_right() {
    on(ALL, |m| {
        let buffer = m.buffer(&[0, 0, 1, 0]);
        m.s64(2, buffer).wave.set_vcc(1);
        m.run("s_load_dwordx2 vcc, s[2:3], 0x0");
        assert_eq!((m.wave.vcc(), m.wave.special(251)), (0, 1));
    });
}

//! Tests of section 3 of the checklist, FLAT, GLOBAL, SCRATCH: atomics, flags, alignment, violations, counters.

use super::ds_waves::with_buffer;
use super::flat_addresses::{count_up, lane_address, shared};
use crate::common::*;
use gcn_emu::device::{Config, OnViolation};
use gcn_emu::fault::{FaultKind, Intent};
use gcn_isa::simm::Waitcnt;
use gcn_isa::uses::Order;
use gcn_isa::{Isa, Target};

#[test]
fn s3_14_atomics_return_with_glc() {
    // E014, E101
    on(FROM_CI, |m| {
        let buffer = m.buffer(&count_up(64));
        m.set64(0, lane_address(buffer))
            .set(2, |_| 100)
            .set(3, |_| 9);
        m.run("flat_atomic_add v[0:1], v2");
        assert_eq!((m.v(3, 5), m.mem(buffer + 20)), (9, 105));
        m.run("flat_atomic_smin v3, v[0:1], v2 glc");
        assert_eq!((m.v(3, 5), m.mem(buffer + 20)), (105, 100));
        // flat_atomic_swap v3, v[0:1], v2, which only CLRX's dialect accepts.
        let swap = if m.target.isa == Isa::Ci {
            "0xdcc00000"
        } else {
            "0xdd000000"
        };
        m.set(3, |_| 9).run(&format!(".long {swap}, 0x03000200"));
        assert_eq!(
            (m.v(3, 5), m.mem(buffer + 20)),
            (9, 100),
            "without glc VDST is kept"
        );
    });
}

#[test]
fn s3_15_cmpswap_compares_with_the_high_half() {
    // E090
    on(FROM_CI, |m| {
        let buffer = m.buffer(&[7, 0, 8, 0]);
        m.exec(1)
            .set64(0, |_| buffer)
            .set(2, |_| 9)
            .set(3, |_| 7)
            .set(5, |_| 99);
        m.run("flat_atomic_cmpswap v4, v[0:1], v[2:3] glc");
        assert_eq!((m.v(4, 0), m.v(5, 0), m.mem(buffer)), (7, 99, 9));
        m.run("flat_atomic_cmpswap v4, v[0:1], v[2:3] glc");
        assert_eq!((m.v(4, 0), m.mem(buffer)), (9, 9));
        m.set64(0, |_| buffer + 8)
            .set64(2, |_| 1 << 40)
            .set64(4, |_| 8);
        m.run("flat_atomic_cmpswap_x2 v[6:7], v[0:1], v[2:5] glc");
        assert_eq!((m.v64(6, 0), m.mem64(buffer + 8)), (8, 1 << 40));
    });
}

/// Runs a FLAT atomic on `old` and returns the new value.
pub fn flat32(m: &mut Machine, name: &str, old: u32, data: u32, compare: Option<u32>) -> u32 {
    let buffer = m.buffer(&[old]);
    m.exec(1)
        .set64(0, |_| buffer)
        .set(2, |_| data)
        .set(3, |_| compare.unwrap_or(0));
    let source = if compare.is_some() { "v[2:3]" } else { "v2" };
    m.run(&format!("flat_atomic_{name} v4, v[0:1], {source} glc"));
    assert_eq!(m.v(4, 0), old, "{name} returns the old value");
    m.mem(buffer)
}

fn flat64(m: &mut Machine, name: &str, old: u64, data: u64, compare: Option<u64>) -> u64 {
    let buffer = m.buffer(&[old as u32, (old >> 32) as u32]);
    m.exec(1)
        .set64(0, |_| buffer)
        .set64(2, |_| data)
        .set64(4, |_| compare.unwrap_or(0));
    let source = if compare.is_some() {
        "v[2:5]"
    } else {
        "v[2:3]"
    };
    m.run(&format!(
        "flat_atomic_{name}_x2 v[6:7], v[0:1], {source} glc"
    ));
    assert_eq!(m.v64(6, 0), old, "{name}_x2 returns the old value");
    m.mem64(buffer)
}

#[test]
fn s3_16_float_atomics_of_gcn_1_1() {
    // E091, E092, E053
    let mut m = Machine::new(CI);
    let f = f32::to_bits;
    let d = f64::to_bits;
    assert_eq!(flat32(&mut m, "fmin", f(1.0), f(-2.0), None), f(-2.0));
    assert_eq!(flat32(&mut m, "fmax", f(1.0), f(-2.0), None), f(1.0));
    assert_eq!(flat32(&mut m, "fmax", f(-0.0), f(0.0), None), f(0.0));
    assert_eq!(flat32(&mut m, "fmin", 0x7fc0_0001, f(3.0), None), f(3.0));
    assert_eq!(flat32(&mut m, "fcmpswap", f(-0.0), 9, Some(f(0.0))), 9);
    assert_eq!(
        flat32(&mut m, "fcmpswap", f(f32::NAN), 9, Some(f(f32::NAN))),
        f(f32::NAN)
    );
    m.wave.mode = 0xf0;
    assert_eq!(
        flat32(&mut m, "fmax", 0, 1, None),
        0,
        "memory flushes to compare, whatever MODE says"
    );
    assert_eq!(flat64(&mut m, "fmin", d(1.0), d(-2.0), None), d(-2.0));
    assert_eq!(flat64(&mut m, "fmax", 0, 1, None), 1);
    assert_eq!(flat64(&mut m, "fcmpswap", d(-0.0), 9, Some(d(0.0))), 9);
}

#[test]
fn s3_17_integer_atomics() {
    // E093, E094, E101, E102
    on(FROM_CI, |m| {
        let minus = (-1i32) as u32;
        assert_eq!(flat32(m, "inc", 5, 5, None), 0);
        assert_eq!(flat32(m, "inc", 4, 5, None), 5);
        assert_eq!(flat32(m, "dec", 0, 5, None), 5);
        assert_eq!(flat32(m, "dec", 6, 5, None), 5);
        assert_eq!(flat32(m, "dec", 5, 5, None), 4);
        assert_eq!(flat32(m, "sub", 3, 5, None), (-2i32) as u32);
        assert_eq!(flat32(m, "smin", 1, minus, None), minus);
        assert_eq!(flat32(m, "smax", 1, minus, None), 1);
        assert_eq!(flat32(m, "umin", 1, minus, None), 1);
        assert_eq!(flat32(m, "umax", 1, minus, None), minus);
        assert_eq!(flat32(m, "and", 6, 3, None), 2);
        assert_eq!(flat32(m, "or", 6, 3, None), 7);
        assert_eq!(flat32(m, "xor", 6, 3, None), 5);
        assert_eq!(flat32(m, "swap", 6, 3, None), 3);
        let minus = (-1i64) as u64;
        assert_eq!(flat64(m, "inc", 1 << 32, 1 << 33, None), (1 << 32) + 1);
        assert_eq!(flat64(m, "dec", 1 << 34, 1 << 33, None), 1 << 33);
        assert_eq!(flat64(m, "add", minus, 1 << 32, None), (1 << 32) - 1);
        assert_eq!(flat64(m, "sub", 0, 1, None), minus);
        assert_eq!(flat64(m, "smin", 1, minus, None), minus);
        assert_eq!(flat64(m, "umin", 1, minus, None), 1);
        assert_eq!(flat64(m, "smax", 1, minus, None), 1);
        assert_eq!(flat64(m, "umax", 1, minus, None), minus);
        assert_eq!(flat64(m, "and", 6 << 32, 3 << 32, None), 2 << 32);
        assert_eq!(flat64(m, "or", 6 << 32, 3, None), 6 << 32 | 3);
        assert_eq!(flat64(m, "xor", 6 << 32, 3 << 32, None), 5 << 32);
        assert_eq!(flat64(m, "swap", 6, 3 << 32, None), 3 << 32);
    });
}

#[test]
fn s3_18_loads_with_lds() {
    // E089, E015
    on(NINE, |m| {
        let buffer = m.buffer(&count_up(80));
        m.set64(0, lane_address(buffer))
            .s(M0, 0xffff_0010)
            .set(2, |_| 9);
        m.exec(0b101)
            .run("global_load_dword v[0:1], off offset:8 lds");
        assert_eq!([0x18, 0x1c, 0x20].map(|a| m.lds32(a)), [2, 0, 4]);
        m.run("global_load_sbyte v2, v[0:1], off lds");
        assert_eq!(m.v(2, 0), 9, "VDST is not written");
        assert_eq!((m.lds32(0x10), m.lds32(0x18)), (0, 2));
        m.set(0, |_| 0)
            .set(3, |l| 50 + l as u32)
            .run("scratch_store_dword v0, v3, off");
        m.run("scratch_load_dword v0, off lds");
        assert_eq!((m.lds32(0x10), m.lds32(0x18)), (50, 52));
        m.s(M0, LDS_BYTES).run("scratch_load_dword v0, off lds");
        assert!(m.violated());
    });
}

#[test]
fn s3_19_tfe_writes_a_status() {
    // E080
    on(CI_VI, |m| {
        let buffer = m.buffer(&[5, 6]);
        m.exec(0b10)
            .set64(0, |_| buffer)
            .set(3, |_| 99)
            .set(4, |_| 99)
            .set(5, |_| 99);
        m.run("flat_load_dword v2, v[0:1] tfe");
        assert_eq!((m.v(2, 1), m.v(3, 1), m.v(3, 0)), (5, 0, 99));
        m.run("flat_load_dwordx2 v[3:4], v[0:1] tfe");
        assert_eq!((m.v(3, 1), m.v(4, 1), m.v(5, 1), m.v(5, 0)), (5, 6, 0, 99));
    });
}

#[test]
fn s3_20_cache_flags_change_nothing() {
    // E103
    on(FROM_CI, |m| {
        let buffer = m.buffer(&count_up(64));
        m.set64(0, lane_address(buffer));
        m.run("flat_load_dword v2, v[0:1] glc slc\nflat_store_dword v[0:1], v2 glc slc");
        assert_eq!((m.v(2, 63), m.mem(buffer + 252)), (63, 63));
    });
    on(NINE, |m| {
        let buffer = m.buffer(&count_up(64));
        m.set64(0, lane_address(buffer))
            .run("global_load_dword v2, v[0:1], off glc slc nv");
        assert_eq!(m.v(2, 63), 63);
    });
}

/// Kernel in which every work-item adds 1 to one of two counters, depending on its parity.
const COUNT: &str = "v_and_b32 v1, 1, v0\nv_lshlrev_b32 v1, 2, v1\nv_mov_b32 v2, 1\ns_movk_i32 s2, 100\n\
    loop:\nglobal_atomic_add v1, v2, s[0:1]\nglobal_atomic_add v3, v1, v2, s[0:1] glc\n\
    s_sub_u32 s2, s2, 1\ns_cmp_lg_u32 s2, 0\ns_cbranch_scc1 loop\ns_endpgm";

#[test]
fn s3_21_memory_atomics_are_indivisible() {
    // Lanes add in ascending order, and no addition by three threads is lost.
    on(FROM_CI, |m| {
        let buffer = m.buffer(&[100]);
        m.exec(0b1101)
            .set64(0, |_| buffer)
            .set(2, |l| 1 + l as u32)
            .set(3, |_| 9);
        m.run("flat_atomic_add v3, v[0:1], v2 glc");
        assert_eq!([0, 1, 2, 3].map(|l| m.v(3, l)), [100, 9, 101, 104]);
        m.run("flat_store_dword v[0:1], v2");
        assert_eq!(m.mem(buffer), 4);
    });
    let target = Target::named(GFX9).expect("it exists");
    let mut config = Config::new(target.isa);
    config.threads = 3;
    let mut device = gcn_emu::device::Device::new(config);
    let buffer = device
        .memory
        .allocate("counters", 8)
        .expect("there is memory");
    let initial = with_buffer(buffer);
    let done = dispatch(&mut device, target, COUNT, 12, 128, initial);
    assert_eq!(done.fault, None);
    let each = 12 * 64 * 200;
    let counters = [0, 4].map(|a| device.memory.load_u32(buffer + a));
    assert_eq!(counters, [Some(each), Some(each)]);
}

#[test]
fn s3_22_unaligned_loads_and_stores() {
    // E104
    on(FROM_CI, |m| {
        let buffer = m.buffer(&[0x4433_2211, 0x8877_6655, 0, 0]);
        m.exec(1).set64(0, |_| buffer + 1);
        m.run("flat_load_dword v2, v[0:1]\nflat_load_ushort v3, v[0:1]\nflat_load_dwordx2 v[4:5], v[0:1]");
        assert_eq!((m.v(2, 0), m.v(3, 0)), (0x5544_3322, 0x3322));
        assert_eq!(m.v64(4, 0), 0x88_7766_5544_3322);
        m.run("flat_store_dword v[0:1], v3");
        assert_eq!(m.mem64(buffer), 0x8877_6600_0033_2211);
        m.device.config.dword_alignment = true;
        m.run("flat_load_dword v2, v[0:1]\nflat_load_ubyte v3, v[0:1]");
        assert_eq!((m.v(2, 0), m.v(3, 0)), (0x0033_2211, 0x22));
    });
}

#[test]
fn s3_23_atomics_must_be_aligned() {
    // E104
    on(FROM_CI, |m| {
        let buffer = m.buffer(&[1, 2, 3, 4]);
        m.exec(0b100).set64(0, |_| buffer + 2).set(2, |_| 5);
        let fault = FaultKind::Misaligned {
            address: buffer + 2,
            bytes: 4,
        };
        assert_eq!(
            m.try_run("flat_atomic_add v[0:1], v2"),
            Err((fault, Some(2)))
        );
        m.device.config.on_violation = OnViolation::Continue;
        m.set(3, |_| 9).run("flat_atomic_add v3, v[0:1], v2 glc");
        assert_eq!((m.v(3, 2), m.mem(buffer), m.mem(buffer + 4)), (0, 1, 2));
        m.set64(0, |_| buffer + 4)
            .run("flat_atomic_add_x2 v[0:1], v[2:3]");
        assert!(m.violated());
        let address = shared(m, 2);
        m.set64(0, |_| address).run("flat_atomic_add v[0:1], v2");
        assert_eq!(m.lds64(0), 0, "in LDS too");
    });
}

#[test]
fn s3_24_unmapped_addresses() {
    // E105
    on(FROM_CI, |m| {
        let buffer = m.buffer(&count_up(64));
        let beyond = buffer + 256;
        m.set64(0, |l| {
            if l == 40 {
                beyond
            } else {
                buffer + 4 * l as u64
            }
        })
        .set(3, |_| 77);
        for (text, intent) in [
            ("flat_load_dword v2, v[0:1]", Intent::Load),
            ("flat_store_dword v[0:1], v3", Intent::Store),
            ("flat_atomic_add v[0:1], v3", Intent::Atomic),
        ] {
            let fault = FaultKind::Unmapped {
                intent,
                address: beyond,
                bytes: 4,
            };
            assert_eq!(m.try_run(text), Err((fault, Some(40))), "{text}");
            assert!(m.violated());
        }
        m.device.config.on_violation = OnViolation::Continue;
        m.set(2, |_| 9)
            .run("flat_load_dword v2, v[0:1]\nflat_store_dword v[0:1], v3");
        assert_eq!([39, 40, 41].map(|l| m.v(2, l)), [77 + 77, 0, 41]);
        assert_eq!((m.mem(buffer + 160), m.mem(buffer + 164)), (40, 77));
        m.set(2, |_| 9).run("flat_atomic_add v2, v[0:1], v3 glc");
        assert_eq!((m.v(2, 40), m.v(2, 41)), (0, 77));
    });
}

#[test]
fn s3_25_scratch_out_of_bounds() {
    // E087, E105
    on(NINE, |m| {
        m.set(4, |_| 1).set(5, |_| 2).set(0, |_| SCRATCH - 4);
        m.run("scratch_store_dwordx2 v0, v[4:5], off\nscratch_load_dwordx2 v[6:7], v0, off");
        assert_eq!((m.v(6, 3), m.v(7, 3)), (1, 0));
        assert!(m.violated());
        m.set(0, |_| 0)
            .set(6, |_| 9)
            .run("scratch_load_dword v6, v0, off offset:-4");
        assert_eq!(m.v(6, 0), 0);
    });
}

#[test]
fn s3_26_flat_counts_on_both() {
    // E082
    on(FROM_CI, |m| {
        let buffer = m.buffer(&[0; 64]);
        m.set64(0, lane_address(buffer));
        for text in [
            "flat_load_dword v2, v[0:1]",
            "flat_store_dword v[0:1], v2",
            "flat_atomic_add v[0:1], v2",
        ] {
            assert_eq!(m.counts(text), (1, 1, 0), "{text}");
        }
        let first = m.wave.scoreboard.outstanding().next();
        assert_eq!(first.map(|o| o.held.order), Some(Order::Flat));
    });
}

#[test]
fn s3_27_global_and_scratch_count_on_vm() {
    // E083, E251
    on(NINE, |m| {
        let buffer = m.buffer(&[0; 64]);
        m.set64(0, lane_address(buffer)).set(3, |_| 0).s(M0, 0);
        assert_eq!(m.counts("global_load_dword v2, v[0:1], off"), (1, 0, 0));
        assert_eq!(m.counts("scratch_load_dword v2, v3, off"), (1, 0, 0));
        assert_eq!(m.counts("global_load_dword v[0:1], off lds"), (1, 0, 0));
        m.counts("global_load_dword v2, v[0:1], off\nscratch_load_dword v2, v3, off");
        m.wave.scoreboard.wait(Waitcnt {
            vm: 1,
            exp: 7,
            lgkm: 15,
        });
        let left: Vec<u64> = m.wave.scoreboard.outstanding().map(|o| o.pc).collect();
        assert_eq!(left, [BASE + 8], "in order");
    });
}

#[test]
fn s3_28_stores_count_like_loads() {
    on(NINE, |m| {
        let buffer = m.buffer(&[0; 64]);
        m.set64(0, lane_address(buffer)).set(3, |_| 0);
        assert_eq!(m.counts("global_store_dword v[0:1], v2, off"), (1, 0, 0));
        assert_eq!(m.counts("scratch_store_dword v3, v2, off"), (1, 0, 0));
        assert_eq!(m.counts("global_atomic_add v[0:1], v2, off"), (1, 0, 0));
    });
}

#[test]
fn s3_29_vm_cnt_saturates() {
    on(FROM_CI, |m| {
        let buffer = m.buffer(&[0; 64]);
        m.set64(0, lane_address(buffer));
        let most = if m.target.isa >= Isa::Gfx9 { 63 } else { 15 };
        for _ in 0..100 {
            m.run("flat_load_dword v2, v[0:1]");
        }
        // LGKM_CNT, which FLAT also increments, is released separately: an operation is complete if it holds neither
        // (E082).
        assert_eq!(
            m.wave.scoreboard.counters(),
            Waitcnt {
                vm: most,
                exp: 0,
                lgkm: 15
            }
        );
    });
    on(NINE, |m| {
        let buffer = m.buffer(&[0; 64]);
        m.set64(0, lane_address(buffer));
        for _ in 0..100 {
            m.run("global_load_dword v2, v[0:1], off");
        }
        assert_eq!(
            m.wave.scoreboard.counters(),
            Waitcnt {
                vm: 63,
                exp: 0,
                lgkm: 0
            }
        );
        assert_eq!(m.wave.scoreboard.outstanding().count(), 63);
    });
}

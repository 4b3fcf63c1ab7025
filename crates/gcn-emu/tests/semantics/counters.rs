//! Tests of section 5 of the checklist: wait counters.

use super::flat_addresses::lane_address;
use super::scalar::program;
use crate::common::*;
use gcn_emu::device::Config;
use gcn_emu::run::Initial;
use gcn_isa::simm::Waitcnt;
use gcn_isa::{Isa, Target};

#[test]
fn s5_1_the_fields_of_simm16() {
    // E120
    for isa in Isa::ALL {
        let wide = isa >= Isa::Gfx9;
        let counters = Waitcnt::unpack(isa, 0xcf7f);
        assert_eq!((counters.exp, counters.lgkm), (7, 15));
        assert_eq!(counters.vm, if wide { 63 } else { 15 });
        assert_eq!(
            Waitcnt::unpack(isa, 0x3080),
            Waitcnt {
                vm: 0,
                exp: 0,
                lgkm: 0
            }
        );
    }
}

#[test]
fn s5_2_a_wait_is_per_counter() {
    on(NINE, |m| {
        let buffer = m.buffer(&[0; 64]);
        m.set64(0, lane_address(buffer)).set(4, |_| 0);
        m.run("global_load_dword v2, v[0:1], off\nds_read_b32 v3, v4\nflat_load_dword v2, v[0:1]");
        assert_eq!(
            m.wave.scoreboard.counters(),
            Waitcnt {
                vm: 2,
                exp: 0,
                lgkm: 2
            }
        );
        let most = Waitcnt::max(m.target.isa);
        m.wave.scoreboard.wait(most);
        assert_eq!(
            m.wave.scoreboard.counters(),
            Waitcnt {
                vm: 2,
                exp: 0,
                lgkm: 2
            },
            "no wait"
        );
        m.wave.scoreboard.wait(Waitcnt { vm: 0, ..most });
        assert_eq!(
            m.wave.scoreboard.counters(),
            Waitcnt {
                vm: 0,
                exp: 0,
                lgkm: 2
            }
        );
        m.wave.scoreboard.wait(Waitcnt { lgkm: 1, ..most });
        assert_eq!(
            m.wave.scoreboard.counters(),
            Waitcnt {
                vm: 0,
                exp: 0,
                lgkm: 1
            }
        );
        assert_eq!(m.wave.scoreboard.outstanding().count(), 1);
    });
}

#[test]
fn s5_2_a_kernel_that_looks_finds_what_is_outstanding() {
    // Checklist 9.3: in a run without observers, only the kernel can see the counters.
    const LOOKS: &str = "
        s_mov_b32 m0, -1
        v_mov_b32 v1, 0
        ds_read_b32 v2, v1
        ds_read_b32 v3, v1
        s_getreg_b32 s4, hwreg(HW_REG_IB_STS, 8, 4)
        s_waitcnt lgkmcnt(1)
        s_getreg_b32 s5, hwreg(HW_REG_IB_STS, 8, 4)
        s_lshl_b32 s5, s5, 4
        s_or_b32 s4, s4, s5
        s_cmp_eq_u32 s4, 0x12
        s_cbranch_scc1 done
        s_trap 2
    done:
        s_endpgm";
    for name in ALL {
        let target = Target::named(name).expect("it exists");
        let mut device = gcn_emu::device::Device::new(Config::new(target.isa));
        let done = dispatch(&mut device, target, LOOKS, 1, 64, Initial::default());
        assert_eq!(done.fault.map(|f| f.kind), None, "{name}");
    }
}

#[test]
fn s5_3_a_full_counter_stalls() {
    on(ALL, |m| {
        let buffer = m.buffer(&[0; 64]);
        m.s64(2, buffer).s(M0, 0xffff);
        for _ in 0..40 {
            m.run("ds_read_b32 v2, v3");
        }
        assert_eq!(m.wave.scoreboard.counters().lgkm, 15);
        m.run("s_load_dwordx2 s[4:5], s[2:3], 0x0");
        assert_eq!(m.wave.scoreboard.counters().lgkm, 15);
        assert_eq!(
            m.wave.scoreboard.outstanding().count(),
            14,
            "two have made room for one of two"
        );
        for _ in 0..20 {
            m.run("ds_write_b32 v2, v3 gds");
        }
        let counters = m.wave.scoreboard.counters();
        assert_eq!((counters.exp, counters.lgkm), (7, 15));
    });
}

#[test]
fn s5_4_kinds_that_share_lgkm_cnt_are_told_apart() {
    // E043
    use gcn_isa::uses::Order::{Flat, Gds, Lds, Scalar};
    on(FROM_CI, |m| {
        let buffer = m.buffer(&[0; 64]);
        m.s64(2, buffer)
            .set64(0, |_| buffer)
            .set(4, |_| 0)
            .s(M0, 0xffff);
        m.run("ds_read_b32 v3, v4\nds_read_b32 v3, v4 gds\ns_load_dword s4, s[2:3], 0x0\nflat_load_dword v3, v[0:1]");
        let kinds: Vec<_> = m
            .wave
            .scoreboard
            .outstanding()
            .map(|o| o.held.order)
            .collect();
        assert_eq!(kinds, [Lds, Gds, Scalar, Flat]);
        m.wave.scoreboard.wait(Waitcnt {
            vm: 0,
            exp: 0,
            lgkm: 0,
        });
        assert_eq!(m.wave.scoreboard.outstanding().count(), 0);
    });
}

#[test]
fn s5_5_the_end_does_not_wait_for_stores() {
    for name in NINE {
        let text =
            "v_mov_b32 v1, 7\nv_lshlrev_b32 v0, 2, v0\nglobal_store_dword v0, v1, s[0:1]\ns_endpgm";
        assert_eq!(program(name, text, &[0; 64]), [7; 64], "{name}");
    }
}

//! Bit-exact tests of the NaN results of operations on one source (errata E190).

use gcn_emu::wave::{Lanes, Wave, WaveId};
use gcn_isa::vop::Vop1;
use gcn_isa::{Encoding, Isa, Op, Operand};

use crate::common::*;

/// Operation, and a source for which it is invalid, if any.
type Operation = (Vop1, Option<u64>);

/// Operations by width in bits.
#[rustfmt::skip]
const OPERATIONS: &[(u32, &[Operation])] = &[
    (16, &[
        (Vop1::V_RCP_F16, None), (Vop1::V_EXP_F16, None), (Vop1::V_FLOOR_F16, None),
        (Vop1::V_SQRT_F16, Some(0xbc00)), (Vop1::V_RSQ_F16, Some(0xbc00)), (Vop1::V_LOG_F16, Some(0xbc00)),
        (Vop1::V_SIN_F16, Some(0x7c00)), (Vop1::V_COS_F16, Some(0xfc00)), (Vop1::V_FRACT_F16, Some(0xfc00)),
    ]),
    (32, &[
        (Vop1::V_RCP_F32, None), (Vop1::V_RCP_IFLAG_F32, None), (Vop1::V_EXP_F32, None), (Vop1::V_FLOOR_F32, None),
        (Vop1::V_SQRT_F32, Some(0xbf80_0000)), (Vop1::V_RSQ_F32, Some(0xff80_0000)),
        (Vop1::V_LOG_F32, Some(0xbf80_0000)), (Vop1::V_LOG_LEGACY_F32, Some(0xff80_0000)),
        (Vop1::V_SIN_F32, Some(0x7f80_0000)), (Vop1::V_COS_F32, Some(0xff80_0000)),
        (Vop1::V_FRACT_F32, Some(0x7f80_0000)),
    ]),
    (64, &[
        (Vop1::V_RCP_F64, None), (Vop1::V_FLOOR_F64, None), (Vop1::V_SQRT_F64, Some(0xbff0 << 48)),
        (Vop1::V_RSQ_F64, Some(0xbff0 << 48)), (Vop1::V_FRACT_F64, Some(0xfff0 << 48)),
    ]),
];

/// Result of an operation on a source.
fn result(op: Vop1, width: u32, source: u64) -> u64 {
    let isa = Isa::Gfx9;
    let registers = |first| match width {
        64 => Operand::Vgprs { first, count: 2 },
        _ => v(first),
    };
    let inst = inst(
        isa,
        Op::Vop1(op),
        Encoding::Vop1,
        &[registers(0), registers(2)],
    );
    let mut wave = Wave::new(isa, WaveId::default(), BASE, VGPRS, SGPRS);
    wave.set_exec(u64::MAX);
    wave.mode = DENORMALS | MODE_IEEE;
    wave.vgprs[2] = Lanes::splat(source as u32);
    wave.vgprs[3] = Lanes::splat((source >> 32) as u32);
    assert!(execute(&mut wave, &inst), "{op:?} is not executed");
    let high = if width == 64 { wave.vgprs[1].0[0] } else { 0 };
    u64::from(high) << 32 | u64::from(wave.vgprs[0].0[0])
}

#[test]
fn one_source_gives_its_nan_or_the_one_of_invalid_operations() {
    for &(width, operations) in OPERATIONS {
        // Infinity, the bit that makes a NaN quiet, a payload.
        let (infinity, quiet) = match width {
            16 => (0x7c00, 0x200),
            32 => (0x7f80_0000, 0x40_0000),
            _ => (0x7ff0 << 48, 1 << 51),
        };
        let sign = 1 << (width - 1);
        for &(op, invalid) in operations {
            for payload in [infinity | 0x45, infinity | quiet | 0x45] {
                for source in [payload, payload | sign] {
                    let found = result(op, width, source);
                    assert_eq!(found, source | quiet, "{op:?} of {source:#x}: {found:#x}");
                }
            }
            if let Some(source) = invalid {
                let found = result(op, width, source);
                assert_eq!(
                    found,
                    sign | infinity | quiet,
                    "{op:?} of {source:#x}: {found:#x}"
                );
            }
        }
    }
}

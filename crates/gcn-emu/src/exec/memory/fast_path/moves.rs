//! Vectorized value exchange between lanes, with a register of source lane numbers.

use gcn_isa::effect::LaneMove;
use gcn_isa::swizzle::Pattern;

use crate::lanes::{self, LANES, Lanes, active, at_each_level};
use crate::step::MemoryPlan;
use crate::wave::Wave;

/// Executes a move like [`super::super::moves`], but vectorized. Inactive lanes read as zero and are not written.
pub fn perform(wave: &mut Wave, plan: &MemoryPlan, how: LaneMove) -> Option<()> {
    let exec = wave.exec();
    let address = wave.vgpr(plan.vaddr.unwrap_or(0));
    let data = wave.vgpr(plan.vdata);
    let moved = match how {
        LaneMove::Swizzle => {
            let pattern = Pattern::unpack(wave.isa, plan.offset as u16);
            read(address, &sources(pattern), exec)
        }
        LaneMove::Pull => read(data, &named(address, plan.offset as u32), exec),
        LaneMove::Push => {
            let into = named(address, plan.offset as u32);
            let mut moved = Lanes::ZERO;
            for lane in active(exec) {
                moved.0[into.0[lane] as usize % LANES] = data.0[lane];
            }
            moved
        }
    };
    let register = wave.vgprs.get_mut(usize::from(plan.vdst))?;
    register.blend(&moved, exec);
    Some(())
}

/// Reads, in each lane, the value of the lane given in `from`; zero if that lane is inactive.
fn read(value: &Lanes, from: &Lanes, exec: u64) -> Lanes {
    if exec == u64::MAX {
        return lanes::permuted(value, from);
    }
    let mut active = Lanes::ZERO;
    active.blend(value, exec);
    lanes::permuted(&active, from)
}

/// Returns the lane numbers selected by byte addresses (four bytes per lane) plus an offset.
fn named(addresses: &Lanes, offset: u32) -> Lanes {
    lanes::places(addresses, offset, u32::MAX, 2)
}

/// Returns the source lanes of a swizzle pattern.
fn sources(pattern: Pattern) -> Lanes {
    match pattern {
        Pattern::Bitmask { and, or, xor } => by_bits(and.into(), or.into(), xor.into()),
        Pattern::QuadPerm(quad) => by_quads(u32::from_le_bytes(quad.map(|lane| lane & 3))),
        Pattern::Fft { .. } | Pattern::Rotate { .. } => Lanes(std::array::from_fn(|lane| {
            pattern.source(lane as u8).into()
        })),
    }
}

/// Bits of a lane number within its half of the wave. Swizzles do not cross halves.
const IN_HALF: u32 = 0x1f;
/// Bits of a lane number within its quad.
const IN_QUAD: u32 = 3;

at_each_level! {
/// Returns the source lanes of a bitmask swizzle, which changes bits of the lane number within each half.
fn by_bits(and: u32, or: u32, xor: u32) -> Lanes {
    let mut sources = Lanes::ZERO;
    for lane in 0..LANES as u32 {
        sources.0[lane as usize] = lane & !IN_HALF | ((lane & and | or) ^ xor) & IN_HALF;
    }
    sources
}

/// Returns the source lanes of a quad permutation, given as the bytes of a dword.
fn by_quads(quad: u32) -> Lanes {
    let mut sources = Lanes::ZERO;
    for lane in 0..LANES as u32 {
        sources.0[lane as usize] = lane & !IN_QUAD | quad >> ((lane & IN_QUAD) * u8::BITS) & IN_QUAD;
    }
    sources
}
}

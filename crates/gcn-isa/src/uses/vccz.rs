//! VCCZ: a hardware flag that caches VCC == 0, used by S_CBRANCH_VCCZ and S_CBRANCH_VCCNZ. Some writes of VCC do not
//! update it (errata E332).

use crate::effect::{Condition, Control, Does};
use crate::inst::Operand;
use crate::regs;
use crate::simm::Waitcnt;
use crate::target::on;

use super::registers::Registers;
use super::{Unit, Uses};

/// Effect of an instruction on VCCZ (errata E332).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum VcczEffect {
    /// Writes both halves of VCC, which also updates VCCZ.
    Sets,
    /// Writes one half of VCC: VCCZ is unchanged.
    Keeps,
    /// Scalar memory on GCN 1.0 and 1.1: VCCZ may be wrong until a wait for the access and a subsequent write of VCC.
    Corrupts,
    /// Waits for all scalar memory instructions.
    Waits,
}

impl Uses<'_> {
    /// True if the instruction branches on VCCZ, or reads it as a value.
    ///
    /// # Examples
    /// ```
    /// use gcn_isa::{Isa, decode};
    /// assert!(decode(Isa::Gfx9, &[0xbf86_0000])?.uses().reads_vccz(), "s_cbranch_vccz");
    /// assert!(!decode(Isa::Gfx9, &[0xbf88_0000])?.uses().reads_vccz(), "s_cbranch_execz");
    /// # Ok::<(), gcn_isa::DecodeError>(())
    /// ```
    pub fn reads_vccz(&self) -> bool {
        let inst = self.inst;
        let is_branch = matches!(
            inst.does(),
            Does::Branch(Condition::VccZero | Condition::VccNotZero)
        );
        let is_vccz =
            |operand| matches!(operand, Operand::Scalar { code, .. } if code == regs::VCCZ);
        let mut slots = inst.row().slots();
        is_branch || slots.any(|slot| is_vccz(inst.operand(slot)))
    }

    /// Effect of the instruction on VCCZ, if any.
    ///
    /// # Examples
    /// ```
    /// use gcn_isa::uses::VcczEffect;
    /// use gcn_isa::{Isa, decode};
    /// let half = decode(Isa::Gfx9, &[0xbeea_0080])?;
    /// assert_eq!((half.text(), half.uses().vccz_effect()), ("s_mov_b32 vcc_lo, 0".into(), Some(VcczEffect::Keeps)));
    /// let both = decode(Isa::Gfx9, &[0xbeea_0180])?;
    /// assert_eq!((both.text(), both.uses().vccz_effect()), ("s_mov_b64 vcc, 0".into(), Some(VcczEffect::Sets)));
    /// # Ok::<(), gcn_isa::DecodeError>(())
    /// ```
    pub fn vccz_effect(&self) -> Option<VcczEffect> {
        let inst = self.inst;
        if self.unit() == Unit::ScalarMemory && !on::VI.has(inst.isa) {
            return Some(VcczEffect::Corrupts);
        }
        if inst.does() == Does::Control(Control::Waitcnt) {
            let slot = inst.row().slots().next()?;
            let until = Waitcnt::unpack(inst.isa, inst.get(slot.field) as u16);
            return (until.lgkm == 0).then_some(VcczEffect::Waits);
        }
        let mut halves = 0;
        for it in self.registers().filter(|it| it.written != 0) {
            if let Registers::Scalar { first, count } = it.registers {
                let written = u16::from(first)..u16::from(first) + u16::from(count);
                let is_written = |half: u8| written.contains(&u16::from(half));
                halves |= u8::from(is_written(regs::VCC_LO))
                    | u8::from(is_written(regs::VCC_LO + 1)) << 1;
            }
        }
        match halves {
            0 => None,
            0b11 => Some(VcczEffect::Sets),
            _ => Some(VcczEffect::Keeps),
        }
    }
}

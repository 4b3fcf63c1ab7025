//! MOVREL: M0 is added to a register number.
//!
//! Sources: AMD's Southern Islands, Sea Islands and GCN3 manuals, "Relative register addressing"; checklist 1.6, 1.7.

use gcn_isa::effect::{AluOp, Relative as Moved};
use gcn_isa::{Does, Inst};

use super::arg::{Arg, MAX_ARGS};
use crate::wave::Wave;

/// Operands whose register numbers are offset by M0. Wide operands have two registers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Relative {
    /// Destination.
    Destination,
    /// Source.
    Source,
    /// Destination and source.
    Both,
    /// Destination of two registers.
    WideDestination,
    /// Source of two registers.
    WideSource,
}

impl Relative {
    /// Returns the relative operands of an instruction; `None` if it is not a MOVREL.
    pub fn of(inst: &Inst) -> Option<Relative> {
        let Does::Alu(AluOp::MoveRelative(operand)) = inst.does() else {
            return None;
        };
        let is_wide = inst.row().slots().next()?.ty.dwords() > 1;
        Some(match (operand, is_wide) {
            (Moved::Destination, false) => Relative::Destination,
            (Moved::Destination, true) => Relative::WideDestination,
            (Moved::Source, false) => Relative::Source,
            (Moved::Source, true) => Relative::WideSource,
            (Moved::Both, _) => Relative::Both,
        })
    }

    fn moves_destination(self) -> bool {
        match self {
            Relative::Destination | Relative::Both | Relative::WideDestination => true,
            Relative::Source | Relative::WideSource => false,
        }
    }

    fn moves_source(self) -> bool {
        match self {
            Relative::Source | Relative::Both | Relative::WideSource => true,
            Relative::Destination | Relative::WideDestination => false,
        }
    }

    /// Returns the number of registers of each operand.
    fn dwords(self) -> u8 {
        match self {
            Relative::Destination | Relative::Source | Relative::Both => 1,
            Relative::WideDestination | Relative::WideSource => 2,
        }
    }

    /// Replaces the relative operands with the registers that M0 selects. An out-of-range source becomes v0 or s0, and
    /// an out-of-range destination `Arg::None`.
    pub fn operands(self, w: &Wave, mut args: [Arg; MAX_ARGS]) -> [Arg; MAX_ARGS] {
        let [destination, source, ..] = &mut args;
        if self.moves_destination() {
            *destination = self.moved(w, *destination).unwrap_or_default();
        }
        if self.moves_source() {
            *source = self.moved(w, *source).unwrap_or(match *source {
                Arg::Vgpr(_) => Arg::Vgpr(0),
                Arg::Scalar(_) => Arg::Scalar(0),
                other => other,
            });
        }
        args
    }

    /// Adds M0 to an operand's register number; returns `None` if the wave does not have all its registers, or M0 is
    /// negative (errata E312).
    fn moved(self, w: &Wave, arg: Arg) -> Option<Arg> {
        let moved = |first: u8| u8::try_from(u32::from(first).checked_add(w.m0())?).ok();
        match arg {
            Arg::Vgpr(first) => {
                let first = moved(first)?;
                (usize::from(first) < w.vgprs.len()).then_some(Arg::Vgpr(first))
            }
            Arg::Scalar(first) => {
                let first = moved(first)?;
                let is_there = first < w.isa.sgprs() && w.owns_scalars(first, self.dwords());
                is_there.then_some(Arg::Scalar(first))
            }
            Arg::None | Arg::Special(_) | Arg::Const(_) | Arg::Imm(_) => None,
        }
    }
}

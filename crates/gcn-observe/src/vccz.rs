//! Reads of VCCZ while its value in hardware may be wrong (errata E332), and findings about them.

use gcn_isa::Inst;
use gcn_isa::uses::VcczEffect;

use crate::finding::{Finding, FindingPlace, Kind, Side};

/// Use of VCCZ by an instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct VcczPart {
    reads: bool,
    effect: Option<VcczEffect>,
}

impl VcczPart {
    pub(crate) fn of(inst: &Inst) -> VcczPart {
        VcczPart {
            reads: inst.uses().reads_vccz(),
            effect: inst.uses().vccz_effect(),
        }
    }
}

/// State of VCCZ at a program point. `P` identifies instructions.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Vccz<P> {
    /// Instruction that may have left VCCZ wrong.
    wrong: Option<P>,
    /// Last scalar memory access that may be outstanding, and may therefore corrupt VCCZ at any time.
    outstanding: Option<P>,
}

impl<P> Default for Vccz<P> {
    fn default() -> Vccz<P> {
        Vccz {
            wrong: None,
            outstanding: None,
        }
    }
}

/// A read of VCCZ that may return a wrong value.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WrongVccz<P> {
    /// Instruction that left VCCZ wrong.
    pub(crate) because: P,
    /// True if a scalar memory access may be outstanding.
    is_outstanding: bool,
}

impl<P: Copy> Vccz<P> {
    /// Updates the state for an instruction. Returns its read of a wrong value, unless an earlier read was returned.
    pub(crate) fn step(&mut self, part: VcczPart, at: P) -> Option<WrongVccz<P>> {
        let found = self.wrong.filter(|_| part.reads).map(|because| WrongVccz {
            because,
            is_outstanding: self.outstanding.is_some(),
        });
        if found.is_some() {
            self.wrong = None;
        }
        match part.effect {
            Some(VcczEffect::Sets) => self.wrong = self.outstanding,
            Some(VcczEffect::Keeps) => self.wrong = Some(at),
            Some(VcczEffect::Corrupts) => {
                self.wrong = Some(at);
                self.outstanding = Some(at);
            }
            Some(VcczEffect::Waits) => self.outstanding = None,
            None => {}
        }
        found
    }

    /// Joins the state of another path. Returns true if this state changed.
    pub(crate) fn join(&mut self, other: &Vccz<P>) -> bool {
        let Vccz { wrong, outstanding } = *self;
        self.wrong = wrong.or(other.wrong);
        self.outstanding = outstanding.or(other.outstanding);
        wrong.is_none() && self.wrong.is_some()
            || outstanding.is_none() && self.outstanding.is_some()
    }
}

impl<P> WrongVccz<P> {
    /// Creates the finding at an instruction that reads VCCZ. The instruction `because` at `other` left VCCZ wrong.
    pub(crate) fn finding(
        &self,
        place: FindingPlace,
        because: &Inst,
        other: FindingPlace,
    ) -> Finding {
        let (message, label) = match because.uses().vccz_effect() {
            Some(VcczEffect::Corrupts) => (
                "vccz is read while a scalar load may have changed it",
                "the scalar load",
            ),
            _ => (
                "vccz is read after a write to half of vcc, which does not update it",
                "writes half of vcc",
            ),
        };
        let mut finding = Finding::at(Kind::WrongVccz, place, message);
        finding.label = "reads vccz".to_owned();
        finding.sides.push(Side {
            label: label.to_owned(),
            place: Some(other),
        });
        let wait = if self.is_outstanding {
            "`s_waitcnt lgkmcnt(0)` and "
        } else {
            ""
        };
        finding.help = Some(format!("{wait}`s_mov_b64 vcc, vcc` before the instruction").into());
        finding
    }
}

//! Reads of VCCZ where hardware may have it wrong (errata E332), and how findings describe them.

use gcn_isa::Inst;
use gcn_isa::uses::VcczEffect;

use crate::finding::{Finding, FindingPlace, Kind, Side};

/// An instruction's part.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct VcczPart {
    /// True if it goes by VCCZ.
    reads: bool,
    effect: Option<VcczEffect>,
}

impl VcczPart {
    /// The part of an instruction.
    pub(crate) fn of(inst: &Inst) -> VcczPart {
        VcczPart {
            reads: inst.uses().reads_vccz(),
            effect: inst.uses().vccz_effect(),
        }
    }
}

/// Knowledge of VCCZ at a place. `P` tells instructions apart.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Vccz<P> {
    /// The instruction because of which VCCZ may be wrong.
    wrong: Option<P>,
    /// The last scalar load that may be incomplete: it may change VCCZ at any time.
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

/// A read of VCCZ that may be wrong.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WrongVccz<P> {
    /// The instruction because of which it is.
    pub(crate) because: P,
    /// A scalar load may be incomplete.
    is_outstanding: bool,
}

impl<P: Copy> Vccz<P> {
    /// An instruction is executed. Later reads of a value that has been found to be wrong say nothing new.
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

    /// Joins what is known on another way. Returns true if that is more than before.
    pub(crate) fn join(&mut self, other: &Vccz<P>) -> bool {
        let Vccz { wrong, outstanding } = *self;
        self.wrong = wrong.or(other.wrong);
        self.outstanding = outstanding.or(other.outstanding);
        wrong.is_none() && self.wrong.is_some()
            || outstanding.is_none() && self.outstanding.is_some()
    }
}

impl<P> WrongVccz<P> {
    /// The finding at an instruction that reads VCCZ. `because` is the one that leaves it wrong, at its place.
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
                "vccz is read behind a write of half of vcc, which it does not follow",
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

//! Data-parallel primitives: a first source that is read from other lanes (DPP).
//!
//! Source: AMD's GCN3 and Vega manuals, fields of VOP_DPP; errata E139–E142. [`Permutation`] says which lane is read.

use gcn_isa::dpp::Permutation;
use gcn_isa::{Field, Inst};

use crate::lanes::{LANES, Lanes};

/// What DPP asks of an instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CrossLane {
    permutation: Permutation,
    /// Lanes that have nothing to read have zero; otherwise they are not written.
    bounded: bool,
    /// The lanes in rows and banks that may be written.
    enabled: u64,
}

/// Lanes of a bank.
const BANK: usize = 4;
/// Banks of a row; rows of a wave.
const BANKS: usize = 4;

impl CrossLane {
    /// What an instruction in DPP asks; nothing in other encodings, and nothing if the permutation is a reserved one.
    pub fn of(inst: &Inst) -> Option<CrossLane> {
        if !inst.layout().has(Field::DppCtrl) {
            return None;
        }
        let ctrl = u16::try_from(inst.get(Field::DppCtrl)).ok()?;
        let (rows, banks) = (inst.get(Field::RowMask), inst.get(Field::BankMask));
        let is_enabled = |lane: usize| {
            let bank = lane / BANK;
            rows >> (bank / BANKS) & banks >> (bank % BANKS) & 1 != 0
        };
        Some(CrossLane {
            permutation: Permutation::unpack(ctrl)?,
            bounded: inst.flag(Field::BoundCtrl),
            enabled: set_of(is_enabled),
        })
    }

    /// The lane that `lane` reads: one that exists and is active (errata E140).
    fn source(&self, lane: usize, exec: u64) -> Option<usize> {
        let from = self.permutation.source(lane as u8)?;
        (exec >> from & 1 != 0).then_some(usize::from(from))
    }

    /// The lanes that are written, of those that are active (errata E140, E142).
    pub fn written(&self, exec: u64) -> u64 {
        let lanes = exec & self.enabled;
        if self.bounded {
            lanes
        } else {
            lanes & set_of(|lane| self.source(lane, exec).is_some())
        }
    }

    /// What each lane reads, zero where there is nothing.
    pub fn read(&self, value: &Lanes, exec: u64) -> Lanes {
        Lanes(std::array::from_fn(|lane| {
            self.source(lane, exec).map_or(0, |from| value.0[from])
        }))
    }
}

/// The lanes for which it is so.
fn set_of(is_so: impl Fn(usize) -> bool) -> u64 {
    (0..LANES).fold(0, |set, lane| set | u64::from(is_so(lane)) << lane)
}

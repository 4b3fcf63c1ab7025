//! Data-parallel primitives: a first source that is read from other lanes (DPP).
//!
//! Source: AMD's GCN3 and Vega manuals, fields of VOP_DPP; errata E139–E142. [`Permutation`] says which lane is read.

use gcn_isa::dpp::Permutation;
use gcn_isa::{Field, Inst};

use crate::lanes::{self, LANES, Lanes};

/// The DPP fields of an instruction.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CrossLane {
    /// The lane that each lane reads, any where it reads none.
    from: Lanes,
    /// The lanes that read one.
    reading: u64,
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
    /// The fields of an instruction in DPP; nothing in other encodings, and nothing if the permutation is a reserved one.
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
        let permutation = Permutation::unpack(ctrl)?;
        let source = |lane: usize| permutation.source(lane as u8);
        Some(CrossLane {
            from: Lanes(std::array::from_fn(|lane| source(lane).unwrap_or(0).into())),
            reading: set_of(|lane| source(lane).is_some()),
            bounded: inst.flag(Field::BoundCtrl),
            enabled: set_of(is_enabled),
        })
    }

    /// The lanes that read one that is active (errata E140).
    #[inline(always)]
    pub fn finding(&self, exec: u64) -> u64 {
        if exec == u64::MAX {
            return self.reading;
        }
        let mut active = Lanes::ZERO;
        active.blend(&Lanes::splat(u32::MAX), exec);
        self.reading & lanes::signs(lanes::permuted(&active, &self.from).0)
    }

    /// The lanes that are written, of those that are active, where some have found one to read (errata E140, E142).
    #[inline(always)]
    pub fn written(&self, exec: u64, found: u64) -> u64 {
        let lanes = exec & self.enabled;
        if self.bounded { lanes } else { lanes & found }
    }

    /// The value that each lane reads, zero where the source lane is invalid.
    #[inline(always)]
    pub fn read(&self, value: &Lanes, found: u64) -> Lanes {
        let mut read = Lanes::ZERO;
        read.blend(&lanes::permuted(value, &self.from), found);
        read
    }
}

/// The lanes for which it is so.
#[inline(always)]
fn set_of(is_so: impl Fn(usize) -> bool) -> u64 {
    (0..LANES).fold(0, |set, lane| set | u64::from(is_so(lane)) << lane)
}

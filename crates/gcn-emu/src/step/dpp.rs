//! Data Parallel Primitives (DPP): the first source is read from other lanes.
//!
//! Sources: AMD's GCN3 and Vega manuals, fields of VOP_DPP; errata E139–E142. [`Permutation`] determines the source
//! lanes.

use gcn_isa::dpp::Permutation;
use gcn_isa::{Field, Inst};

use crate::lanes::{self, LANES, Lanes};

/// DPP lane mapping and write masks of an instruction.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CrossLane {
    /// Source lane of each lane; 0 for lanes without one.
    from: Lanes,
    /// Lanes that have a source lane.
    reading: u64,
    /// True if lanes without a valid source lane read zero. Otherwise they are not written.
    bounded: bool,
    /// Lanes that the row and bank masks enable for writing.
    enabled: u64,
}

/// Number of lanes in a bank.
const BANK: usize = 4;
/// Number of banks in a row, and of rows in a wave.
const BANKS: usize = 4;

impl CrossLane {
    /// Decodes the DPP fields of an instruction. Returns `None` for other encodings and reserved permutations.
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

    /// Returns the lanes whose source lane is active (errata E140).
    #[inline(always)]
    pub fn finding(&self, exec: u64) -> u64 {
        if exec == u64::MAX {
            return self.reading;
        }
        let mut active = Lanes::ZERO;
        active.blend(&Lanes::splat(u32::MAX), exec);
        self.reading & lanes::signs(lanes::permuted(&active, &self.from).0)
    }

    /// Returns the active lanes that are written, given the lanes in `found` that have an active source lane (errata
    /// E140, E142).
    #[inline(always)]
    pub fn written(&self, exec: u64, found: u64) -> u64 {
        let lanes = exec & self.enabled;
        if self.bounded { lanes } else { lanes & found }
    }

    /// Returns the value that each lane reads, or zero if its source lane is invalid.
    #[inline(always)]
    pub fn read(&self, value: &Lanes, found: u64) -> Lanes {
        let mut read = Lanes::ZERO;
        read.blend(&lanes::permuted(value, &self.from), found);
        read
    }
}

/// Returns the bit set of the lanes for which a predicate holds.
#[inline(always)]
fn set_of(is_so: impl Fn(usize) -> bool) -> u64 {
    (0..LANES).fold(0, |set, lane| set | u64::from(is_so(lane)) << lane)
}

//! Memory operations of a wave that have been issued but have not taken effect.

use crate::lanes::Lanes;
use crate::noise::Noise;
use crate::outstanding::Outstanding;
use crate::scoreboard::OperationId;

/// Issued operation, with the state that it reads captured at issue.
#[derive(Clone, Debug)]
pub(crate) struct LateOperation {
    /// Sequence number within the wave.
    pub(crate) number: u64,
    /// Address of the instruction.
    pub(crate) pc: u64,
    /// MODE at issue.
    pub(crate) mode: u32,
    /// Operation ID for the events of the access.
    pub(crate) operation: OperationId,
    /// Contents of source vector registers, by register number.
    pub(crate) vectors: Vec<(u8, Lanes)>,
    /// Contents of source scalar registers and EXEC, by register number.
    pub(crate) scalars: Vec<(u8, u32)>,
    /// True if the operation increments vmcnt.
    pub(crate) is_vector: bool,
    /// Loaded values, once the access has been performed. Registers receive them when a wait covers the operation.
    pub(crate) results: Option<LateResults>,
}

/// Values that an operation has loaded, by register number.
#[derive(Clone, Debug)]
pub(crate) struct LateResults {
    /// EXEC at issue.
    pub(crate) exec: u64,
    /// Vector registers, with a mask of the bits loaded.
    pub(crate) vectors: Vec<(u8, u32, Lanes)>,
    pub(crate) scalars: Vec<(u8, u32)>,
}

/// Operations of a wave that take effect as late as its counters allow.
#[derive(Clone, Debug)]
pub(crate) struct Late {
    /// Noise for registers that an outstanding operation will write.
    pub(crate) noise: Noise,
    /// Numbers of outstanding operations and the counters that hold them.
    pub(crate) outstanding: Outstanding<u64>,
    /// Operations in issue order.
    pub(crate) operations: Vec<LateOperation>,
    issued: u64,
}

impl Late {
    pub(crate) fn new(noise: Noise) -> Late {
        Late {
            noise,
            outstanding: Outstanding::default(),
            operations: Vec::new(),
            issued: 0,
        }
    }

    /// Assigns the number of the next operation.
    pub(crate) fn next(&mut self) -> u64 {
        self.issued += 1;
        self.issued
    }

    /// Removes and returns the operations that are no longer held, in issue order.
    pub(crate) fn ready(&mut self) -> Vec<LateOperation> {
        // The held operations are also in issue order.
        let held = self.outstanding.held();
        let is_held = |it: &LateOperation| {
            let place = held.binary_search_by_key(&it.number, |held| held.what);
            place.is_ok()
        };
        let (waiting, ready) = self.operations.drain(..).partition(is_held);
        self.operations = waiting;
        ready
    }

    /// Removes and returns all operations.
    pub(crate) fn all(&mut self) -> Vec<LateOperation> {
        self.outstanding = Outstanding::default();
        std::mem::take(&mut self.operations)
    }
}

//! Memory operations of a wave that have been issued and have not taken effect yet.

use crate::lanes::Lanes;
use crate::noise::Noise;
use crate::outstanding::Outstanding;

/// An operation with the registers that it reads, as they were at its issue.
#[derive(Clone, Debug)]
pub(crate) struct LateOperation {
    /// Number among the wave's.
    pub(crate) number: u64,
    /// Address of its instruction.
    pub(crate) pc: u64,
    /// Vector registers by number.
    pub(crate) vectors: Vec<(u8, Lanes)>,
    /// Scalar registers by number, EXEC among them.
    pub(crate) scalars: Vec<(u8, u32)>,
}

/// The operations of a wave that take effect as late as its counters allow.
#[derive(Clone, Debug)]
pub(crate) struct Late {
    /// Contents of registers that an operation is about to write.
    pub(crate) noise: Noise,
    /// Numbers of the operations, by what guarantees them.
    pub(crate) outstanding: Outstanding<u64>,
    /// In the order of their issue.
    operations: Vec<LateOperation>,
    issued: u64,
}

impl Late {
    /// No operation.
    pub(crate) fn new(noise: Noise) -> Late {
        Late {
            noise,
            outstanding: Outstanding::default(),
            operations: Vec::new(),
            issued: 0,
        }
    }

    /// The number of the next operation.
    pub(crate) fn next(&mut self) -> u64 {
        self.issued += 1;
        self.issued
    }

    /// Adds an operation.
    pub(crate) fn push(&mut self, operation: LateOperation) {
        self.operations.push(operation);
    }

    /// Takes the operations out that nothing holds back any more, in the order of their issue.
    pub(crate) fn ready(&mut self) -> Vec<LateOperation> {
        let held = self.outstanding.held();
        let is_held = |it: &LateOperation| held.iter().any(|held| held.what == it.number);
        let (waiting, ready) = self.operations.drain(..).partition(is_held);
        self.operations = waiting;
        ready
    }

    /// Takes out those of a kind, in the order of their issue, up to the last one that `is_last` is true of.
    pub(crate) fn through(
        &mut self,
        is_of_kind: impl Fn(&LateOperation) -> bool,
        is_last: impl Fn(&LateOperation) -> bool,
    ) -> Vec<LateOperation> {
        let count = self.operations.iter().rposition(is_last);
        let rest = self.operations.split_off(count.map_or(0, |last| last + 1));
        let (taken, mut waiting): (Vec<_>, Vec<_>) =
            self.operations.drain(..).partition(is_of_kind);
        waiting.extend(rest);
        self.operations = waiting;
        taken
    }

    /// Takes all of them out.
    pub(crate) fn all(&mut self) -> Vec<LateOperation> {
        self.outstanding = Outstanding::default();
        std::mem::take(&mut self.operations)
    }
}

//! VM_CNT, LGKM_CNT and EXP_CNT (checklist 5): operations issued and not known to be complete.
//!
//! Memory operations take effect at issue, which is a legal outcome; the counters are kept all the same,
//! so that a checker can tell which results a program may not use yet. An operation stays outstanding
//! until a wait, or a full counter, forces it to complete.

use gcn_isa::Isa;
use gcn_isa::simm::Waitcnt;

/// A kind of operation, by the order in which it completes (checklist 5.4).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Kind {
    /// GLOBAL, SCRATCH, MUBUF, MTBUF, MIMG: in order among themselves on VM_CNT.
    VectorMemory,
    /// FLAT: on VM_CNT and LGKM_CNT, out of order with everything (errata E082, E083).
    Flat,
    /// LDS: in order among themselves on LGKM_CNT.
    Lds,
    /// GDS: in order among themselves on LGKM_CNT; EXP_CNT until the sources are read (errata E043).
    Gds,
    /// Scalar memory: out of order on LGKM_CNT.
    Scalar,
    /// Messages, on LGKM_CNT.
    Message,
    /// Exports, on EXP_CNT.
    Export,
}

/// How much an operation adds to each counter at issue.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Increments {
    /// VM_CNT.
    pub vm: u8,
    /// LGKM_CNT.
    pub lgkm: u8,
    /// EXP_CNT.
    pub exp: u8,
}

/// An operation that may be incomplete.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Outstanding {
    /// Kind of operation.
    pub kind: Kind,
    /// Address of its instruction, in bytes.
    pub pc: u64,
    /// What it still holds of each counter.
    pub held: Increments,
}

/// The counters of a wave, and what they count.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Scoreboard {
    isa: Isa,
    /// In issue order; at most as many as the counters hold.
    outstanding: Vec<Outstanding>,
}

impl Scoreboard {
    /// No operation outstanding.
    pub fn new(isa: Isa) -> Scoreboard {
        Scoreboard {
            isa,
            outstanding: Vec::new(),
        }
    }

    /// The counters now.
    pub fn counters(&self) -> Waitcnt {
        let mut sum = Waitcnt {
            vm: 0,
            exp: 0,
            lgkm: 0,
        };
        for o in &self.outstanding {
            sum.vm += o.held.vm;
            sum.lgkm += o.held.lgkm;
            sum.exp += o.held.exp;
        }
        sum
    }

    /// Operations that may be incomplete, in issue order.
    pub fn outstanding(&self) -> &[Outstanding] {
        &self.outstanding
    }

    /// An operation is issued. Where a counter would overflow, issue stalls until the oldest
    /// operations have completed (checklist 5.3).
    pub fn issue(&mut self, kind: Kind, pc: u64, held: Increments) {
        let max = Waitcnt::max(self.isa);
        let room = Waitcnt {
            vm: max.vm - held.vm,
            exp: max.exp - held.exp,
            lgkm: max.lgkm - held.lgkm,
        };
        self.wait(room);
        self.outstanding.push(Outstanding { kind, pc, held });
    }

    /// Completes the oldest operations until each counter is at most its value in `until` (checklist 5.2).
    pub fn wait(&mut self, until: Waitcnt) {
        let now = self.counters();
        let mut excess = Increments {
            vm: now.vm.saturating_sub(until.vm),
            lgkm: now.lgkm.saturating_sub(until.lgkm),
            exp: now.exp.saturating_sub(until.exp),
        };
        if excess == Increments::default() {
            return;
        }
        for o in &mut self.outstanding {
            for (held, excess) in [
                (&mut o.held.vm, &mut excess.vm),
                (&mut o.held.lgkm, &mut excess.lgkm),
                (&mut o.held.exp, &mut excess.exp),
            ] {
                let released = if *excess > 0 { *held } else { 0 };
                *held -= released;
                *excess = excess.saturating_sub(released);
            }
        }
        self.outstanding.retain(|o| o.held != Increments::default());
    }
}

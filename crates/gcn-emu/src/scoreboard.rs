//! VM_CNT, LGKM_CNT and EXP_CNT (checklist 5): operations issued and not known to be complete.
//!
//! Memory operations take effect at issue, which is a legal outcome; the counters are kept all the same,
//! so that a checker can tell which results a program may not use yet. An operation stays outstanding
//! until a wait, or a full counter, forces it to complete.

use std::collections::VecDeque;

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

/// The counters of a wave, and what they count. Everything takes constant time, an operation's release included
/// in its issue.
#[derive(Clone, Debug)]
pub struct Scoreboard {
    max: Waitcnt,
    /// In issue order. Those that hold nothing any more go when all before them are gone.
    operations: VecDeque<Outstanding>,
    /// How many operations have gone.
    gone: u64,
    counters: [Counter; COUNTERS],
}

/// One of VM_CNT, LGKM_CNT, EXP_CNT.
#[derive(Clone, Copy, Debug, Default)]
struct Counter {
    value: u8,
    /// Operations before this one, counted from the wave's first, hold nothing of it.
    oldest: u64,
}

const COUNTERS: usize = 3;

impl Increments {
    fn each(&mut self) -> [&mut u8; COUNTERS] {
        [&mut self.vm, &mut self.lgkm, &mut self.exp]
    }
}

fn each(counters: Waitcnt) -> [u8; COUNTERS] {
    [counters.vm, counters.lgkm, counters.exp]
}

impl Scoreboard {
    /// No operation outstanding.
    pub fn new(isa: Isa) -> Scoreboard {
        Scoreboard {
            max: Waitcnt::max(isa),
            operations: VecDeque::new(),
            gone: 0,
            counters: [Counter::default(); COUNTERS],
        }
    }

    /// No operation outstanding any more; the wave is another.
    pub fn clear(&mut self) {
        self.operations.clear();
        self.gone = 0;
        self.counters = [Counter::default(); COUNTERS];
    }

    /// The counters now.
    pub fn counters(&self) -> Waitcnt {
        let [vm, lgkm, exp] = self.counters.map(|c| c.value);
        Waitcnt { vm, exp, lgkm }
    }

    /// Operations that may be incomplete, in issue order.
    pub fn outstanding(&self) -> impl Iterator<Item = &Outstanding> {
        self.operations
            .iter()
            .filter(|o| o.held != Increments::default())
    }

    /// An operation is issued. Where a counter would overflow, issue stalls until the oldest
    /// operations have completed (checklist 3.29, 5.3; errata E120).
    #[inline]
    pub fn issue(&mut self, kind: Kind, pc: u64, mut held: Increments) {
        let max = each(self.max);
        for ((counter, max), held) in (0..COUNTERS).zip(max).zip(held.each()) {
            *held = (*held).min(max);
            self.release(counter, max - *held);
            self.counters[counter].value += *held;
        }
        self.trim();
        self.operations.push_back(Outstanding { kind, pc, held });
    }

    /// Completes the oldest operations until each counter is at most its value in `until` (checklist 5.2).
    #[inline]
    pub fn wait(&mut self, until: Waitcnt) {
        for (counter, until) in each(until).into_iter().enumerate() {
            self.release(counter, until);
        }
        self.trim();
    }

    #[inline]
    fn release(&mut self, counter: usize, until: u8) {
        while self.counters[counter].value > until {
            let oldest = self.counters[counter].oldest.max(self.gone);
            let place = (oldest - self.gone) as usize;
            let Some(operation) = self.operations.get_mut(place) else {
                return;
            };
            let [vm, lgkm, exp] = operation.held.each();
            let held = match counter {
                0 => vm,
                1 => lgkm,
                _ => exp,
            };
            self.counters[counter].value -= std::mem::take(held);
            self.counters[counter].oldest = oldest + 1;
        }
    }

    /// Forgets the oldest operations as far as they hold nothing.
    #[inline]
    fn trim(&mut self) {
        while self
            .operations
            .front()
            .is_some_and(|o| o.held == Increments::default())
        {
            self.operations.pop_front();
            self.gone += 1;
        }
    }
}

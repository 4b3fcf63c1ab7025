//! Operations that may be incomplete, and what a wait guarantees of them (checklist 5; errata E043, E046, E082, E083).
//!
//! The value of a counter alone says little: operations of different kinds complete in any order. What counts is how small the
//! counter can be while an operation is outstanding: those of its own order that were issued after it are outstanding too, all
//! others may be complete. A wait for less than that guarantees the operation.

use gcn_isa::Inst;
use gcn_isa::simm::Waitcnt;
use gcn_isa::uses::{Counter, Counters, Order, RegisterUse, Uses};

/// The value of a counter that a wait is for.
pub fn bound(until: Waitcnt, counter: Counter) -> u8 {
    match counter {
        Counter::Vm => until.vm,
        Counter::Lgkm => until.lgkm,
        Counter::Exp => until.exp,
    }
}

/// The amount that an operation adds to a counter.
fn added(counters: &Counters, counter: Counter) -> u8 {
    match counter {
        Counter::Vm => counters.vm,
        Counter::Lgkm => counters.lgkm,
        Counter::Exp => counters.exp,
    }
}

/// Something that an operation holds until a counter says otherwise.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Held<T> {
    /// The counter that releases it.
    pub counter: Counter,
    /// Operations that complete in order with it.
    pub order: Order,
    /// A sampler takes part in it.
    pub sampled: bool,
    /// Least value of the counter while the operation is outstanding.
    pub least: u8,
    /// The thing held.
    pub what: T,
}

impl<T> Held<T> {
    /// The largest wait of its counter that releases it.
    pub fn wait(&self) -> u8 {
        self.least.saturating_sub(1)
    }
}

/// Things that a wave's operations hold, in the order of their issue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outstanding<T> {
    held: Vec<Held<T>>,
}

impl<T> Default for Outstanding<T> {
    fn default() -> Outstanding<T> {
        Outstanding { held: Vec::new() }
    }
}

impl<T> Outstanding<T> {
    /// Everything that may be held.
    pub fn held(&self) -> &[Held<T>] {
        &self.held
    }

    /// True if nothing is.
    pub fn is_empty(&self) -> bool {
        self.held.is_empty()
    }

    /// Keeps what a predicate is true for.
    pub fn retain(&mut self, keep: impl FnMut(&Held<T>) -> bool) {
        self.held.retain(keep);
    }

    /// The wave waits. Returns true if that releases something.
    pub fn wait(&mut self, until: Waitcnt) -> bool {
        let before = self.held.len();
        self.held.retain(|it| it.least <= bound(until, it.counter));
        self.held.len() < before
    }

    /// An operation is issued, which holds something until one counter or another releases it. Where a counter would overflow,
    /// issue waits for the oldest operations (checklist 5.3); returns true if that releases something.
    pub fn issue(
        &mut self,
        counters: &Counters,
        max: Waitcnt,
        holds: impl IntoIterator<Item = (Counter, T)>,
    ) -> bool {
        let mut room = max;
        room.vm = room.vm.saturating_sub(counters.vm);
        room.lgkm = room.lgkm.saturating_sub(counters.lgkm);
        room.exp = room.exp.saturating_sub(counters.exp);
        let has_released = self.wait(room);
        for it in &mut self.held {
            if it.order == counters.order && it.order.is_kept() {
                it.least = it.least.saturating_add(added(counters, it.counter));
            }
        }
        let own = |counter| {
            // Of two increments one may have been taken back.
            if counters.order.is_kept() {
                added(counters, counter)
            } else {
                1
            }
        };
        self.held
            .extend(holds.into_iter().map(|(counter, what)| Held {
                counter,
                order: counters.order,
                sampled: counters.sampled,
                least: own(counter),
                what,
            }));
        has_released
    }
}

impl<T: PartialEq> Outstanding<T> {
    /// Joins what may be outstanding on another way to the same place. Returns true if that is more than before.
    pub fn join(&mut self, other: &Outstanding<T>) -> bool
    where
        T: Clone,
    {
        let mut grown = false;
        for theirs in &other.held {
            let same = |it: &&mut Held<T>| it.counter == theirs.counter && it.what == theirs.what;
            match self.held.iter_mut().find(same) {
                Some(ours) => {
                    // Of a FLAT the order may differ from way to way; the one without any is the weaker.
                    if ours.order.is_kept() && !theirs.order.is_kept() {
                        ours.order = theirs.order;
                        grown = true;
                    }
                    grown |= theirs.least < ours.least;
                    ours.least = ours.least.min(theirs.least);
                }
                None => {
                    self.held.push(theirs.clone());
                    grown = true;
                }
            }
        }
        grown
    }
}

/// The order of a FLAT instruction by the apertures that its lanes hit, `lds` those of LDS among `lanes` (errata E082).
pub fn flat_order(lds: u64, lanes: u64) -> Order {
    if lds == 0 {
        Order::VectorMemory
    } else if lds == lanes {
        Order::Lds
    } else {
        Order::Flat
    }
}

/// Registers that an instruction holds: each of its uses with the counter that releases it.
pub fn registers_held(inst: &Inst) -> impl Iterator<Item = (Counter, RegisterUse)> + use<'_> {
    let uses: Uses<'_> = inst.uses();
    uses.registers().flat_map(move |it| {
        uses.released_by(&it)
            .iter()
            .map(move |&counter| (counter, it))
    })
}

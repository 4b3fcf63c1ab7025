//! Outstanding operations and the guarantees that waits provide (checklist 5; errata E043, E046, E082, E083).
//!
//! A counter's value alone says little, because operations of different kinds complete in any order. The relevant
//! quantity is the lowest value that the counter can have while an operation is outstanding: later operations of the
//! same order are then outstanding too, while all others may be complete. A wait for a smaller value guarantees that
//! the operation is complete.

use gcn_isa::Inst;
use gcn_isa::simm::Waitcnt;
use gcn_isa::uses::{Counter, Counters, Order, RegisterUse, Uses};

/// Value that a wait requests for a counter.
pub fn bound(until: Waitcnt, counter: Counter) -> u8 {
    match counter {
        Counter::Vm => until.vm,
        Counter::Lgkm => until.lgkm,
        Counter::Exp => until.exp,
    }
}

/// Amount that an operation adds to a counter.
fn added(counters: &Counters, counter: Counter) -> u8 {
    match counter {
        Counter::Vm => counters.vm,
        Counter::Lgkm => counters.lgkm,
        Counter::Exp => counters.exp,
    }
}

/// Resource that an operation holds until a counter releases it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Held<T> {
    /// Counter that releases the resource.
    pub counter: Counter,
    /// Order in which the operation completes.
    pub order: Order,
    /// True if the operation uses a sampler.
    pub sampled: bool,
    /// Minimum value of the counter while the operation is outstanding.
    pub least: u8,
    /// Resource held.
    pub what: T,
}

impl<T> Held<T> {
    /// Largest counter value for which a wait releases the resource.
    pub fn wait(&self) -> u8 {
        self.least.saturating_sub(1)
    }
}

/// Resources held by a wave's operations, in issue order, except after [`Outstanding::join`].
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
    /// All resources that may be held.
    pub fn held(&self) -> &[Held<T>] {
        &self.held
    }

    /// True if no resource is held.
    pub fn is_empty(&self) -> bool {
        self.held.is_empty()
    }

    /// Keeps only the resources that satisfy a predicate.
    pub fn retain(&mut self, keep: impl FnMut(&Held<T>) -> bool) {
        self.held.retain(keep);
    }

    /// Applies a wait. Returns true if it releases a resource.
    pub fn wait(&mut self, until: Waitcnt) -> bool {
        let before = self.held.len();
        self.held.retain(|it| it.least <= bound(until, it.counter));
        self.held.len() < before
    }

    /// Records the issue of an operation that holds a resource until any of its counters releases it. If a counter
    /// would overflow, issue waits for the oldest operations (checklist 5.3). Returns true if that releases a
    /// resource.
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
            // If the operation incremented a counter twice, one increment may already have been undone.
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
    /// Merges the state of another control-flow path to the same point. Returns true if the state grew.
    pub fn join(&mut self, other: &Outstanding<T>) -> bool
    where
        T: Clone,
    {
        let mut grown = false;
        for theirs in &other.held {
            let same = |it: &&mut Held<T>| it.counter == theirs.counter && it.what == theirs.what;
            match self.held.iter_mut().find(same) {
                Some(ours) => {
                    // The order of a FLAT operation may differ between paths; no fixed order is the weaker guarantee.
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

/// Order of a FLAT instruction (errata E082). The lanes in `lanes` access memory; those in `lds` access LDS.
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

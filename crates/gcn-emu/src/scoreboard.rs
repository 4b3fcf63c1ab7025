//! VM_CNT, LGKM_CNT and EXP_CNT (checklist 5): operations that have been issued and may be incomplete.
//!
//! By default, memory operations take effect at issue, which is a legal outcome. The counters are still maintained, so
//! that a checker can tell which results a program may not use yet. An operation stays outstanding until a wait or a
//! full counter forces it to complete.

use gcn_isa::Isa;
use gcn_isa::simm::Waitcnt;
use gcn_isa::uses::{Counter, Counters, Order};

/// Operation ID: sequence number among the operations issued by its wave.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct OperationId(pub u64);

/// Reason why an operation no longer holds a counter.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Cause {
    /// Requested by a wait.
    Wait,
    /// Forced by a full counter when another operation was issued (checklist 3.29, 5.3).
    Full,
    /// Completed before a younger operation of the same kind, because operations of that kind complete in order.
    Order,
}

/// Operation that no longer holds a counter.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Retired {
    /// ID of the operation.
    pub operation: OperationId,
    /// Order in which the operation completes (checklist 5.4).
    pub order: Order,
    /// Address of the instruction.
    pub pc: u64,
    /// Counter that the operation held.
    pub counter: Counter,
    /// Reason for its release.
    pub cause: Cause,
}

/// Operation that may be incomplete.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct OutstandingOperation {
    /// ID of the operation.
    pub operation: OperationId,
    /// Address of the instruction.
    pub pc: u64,
    /// Counter increments that have not been undone.
    pub held: Counters,
}

/// Counters of a wave and the operations they count. Issuing and completing an operation takes amortized constant time.
/// Memory use is constant, since operations that no longer hold a counter are removed.
#[derive(Clone, Debug)]
pub struct Scoreboard {
    max: [u8; COUNTERS],
    /// Number of operations issued so far.
    issued: u64,
    counters: Box<[CounterState; COUNTERS]>,
}

/// State of VM_CNT, LGKM_CNT or EXP_CNT.
#[derive(Clone, Debug)]
struct CounterState {
    value: u8,
    /// Index of the oldest holder.
    oldest: u8,
    /// Number of holders in the ring buffer `places`, starting at `oldest`.
    count: u8,
    places: [Holder; PLACES],
}

/// Operation that holds part of a counter.
#[derive(Clone, Copy, Debug)]
struct Holder {
    number: u64,
    pc: u64,
    order: Order,
    sampled: bool,
    held: u8,
}

const COUNTERS: usize = 3;

/// Counters in the scoreboard's order.
const NAMES: [Counter; COUNTERS] = [Counter::Vm, Counter::Lgkm, Counter::Exp];

/// Size of a counter's ring buffer, one more than the maximum value. A holder has at least one increment.
const PLACES: usize = 64;

impl CounterState {
    const NOTHING: CounterState = CounterState {
        value: 0,
        oldest: 0,
        count: 0,
        places: [Holder {
            number: 0,
            pc: 0,
            order: Order::Message,
            sampled: false,
            held: 0,
        }; PLACES],
    };

    /// Operations that hold part of the counter, in issue order.
    fn operations(&self) -> impl Iterator<Item = &Holder> {
        let numbers = (0..self.count).map(|n| usize::from(self.oldest + n) % PLACES);
        numbers.map(|n| &self.places[n])
    }

    /// Completes the oldest operations until the value is at most `until`, reporting each.
    #[inline]
    fn release(&mut self, until: u8, mut released: impl FnMut(Holder)) {
        while self.value > until {
            let oldest = usize::from(self.oldest) % PLACES;
            released(self.places[oldest]);
            self.value -= self.places[oldest].held;
            self.oldest = (oldest as u8 + 1) % PLACES as u8;
            self.count -= 1;
        }
    }

    /// Records the issue of an operation that holds part of the counter. `max` is the counter's maximum value.
    #[inline(always)]
    fn issue(&mut self, operation: Holder, max: u8, released: impl FnMut(Holder)) {
        let held = operation.held.min(max);
        if self.value + held > max {
            self.release(max - held, released);
        }
        let next = usize::from(self.oldest + self.count) % PLACES;
        self.places[next] = Holder { held, ..operation };
        self.count += 1;
        self.value += held;
    }
}

fn each(counters: Waitcnt) -> [u8; COUNTERS] {
    [counters.vm, counters.lgkm, counters.exp]
}

impl Scoreboard {
    /// Creates a scoreboard without outstanding operations.
    pub fn new(isa: Isa) -> Scoreboard {
        Scoreboard {
            max: each(Waitcnt::max(isa)).map(|max| max.min(PLACES as u8 - 1)),
            issued: 0,
            counters: Box::new([CounterState::NOTHING; COUNTERS]),
        }
    }

    /// Removes all operations, for a new wave.
    pub fn clear(&mut self) {
        self.issued = 0;
        for counter in self.counters.iter_mut() {
            (counter.value, counter.oldest, counter.count) = (0, 0, 0);
        }
    }

    /// Current counter values.
    pub fn counters(&self) -> Waitcnt {
        let [vm, lgkm, exp] = &*self.counters;
        Waitcnt {
            vm: vm.value,
            exp: exp.value,
            lgkm: lgkm.value,
        }
    }

    /// Operations that may be incomplete, in issue order.
    pub fn outstanding(&self) -> impl Iterator<Item = OutstandingOperation> {
        let [mut vm, mut lgkm, mut exp] = self
            .counters
            .each_ref()
            .map(|counter| counter.operations().peekable());
        std::iter::from_fn(move || {
            let heads = [vm.peek(), lgkm.peek(), exp.peek()];
            let first = **heads.iter().flatten().min_by_key(|place| place.number)?;
            let is_it = |place: &&Holder| place.number == first.number;
            let held = |place: Option<&Holder>| place.map_or(0, |place| place.held);
            Some(OutstandingOperation {
                operation: OperationId(first.number),
                pc: first.pc,
                held: Counters {
                    order: first.order,
                    vm: held(vm.next_if(is_it)),
                    lgkm: held(lgkm.next_if(is_it)),
                    exp: held(exp.next_if(is_it)),
                    sampled: first.sampled,
                },
            })
        })
    }

    /// ID of the next operation.
    pub fn next(&self) -> OperationId {
        OperationId(self.issued)
    }

    /// Records the issue of an operation. If a counter would overflow, issue stalls until the oldest operations have
    /// completed (checklist 3.29, 5.3; errata E120).
    #[inline]
    pub fn issue(&mut self, pc: u64, held: Counters) {
        self.issue_each(pc, held, |_, _| ());
    }

    /// Variant of [`Scoreboard::issue`] that appends the completed operations to `retired`.
    #[inline]
    pub fn issue_reported(&mut self, pc: u64, held: Counters, retired: &mut Vec<Retired>) {
        let first = retired.len();
        self.issue_each(pc, held, |counter, place| {
            retired.push(place.retired(counter, Cause::Full));
        });
        mark_order(&mut retired[first..]);
    }

    #[inline(always)]
    fn issue_each(&mut self, pc: u64, held: Counters, mut released: impl FnMut(Counter, Holder)) {
        let number = self.issued;
        self.issued += 1;
        let Counters { order, sampled, .. } = held;
        let mut issue = |counter: &mut CounterState, max, name, held| {
            if held > 0 {
                let operation = Holder {
                    number,
                    pc,
                    order,
                    sampled,
                    held,
                };
                counter.issue(operation, max, |place| released(name, place));
            }
        };
        let ([vm, lgkm, exp], max) = (&mut *self.counters, self.max);
        issue(vm, max[0], Counter::Vm, held.vm);
        issue(lgkm, max[1], Counter::Lgkm, held.lgkm);
        issue(exp, max[2], Counter::Exp, held.exp);
    }

    /// Completes the oldest operations until each counter is at most its value in `until` (checklist 5.2).
    #[inline]
    pub fn wait(&mut self, until: Waitcnt) {
        for (counter, until) in self.counters.iter_mut().zip(each(until)) {
            counter.release(until, |_| ());
        }
    }

    /// Variant of [`Scoreboard::wait`] that appends the completed operations to `retired`.
    #[inline]
    pub fn wait_reported(&mut self, until: Waitcnt, retired: &mut Vec<Retired>) {
        let counters = self.counters.iter().zip(each(until));
        if counters.fold(false, |any, (counter, until)| any | (counter.value > until)) {
            self.release_reported(until, retired);
        }
    }

    #[inline(never)]
    fn release_reported(&mut self, until: Waitcnt, retired: &mut Vec<Retired>) {
        let first = retired.len();
        for ((counter, until), name) in self.counters.iter_mut().zip(each(until)).zip(NAMES) {
            counter.release(until, |place| {
                retired.push(place.retired(name, Cause::Wait));
            });
        }
        mark_order(&mut retired[first..]);
    }
}

/// Sets the cause to [`Cause::Order`] for retired operations that had to complete before a younger operation of their
/// kind on the same counter.
#[inline]
fn mark_order(retired: &mut [Retired]) {
    if retired.len() > 1 {
        mark_order_of_several(retired);
    }
}

#[inline(never)]
fn mark_order_of_several(retired: &mut [Retired]) {
    for n in 0..retired.len() {
        let (it, younger) = (retired[n], &retired[n + 1..]);
        let is_same = |other: &Retired| other.counter == it.counter && other.order == it.order;
        if it.order.is_kept() && younger.iter().any(is_same) {
            retired[n].cause = Cause::Order;
        }
    }
}

impl Holder {
    fn retired(self, counter: Counter, cause: Cause) -> Retired {
        Retired {
            operation: OperationId(self.number),
            order: self.order,
            pc: self.pc,
            counter,
            cause,
        }
    }
}

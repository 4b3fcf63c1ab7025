//! Cost of observers: times of kernels observed for all events and for memory events, relative to unobserved runs. The
//! configurations alternate.
//!
//! An observer that reads only the active lanes of an access avoids the computation of the addresses. The configuration
//! `addresses` reads all addresses.
//!
//! Arguments: part of a kernel's name; one of `unobserved`, `memory`, `addresses` and `all`, to run only this
//! configuration, for example with a profiler; and the number of runs.

#![allow(clippy::print_stdout)] // The benchmark prints its results.

mod common;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Instant;

use common::{KERNELS, Prepared};
use gcn_emu::observe::{
    Context, Events, Instruction, MemoryEvent, Observer, Observers, Verdict, WaveObserver,
};
use gcn_emu::scoreboard::Retired;

/// Number of runs of each configuration; the shortest time counts.
const TURNS: usize = 25;

/// Observer that counts events.
struct Counter {
    wants: Events,
    /// True if the observer reads the addresses of each access.
    reads_addresses: bool,
    seen: Arc<AtomicU64>,
}

impl Observer for Counter {
    fn wants(&self) -> Events {
        self.wants
    }
    fn waves(&self) -> Option<Box<dyn WaveObserver>> {
        Some(Box::new(Waves {
            seen: self.seen.clone(),
            reads_addresses: self.reads_addresses,
            count: 0,
        }))
    }
}

struct Waves {
    seen: Arc<AtomicU64>,
    reads_addresses: bool,
    count: u64,
}

impl Drop for Waves {
    fn drop(&mut self) {
        self.seen.fetch_add(self.count, Relaxed);
    }
}

impl WaveObserver for Waves {
    fn issues(&mut self, _: &Context<'_>, instruction: &Instruction<'_>) {
        self.count += u64::from(instruction.exec != 0);
    }
    fn completes(&mut self, context: &Context<'_>, _: &Instruction<'_>) {
        self.count += u64::from(context.pc != 0);
    }
    fn accesses(&mut self, _: &Context<'_>, event: &MemoryEvent<'_>) -> Verdict {
        self.count += u64::from(event.lanes() != 0);
        if self.reads_addresses {
            let addresses = event.access().address.iter();
            self.count += addresses.fold(0, |all, address| all ^ address) & 1;
        }
        Verdict::Allow
    }
    fn accessed(&mut self, _: &Context<'_>, event: &MemoryEvent<'_>) {
        self.count += event.lanes() & 1;
    }
    fn retires(&mut self, _: &Context<'_>, retired: &Retired) {
        self.count += retired.operation.0 & 1;
    }
}

/// Creates the observers of a configuration.
fn observers(way: Way, seen: &Arc<AtomicU64>) -> Observers {
    if way.wants.is_empty() {
        return Observers::none();
    }
    Observers::none().with(Arc::new(Counter {
        wants: way.wants,
        reads_addresses: way.reads_addresses,
        seen: seen.clone(),
    }))
}

/// Configuration of a measurement.
#[derive(Clone, Copy)]
struct Way {
    name: &'static str,
    wants: Events,
    reads_addresses: bool,
}

impl Way {
    const fn new(name: &'static str, wants: Events, reads_addresses: bool) -> Way {
        Way {
            name,
            wants,
            reads_addresses,
        }
    }
}

const WAYS: [Way; 4] = [
    Way::new("unobserved", Events::empty(), false),
    Way::new("memory", MEMORY, false),
    Way::new("addresses", MEMORY, true),
    Way::new("all", Events::all(), false),
];

/// Events of memory accesses and of host operations on memory.
const MEMORY: Events = Events::ACCESS.union(Events::ACCESSED).union(Events::MEMORY);

fn main() {
    let seen = Arc::new(AtomicU64::new(0));
    // Cargo passes `--bench`.
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    let mut arguments = arguments.iter().filter(|it| !it.starts_with("--"));
    let filter = arguments.next().map_or("", String::as_str);
    let kernels = KERNELS.iter().filter(|kernel| kernel.name.contains(filter));
    if let Some(name) = arguments.next() {
        let way = WAYS.iter().find(|way| way.name == name);
        let way = *way.expect("a way to run kernels");
        let times = arguments
            .next()
            .map_or(1, |it| it.parse().expect("a number"));
        for kernel in kernels {
            let mut prepared = Prepared::new(kernel);
            for _ in 0..times {
                prepared.run(&observers(way, &seen));
            }
        }
        return;
    }
    println!(
        "{:<32} {:>12} {:>10} {:>10} {:>10}",
        "kernel", "unobserved", "memory", "addresses", "all"
    );
    for kernel in kernels {
        let mut prepared = Prepared::new(kernel);
        let mut best = [f64::INFINITY; WAYS.len()];
        for _ in 0..TURNS {
            for (way, best) in WAYS.into_iter().zip(&mut best) {
                let observers = observers(way, &seen);
                let begin = Instant::now();
                prepared.run(&observers);
                *best = begin.elapsed().as_secs_f64().min(*best);
            }
        }
        let [alone, memory, addresses, all] = best;
        println!(
            "{:<32} {:>9.3} ms {:>9.2}x {:>9.2}x {:>9.2}x",
            kernel.name,
            alone * 1e3,
            memory / alone,
            addresses / alone,
            all / alone
        );
    }
    assert!(seen.load(Relaxed) > 0, "observers see events");
}

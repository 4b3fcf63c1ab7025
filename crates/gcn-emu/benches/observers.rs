//! The cost of observers: times of kernels observed for all events and for memory alone, beside unobserved runs in turns.

#![allow(clippy::print_stdout)] // It is what it is for.

mod common;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Instant;

use common::{KERNELS, Prepared};
use gcn_emu::observe::{
    Context, Events, Instruction, MemoryEvent, Observer, Observers, Verdict, WaveObserver,
};
use gcn_emu::scoreboard::Retired;

/// Turns of each way to run a kernel; the best time counts.
const TURNS: usize = 25;

/// Counts what it sees.
struct Counter {
    wants: Events,
    seen: Arc<AtomicU64>,
}

impl Observer for Counter {
    fn wants(&self) -> Events {
        self.wants
    }
    fn waves(&self) -> Option<Box<dyn WaveObserver>> {
        Some(Box::new(Waves {
            seen: self.seen.clone(),
            count: 0,
        }))
    }
}

struct Waves {
    seen: Arc<AtomicU64>,
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
        self.count += event.access.address[0] & 1;
        Verdict::Allow
    }
    fn accessed(&mut self, _: &Context<'_>, event: &MemoryEvent<'_>) {
        self.count += event.access.lanes() & 1;
    }
    fn retires(&mut self, _: &Context<'_>, retired: &Retired) {
        self.count += retired.operation.0 & 1;
    }
}

fn main() {
    let ways = [
        Events::NONE,
        Events::ACCESS | Events::ACCESSED | Events::MEMORY,
        Events::ALL,
    ];
    let seen = Arc::new(AtomicU64::new(0));
    println!(
        "{:<32} {:>12} {:>10} {:>10}",
        "kernel", "unobserved", "memory", "all"
    );
    for kernel in KERNELS {
        let mut prepared = Prepared::new(kernel);
        let mut best = [f64::INFINITY; 3];
        for _ in 0..TURNS {
            for (wants, best) in ways.into_iter().zip(&mut best) {
                let observers = if wants == Events::NONE {
                    Observers::none()
                } else {
                    let seen = seen.clone();
                    Observers::none().with(Arc::new(Counter { wants, seen }))
                };
                let begin = Instant::now();
                prepared.run(&observers);
                *best = begin.elapsed().as_secs_f64().min(*best);
            }
        }
        let [alone, memory, all] = best;
        println!(
            "{:<32} {:>9.3} ms {:>9.2}x {:>9.2}x",
            kernel.name,
            alone * 1e3,
            memory / alone,
            all / alone
        );
    }
    assert!(seen.load(Relaxed) > 0, "observers see events");
}

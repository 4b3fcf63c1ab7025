//! Observer that summarizes all events of a run, with the state of the wave at each event.

use std::hash::{BuildHasher, Hash, Hasher};
use std::sync::{Arc, Mutex, PoisonError};

use foldhash::fast::{FixedState, FoldHasher};
use gcn_emu::observe::{
    Context, Dispatched, Events, Instruction, MemoryEvent, Observer, Verdict, WaveEnd, WaveObserver,
};
use gcn_emu::scoreboard::Retired;
use gcn_isa::uses::{RegisterSet, Registers};

use super::frame::VGPRS;

/// Log of a run on one thread.
pub(super) struct EventLog {
    wants: Events,
    log: Arc<Mutex<Log>>,
}

/// Number of events, and a hash of them. The standard library's hasher would take most of the tests' time.
#[derive(Clone)]
struct Log {
    count: u64,
    hash: FoldHasher<'static>,
}

impl EventLog {
    pub(super) fn new(wants: Events) -> EventLog {
        EventLog {
            wants,
            log: Arc::new(Mutex::new(Log {
                count: 0,
                hash: FixedState::default().build_hasher(),
            })),
        }
    }

    /// Number of events so far, and a hash of them.
    pub(super) fn sum(&self) -> (u64, u64) {
        let log = self.log.lock().unwrap_or_else(PoisonError::into_inner);
        (log.count, log.hash.finish())
    }
}

impl Observer for EventLog {
    fn wants(&self) -> Events {
        self.wants
    }

    fn waves(&self) -> Option<Box<dyn WaveObserver>> {
        Some(Box::new(WaveLog {
            log: self.log.clone(),
        }))
    }
}

struct WaveLog {
    log: Arc<Mutex<Log>>,
}

impl WaveLog {
    /// Adds an event with the wave's state and details.
    fn add(&mut self, kind: &str, context: &Context<'_>, details: impl Hash) {
        let wave = context.wave;
        let mut log = self.log.lock().unwrap_or_else(PoisonError::into_inner);
        log.count += 1;
        let hash = &mut log.hash;
        (
            kind,
            context.pc,
            wave.executed,
            wave.exec(),
            wave.scc,
            details,
        )
            .hash(hash);
        (0..106).for_each(|register| wave.scalar(register).hash(hash));
        (0..VGPRS as u8).for_each(|register| wave.vgpr(register).0.hash(hash));
    }
}

impl WaveObserver for WaveLog {
    fn wave_begins(&mut self, context: &Context<'_>) {
        self.add("begins", context, ());
    }

    fn wave_ends(&mut self, context: &Context<'_>, _: WaveEnd<'_>) {
        self.add("ends", context, ());
    }

    /// Watches a few registers, which change after each event.
    fn watched(&mut self, _: &Context<'_>) -> RegisterSet {
        let log = self.log.lock().unwrap_or_else(PoisonError::into_inner);
        let mut set = RegisterSet::default();
        let bits = log.hash.finish();
        if bits & 1 != 0 {
            set.add(Registers::Vector {
                first: (bits >> 8) as u8 % VGPRS as u8,
                count: 1,
            });
        }
        if bits & 6 == 6 {
            set.add(Registers::Scalar {
                first: (bits >> 16) as u8 % 104,
                count: 2,
            });
        }
        set
    }

    fn issues(&mut self, context: &Context<'_>, instruction: &Instruction<'_>) {
        self.add("issues", context, instruction.step.index);
    }

    fn accesses(&mut self, context: &Context<'_>, event: &MemoryEvent<'_>) -> Verdict {
        let access = event.access();
        self.add("accesses", context, (access.address, access.lanes()));
        Verdict::Allow
    }

    fn accessed(&mut self, context: &Context<'_>, event: &MemoryEvent<'_>) {
        let access = event.access();
        self.add("accessed", context, (access.address, access.lanes()));
    }

    fn manages_cache(&mut self, context: &Context<'_>, instruction: &Instruction<'_>) {
        self.add("cache", context, instruction.step.index);
    }

    fn retires(&mut self, context: &Context<'_>, retired: &Retired) {
        self.add("retires", context, format!("{retired:?}"));
    }

    fn barrier_arrives(&mut self, context: &Context<'_>) {
        self.add("arrives", context, ());
    }

    fn barrier_opens(&mut self, _: &Dispatched<'_>, group: [u32; 3]) {
        let mut log = self.log.lock().unwrap_or_else(PoisonError::into_inner);
        log.count += 1;
        group.hash(&mut log.hash);
    }
}

//! Observer that compares memory events with the registers, and finds programs whose workgroups share memory.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

use gcn_emu::observe::{
    Access, Context, Events, MemoryEvent, Observer, Shape, ShareAccess, Verdict, WaveObserver,
};
use gcn_emu::step::Family;

use super::frame::{REGION, ROW, SCRATCH_ROWS};

/// Counts accesses, and detects accesses to memory that is not private to the workgroup.
pub(super) struct Watcher {
    pub(super) wants: Events,
    /// True if the observer needs no LDS events.
    pub(super) overlooks: bool,
    pub(super) overlooked: Arc<AtomicU64>,
    pub(super) accesses: Arc<AtomicU64>,
    /// Number of accesses to interleaved scratch.
    pub(super) of_scratch: Arc<AtomicU64>,
    /// True if an access left the memory of its workgroup.
    pub(super) leaves: Arc<AtomicBool>,
}

impl Watcher {
    pub(super) fn new(wants: Events) -> Watcher {
        Watcher {
            wants,
            overlooks: false,
            overlooked: Arc::default(),
            accesses: Arc::default(),
            of_scratch: Arc::default(),
            leaves: Arc::default(),
        }
    }
}

impl Observer for Watcher {
    fn wants(&self) -> Events {
        self.wants
    }

    fn may_overlook(&self) -> bool {
        true
    }

    fn waves(&self) -> Option<Box<dyn WaveObserver>> {
        Some(Box::new(Waves {
            overlooks: self.overlooks,
            overlooked: self.overlooked.clone(),
            accesses: self.accesses.clone(),
            of_scratch: self.of_scratch.clone(),
            leaves: self.leaves.clone(),
            before: Access::default(),
            pending: VecDeque::new(),
            count: 0,
        }))
    }
}

struct Waves {
    overlooks: bool,
    overlooked: Arc<AtomicU64>,
    accesses: Arc<AtomicU64>,
    of_scratch: Arc<AtomicU64>,
    leaves: Arc<AtomicBool>,
    /// The next access, computed from the instruction's registers.
    before: Access,
    /// Accesses of an instruction that have not happened yet: an image sample has several.
    pending: VecDeque<Access>,
    /// Number of accesses that were announced.
    count: u64,
}

impl Waves {
    /// True for every second access. Its addresses are computed before it, and must not change.
    fn asks(&self) -> bool {
        self.count.is_multiple_of(2)
    }
}

impl WaveObserver for Waves {
    /// Checks that an access computed from the registers has the addresses of its event.
    fn overlooks(&mut self, context: &Context<'_>, share: &ShareAccess<'_>) -> bool {
        let mut access = Access::default();
        context.addresses(share.step, &mut access);
        let text = share.step.inst.text();
        assert_eq!(
            (Some(share.intent), share.lanes, share.elements.bytes),
            (access.intent, access.lanes(), access.bytes),
            "{text}"
        );
        assert_eq!((share.lanes, access.to_lds), (access.lds, None), "{text}");
        let elements = 1 + u8::from(share.elements.distance.is_some());
        assert_eq!(elements, access.elements, "{text}");
        let (mut lowest, mut end) = (u64::MAX, 0);
        for lane in (0..64).filter(|lane| share.lanes >> lane & 1 != 0) {
            let addresses = [access.address[lane], access.second[lane]];
            let found = share.addresses(lane);
            for (found, address) in found.into_iter().zip(addresses) {
                assert_eq!(found, address, "{text}");
                lowest = lowest.min(address);
                end = end.max(address + u64::from(share.elements.bytes));
            }
        }
        assert_eq!(share.range, lowest..end, "{text}");
        self.overlooked
            .fetch_add(u64::from(self.overlooks), Relaxed);
        self.overlooks
    }
    fn accesses(&mut self, context: &Context<'_>, event: &MemoryEvent<'_>) -> Verdict {
        let regions = context.dispatched.device.memory.allocations();
        let own = regions[0].base + u64::from(context.id().group[0]) * REGION;
        let scratch = context.wave.scratch.base;
        self.count += 1;
        let plan = event.instruction.step.memory.as_deref();
        if plan.is_some_and(|plan| plan.family != Family::Image) {
            context.addresses(event.instruction.step, &mut self.before);
        } else {
            self.before.clone_from(event.access());
        }
        if let Some(shape) = event.shape() {
            let bytes = u64::from(self.before.bytes);
            let lanes = self.before.global;
            let (range, stride) = match &shape {
                Shape::Row(range) => (range, bytes),
                Shape::Uniform(range) => (range, 0),
            };
            assert_eq!(lanes, event.lanes());
            assert!(stride == 0 || lanes == u64::MAX, "a row is of all lanes");
            assert_eq!(range.end, range.start + 63 * stride + bytes);
            for lane in (0..64).filter(|lane| lanes >> lane & 1 != 0) {
                let at = range.start + lane as u64 * stride;
                assert_eq!(self.before.address[lane], at, "{shape:?}");
            }
        }
        let asked = self.asks().then(|| event.access());
        let access = asked.unwrap_or(&self.before);
        let is_in_scratch = |lane: usize| {
            let place = access.place(lane, 0);
            place.is_some_and(|place| place.wrapping_sub(scratch) < SCRATCH_ROWS * ROW)
        };
        let interleaved = access.scratch | access.buffer;
        if (0..64).any(|lane| interleaved >> lane & 1 != 0 && is_in_scratch(lane)) {
            self.of_scratch.fetch_add(1, Relaxed);
        }
        assert_eq!(
            (event.intent(), event.lanes()),
            (access.intent, access.lanes())
        );
        for lane in (0..64).filter(|lane| access.lanes() >> lane & 1 != 0) {
            for byte in [0, u64::from(access.bytes.max(1)) - 1] {
                let place = access.place(lane, byte);
                let is_own = |place: u64| {
                    place.wrapping_sub(own) < REGION
                        || place.wrapping_sub(scratch) < SCRATCH_ROWS * ROW
                };
                if place.is_some_and(|place| !is_own(place)) {
                    self.leaves.store(true, Relaxed);
                }
            }
        }
        self.pending.push_back(self.before.clone());
        self.accesses.fetch_add(1, Relaxed);
        Verdict::Allow
    }
    /// Checks that the addresses are those that were announced.
    fn accessed(&mut self, _: &Context<'_>, event: &MemoryEvent<'_>) {
        let before = self.pending.pop_front().expect("it was about to happen");
        let (before, after) = (&before, event.access());
        let text = event.instruction.step.inst.text();
        let facts = |it: &Access| {
            let spaces = (it.global, it.lds, it.gds, it.scratch, it.buffer);
            (it.intent, it.bytes, it.elements, it.scalar, spaces)
        };
        assert_eq!(facts(before), facts(after), "{text}");
        for lane in (0..64).filter(|lane| before.lanes() >> lane & 1 != 0) {
            assert_eq!(before.address[lane], after.address[lane], "{text}");
            if before.elements == 2 || before.buffer != 0 {
                assert_eq!(before.second[lane], after.second[lane], "{text}");
            }
        }
        // Some data of every access is known.
        let lane = event.lanes().trailing_zeros() as usize;
        assert!(event.value(lane, 0).is_some(), "{text}");
    }
}

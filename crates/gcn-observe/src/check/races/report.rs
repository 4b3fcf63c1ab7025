//! Findings of data races, with help.

use std::sync::Arc;

use gcn_emu::observe::{Access, Context, MemoryEvent, Span};
use gcn_isa::Inst;

use super::access::{AccessKind, AccessPart, DWORD, PastAccess, ShadowedMemory};
use super::cell::{Conflict, HappensBefore};
use super::lanes::{Comparison, Overlap, Stored, compare, lane_of, stored};
use super::run::RaceDispatch;
use super::shadow::LdsShadow;
use crate::finding::{Finding, FindingKey, FindingPlace, Findings, Help, Kind, Side};

/// Help for a race between waves of a workgroup.
fn help_in_workgroup(memory: ShadowedMemory) -> Help {
    let fence = match memory {
        ShadowedMemory::Lds => "CLK_LOCAL_MEM_FENCE",
        ShadowedMemory::Global => "CLK_GLOBAL_MEM_FENCE",
    };
    Help::new("`s_barrier` between the accesses, after waits for the waves' writes")
        .opencl(format!("`barrier({fence})` between the accesses"))
        .hip("`__syncthreads()` between the accesses")
}

/// Help for a race between workgroups.
fn help_across_workgroups() -> Help {
    Help::new(
        "a release (waits, then an atomic or a store) after the first access, and an acquire (an atomic or GLC load, a wait \
         for it, `buffer_wbinvl1`) before the second; or two dispatches",
    )
    .opencl(
        "an atomic function, such as `atomic_fetch_add`, for both accesses; or between them a flag that is stored with \
         `memory_order_release` and loaded with `memory_order_acquire`, both with `memory_scope_device`; or two kernels",
    )
    .hip(
        "an atomic function, such as `atomicAdd`, for both accesses; or between them a flag that is set by an atomic function \
         after `__threadfence()` and read by one before `__threadfence()`; or two kernels",
    )
}

/// Help for a load that only lacks an invalidation of its cache.
fn help_invalidation(is_scalar: bool) -> Help {
    let machine = if is_scalar {
        "`s_dcache_inv`"
    } else {
        "`buffer_wbinvl1`"
    };
    let opencl =
        "`atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acquire, memory_scope_device)`";
    Help::new(machine)
        .opencl(opencl)
        .hip("`__threadfence()`")
        .and(" before the load, whose cache may hold old data")
}

/// Help for a race between lanes of an instruction.
fn help_in_instruction() -> Help {
    Help::new("a condition that leaves one lane active, or an atomic if all values matter")
        .opencl("a condition under which one work-item stores, or an atomic function if all values matter")
        .hip("a condition under which one thread stores, or an atomic function if all values matter")
}

/// Help for a race between a kernel and the host.
fn help_with_host() -> Help {
    Help::new(
        "the host waits for the kernel first: it synchronises the stream or waits for the event, or copies in the kernel's stream or \
         in-order queue",
    )
    .opencl(
        "the host waits for the kernel first: with the kernel's event, with `clFinish`, or with a copy in the kernel's \
         in-order queue",
    )
    .hip(
        "the host waits for the kernel first: with `hipStreamSynchronize`, with an event, or with a copy in the kernel's stream",
    )
}

/// Help for a race between concurrent dispatches.
fn help_between_dispatches() -> Help {
    Help::new(
        "order the dispatches: one stream or in-order queue for both, an event that the second one waits for, or a barrier \
         packet with the first one's signal",
    )
    .opencl(
        "order the kernels: one in-order queue for both, or the first one's event in the second one's wait list",
    )
    .hip(
        "order the kernels: one stream for both, or `hipStreamWaitEvent` for an event recorded after the first one",
    )
}

/// Help for a dispatch without an acquire fence, which no OpenCL or HIP call omits.
fn help_fence_of_dispatch() -> Help {
    Help::new(
        "an acquire fence in the header of the second packet, with at least agent scope: the caches may hold old data",
    )
}

/// Two unordered accesses to the same location.
pub(super) struct Race<'a> {
    pub(super) run: &'a RaceDispatch,
    pub(super) memory: ShadowedMemory,
    /// Address of a byte that both accesses touch.
    pub(super) at: u64,
    pub(super) before: PastAccess,
    /// LDS shadow of the workgroup.
    pub(super) share: &'a LdsShadow,
    /// The later access, and its lane if known.
    pub(super) now: PastAccess,
    pub(super) lane: Option<usize>,
    /// True if both accesses store the same value.
    pub(super) is_same_value: bool,
    /// True if the earlier access happens before the later one, but this is a load that may read a stale value from its cache.
    pub(super) is_stale: bool,
}

/// One side of a race.
struct RaceSide {
    place: Option<FindingPlace>,
    access: PastAccess,
}

impl RaceSide {
    fn of(run: &RaceDispatch, access: PastAccess, lane: Option<usize>) -> RaceSide {
        let wave = run.wave(run.layout.wave(access));
        let place = wave.and_then(|wave| {
            let (pc, inst) = run.instruction(access.site())?;
            let place = FindingPlace::new(pc, &inst, Some(wave));
            Some(in_lane(place, lane))
        });
        RaceSide { place, access }
    }

    fn pc(&self) -> u64 {
        self.place.as_ref().map_or(0, |it| it.pc)
    }

    /// True if the side has the higher instruction address, or the same one and the higher wave.
    fn is_primary_to(&self, other: &RaceSide) -> bool {
        let wave = |side: &RaceSide| {
            let wave = side.place.as_ref().and_then(|it| it.wave);
            wave.map(|wave| wave.rank())
        };
        (self.pc(), wave(self)) > (other.pc(), wave(other))
    }
}

/// Returns the address to report for a conflict at a byte: that of its dword if the instruction accesses whole dwords.
fn element_address(inst: &Inst, byte: u64) -> u64 {
    if u64::from(inst.does().element().bytes()) < DWORD {
        byte
    } else {
        byte - byte % DWORD
    }
}

/// Returns the address to report for a past access; see [`element_address`].
fn past_element_address(run: &RaceDispatch, access: PastAccess, byte: u64) -> u64 {
    match run.instruction(access.site()) {
        Some((_, inst)) => element_address(&inst, byte),
        None => byte,
    }
}

fn in_lane(place: FindingPlace, lane: Option<usize>) -> FindingPlace {
    match lane {
        Some(lane) => place.lane(lane),
        None => place,
    }
}

/// Adds the lane of a past global access to its code location, if the access is still logged.
fn in_past_lane(
    run: &RaceDispatch,
    access: PastAccess,
    at: u64,
    place: FindingPlace,
) -> FindingPlace {
    let lane = run
        .places
        .lane_of(run.id, access, ShadowedMemory::Global, at);
    in_lane(place, lane)
}

/// Values of [`FindingKey::detail`] for races of concurrent dispatches, races with host reads, and missing fences.
const OF_DISPATCHES: u64 = 1;
const OF_HOST_READS: u64 = 2;
const OF_FENCES: u64 = 3;

/// Returns a description of a host access, and the finding's [`FindingKey::detail`].
fn part_of_host(kind: AccessKind) -> (&'static str, u64) {
    if kind.writes() {
        ("the host writes this memory while the kernel runs", 0)
    } else {
        (
            "the host reads this memory while the kernel runs",
            OF_HOST_READS,
        )
    }
}

impl Race<'_> {
    /// Reports the race. The primary location is the instruction with the higher address, or the higher wave if both are
    /// the same instruction, so that the finding does not depend on the execution order.
    pub(super) fn report(
        &self,
        findings: &Findings,
        context: &Context<'_>,
        event: &MemoryEvent<'_>,
    ) {
        let kind = match self.memory {
            _ if self.is_same_value => Kind::SameValueRace,
            ShadowedMemory::Lds => Kind::LdsRace,
            ShadowedMemory::Global => Kind::GlobalRace,
        };
        let memory = self.memory;
        let mut sides = [
            RaceSide::of(self.run, self.now, self.lane),
            RaceSide::of(self.run, self.before, self.run.lane(self.before)),
        ];
        let mut earlier = 1;
        if sides[1].is_primary_to(&sides[0]) {
            sides.swap(0, 1);
            earlier = 0;
        }
        let [own, other] = &sides;
        let agents = match &other.place {
            None => "a wave and the host".to_owned(),
            Some(_) if self.run.layout.has_lanes() => "two lanes".to_owned(),
            Some(place) => {
                let of = |place: &FindingPlace| place.wave.map(|wave| wave.group);
                match own.place.as_ref().and_then(of) == of(place) {
                    true => "two waves of a workgroup".to_owned(),
                    false => "waves of two workgroups".to_owned(),
                }
            }
        };
        let (side, detail) = match &other.place {
            Some(_) => (format!("the other {}", other.access.kind().name()), 0),
            None => {
                let (part, detail) = part_of_host(other.access.kind());
                (part.to_owned(), detail)
            }
        };
        let key = FindingKey {
            kind,
            pc: own.pc(),
            other: other.pc(),
            detail,
        };
        let what = if self.is_same_value {
            format!("store the same value to {}", memory.name())
        } else {
            format!("access the same bytes of {}", memory.name())
        };
        let wave = own.place.as_ref().and_then(|it| it.wave);
        findings.report(key, wave, || {
            let message = format!("{agents} {what} without synchronization");
            let mut finding = Finding::new(kind, context, event.instruction, message);
            let mut places = [own, other].map(|side| side.place.clone());
            let place = places[earlier].take();
            places[earlier] = place.map(|place| in_lane(place, self.earlier_lane()));
            let [place, other_place] = places;
            if let Some(place) = place {
                finding.place = place;
            }
            let at = past_element_address(self.run, own.access, self.at);
            finding.label = format!("{} at {at:#x}", own.access.kind().name());
            finding.sides.push(Side {
                label: side,
                place: other_place,
            });
            finding.address = Some(memory.byte(at));
            finding.help = Some(self.help(own, other));
            finding
        });
    }

    /// Returns the lane of the earlier access, if known.
    fn earlier_lane(&self) -> Option<usize> {
        let of_waves = || {
            let kept = (self.memory == ShadowedMemory::Lds)
                .then(|| self.share.lane_of(self.before, self.at))
                .flatten();
            let places = &self.run.places;
            kept.or_else(|| places.lane_of(self.run.id, self.before, self.memory, self.at))
        };
        self.run.lane(self.before).or_else(of_waves)
    }

    fn help(&self, own: &RaceSide, other: &RaceSide) -> Help {
        let is_scalar = self.run.is_scalar(self.now);
        if self.is_stale {
            return help_invalidation(is_scalar);
        }
        let group = |told: &RaceSide| {
            let wave = told.place.as_ref().and_then(|it| it.wave);
            wave.map(|wave| wave.group)
        };
        let order = if group(own).is_some() && group(own) == group(other) {
            help_in_workgroup(self.memory)
        } else {
            help_across_workgroups()
        };
        if self.is_same_value {
            order.and("; or leave it, since the result is the same in any order")
        } else if is_scalar && self.before.kind().writes() {
            order.and_machine("; and `s_dcache_inv` before the scalar load")
        } else {
            order
        }
    }
}

/// Creates a finding of a race in global memory that was not detected during an event of the wave.
fn found_apart(
    run: &RaceDispatch,
    access: PastAccess,
    place: FindingPlace,
    at: u64,
    agents: &str,
    side: Side,
) -> Finding {
    let message = format!(
        "{agents} access the same bytes of {} without synchronization",
        ShadowedMemory::Global.name()
    );
    let mut finding = Finding::at(Kind::GlobalRace, place, message);
    finding.kernel = run.kernel.clone();
    finding.dispatch = run.id;
    finding.launch = Some(run.launch.clone());
    let at = past_element_address(run, access, at);
    finding.label = format!("{} at {at:#x}", access.kind().name());
    finding.sides.push(side);
    finding.address = Some(ShadowedMemory::Global.byte(at));
    finding
}

/// Reports a race between an earlier access by a wave and one by the host, which is reading or has just written memory.
pub(super) fn report_host(
    findings: &Findings,
    run: &RaceDispatch,
    at: u64,
    before: PastAccess,
    host: AccessKind,
) {
    let Some(place) = RaceSide::of(run, before, run.lane(before)).place else {
        return;
    };
    let (part, detail) = part_of_host(host);
    let key = FindingKey {
        detail,
        ..FindingKey::at(Kind::GlobalRace, place.pc)
    };
    findings.report(key, place.wave, || {
        let side = Side {
            label: part.to_owned(),
            place: None,
        };
        let place = in_past_lane(run, before, at, place);
        let mut finding = found_apart(run, before, place, at, "a wave and the host", side);
        finding.help = Some(help_with_host());
        finding
    });
}

/// Order of two dispatches whose accesses race.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum DispatchOrder {
    /// Unordered: they run concurrently.
    None,
    /// Ordered without a fence: the second begins after the first has ended.
    NoFence,
}

impl DispatchOrder {
    fn agents(self) -> &'static str {
        match self {
            DispatchOrder::None => "waves of two dispatches",
            DispatchOrder::NoFence => {
                "waves of two dispatches without an acquire fence between them"
            }
        }
    }

    fn detail(self) -> u64 {
        match self {
            DispatchOrder::None => OF_DISPATCHES,
            DispatchOrder::NoFence => OF_FENCES,
        }
    }

    fn help(self) -> Help {
        match self {
            DispatchOrder::None => help_between_dispatches(),
            DispatchOrder::NoFence => help_fence_of_dispatch(),
        }
    }
}

/// Reports a race between waves of two dispatches, given in the order of their numbers. The primary location is the
/// instruction with the higher address.
pub(super) fn report_dispatches(
    findings: &Findings,
    order: DispatchOrder,
    at: u64,
    sides: [(&RaceDispatch, PastAccess); 2],
) {
    let [first, second] = sides.map(|(run, access)| {
        let place = RaceSide::of(run, access, run.lane(access)).place;
        place.map(|place| (run, access, place))
    });
    let (Some(mut own), Some(mut other)) = (second, first) else {
        return;
    };
    if other.2.pc > own.2.pc {
        std::mem::swap(&mut own, &mut other);
    }
    let (run, access, place) = own;
    let (other_run, other_access, other_place) = other;
    let key = FindingKey {
        kind: Kind::GlobalRace,
        pc: place.pc,
        other: other_place.pc,
        detail: order.detail(),
    };
    findings.report(key, place.wave, || {
        let side = Side {
            label: format!("the {} of the other dispatch", other_access.kind().name()),
            place: Some(in_past_lane(other_run, other_access, at, other_place)),
        };
        let place = in_past_lane(run, access, at, place);
        let mut finding = found_apart(run, access, place, at, order.agents(), side);
        let is_like = run.launch.shape == other_run.launch.shape;
        finding.launch = finding.launch.filter(|_| is_like);
        finding.help = Some(order.help());
        finding
    });
}

/// Reports cached loads that may return stale values because their dispatch began without an acquire fence after
/// `earlier` ones had written the locations. `now` returns the shadow entry for a lane.
#[cold]
pub(super) fn report_old(
    findings: &Findings,
    run: &RaceDispatch,
    earlier: &[Arc<RaceDispatch>],
    part: &AccessPart,
    now: impl Fn(usize) -> PastAccess,
) {
    for before in earlier {
        let mut found: Vec<(u64, PastAccess, usize)> = Vec::new();
        for extent in &part.extents {
            before.global.writes(extent.bytes.clone(), |at, write| {
                let is_of_wave = before.wave(before.layout.wave(write)).is_some();
                let is_known = |(_, known, _): &(u64, PastAccess, usize)| {
                    (known.site(), known.kind()) == (write.site(), write.kind())
                };
                if is_of_wave && !found.iter().any(is_known) {
                    found.push((at, write, extent.lane));
                }
            });
        }
        for (at, write, lane) in found {
            // The dispatch's caches hold its own stores.
            let mut is_own = false;
            run.global.writes(at..at + 1, |_, _| is_own = true);
            if !is_own {
                let order = DispatchOrder::NoFence;
                report_dispatches(findings, order, at, [(before, write), (run, now(lane))]);
            }
        }
    }
}

/// Reports two lanes that store different values to one address.
pub(super) fn report_lanes(
    findings: &Findings,
    context: &Context<'_>,
    event: &MemoryEvent<'_>,
    memory: ShadowedMemory,
    found: &Overlap,
) {
    let key = FindingKey {
        kind: Kind::LaneRace,
        pc: context.pc,
        other: 0,
        detail: 0,
    };
    findings.report(key, Some(context.id()), || {
        let message = format!(
            "two lanes of one instruction store different values to one address of {}",
            memory.name()
        );
        let mut finding = Finding::new(Kind::LaneRace, context, event.instruction, message);
        let place = finding.place.clone();
        finding.place = place.clone().lane(found.lanes[0]);
        let at = element_address(&event.instruction.step.inst, found.at);
        finding.label = format!("lane {} stores to {at:#x}", found.lanes[0]);
        finding.sides.push(Side {
            label: format!("and so does lane {}", found.lanes[1]),
            place: Some(place.lane(found.lanes[1])),
        });
        finding.address = Some(memory.byte(at));
        finding.help = Some(help_in_instruction());
        finding
    });
}

/// An access, with the context for reporting its conflicts.
pub(super) struct ConflictingAccess<'a> {
    pub(super) run: &'a RaceDispatch,
    pub(super) context: &'a Context<'a>,
    pub(super) event: &'a MemoryEvent<'a>,
    /// Addresses of the event, or of an earlier load that the event's compare-and-swap shows to be plain.
    pub(super) access: &'a Access,
    pub(super) part: &'a AccessPart,
    pub(super) now: PastAccess,
    pub(super) is_scalar: bool,
    /// Happens-before order that would apply if the access bypassed the cache.
    pub(super) past_cache: HappensBefore<'a>,
    /// LDS shadow of the workgroup.
    pub(super) share: &'a LdsShadow,
}

impl ConflictingAccess<'_> {
    /// Reports the conflicts. `values` has the stored values, if they have been computed.
    #[cold]
    pub(super) fn report(
        &self,
        findings: &Findings,
        conflicts: &[Conflict],
        values: Option<Vec<Stored>>,
    ) {
        let ConflictingAccess { run, part, now, .. } = *self;
        let last = run.layout.last_clock();
        let values = values.unwrap_or_else(|| stored(self.event, part.memory));
        let mut told: Vec<(u16, AccessKind, bool)> = Vec::new();
        for conflict in conflicts {
            let before = conflict.before;
            let is_told = |is_same| told.contains(&(before.site(), before.kind(), is_same));
            if run.layout.clock(before) == last || run.layout.clock(now) == last || is_told(false) {
                continue;
            }
            let is_own = |it: &&Stored| it.holds(conflict.at);
            let is_same_wave = run.layout.wave(before) == run.layout.wave(now);
            if is_same_wave && (self.is_scalar || run.is_scalar(before)) {
                // Agents are lanes, but a scalar access belongs to the whole wave.
                continue;
            }
            let is_same_store =
                is_same_wave && before.kind() == AccessKind::Store && before.site() == now.site();
            if is_same_store && values.iter().filter(is_own).count() > 1 {
                // Both lanes belong to this instruction, and `overlap` has compared them.
                continue;
            }
            let both_store = before.kind() == AccessKind::Store && part.kind == AccessKind::Store;
            let comparison = match both_store {
                true => self.compare(conflict, &values),
                false => Comparison::Unknown,
            };
            let at = match comparison {
                Comparison::Differs(at) => at,
                Comparison::Same | Comparison::Unknown => conflict.at,
            };
            let is_same_value = comparison == Comparison::Same;
            if is_told(is_same_value) {
                continue;
            }
            told.push((before.site(), before.kind(), is_same_value));
            let holds = |it: &&Span| it.bytes.contains(&at);
            let lane = part.extents.iter().find(holds).map(|it| it.lane);
            let lane = lane.map(|first| lane_of(self.access, part.memory, at).unwrap_or(first));
            Race {
                run,
                memory: part.memory,
                at,
                before,
                share: self.share,
                now,
                lane: lane.filter(|_| !self.is_scalar),
                is_same_value,
                is_stale: self.past_cache.is_before(before),
            }
            .report(findings, self.context, self.event);
        }
    }

    /// Compares the values about to be stored with the bytes that an earlier store left in memory.
    fn compare(&self, conflict: &Conflict, values: &[Stored]) -> Comparison {
        let mut earlier = vec![0; conflict.bytes as usize];
        let at = conflict.at;
        let is_known = match self.part.memory {
            ShadowedMemory::Global => self.context.dispatched.device.memory.read(at, &mut earlier),
            ShadowedMemory::Lds => {
                let lds = self.context.lds.bytes();
                let there = lds.get(at as usize..).unwrap_or_default();
                let there = there.iter().take(earlier.len());
                earlier = there.copied().collect();
                true
            }
        };
        match is_known {
            true => compare(values, at, &earlier),
            false => Comparison::Unknown,
        }
    }
}

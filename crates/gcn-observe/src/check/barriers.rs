//! Barriers that only a part of a workgroup reaches.
//!
//! S_BARRIER synchronizes waves and ignores EXEC. OpenCL and HIP require that either all work-items of a workgroup reach
//! a barrier, or none.
//!
//! - `divergent-barrier`: lanes that are inactive at a barrier access memory or reach a barrier later, so they have
//!   skipped it. Scratch accesses do not count, because compilers activate all lanes to spill registers. Arithmetic does
//!   not count, because compilers reactivate returned lanes at control-flow merges.
//! - `partial-barrier`, a warning: lanes that are inactive at a barrier do neither before the wave ends. Compiled code does
//!   not distinguish a return before the barrier from a condition around the rest of the kernel. In both cases, the rules
//!   require all lanes to reach the barrier.
//! - `mismatched-barriers`: waves of a workgroup open a barrier by arriving at different instructions.
//! - `barrier-deadlock`: a run ends at its instruction limit or timeout, or because all waves are blocked, while waves
//!   wait at a barrier for another wave.
//! - `early-end`, a warning: a wave ends before a barrier that other waves of its workgroup reach. Hardware does not
//!   wait for it.

use std::collections::{BTreeMap, HashMap};
use std::mem::take;
use std::sync::{Arc, Mutex, PoisonError};

use gcn_emu::fault::{Fault, FaultKind};
use gcn_emu::observe::{
    Access, Context, Dispatched, Events, MemoryEvent, Observer, ShareAccess, Verdict, WaveEnd,
    WaveObserver,
};
use gcn_emu::run::Stats;
use gcn_emu::wave::{Waiting, WaveId};
use gcn_isa::Inst;
use gcn_isa::effect::{Control, Does};

use crate::filter::lanes;
use crate::finding::{Finding, FindingKey, FindingPlace, Findings, Help, Kind, Side};
use crate::lint::{Ahead, Reached};
use crate::waves::Groups;

pub(super) struct Barriers {
    findings: Arc<Findings>,
    blocked: Blocked,
    partial: Partials,
    ahead: Arc<Ahead>,
}

/// Unfinished waves of dispatches that stopped early, by dispatch.
type Blocked = Arc<Mutex<HashMap<u64, Vec<BlockedWave>>>>;

/// Barriers that some lanes missed, by dispatch and address.
type Partials = Arc<Mutex<HashMap<u64, BTreeMap<u64, PartialBarrier>>>>;

/// A barrier that some lanes missed.
#[derive(Clone, Debug, Default)]
struct PartialBarrier {
    /// True if the barrier has been reported as divergent.
    is_divergent: bool,
    /// First wave that ended with lanes missing at the barrier.
    first: Option<MissedBarrier>,
    /// Number of waves that ended with lanes missing at the barrier.
    waves: u64,
}

/// Lanes of a wave that ended without reaching the barrier.
#[derive(Clone, Copy, Debug)]
struct MissedBarrier {
    wave: WaveId,
    lanes: u64,
    /// Address of the wave's S_ENDPGM.
    end: u64,
}

/// An unfinished wave.
#[derive(Clone, Debug)]
struct BlockedWave {
    wave: WaveId,
    pc: u64,
    is_at_barrier: bool,
}

impl Barriers {
    pub(super) fn new(findings: Arc<Findings>, ahead: Arc<Ahead>) -> Barriers {
        Barriers {
            findings,
            blocked: Arc::default(),
            partial: Arc::default(),
            ahead,
        }
    }
}

impl Observer for Barriers {
    fn wants(&self) -> Events {
        Events::DISPATCH | Events::WAVE | Events::BARRIER | Events::ACCESS
    }

    fn may_overlook(&self) -> bool {
        true
    }

    fn wants_in(&self, dispatch: &Dispatched<'_>) -> Events {
        let is_barrier = |inst: &Inst| inst.does() == Does::Control(Control::Barrier);
        let has_barrier = |code: &[Reached]| code.iter().any(|it| is_barrier(&it.inst));
        match self.ahead.instructions(dispatch, has_barrier) {
            Some(false) => Events::empty(),
            Some(true) | None => self.wants(),
        }
    }

    fn waves(&self) -> Option<Box<dyn WaveObserver>> {
        Some(Box::new(BarrierWatch {
            findings: self.findings.clone(),
            blocked: self.blocked.clone(),
            partial: self.partial.clone(),
            groups: Groups::default(),
            absent: 0,
        }))
    }

    fn dispatch_ends(&self, dispatch: &Dispatched<'_>, _: &Stats, fault: Option<&Fault>) {
        let mut blocked = self.blocked.lock().unwrap_or_else(PoisonError::into_inner);
        let halted = blocked.remove(&dispatch.id).unwrap_or_default();
        drop(blocked);
        let mut partial = self.partial.lock().unwrap_or_else(PoisonError::into_inner);
        let barriers = partial.remove(&dispatch.id).unwrap_or_default();
        drop(partial);
        partials(&self.findings, dispatch, &barriers);
        let Some(fault) = fault else {
            return;
        };
        let is_stuck = match fault.kind {
            FaultKind::Limit(_) | FaultKind::Blocked { .. } => true,
            // A timeout, unless the limit on findings stopped the run.
            FaultKind::Interrupted => !self.findings.is_full(),
            _ => false,
        };
        if is_stuck {
            deadlocks(&self.findings, dispatch, &halted);
        }
    }
}

/// Reports each wave that waits at a barrier, with the waves of its workgroup that have not arrived.
fn deadlocks(findings: &Findings, dispatch: &Dispatched<'_>, halted: &[BlockedWave]) {
    for waiting in halted.iter().filter(|it| it.is_at_barrier) {
        let is_awaited =
            |it: &&BlockedWave| it.wave.group == waiting.wave.group && !it.is_at_barrier;
        let mut awaited: Vec<&BlockedWave> = halted.iter().filter(is_awaited).collect();
        awaited.sort_by_key(|it| it.wave.wave);
        let Some(first) = awaited.first() else {
            continue;
        };
        let key = FindingKey {
            kind: Kind::BarrierDeadlock,
            pc: waiting.pc,
            other: first.pc,
            detail: 0,
        };
        findings.report(key, Some(waiting.wave), || {
            let message = format!(
                "wave {} waits at a barrier for wave {}, which does not come",
                waiting.wave.wave, first.wave.wave
            );
            let mut finding = found(
                Kind::BarrierDeadlock,
                dispatch,
                place(dispatch, waiting.pc, waiting.wave),
                message,
            );
            finding.label = "waits here".to_owned();
            finding.sides = awaited
                .iter()
                .map(|it| Side {
                    label: format!("wave {} was here when the run stopped", it.wave.wave),
                    place: Some(place(dispatch, it.pc, it.wave)),
                })
                .collect();
            finding
        });
    }
}

/// Reports the barriers that lanes missed, except those reported as divergent.
fn partials(
    findings: &Findings,
    dispatch: &Dispatched<'_>,
    barriers: &BTreeMap<u64, PartialBarrier>,
) {
    for (&pc, partial) in barriers {
        let Some(MissedBarrier { wave, lanes, end }) =
            partial.first.filter(|_| !partial.is_divergent)
        else {
            continue;
        };
        let key = FindingKey::at(Kind::PartialBarrier, pc);
        for _ in 0..partial.waves {
            findings.report(key, Some(wave), || {
                let lane = lanes.trailing_zeros() as usize;
                let message = match lanes.count_ones() {
                    1 => "only part of a wave reaches a barrier: 1 lane ends without it"
                        .to_owned(),
                    n => format!(
                        "only part of a wave reaches a barrier: {n} lanes end without it"
                    ),
                };
                let mut finding = found(Kind::PartialBarrier, dispatch, place(dispatch, pc, wave), message);
                finding.label = format!("lane {lane} is not active here");
                finding.sides.push(Side {
                    label: "the wave ends here".to_owned(),
                    place: Some(place(dispatch, end, wave)),
                });
                finding.help = Some(
                    Help::new("let all lanes reach the barrier: skip the work, not the barrier")
                        .opencl("let all work-items reach the barrier: skip the work, not the barrier")
                        .hip("let all threads reach `__syncthreads()`: skip the work, not the barrier"),
                );
                finding
            });
        }
    }
}

/// Lanes that are inactive at a barrier.
#[derive(Clone, Copy, Debug)]
struct AbsentLanes {
    pc: u64,
    lanes: u64,
}

/// State of a wave.
#[derive(Debug, Default)]
struct BarrierWave {
    /// Lanes active at the start of the wave.
    begun: u64,
    /// Address of the barrier at which the wave is waiting.
    at: Option<u64>,
    /// Lanes that were inactive at earlier barriers, by address. Reporting a barrier removes its entry.
    absent: Vec<AbsentLanes>,
    /// Address of the wave's S_ENDPGM, after it has ended.
    ended: Option<u64>,
}

/// Checker for the waves of one thread.
struct BarrierWatch {
    findings: Arc<Findings>,
    blocked: Blocked,
    partial: Partials,
    groups: Groups<Vec<BarrierWave>>,
    /// Number of waves with entries in [`BarrierWave::absent`].
    absent: usize,
}

/// Creates the location of the instruction that a wave executed at an address.
fn place(dispatched: &Dispatched<'_>, pc: u64, wave: WaveId) -> FindingPlace {
    let step = dispatched.code.step(pc).and_then(Result::ok);
    FindingPlace {
        pc,
        text: step.map_or(String::new(), |step| step.inst.text()),
        wave: Some(wave),
        lane: None,
    }
}

fn found(
    kind: Kind,
    dispatched: &Dispatched<'_>,
    place: FindingPlace,
    message: impl Into<String>,
) -> Finding {
    Finding::at(kind, place, message).in_dispatch(dispatched)
}

impl BarrierWatch {
    fn wave(&mut self, id: WaveId) -> &mut BarrierWave {
        let waves = self.groups.get(id.group);
        let number = id.wave as usize;
        if waves.len() <= number {
            waves.resize_with(number + 1, BarrierWave::default);
        }
        &mut waves[number]
    }

    /// Updates the record of a barrier.
    fn partial(&self, context: &Context<'_>, pc: u64, change: impl FnOnce(&mut PartialBarrier)) {
        let mut partial = self.partial.lock().unwrap_or_else(PoisonError::into_inner);
        let barriers = partial.entry(context.dispatched.id).or_default();
        change(barriers.entry(pc).or_default());
    }

    /// Records that a wave ended with lanes missing at a barrier.
    fn unreached(&self, context: &Context<'_>, absent: AbsentLanes) {
        let unreached = MissedBarrier {
            wave: context.id(),
            lanes: absent.lanes,
            end: context.pc,
        };
        self.partial(context, absent.pc, |it| {
            it.waves += 1;
            let is_earlier = |first: &MissedBarrier| unreached.wave.rank() < first.wave.rank();
            if it.first.as_ref().is_none_or(is_earlier) {
                it.first = Some(unreached);
            }
        });
    }

    /// Reports the barriers that lanes skipped, now that they are active.
    fn active(&mut self, context: &Context<'_>, active: u64) {
        let id = context.id();
        let wave = self.wave(id);
        let had_absent = !wave.absent.is_empty();
        let is_back = |it: &AbsentLanes| it.lanes & active != 0;
        let (back, absent) = take(&mut wave.absent).into_iter().partition(is_back);
        wave.absent = absent;
        let has_absent = !wave.absent.is_empty();
        self.absent -= usize::from(had_absent && !has_absent);
        let back: Vec<AbsentLanes> = back;
        for it in back {
            self.partial(context, it.pc, |it| it.is_divergent = true);
            let key = FindingKey::at(Kind::DivergentBarrier, it.pc);
            self.findings.report(key, Some(id), || {
                let lane = (it.lanes & active).trailing_zeros() as usize;
                let mut finding = found(
                    Kind::DivergentBarrier,
                    context.dispatched,
                    place(context.dispatched, it.pc, id),
                    match it.lanes.count_ones() {
                        1 => "only part of a wave reaches a barrier: 1 lane skips it".to_owned(),
                        n => format!("only part of a wave reaches a barrier: {n} lanes skip it"),
                    },
                );
                finding.label = format!("lane {lane} is not active here");
                finding.sides.push(Side {
                    label: format!("lane {lane} is active again"),
                    place: Some(place(context.dispatched, context.pc, id).lane(lane)),
                });
                finding.help = Some("move the barrier out of the condition or loop".into());
                finding
            });
        }
    }
}

/// Returns the lanes that access memory other than scratch.
fn shared_lanes(context: &Context<'_>, access: &Access) -> u64 {
    if access.scalar {
        return 0;
    }
    let scratch = context.scratch();
    let is_shared = |lane: &usize| {
        let place = access.place(*lane, 0);
        place.is_some_and(|at| !scratch.contains(&at))
    };
    let addressed = access.global | access.buffer;
    let shared = lanes(addressed).filter(is_shared);
    shared.fold(access.lds | access.gds, |mask, lane| mask | 1 << lane)
}

impl WaveObserver for BarrierWatch {
    fn wave_begins(&mut self, context: &Context<'_>) {
        *self.wave(context.id()) = BarrierWave {
            begun: context.wave.exec(),
            ..BarrierWave::default()
        };
    }

    fn wave_ends(&mut self, context: &Context<'_>, end: WaveEnd<'_>) {
        let id = context.id();
        let absent = take(&mut self.wave(id).absent);
        self.absent -= usize::from(!absent.is_empty());
        if end == WaveEnd::Program {
            for it in absent {
                self.unreached(context, it);
            }
        }
        self.wave(id).ended = Some(context.pc);
        if end != WaveEnd::Program {
            let halted = BlockedWave {
                wave: id,
                pc: self.wave(id).at.unwrap_or(context.pc),
                is_at_barrier: context.wave.waiting == Waiting::Barrier,
            };
            let mut blocked = self.blocked.lock().unwrap_or_else(PoisonError::into_inner);
            let dispatch = context.dispatched.id;
            blocked.entry(dispatch).or_default().push(halted);
            return;
        }
        let waves = self.groups.find(id.group);
        let count = context.wave.group.waves as usize;
        let is_over = waves
            .is_some_and(|waves| waves.len() == count && waves.iter().all(|it| it.ended.is_some()));
        if is_over {
            self.groups.remove(id.group);
        }
    }

    fn overlooks(&mut self, _: &Context<'_>, _: &ShareAccess<'_>) -> bool {
        self.absent == 0
    }

    fn accesses(&mut self, context: &Context<'_>, event: &MemoryEvent<'_>) -> Verdict {
        if self.absent != 0 {
            let active = shared_lanes(context, event.access());
            self.active(context, active);
        }
        Verdict::Allow
    }

    fn barrier_arrives(&mut self, context: &Context<'_>) {
        let exec = context.wave.exec();
        self.active(context, exec);
        let pc = context.pc;
        let wave = self.wave(context.id());
        wave.at = Some(pc);
        let lanes = wave.begun & !exec;
        if lanes == 0 {
            return;
        }
        let is_first = wave.absent.is_empty();
        match wave.absent.iter_mut().find(|it| it.pc == pc) {
            Some(known) => known.lanes |= lanes,
            None => wave.absent.push(AbsentLanes { pc, lanes }),
        }
        self.absent += usize::from(is_first);
    }

    fn barrier_opens(&mut self, dispatched: &Dispatched<'_>, group: [u32; 3]) {
        let Some(waves) = self.groups.find(group) else {
            return;
        };
        let id = |wave: usize| WaveId {
            group,
            wave: wave as u32,
        };
        let at = |(number, wave): (usize, &BarrierWave)| Some((number, wave.at?));
        let arrived = || waves.iter().enumerate().filter_map(at);
        let Some((first, pc)) = arrived().next() else {
            return;
        };
        for (number, other) in arrived().filter(|(_, other)| *other != pc) {
            let [low, high] = if pc < other {
                [(first, pc), (number, other)]
            } else {
                [(number, other), (first, pc)]
            };
            let key = FindingKey {
                kind: Kind::MismatchedBarriers,
                pc: high.1,
                other: low.1,
                detail: 0,
            };
            self.findings.report(key, Some(id(high.0)), || {
                let mut finding = found(
                    Kind::MismatchedBarriers,
                    dispatched,
                    place(dispatched, high.1, id(high.0)),
                    "waves of a workgroup meet at different barriers",
                );
                finding.label = format!("wave {} is here", high.0);
                finding.sides.push(Side {
                    label: format!("wave {} is here", low.0),
                    place: Some(place(dispatched, low.1, id(low.0))),
                });
                finding.help = Some("put one barrier after both paths".into());
                finding
            });
        }
        let mut ended = waves.iter().enumerate();
        let ended = ended.find_map(|(number, wave)| Some((number, wave.ended?)));
        if let Some((number, end)) = ended {
            let key = FindingKey {
                kind: Kind::EarlyEnd,
                pc,
                other: end,
                detail: 0,
            };
            self.findings.report(key, Some(id(first)), || {
                let mut finding = found(
                    Kind::EarlyEnd,
                    dispatched,
                    place(dispatched, pc, id(first)),
                    "a wave has ended before a barrier that other waves of its workgroup reach",
                );
                finding.label = format!("wave {first} does not wait for wave {number}");
                finding.sides.push(Side {
                    label: format!("wave {number} ends here"),
                    place: Some(place(dispatched, end, id(number))),
                });
                finding
            });
        }
        for wave in waves {
            wave.at = None;
        }
    }
}

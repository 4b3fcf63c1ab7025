//! Host thread of a run, with the workgroups and waves that it runs.

mod decision;

mod begin;
mod compiled;
mod controlled;

use std::sync::Arc;
use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed};

use decision::GeneralDecision;

use super::late::LateContext;
use super::observed::{end_sequence, run_observed};
use super::place::keep_first_wave;
use super::shared::Shared;
use super::start::Template;
use super::steps::{run_unobserved, unobserved_policy};
use super::stop::Stop;
use super::stop_points::StopPoints;
use super::storage::ThreadStorage;
use crate::checkpoint::{Round, RunProgress};
use crate::dispatch::{RESIDENT_GROUPS, Stats};
use crate::fault::{Fault, FaultKind};
use crate::lanes::FloatEnvironment;
use crate::native::Policy;
use crate::observe::{Context, Debugger, Events, Watchers, WaveEnd};
use crate::schedule::Schedule;
use crate::wave::{Waiting, Wave, WaveId};
use crate::workgroup::RunningGroup;

/// Number of rounds, since a workgroup last began or ended, after which a thread first checks if all its workgroups
/// wait for others. The check is repeated after each round whose number is a power of two.
const PATIENCE: u64 = 8;

/// Number of rounds, since a workgroup last began or ended, after which another one begins, even if the resident ones
/// seem to make progress: they may be counting iterations of a spin loop.
const LONG_PATIENCE: u64 = 32;

/// Maximum number of consecutive turns of a workgroup whose barriers keep opening. After a round in which no
/// workgroup begins or ends, the limit is one turn, since the barriers may be in a loop that waits for another
/// workgroup.
const TURNS_OF_BARRIERS: u64 = 16;

/// Maximum length, in instructions, of a loop that is recognized as polling memory.
const WAITING_LOOP: u64 = 512;

/// Number of instructions after which a thread reports its progress; small enough that the delay goes unnoticed.
const REPORTED: u64 = 1 << 12;

/// Host thread and the workgroups that it runs. Aligned to avoid false sharing.
#[repr(align(128))]
pub(super) struct Worker<'a> {
    shared: &'a Shared<'a>,
    scratch: u64,
    watch: Watchers,
    control: Option<Control>,
    /// Wave whose fault has stopped the run.
    faulty: Option<WaveId>,
    pub(super) progress: RunProgress,
    /// Resident workgroups, which have begun but not ended. They are boxed so that moving them between lists does not
    /// copy data that has just been written in parts, which would stall the host.
    #[allow(clippy::vec_box)]
    resident: Vec<Box<RunningGroup>>,
    pub(super) storage: ThreadStorage,
    /// Index of the thread within the run.
    number: usize,
    /// Number of instructions reported to the run's monitor.
    reported: u64,
    /// Number of instructions that the thread had executed before the current turn of a workgroup.
    turn_begin: u64,
    /// Order and length of turns.
    schedule: Schedule,
    /// Thresholds for compiling blocks of unobserved waves.
    policy: Option<Policy>,
    /// Initial registers of a wave.
    template: Template<'a>,
}

/// Debugger, with the stops in force for the current wave.
struct Control {
    debugger: Arc<dyn Debugger>,
    stops: StopPoints,
    has_stops: bool,
    /// True if registers must be exact at a faulting access.
    is_exact: bool,
    general: Option<GeneralDecision>,
}

impl Control {
    fn new(debugger: &Arc<dyn Debugger>) -> Control {
        Control {
            debugger: Arc::clone(debugger),
            stops: StopPoints::new(debugger),
            has_stops: false,
            is_exact: true,
            general: None,
        }
    }
}

/// Adds a wave's instructions and violations since the given counts to the totals.
fn account(
    stats: &mut Stats,
    violation: &mut Option<(WaveId, u64)>,
    wave: &Wave,
    [executed, violations]: [u64; 2],
) {
    stats.instructions += wave.executed - executed;
    stats.violations += wave.violations - violations;
    if let Some(pc) = wave.violated_at {
        keep_first_wave(violation, (wave.id, pc));
    }
}

/// Outcome of a workgroup's turn.
#[derive(PartialEq, Eq)]
enum TurnEnd {
    /// Every wave has ended.
    Ended,
    /// At least one wave has made progress.
    Ran,
    /// A barrier has opened.
    Passed,
    /// No wave could execute an instruction.
    Blocked,
}

impl<'a> Worker<'a> {
    pub(super) fn new(
        shared: &'a Shared<'a>,
        storage: ThreadStorage,
        number: usize,
        scratch: u64,
        watch: Watchers,
        debugger: Option<&Arc<dyn Debugger>>,
    ) -> Self {
        Worker {
            shared,
            scratch,
            watch,
            control: debugger.map(Control::new),
            faulty: None,
            progress: RunProgress::default(),
            resident: Vec::new(),
            storage,
            number,
            reported: 0,
            turn_begin: 0,
            schedule: Schedule::new(&shared.device.config, number),
            policy: unobserved_policy(debugger.is_some()),
            template: Template::new(&shared.dispatch.initial),
        }
    }

    /// Runs workgroups until there are none left, or until the run stops.
    pub(super) fn work(&mut self) {
        let _environment = FloatEnvironment::usual();
        self.work_through();
        self.advance();
        self.end_waves();
        self.shared.device.gws.retire();
        self.shared.working.0.fetch_sub(1, AcqRel);
    }

    /// Reports progress to the run's monitor.
    fn advance(&mut self) {
        self.reported = self.progress.stats.instructions;
        if let Some(monitor) = &self.shared.device.monitor {
            monitor.advance(
                self.number,
                self.progress.stats.groups,
                self.progress.stats.instructions,
            );
        }
    }

    /// Runs workgroups until there are none left, or until the run stops. If `is_in_round` is true, continues the round
    /// in progress.
    fn work_from(&mut self, mut is_in_round: bool) -> Result<(), Box<Fault>> {
        let gws = &self.shared.device.gws;
        let turn = self.shared.device.config.quantum;
        let turn = turn.saturating_mul(self.shared.dispatch.waves_per_group());
        loop {
            if !std::mem::take(&mut is_in_round) {
                if self.resident.is_empty() {
                    match self.next_group() {
                        Some(id) => self.start(id),
                        None => return Ok(()),
                    }
                }
                self.progress.round = Round {
                    index: 0,
                    begin: self.progress.stats.instructions,
                    long_turn: match self.progress.rounds {
                        0 => turn.saturating_mul(TURNS_OF_BARRIERS),
                        _ => turn,
                    },
                    all_blocked: true,
                    // From here on, other threads may release waves that this round finds blocked.
                    seen: if self.progress.anyone_waits {
                        gws.changes()
                    } else {
                        0
                    },
                };
            }
            while self.progress.round.index < self.resident.len() {
                if self.shared.stop.load(Relaxed) {
                    return Ok(());
                }
                // Short waves never check for an interruption themselves.
                if self.shared.device.interrupted.load(Relaxed) {
                    return Err(self.fault_of_run(FaultKind::Interrupted));
                }
                if self.control.is_some() {
                    self.rest();
                }
                let index = self.progress.round.index;
                let end = self.turn(index)?;
                let RunProgress {
                    stats,
                    round,
                    rounds,
                    ..
                } = &mut self.progress;
                match end {
                    TurnEnd::Ended => {
                        let group = self.resident.remove(index);
                        stats.groups += 1;
                        self.storage.groups.push(group);
                        *rounds = 0;
                        round.all_blocked = false;
                        round.begin = stats.instructions;
                        continue;
                    }
                    // Continue with the same workgroup while its data is in the host's caches.
                    TurnEnd::Passed if stats.instructions - round.begin < round.long_turn => {
                        continue;
                    }
                    TurnEnd::Passed | TurnEnd::Ran => round.all_blocked = false,
                    TurnEnd::Blocked => {}
                }
                round.index += 1;
                round.begin = stats.instructions;
            }
            self.progress.rounds += 1;
            let Round {
                all_blocked, seen, ..
            } = self.progress.round;
            // Resident workgroups may wait for workgroups that have not begun, so start some.
            let wanted = self.wanted(all_blocked)?;
            if wanted > 0 && !self.progress.exhausted {
                for _ in 0..wanted {
                    match self.next_group() {
                        Some(id) => self.start(id),
                        None => self.progress.exhausted = true,
                    }
                }
            } else if all_blocked && !self.resident.is_empty() {
                // The first time, there is no earlier count of changes to compare with.
                let is_known = std::mem::replace(&mut self.progress.anyone_waits, true);
                if is_known && !self.wait_for_others(seen) {
                    return self.blocked().map_or(Ok(()), Err);
                }
            }
        }
    }

    /// Waits until another thread may have released a wave of this thread. Returns false if that is impossible
    /// because all threads are blocked.
    fn wait_for_others(&self, seen: u64) -> bool {
        let mut registered = false;
        loop {
            if self.shared.stop.load(Relaxed) || self.shared.device.interrupted.load(Relaxed) {
                return true;
            }
            let threads = self.shared.working.0.load(Acquire);
            if let Some(changed) = self.shared.device.gws.wait(seen, &mut registered, threads) {
                return changed;
            }
            std::thread::yield_now();
        }
    }

    /// Fault of a run in which all waves wait for each other.
    fn blocked(&self) -> Option<Box<Fault>> {
        let group = self.resident.first()?;
        let count = |waiting| group.begun().filter(|w| w.waiting == waiting).count();
        Some(self.fault_of_run(FaultKind::Blocked {
            at_barrier: count(Waiting::Barrier),
            at_gws: count(Waiting::Gws),
            ended: group.count - group.begun().count(),
        }))
    }

    /// Fault that no particular wave has caused.
    fn fault_of_run(&self, kind: FaultKind) -> Box<Fault> {
        let (wave, pc) = match self.unfinished().next() {
            Some(wave) => (wave.id, self.shared.place(wave).pc),
            // No wave is unfinished, so name the first wave of a resident workgroup.
            None => {
                let group = self.resident.first().map_or([0; 3], |group| group.id);
                (WaveId { group, wave: 0 }, self.shared.dispatch.entry)
            }
        };
        Box::new(self.fault(wave, pc, kind, None))
    }

    /// Waves that have begun but not ended.
    pub(super) fn unfinished(&self) -> impl Iterator<Item = &Wave> {
        self.resident.iter().flat_map(|group| group.begun())
    }

    /// Takes the next workgroup that has not begun.
    fn next_group(&mut self) -> Option<[u32; 3]> {
        if self.progress.claimed.is_empty() {
            self.progress.claimed = self.shared.claim();
        }
        self.progress.claimed.next().map(|n| self.shared.group(n))
    }

    /// Gives every wave of a workgroup a turn.
    fn turn(&mut self, index: usize) -> Result<TurnEnd, Box<Fault>> {
        let count = self.resident[index].count;
        self.turn_begin = self.progress.stats.instructions;
        let (mut turn, mut progress) = (0, false);
        while turn < count {
            turn = self.run_compiled(index, turn)?;
            if turn == count {
                break;
            }
            let (number, quantum) = self.schedule.turn(turn, count);
            turn += 1;
            while number >= self.resident[index].waves.len() {
                self.begin(index);
            }
            let Some(wave) = &mut self.resident[index].waves[number] else {
                continue;
            };
            if wave.takes_turn() {
                progress |= self.take_turn(index, number, quantum)?;
            }
        }
        progress |= self.progress.stats.instructions != self.turn_begin;
        if self.progress.stats.instructions - self.reported >= REPORTED {
            self.advance();
        }

        // A barrier opens when every wave that has not ended has arrived. All waves have begun by now.
        let group = &mut self.resident[index];
        if group.begun().all(|w| w.waiting == Waiting::Barrier) {
            if group.begun().next().is_none() {
                return Ok(TurnEnd::Ended);
            }
            for wave in group.waves.iter_mut().flatten() {
                wave.waiting = Waiting::No;
            }
            let (dispatched, id) = (self.shared.dispatched(), group.id);
            self.watch
                .each(Events::BARRIER, |it| it.barrier_opens(&dispatched, id));
            return Ok(TurnEnd::Passed);
        }
        self.finish_waiting(index)?;
        Ok(if progress {
            TurnEnd::Ran
        } else {
            TurnEnd::Blocked
        })
    }

    /// Completes the delayed operations of a workgroup's waves that wait for other waves. The others may be waiting for
    /// these operations.
    fn finish_waiting(&mut self, index: usize) -> Result<(), Box<Fault>> {
        if self.shared.device.config.late.is_none() {
            return Ok(());
        }
        for number in 0..self.resident[index].waves.len() {
            self.finish(index, number, &[Waiting::Barrier, Waiting::Gws])?;
        }
        Ok(())
    }

    /// Completes the delayed operations of a wave in one of these states.
    #[cold]
    fn finish(
        &mut self,
        index: usize,
        number: usize,
        states: &[Waiting],
    ) -> Result<(), Box<Fault>> {
        let RunningGroup { waves, lds, .. } = &mut *self.resident[index];
        let is_due = |wave: &&mut Box<Wave>| states.contains(&wave.waiting);
        let Some(wave) = waves[number].as_mut().filter(is_due) else {
            return Ok(());
        };
        let before = [wave.executed, wave.violations];
        let dispatched = self.shared.dispatched();
        let (transfer, watch) = (&mut self.storage.transfer, &mut self.watch);
        let result = LateContext::new(&dispatched, lds, transfer, watch).finish(wave);
        self.settle(index, number, before, result).map(drop)
    }

    /// Runs wave `number` of a workgroup for a turn of `instructions` instructions, or until it waits, ends or is held
    /// by the debugger. Returns true if it executed an instruction or is held.
    fn take_turn(
        &mut self,
        index: usize,
        number: usize,
        instructions: u64,
    ) -> Result<bool, Box<Fault>> {
        let ran = match self.control {
            None => self.run_freely(index, number, instructions)?,
            Some(_) => self.run(index, number, instructions)?,
        };
        if self.shared.device.config.late.is_some() {
            self.finish(index, number, &[Waiting::No])?;
        }
        Ok(ran)
    }

    /// Runs wave `number` of a workgroup for at most `instructions` instructions, or until it waits, ends or stops.
    /// Returns true if it executed any.
    fn run_freely(
        &mut self,
        index: usize,
        number: usize,
        instructions: u64,
    ) -> Result<bool, Box<Fault>> {
        let RunningGroup { waves, lds, .. } = &mut *self.resident[index];
        let Some(wave) = &mut waves[number] else {
            return Ok(false);
        };
        let before = [wave.executed, wave.violations];
        let dispatched = self.shared.dispatched();
        let (transfer, watch) = (&mut self.storage.transfer, &mut self.watch);
        let is_exact = self.control.as_ref().is_some_and(|it| it.is_exact);
        let stops = self.control.as_mut().filter(|control| control.has_stops);
        let stops = stops.map(|control| &mut control.stops);
        let result = if watch.wants.is_empty() && wave.late.is_none() {
            run_unobserved(
                &dispatched,
                (wave, lds, transfer),
                stops,
                instructions,
                self.policy,
            )
        } else {
            run_observed(
                &dispatched,
                (wave, lds, transfer),
                (watch, stops),
                instructions,
                is_exact,
            )
        };
        self.settle(index, number, before, result)
    }

    /// Accounts for a wave's turn, and ends or stops the wave. `before` holds its numbers of instructions and
    /// violations before the turn. Returns true if it executed any instruction.
    fn settle(
        &mut self,
        index: usize,
        number: usize,
        before: [u64; 2],
        result: Result<(), Stop>,
    ) -> Result<bool, Box<Fault>> {
        let RunningGroup { waves, .. } = &mut *self.resident[index];
        let Some(wave) = &waves[number] else {
            return Ok(false);
        };
        let (device, dispatched) = (self.shared.device, self.shared.dispatched());
        let RunProgress {
            stats, violation, ..
        } = &mut self.progress;
        account(stats, violation, wave, before);
        let progress = wave.executed != before[0];
        let has_ended = wave.waiting == Waiting::Ended;
        if let Err(stop) = result {
            let id = wave.id;
            if self.control.is_some() {
                let fault = self.fault(id, stop.pc, stop.kind.clone(), stop.lane);
                self.show_fault(index, number, &fault);
            }
            let RunningGroup { waves, lds, .. } = &mut *self.resident[index];
            let (Some(wave), watch) = (&mut waves[number], &mut self.watch) else {
                return Ok(false);
            };
            self.faulty = Some(id);
            let end = match &stop.kind {
                FaultKind::Limit(_) => WaveEnd::Limit,
                FaultKind::Interrupted => WaveEnd::Interrupt,
                kind => WaveEnd::Fault(kind, stop.lane),
            };
            end_sequence(&dispatched, wave, lds, watch, stop.pc);
            let context = Context {
                dispatched: &dispatched,
                wave,
                lds,
                pc: stop.pc,
            };
            watch.each(Events::WAVE, |it| it.wave_ends(&context, end));
            return Err(Box::new(self.fault(id, stop.pc, stop.kind, stop.lane)));
        }
        if let Some(host) = &device.host_calls
            && let Err(error) = host.serve(&device.memory)
        {
            let (id, pc) = (wave.id, self.shared.place(wave).pc);
            return Err(Box::new(self.fault(
                id,
                pc,
                FaultKind::HostCall(error),
                None,
            )));
        }
        if has_ended {
            self.storage.waves.extend(waves[number].take());
        }
        Ok(progress)
    }

    /// Reports the end of all unfinished waves at the end of the run.
    fn end_waves(&mut self) {
        let dispatched = self.shared.dispatched();
        let end = if self.shared.device.interrupted.load(Relaxed) {
            WaveEnd::Interrupt
        } else {
            WaveEnd::Stopped
        };
        for group in &self.resident {
            let others = group.begun().filter(|wave| self.faulty != Some(wave.id));
            for wave in others.filter(|wave| wave.waiting != Waiting::Ended) {
                let context = Context {
                    dispatched: &dispatched,
                    wave,
                    lds: &group.lds,
                    pc: self.shared.place(wave).pc,
                };
                self.watch
                    .each(Events::WAVE, |it| it.wave_ends(&context, end));
            }
        }
        // Drop the observers before the dispatch ends, so that their results are complete.
        self.watch = Watchers::default();
    }

    /// Number of workgroups that should begin in addition to the resident ones.
    fn wanted(&mut self, all_blocked: bool) -> Result<usize, Box<Fault>> {
        let resident = self.resident.len();
        let wanted = if resident == 0 {
            // Without resident workgroups, the thread starts the next one anyway.
            0
        } else if all_blocked || resident < RESIDENT_GROUPS || self.progress.rounds >= LONG_PATIENCE
        {
            1
        } else if self.progress.rounds >= PATIENCE
            && self.progress.rounds.is_power_of_two()
            && self.all_wait()?
        {
            // The resident workgroups may wait for the last one to begin, so double their number.
            resident
        } else {
            0
        };
        Ok(wanted.min(self.shared.slots.saturating_sub(resident)))
    }

    /// True if all workgroups appear to wait for memory to change.
    fn all_wait(&mut self) -> Result<bool, Box<Fault>> {
        for index in 0..self.resident.len() {
            if !self.waits(index)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// True if a workgroup waits for memory to change: its first runnable wave soon returns to its starting point with
    /// the same contents in all registers. A wave that does useful work returns with different contents, and is
    /// detected just as quickly.
    fn waits(&mut self, index: usize) -> Result<bool, Box<Fault>> {
        let can_go_on = |wave: &Wave| matches!(wave.waiting, Waiting::No | Waiting::Asleep);
        let mut waves = self.resident[index].waves.iter().enumerate();
        let first = waves.find_map(|(number, wave)| {
            let wave = wave.as_deref().filter(|wave| can_go_on(wave))?;
            Some((number, wave.snapshot()))
        });
        // Waves at a GWS resource or a barrier can only wait.
        let Some((number, snapshot)) = first else {
            return Ok(true);
        };
        for _ in 0..WAITING_LOOP {
            let Some(wave) = &mut self.resident[index].waves[number] else {
                return Ok(false);
            };
            match wave.waiting {
                Waiting::No => {}
                Waiting::Asleep => wave.waiting = Waiting::No,
                Waiting::Gws | Waiting::Ended => return Ok(false),
                // The other waves must arrive too.
                Waiting::Barrier => match self.turn(index)? {
                    TurnEnd::Passed => continue,
                    TurnEnd::Ended | TurnEnd::Ran | TurnEnd::Blocked => return Ok(false),
                },
            }
            self.take_turn(index, number, 1)?;
            let wave = &self.resident[index].waves[number];
            if let Some(waits) = wave.as_ref().and_then(|wave| wave.repeats(&snapshot)) {
                return Ok(waits);
            }
        }
        Ok(false)
    }

    fn fault(&self, wave: WaveId, pc: u64, kind: FaultKind, lane: Option<u8>) -> Fault {
        let from = kind.from();
        Fault {
            nearest: kind.nearest(&self.shared.device.memory),
            kind,
            wave,
            lane,
            pc,
            text: self.shared.text(pc),
            from: from.map(|pc| self.shared.site((wave, pc))),
        }
    }
}

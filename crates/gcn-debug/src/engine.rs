//! Run control: detects stops, reports them to the front end, and resumes the run as the front end decides.
//!
//! The emulator calls [`Debugger::turn`] before each turn of a wave. Within a turn, it calls again at the instruction
//! limit and before each instruction for which [`Debugger::stops`] is true. The engine then compares watched values
//! that the last instruction may have changed, checks the breakpoints and the goal of the last command, and sets the
//! next limit. With a watchpoint set, waves single-step the instructions that may change the watched value.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::AcqRel};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use gcn_emu::fault::{Fault, FaultKind};
use gcn_emu::memory::Memory;
use gcn_emu::observe::{Checkpoint, Debugger, Dispatched, Paused, Resting, Turn};
use gcn_emu::step::Step;

use crate::catch::{Catches, Findings};
use crate::checkpoints::{Recording, unrepeatable};
use crate::decisions::{decide, resumed};
use crate::goal::{Goal, SearchEnd, Sought, SoughtStop};
use crate::program::Program;
use crate::reasons::{self, Current, compare_anew, current, ends_wave, interrupted, is_call};
use crate::record::Record;
use crate::replay;
use crate::session::{Leave, Resume, Scheduler, Session, State, apply};
use crate::stops::Stop;
use crate::store_log::StoreLog;
use crate::view::NamedBuffer;
use crate::why_request::WhyRequest;

/// Front end of a debugger.
pub trait FrontEnd: Send {
    /// Called when a wave has stopped. The run resumes when this returns.
    fn stopped(&mut self, session: &mut Session<'_, '_>, stop: &Stop) -> Resume;

    /// Called while no launch is running. Launches start when this returns [`Resume::Restart`]. After a launch, it may
    /// also return [`Resume::Why`] and decisions to go back, and between two launches ([`Session::has_next_launch`])
    /// [`Resume::Continue`].
    fn idle(&mut self, session: &mut Session<'_, '_>) -> Resume;

    /// Called for events that do not stop the run: [`Stop::Diverged`], faults or findings ([`Session::set_catches`]).
    fn passed(&mut self, session: &Session<'_, '_>, stop: &Stop);

    /// Called when a launch starts, before its first instruction and before breakpoints are checked. Not called for
    /// replays.
    fn begins(&mut self, _session: &mut Session<'_, '_>) {}

    /// Called while waves are running, after [`Setup::attention`] has been set, and by [`Engine::attend`]. The engine
    /// restores the focus afterwards.
    fn attend(&mut self, _session: &mut Session<'_, '_>) -> Attention {
        Attention::Ignore
    }
}

/// Result of [`FrontEnd::attend`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Attention {
    /// Continues the last command.
    Ignore,
    /// Stops the run as if the user had interrupted it.
    Stop,
}

/// Parameters of [`Engine::new`].
pub struct Setup {
    /// Code to debug.
    pub program: Program,
    /// Device memory.
    pub memory: Memory,
    /// Buffers that expressions can refer to by name.
    pub buffers: Vec<NamedBuffer>,
    /// Source of checker findings, if checkers watch the run.
    pub findings: Option<Box<dyn Findings>>,
    /// Flag that a signal sets to stop the run.
    pub interrupt: Arc<AtomicBool>,
    /// Flag that a front-end thread sets to request a call of [`FrontEnd::attend`].
    pub attention: Arc<AtomicBool>,
    /// Time after which a resumed run is interrupted.
    pub timeout: Option<Duration>,
    /// Undo log of stores, if host code may write memory while launches run. The log must observe all launches. Reverse
    /// execution then undoes only their stores. Without a log, it restores all of memory.
    pub log: Option<StoreLog>,
    /// Limits of the recording for reverse execution.
    pub recording: Recording,
}

/// Debugger engine. Controls runs whose observers use it as their debugger.
pub struct Engine {
    state: Mutex<State>,
    front: Mutex<Box<dyn FrontEnd>>,
}

impl Engine {
    /// Creates an engine without breakpoints.
    pub fn new(setup: Setup, front: Box<dyn FrontEnd>) -> Engine {
        let state = State {
            program: setup.program,
            memory: setup.memory,
            buffers: setup.buffers,
            catches: Catches::all(setup.findings.as_deref()),
            passing: Vec::new(),
            attention: setup.attention,
            findings: setup.findings,
            interrupt: setup.interrupt,
            timeout: setup.timeout,
            deadline: None,
            stops: Vec::new(),
            next_number: 1,
            generation: 0,
            stops_once: false,
            has_next: false,
            focus: None,
            lane: 0,
            scheduler: Scheduler::All,
            dispatch: None,
            goal: Goal::Run,
            passed: HashMap::new(),
            last: None,
            ended: None,
            is_at_fault: false,
            record: Record::new(setup.recording, setup.log),
            leave: None,
            question: None,
        };
        Engine {
            state: Mutex::new(state),
            front: Mutex::new(front),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn front(&self) -> MutexGuard<'_, Box<dyn FrontEnd>> {
        self.front.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Calls the front end while no launch is running. After a decision to go back, call [`Engine::begin_earlier`] and
    /// rerun the last launch; after [`Resume::Why`], call [`Engine::question`].
    pub fn idle(&self) -> Resume {
        self.rest(false)
    }

    /// Calls the front end between two launches if it catches launch ends ([`Catches::ends`]). After
    /// [`Resume::Continue`], start the next launch; after other decisions, proceed as after [`Engine::idle`].
    pub fn between_launches(&self) -> Resume {
        let state = self.state();
        // After the answer to `why`, the front end is still at this stop.
        let stops = state.catches.ends || state.has_next;
        drop(state);
        if stops {
            self.rest(true)
        } else {
            Resume::Continue
        }
    }

    /// Calls the front end while no launch is running, if it requested attention ([`Setup::attention`]). If it returns
    /// [`Attention::Stop`], the next launch stops before its first instruction.
    pub fn attend(&self) {
        let mut guard = self.state();
        let state = &mut *guard;
        if !state.attention.swap(false, AcqRel) {
            return;
        }
        let mut session = Session {
            state,
            paused: None,
        };
        if self.front().attend(&mut session) == Attention::Stop {
            session.set_stop_once(true);
        }
    }

    /// Returns the buffers that expressions can refer to by name.
    pub fn buffers(&self) -> Vec<NamedBuffer> {
        self.state().buffers.clone()
    }

    /// Restores memory to its state before the first instruction of the launch, if the launch is recorded.
    pub fn restore_begin(&self) {
        let mut guard = self.state();
        let state = &mut *guard;
        state.record.checkpoints.restore_first(&state.memory);
    }

    /// Takes the pending question after [`Leave::Why`] or [`Resume::Why`].
    pub fn question(&self) -> Option<WhyRequest> {
        self.state().question.take()
    }

    /// Prepares for a new run of a launch. Call this, [`Engine::begin_next`] or [`Engine::begin_earlier`] before each
    /// run, including repetitions of a launch.
    pub fn begin(&self) {
        let mut state = self.state();
        state.record.begin_launch(false);
        begin_run(&mut state);
        state.start_clock();
    }

    /// Prepares for a run that directly follows the previous one. Reverse execution may continue into the previous run,
    /// so neither other launches nor host code may have changed memory in between.
    pub fn begin_next(&self) {
        let mut state = self.state();
        state.record.begin_launch(true);
        begin_run(&mut state);
    }

    /// Prepares to rerun the launch before the most recent one, after [`Leave::Earlier`] or a decision to go back while
    /// no launch was running.
    pub fn begin_earlier(&self) {
        let mut guard = self.state();
        let state = &mut *guard;
        let goal = std::mem::replace(&mut state.goal, Goal::Run);
        state.record.begin_earlier(&state.memory);
        begin_run(state);
        state.goal = goal;
    }

    /// Takes the reason why the debugger ended the run, or returns `None` if the run ended by itself. After
    /// [`Leave::Why`], rerun the launch without calling [`Engine::begin`]; after [`Leave::Earlier`], call
    /// [`Engine::begin_earlier`] and rerun the previous launch.
    pub fn left(&self) -> Option<Leave> {
        let mut state = self.state();
        let goal = std::mem::replace(&mut state.goal, Goal::Run);
        let leave = state.leave.take();
        let state = &mut *state;
        if matches!(leave, Some(Leave::Why | Leave::Earlier)) {
            state.goal = goal;
            state.dispatch = None;
            return leave;
        }
        state.focus = None;
        if let (None, Some(findings)) = (leave, &mut state.findings) {
            // No wave is left that could stop for these findings.
            let fresh = findings.fresh();
            state.passing.extend(fresh);
            self.pass(state, None);
        }
        leave
    }
}

impl Engine {
    /// Calls the front end while no launch is running; `has_next` is true between two launches.
    fn rest(&self, has_next: bool) -> Resume {
        let mut guard = self.state();
        let state = &mut *guard;
        // A step that reached the end of its launch stops here, not in the next launch.
        state.stops_once = false;
        state.has_next = has_next;
        let mut session = Session {
            state: &mut *state,
            paused: None,
        };
        let resume = self.front().idle(&mut session);
        state.has_next = has_next && resume == Resume::Why;
        state.start_clock();
        if let Some(goal) = replay::earlier_goal(&resume) {
            state.goal = goal;
        }
        resume
    }

    /// Reports findings that do not stop the run to the front end.
    fn pass(&self, state: &mut State, paused: Option<&mut Paused<'_>>) {
        if state.passing.is_empty() {
            return;
        }
        let stop = Stop::Findings(std::mem::take(&mut state.passing));
        let session = Session { state, paused };
        self.front().passed(&session, &stop);
    }

    /// Tells the front end that a launch is starting, except in replays.
    fn begins(&self, state: &mut State, paused: &mut Paused<'_>) {
        if !state.goal.is_replay() {
            let paused = Some(paused);
            self.front().begins(&mut Session { state, paused });
        }
    }

    /// Calls the front end if it requested attention. Returns the stop if the front end asks for one.
    fn attended(&self, state: &mut State, paused: &mut Paused<'_>, now: Current) -> Option<Stop> {
        if state.ends_turn() || !state.attention.swap(false, AcqRel) {
            return None;
        }
        let focus = (state.focus, state.lane);
        let mut session = Session {
            state: &mut *state,
            paused: Some(&mut *paused),
        };
        let attention = self.front().attend(&mut session);
        (state.focus, state.lane) = focus;
        match attention {
            Attention::Stop => Some(interrupted(state, paused, now)),
            Attention::Ignore => None,
        }
    }

    /// Reports a stop to the front end, and applies its decision.
    fn stopped(&self, state: &mut State, paused: &mut Paused<'_>, stop: &Stop) {
        let mut session = Session {
            state: &mut *state,
            paused: Some(&mut *paused),
        };
        let resume = self.front().stopped(&mut session, stop);
        resumed(state, paused, resume);
    }
}

impl Debugger for Engine {
    fn turn(&self, paused: &mut Paused<'_>) -> Turn {
        let mut guard = self.state();
        let state = &mut *guard;
        if state.ends_turn() {
            return Turn::Quit;
        }
        let Some(mut now) = current(paused) else {
            return Turn::Hold;
        };
        let begins = state.dispatch != Some(paused.dispatched().id);
        let mut at_begin = if begins {
            self.begins(state, paused);
            begin(state, paused, now)
        } else {
            None
        };
        if std::mem::take(&mut state.record.has_returned) {
            compare_anew(state, paused);
        }
        while state.goal.is_replay()
            && let Some(change) = state.record.due(now.at)
        {
            apply(state, Some(&mut *paused), &change);
        }
        loop {
            let found = at_begin.take().or_else(|| {
                if state.goal.is_replay() {
                    replay::reason(state, paused, now)
                } else {
                    reasons::reason(state, paused, now)
                }
            });
            self.pass(state, Some(&mut *paused));
            let found = found.or_else(|| self.attended(state, paused, now));
            let Some(stop) = found else {
                break;
            };
            // These stops precede the breakpoint check at the next instruction. The check follows when the run resumes,
            // unless the user steps past the instruction.
            let is_unchecked = match &stop {
                Stop::Watchpoints { .. } | Stop::Findings(_) => true,
                Stop::Condition { number, .. } => {
                    let mut stops = state.stops.iter();
                    stops.any(|it| it.number == *number && it.is_watch())
                }
                _ => false,
            };
            self.stopped(state, paused, &stop);
            let steps = matches!(state.goal, Goal::Instructions { .. } | Goal::Lines { .. })
                && state.goal.wave() == Some(now.at.wave);
            if !is_unchecked || steps {
                state.passed.insert(now.at.wave, now.at.executed);
            }
            if state.ends_turn() {
                return Turn::Quit;
            }
            // The user may have moved the program counter.
            now = current(paused).unwrap_or(now);
        }
        if state.ends_turn() {
            return Turn::Quit;
        }
        decide(state, paused, now)
    }

    fn stops(&self, address: u64, step: &Step) -> bool {
        let state = self.state();
        let of_goal = match &state.goal {
            Goal::Until { addresses, .. } => addresses.contains(&address),
            Goal::Lines { line, over, .. } => {
                let at = state.program.line(address);
                at.is_some() && at != line.as_ref() || *over && is_call(step)
            }
            Goal::Return { .. }
            | Goal::Finish { .. }
            | Goal::SearchWave {
                sought: Sought::Call { .. },
                ..
            } => step.inst.uses().leaves_sequence(),
            Goal::Search {
                sought: SoughtStop::WaveEnd,
                ..
            } => ends_wave(step),
            _ => false,
        };
        of_goal || state.stops.iter().any(|it| it.concerns(address, step))
    }

    fn faults(&self, paused: &mut Paused<'_>, fault: &Fault) {
        let mut guard = self.state();
        let state = &mut *guard;
        if state.ends_turn() || fault.kind == FaultKind::Interrupted {
            return;
        }
        let seeks_last = matches!(
            state.goal,
            Goal::Search {
                end: SearchEnd::Launch,
                ..
            }
        );
        // A fault that stops the run is the last stop of its launch.
        if seeks_last && state.catches.faults {
            state.goal = Goal::Run;
        } else if replay::end_search(state) {
            return;
        }
        if let Goal::ToFault(goal) = &mut state.goal {
            state.goal = std::mem::replace(goal, Goal::Run);
        } else if !is_exact(state) && replay::come_to_fault(state) {
            return;
        }
        state.focus = Some(fault.wave);
        // Without observers, the program counter is already past the faulting instruction.
        if let Some((wave, _)) = paused.wave_mut(fault.wave) {
            wave.pc = fault.pc;
        }
        if let Some(lane) = fault.lane {
            state.lane = lane;
        }
        let stop = Stop::Fault(Box::new(fault.clone()));
        if !state.catches.faults {
            let session = Session {
                state,
                paused: Some(paused),
            };
            self.front().passed(&session, &stop);
            return;
        }
        state.is_at_fault = true;
        self.stopped(state, paused, &stop);
        state.is_at_fault = false;
        if !state.ends_turn() {
            state.goal = Goal::Run;
        }
    }

    fn is_exact(&self) -> bool {
        is_exact(&self.state())
    }

    fn rests(&self, run: &Resting<'_>) {
        let mut guard = self.state();
        let state = &mut *guard;
        let dispatch = run.dispatched().id;
        if state.record.begin_turn(dispatch).is_none() {
            if state.goal.is_replay() {
                state.record.begin_again(&state.memory);
            } else {
                state.record.begin_launch(false);
            }
            let _ = state.record.begin_turn(dispatch);
        }
        if let Some(start) = state.record.take_start() {
            start.lasting().restore(run.dispatched().device);
        }
        if state.is_recorded() {
            state.record.record(&state.memory, run);
        }
    }

    fn resumes_at(&self, dispatched: &Dispatched<'_>) -> Option<Arc<Checkpoint>> {
        let mut guard = self.state();
        let state = &mut *guard;
        if state.leave.is_some() {
            return None;
        }
        if !state.record.returns() && !replay::run_has_ended(state) {
            let paused = None;
            self.front()
                .passed(&Session { state, paused }, &Stop::Diverged);
        }
        let Some(checkpoint) = state.record.come_back(&state.memory) else {
            let has_host = state.record.checkpoints.has_host();
            if let Some(reason) = unrepeatable(dispatched, has_host) {
                state.record.lose(reason);
            }
            return None;
        };
        state.passed.clear();
        state.last = None;
        Some(checkpoint)
    }
}

/// Clears the goal and the dispatch before a run.
fn begin_run(state: &mut State) {
    state.goal = Goal::Run;
    state.dispatch = None;
}

/// True if registers must be exact at a fault. If false, a launch that faults is replayed up to the fault. Launches of
/// a host program are not replayed, because their faults may depend on concurrent host code.
fn is_exact(state: &State) -> bool {
    !state.is_recorded()
        || state.record.checkpoints.has_host()
        || state.record.lost().is_some()
        || matches!(state.goal, Goal::ToFault(_))
}

/// Prepares the state for the first turn of a launch or its replay. Returns the stop at the start, if requested.
fn begin(state: &mut State, paused: &Paused<'_>, current: Current) -> Option<Stop> {
    state.dispatch = Some(paused.dispatched().id);
    state.passed.clear();
    state.last = None;
    state.focus = Some(current.at.wave);
    state.renew();
    // Changes made between launches are not attributed to a wave.
    compare_anew(state, paused);
    if state.goal.is_replay() {
        state.renew_deadline();
        return None;
    }
    let stops = std::mem::take(&mut state.stops_once) || state.catches.launches;
    stops.then_some(Stop::Begin)
}

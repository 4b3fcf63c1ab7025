//! State of the engine, and a front end's access to it while nothing runs.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

use gcn_emu::fault::Fault;
use gcn_emu::memory::Memory;
use gcn_emu::observe::Paused;
use gcn_emu::wave::{LANES, Wave, WaveId};
use gcn_isa::{Inst, decode};

use crate::catch::{Catches, Finding, Findings};
use crate::checkpoints::{Recording, reads_clock};
use crate::error::EvalError;
use crate::eval::{Evaluated, evaluate, resolve};
use crate::expr::Expr;
use crate::past::{Moment, UserChange};
use crate::program::{Line, Program};
use crate::record::{CLOCK, Record};
use crate::scalar::Scalar;
use crate::stops::{Change, StopKind, StopPoint, Watched};
use crate::view::{self, NamedBuffer, Target, View};
use crate::why_request::WhyRequest;

/// Reason for which a wave has stopped.
#[derive(Clone, Debug)]
pub enum Stop {
    /// A launch begins.
    Begin,
    /// Breakpoints at the instruction that follows.
    Breakpoints(Vec<u32>),
    /// Watched values have changed.
    Watchpoints {
        /// Number, text and change of each.
        changes: Vec<(u32, String, Change)>,
        /// Wave that has executed the instruction, and its address.
        by: (WaveId, u64),
    },
    /// The step is done.
    Step,
    /// The function has returned.
    Returned,
    /// The wave in focus has ended.
    WaveEnded(WaveId),
    /// The wave in focus waits, and all others are held.
    Held(WaveId),
    /// The user has interrupted the run.
    Interrupted,
    /// A fault, after which the launch ends.
    Fault(Box<Fault>),
    /// Findings of checkers.
    Findings(Vec<Finding>),
    /// The condition of a breakpoint has no value.
    Condition {
        /// Number of the breakpoint.
        number: u32,
        /// The error.
        error: EvalError,
    },
    /// The launch has been brought back to an earlier moment.
    Back,
    /// The launch is back at its beginning; no earlier state is known.
    BackAtBegin,
}

/// Decision of a front end after a stop.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Resume {
    /// Runs to the next stop.
    Continue,
    /// Executes instructions of the wave in focus.
    Instructions {
        /// Number.
        count: u64,
        /// Takes a call as one instruction.
        over: bool,
    },
    /// Executes source lines of the wave in focus.
    Lines {
        /// Number.
        count: u64,
        /// Does not stop in functions that are called.
        over: bool,
    },
    /// Runs until the function of the wave in focus returns.
    Finish,
    /// Runs the wave in focus up to an address.
    Until(u64),
    /// Goes back by a number of instructions of the wave in focus.
    Back(u64),
    /// Goes back by a number of source lines of the wave in focus.
    BackLines(u64),
    /// Goes back to the call of the function of the wave in focus, or to the begin of the wave.
    BackToCall,
    /// Goes back to the previous stop.
    BackToStop,
    /// Takes the question of [`Session::ask`] out of the launch, which then comes back to this moment.
    Why,
    /// Ends the launch and runs all launches again.
    Restart,
    /// Ends the launch, and the session.
    Quit,
}

/// Waves that run while the wave in focus does.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Scheduler {
    /// All.
    #[default]
    All,
    /// None: other waves are held.
    One,
}

/// Aim of the run.
#[derive(Clone, Debug)]
pub(crate) enum Goal {
    Run,
    Instructions {
        wave: WaveId,
        left: u64,
        from: u64,
        over: bool,
    },
    Lines {
        wave: WaveId,
        left: u64,
        from: u64,
        line: Option<Line>,
        over: bool,
    },
    /// The wave returns from a call to an address, and the step goes on.
    Return {
        wave: WaveId,
        address: u64,
        then: Box<Goal>,
    },
    Until {
        wave: WaveId,
        address: u64,
        from: u64,
    },
    /// The wave leaves the function that it is in.
    Finish {
        wave: WaveId,
        /// Calls that have not returned.
        depth: u32,
        /// True once the jump has been executed.
        returns: bool,
    },
    /// Replays the launch up to a given moment.
    Replay(Moment),
    /// The launch runs again, to find the last stop between the checkpoint of a turn and an end.
    Search {
        begin: u64,
        end: SearchEnd,
        /// Last moment found, and the turn in which it is.
        found: Option<(Moment, u64)>,
    },
    /// The launch runs again, to find something that a wave has executed before a moment, but not before a number of its instructions.
    SearchWave {
        before: Moment,
        from: u64,
        sought: Sought,
    },
    /// The launch runs again, to come to the same fault with exact registers. Then it has its former goal.
    ToFault(Box<Goal>),
}

/// End of a search for stops.
#[derive(Clone, Copy, Debug)]
pub(crate) enum SearchEnd {
    /// A number of instructions of the launch.
    Instructions(u64),
    /// A turn of a workgroup.
    Turn(u64),
}

/// Object of a search among the instructions of a wave.
#[derive(Clone, Debug)]
pub(crate) enum Sought {
    /// Begin of the last source lines.
    Lines {
        count: u64,
        /// Lines that the wave came to, with its number of instructions.
        begun: Vec<(u64, Line)>,
    },
    /// Call of the current function.
    Call {
        /// Numbers of instructions at which the wave left a function, and true for those where it called one.
        jumps: Vec<(u64, bool)>,
    },
}

impl Goal {
    /// The wave that it is about.
    pub(crate) fn wave(&self) -> Option<WaveId> {
        match self {
            Goal::Instructions { wave, .. }
            | Goal::Lines { wave, .. }
            | Goal::Return { wave, .. }
            | Goal::Until { wave, .. }
            | Goal::Finish { wave, .. } => Some(*wave),
            Goal::Run
            | Goal::Replay(_)
            | Goal::Search { .. }
            | Goal::SearchWave { .. }
            | Goal::ToFault(_) => None,
        }
    }

    /// True while the past is executed again.
    pub(crate) fn is_replay(&self) -> bool {
        matches!(
            self,
            Goal::Replay(_) | Goal::Search { .. } | Goal::SearchWave { .. } | Goal::ToFault(_)
        )
    }
}

/// Reason for which a launch is ended by the debugger.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Leave {
    /// The session ends.
    Quit,
    /// All launches run again.
    Restart,
    /// This launch runs again, to the same moment, after the question of [`Engine::question`](crate::Engine::question) is answered.
    Why,
}

/// Last instructions that were let run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LastRun {
    pub(crate) at: Moment,
    /// Turn of the workgroup.
    pub(crate) turn: u64,
    pub(crate) pc: u64,
}

/// State of the engine.
pub(crate) struct State {
    pub(crate) program: Program,
    pub(crate) memory: Memory,
    pub(crate) buffers: Vec<NamedBuffer>,
    pub(crate) findings: Option<Box<dyn Findings>>,
    pub(crate) catches: Catches,
    /// Findings that do not stop the run and have not been shown yet.
    pub(crate) passing: Vec<Finding>,
    pub(crate) attention: Arc<AtomicBool>,
    pub(crate) interrupt: Arc<AtomicBool>,
    pub(crate) timeout: Option<Duration>,
    pub(crate) deadline: Option<Instant>,
    pub(crate) stops: Vec<StopPoint>,
    pub(crate) next_number: u32,
    pub(crate) generation: u64,
    pub(crate) stops_at_begin: bool,
    pub(crate) stops_once: bool,
    pub(crate) focus: Option<WaveId>,
    pub(crate) lane: u8,
    pub(crate) scheduler: Scheduler,
    /// Number of the dispatch that runs.
    pub(crate) dispatch: Option<u64>,
    pub(crate) goal: Goal,
    /// Instructions that waves had executed at the stops that have been reported.
    pub(crate) passed: HashMap<WaveId, u64>,
    pub(crate) last: Option<LastRun>,
    pub(crate) no_past: Option<&'static str>,
    pub(crate) recording: Recording,
    pub(crate) record: Record,
    pub(crate) leave: Option<Leave>,
    pub(crate) question: Option<WhyRequest>,
}

impl State {
    pub(crate) fn view<'a>(
        &'a self,
        paused: Option<&'a Paused<'_>>,
        wave: Option<WaveId>,
    ) -> View<'a> {
        let wave = paused.zip(wave).and_then(|(paused, id)| paused.wave(id));
        View {
            program: &self.program,
            memory: &self.memory,
            buffers: &self.buffers,
            wave,
            lane: self.lane,
        }
    }

    /// The run goes on: an interrupt of the past is forgotten, and the time that it may take begins.
    pub(crate) fn start_clock(&mut self) {
        self.interrupt.store(false, Relaxed);
        self.deadline = self
            .timeout
            .and_then(|timeout| Instant::now().checked_add(timeout));
    }

    /// True if the turn of the wave ends: the run does, or it returns to a checkpoint.
    pub(crate) fn ends_turn(&self) -> bool {
        self.leave.is_some() || self.record.returns()
    }

    /// True if the launch is recorded, as far as that is possible.
    pub(crate) fn is_recorded(&self) -> bool {
        self.no_past.is_none() && self.findings.is_none()
    }

    /// Makes stops be looked up anew.
    pub(crate) fn renew(&mut self) {
        self.generation += 1;
    }
}

/// Access to the engine and to the run while nothing runs.
pub struct Session<'a, 'p> {
    pub(crate) state: &'a mut State,
    /// The run; `None` before and after it.
    pub(crate) paused: Option<&'a mut Paused<'p>>,
}

impl Session<'_, '_> {
    /// The code.
    pub fn program(&self) -> &Program {
        &self.state.program
    }

    /// Memory of the device.
    pub fn memory(&self) -> &Memory {
        &self.state.memory
    }

    /// Buffers with names.
    pub fn buffers(&self) -> &[NamedBuffer] {
        &self.state.buffers
    }

    /// Replaces the code by that of a launch. Breakpoints keep their addresses.
    pub fn set_program(&mut self, program: Program) {
        self.state.program = program;
        self.state.renew();
    }

    /// Replaces the buffers by those of a launch.
    pub fn set_buffers(&mut self, buffers: Vec<NamedBuffer>) {
        self.state.buffers = buffers;
    }

    /// True while a launch runs.
    pub fn is_running(&self) -> bool {
        self.paused.is_some()
    }

    /// State that expressions are evaluated in: that of the wave in focus.
    pub fn view(&self) -> View<'_> {
        self.state.view(self.paused.as_deref(), self.state.focus)
    }

    /// Value of an expression.
    ///
    /// # Errors
    /// It reads something that does not exist.
    pub fn evaluate(&self, expr: &Expr) -> Result<Evaluated, EvalError> {
        evaluate(expr, &self.view())
    }

    /// Changes a place to a value, which is converted to the type of the place; bits of registers are those of the value.
    ///
    /// # Errors
    /// The place does not exist.
    pub fn assign(&mut self, place: &Expr, value: Scalar) -> Result<Target, EvalError> {
        let target = resolve(place, &self.view())?;
        self.change(target, value)?;
        Ok(target)
    }

    /// Changes a place that is known.
    pub(crate) fn change(&mut self, target: Target, value: Scalar) -> Result<(), EvalError> {
        let view = self.view();
        let ty = view.ty(target);
        let is_register = !matches!(target, Target::Memory { .. });
        let value = match (is_register, value.ty.is_float()) {
            // A literal with a point is a float in a register of that size.
            (true, true) if ty.bytes() == 4 => {
                Scalar::new(ty, value.convert(crate::scalar::ScalarType::F32).bits)
            }
            (true, true) => Scalar::new(ty, value.convert(crate::scalar::ScalarType::F64).bits),
            _ => value.convert(ty),
        };
        view.check(target, value)?;
        let focus = self.state.focus;
        let current = self.paused.as_ref().and_then(|paused| {
            let wave = paused.current()?;
            let at = Moment {
                wave: wave.id,
                executed: wave.executed,
            };
            Some(at)
        });
        let change = UserChange {
            at: current.unwrap_or_default(),
            wave: focus,
            lane: self.state.lane,
            target,
            value,
        };
        apply(self.state, self.paused.as_deref_mut(), &change);
        if current.is_some() {
            self.state.record.change(change);
        }
        Ok(())
    }

    /// Breakpoints and watchpoints, in the order of their numbers.
    pub fn stop_points(&self) -> &[StopPoint] {
        &self.state.stops
    }

    /// A breakpoint or watchpoint, to change.
    pub fn stop_point_mut(&mut self, number: u32) -> Option<&mut StopPoint> {
        self.state.renew();
        self.state.stops.iter_mut().find(|it| it.number == number)
    }

    /// Deletes a breakpoint or watchpoint; false if there is none of this number.
    pub fn delete(&mut self, number: u32) -> bool {
        let before = self.state.stops.len();
        self.state.stops.retain(|it| it.number != number);
        self.state.renew();
        self.state.stops.len() != before
    }

    /// Adds a breakpoint, and returns it.
    pub fn add_breakpoint(
        &mut self,
        text: &str,
        kind: StopKind,
        is_temporary: bool,
    ) -> &mut StopPoint {
        let number = self.state.next_number;
        self.state.next_number += 1;
        self.state.renew();
        let place = self.state.stops.len();
        self.state.stops.push(StopPoint {
            number,
            text: text.to_owned(),
            kind,
            condition: None,
            is_temporary,
            is_enabled: true,
            ignored: 0,
            hits: 0,
        });
        &mut self.state.stops[place]
    }

    /// Adds a watchpoint, and returns it. One of registers or LDS is about the wave in focus.
    ///
    /// # Errors
    /// The value does not exist now.
    pub fn add_watchpoint(
        &mut self,
        text: &str,
        watched: Watched,
    ) -> Result<&mut StopPoint, EvalError> {
        let of_wave = watched.is_of_wave();
        let view = self.view();
        if of_wave {
            view.wave()?;
        }
        let value = watched.value(&view);
        if let crate::stops::WatchedValue::Missing(error) = value {
            return Err(error);
        }
        let kind = StopKind::Watch {
            watched,
            wave: self.state.focus.filter(|_| of_wave),
            lane: self.state.lane,
            value,
        };
        Ok(self.add_breakpoint(text, kind, false))
    }

    /// Faults and findings that stop the run.
    pub fn catches(&self) -> &Catches {
        &self.state.catches
    }

    /// Chooses the faults and findings that stop the run.
    pub fn set_catches(&mut self, catches: Catches) {
        self.state.catches = catches;
    }

    /// Names of the checkers that watch the run.
    pub fn checks(&self) -> Vec<&'static str> {
        let findings = self.state.findings.as_deref();
        findings.map(Findings::checks).unwrap_or_default()
    }

    /// The wave in focus.
    pub fn focus(&self) -> Option<WaveId> {
        let id = self.state.focus?;
        let paused = self.paused.as_ref()?;
        paused.wave(id).map(|(wave, _)| wave.id)
    }

    /// Moves the focus to a wave. Returns false if the wave is not running.
    pub fn set_focus(&mut self, id: WaveId) -> bool {
        let is_there = self.paused.as_ref().is_some_and(|it| it.wave(id).is_some());
        if is_there {
            self.state.focus = Some(id);
        }
        is_there
    }

    /// The lane in focus.
    pub fn lane(&self) -> u8 {
        self.state.lane
    }

    /// Moves the focus to a lane; false beyond 63.
    pub fn set_lane(&mut self, lane: u64) -> bool {
        let lane = u8::try_from(lane)
            .ok()
            .filter(|it| usize::from(*it) < LANES);
        self.state.lane = lane.unwrap_or(self.state.lane);
        lane.is_some()
    }

    /// Waves that run with the wave in focus.
    pub fn scheduler(&self) -> Scheduler {
        self.state.scheduler
    }

    /// Chooses the waves that run with the wave in focus.
    pub fn set_scheduler(&mut self, scheduler: Scheduler) {
        self.state.scheduler = scheduler;
    }

    /// Chooses whether a launch stops before its first instruction.
    pub fn set_stop_at_begin(&mut self, stops: bool) {
        self.state.stops_at_begin = stops;
    }

    /// Chooses whether the next launch stops before its first instruction.
    pub fn set_stop_once(&mut self, stops: bool) {
        self.state.stops_once = stops;
    }

    /// True if a launch stops before its first instruction.
    pub fn stops_at_begin(&self) -> bool {
        self.state.stops_at_begin
    }

    /// The wave in focus.
    pub fn wave(&self) -> Option<&Wave> {
        let (wave, _) = self.paused.as_ref()?.wave(self.state.focus?)?;
        Some(wave)
    }

    /// Waves that have begun and not ended.
    pub fn waves(&self) -> impl Iterator<Item = &Wave> {
        self.paused.iter().flat_map(|paused| paused.waves())
    }

    /// The run.
    pub fn paused(&self) -> Option<&Paused<'_>> {
        self.paused.as_deref()
    }

    /// Instruction at an address of memory; `None` if there is none.
    pub fn instruction(&self, address: u64) -> Option<Inst> {
        let memory = &self.state.memory;
        let mut words = [0; 2];
        let isa = self.state.program.isa();
        if memory.load_dwords(address, &mut words).is_some() {
            return decode(isa, &words).ok();
        }
        memory.load_dwords(address, &mut words[..1])?;
        decode(isa, &words[..1]).ok()
    }

    /// Number of checkpoints of the launch, and their size in bytes besides the first one, which has all of memory.
    pub fn recorded(&self) -> (usize, usize) {
        self.state.record.checkpoints.size()
    }

    /// Reason for which the launch cannot go back; `None` if it can.
    pub fn past_is_lost(&self) -> Option<&'static str> {
        let paused = self.paused.as_ref()?;
        if self.state.no_past.is_some() {
            return self.state.no_past;
        }
        if self.state.findings.is_some() {
            return Some("going back is not possible with checkers");
        }
        if let Some(lost) = self.state.record.lost() {
            return Some(lost);
        }
        let code = paused.dispatched().code;
        if code.executed().any(reads_clock) {
            return Some(CLOCK);
        }
        None
    }
}

/// Makes a change of the user.
pub(crate) fn apply(state: &State, mut paused: Option<&mut Paused<'_>>, change: &UserChange) {
    let scratch = match change.target {
        Target::Memory {
            space: crate::expr::Space::Scratch,
            ty,
            address,
        } => {
            let view = View {
                lane: change.lane,
                ..state.view(paused.as_deref(), change.wave)
            };
            view.scratch_addresses(address, ty.bytes())
        }
        _ => None,
    };
    let wave = change.wave.and_then(|id| paused.as_mut()?.wave_mut(id));
    view::write(
        change.target,
        change.value,
        wave,
        &state.memory,
        scratch.as_deref(),
    );
}

//! Engine state, and the front end's access to it while the run is paused.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

use gcn_emu::Lds;
use gcn_emu::memory::Memory;
use gcn_emu::observe::Paused;
use gcn_emu::wave::{LANES, Wave, WaveId};
use gcn_isa::{Inst, decode};

use crate::catch::{Catches, Finding, Findings};
use crate::checkpoints::unrepeatable;
use crate::error::EvalError;
use crate::eval::{Evaluated, assigned, evaluate};
use crate::expr::{Expr, Space};
use crate::goal::Goal;
use crate::object::{Local, SourceObject};
use crate::past::{Moment, UserChange};
use crate::program::Program;
use crate::record::Record;
use crate::scalar::{Scalar, ScalarType};
use crate::stops::{StopKind, StopPoint, Watched, WatchedValue};
use crate::view::{self, NamedBuffer, Target, View};
use crate::why_request::WhyRequest;

/// Front end's decision on how to resume after a stop.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Resume {
    /// Runs until the next stop.
    Continue,
    /// Steps the wave in focus by instructions.
    Instructions {
        /// Number of instructions to execute.
        count: u64,
        /// True to count a call as one instruction.
        over: bool,
    },
    /// Steps the wave in focus by source lines.
    Lines {
        /// Number of lines.
        count: u64,
        /// True to step over calls.
        over: bool,
    },
    /// Runs until the current function of the wave in focus returns.
    Finish,
    /// Runs until the wave in focus reaches one of these addresses.
    Until(Vec<u64>),
    /// Goes back by a number of instructions in the wave in focus.
    Back(u64),
    /// Goes back by a number of source lines in the wave in focus.
    BackLines(u64),
    /// Goes back to the call of the wave's current function, or to the start of the wave.
    BackToCall,
    /// Goes back to the previous stop.
    BackToStop,
    /// Ends the run to answer the question from [`Session::ask`], then returns the launch to this point.
    Why,
    /// Ends the launch and reruns all launches.
    Restart,
    /// Ends the launch and the session.
    Quit,
}

/// Scheduling of other waves while the wave in focus runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Scheduler {
    /// All waves run.
    #[default]
    All,
    /// Other waves are held.
    One,
}

/// Reason why the debugger ended a launch.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Leave {
    /// End of the session.
    Quit,
    /// Rerun of all launches.
    Restart,
    /// Rerun of this launch up to the same point, after the question in [`Engine::question`](crate::Engine::question)
    /// is answered.
    Why,
    /// Rerun of the previous launch, to go back into it.
    Earlier,
}

/// Single-stepped instruction, after which the engine compares watched values and collects findings.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LastRun {
    pub(crate) at: Moment,
    /// Workgroup turn in which the wave executes it.
    pub(crate) turn: u64,
    pub(crate) pc: u64,
}

pub(crate) struct State {
    pub(crate) program: Program,
    pub(crate) memory: Memory,
    pub(crate) buffers: Vec<NamedBuffer>,
    pub(crate) findings: Option<Box<dyn Findings>>,
    pub(crate) catches: Catches,
    /// Findings to show without stopping the run.
    pub(crate) passing: Vec<Finding>,
    pub(crate) attention: Arc<AtomicBool>,
    pub(crate) interrupt: Arc<AtomicBool>,
    pub(crate) timeout: Option<Duration>,
    pub(crate) deadline: Option<Instant>,
    pub(crate) stops: Vec<StopPoint>,
    pub(crate) next_number: u32,
    pub(crate) generation: u64,
    pub(crate) stops_once: bool,
    /// True between two launches.
    pub(crate) has_next: bool,
    pub(crate) focus: Option<WaveId>,
    pub(crate) lane: u8,
    pub(crate) scheduler: Scheduler,
    /// ID of the current dispatch.
    pub(crate) dispatch: Option<u64>,
    pub(crate) goal: Goal,
    /// Instruction count of each wave at its last reported stop.
    pub(crate) passed: HashMap<WaveId, u64>,
    pub(crate) last: Option<LastRun>,
    /// Copy of a wave and its LDS before the wave's final instruction, for the conditions of watchpoints.
    pub(crate) ended: Option<Box<(Wave, Lds)>>,
    /// True while the run is stopped at a fault.
    pub(crate) is_at_fault: bool,
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
            arguments: paused.and_then(view::kernel_arguments),
            lane: self.lane,
        }
    }

    /// Clears a pending interrupt and restarts the timeout.
    pub(crate) fn start_clock(&mut self) {
        self.interrupt.store(false, Relaxed);
        self.renew_deadline();
    }

    /// Restarts the timeout.
    pub(crate) fn renew_deadline(&mut self) {
        self.deadline = self
            .timeout
            .and_then(|timeout| Instant::now().checked_add(timeout));
    }

    /// True if the wave's turn must end, because the run ends or returns to a checkpoint.
    pub(crate) fn ends_turn(&self) -> bool {
        self.leave.is_some() || self.record.returns()
    }

    /// True if launches are recorded for reverse execution, which checkers do not support.
    pub(crate) fn is_recorded(&self) -> bool {
        self.findings.is_none()
    }

    pub(crate) fn has_breakpoints(&self) -> bool {
        self.stops.iter().any(|it| !it.is_watch())
    }

    /// Invalidates cached stop decisions.
    pub(crate) fn renew(&mut self) {
        self.generation += 1;
    }
}

/// Access to the engine and the paused run.
pub struct Session<'a, 'p> {
    pub(crate) state: &'a mut State,
    /// Paused run; `None` if no launch is running.
    pub(crate) paused: Option<&'a mut Paused<'p>>,
}

impl Session<'_, '_> {
    /// Returns the debugged code.
    pub fn program(&self) -> &Program {
        &self.state.program
    }

    /// Returns the device memory.
    pub fn memory(&self) -> &Memory {
        &self.state.memory
    }

    /// Returns the named buffers.
    pub fn buffers(&self) -> &[NamedBuffer] {
        &self.state.buffers
    }

    /// Replaces the code for a new launch. Breakpoints keep their addresses.
    pub fn set_program(&mut self, program: Program) {
        self.state.program = program;
        self.state.renew();
    }

    /// Replaces the buffers for a new launch.
    pub fn set_buffers(&mut self, buffers: Vec<NamedBuffer>) {
        self.state.buffers = buffers;
    }

    /// True while a launch is running.
    pub fn is_running(&self) -> bool {
        self.paused.is_some()
    }

    /// True between two launches, where [`Resume::Continue`] starts the next one.
    pub fn has_next_launch(&self) -> bool {
        self.state.has_next
    }

    /// Returns the state for evaluating expressions in the focused wave.
    pub fn view(&self) -> View<'_> {
        self.state.view(self.paused.as_deref(), self.state.focus)
    }

    /// Evaluates an expression.
    ///
    /// # Errors
    /// Fails if the expression cannot be evaluated.
    pub fn evaluate(&self, expr: &Expr) -> Result<Evaluated, EvalError> {
        evaluate(expr, &self.view())
    }

    /// Returns the local variables and parameters in scope at the focused wave's instruction, innermost scope first.
    ///
    /// # Errors
    /// Fails if the debug information is invalid.
    pub fn locals(&self) -> Result<Vec<Local>, EvalError> {
        SourceObject::locals(&self.view())
    }

    /// Assigns a value, converted to the type of the destination. Registers receive the bit patterns of floats.
    ///
    /// # Errors
    /// Fails if the destination does not exist.
    pub fn assign(&mut self, place: &Expr, value: Scalar) -> Result<Target, EvalError> {
        let (target, value) = assigned(place, value, &self.view())?;
        self.change(target, value)?;
        Ok(target)
    }

    /// Assigns a value to a resolved destination.
    pub(crate) fn change(&mut self, target: Target, value: Scalar) -> Result<(), EvalError> {
        let view = self.view();
        let ty = view.ty(target);
        let is_register = !matches!(target, Target::Memory { .. });
        // Registers receive the bit pattern of a float of their size.
        let value = if is_register && value.ty.is_float() {
            let is_single = ty.bytes() == 4;
            let float = if is_single {
                ScalarType::F32
            } else {
                ScalarType::F64
            };
            Scalar::new(ty, value.convert(float).bits)
        } else {
            value.convert(ty)
        };
        view.check(target, value)?;
        let focus = self.state.focus;
        let current = self.paused.as_ref().and_then(|paused| {
            let wave = paused.current()?;
            Some(Moment {
                wave: wave.id,
                executed: wave.executed,
            })
        });
        let change = UserChange {
            at: current.unwrap_or_default(),
            wave: focus,
            lane: self.state.lane,
            target,
            value,
        };
        apply(self.state, self.paused.as_deref_mut(), &change);
        self.state.record.change(change);
        Ok(())
    }

    /// Returns the breakpoints and watchpoints, ordered by number.
    pub fn stop_points(&self) -> &[StopPoint] {
        &self.state.stops
    }

    /// Returns a breakpoint or watchpoint for modification.
    pub fn stop_point_mut(&mut self, number: u32) -> Option<&mut StopPoint> {
        self.state.renew();
        self.state.stops.iter_mut().find(|it| it.number == number)
    }

    /// Deletes a breakpoint or watchpoint. Returns false if the number does not exist.
    pub fn delete(&mut self, number: u32) -> bool {
        let before = self.state.stops.len();
        self.state.stops.retain(|it| it.number != number);
        self.state.renew();
        self.state.stops.len() != before
    }

    /// Adds a breakpoint and returns it.
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

    /// Adds a watchpoint and returns it. Registers, LDS and scratch are those of the wave in focus.
    ///
    /// # Errors
    /// Fails if the value cannot be evaluated now.
    pub fn add_watchpoint(
        &mut self,
        text: &str,
        watched: Watched,
    ) -> Result<&mut StopPoint, EvalError> {
        let view = self.view();
        let dependencies = Box::new(watched.dependencies(&view));
        let of_wave = dependencies.is_of_wave();
        if of_wave {
            view.wave()?;
        }
        let last = watched.observe(&view);
        if let WatchedValue::Missing(error) = last.value {
            return Err(error);
        }
        let kind = StopKind::Watch {
            variables: watched.variables(&view),
            watched,
            dependencies,
            wave: self.state.focus.filter(|_| of_wave),
            lane: self.state.lane,
            last,
        };
        Ok(self.add_breakpoint(text, kind, false))
    }

    /// Returns the events that stop the run.
    pub fn catches(&self) -> &Catches {
        &self.state.catches
    }

    /// Selects the events that stop the run.
    pub fn set_catches(&mut self, catches: Catches) {
        self.state.catches = catches;
    }

    /// Returns the names of the checkers that watch the run.
    pub fn checks(&self) -> Vec<&'static str> {
        let findings = self.state.findings.as_deref();
        findings.map(Findings::checks).unwrap_or_default()
    }

    /// Returns the ID of the wave in focus, if it is running.
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

    /// Returns the lane in focus.
    pub fn lane(&self) -> u8 {
        self.state.lane
    }

    /// Moves the focus to a lane. Returns false for lanes beyond 63.
    pub fn set_lane(&mut self, lane: u64) -> bool {
        let lane = u8::try_from(lane)
            .ok()
            .filter(|it| usize::from(*it) < LANES);
        self.state.lane = lane.unwrap_or(self.state.lane);
        lane.is_some()
    }

    /// Returns the scheduling of other waves.
    pub fn scheduler(&self) -> Scheduler {
        self.state.scheduler
    }

    /// Sets the scheduling of other waves.
    pub fn set_scheduler(&mut self, scheduler: Scheduler) {
        self.state.scheduler = scheduler;
    }

    /// Enables or disables the stop before the first instruction of every launch.
    pub fn set_stop_at_begin(&mut self, stops: bool) {
        self.state.catches.launches = stops;
    }

    /// Enables or disables the stop before the first instruction of the next launch.
    pub fn set_stop_once(&mut self, stops: bool) {
        self.state.stops_once = stops;
    }

    /// Returns the wave in focus.
    pub fn wave(&self) -> Option<&Wave> {
        let (wave, _) = self.paused.as_ref()?.wave(self.state.focus?)?;
        Some(wave)
    }

    /// Returns the waves that have started and not ended.
    pub fn waves(&self) -> impl Iterator<Item = &Wave> {
        self.paused.iter().flat_map(|paused| paused.waves())
    }

    /// Returns the paused run.
    pub fn paused(&self) -> Option<&Paused<'_>> {
        self.paused.as_deref()
    }

    /// Decodes the instruction at an address. Returns `None` if memory there is unmapped or not a valid instruction.
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

    /// Returns the number of checkpoints of the launch, and the size in bytes of all except the first.
    pub fn recorded(&self) -> (usize, usize) {
        self.state.record.checkpoints.size()
    }

    /// Returns the number of earlier launches that the user can go back into.
    pub fn earlier_launches(&self) -> usize {
        self.state.record.earlier()
    }

    /// Returns the reason why the current launch (or the last one, if none runs) cannot go back, or `None` if it can.
    pub fn past_is_lost(&self) -> Option<&'static str> {
        if self.state.findings.is_some() {
            return Some("going back is not possible with checkers");
        }
        let Some(paused) = &self.paused else {
            let record = &self.state.record;
            let lost = record.lost_launch();
            let lost = lost.unwrap_or("no launch is running: use run or start");
            return (record.earlier() == 0).then_some(lost);
        };
        if let Some(lost) = self.state.record.lost() {
            return Some(lost);
        }
        let has_host = self.state.record.checkpoints.has_host();
        unrepeatable(paused.dispatched(), has_host)
    }
}

/// Applies a user change, after logging the bytes that it overwrites.
pub(crate) fn apply(state: &State, mut paused: Option<&mut Paused<'_>>, change: &UserChange) {
    let scratch = match change.target {
        Target::Memory {
            space: Space::Scratch,
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
    if let Some(log) = state.record.checkpoints.log()
        && let Target::Memory { space, ty, address } = change.target
    {
        let memory = &state.memory;
        match space {
            Space::Global => log.save(memory, address, ty.bytes()),
            Space::Scratch => {
                let addresses = scratch.iter().flatten();
                addresses.for_each(|address| log.save(memory, *address, 1));
            }
            Space::Lds => {}
        }
    }
    let wave = change.wave.and_then(|id| paused.as_mut()?.wave_mut(id));
    view::write(
        change.target,
        change.value,
        wave,
        &state.memory,
        scratch.as_deref(),
    );
}

//! Control of a run by a debugger.
//!
//! A [`Debugger`] decides what each wave executes next. Between two decisions it may read and change all state of the
//! waves that have begun: registers, program counters and LDS. A wave stops before the steps that the debugger
//! selects ([`Debugger::stops`]). The selection is looked up once per block, and hot blocks without a stop become host
//! code.
//!
//! Between the turns of workgroups a debugger may save the state of the run ([`Debugger::rests`]), and have the run
//! return to it later ([`Debugger::resumes_at`]).

use std::sync::Arc;

use super::context::Dispatched;
use crate::checkpoint::Checkpoint;
use crate::fault::Fault;
use crate::lds::Lds;
use crate::step::Step;
use crate::wave::{Wave, WaveId};
use crate::workgroup::RunningGroup;

/// Debugger that controls a run, which then uses a single thread.
pub trait Debugger: Send + Sync {
    /// Decides how the current wave of `paused` continues. Called again until the wave has used up its turn or waits.
    fn turn(&self, paused: &mut Paused<'_>) -> Turn;

    /// True if waves stop before an instruction. The answer is cached until [`Turn::Run`] specifies another generation.
    fn stops(&self, address: u64, step: &Step) -> bool;

    /// Called when the current wave faults. The run then ends, unless [`Debugger::resumes_at`] returns a checkpoint.
    fn faults(&self, paused: &mut Paused<'_>, fault: &Fault);

    /// True if registers must be exact at a faulting instruction when [`Debugger::faults`] is called. Otherwise, host
    /// code may have executed later instructions in some lanes, as it does without a debugger. Called after each
    /// [`Debugger::turn`].
    fn is_exact(&self) -> bool {
        true
    }

    /// Called between the turns of workgroups, and before the first wave begins.
    fn rests(&self, _run: &Resting<'_>) {}

    /// Called when the run would end: after [`Turn::Quit`], after a fault, or after its last wave. The run instead
    /// continues at the returned checkpoint, if any, which must belong to the same run. The debugger must restore
    /// memory.
    fn resumes_at(&self, _dispatched: &Dispatched<'_>) -> Option<Arc<Checkpoint>> {
        None
    }
}

/// State of a run between two turns of workgroups.
pub struct Resting<'a> {
    dispatched: &'a Dispatched<'a>,
    instructions: u64,
    save: &'a dyn Fn() -> Option<Checkpoint>,
}

impl<'a> Resting<'a> {
    pub(crate) fn new(
        dispatched: &'a Dispatched<'a>,
        instructions: u64,
        save: &'a dyn Fn() -> Option<Checkpoint>,
    ) -> Resting<'a> {
        Resting {
            dispatched,
            instructions,
            save,
        }
    }

    /// Running dispatch.
    pub fn dispatched(&self) -> &'a Dispatched<'a> {
        self.dispatched
    }

    /// Number of instructions that the dispatch has executed.
    pub fn instructions(&self) -> u64 {
        self.instructions
    }

    /// Saves the state of the run; `None` if the state of host calls cannot be saved.
    pub fn save(&self) -> Option<Checkpoint> {
        (self.save)()
    }
}

/// Debugger's decision on a wave's turn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Turn {
    /// The wave executes at least one instruction, and stops at the next stop after it.
    Run {
        /// Maximum number of instructions, at least 1.
        instructions: u64,
        /// True if the decision also holds for the next turns of all waves that do not begin at a stop. The debugger is
        /// still asked again after some thousand instructions.
        is_general: bool,
        /// Generation of the stops in force; `None` for no stops.
        stops: Option<u64>,
    },
    /// The wave executes nothing in this turn.
    Hold,
    /// The run ends like an interrupted one.
    Quit,
}

/// State of a run between two instructions.
pub struct Paused<'a> {
    dispatched: &'a Dispatched<'a>,
    groups: &'a mut [Box<RunningGroup>],
    group: usize,
    wave: usize,
    instructions: u64,
}

impl<'a> Paused<'a> {
    pub(crate) fn new(
        dispatched: &'a Dispatched<'a>,
        groups: &'a mut [Box<RunningGroup>],
        (group, wave): (usize, usize),
        instructions: u64,
    ) -> Paused<'a> {
        Paused {
            dispatched,
            groups,
            group,
            wave,
            instructions,
        }
    }

    /// Running dispatch.
    pub fn dispatched(&self) -> &'a Dispatched<'a> {
        self.dispatched
    }

    /// Number of instructions that the dispatch has executed.
    pub fn instructions(&self) -> u64 {
        self.instructions
    }

    /// Wave whose turn it is.
    pub fn current(&self) -> Option<&Wave> {
        self.groups
            .get(self.group)?
            .waves
            .get(self.wave)?
            .as_deref()
    }

    /// Workgroups that have begun but not ended: position, number of waves, and size in work-items, which is smaller
    /// for partial workgroups.
    pub fn groups(&self) -> impl Iterator<Item = ([u32; 3], usize, [u32; 3])> {
        self.groups.iter().map(|it| (it.id, it.count, it.size))
    }

    /// Waves that have begun but not ended.
    pub fn waves(&self) -> impl Iterator<Item = &Wave> {
        self.groups.iter().flat_map(|group| group.begun())
    }

    /// Wave and its workgroup's LDS; `None` if the wave has not begun or has ended.
    pub fn wave(&self, id: WaveId) -> Option<(&Wave, &Lds)> {
        let group = self.groups.iter().find(|it| it.id == id.group)?;
        let wave = group.waves.get(id.wave as usize)?.as_deref()?;
        Some((wave, &group.lds))
    }

    /// Mutable wave and its workgroup's LDS; `None` if the wave has not begun or has ended.
    pub fn wave_mut(&mut self, id: WaveId) -> Option<(&mut Wave, &mut Lds)> {
        let group = self.groups.iter_mut().find(|it| it.id == id.group)?;
        let wave = group.waves.get_mut(id.wave as usize)?.as_deref_mut()?;
        Some((wave, &mut group.lds))
    }
}

//! Division of blocks into parts: scalar instructions, vector instructions and interpreted instructions.

use gcn_isa::effect::Control;
use gcn_isa::{Does, Isa, regs};

use super::access::{ScalarLoad, ScalarSet, pair};
use super::engine::Variant;
use super::indexed::IndexedMoves;
use super::interface::PlanExit;
use super::lane::LaneMove;
use super::lower::{Builder, Lowered};
use crate::exec::alu::indexing;
use crate::step::{Executor, Step};

/// Plan of a region's block.
pub(super) struct BlockPlan {
    /// Index of the block's first dword.
    pub(super) start: usize,
    /// Number of instructions in the block.
    pub(super) instructions: usize,
    pub(super) parts: Vec<Part>,
    pub(super) exit: PlanExit,
    /// Number of instructions that become host code.
    pub(super) lowered: usize,
}

/// Part of a block.
pub(super) enum Part {
    /// Scalar instructions.
    Scalar(Lowered),
    /// Scalar load, with its index in the block and the step to interpret for addresses without a window.
    ScalarLoad(ScalarLoad, usize, Step),
    /// Move to or from a lane.
    Lane(LaneMove),
    /// Moves of indexed vector registers, with the index of the first step in its block and the steps to interpret if a
    /// register is out of range.
    Indexed(IndexedMoves, usize, Vec<Step>),
    /// Vector instructions, with their steps and the steps' indexes in the block. The interpreter executes the steps
    /// for slices that fail the guard.
    Vector(Lowered, Vec<(usize, Step)>),
    /// Interpreted instructions. The number is the index of the first in its block.
    Interpreted(usize, Vec<Step>),
}

/// Run of instructions in which all scalar instructions can be moved ahead of the vector instructions.
struct Phase<'s> {
    /// Scalar loads and completed scalar parts. Each scalar part ends at the next scalar load.
    front: Vec<Part>,
    scalar: Builder,
    vector: Builder,
    scalars: usize,
    vectors: Vec<(usize, &'s Step)>,
}

/// Planner of a block.
pub(super) struct Planner<'s> {
    isa: Isa,
    mode: u32,
    /// Maximum number of vector instructions in a part.
    most: usize,
    variant: Variant,
    phase: Phase<'s>,
    parts: Vec<Part>,
    lowered: usize,
}

impl Phase<'_> {
    fn new(isa: Isa, mode: u32) -> Self {
        Phase {
            front: Vec::new(),
            scalar: Builder::new(isa, mode),
            vector: Builder::new(isa, mode),
            scalars: 0,
            vectors: Vec::new(),
        }
    }

    /// True if a scalar instruction that reads and writes these registers can precede the vector instructions.
    fn can_precede(&self, read: ScalarSet, written: ScalarSet) -> bool {
        let exec: ScalarSet = pair(regs::EXEC_LO);
        let vector_written = self.vector.written();
        self.vectors.is_empty()
            || written & (self.vector.read() | vector_written | exec) == 0
                && read & vector_written == 0
    }

    /// Ends the current part of scalar instructions.
    fn end_scalars(&mut self, isa: Isa, mode: u32) {
        if self.scalars > 0 {
            let scalar = std::mem::replace(&mut self.scalar, Builder::new(isa, mode));
            self.front.push(Part::Scalar(scalar.finish()));
            self.scalars = 0;
        }
    }
}

impl<'s> Planner<'s> {
    /// Creates a planner for code that runs with MODE `mode`, with at most `most` vector instructions in a part.
    pub(super) fn new(isa: Isa, mode: u32, most: usize, variant: Variant) -> Planner<'s> {
        Planner {
            isa,
            mode,
            most,
            variant,
            phase: Phase::new(isa, mode),
            parts: Vec::new(),
            lowered: 0,
        }
    }

    /// Plans a block from its steps, except a final step that `exit` represents. If `exit` is `None`, the wave leaves
    /// the region before the last step unless that step has host code.
    pub(super) fn plan(
        mut self,
        steps: &'s [Step],
        start: usize,
        exit: Option<PlanExit>,
    ) -> BlockPlan {
        let mut done = 0;
        while let [step, ..] = &steps[done..] {
            if self.is_nothing(step) || self.add(done, step) {
                done += 1;
                continue;
            }
            if let Some(count) = self.add_indexed(done, &steps[done..], exit.is_none()) {
                done += count;
                continue;
            }
            let interpreted = interpreted(&steps[done..], exit.is_none());
            if interpreted == 0 {
                break;
            }
            self.end_phase();
            let own = &steps[done..done + interpreted];
            match self.parts.last_mut() {
                Some(Part::Interpreted(first, last)) if *first + last.len() == done => {
                    last.extend_from_slice(own);
                }
                _ => self.parts.push(Part::Interpreted(done, own.to_vec())),
            }
            done += interpreted;
        }
        self.end_phase();
        let exit = match (steps.get(done), exit) {
            (None, Some(exit)) => exit,
            (Some(step), _) => PlanExit::Leaves {
                next: step.index,
                executed: done,
            },
            (None, None) => PlanExit::Goes(steps.last().map_or(start, |last| last.following())),
        };
        let branches = usize::from(matches!(
            exit,
            PlanExit::Branch { .. } | PlanExit::Waits { .. }
        ));
        BlockPlan {
            start,
            instructions: steps.len() + branches,
            parts: self.parts,
            exit,
            lowered: self.lowered,
        }
    }

    /// True if the instruction has no effect and causes no events. Host code does not track wait counters.
    fn is_nothing(&self, step: &Step) -> bool {
        let is_nop = || step.inst.does() == Does::Control(Control::Nop);
        self.variant != Variant::Observed
            && (matches!(step.run, Executor::Wait(_))
                || matches!(step.run, Executor::Flow) && is_nop())
    }

    /// True if a step is a memory access that the variant may contain.
    fn compiles_access(&self, step: &Step) -> bool {
        let plan = step.memory.as_deref();
        match self.variant {
            // A cancelled access also has a plan.
            _ if !matches!(step.run, Executor::Memory) => false,
            Variant::Full => true,
            Variant::WithoutStores => plan.is_some_and(|plan| !plan.stores_outside_lds()),
            Variant::WithoutMemory | Variant::Observed => false,
        }
    }

    /// Adds a sequence of indexed moves, and returns its number of instructions; `None` if the steps do not start with
    /// one, or if `leaves_behind` is set and the block ends with the sequence.
    fn add_indexed(&mut self, number: usize, steps: &[Step], leaves_behind: bool) -> Option<usize> {
        if self.variant == Variant::Observed {
            return None;
        }
        let (moves, count) = IndexedMoves::new(steps)?;
        if leaves_behind && count == steps.len() {
            return None;
        }
        self.end_phase();
        let steps = steps[..count].to_vec();
        self.parts.push(Part::Indexed(moves, number, steps));
        self.lowered += count;
        Some(count)
    }

    fn add_scalar_load(&mut self, load: ScalarLoad, number: usize, step: &Step) {
        // The load may fault, so it must execute after earlier accesses.
        let precedes = !self.phase.vector.has_accesses()
            && self.phase.can_precede(load.read(), load.written());
        if !precedes {
            self.end_phase();
        }
        self.phase.end_scalars(self.isa, self.mode);
        let part = Part::ScalarLoad(load, number, step.clone());
        self.phase.front.push(part);
    }

    /// Adds an instruction to the current phase or to a new one. Returns false if the instruction cannot be lowered.
    fn add(&mut self, number: usize, step: &'s Step) -> bool {
        if self.compiles_access(step)
            && let Some(load) = step.memory.as_deref().and_then(ScalarLoad::new)
        {
            self.add_scalar_load(load, number, step);
            self.lowered += 1;
            return true;
        }
        if let Some(lane) = LaneMove::new(step) {
            self.end_phase();
            self.parts.push(Part::Lane(lane));
            self.lowered += 1;
            return true;
        }
        let is_added = match step.run {
            Executor::Scalar => {
                let mut alone = Builder::new(self.isa, self.mode);
                if !alone.add(step) {
                    return false;
                }
                if !self.phase.can_precede(alone.read(), alone.written()) {
                    self.end_phase();
                }
                self.phase.scalars += 1;
                self.phase.scalar.add(step)
            }
            Executor::Memory if !self.compiles_access(step) => false,
            Executor::Vector | Executor::Memory => {
                let is_full = self.phase.vectors.len() == self.most;
                if is_full || !self.phase.vector.add(step) {
                    let mut alone = Builder::new(self.isa, self.mode);
                    if !alone.add(step) {
                        return false;
                    }
                    self.end_phase();
                    self.phase.vector = alone;
                }
                self.phase.vectors.push((number, step));
                true
            }
            _ => false,
        };
        self.lowered += usize::from(is_added);
        is_added
    }

    fn end_phase(&mut self) {
        let next = Phase::new(self.isa, self.mode);
        let mut phase = std::mem::replace(&mut self.phase, next);
        phase.end_scalars(self.isa, self.mode);
        self.parts.append(&mut phase.front);
        if !phase.vectors.is_empty() {
            let steps = phase.vectors.into_iter();
            let steps = steps.map(|(number, step)| (number, step.clone())).collect();
            self.parts.push(Part::Vector(phase.vector.finish(), steps));
        }
    }
}

/// Number of steps to interpret: one, or a whole VGPR indexing sequence, so that MODE is unchanged after it. 0 if the
/// wave must leave the region first, because the sequence has no end or the step is the last one of a block without a
/// known exit.
fn interpreted(steps: &[Step], leaves_behind: bool) -> usize {
    let count = if indexing::switches(&steps[0].inst) {
        let is_off = |step: &Step| indexing::switches_off(&step.inst);
        match steps.iter().position(is_off) {
            Some(last) => last + 1,
            None => return 0,
        }
    } else {
        1
    };
    if leaves_behind && count == steps.len() {
        0
    } else {
        count
    }
}

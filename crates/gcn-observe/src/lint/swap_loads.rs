//! Plain loads that only feed a compare-and-swap.
//!
//! Compilers and programs expand atomics that the hardware lacks into a plain load and a compare-and-swap loop:
//! ```text
//! expected = *p                          // a plain load
//! do new = f(expected)
//!    old = compare_and_swap(p, expected, new)
//!    ...
//! ```
//! The load races with atomics of other waves. This is harmless, because a stale value makes the swap fail. The load counts
//! as part of the atomic if the following holds on every path from it to a compare-and-swap that compares with its value:
//! - the value only reaches data operands of that compare-and-swap, possibly through addresses of loads, and conditions;
//! - these conditions control no write to memory other than the compare-and-swap.
//!
//! If the compare-and-swap succeeds, memory contained the value. [`SwapLoads::compared`] returns the dwords with which
//! a compare-and-swap compares, so that a checker can verify that they come from the same address.
//!
//! Values are followed forward on all paths, through registers and stack slots. Conditions are recognized in the form
//! that compilers emit: an instruction that removes lanes from EXEC opens a region, an instruction that restores lanes
//! closes it, and the region of a scalar branch ends at its immediate post-dominator, where all its paths have met. A value
//! computed in a region counts as dependent on the load only once the region is closed. Return values are not followed
//! into callers.

use std::cell::Cell;
use std::collections::{BTreeMap, HashMap, HashSet, btree_map};

use gcn_emu::post_dominators::{EXIT, PostDominators};
use gcn_isa::effect::{AluOp, AtomicOp, Bitwise, Does};
use gcn_isa::uses::{RegisterUse, Registers, Unit, UnnumberedState, UseOrigin};
use gcn_isa::{Encoding, Field, Inst, Ty, regs};

use super::program::{LintStep, Next};

/// Maximum number of instructions visited per load.
const MOST_STEPS: usize = 1 << 12;
/// Maximum number of instructions visited for all loads of a kernel.
const MOST_STEPS_OF_ALL: usize = 1 << 20;

/// A loaded dword.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct LoadedDword {
    /// Address of the load instruction.
    pub(crate) load: u64,
    /// Index of the dword within the load.
    pub(crate) dword: u8,
}

/// Plain loads of a kernel that only feed compare-and-swaps.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct SwapLoads {
    loads: HashSet<u64>,
    compared: HashMap<u64, Vec<LoadedDword>>,
}

impl SwapLoads {
    /// Finds the loads among the reachable instructions.
    pub(super) fn of(steps: &[LintStep], has_scratch: bool) -> SwapLoads {
        let mut found = SwapLoads::default();
        if !steps.iter().any(|step| is_swap(step.inst.does())) {
            return found;
        }
        let nodes: HashMap<u64, usize> = (1..)
            .zip(steps)
            .map(|(node, step)| (step.pc, node))
            .collect();
        let successors: Vec<Vec<usize>> =
            steps.iter().map(|step| successors(step, &nodes)).collect();
        let code = SwapCode {
            steps,
            post_dominators: PostDominators::new(&successors),
            successors,
            has_scratch,
            budget: Cell::new(MOST_STEPS_OF_ALL),
        };
        for (number, step) in steps.iter().enumerate() {
            if !is_candidate(&step.inst) || code.slot(&step.inst).is_some() {
                continue;
            }
            let compared = code.follow(number).unwrap_or_default();
            for (swap, dword) in &compared {
                let load = LoadedDword {
                    load: step.pc,
                    dword: *dword,
                };
                found.compared.entry(*swap).or_default().push(load);
                found.loads.insert(step.pc);
            }
        }
        found
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.loads.is_empty()
    }

    /// True if the load at address `load` only feeds compare-and-swaps.
    pub(crate) fn contains(&self, load: u64) -> bool {
        self.loads.contains(&load)
    }

    /// Returns the loaded dwords with which the compare-and-swap at address `swap` compares: for 64 bits, the low dwords.
    pub(crate) fn compared(&self, swap: u64) -> &[LoadedDword] {
        self.compared.get(&swap).map_or(&[], Vec::as_slice)
    }
}

/// True for an integer compare-and-swap.
fn is_swap(does: Does) -> bool {
    matches!(
        does,
        Does::Atomic(AtomicOp::CompareSwap, Ty::B32 | Ty::B64)
            | Does::Return(AtomicOp::CompareSwap, Ty::B32 | Ty::B64)
    )
}

/// True for a load of whole dwords to registers, without GLC.
fn is_candidate(inst: &Inst) -> bool {
    let is_dwords = matches!(inst.does(), Does::Load(ty) if ty.bytes() >= 4);
    let is_coherent = inst.layout().has(Field::Glc) && inst.flag(Field::Glc);
    is_dwords && !is_coherent && !inst.loads_to_lds()
}

/// A location that may hold the loaded value.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Place {
    Vector(u8),
    Scalar(u8),
    Scc,
    /// A stack slot, given by frame register and offset.
    Slot(u8, u64),
}

/// Dependence of a value on the load.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Value {
    /// A loaded dword, by index.
    Loaded(u8),
    /// A value that depends on the load.
    Derived,
    /// A value that depends on the load through a region that is still open.
    Conditional,
}

impl Value {
    /// Joins the values of two paths.
    fn join(self, other: Value) -> Value {
        match (self, other) {
            (a, b) if a == b => a,
            (Value::Conditional, value @ Value::Loaded(_))
            | (value @ Value::Loaded(_), Value::Conditional) => value,
            _ => Value::Derived,
        }
    }
}

/// State of a path after the load.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
struct PathState {
    values: BTreeMap<Place, Value>,
    /// Number of open regions whose lanes depend on the load, including nested ones.
    regions: u8,
    /// [Position](PostDominators::position) of the instruction at which the paths of all branches that depend on the load have
    /// met. It post-dominates the next instruction; of two that do, the later one has the greater position.
    until: Option<usize>,
}

impl PathState {
    /// Joins the state of another path. Returns true if this state changed.
    fn join(&mut self, other: &PathState) -> bool {
        let before = (self.values.len(), self.regions, self.until);
        let mut changed = false;
        for (place, value) in &other.values {
            match self.values.entry(*place) {
                btree_map::Entry::Vacant(entry) => {
                    entry.insert(*value);
                }
                btree_map::Entry::Occupied(mut entry) => {
                    let joined = entry.get().join(*value);
                    changed |= entry.insert(joined) != joined;
                }
            }
        }
        self.regions = self.regions.max(other.regions);
        self.until = self.until.max(other.until);
        changed || before != (self.values.len(), self.regions, self.until)
    }

    /// True if the execution of the next instruction depends on the load.
    fn is_conditional(&self) -> bool {
        self.regions > 0 || self.until.is_some()
    }

    /// True if nothing depends on the load any longer.
    fn is_done(&self) -> bool {
        self.values.is_empty() && !self.is_conditional()
    }

    /// Returns the dependence of a location's value on the load, unless it is conditional.
    fn get(&self, place: Place) -> Option<Value> {
        self.values
            .get(&place)
            .copied()
            .filter(|value| *value != Value::Conditional)
    }

    /// Turns conditional values into derived values if no region is open.
    fn close(&mut self) {
        if self.is_conditional() {
            return;
        }
        for value in self
            .values
            .values_mut()
            .filter(|value| **value == Value::Conditional)
        {
            *value = Value::Derived;
        }
    }

    fn set(&mut self, place: Place, value: Option<Value>) {
        match value {
            Some(value) => self.values.insert(place, value),
            None => self.values.remove(&place),
        };
    }
}

/// Effect of an instruction on a path.
enum Effect {
    /// The path continues.
    Goes,
    /// A compare-and-swap compares with the loaded dword at this index, which ends the path.
    Swapped(u8),
    /// A value is used in another way, so that the load does not qualify.
    UsedOtherwise,
}

/// Instructions of a kernel.
struct SwapCode<'a> {
    steps: &'a [LintStep],
    /// Successors of each instruction. The instruction at index `n` is node `n + 1` of the control flow graph.
    successors: Vec<Vec<usize>>,
    post_dominators: PostDominators,
    has_scratch: bool,
    /// Number of instructions that may still be visited.
    budget: Cell<usize>,
}

impl SwapCode<'_> {
    /// Follows the value of a load. Returns the compare-and-swaps that compare with it, with the index of the dword;
    /// `None` if the value is used in another way, or the analysis is over budget.
    fn follow(&self, load: usize) -> Option<Vec<(u64, u8)>> {
        let mut swaps: Vec<(u64, u8)> = Vec::new();
        let mut begin = PathState::default();
        for (dword, place) in (0..).zip(written(&self.steps[load])) {
            begin.set(place, Some(Value::Loaded(dword)));
        }
        let mut states: HashMap<usize, PathState> = HashMap::new();
        let mut work: Vec<usize> = Vec::new();
        self.go_on(load, begin, &mut states, &mut work);
        let mut steps = MOST_STEPS;
        while let Some(number) = work.pop() {
            steps = steps.checked_sub(1)?;
            self.spend(1)?;
            let mut state = states.get(&number)?.clone();
            let step = &self.steps[number];
            if state.until == Some(self.post_dominators.position(number + 1)) {
                state.until = None;
                state.close();
            }
            match self.execute(number, &mut state) {
                Effect::UsedOtherwise => return None,
                Effect::Goes => self.go_on(number, state, &mut states, &mut work),
                Effect::Swapped(dword) => {
                    if !swaps.contains(&(step.pc, dword)) {
                        swaps.push((step.pc, dword));
                    }
                }
            }
        }
        Some(swaps)
    }

    /// Subtracts visited instructions from the budget; `None` if it is exceeded.
    fn spend(&self, steps: usize) -> Option<()> {
        self.budget.set(self.budget.get().checked_sub(steps)?);
        Some(())
    }

    /// Joins a state into the states of an instruction's successors.
    fn go_on(
        &self,
        number: usize,
        state: PathState,
        states: &mut HashMap<usize, PathState>,
        work: &mut Vec<usize>,
    ) {
        if state.is_done() {
            return;
        }
        for node in self.successors[number].iter().filter(|it| **it != EXIT) {
            let next = node - 1;
            let is_new = match states.entry(next) {
                std::collections::hash_map::Entry::Vacant(entry) => {
                    entry.insert(state.clone());
                    true
                }
                std::collections::hash_map::Entry::Occupied(mut entry) => {
                    entry.get_mut().join(&state)
                }
            };
            if is_new && !work.contains(&next) {
                work.push(next);
            }
        }
    }

    /// Returns the position of the instruction at which the paths of a branch have met, or that of the exit.
    fn meeting(&self, branch: usize) -> usize {
        let post = &self.post_dominators;
        post.position(post.immediate(branch + 1).unwrap_or(EXIT))
    }

    fn execute(&self, number: usize, state: &mut PathState) -> Effect {
        let step = &self.steps[number];
        let inst = &step.inst;
        if is_swap(inst.does()) {
            return swap(step, state);
        }
        if let Some(slot) = self.slot(inst) {
            return spill(step, slot, state);
        }
        let source = source(step, state);
        let memory = inst.uses().memory();
        let writes = memory.is_some_and(|it| !it.written.is_empty()) || inst.does() == Does::Export;
        if writes && (source.is_some() || state.is_conditional()) {
            return Effect::UsedOtherwise;
        }
        let leaves = match step.next {
            Next::Call { .. } | Next::Jump { link: Some(_), .. } => !state.is_done(),
            Next::Jump { link: None, .. } => source.is_some(),
            Next::Following | Next::End | Next::Branch { .. } => false,
        };
        let is_control = matches!(inst.does(), Does::Control(_));
        if source.is_some() && is_control || leaves {
            return Effect::UsedOtherwise;
        }
        if let (
            Some(_),
            Next::Branch {
                may_follow: true, ..
            },
        ) = (source, step.next)
        {
            state.until = state.until.max(Some(self.meeting(number)));
        }
        change_lanes(step, source.is_some(), state);
        state.close();
        let is_conditional = state.is_conditional() && inst.uses().unit() != Unit::Scalar;
        let moved = moved(step, state);
        let whole = written_whole(step);
        for (number, place) in written(step).enumerate() {
            let value = match &moved {
                Some(values) => values.get(number).copied().flatten(),
                None => source.map(|_| Value::Derived),
            };
            let value = value.or(is_conditional.then_some(Value::Conditional));
            if value.is_some() || whole {
                state.set(place, value);
            }
        }
        Effect::Goes
    }

    /// Returns the stack slot that an instruction stores or loads, unless it has a per-lane address.
    fn slot(&self, inst: &Inst) -> Option<Place> {
        let is_dword = matches!(inst.does(), Does::Load(ty) | Does::Store(ty) if ty.bytes() == 4);
        if !self.has_scratch || !is_dword || inst.encoding != Encoding::Mubuf {
            return None;
        }
        /// First register of the stack descriptor.
        const STACK: u64 = 0;
        let has_address = inst.flag(Field::Offen) || inst.flag(Field::Idxen);
        let has_address =
            has_address || inst.layout().has(Field::Addr64) && inst.flag(Field::Addr64);
        let is_stack = inst.get(Field::Srsrc) == STACK && !has_address;
        let frame = inst.get(Field::Soffset) as u8;
        is_stack.then(|| Place::Slot(frame, inst.get(Field::Offset)))
    }
}

/// Returns the nodes of an instruction's successors, given the nodes by address.
fn successors(step: &LintStep, nodes: &HashMap<u64, usize>) -> Vec<usize> {
    let node = |pc: u64| nodes.get(&pc).copied().unwrap_or(EXIT);
    let following = node(step.following());
    match step.next {
        Next::Following | Next::Call { .. } | Next::Jump { link: Some(_), .. } => vec![following],
        Next::End | Next::Jump { link: None, .. } => vec![EXIT],
        Next::Branch {
            to,
            may_follow: false,
        } => vec![node(to)],
        Next::Branch { to, .. } => vec![node(to), following],
    }
}

/// Handles a compare-and-swap.
fn swap(step: &LintStep, state: &PathState) -> Effect {
    let inst = &step.inst;
    let (mut new, mut compared) = (Vec::new(), Vec::new());
    let mut has_address = false;
    for it in step.uses.iter().map(|(it, _)| it).filter(|it| it.read != 0) {
        let places = places(it).map(|place| state.get(place));
        match field(inst, it) {
            // DS instructions have the comparison value first (errata E059, E090).
            Some(Field::Vdata) if inst.encoding == Encoding::Ds => compared.extend(places),
            Some(Field::Vdata1) => new.extend(places),
            Some(Field::Vdata | Field::Sdata) => {
                let all: Vec<_> = places.collect();
                let (first, second) = all.split_at(all.len() / 2);
                new.extend(first);
                compared.extend(second);
            }
            _ => has_address |= places.flatten().next().is_some(),
        }
    }
    let first = match compared.first() {
        Some(Some(Value::Loaded(dword))) => *dword,
        _ => {
            let is_used = new.iter().chain(&compared).any(Option::is_some);
            return match has_address || is_used || state.is_conditional() {
                true => Effect::UsedOtherwise,
                false => Effect::Goes,
            };
        }
    };
    let is_loaded = (first..)
        .zip(&compared)
        .all(|(dword, value)| *value == Some(Value::Loaded(dword)));
    match is_loaded && !has_address {
        true => Effect::Swapped(first),
        false => Effect::UsedOtherwise,
    }
}

/// Handles a store to a stack slot or a load from one.
fn spill(step: &LintStep, slot: Place, state: &mut PathState) -> Effect {
    if matches!(step.inst.does(), Does::Store(_)) {
        let is_data = |it: &&RegisterUse| field(&step.inst, it) == Some(Field::Vdata);
        let mut uses = step.uses.iter().map(|(it, _)| it);
        let data = uses.find(is_data).and_then(|it| places(it).next());
        let value = data.and_then(|place| state.values.get(&place).copied());
        state.set(slot, value);
    } else {
        let value = state.values.get(&slot).copied();
        for place in written(step) {
            state.set(place, value);
        }
    }
    Effect::Goes
}

/// Opens and closes regions at changes of EXEC.
fn change_lanes(step: &LintStep, depends: bool, state: &mut PathState) {
    let writes_exec = |(it, _): &(RegisterUse, _)| {
        let exec = Registers::Scalar {
            first: regs::EXEC_LO,
            count: 2,
        };
        it.written != 0 && it.registers == exec
    };
    if !step.uses.iter().any(writes_exec) {
        return;
    }
    match step.inst.does() {
        Does::Alu(AluOp::Bitwise(Bitwise::Or)) => {
            state.regions = state.regions.saturating_sub(1);
        }
        Does::Alu(AluOp::Move) => state.regions = depends.into(),
        // This switches to the other side of a condition.
        Does::Alu(AluOp::SaveExec(Bitwise::Or) | AluOp::Bitwise(Bitwise::Xor)) => {}
        Does::Alu(_) if step.inst.encoding == Encoding::Sop1 && state.regions > 0 => {
            state.regions = state.regions.saturating_add(1);
        }
        _ if depends => state.regions = state.regions.max(1),
        _ => {}
    }
}

/// Returns the dependence of the first source that depends on the load, ignoring the lane mask.
fn source(step: &LintStep, state: &PathState) -> Option<Value> {
    let reads = |(it, _): &&(RegisterUse, _)| it.read != 0 && it.source != UseOrigin::LaneMask;
    let read = step.uses.iter().filter(reads);
    let mut values = read
        .flat_map(|(it, _)| places(it))
        .filter_map(|place| state.get(place));
    values.next()
}

/// Returns the values written by a move, one per dword; `None` for other instructions.
fn moved(step: &LintStep, state: &PathState) -> Option<Vec<Option<Value>>> {
    let inst = &step.inst;
    let is_move = matches!(inst.does(), Does::Alu(AluOp::Move | AluOp::ReadFirstLane));
    let is_plain = matches!(
        inst.encoding,
        Encoding::Sop1 | Encoding::Vop1 | Encoding::Vop3
    );
    if !is_move
        || !is_plain
        || inst.layout().has(Field::DppCtrl)
        || inst.layout().has(Field::DstSel)
    {
        return None;
    }
    let is_source = |(it, _): &&(RegisterUse, _)| it.read != 0 && it.operand().is_some();
    let read = step.uses.iter().filter(is_source);
    let values = read.flat_map(|(it, _)| places(it));
    Some(values.map(|place| state.get(place)).collect())
}

/// Returns the field of a register operand.
fn field(inst: &Inst, it: &RegisterUse) -> Option<Field> {
    let slot = inst.row().slots().nth(it.operand()?)?;
    Some(slot.field)
}

/// Returns the locations that a register use covers.
fn places(it: &RegisterUse) -> impl Iterator<Item = Place> + use<> {
    let (registers, scc) = match it.registers {
        Registers::Vector { first, count } => (Some((first, count, true)), None),
        Registers::Scalar { first, count } => (Some((first, count, false)), None),
        Registers::State(UnnumberedState::Scc) => (None, Some(Place::Scc)),
        Registers::State(_) => (None, None),
    };
    let numbered = registers.into_iter().flat_map(|(first, count, is_vector)| {
        (0..count).map(move |number| {
            let register = first.wrapping_add(number);
            match is_vector {
                true => Place::Vector(register),
                false => Place::Scalar(register),
            }
        })
    });
    numbered.chain(scc)
}

/// Returns the locations that an instruction writes, except EXEC.
fn written(step: &LintStep) -> impl Iterator<Item = Place> {
    let is_written = |(it, _): &&(RegisterUse, _)| it.written != 0;
    let all = step
        .uses
        .iter()
        .filter(is_written)
        .flat_map(|(it, _)| places(it));
    all.filter(|place| !matches!(place, Place::Scalar(regs::EXEC_LO | regs::EXEC_HI)))
}

/// True if an instruction overwrites all bits of its destinations.
fn written_whole(step: &LintStep) -> bool {
    let mut written = step.uses.iter().filter(|(it, _)| it.written != 0);
    written.all(|(it, _)| match it.registers {
        Registers::Vector { .. } | Registers::Scalar { .. } => it.written == u32::MAX,
        Registers::State(_) => true,
    })
}

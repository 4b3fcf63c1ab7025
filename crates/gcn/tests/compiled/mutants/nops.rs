//! S_NOPs inserted by a compiler, reduced by one wait state.
//!
//! LLVM inserts them only where its hazard recognizer requires wait states, so each is needed on some path. `S_NOP n`
//! becomes `S_NOP n-1`; `S_NOP 0` is moved before the preceding instructions, where it separates nothing.

use std::collections::BTreeSet;

use gcn_isa::effect::{Condition, Control, Does};
use gcn_isa::uses::{RegisterUse, Registers, Unit, UnnumberedState, UsedLanes};
use gcn_isa::{Encoding, Field, Inst};
use gcn_object::CodeObject;

use super::subject::set_words;

/// Number of instructions that an S_NOP is moved over, larger than any hazard.
const MOVED_OVER: usize = 6;

/// Number of wait states required between an instruction that writes a VGPR and a DPP instruction that reads it.
const MOST_OF_DPP: usize = 2;

/// Change that removes a wait state.
pub struct Change {
    /// Address of the S_NOP, as linked.
    pub pc: u64,
    /// Address of the instruction that needs the wait state.
    pub before: u64,
    /// True if the block has as many preceding instructions as a hazard may span, so that the block alone determines
    /// the need.
    pub is_in_block: bool,
    /// True if the S_NOP moves within its block instead of becoming shorter. A hazard that starts in another block then
    /// has as many wait states as before.
    pub is_moved: bool,
    /// Reason why LLVM may have inserted S_NOP although hardware does not need it.
    pub other: Option<Other>,
    /// Address and words of the change.
    words: (u64, Vec<u32>),
}

/// Reason why LLVM inserts S_NOP where this project does not require it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Other {
    /// S_NOP between two accesses of one unit, which may be replayed after a fault (XNACK) and then read their
    /// addresses again.
    Replay,
    /// LLVM treats the destination of DPP as a source too (errata E252), and only the destination was written before.
    DppDestination,
}

impl Change {
    /// Applies the change to a file.
    pub fn apply(&self, file: &mut [u8], object: &CodeObject<'_>) {
        set_words(file, object, self.words.0, &self.words.1);
    }
}

/// Wait states of S_NOP minus one; `None` for other instructions.
fn number(inst: &Inst) -> Option<u64> {
    let is_nop = inst.does() == Does::Control(Control::Nop);
    is_nop.then(|| inst.get(Field::Simm16))
}

/// True for an instruction that may branch, or depends on its own address: an S_NOP must not be moved over it.
fn is_fixed(inst: &Inst) -> bool {
    let uses = inst.uses();
    let is_pc = |it: RegisterUse| it.registers == Registers::State(UnnumberedState::Pc);
    uses.leaves_sequence() || uses.registers().any(is_pc)
}

/// True if execution does not fall through.
fn ends_path(inst: &Inst) -> bool {
    match inst.does() {
        Does::Jump => inst
            .uses()
            .registers()
            .all(|it| it.operand().is_none() || it.written == 0),
        Does::Branch(condition) => condition == Condition::Always,
        Does::Control(control) => control == Control::End,
        _ => false,
    }
}

/// True if `next` uses DPP, and none of the preceding instructions writes a register that it reads from other lanes.
fn is_for_destination<'a>(mut in_front: impl Iterator<Item = &'a Inst>, next: &Inst) -> bool {
    let read = next.uses().registers();
    let read: Vec<RegisterUse> = read
        .filter(|it| it.lanes == UsedLanes::Crossing && it.read != 0)
        .collect();
    let is_dpp = matches!(next.encoding, Encoding::Vop1Dpp | Encoding::Vop2Dpp);
    is_dpp
        && !in_front.any(|inst| {
            let mut written = inst.uses().registers().filter(|it| it.written != 0);
            written.any(|it| read.iter().any(|read| read.overlaps(&it)))
        })
}

/// Changes for the code of a section, whose branches go to `targets`.
pub fn changes(code: &[(u64, Inst)], targets: &BTreeSet<u64>) -> Vec<Change> {
    let mut found = Vec::new();
    let mut is_reached = true;
    for (place, (pc, inst)) in code.iter().enumerate() {
        is_reached |= targets.contains(pc);
        let next = code.get(place + 1);
        let was_reached = is_reached;
        is_reached &= !ends_path(inst);
        let (Some(number), true, Some((before, next))) = (number(inst), was_reached, next) else {
            continue;
        };
        if self::number(next).is_some() {
            continue;
        }
        // Preceding instructions of the block, last one first.
        let in_front = code[..place].iter().rev();
        let mut is_open = !targets.contains(pc);
        let in_front = in_front.take_while(|(pc, inst)| {
            let is_here = is_open && !is_fixed(inst);
            is_open = !targets.contains(pc);
            is_here
        });
        let in_front: Vec<&(u64, Inst)> = in_front.take(MOVED_OVER).collect();
        let is_in_block = in_front.len() == MOVED_OVER;
        let unit = |inst: &Inst| match inst.uses().unit() {
            Unit::VectorMemory | Unit::Flat => Some(Unit::VectorMemory),
            unit => (unit == Unit::ScalarMemory).then_some(unit),
        };
        let last = in_front.first().and_then(|(_, inst)| unit(inst));
        let other = if number == 0 && last.is_some() && last == unit(next) {
            Some(Other::Replay)
        } else {
            let in_front = in_front.iter().map(|(_, inst)| inst);
            is_for_destination(in_front.take(MOST_OF_DPP), next).then_some(Other::DppDestination)
        };
        let words = |inst: &Inst| inst.words()[..inst.dwords()].to_vec();
        let changed = if number > 0 {
            let mut less = *inst;
            less.set(Field::Simm16, number as i64 - 1)
                .expect("it is less than it was");
            (*pc, words(&less))
        } else {
            let first = in_front.last().map_or(*pc, |(pc, _)| *pc);
            let moved = in_front.iter().rev().flat_map(|(_, inst)| words(inst));
            (first, words(inst).into_iter().chain(moved).collect())
        };
        found.push(Change {
            pc: *pc,
            before: *before,
            is_in_block,
            is_moved: number == 0,
            other,
            words: changed,
        });
    }
    found
}

//! Host function of a region: its blocks and the jumps between them.
//!
//! The function jumps to the block that the frame names. It returns when the wave leaves the region, waits or ends, or
//! when fewer instructions are left than the next block has.

use std::mem::offset_of;

use gcn_isa::effect::Condition;
use gcn_isa::{Isa, regs};
use hashbrown::HashMap;
use iced_x86::code_asm::{
    CodeLabel, dword_ptr, eax, edx, esi, qword_ptr, r8d, r12, r13, r14, r15, rax, rbp, rbx, rcx,
    rdi, rdx, rsp,
};

use super::access::Access;
use super::encode::encode;
use super::frame::{Frame, Item};
use super::host::{Row, Width};
use super::interface::PlanExit;
use super::lower::Denormals;
use super::places::{Assembly, EmitError, SLOTS, scalar};
use super::plan::{BlockPlan, Part};
use crate::wave::Waiting;

/// Host function of a region.
#[derive(Debug)]
pub(super) struct Function {
    pub(super) code: Vec<u8>,
    pub(super) constants: Vec<Row>,
    pub(super) width: Width,
    pub(super) accesses: Vec<Access>,
    /// Offset of each block's code.
    pub(super) entries: Vec<usize>,
}

/// Size of the smallest host page in bytes.
const PAGE: usize = 1 << 12;
/// Size in bytes of the registers that a function saves below RBP.
const SAVED: i32 = 40;

/// Emitter of a function.
struct Emitter<'p> {
    code: Assembly,
    /// Labels of the blocks, by the index of their first dword.
    blocks: HashMap<usize, CodeLabel>,
    /// Index of each block's first host instruction.
    entries: Vec<usize>,
    epilogue: CodeLabel,
    /// Cold code, emitted after the blocks.
    cold: Vec<Cold>,
    items: &'p mut Vec<Item>,
}

/// Cold code with its label.
enum Cold {
    /// Lets the interpreter finish a part, and continues after it.
    Finish(CodeLabel, u32, bool, CodeLabel),
    /// Finds the window of a scalar load, or lets the interpreter execute the load. The labels mark this code, the load
    /// and the code after it.
    FindForScalars([CodeLabel; 3], u32, u32),
    /// Lets the interpreter execute an item, and continues after it.
    Interpret(CodeLabel, u32, CodeLabel),
    /// Leaves the region and continues at the dword with this index.
    Leave(CodeLabel, usize),
}

/// Emits a function for a list of blocks, and adds the items that the interpreter may have to execute.
pub(super) fn emit(
    plans: Vec<BlockPlan>,
    isa: Isa,
    items: &mut Vec<Item>,
) -> Result<Function, EmitError> {
    let mut code = Assembly::new(isa < Isa::Gfx9)?;
    let labels = plans
        .iter()
        .map(|plan| (plan.start, code.asm.create_label()));
    let mut emitter = Emitter {
        blocks: labels.collect(),
        entries: Vec::with_capacity(plans.len()),
        epilogue: code.asm.create_label(),
        code,
        cold: Vec::new(),
        items,
    };
    emitter.prologue()?;
    let starts: Vec<usize> = plans.iter().map(|plan| plan.start).collect();
    for (number, plan) in plans.into_iter().enumerate() {
        emitter.block(plan, starts.get(number + 1).copied())?;
    }
    emitter.cold()?;
    emitter.epilogue()?;
    emitter.code.emit_helpers()?;
    let Emitter { code, entries, .. } = emitter;
    let (bytes, entries) = encode(code.asm.instructions(), &entries)?;
    Ok(Function {
        entries,
        code: bytes,
        constants: code.constants,
        width: code.width,
        accesses: code.accesses,
    })
}

impl Emitter<'_> {
    fn prologue(&mut self) -> Result<(), EmitError> {
        let slot = self.code.width.bytes();
        let asm = &mut self.code.asm;
        asm.push(rbp)?;
        asm.mov(rbp, rsp)?;
        for register in [rbx, r12, r13, r14, r15] {
            asm.push(register)?;
        }
        // Touch each page, so that a stack overflow faults in the guard page.
        for distance in (PAGE..SLOTS * slot).step_by(PAGE) {
            asm.mov(eax, dword_ptr(rbp - distance as i32))?;
        }
        asm.sub(rsp, (SLOTS * slot) as i32)?;
        asm.and(rsp, -(slot as i32))?;
        asm.mov(r14, rdi)?;
        asm.mov(rbx, qword_ptr(r14 + offset_of!(Frame, vgprs)))?;
        asm.mov(r12, qword_ptr(r14 + offset_of!(Frame, scalars)))?;
        asm.mov(r13, qword_ptr(r14 + offset_of!(Frame, constants)))?;
        asm.mov(r15, qword_ptr(r14 + offset_of!(Frame, left)))?;
        asm.jmp(qword_ptr(r14 + offset_of!(Frame, entry)))?;
        Ok(())
    }

    /// Restores the host registers and returns EAX.
    fn epilogue(&mut self) -> Result<(), EmitError> {
        let asm = &mut self.code.asm;
        asm.set_label(&mut self.epilogue)?;
        asm.mov(qword_ptr(r14 + offset_of!(Frame, left)), r15)?;
        asm.vzeroupper()?;
        asm.lea(rsp, qword_ptr(rbp - SAVED))?;
        for register in [r15, r14, r13, r12, rbx, rbp] {
            asm.pop(register)?;
        }
        asm.ret()?;
        Ok(())
    }

    fn block(&mut self, plan: BlockPlan, next: Option<usize>) -> Result<(), EmitError> {
        let label = self.blocks.get_mut(&plan.start);
        if let Some(label) = label {
            self.code.asm.set_label(label)?;
        }
        self.entries.push(self.code.asm.instructions().len());
        let instructions = plan.instructions as i32;
        let too_long = self.leave_at(plan.start);
        self.code.asm.cmp(r15, instructions)?;
        self.code.asm.jb(too_long)?;
        for part in plan.parts {
            self.part(part)?;
        }
        match plan.exit {
            PlanExit::Leaves { next, executed } => {
                self.code.asm.sub(r15, executed as i32)?;
                let leave = self.leave_at(next);
                self.code.asm.jmp(leave)?;
            }
            PlanExit::Waits { waiting, following } => {
                self.code.asm.sub(r15, instructions)?;
                if waiting == Waiting::Barrier {
                    let target = self.target(following);
                    let is_alone = dword_ptr(r14 + offset_of!(Frame, is_alone));
                    self.code.asm.cmp(is_alone, 0)?;
                    self.code.asm.jne(target)?;
                }
                let to = qword_ptr(r14 + offset_of!(Frame, waiting));
                self.code.asm.mov(to, waiting as i32)?;
                let leave = self.leave_at(following);
                self.code.asm.jmp(leave)?;
            }
            PlanExit::Goes(target) => {
                self.code.asm.sub(r15, instructions)?;
                self.goes(target, next)?;
            }
            PlanExit::Branch {
                condition,
                target,
                following,
                last,
            } => {
                self.code.asm.sub(r15, instructions)?;
                let mut falls_through = self.code.asm.create_label();
                self.skip_unless(condition, falls_through)?;
                if condition != Condition::Debugger {
                    self.code.asm.mov(rax, last as u64)?;
                    self.code
                        .asm
                        .mov(qword_ptr(r14 + offset_of!(Frame, branch)), rax)?;
                    let target = self.target(target);
                    self.code.asm.jmp(target)?;
                }
                self.code.asm.set_label(&mut falls_through)?;
                self.code.asm.zero_bytes()?;
                if condition != Condition::Always {
                    self.goes(following, next)?;
                }
            }
        }
        Ok(())
    }

    /// Jumps to a label unless a condition holds.
    fn skip_unless(&mut self, condition: Condition, label: CodeLabel) -> Result<(), EmitError> {
        let asm = &mut self.code.asm;
        let mut compare = |register| asm.cmp(qword_ptr(scalar(register)), 0);
        match condition {
            Condition::Always => return Ok(()),
            Condition::Debugger => return Ok(asm.jmp(label)?),
            Condition::Scc0 | Condition::Scc1 => {
                asm.cmp(dword_ptr(r14 + offset_of!(Frame, scc)), 0)?;
            }
            Condition::VccZero | Condition::VccNotZero => compare(regs::VCC_LO)?,
            Condition::ExecZero | Condition::ExecNotZero => compare(regs::EXEC_LO)?,
        }
        match condition {
            Condition::Scc0 | Condition::VccZero | Condition::ExecZero => asm.jne(label)?,
            _ => asm.je(label)?,
        }
        Ok(())
    }

    fn goes(&mut self, target: usize, next: Option<usize>) -> Result<(), EmitError> {
        if next != Some(target) {
            let target = self.target(target);
            self.code.asm.jmp(target)?;
        }
        Ok(())
    }

    /// Label of a block, or of an exit to it if the block is outside the region.
    fn target(&mut self, start: usize) -> CodeLabel {
        match self.blocks.get(&start) {
            Some(label) => *label,
            None => self.leave_at(start),
        }
    }

    fn leave_at(&mut self, next: usize) -> CodeLabel {
        let label = self.code.asm.create_label();
        self.cold.push(Cold::Leave(label, next));
        label
    }

    fn part(&mut self, part: Part) -> Result<(), EmitError> {
        match part {
            Part::Scalar(lowered) => self.code.scalar(&lowered)?,
            Part::Lane(lane) => self.code.move_lane(lane)?,
            Part::Indexed(moves, number, steps) => {
                let (outside, mut behind) =
                    (self.code.asm.create_label(), self.code.asm.create_label());
                self.code.move_indexed(&moves, outside)?;
                self.code.asm.set_label(&mut behind)?;
                self.code.asm.zero_bytes()?;
                let item = self.item(Item::Interpreted(number, steps.into()));
                self.cold.push(Cold::Interpret(outside, item, behind));
            }
            Part::Vector(lowered, steps) => {
                let (guarded, mut behind) =
                    (self.code.asm.create_label(), self.code.asm.create_label());
                self.code.vector(&lowered, guarded)?;
                self.code.asm.set_label(&mut behind)?;
                self.code.asm.zero_bytes()?;
                if lowered.may_fail() {
                    let flushes = lowered.denormals == Some(Denormals::Flushed);
                    let masks = lowered.masks.keys().copied().collect();
                    let item = self.item(Item::Vector(steps.into(), masks));
                    self.cold.push(Cold::Finish(guarded, item, flushes, behind));
                }
            }
            Part::ScalarLoad(load, number, step) => {
                let (missed, found, mut behind) = (
                    self.code.asm.create_label(),
                    self.code.asm.create_label(),
                    self.code.asm.create_label(),
                );
                let access = self.code.accesses.len() as u32;
                self.code.load_scalars(load, (missed, found))?;
                self.code.asm.set_label(&mut behind)?;
                self.code.asm.zero_bytes()?;
                let item = self.item(Item::Interpreted(number, [step].into()));
                let labels = [missed, found, behind];
                self.cold.push(Cold::FindForScalars(labels, access, item));
            }
            Part::Interpreted(number, steps) => {
                let item = self.item(Item::Interpreted(number, steps.into()));
                self.interpret(item)?;
            }
        }
        Ok(())
    }

    /// Lets the interpreter execute an item.
    fn interpret(&mut self, item: u32) -> Result<(), EmitError> {
        self.code.asm.mov(rdx, r15)?;
        self.call(item, offset_of!(Frame, interpret))?;
        self.code.asm.test(eax, eax)?;
        self.code.asm.jne(self.epilogue)?;
        Ok(())
    }

    /// Calls the function pointer at offset `function` of the frame. Arguments other than the item are in RDX and RCX.
    fn call(&mut self, item: u32, function: usize) -> Result<(), EmitError> {
        let asm = &mut self.code.asm;
        asm.vzeroupper()?;
        asm.mov(rdi, r14)?;
        asm.mov(esi, item)?;
        asm.call(qword_ptr(r14 + function))?;
        Ok(())
    }

    fn item(&mut self, item: Item) -> u32 {
        self.items.push(item);
        self.items.len() as u32 - 1
    }

    fn cold(&mut self) -> Result<(), EmitError> {
        for cold in std::mem::take(&mut self.cold) {
            match cold {
                Cold::Leave(mut label, next) => {
                    self.code.asm.set_label(&mut label)?;
                    self.code.asm.mov(rax, next as u64)?;
                    self.code
                        .asm
                        .mov(qword_ptr(r14 + offset_of!(Frame, next)), rax)?;
                    self.code.asm.xor(eax, eax)?;
                    self.code.asm.jmp(self.epilogue)?;
                }
                Cold::FindForScalars([mut label, found, behind], access, item) => {
                    let asm = &mut self.code.asm;
                    asm.set_label(&mut label)?;
                    asm.vzeroupper()?;
                    asm.mov(rdi, r14)?;
                    asm.mov(esi, access)?;
                    asm.call(qword_ptr(r14 + offset_of!(Frame, find_for_scalars)))?;
                    // The function returns the address.
                    asm.mov(rdx, rax)?;
                    asm.test(rax, rax)?;
                    asm.jne(found)?;
                    self.interpret(item)?;
                    self.code.asm.jmp(behind)?;
                }
                Cold::Interpret(mut label, item, behind) => {
                    self.code.asm.set_label(&mut label)?;
                    self.interpret(item)?;
                    self.code.asm.jmp(behind)?;
                }
                Cold::Finish(mut label, item, flushes, behind) => {
                    self.code.asm.set_label(&mut label)?;
                    if flushes {
                        self.code.usual_mxcsr()?;
                    }
                    self.code.asm.mov(edx, r8d)?;
                    self.code.asm.mov(rcx, r15)?;
                    self.call(item, offset_of!(Frame, finish))?;
                    self.code.asm.test(eax, eax)?;
                    self.code.asm.jne(self.epilogue)?;
                    self.code.asm.jmp(behind)?;
                }
            }
        }
        Ok(())
    }
}

//! Scalar instructions in the host's general registers. Dwords of the graph that form a 64-bit number, for example a
//! mask, are computed together.
//!
//! A part is planned first. If it needs more registers or an operation that is not supported here, its code uses vector
//! registers instead (`emit`).

mod plan;

use std::mem::offset_of;

use gcn_isa::effect::Shift;
use hashbrown::HashMap;
use iced_x86::code_asm::{
    AsmMemoryOperand, AsmRegister8, AsmRegister32, AsmRegister64, CodeAssembler, dword_ptr, eax,
    qword_ptr, r14, rax, registers,
};

use super::frame::Frame;
use super::graph::{Binary, Graph, Op};
use super::lower::Lowered;
use super::mutation;
use super::places::{Assembly, EmitError, scalar};
use plan::{Node, Operation, Plan, REGISTERS, Store, Value};

/// Registers for nodes. RAX is a scratch register.
const BITS8: [AsmRegister8; REGISTERS] = {
    use registers::*;
    [cl, dl, sil, dil, r8b, r9b, r10b, r11b]
};
const BITS32: [AsmRegister32; REGISTERS] = {
    use registers::*;
    [ecx, edx, esi, edi, r8d, r9d, r10d, r11d]
};
const BITS64: [AsmRegister64; REGISTERS] = {
    use registers::*;
    [rcx, rdx, rsi, rdi, r8, r9, r10, r11]
};

/// Operand of an instruction.
#[derive(Clone, Copy)]
enum Operand {
    Register(usize),
    Memory(AsmMemoryOperand),
    Constant(u64),
}

/// Emitter of a plan.
struct Emitter<'a> {
    asm: &'a mut CodeAssembler,
    graph: &'a Graph,
    registers: HashMap<Value, usize>,
}

impl Assembly {
    /// Emits scalar instructions with general registers. Returns false, and emits nothing, if that is not possible.
    pub(super) fn scalar_in_general_registers(
        &mut self,
        lowered: &Lowered,
    ) -> Result<bool, EmitError> {
        let Some(Plan { nodes, stores, scc }) = plan::plan(lowered) else {
            return Ok(false);
        };
        let mut emitter = Emitter {
            asm: &mut self.asm,
            graph: &lowered.graph,
            registers: nodes.iter().map(|it| (it.value, it.register)).collect(),
        };
        for (position, stores) in stores.iter().enumerate() {
            if let Some(node) = nodes.get(position) {
                emitter.node(node)?;
                emitter.mutate(node)?;
            }
            for store in stores {
                emitter.store(store)?;
            }
        }
        if let (Some(result), Some(value)) = (lowered.scc, scc) {
            emitter.load_scratch(value)?;
            emitter.asm.and(eax, 1)?;
            if result.is_inverted {
                emitter.asm.xor(eax, 1)?;
            }
            let to = dword_ptr(r14 + offset_of!(Frame, scc));
            emitter.asm.mov(to, eax)?;
        }
        Ok(true)
    }
}

/// Emits an instruction on a register and an [`Operand`], both 32-bit or both 64-bit.
macro_rules! with_operand {
    ($self:ident, $name:ident, $is_wide:expr, $to:expr, $operand:expr) => {
        match ($is_wide, $operand) {
            (false, Operand::Register(b)) => $self.asm.$name(BITS32[$to], BITS32[b])?,
            (false, Operand::Memory(b)) => $self.asm.$name(BITS32[$to], dword_ptr(b))?,
            (false, Operand::Constant(b)) => $self.asm.$name(BITS32[$to], b as i32)?,
            (true, Operand::Register(b)) => $self.asm.$name(BITS64[$to], BITS64[b])?,
            (true, Operand::Memory(b)) => $self.asm.$name(BITS64[$to], qword_ptr(b))?,
            (true, Operand::Constant(b)) => {
                $self.asm.mov(rax, b)?;
                $self.asm.$name(BITS64[$to], rax)?;
            }
        }
    };
}

impl Emitter<'_> {
    fn operand(&self, value: Value) -> Result<Operand, EmitError> {
        if let Some(register) = self.registers.get(&value) {
            return Ok(Operand::Register(*register));
        }
        let (low, high) = match value {
            Value::Dword(id) => (id, None),
            Value::Pair(low, high) => (low, Some(self.graph.op(high))),
        };
        match (self.graph.op(low), high) {
            (Op::Const(low), Some(Op::Const(high))) => Ok(Operand::Constant(
                u64::from(low) | u64::from(high) << u32::BITS,
            )),
            (Op::Const(value), None) => Ok(Operand::Constant(value.into())),
            (Op::Scalar(register), _) => Ok(Operand::Memory(scalar(register))),
            _ => Err(EmitError::Slots),
        }
    }

    /// Copies a value to a register, unless it is already there.
    fn load(&mut self, to: usize, value: Value) -> Result<(), EmitError> {
        let is_wide = matches!(value, Value::Pair(..));
        match self.operand(value)? {
            Operand::Register(from) if from == to => {}
            Operand::Constant(value) if is_wide => self.asm.mov(BITS64[to], value)?,
            Operand::Constant(value) => self.asm.mov(BITS32[to], value as u32)?,
            operand => with_operand!(self, mov, is_wide, to, operand),
        }
        Ok(())
    }

    /// Copies a value to RAX, zero-extended.
    fn load_scratch(&mut self, value: Value) -> Result<(), EmitError> {
        let is_wide = matches!(value, Value::Pair(..));
        match (self.operand(value)?, is_wide) {
            (Operand::Register(from), false) => self.asm.mov(eax, BITS32[from])?,
            (Operand::Register(from), true) => self.asm.mov(rax, BITS64[from])?,
            (Operand::Memory(from), false) => self.asm.mov(eax, dword_ptr(from))?,
            (Operand::Memory(from), true) => self.asm.mov(rax, qword_ptr(from))?,
            (Operand::Constant(value), _) => self.asm.mov(rax, value)?,
        }
        Ok(())
    }

    fn node(&mut self, node: &Node) -> Result<(), EmitError> {
        let to = node.register;
        let (to32, to64) = (BITS32[to], BITS64[to]);
        let is_wide = matches!(node.value, Value::Pair(..));
        match (node.operation, &*node.sources) {
            (Operation::Copy, [a]) => self.load(to, *a)?,
            (Operation::Scc, _) => {
                let scc = dword_ptr(r14 + offset_of!(Frame, scc));
                self.asm.xor(to32, to32)?;
                self.asm.sub(to32, scc)?;
            }
            (Operation::ShiftBy(how, by), [a]) => {
                self.load(to, *a)?;
                let by = u32::from(by);
                match how {
                    Shift::Left => self.asm.shl(to32, by)?,
                    Shift::Right => self.asm.shr(to32, by)?,
                    Shift::Arithmetic => self.asm.sar(to32, by)?,
                }
            }
            (Operation::Rotate(by), [a]) => {
                self.load(to, *a)?;
                self.asm.rol(to32, u32::from(by))?;
            }
            (Operation::IsZero, [a]) => {
                self.load_scratch(*a)?;
                self.asm.test(rax, rax)?;
                self.asm.sete(BITS8[to])?;
                self.mask(to)?;
            }
            (Operation::MulHigh, [a, b]) => {
                self.load(to, *a)?;
                self.load_scratch(*b)?;
                self.asm.imul_2(to64, rax)?;
                self.asm.shr(to64, u32::BITS)?;
            }
            (Operation::MulHighSigned, [a, b]) => {
                self.load(to, *a)?;
                self.load_scratch(*b)?;
                self.asm.movsxd(to64, to32)?;
                self.asm.movsxd(rax, eax)?;
                self.asm.imul_2(to64, rax)?;
                self.asm.shr(to64, u32::BITS)?;
            }
            (Operation::Select, [mask, one, other]) => {
                // The moves leave the flags unchanged.
                self.load_scratch(*mask)?;
                self.asm.test(eax, eax)?;
                self.load(to, *other)?;
                match (self.operand(*one)?, is_wide) {
                    (Operand::Register(one), true) => self.asm.cmovs(to64, BITS64[one])?,
                    (Operand::Register(one), false) => self.asm.cmovs(to32, BITS32[one])?,
                    _ => {
                        self.load_scratch(*one)?;
                        self.asm.cmovs(to64, rax)?;
                    }
                }
            }
            (Operation::Binary(binary), [a, b]) => self.binary(binary, to, *a, *b, is_wide)?,
            _ => return Err(EmitError::Slots),
        }
        Ok(())
    }

    fn binary(
        &mut self,
        binary: Binary,
        to: usize,
        a: Value,
        b: Value,
        is_wide: bool,
    ) -> Result<(), EmitError> {
        let (to32, to64) = (BITS32[to], BITS64[to]);
        self.load(to, a)?;
        let b_operand = self.operand(b)?;
        match binary {
            Binary::Add => with_operand!(self, add, is_wide, to, b_operand),
            Binary::Sub => with_operand!(self, sub, is_wide, to, b_operand),
            Binary::And => with_operand!(self, and, is_wide, to, b_operand),
            Binary::Or => with_operand!(self, or, is_wide, to, b_operand),
            Binary::Xor => with_operand!(self, xor, is_wide, to, b_operand),
            Binary::AndNot => {
                if is_wide {
                    self.asm.not(to64)?;
                } else {
                    self.asm.not(to32)?;
                }
                with_operand!(self, and, is_wide, to, b_operand);
            }
            Binary::Mul => {
                self.load_scratch(b)?;
                self.asm.imul_2(to32, eax)?;
            }
            Binary::Shl => {
                self.load_scratch(b)?;
                self.asm.shlx(to64, to64, rax)?;
                self.asm.mov(to32, to32)?;
            }
            Binary::Shr => {
                self.load_scratch(b)?;
                self.asm.shrx(to64, to64, rax)?;
            }
            Binary::Sar => {
                self.load_scratch(b)?;
                self.asm.movsxd(to64, to32)?;
                self.asm.sarx(to64, to64, rax)?;
                self.asm.mov(to32, to32)?;
            }
            Binary::MinSigned | Binary::MaxSigned | Binary::MinUnsigned | Binary::MaxUnsigned => {
                self.load_scratch(b)?;
                self.asm.cmp(to32, eax)?;
                match binary {
                    Binary::MinSigned => self.asm.cmovg(to32, eax)?,
                    Binary::MaxSigned => self.asm.cmovl(to32, eax)?,
                    Binary::MinUnsigned => self.asm.cmova(to32, eax)?,
                    _ => self.asm.cmovb(to32, eax)?,
                }
            }
            Binary::Equal | Binary::Greater | Binary::AtLeast => {
                with_operand!(self, cmp, is_wide, to, b_operand);
                match binary {
                    Binary::Equal => self.asm.sete(BITS8[to])?,
                    Binary::Greater => self.asm.setg(BITS8[to])?,
                    _ => self.asm.setae(BITS8[to])?,
                }
                self.mask(to)?;
            }
            _ => return Err(EmitError::Slots),
        }
        Ok(())
    }

    /// Expands the condition in a register's low byte to a mask.
    fn mask(&mut self, to: usize) -> Result<(), EmitError> {
        self.asm.movzx(BITS32[to], BITS8[to])?;
        self.asm.neg(BITS32[to])?;
        Ok(())
    }

    fn store(&mut self, store: &Store) -> Result<(), EmitError> {
        let to = scalar(store.register);
        let Some(high) = store.high else {
            let is_wide = matches!(store.value, Value::Pair(..));
            match (self.operand(store.value)?, is_wide) {
                (Operand::Register(from), true) => self.asm.mov(qword_ptr(to), BITS64[from])?,
                (Operand::Register(from), false) => self.asm.mov(dword_ptr(to), BITS32[from])?,
                (Operand::Constant(value), false) => self.asm.mov(dword_ptr(to), value as i32)?,
                (_, true) => {
                    self.load_scratch(store.value)?;
                    self.asm.mov(qword_ptr(to), rax)?;
                }
                (Operand::Memory(_), false) => {
                    self.load_scratch(store.value)?;
                    self.asm.mov(dword_ptr(to), eax)?;
                }
            }
            return Ok(());
        };
        // If possible, one store writes the pair, so that a later 64-bit load is forwarded from it.
        self.load_scratch(high)?;
        if let Operand::Register(low) = self.operand(store.value)? {
            self.asm.shl(rax, u32::BITS)?;
            self.asm.or(rax, BITS64[low])?;
            self.asm.mov(qword_ptr(to), rax)?;
        } else {
            self.asm.mov(dword_ptr(to + size_of::<u32>()), eax)?;
            self.load_scratch(store.value)?;
            self.asm.mov(dword_ptr(to), eax)?;
        }
        Ok(())
    }

    /// Corrupts a value as the emitter of vector instructions does.
    fn mutate(&mut self, node: &Node) -> Result<(), EmitError> {
        let (Value::Dword(id) | Value::Pair(id, _)) = node.value;
        if mutation::is_mutated(|| self.graph.op(id).name()) {
            self.asm.mov(eax, 1u32 << 31 | 1)?;
            self.asm.xor(BITS32[node.register], eax)?;
        }
        Ok(())
    }
}

//! Host code of a graph, for AVX2: a loop over slices of eight lanes, with the values of a slice in the host's registers.
//!
//! Registers are given out as the operations come. If none is free, the value that is used last of all gives its own up: it is read
//! again from the wave if it is a register's, else from a slot on the stack.
//!
//! The code is a function of the vector registers, the scalar registers and the constants' addresses. It returns the number of slices
//! that it has computed: fewer than there are if one has a lane that is guarded, and of that slice nothing is written.

use std::collections::VecDeque;

use gcn_isa::effect::Shift;
use gcn_isa::regs;
use iced_x86::IcedError;
use iced_x86::code_asm::{
    AsmMemoryOperand, AsmRegisterXmm, AsmRegisterYmm, CodeAssembler, CodeLabel, byte_ptr,
    dword_ptr, eax, ecx, r8, rbp, rcx, rdi, rdx, registers, rsi, rsp, ymmword_ptr,
};

use super::graph::{Binary, Id, Op, Unary};
use super::lower::{Denormals, Lowered};

/// Lanes of a slice.
pub(super) const SLICE: usize = 8;
/// Bytes of a slice in a vector register.
const SLICE_BYTES: usize = SLICE * 4;
/// Bytes of a vector register.
const ROW: usize = 256;
/// Registers for values; the last two are the emitter's own.
const VALUES: usize = 14;
/// Maximum number of stack slots.
const SLOTS: usize = 120;
/// The first slots: MXCSR as it was, the mask of active lanes.
const SAVED_MXCSR: usize = 0;
const EXEC: usize = 1;
const FIRST_SLOT: usize = 2;

/// MXCSR with all exceptions masked.
const MXCSR: u32 = 0x1f80;
/// Denormal results and denormal sources are zero.
const FLUSHING: u32 = 1 << 15 | 1 << 6;

/// Code and its constants.
#[derive(Debug)]
pub(super) struct Emitted {
    pub(super) code: Vec<u8>,
    pub(super) constants: Vec<[u32; SLICE]>,
}

/// Reason for which a graph has no code.
#[derive(Debug, thiserror::Error)]
pub(super) enum EmitError {
    #[error("too many values at a time")]
    Slots,
    #[error(transparent)]
    Encoding(#[from] IcedError),
}

#[rustfmt::skip]
const YMM: [AsmRegisterYmm; 16] = {
    use registers::*;
    [ymm0, ymm1, ymm2, ymm3, ymm4, ymm5, ymm6, ymm7, ymm8, ymm9, ymm10, ymm11, ymm12, ymm13, ymm14, ymm15]
};
#[rustfmt::skip]
const XMM: [AsmRegisterXmm; 16] = {
    use registers::*;
    [xmm0, xmm1, xmm2, xmm3, xmm4, xmm5, xmm6, xmm7, xmm8, xmm9, xmm10, xmm11, xmm12, xmm13, xmm14, xmm15]
};
const SCRATCH: AsmRegisterYmm = YMM[14];
const OTHER: AsmRegisterYmm = YMM[15];

/// An operand of the host's.
#[derive(Clone, Copy)]
enum Place {
    Register(AsmRegisterYmm),
    Memory(AsmMemoryOperand),
}

/// Value's places while code is emitted.
#[derive(Clone, Default)]
struct ValueState {
    register: Option<usize>,
    slot: Option<usize>,
    /// Places in the order of operations at which it is still used.
    uses: VecDeque<usize>,
}

struct Emitter<'g> {
    asm: CodeAssembler,
    lowered: &'g Lowered,
    values: Vec<ValueState>,
    registers: [Option<Id>; VALUES],
    constants: Vec<[u32; SLICE]>,
    /// Scalar registers in slots, one in every lane.
    scalars: Vec<(u8, usize)>,
    slots: usize,
}

macro_rules! binary {
    ($self:ident, $name:ident, $to:expr, $a:expr, $b:expr) => {
        match $b {
            Place::Register(b) => $self.asm.$name($to, $a, b)?,
            Place::Memory(b) => $self.asm.$name($to, $a, b)?,
        }
    };
}

/// Emits the code of a segment, for waves of which all lanes are active or not.
pub(super) fn emit(lowered: &Lowered, all_active: bool) -> Result<Emitted, EmitError> {
    let mut emitter = Emitter {
        asm: CodeAssembler::new(64)?,
        lowered,
        values: vec![ValueState::default(); lowered.graph.len()],
        registers: [None; VALUES],
        constants: Vec::new(),
        scalars: Vec::new(),
        slots: FIRST_SLOT,
    };
    emitter.run(all_active)?;
    let code = emitter.asm.assemble(0)?;
    Ok(Emitted {
        code,
        constants: emitter.constants,
    })
}

impl Emitter<'_> {
    fn run(&mut self, all_active: bool) -> Result<(), EmitError> {
        let order = self.order();
        let (mut slices, mut guarded) = (self.asm.create_label(), self.asm.create_label());
        self.enter()?;
        self.asm.xor(ecx, ecx)?;
        self.asm.xor(registers::r8d, registers::r8d)?;
        self.asm.set_label(&mut slices)?;
        if !all_active {
            self.expand_mask(14, regs::EXEC_LO)?;
            self.asm.vmovdqa(slot(EXEC), SCRATCH)?;
        }
        for (place, id) in order.iter().enumerate() {
            self.operation(place, *id)?;
        }
        self.check_guard(order.len(), all_active, guarded)?;
        self.write_results(all_active)?;
        self.asm.add(rcx, SLICE_BYTES as i32)?;
        self.asm.inc(registers::r8d)?;
        self.asm.cmp(ecx, ROW as i32)?;
        self.asm.jne(slices)?;
        self.asm.set_label(&mut guarded)?;
        self.leave()?;
        Ok(())
    }

    /// The operations whose results are used, each behind its sources, and the places where values are used.
    fn order(&mut self) -> Vec<Id> {
        let lowered = self.lowered;
        let graph = &lowered.graph;
        let results = lowered.vgprs.values().copied();
        let masks = lowered.masks.values().map(|it| it.mask);
        let roots: Vec<Id> = lowered
            .guard
            .into_iter()
            .chain(masks)
            .chain(results)
            .collect();
        let mut is_used = vec![false; graph.len()];
        for root in &roots {
            is_used[root.0 as usize] = true;
        }
        let mut order = Vec::new();
        for id in (0..graph.len() as u32).rev().map(Id) {
            if !is_used[id.0 as usize] {
                continue;
            }
            for source in graph.sources(id).into_iter().flatten() {
                is_used[source.0 as usize] = true;
            }
            if !is_leaf(graph.op(id)) {
                order.push(id);
            }
        }
        order.reverse();
        for (place, id) in order.iter().enumerate() {
            for source in graph.sources(*id).into_iter().flatten() {
                let uses = &mut self.values[source.0 as usize].uses;
                if uses.back() != Some(&place) {
                    uses.push_back(place);
                }
            }
        }
        if let Some(guard) = lowered.guard {
            self.values[guard.0 as usize].uses.push_back(order.len());
        }
        let results = lowered.masks.values().map(|it| it.mask);
        for id in results.chain(lowered.vgprs.values().copied()) {
            let uses = &mut self.values[id.0 as usize].uses;
            if uses.back() != Some(&(order.len() + 1)) {
                uses.push_back(order.len() + 1);
            }
        }
        let used = (0..graph.len() as u32)
            .map(Id)
            .filter(|id| is_used[id.0 as usize]);
        let scalars = used.filter_map(|id| match graph.op(id) {
            Op::Scalar(register) => Some(register),
            _ => None,
        });
        self.scalars = scalars.zip(FIRST_SLOT..).collect();
        self.slots += self.scalars.len();
        order
    }

    /// Frame, MXCSR and scalar registers.
    fn enter(&mut self) -> Result<(), EmitError> {
        if self.slots > SLOTS {
            return Err(EmitError::Slots);
        }
        let asm = &mut self.asm;
        asm.push(rbp)?;
        asm.mov(rbp, rsp)?;
        asm.and(rsp, -(SLICE_BYTES as i32))?;
        asm.sub(rsp, (SLOTS * SLICE_BYTES) as i32)?;
        for &(register, at) in &self.scalars {
            asm.vpbroadcastd(SCRATCH, dword_ptr(rsi + i32::from(register) * 4))?;
            asm.vmovdqa(slot(at), SCRATCH)?;
        }
        if let Some(denormals) = self.lowered.denormals {
            let wanted = match denormals {
                Denormals::Kept => MXCSR,
                Denormals::Flushed => MXCSR | FLUSHING,
            };
            let saved = rsp + (SAVED_MXCSR * SLICE_BYTES) as i32;
            asm.stmxcsr(dword_ptr(saved))?;
            asm.mov(dword_ptr(saved + 4), wanted as i32)?;
            asm.ldmxcsr(dword_ptr(saved + 4))?;
        }
        Ok(())
    }

    fn leave(&mut self) -> Result<(), EmitError> {
        let asm = &mut self.asm;
        if self.lowered.denormals.is_some() {
            asm.ldmxcsr(dword_ptr(rsp + (SAVED_MXCSR * SLICE_BYTES) as i32))?;
        }
        asm.mov(eax, registers::r8d)?;
        asm.vzeroupper()?;
        asm.mov(rsp, rbp)?;
        asm.pop(rbp)?;
        asm.ret()?;
        Ok(())
    }

    /// Leaves with the number of the slice if an active lane is guarded.
    fn check_guard(
        &mut self,
        place: usize,
        all_active: bool,
        guarded: CodeLabel,
    ) -> Result<(), EmitError> {
        let Some(guard) = self.lowered.guard else {
            return Ok(());
        };
        let guard = self.in_register(guard, place)?;
        if all_active {
            self.asm.vtestps(guard, guard)?;
        } else {
            self.asm.vtestps(guard, slot(EXEC))?;
        }
        self.asm.jne(guarded)?;
        Ok(())
    }

    /// Writes masks and registers. Each value is in a register or in its slot.
    fn write_results(&mut self, all_active: bool) -> Result<(), EmitError> {
        let lowered = self.lowered;
        for (&first, result) in &lowered.masks {
            let mask = self.loaded(result.mask)?;
            let asm = &mut self.asm;
            asm.vmovmskps(eax, mask)?;
            if result.is_inverted {
                asm.xor(eax, 0xff)?;
            }
            if !all_active {
                asm.and(registers::al, byte_ptr(scalar_byte(regs::EXEC_LO)))?;
            }
            asm.mov(byte_ptr(scalar_byte(first)), registers::al)?;
        }
        for (&register, &id) in &lowered.vgprs {
            let value = self.loaded(id)?;
            let memory = vgpr(register);
            if !all_active {
                self.asm.vmovdqa(OTHER, slot(EXEC))?;
                self.asm.vpand(SCRATCH, value, OTHER)?;
                self.asm.vpandn(OTHER, OTHER, memory)?;
                self.asm.vpor(SCRATCH, SCRATCH, OTHER)?;
                self.asm.vmovdqu(memory, SCRATCH)?;
            } else {
                self.asm.vmovdqu(memory, value)?;
            }
        }
        Ok(())
    }

    /// A result, in its register or loaded from memory.
    fn loaded(&mut self, id: Id) -> Result<AsmRegisterYmm, EmitError> {
        if let Some(register) = self.values[id.0 as usize].register {
            return Ok(YMM[register]);
        }
        let memory = self.memory(id).ok_or(EmitError::Slots)?;
        self.asm.vmovdqu(SCRATCH, memory)?;
        Ok(SCRATCH)
    }

    fn operation(&mut self, place: usize, id: Id) -> Result<(), EmitError> {
        match self.lowered.graph.op(id) {
            Op::Binary(binary, a, b) => self.binary(place, id, binary, a, b)?,
            Op::ShiftBy(how, a, by) => {
                let a = self.in_register(a, place)?;
                let to = self.result(place, id)?;
                let by = i32::from(by);
                match how {
                    Shift::Left => self.asm.vpslld(to, a, by)?,
                    Shift::Right => self.asm.vpsrld(to, a, by)?,
                    Shift::Arithmetic => self.asm.vpsrad(to, a, by)?,
                }
            }
            Op::Unary(unary, a) => {
                let a = self.in_register(a, place)?;
                let to = self.result(place, id)?;
                match unary {
                    Unary::Copy => self.asm.vmovdqa(to, a)?,
                    Unary::OddToEven => self.asm.vpsrlq(to, a, 32)?,
                    Unary::FloatOfSigned => self.asm.vcvtdq2ps(to, a)?,
                    Unary::SqrtF32 => self.asm.vsqrtps(to, a)?,
                }
            }
            Op::Select(mask, one, other) => {
                let mask = self.in_register(mask, place)?;
                let other = self.in_register(other, place)?;
                let one = self.operand(one, place)?;
                let to = self.result(place, id)?;
                match one {
                    Place::Register(one) => self.asm.vblendvps(to, other, one, mask)?,
                    Place::Memory(one) => self.asm.vblendvps(to, other, one, mask)?,
                }
            }
            Op::Fma(a, b, c) => {
                let a = self.in_register(a, place)?;
                let b = self.in_register(b, place)?;
                let c = self.operand(c, place)?;
                self.asm.vmovaps(SCRATCH, a)?;
                binary!(self, vfmadd213ps, SCRATCH, b, c);
                let to = self.result(place, id)?;
                self.asm.vmovaps(to, SCRATCH)?;
            }
            Op::Vgpr(_) | Op::Scalar(_) | Op::Const(_) | Op::Mask(_) => {}
        }
        Ok(())
    }

    fn binary(
        &mut self,
        place: usize,
        id: Id,
        binary: Binary,
        a: Id,
        b: Id,
    ) -> Result<(), EmitError> {
        let (a, b) = if is_commutative(binary) && self.is_better_second(a, b) {
            (b, a)
        } else {
            (a, b)
        };
        let a = self.in_register(a, place)?;
        let b = self.operand(b, place)?;
        let to = self.result(place, id)?;
        match binary {
            Binary::Add => binary!(self, vpaddd, to, a, b),
            Binary::Sub => binary!(self, vpsubd, to, a, b),
            Binary::Mul => binary!(self, vpmulld, to, a, b),
            Binary::And => binary!(self, vpand, to, a, b),
            Binary::AndNot => binary!(self, vpandn, to, a, b),
            Binary::Or => binary!(self, vpor, to, a, b),
            Binary::Xor => binary!(self, vpxor, to, a, b),
            Binary::Shl => binary!(self, vpsllvd, to, a, b),
            Binary::Shr => binary!(self, vpsrlvd, to, a, b),
            Binary::Sar => binary!(self, vpsravd, to, a, b),
            Binary::Equal => binary!(self, vpcmpeqd, to, a, b),
            Binary::Greater => binary!(self, vpcmpgtd, to, a, b),
            Binary::MinSigned => binary!(self, vpminsd, to, a, b),
            Binary::MinUnsigned => binary!(self, vpminud, to, a, b),
            Binary::MaxSigned => binary!(self, vpmaxsd, to, a, b),
            Binary::MaxUnsigned => binary!(self, vpmaxud, to, a, b),
            Binary::MulEven => binary!(self, vpmuludq, to, a, b),
            Binary::MulEvenSigned => binary!(self, vpmuldq, to, a, b),
            Binary::Interleave => match b {
                Place::Register(b) => self.asm.vpblendd(to, a, b, 0xaa)?,
                Place::Memory(b) => self.asm.vpblendd(to, a, b, 0xaa)?,
            },
            Binary::AddF32 => binary!(self, vaddps, to, a, b),
            Binary::SubF32 => binary!(self, vsubps, to, a, b),
            Binary::MulF32 => binary!(self, vmulps, to, a, b),
            Binary::DivF32 => binary!(self, vdivps, to, a, b),
            Binary::MinF32 => binary!(self, vminps, to, a, b),
            Binary::MaxF32 => binary!(self, vmaxps, to, a, b),
            Binary::CompareF32(predicate) => match b {
                Place::Register(b) => self.asm.vcmpps(to, a, b, predicate as i32)?,
                Place::Memory(b) => self.asm.vcmpps(to, a, b, predicate as i32)?,
            },
        }
        Ok(())
    }

    /// True if the first of two sources is the better one to be read from memory.
    fn is_better_second(&self, a: Id, b: Id) -> bool {
        let in_register = |id: Id| self.values[id.0 as usize].register.is_some();
        let is_memory = |id: Id| !in_register(id) && is_leaf(self.lowered.graph.op(id));
        is_memory(a) && !is_memory(b)
    }

    /// The place of a source: in memory, if that is its only place and it is used once more.
    fn operand(&mut self, id: Id, place: usize) -> Result<Place, EmitError> {
        let value = &self.values[id.0 as usize];
        let is_last = value.uses.back().is_none_or(|last| *last <= place);
        let is_constant = matches!(self.lowered.graph.op(id), Op::Const(_) | Op::Scalar(_));
        if value.register.is_none()
            && (is_last || is_constant)
            && let Some(memory) = self.memory(id)
        {
            return Ok(Place::Memory(memory));
        }
        Ok(Place::Register(self.in_register(id, place)?))
    }

    /// The memory that has a value.
    fn memory(&mut self, id: Id) -> Option<AsmMemoryOperand> {
        if let Some(at) = self.values[id.0 as usize].slot {
            return Some(slot(at));
        }
        match self.lowered.graph.op(id) {
            Op::Vgpr(register) => Some(vgpr(register)),
            Op::Scalar(register) => {
                let known = self.scalars.iter().find(|(it, _)| *it == register);
                known.map(|(_, at)| slot(*at))
            }
            Op::Const(value) => Some(self.constant([value; SLICE])),
            _ => None,
        }
    }

    fn constant(&mut self, value: [u32; SLICE]) -> AsmMemoryOperand {
        let known = self.constants.iter().position(|it| *it == value);
        let number = known.unwrap_or_else(|| {
            self.constants.push(value);
            self.constants.len() - 1
        });
        ymmword_ptr(rdx + (number * SLICE_BYTES) as i32)
    }

    /// A source in a register, into which it is loaded if it is in none.
    fn in_register(&mut self, id: Id, place: usize) -> Result<AsmRegisterYmm, EmitError> {
        if let Some(register) = self.values[id.0 as usize].register {
            return Ok(YMM[register]);
        }
        let register = self.free_register(place)?;
        self.take(register, id);
        let to = YMM[register];
        match self.memory(id) {
            Some(memory) => self.asm.vmovdqu(to, memory)?,
            None => {
                if let Op::Mask(first) = self.lowered.graph.op(id) {
                    self.expand_mask(register, first)?;
                }
            }
        }
        Ok(to)
    }

    /// A register for the result of an operation, which may be that of a source that is used no more.
    fn result(&mut self, place: usize, id: Id) -> Result<AsmRegisterYmm, EmitError> {
        for register in 0..VALUES {
            if let Some(held) = self.registers[register]
                && !self.is_used_behind(held, place)
            {
                self.values[held.0 as usize].register = None;
                self.registers[register] = None;
            }
        }
        let register = self.free_register(place)?;
        self.take(register, id);
        Ok(YMM[register])
    }

    fn is_used_behind(&self, id: Id, place: usize) -> bool {
        let uses = &self.values[id.0 as usize].uses;
        uses.back().is_some_and(|last| *last > place)
    }

    fn take(&mut self, register: usize, id: Id) {
        self.registers[register] = Some(id);
        self.values[id.0 as usize].register = Some(register);
    }

    /// A register that no value needs at a place, freed if need be.
    fn free_register(&mut self, place: usize) -> Result<usize, EmitError> {
        if let Some(free) = self.registers.iter().position(Option::is_none) {
            return Ok(free);
        }
        let mut farthest = None;
        for (register, held) in self.registers.iter().enumerate() {
            let Some(id) = held else {
                continue;
            };
            let uses = &mut self.values[id.0 as usize].uses;
            while uses.front().is_some_and(|use_| *use_ < place) {
                uses.pop_front();
            }
            let next = uses.front().copied().unwrap_or(usize::MAX);
            // What this operation uses stays.
            if next != place && farthest.is_none_or(|(_, most)| next > most) {
                farthest = Some((register, next));
            }
        }
        let (register, next) = farthest.ok_or(EmitError::Slots)?;
        if let Some(id) = self.registers[register].take() {
            self.values[id.0 as usize].register = None;
            if next != usize::MAX && self.memory(id).is_none() {
                if self.slots == SLOTS {
                    return Err(EmitError::Slots);
                }
                self.values[id.0 as usize].slot = Some(self.slots);
                self.asm.vmovdqa(slot(self.slots), YMM[register])?;
                self.slots += 1;
            }
        }
        Ok(register)
    }

    /// The mask in a pair of scalar registers: all bits of a lane or none.
    fn expand_mask(&mut self, register: usize, first: u8) -> Result<(), EmitError> {
        let bits = self.constant(std::array::from_fn(|lane| 1 << lane));
        let to = YMM[register];
        self.asm.movzx(eax, byte_ptr(scalar_byte(first)))?;
        self.asm.vmovd(XMM[register], eax)?;
        self.asm.vpbroadcastd(to, XMM[register])?;
        self.asm.vpand(to, to, bits)?;
        self.asm.vpcmpeqd(to, to, bits)?;
        Ok(())
    }
}

fn is_leaf(op: Op) -> bool {
    matches!(op, Op::Vgpr(_) | Op::Scalar(_) | Op::Const(_) | Op::Mask(_))
}

fn is_commutative(binary: Binary) -> bool {
    matches!(
        binary,
        Binary::Add
            | Binary::Mul
            | Binary::And
            | Binary::Or
            | Binary::Xor
            | Binary::Equal
            | Binary::MinSigned
            | Binary::MinUnsigned
            | Binary::MaxSigned
            | Binary::MaxUnsigned
            | Binary::MulEven
            | Binary::MulEvenSigned
            | Binary::AddF32
            | Binary::MulF32
    )
}

/// The slice of a vector register.
fn vgpr(register: u8) -> AsmMemoryOperand {
    ymmword_ptr(rdi + rcx + i32::from(register) * ROW as i32)
}

/// The byte of a mask that the slice has.
fn scalar_byte(first: u8) -> AsmMemoryOperand {
    rsi + r8 + i32::from(first) * 4
}

fn slot(number: usize) -> AsmMemoryOperand {
    ymmword_ptr(rsp + (number * SLICE_BYTES) as i32)
}

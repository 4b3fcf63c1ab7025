//! AVX2 code for the graph of a part. Vector instructions become a loop over slices of eight lanes, with values in
//! host registers. Scalar instructions become the same operations on lane 0, without a loop.

use std::mem::offset_of;

use gcn_isa::effect::Shift;
use gcn_isa::regs;
use iced_x86::code_asm::{
    AsmRegisterYmm, CodeLabel, byte_ptr, dword_ptr, eax, ecx, qword_ptr, r8d, r11, r14, rax,
    registers,
};

use super::frame::Frame;
use super::graph::{Binary, Id, Op, SLICE, Unary};
use super::lower::{Denormals, Lowered};
use super::mutation;
use super::places::{
    Assembly, EXEC, EmitError, EmittedLanes, Emitter, FIRST_SLOT, OTHER, Place, ROW, SCRATCH,
    SLICE_BYTES, SLOTS, YMM, low_half, mask_byte, number, scalar, slot, vgpr,
};

/// VPERMQ selector that exchanges the two middle quarters of a register. It converts between lane order and the
/// halves of each group of four lanes, in both directions.
const MIDDLE_QWORDS: u32 = 0b11_01_10_00;

macro_rules! binary {
    ($self:ident, $name:ident, $to:expr, $a:expr, $b:expr $(, $immediate:expr)?) => {
        match $b {
            Place::Register(b) => $self.code.asm.$name($to, $a, b $(, $immediate)?)?,
            Place::Memory(b) => $self.code.asm.$name($to, $a, b $(, $immediate)?)?,
        }
    };
}

impl Assembly {
    /// Emits the code of scalar instructions.
    pub(super) fn scalar(&mut self, lowered: &Lowered) -> Result<(), EmitError> {
        let unused = self.asm.create_label();
        let mut emitter = Emitter::new(self, lowered, EmittedLanes::Scalar, (unused, 0));
        let order = emitter.order();
        emitter.operations(&order)?;
        emitter.write_scalars()
    }

    /// Emits the code of vector instructions. The code jumps to `guarded` with the slice number in R8 if the guard or
    /// an address check fails.
    pub(super) fn vector(
        &mut self,
        lowered: &Lowered,
        guarded: CodeLabel,
    ) -> Result<(), EmitError> {
        let (mut active, mut done) = (self.asm.create_label(), self.asm.create_label());
        if lowered.may_fail() {
            for (number, first) in lowered.masks.keys().enumerate() {
                self.asm.mov(rax, qword_ptr(scalar(*first)))?;
                let saved = offset_of!(Frame, saved) + number * size_of::<u64>();
                self.asm.mov(qword_ptr(r14 + saved), rax)?;
            }
        }
        let first_access = self.accesses.len();
        self.accesses.extend(&lowered.accesses.all);
        self.begin_accesses(lowered, first_access, guarded)?;
        let flushes = lowered.denormals == Some(Denormals::Flushed);
        if flushes {
            self.asm
                .ldmxcsr(dword_ptr(r14 + offset_of!(Frame, flushing)))?;
        }
        self.asm.cmp(qword_ptr(scalar(regs::EXEC_LO)), -1)?;
        self.asm.jne(active)?;
        let fails = (guarded, first_access);
        Emitter::new(self, lowered, EmittedLanes::All, fails).slices()?;
        self.asm.jmp(done)?;
        self.asm.set_label(&mut active)?;
        Emitter::new(self, lowered, EmittedLanes::Active, fails).slices()?;
        self.asm.set_label(&mut done)?;
        self.asm.zero_bytes()?;
        if flushes {
            self.usual_mxcsr()?;
        }
        Ok(())
    }

    /// Restores the MXCSR value that Rust code expects.
    pub(super) fn usual_mxcsr(&mut self) -> Result<(), EmitError> {
        self.asm
            .ldmxcsr(dword_ptr(r14 + offset_of!(Frame, usual)))?;
        Ok(())
    }
}

impl Emitter<'_> {
    /// Emits the loop over slices.
    fn slices(&mut self) -> Result<(), EmitError> {
        let order = self.order();
        self.load_scalars()?;
        let asm = &mut self.code.asm;
        let (mut slice, mut next) = (asm.create_label(), asm.create_label());
        let mut inactive = asm.create_label();
        asm.xor(ecx, ecx)?;
        asm.xor(r8d, r8d)?;
        asm.set_label(&mut slice)?;
        if self.lanes == EmittedLanes::Active {
            self.code
                .asm
                .movzx(eax, byte_ptr(mask_byte(regs::EXEC_LO)))?;
            self.code.asm.test(eax, eax)?;
            self.code.asm.je(inactive)?;
            self.expand_mask(14, regs::EXEC_LO)?;
            self.code.asm.vmovdqa(slot(EXEC), SCRATCH)?;
        }
        self.operations(&order)?;
        self.check_guard(order.len())?;
        self.stores(order.len() + 1)?;
        self.write_results()?;
        self.code.asm.set_label(&mut next)?;
        self.code.asm.add(ecx, SLICE_BYTES as i32)?;
        self.code.asm.inc(r8d)?;
        self.code.asm.cmp(ecx, ROW as i32)?;
        self.code.asm.jne(slice)?;
        if self.lanes == EmittedLanes::Active {
            let mut end = self.code.asm.create_label();
            self.code.asm.jmp(end)?;
            self.code.asm.set_label(&mut inactive)?;
            self.code.asm.xor(eax, eax)?;
            for first in self.lowered.masks.keys() {
                self.write_mask(*first)?;
            }
            self.code.asm.jmp(next)?;
            self.code.asm.set_label(&mut end)?;
            self.code.asm.zero_bytes()?;
        }
        if let Some(first) = self.gathered_mask() {
            self.code.asm.mov(qword_ptr(scalar(first)), r11)?;
        }
        self.cold()
    }

    /// Mask that the loop gathers in R11 and stores as a whole, so that later loads of it are forwarded from one store.
    fn gathered_mask(&self) -> Option<u8> {
        let masks = &self.lowered.masks;
        let is_vcc = |first: &u8| *first == regs::VCC_LO;
        let vcc = masks.keys().copied().find(is_vcc);
        vcc.or_else(|| masks.keys().next().copied())
    }

    /// Writes the bits of a mask in RAX for the current slice.
    fn write_mask(&mut self, first: u8) -> Result<(), EmitError> {
        let is_gathered = self.gathered_mask() == Some(first);
        let asm = &mut self.code.asm;
        // If the code leaves the loop, the interpreter needs the bits of the slices before.
        if !is_gathered || self.lowered.may_fail() {
            asm.mov(byte_ptr(mask_byte(first)), registers::al)?;
        }
        if is_gathered {
            asm.shr(r11, SLICE as u32)?;
            asm.shl(rax, u64::BITS - SLICE as u32)?;
            asm.or(r11, rax)?;
        }
        Ok(())
    }

    fn operations(&mut self, order: &[Id]) -> Result<(), EmitError> {
        for (place, id) in order.iter().enumerate() {
            self.operation(place, *id)?;
            if mutation::is_mutated(|| self.lowered.graph.op(*id).name()) {
                self.mutate(*id)?;
            }
        }
        Ok(())
    }

    /// Returns the live operations in topological order, records the uses of each value, and assigns slots to scalars.
    fn order(&mut self) -> Vec<Id> {
        let lowered = self.lowered;
        let graph = &lowered.graph;
        let results = lowered.vgprs.values().copied();
        let masks = lowered.masks.values().chain(&lowered.scc).map(|it| it.mask);
        let results: Vec<Id> = results
            .chain(lowered.scalars.values().copied())
            .chain(masks)
            .collect();
        let accesses = &lowered.accesses;
        let stored = accesses.stores.iter().map(|store| {
            let [low, high] = store.address;
            let mut ids = vec![low, high];
            ids.extend(&store.values);
            ids
        });
        // The guard, the stores and the results use values in this order, after all operations.
        let guard: Vec<Id> = lowered.guard.into_iter().collect();
        let mut groups = vec![guard];
        groups.extend(stored);
        groups.push(results);
        let mut is_used = vec![false; graph.len()];
        for root in groups.iter().flatten().chain(&accesses.loads) {
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
            if !graph.op(id).is_leaf() {
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
        for (place, group) in (order.len()..).zip(&groups) {
            for id in group {
                let uses = &mut self.values[id.0 as usize].uses;
                if uses.back() != Some(&place) {
                    uses.push_back(place);
                }
            }
        }
        let used = (0..graph.len() as u32)
            .map(Id)
            .filter(|id| is_used[id.0 as usize]);
        let scalars = used.filter_map(|id| match graph.op(id) {
            Op::Scalar(register) => Some(register),
            _ => None,
        });
        if self.lanes != EmittedLanes::Scalar {
            self.scalars = scalars.zip(FIRST_SLOT..).collect();
            self.slots += self.scalars.len();
        }
        order
    }

    /// Broadcasts scalar registers to their stack slots.
    fn load_scalars(&mut self) -> Result<(), EmitError> {
        if self.slots > SLOTS {
            return Err(EmitError::Slots);
        }
        for &(register, at) in &self.scalars {
            self.code
                .asm
                .vpbroadcastd(SCRATCH, dword_ptr(scalar(register)))?;
            self.code.asm.vmovdqa(slot(at), SCRATCH)?;
        }
        Ok(())
    }

    /// Emits a jump that leaves this slice and all later ones to the interpreter if the guard fails for an active lane.
    fn check_guard(&mut self, place: usize) -> Result<(), EmitError> {
        let Some(guard) = self.lowered.guard else {
            return Ok(());
        };
        let guard = self.in_register(guard, place)?;
        if self.lanes == EmittedLanes::All {
            self.code.asm.vtestps(guard, guard)?;
        } else {
            self.code.asm.vtestps(guard, slot(EXEC))?;
        }
        self.code.asm.jne(self.guarded)?;
        Ok(())
    }

    /// Writes masks and vector registers. Each value is in a host register or in its slot.
    fn write_results(&mut self) -> Result<(), EmitError> {
        let lowered = self.lowered;
        let all_active = self.lanes == EmittedLanes::All;
        for (&first, result) in &lowered.masks {
            let mask = self.loaded(result.mask)?;
            let asm = &mut self.code.asm;
            asm.vmovmskps(eax, mask)?;
            if result.is_inverted {
                asm.xor(eax, 0xff)?;
            }
            if !all_active {
                asm.and(registers::al, byte_ptr(mask_byte(regs::EXEC_LO)))?;
            }
            self.write_mask(first)?;
        }
        if !all_active {
            self.code.asm.vmovdqa(SCRATCH, slot(EXEC))?;
        }
        for (&register, &id) in &lowered.vgprs {
            let memory = vgpr(register);
            if all_active {
                let value = self.loaded(id)?;
                self.code.asm.vmovdqu(memory, value)?;
                continue;
            }
            self.code.asm.vmovdqu(OTHER, memory)?;
            if let Some(register) = self.values[id.0 as usize].register {
                self.code
                    .asm
                    .vblendvps(OTHER, OTHER, YMM[register], SCRATCH)?;
            } else {
                let value = self.memory(id).ok_or(EmitError::Slots)?;
                self.code.asm.vblendvps(OTHER, OTHER, value, SCRATCH)?;
            }
            self.code.asm.vmovdqu(memory, OTHER)?;
        }
        Ok(())
    }

    /// Writes scalar registers and SCC.
    fn write_scalars(&mut self) -> Result<(), EmitError> {
        let lowered = self.lowered;
        let mut scalars = lowered.scalars.iter().peekable();
        while let Some((&register, &id)) = scalars.next() {
            let high = scalars.next_if(|(it, _)| register % 2 == 0 && **it == register + 1);
            let constant = |id: Id| match lowered.graph.op(id) {
                Op::Const(value) => Some(value),
                _ => None,
            };
            let to = scalar(register);
            // A pair is stored at once, so that later loads of it are forwarded from one store.
            match (constant(id), high) {
                (Some(low), None) => self.code.asm.mov(dword_ptr(to), low as i32)?,
                (None, None) => {
                    let value = self.loaded(id)?;
                    self.code.asm.vmovd(dword_ptr(to), low_half(value))?;
                }
                (low, Some((_, &high))) => {
                    if let (Some(low), Some(high)) = (low, constant(high)) {
                        let value = u64::from(low) | u64::from(high) << u32::BITS;
                        self.code.asm.mov(rax, value)?;
                        self.code.asm.mov(qword_ptr(to), rax)?;
                        continue;
                    }
                    let mut low = self.loaded(id)?;
                    if low == SCRATCH {
                        self.code.asm.vmovdqa(OTHER, low)?;
                        low = OTHER;
                    }
                    let high = low_half(self.loaded(high)?);
                    let both = low_half(SCRATCH);
                    self.code.asm.vpunpckldq(both, low_half(low), high)?;
                    self.code.asm.vmovq(qword_ptr(to), both)?;
                }
            }
        }
        if let Some(result) = lowered.scc {
            let mask = self.loaded(result.mask)?;
            let asm = &mut self.code.asm;
            asm.vmovd(eax, low_half(mask))?;
            asm.and(eax, 1)?;
            if result.is_inverted {
                asm.xor(eax, 1)?;
            }
            asm.mov(dword_ptr(r14 + offset_of!(Frame, scc)), eax)?;
        }
        Ok(())
    }

    /// Returns a result in a host register, loading it from memory if necessary.
    fn loaded(&mut self, id: Id) -> Result<AsmRegisterYmm, EmitError> {
        if let Some(register) = self.values[id.0 as usize].register {
            return Ok(YMM[register]);
        }
        let memory = self.memory(id).ok_or(EmitError::Slots)?;
        self.code.asm.vmovdqu(SCRATCH, memory)?;
        Ok(SCRATCH)
    }

    /// Flips the highest and the lowest bit of a value. This inverts masks, and does not turn finite numbers into NaNs,
    /// which a guard would catch.
    #[cold]
    fn mutate(&mut self, id: Id) -> Result<(), EmitError> {
        if let Some(register) = self.values[id.0 as usize].register {
            let bits = self.constant([1 << 31 | 1; SLICE]);
            let to = YMM[register];
            self.code.asm.vpxor(to, to, bits)?;
        }
        Ok(())
    }

    fn operation(&mut self, place: usize, id: Id) -> Result<(), EmitError> {
        match self.lowered.graph.op(id) {
            Op::Binary(binary, a, b) => self.binary(place, id, binary, a, b)?,
            Op::ShiftBy(how, a, by) => {
                let a = self.in_register(a, place)?;
                let to = self.result(place, id)?;
                let by = i32::from(by);
                match how {
                    Shift::Left => self.code.asm.vpslld(to, a, by)?,
                    Shift::Right => self.code.asm.vpsrld(to, a, by)?,
                    Shift::Arithmetic => self.code.asm.vpsrad(to, a, by)?,
                }
            }
            Op::Unary(unary, a) => {
                let a = self.in_register(a, place)?;
                let to = self.result(place, id)?;
                match unary {
                    Unary::Copy => self.code.asm.vmovdqa(to, a)?,
                    Unary::OddToEven => self.code.asm.vpsrlq(to, a, 32)?,
                    Unary::FloatOfSigned => self.code.asm.vcvtdq2ps(to, a)?,
                    Unary::SqrtF32 => self.code.asm.vsqrtps(to, a)?,
                    Unary::SqrtF64 => self.code.asm.vsqrtpd(to, a)?,
                    Unary::WidenLow => {
                        self.code.asm.vpermq(SCRATCH, a, MIDDLE_QWORDS)?;
                        self.code.asm.vcvtps2pd(to, low_half(SCRATCH))?;
                    }
                    Unary::WidenHigh => {
                        self.code.asm.vpermq(SCRATCH, a, MIDDLE_QWORDS)?;
                        self.code.asm.vextracti128(low_half(SCRATCH), SCRATCH, 1)?;
                        self.code.asm.vcvtps2pd(to, low_half(SCRATCH))?;
                    }
                    Unary::RoundF32(rounding) => self.code.asm.vroundps(to, a, rounding as i32)?,
                    Unary::SignedOfFloat => self.code.asm.vcvttps2dq(to, a)?,
                    Unary::EvenBytes => {
                        self.code.asm.vpsllw(to, a, 8)?;
                        self.code.asm.vpsraw(to, to, 8)?;
                    }
                    Unary::OddBytes => self.code.asm.vpsraw(to, a, 8)?,
                }
            }
            Op::Select(mask, one, other) => {
                let mask = self.in_register(mask, place)?;
                let other = self.in_register(other, place)?;
                let one = self.operand(one, place)?;
                let to = self.result(place, id)?;
                match one {
                    Place::Register(one) => self.code.asm.vblendvps(to, other, one, mask)?,
                    Place::Memory(one) => self.code.asm.vblendvps(to, other, one, mask)?,
                }
            }
            Op::Fma(..) | Op::FmaF64(..) => self.fma(place, id)?,
            Op::Load(number, low, high) => self.load(place, number, [low, high])?,
            Op::Vgpr(_) | Op::Scalar(_) | Op::Const(_) | Op::Const64(_) | Op::Mask(_) | Op::Scc => {
            }
        }
        Ok(())
    }

    /// Emits a fused multiply-add. The result overwrites a source that has no later use, if there is one.
    fn fma(&mut self, place: usize, id: Id) -> Result<(), EmitError> {
        let (sources, is_double) = match self.lowered.graph.op(id) {
            Op::Fma(a, b, c) => ([a, b, c], false),
            Op::FmaF64(a, b, c) => ([a, b, c], true),
            _ => return Err(EmitError::Slots),
        };
        let a = self.in_register(sources[0], place)?;
        let b = self.in_register(sources[1], place)?;
        let c = self.operand(sources[2], place)?;
        let is_dead = sources.map(|id| !self.is_used_behind(id, place));
        if let (Place::Register(c), [.., true]) = (c, is_dead) {
            self.release(place);
            self.take(number(c), id);
            if is_double {
                self.code.asm.vfmadd231pd(c, a, b)?;
            } else {
                self.code.asm.vfmadd231ps(c, a, b)?;
            }
            return Ok(());
        }
        let (to, other) = match is_dead {
            [true, ..] => (a, b),
            [_, true, _] => (b, a),
            _ => {
                let to = self.result(place, id)?;
                self.code.asm.vmovaps(to, a)?;
                (to, b)
            }
        };
        self.release(place);
        self.take(number(to), id);
        if is_double {
            binary!(self, vfmadd213pd, to, other, c);
        } else {
            binary!(self, vfmadd213ps, to, other, c);
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
            Binary::Interleave => binary!(self, vpblendd, to, a, b, 0xaa),
            Binary::AddF32 => binary!(self, vaddps, to, a, b),
            Binary::SubF32 => binary!(self, vsubps, to, a, b),
            Binary::MulF32 => binary!(self, vmulps, to, a, b),
            Binary::DivF32 => binary!(self, vdivps, to, a, b),
            Binary::MinF32 => binary!(self, vminps, to, a, b),
            Binary::MaxF32 => binary!(self, vmaxps, to, a, b),
            Binary::CompareF32(predicate) => binary!(self, vcmpps, to, a, b, predicate as i32),
            Binary::UnpackLow => binary!(self, vpunpckldq, to, a, b),
            Binary::UnpackHigh => binary!(self, vpunpckhdq, to, a, b),
            Binary::PackLow => binary!(self, vshufps, to, a, b, 0x88),
            Binary::PackHigh => binary!(self, vshufps, to, a, b, 0xdd),
            Binary::AddF64 => binary!(self, vaddpd, to, a, b),
            Binary::MulF64 => binary!(self, vmulpd, to, a, b),
            Binary::DivF64 => binary!(self, vdivpd, to, a, b),
            Binary::NarrowF64 => {
                match b {
                    Place::Register(b) => self.code.asm.vcvtpd2ps(low_half(SCRATCH), b)?,
                    Place::Memory(b) => self.code.asm.vcvtpd2ps(low_half(SCRATCH), b)?,
                }
                self.code.asm.vcvtpd2ps(low_half(to), a)?;
                self.code.asm.vinserti128(to, to, low_half(SCRATCH), 1)?;
                self.code.asm.vpermq(to, to, MIDDLE_QWORDS)?;
            }
            Binary::CompareF64(predicate) => binary!(self, vcmppd, to, a, b, predicate as i32),
            Binary::MulAddPairs => binary!(self, vpmaddwd, to, a, b),
        }
        Ok(())
    }
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
            | Binary::AddF64
            | Binary::MulF64
            | Binary::MulAddPairs
    )
}

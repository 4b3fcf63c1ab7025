//! Host code for the graph of a part. Vector instructions become a loop over slices of lanes, with values in host
//! registers. Scalar instructions become the same operations on lane 0, without a loop.

use std::mem::offset_of;

use gcn_isa::effect::Shift;
use gcn_isa::regs;
use iced_x86::code_asm::{
    CodeLabel, ax, byte_ptr, dword_ptr, eax, ecx, qword_ptr, r8d, r11, r14, rax, registers,
    word_ptr, ymmword_ptr,
};

use super::frame::Frame;
use super::graph::{Binary, Id, Op, Unary};
use super::host::{MaskRegister, OTHER, Place, SCRATCH, Vector, Width};
use super::lower::{Denormals, Lowered};
use super::mutation;
use super::places::{
    Assembly, EXEC, EmitError, EmittedLanes, Emitter, FIRST_SLOT, ROW, SLOTS, mask_bits, scalar,
    vgpr,
};

impl Assembly {
    /// Emits the code of scalar instructions.
    pub(super) fn scalar(&mut self, lowered: &Lowered) -> Result<(), EmitError> {
        if self.scalar_in_general_registers(lowered)? {
            return Ok(());
        }
        let unused = self.asm.create_label();
        let width = std::mem::replace(&mut self.width, Width::Avx2);
        let mut emitter = Emitter::new(self, lowered, EmittedLanes::Scalar, (unused, 0));
        let order = emitter.order();
        emitter.operations(&order)?;
        emitter.write_scalars()?;
        self.width = width;
        Ok(())
    }

    /// Emits the code of vector instructions. If the guard or an address check fails, the code jumps to `guarded` with
    /// the slice's first lane divided by eight in R8.
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
            self.code.load_mask(regs::EXEC_LO)?;
            self.code.asm.test(eax, eax)?;
            self.code.asm.je(inactive)?;
            if self.code.width == Width::Avx512 {
                self.code.asm.kmovw(MaskRegister::EXEC.k(), eax)?;
            } else {
                self.expand_mask(SCRATCH, regs::EXEC_LO)?;
                let exec = self.code.slot(EXEC);
                self.code.store(exec, SCRATCH)?;
            }
        }
        self.operations(&order)?;
        self.check_guard(order.len())?;
        self.stores(order.len() + 1)?;
        self.write_results()?;
        self.code.asm.set_label(&mut next)?;
        let width = self.code.width;
        self.code.asm.add(ecx, width.bytes() as i32)?;
        self.code
            .asm
            .add(r8d, width.lanes() as i32 / u8::BITS as i32)?;
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

    /// Mask that the loop gathers in R11 and stores as a whole, so that a later load is forwarded from a single store.
    fn gathered_mask(&self) -> Option<u8> {
        let masks = &self.lowered.masks;
        let is_vcc = |first: &u8| *first == regs::VCC_LO;
        let vcc = masks.keys().copied().find(is_vcc);
        vcc.or_else(|| masks.keys().next().copied())
    }

    /// Writes the current slice's bits of a mask, which are in RAX.
    fn write_mask(&mut self, first: u8) -> Result<(), EmitError> {
        let is_gathered = self.gathered_mask() == Some(first);
        let lanes = self.code.width.lanes() as u32;
        let asm = &mut self.code.asm;
        // If the code leaves the loop, the interpreter needs the bits of the earlier slices.
        if !is_gathered || self.lowered.may_fail() {
            match self.code.width {
                Width::Avx2 => asm.mov(byte_ptr(mask_bits(first)), registers::al)?,
                Width::Avx512 => asm.mov(word_ptr(mask_bits(first)), ax)?,
            }
        }
        if is_gathered {
            asm.shr(r11, lanes)?;
            asm.shl(rax, u64::BITS - lanes)?;
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
            // AVX-512 instructions read scalars from the wave's registers, unless the part overwrites them.
            let is_written = |register: u8| {
                let mut masks = lowered.masks.keys();
                masks.any(|first| register.wrapping_sub(*first) < 2)
            };
            let width = self.code.width;
            let scalars = scalars.filter(|it| width == Width::Avx2 || is_written(*it));
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
            self.code.load(SCRATCH, Place::Uniform(scalar(register)))?;
            let slot = self.code.slot(at);
            self.code.store(slot, SCRATCH)?;
        }
        Ok(())
    }

    /// Emits a jump that leaves this slice and all later ones to the interpreter if the guard fails for an active lane.
    fn check_guard(&mut self, place: usize) -> Result<(), EmitError> {
        let Some(guard) = self.lowered.guard else {
            return Ok(());
        };
        let is_all = self.lanes == EmittedLanes::All;
        if self.code.width == Width::Avx512 {
            let guard = self.in_mask_register(guard, place)?;
            let lanes = if is_all { guard } else { MaskRegister::EXEC };
            self.code.asm.ktestw(guard.k(), lanes.k())?;
        } else {
            let guard = self.in_register(guard, place)?.ymm();
            if is_all {
                self.code.asm.vtestps(guard, guard)?;
            } else {
                let exec = ymmword_ptr(self.code.slot(EXEC));
                self.code.asm.vtestps(guard, exec)?;
            }
        }
        self.code.asm.jne(self.guarded)?;
        Ok(())
    }

    /// Writes masks and vector registers. Each value is in a host register or in memory.
    fn write_results(&mut self) -> Result<(), EmitError> {
        let lowered = self.lowered;
        let all_active = self.lanes == EmittedLanes::All;
        for (&first, result) in &lowered.masks {
            if self.code.width == Width::Avx512 {
                let mask = self.loaded_mask(result.mask)?.k();
                let exec = MaskRegister::EXEC.k();
                let to = MaskRegister::SCRATCH.k();
                let asm = &mut self.code.asm;
                match (all_active, result.is_inverted) {
                    (true, false) => asm.kmovw(eax, mask)?,
                    (true, true) => {
                        asm.knotw(to, mask)?;
                        asm.kmovw(eax, to)?;
                    }
                    (false, false) => {
                        asm.kandw(to, mask, exec)?;
                        asm.kmovw(eax, to)?;
                    }
                    (false, true) => {
                        asm.kandnw(to, mask, exec)?;
                        asm.kmovw(eax, to)?;
                    }
                }
            } else {
                let mask = self.loaded(result.mask)?.ymm();
                let asm = &mut self.code.asm;
                asm.vmovmskps(eax, mask)?;
                if result.is_inverted {
                    asm.xor(eax, Width::Avx2.all())?;
                }
                if !all_active {
                    asm.and(registers::al, byte_ptr(mask_bits(regs::EXEC_LO)))?;
                }
            }
            self.write_mask(first)?;
        }
        if !all_active {
            self.code.load_exec()?;
        }
        for (&register, &id) in &lowered.vgprs {
            let memory = vgpr(register);
            if all_active {
                let value = self.loaded(id)?;
                self.code.store(memory, value)?;
            } else {
                let value = match self.values[id.0 as usize].register {
                    Some(register) => Place::Register(register),
                    None if self.code.width == Width::Avx512 => self.loaded(id)?.into(),
                    None => self.memory(id).ok_or(EmitError::Slots)?,
                };
                self.code.load(OTHER, Place::Memory(memory))?;
                self.code.merge_active(OTHER, value)?;
                self.code.store(memory, OTHER)?;
            }
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
            // One store writes the pair, so that a later 64-bit load is forwarded from it.
            match (constant(id), high) {
                (Some(low), None) => self.code.asm.mov(dword_ptr(to), low as i32)?,
                (None, None) => {
                    let value = self.loaded(id)?;
                    self.code.asm.vmovd(dword_ptr(to), value.xmm())?;
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
                        self.code.load(OTHER, low)?;
                        low = OTHER;
                    }
                    let high = self.loaded(high)?.xmm();
                    let both = SCRATCH.xmm();
                    self.code.asm.vpunpckldq(both, low.xmm(), high)?;
                    self.code.asm.vmovq(qword_ptr(to), both)?;
                }
            }
        }
        if let Some(result) = lowered.scc {
            let mask = self.loaded(result.mask)?;
            let asm = &mut self.code.asm;
            asm.vmovd(eax, mask.xmm())?;
            asm.and(eax, 1)?;
            if result.is_inverted {
                asm.xor(eax, 1)?;
            }
            asm.mov(dword_ptr(r14 + offset_of!(Frame, scc)), eax)?;
        }
        Ok(())
    }

    /// Returns a result in a host register, loading it from memory if necessary.
    pub(super) fn loaded(&mut self, id: Id) -> Result<Vector, EmitError> {
        let value = &self.values[id.0 as usize];
        if let Some(register) = value.register {
            return Ok(register);
        }
        if let Some(mask) = value.mask {
            self.code.asm.vpmovm2d(SCRATCH.zmm(), mask.k())?;
            return Ok(SCRATCH);
        }
        let memory = self.memory(id).ok_or(EmitError::Slots)?;
        self.code.load(SCRATCH, memory)?;
        Ok(SCRATCH)
    }

    /// Flips the highest and the lowest bit of a value. This inverts masks, and does not turn finite numbers into NaNs,
    /// which a guard would catch.
    #[cold]
    fn mutate(&mut self, id: Id) -> Result<(), EmitError> {
        let value = &self.values[id.0 as usize];
        if let Some(mask) = value.mask {
            self.code.asm.knotw(mask.k(), mask.k())?;
        } else if let Some(to) = value.register {
            let bits = self.code.constant(|_| 1 << 31 | 1);
            self.code.vpxor(to, to, bits)?;
        }
        Ok(())
    }

    fn operation(&mut self, place: usize, id: Id) -> Result<(), EmitError> {
        if self.mask_operation(place, id)? {
            return Ok(());
        }
        match self.lowered.graph.op(id) {
            Op::Binary(binary, a, b) => self.binary(place, id, binary, a, b)?,
            Op::ShiftBy(how, a, by) => {
                let a = self.in_register(a, place)?;
                let to = self.result(place, id)?;
                let by = i32::from(by);
                match how {
                    Shift::Left => self.code.vpslld(to, a, by)?,
                    Shift::Right => self.code.vpsrld(to, a, by)?,
                    Shift::Arithmetic => self.code.vpsrad(to, a, by)?,
                }
            }
            Op::Rotate(a, by) => {
                let a = self.in_register(a, place)?;
                let to = self.result(place, id)?;
                self.code.rotate(to, a, by.into())?;
            }
            Op::Unary(unary, a) => {
                let a = self.in_register(a, place)?;
                let to = self.result(place, id)?;
                match unary {
                    Unary::Copy => self.code.load(to, a)?,
                    Unary::OddToEven => self.code.vpsrlq(to, a, 32)?,
                    Unary::FloatOfSigned => self.code.vcvtdq2ps(to, a)?,
                    Unary::SqrtF32 => self.code.vsqrtps(to, a)?,
                    Unary::RsqrtEstimateF64 => self.code.rsqrt_estimate(to, a)?,
                    Unary::WidenLow => self.code.widen(to, a, false)?,
                    Unary::WidenHigh => self.code.widen(to, a, true)?,
                    Unary::RoundF32(rounding) => self.code.vroundps(to, a, rounding as i32)?,
                    Unary::SignedOfFloat => self.code.vcvttps2dq(to, a)?,
                    Unary::EvenBytes => {
                        self.code.vpsllw(to, a, 8)?;
                        self.code.vpsraw(to, to, 8)?;
                    }
                    Unary::OddBytes => self.code.vpsraw(to, a, 8)?,
                }
            }
            Op::Select(mask, one, other) => {
                let mask = self.in_register(mask, place)?;
                let other = self.in_register(other, place)?;
                let one = self.operand(one, place)?;
                let to = self.result(place, id)?;
                self.code.vblendvps(to, other, one, mask)?;
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
        let is_dead = sources.map(|id| !self.is_used_after(id, place));
        if let (Place::Register(c), [.., true]) = (c, is_dead) {
            self.release(place);
            self.take(c, id);
            if is_double {
                self.code.vfmadd231pd(c, a, b)?;
            } else {
                self.code.vfmadd231ps(c, a, b)?;
            }
            return Ok(());
        }
        let (to, other) = match is_dead {
            [true, ..] => (a, b),
            [_, true, _] => (b, a),
            _ => {
                let to = self.result(place, id)?;
                self.code.load(to, a)?;
                (to, b)
            }
        };
        self.release(place);
        self.take(to, id);
        if is_double {
            self.code.vfmadd213pd(to, other, c)?;
        } else {
            self.code.vfmadd213ps(to, other, c)?;
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
            Binary::Add => self.code.vpaddd(to, a, b)?,
            Binary::Sub => self.code.vpsubd(to, a, b)?,
            Binary::Mul => self.code.vpmulld(to, a, b)?,
            Binary::And => self.code.vpand(to, a, b)?,
            Binary::AndNot => self.code.vpandn(to, a, b)?,
            Binary::Or => self.code.vpor(to, a, b)?,
            Binary::Xor => self.code.vpxor(to, a, b)?,
            Binary::Shl => self.code.vpsllvd(to, a, b)?,
            Binary::Shr => self.code.vpsrlvd(to, a, b)?,
            Binary::Sar => self.code.vpsravd(to, a, b)?,
            Binary::Equal => self.code.vpcmpeqd(to, a, b)?,
            Binary::Greater => self.code.vpcmpgtd(to, a, b)?,
            Binary::AtLeast => {
                self.code.vpmaxud(SCRATCH, a, b)?;
                self.code.vpcmpeqd(to, a, SCRATCH)?;
            }
            Binary::MinSigned => self.code.vpminsd(to, a, b)?,
            Binary::MinUnsigned => self.code.vpminud(to, a, b)?,
            Binary::MaxSigned => self.code.vpmaxsd(to, a, b)?,
            Binary::MaxUnsigned => self.code.vpmaxud(to, a, b)?,
            Binary::MulEven => self.code.vpmuludq(to, a, b)?,
            Binary::MulEvenSigned => self.code.vpmuldq(to, a, b)?,
            Binary::Interleave => self.code.interleave(to, a, b)?,
            Binary::AddF32 => self.code.vaddps(to, a, b)?,
            Binary::SubF32 => self.code.vsubps(to, a, b)?,
            Binary::MulF32 => self.code.vmulps(to, a, b)?,
            Binary::DivF32 => self.code.vdivps(to, a, b)?,
            Binary::MinF32 => self.code.vminps(to, a, b)?,
            Binary::MaxF32 => self.code.vmaxps(to, a, b)?,
            Binary::CompareF32(predicate) => {
                self.code.vcmpps(to, a, b, predicate as u32)?;
            }
            Binary::UnpackLow => self.code.vpunpckldq(to, a, b)?,
            Binary::UnpackHigh => self.code.vpunpckhdq(to, a, b)?,
            Binary::PackLow => self.code.vshufps(to, a, b, 0x88)?,
            Binary::PackHigh => self.code.vshufps(to, a, b, 0xdd)?,
            Binary::AddF64 => self.code.vaddpd(to, a, b)?,
            Binary::MulF64 => self.code.vmulpd(to, a, b)?,
            Binary::DivF64 => self.code.vdivpd(to, a, b)?,
            Binary::NarrowF64 => self.code.narrow(to, a, b)?,
            Binary::CompareF64(predicate) => {
                self.code.vcmppd(to, a, b, predicate as u32)?;
            }
            Binary::MulAddPairs => self.code.vpmaddwd(to, a, b)?,
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

//! Host code for the memory accesses of a part. Comments on functions describe the code that they emit.
//!
//! Host code checks global addresses against the window of their access. If a lane's address is outside,
//! [`Frame::find`] looks for another window; if there is none, the interpreter executes this slice and the remaining
//! ones. The dwords of a slice are moved together if they are adjacent.

use std::mem::offset_of;

use gcn_isa::regs;
use iced_x86::code_asm::{
    AsmMemoryOperand, AsmRegisterK, CodeLabel, byte_ptr, dword_ptr, eax, ecx, edi, edx, esi,
    qword_ptr, r8, r8d, r9, r9b, r9d, r9w, r10, r11, r14, rax, rcx, rdi, rdx, rsi, word_ptr,
    xmmword_ptr, ymmword_ptr,
};

use super::access::{Access, BufferAccess, ScalarSource, Space, StoredElements};
use super::bases::{APART, BASE_MIDDLE, BASE_STRIDE, HALF, HALVES, ignored_bits};
use super::frame::{BASE_HIGH_BITS, Frame, SHARE_SIZES, WORDS};
use super::graph::Id;
use super::host::{MaskRegister, OTHER, Place, Row, SCRATCH, Vector, Width};
use super::lower::Lowered;
use super::masks::Comparison;
use super::places::{
    Assembly, EXEC, EmitError, EmittedLanes, Emitter, Helpers, Miss, SLOTS, mask_bits, scalar,
};
use crate::lanes::LANES;
use crate::memory::{COPIES, Window};
use crate::wave::{Strides, Visit};

/// Size of a dword in bytes.
pub(super) const DWORD: u32 = 4;
/// Size of a host cache line in bytes.
const LINE: usize = 64;
pub(super) fn frame(offset: usize) -> AsmMemoryOperand {
    r14 + offset
}

/// Field of an access's window. R9 holds the address of the window array.
pub(super) fn window(access: usize, offset: usize) -> AsmMemoryOperand {
    r9 + access * size_of::<Window>() + offset
}

/// Row of the frame that passes a slice's values to a helper.
pub(super) fn kept(number: usize) -> AsmMemoryOperand {
    frame(offset_of!(Frame, slice) + number * size_of::<Row>())
}

/// Dword of lane RSI in the row that [`kept`] returns.
fn kept_dword(number: usize) -> AsmMemoryOperand {
    dword_ptr(r14 + rsi * 4 + (offset_of!(Frame, slice) + number * size_of::<Row>()))
}

impl Assembly {
    /// Emits the code that prepares accesses before the first slice.
    pub(super) fn begin_accesses(
        &mut self,
        lowered: &Lowered,
        first_access: usize,
        guarded: CodeLabel,
    ) -> Result<(), EmitError> {
        let mut compares_m0 = self.limits_share;
        for (number, access) in (first_access..).zip(&lowered.accesses.all) {
            match access.space {
                Space::GlobalFrom(base) => self.begin_from(base, access, number)?,
                Space::Buffer(buffer) if buffer.has_offsets => self.begin_buffer(buffer, number)?,
                Space::Buffer(buffer) => self.begin_row(buffer, number, guarded)?,
                Space::Share(_) if compares_m0 => {
                    compares_m0 = false;
                    let asm = &mut self.asm;
                    asm.xor(r8d, r8d)?;
                    asm.mov(eax, dword_ptr(scalar(regs::M0)))?;
                    asm.cmp(eax, dword_ptr(frame(offset_of!(Frame, share_bytes))))?;
                    asm.jb(guarded)?;
                }
                Space::Share(_) | Space::Global => {}
            }
        }
        Ok(())
    }

    /// Finds the window of an access relative to a base, unless the base is unchanged since the last time.
    fn begin_from(&mut self, base: u8, access: &Access, number: usize) -> Result<(), EmitError> {
        let asm = &mut self.asm;
        let mut is_known = asm.create_label();
        asm.mov(rdx, qword_ptr(scalar(base)))?;
        if access.offset != 0 {
            asm.add(rdx, access.offset as i32)?;
        }
        asm.mov(r9, qword_ptr(frame(offset_of!(Frame, windows))))?;
        let pointer = offset_of!(Window, pointer);
        asm.cmp(rdx, qword_ptr(window(number, pointer)))?;
        asm.je(is_known)?;
        asm.mov(rdi, r14)?;
        asm.mov(esi, number as u32)?;
        asm.call(qword_ptr(frame(offset_of!(Frame, find_from))))?;
        asm.set_label(&mut is_known)?;
        asm.zero_bytes()?;
        Ok(())
    }

    /// Finds the window of a buffer access, unless its descriptor and scalar offset are unchanged since the last time.
    fn begin_buffer(&mut self, buffer: BufferAccess, number: usize) -> Result<(), EmitError> {
        let asm = &mut self.asm;
        let (mut is_new, mut is_known) = (asm.create_label(), asm.create_label());
        let key = offset_of!(Window, high);
        asm.mov(r9, qword_ptr(frame(offset_of!(Frame, windows))))?;
        let words = SCRATCH.xmm();
        asm.vmovdqu(words, xmmword_ptr(scalar(buffer.descriptor)))?;
        asm.vpxor(words, words, xmmword_ptr(window(number, key)))?;
        asm.vptest(words, words)?;
        asm.jne(is_new)?;
        if let ScalarSource::Register(register) = buffer.soffset {
            asm.mov(eax, dword_ptr(scalar(register)))?;
            asm.cmp(eax, dword_ptr(window(number, key + WORDS * 4)))?;
            asm.jne(is_new)?;
        }
        asm.jmp(is_known)?;
        asm.set_label(&mut is_new)?;
        self.find_buffer(number)?;
        self.asm.set_label(&mut is_known)?;
        self.asm.zero_bytes()?;
        Ok(())
    }

    /// Finds the address of a buffer access that has the same offset in all lanes. The base is compared separately
    /// from the rest of the descriptor, because waves use different parts of scratch. Jumps to `guarded` if there is
    /// no window.
    fn begin_row(
        &mut self,
        buffer: BufferAccess,
        number: usize,
        guarded: CodeLabel,
    ) -> Result<(), EmitError> {
        let asm = &mut self.asm;
        let (mut is_new, mut is_known) = (asm.create_label(), asm.create_label());
        let field = |offset| qword_ptr(window(number, offset));
        let key = |word: usize| window(number, offset_of!(Window, high) + word * 4);
        asm.mov(r9, qword_ptr(frame(offset_of!(Frame, windows))))?;
        asm.mov(rax, qword_ptr(scalar(buffer.descriptor)))?;
        asm.mov(rdx, rax)?;
        asm.shr(rdx, u32::BITS + BASE_HIGH_BITS)?;
        asm.cmp(edx, dword_ptr(key(1)))?;
        asm.jne(is_new)?;
        asm.mov(rdx, qword_ptr(scalar(buffer.descriptor + 2)))?;
        asm.cmp(rdx, qword_ptr(key(2)))?;
        asm.jne(is_new)?;
        // Sign-extend the base.
        let above = u32::BITS - BASE_HIGH_BITS;
        asm.shl(rax, above)?;
        asm.sar(rax, above)?;
        match buffer.soffset {
            ScalarSource::Register(register) => {
                asm.mov(edx, dword_ptr(scalar(register)))?;
                asm.cmp(edx, dword_ptr(key(WORDS)))?;
                asm.jne(is_new)?;
            }
            ScalarSource::Constant(value) => asm.mov(edx, value)?,
        }
        asm.add(rax, rdx)?;
        asm.mov(rdx, rax)?;
        asm.sub(rdx, field(offset_of!(Window, first_base)))?;
        asm.cmp(rdx, field(offset_of!(Window, bases)))?;
        asm.jae(is_new)?;
        asm.add(rax, field(offset_of!(Window, distance)))?;
        asm.mov(field(offset_of!(Window, pointer)), rax)?;
        asm.jmp(is_known)?;
        asm.set_label(&mut is_new)?;
        self.find_buffer(number)?;
        let asm = &mut self.asm;
        asm.mov(r9, qword_ptr(frame(offset_of!(Frame, windows))))?;
        asm.xor(r8d, r8d)?;
        asm.cmp(dword_ptr(window(number, offset_of!(Window, count))), 0)?;
        asm.je(guarded)?;
        asm.set_label(&mut is_known)?;
        asm.zero_bytes()?;
        Ok(())
    }

    fn find_buffer(&mut self, number: usize) -> Result<(), EmitError> {
        let asm = &mut self.asm;
        asm.mov(rdi, r14)?;
        asm.mov(esi, number as u32)?;
        asm.call(qword_ptr(frame(offset_of!(Frame, find_buffer))))?;
        Ok(())
    }

    /// Labels of the helper functions, which are emitted after the region's code.
    fn helpers(&mut self) -> Helpers {
        *self.helpers.get_or_insert_with(|| Helpers {
            find: self.asm.create_label(),
            prefetch: self.asm.create_label(),
        })
    }

    /// Label of the function that stores elements of this shape.
    fn scatter_function(&mut self, elements: StoredElements) -> CodeLabel {
        let known = self.scatters.iter().find(|(it, _)| *it == elements);
        if let Some((_, label)) = known {
            return *label;
        }
        let label = self.asm.create_label();
        self.scatters.push((elements, label));
        label
    }

    /// Emits the helper functions that are in use.
    pub(super) fn emit_helpers(&mut self) -> Result<(), EmitError> {
        let Some(mut helpers) = self.helpers else {
            return Ok(());
        };
        let saved = |register: Vector| {
            frame(offset_of!(Frame, registers) + usize::from(register.0) * size_of::<Row>())
        };
        let saved_mask = |mask: MaskRegister| {
            dword_ptr(frame(offset_of!(Frame, masks) + usize::from(mask.0) * 4))
        };
        let masks = MaskRegister::values().chain([MaskRegister::EXEC]);
        let is_avx512 = self.width == Width::Avx512;
        let masks = masks.filter(|_| is_avx512);
        self.asm.set_label(&mut helpers.find)?;
        for register in self.width.values() {
            self.store(saved(register), register)?;
        }
        for mask in masks.clone() {
            self.asm.kmovd(saved_mask(mask), mask.k())?;
        }
        let asm = &mut self.asm;
        let mxcsr = dword_ptr(frame(offset_of!(Frame, mxcsr)));
        asm.stmxcsr(mxcsr)?;
        asm.ldmxcsr(dword_ptr(frame(offset_of!(Frame, usual))))?;
        asm.push(rcx)?;
        asm.push(r8)?;
        asm.push(r11)?;
        asm.mov(rdi, r14)?;
        asm.mov(ecx, r8d)?;
        asm.vzeroupper()?;
        asm.call(qword_ptr(frame(offset_of!(Frame, find))))?;
        asm.pop(r11)?;
        asm.pop(r8)?;
        asm.pop(rcx)?;
        asm.ldmxcsr(mxcsr)?;
        for register in self.width.values() {
            self.load(register, Place::Memory(saved(register)))?;
        }
        let asm = &mut self.asm;
        for mask in masks {
            asm.kmovd(mask.k(), saved_mask(mask))?;
        }
        asm.ret()?;

        for (elements, label) in &mut self.scatters {
            let start = *label;
            asm.set_label(label)?;
            asm.bsf(esi, eax)?;
            for element in 0..elements.count {
                asm.mov(edi, kept_dword(element))?;
                for dword in 0..elements.dwords() {
                    let number = elements.count + element * elements.dwords() + dword;
                    asm.mov(r9d, kept_dword(number))?;
                    let to = rdx + rdi + dword * 4;
                    match elements.bytes {
                        1 => asm.mov(byte_ptr(to), r9b)?,
                        2 => asm.mov(word_ptr(to), r9w)?,
                        _ => asm.mov(dword_ptr(to), r9d)?,
                    }
                }
            }
            asm.lea(esi, dword_ptr(rax - 1))?;
            asm.and(eax, esi)?;
            asm.jne(start)?;
            asm.ret()?;
        }

        let mut is_unsteady = asm.create_label();
        let [address, stride] = [offset_of!(Visit, address), offset_of!(Visit, stride)];
        asm.set_label(&mut helpers.prefetch)?;
        asm.add(rdi, qword_ptr(frame(offset_of!(Frame, visits))))?;
        asm.lea(rsi, qword_ptr(rdx + rax))?;
        asm.mov(r9, rsi)?;
        asm.sub(r9, qword_ptr(rdi + address))?;
        asm.mov(qword_ptr(rdi + address), rsi)?;
        asm.mov(r10, qword_ptr(rdi + stride))?;
        asm.mov(qword_ptr(rdi + stride), r9)?;
        asm.cmp(r9, r10)?;
        asm.jne(is_unsteady)?;
        asm.test(r9, r9)?;
        asm.je(is_unsteady)?;
        asm.lea(rsi, qword_ptr(rsi + r9 * Strides::AHEAD as i32))?;
        for line in (0..LANES * 4).step_by(LINE) {
            asm.prefetcht0(byte_ptr(rsi + line))?;
        }
        asm.set_label(&mut is_unsteady)?;
        asm.ret()?;
        Ok(())
    }
}

impl Emitter<'_> {
    /// Prepares a load if its base is shared: loads the address of lane 0 into RDX and the offsets of all lanes into
    /// [`OTHER`], both without the load's constant offset. Returns the stack slot of the base.
    pub(super) fn shared_base(
        &mut self,
        place: usize,
        access: Access,
        low: Id,
    ) -> Result<Option<AsmMemoryOperand>, EmitError> {
        let known = self.bases.iter().position(|base| base.low == low);
        let Some(number) = known.filter(|_| ignored_bits(access).is_some()) else {
            return Ok(None);
        };
        let slot = match self.bases[number].slot {
            Some(slot) => slot,
            None => self.find_base(place, number)?,
        };
        let low = self.in_register(low, place)?;
        let at = self.code.slot(slot);
        self.code.asm.mov(rdx, qword_ptr(at))?;
        self.code.load(OTHER, low)?;
        Ok(Some(at))
    }

    /// Checks the offsets of the loads that share a base and finds their stride. Returns the stack slot with the
    /// results, at the offsets [`BASE_STRIDE`] and [`BASE_MIDDLE`] after lane 0's address.
    fn find_base(&mut self, place: usize, number: usize) -> Result<usize, EmitError> {
        let base = &self.bases[number];
        let (low, end, ignored) = (base.low, base.end, base.ignored);
        let strides = base.strides.clone();
        let low = self.in_register(low, place)?;
        // The last byte has the largest offset, unless its offset wraps around.
        let last = self.code.constant(|_| end - 1);
        self.code.vpaddd(OTHER, low, last)?;
        self.code.vpmaxud(OTHER, OTHER, low)?;
        const _: () = assert!(SHARE_SIZES[0] == 1);
        let bytes = Place::Uniform(frame(offset_of!(Frame, share_counts)));
        self.compare(Comparison::AtLeast, OTHER, bytes)?;
        self.code.asm.jne(self.guarded)?;
        if ignored != 0 {
            let ignored = self.code.constant(|_| ignored);
            self.code.vpand(SCRATCH, low, ignored)?;
            self.jump_if_set(SCRATCH)?;
        }
        let kept_at = self.slots;
        if kept_at == SLOTS {
            return Err(EmitError::Slots);
        }
        self.slots += 1;
        self.bases[number].slot = Some(kept_at);
        self.code.broadcast(OTHER, low)?;
        self.code.vpsubd(OTHER, low, OTHER)?;
        let mut known = self.code.asm.create_label();
        for &stride in &strides {
            let distances = self.code.constant(|lane| lane * stride);
            let mut other = self.code.asm.create_label();
            self.code.asm.mov(edi, stride)?;
            self.compare(Comparison::NotEqual, OTHER, distances)?;
            let asm = &mut self.code.asm;
            if self.lanes == EmittedLanes::All || stride <= DWORD {
                asm.je(known)?;
                continue;
            }
            asm.jne(other)?;
            self.code.first_lane(eax, low)?;
            let share_bytes = dword_ptr(frame(offset_of!(Frame, share_bytes)));
            let lanes = self.code.width.lanes() as u32;
            self.jump_unless_inside((lanes - 1) * stride + end, share_bytes, other)?;
            let asm = &mut self.code.asm;
            asm.jmp(known)?;
            asm.set_label(&mut other)?;
            asm.zero_bytes()?;
        }
        let at = self.code.slot(kept_at);
        let share = qword_ptr(frame(offset_of!(Frame, share)));
        if self.has_halves() {
            self.spread_halves(low)?;
            self.code.vpsubd(OTHER, low, SCRATCH)?;
            self.middle_lane(low)?;
            let asm = &mut self.code.asm;
            asm.add(rsi, share)?;
            asm.mov(qword_ptr(at + BASE_MIDDLE), rsi)?;
            for &stride in &strides {
                self.code.asm.mov(edi, (stride | HALVES) as i32)?;
                let distances = self.code.constant(|lane| lane % HALF * stride);
                self.compare(Comparison::NotEqual, OTHER, distances)?;
                self.code.asm.je(known)?;
            }
        }
        let asm = &mut self.code.asm;
        asm.mov(edi, APART)?;
        asm.set_label(&mut known)?;
        asm.mov(dword_ptr(at + BASE_STRIDE), edi)?;
        // Negative only if lane 0 is inactive.
        self.code.first_lane(eax, low)?;
        let asm = &mut self.code.asm;
        asm.movsxd(rax, eax)?;
        asm.add(rax, share)?;
        asm.mov(qword_ptr(at), rax)?;
        Ok(kept_at)
    }

    /// Checks the addresses of an access. Leaves the elements' offsets, relative to the address in RDX, in [`OTHER`].
    pub(super) fn check_access(
        &mut self,
        place: usize,
        number: u8,
        access: Access,
        [low, high]: [Id; 2],
    ) -> Result<(), EmitError> {
        let low = self.in_register(low, place)?;
        let number = self.first_access + usize::from(number);
        let count = Place::Uniform(self.count(number, access));
        let windows = qword_ptr(frame(offset_of!(Frame, windows)));
        let field = |offset| Place::Uniform(window(number, offset));
        let pointer = qword_ptr(window(number, offset_of!(Window, pointer)));
        match access.space {
            Space::Global => {
                let high = self.in_register(high, place)?;
                let miss = Miss {
                    label: self.code.asm.create_label(),
                    retry: self.code.asm.create_label(),
                    access: number,
                    address: [low, high],
                };
                let asm = &mut self.code.asm;
                let mut retry = miss.retry;
                asm.zero_bytes()?;
                asm.set_label(&mut retry)?;
                asm.mov(r9, windows)?;
                self.code
                    .vpsubd(OTHER, low, field(offset_of!(Window, low)))?;
                self.jump_if_outside(high, field(offset_of!(Window, high)), count, miss.label)?;
                self.misses.push(miss);
                self.code.asm.mov(rdx, pointer)?;
            }
            Space::GlobalFrom(_) | Space::Buffer(_) => {
                self.code.asm.mov(r9, windows)?;
                self.code.load(OTHER, low)?;
                self.compare(Comparison::AtLeast, OTHER, count)?;
                let asm = &mut self.code.asm;
                asm.jne(self.guarded)?;
                asm.mov(rdx, pointer)?;
            }
            Space::Share(mask) => {
                let offset = self.code.constant(|_| access.offset as u32);
                self.code.vpaddd(OTHER, low, offset)?;
                if mask != u32::MAX {
                    let mask = self.code.constant(|_| mask);
                    self.code.vpand(OTHER, OTHER, mask)?;
                }
                self.compare(Comparison::AtLeast, OTHER, count)?;
                let asm = &mut self.code.asm;
                asm.jne(self.guarded)?;
                asm.mov(rdx, qword_ptr(frame(offset_of!(Frame, share))))?;
            }
        }
        Ok(())
    }

    /// Number of valid offsets of an access: in LDS, or in window `number` of the array at R9.
    pub(super) fn count(&self, number: usize, access: Access) -> AsmMemoryOperand {
        match access.space {
            Space::Global | Space::GlobalFrom(_) | Space::Buffer(_) => {
                window(number, offset_of!(Window, count))
            }
            Space::Share(_) => {
                let size = SHARE_SIZES.iter().position(|bytes| *bytes == access.bytes);
                let row = size.unwrap_or(SHARE_SIZES.len() - 1);
                frame(offset_of!(Frame, share_counts) + row * size_of::<[u32; COPIES]>())
            }
        }
    }

    /// Jumps if the offset of an active lane in [`OTHER`] is not below `count`, or the lane's high dwords differ. The
    /// failing lanes are then in EAX for AVX2, and in two mask registers for AVX-512.
    fn jump_if_outside(
        &mut self,
        high: Vector,
        window_high: Place,
        count: Place,
        label: CodeLabel,
    ) -> Result<(), EmitError> {
        let all_active = self.lanes == EmittedLanes::All;
        if self.code.width == Width::Avx512 {
            let [differs, is_outside] = [MaskRegister::SCRATCH, MaskRegister::OTHER];
            let [differs_to, outside_to] = [differs, is_outside].map(|it| self.active(it));
            let (unequal, at_least) = (Comparison::NotEqual as u32, Comparison::AtLeast as u32);
            self.code
                .unsigned_mask(differs_to, high, window_high, unequal)?;
            self.code
                .unsigned_mask(outside_to, OTHER, count, at_least)?;
            self.code.asm.kortestw(differs.k(), is_outside.k())?;
        } else {
            self.code.vpcmpeqd(SCRATCH, high, window_high)?;
            self.code.asm.vmovmskps(eax, SCRATCH.ymm())?;
            self.code.vpmaxud(SCRATCH, OTHER, count)?;
            self.code.vpcmpeqd(SCRATCH, SCRATCH, OTHER)?;
            let asm = &mut self.code.asm;
            asm.vmovmskps(edx, SCRATCH.ymm())?;
            asm.xor(eax, Width::Avx2.all())?;
            asm.or(eax, edx)?;
            if !all_active {
                asm.movzx(edx, byte_ptr(mask_bits(regs::EXEC_LO)))?;
                asm.and(eax, edx)?;
            }
        }
        self.code.asm.jne(label)?;
        Ok(())
    }

    /// Mask register as the destination of a comparison of the active lanes.
    fn active(&self, mask: MaskRegister) -> AsmRegisterK {
        if self.lanes == EmittedLanes::All {
            mask.k()
        } else {
            mask.k().k7()
        }
    }

    /// Compares two vectors. The next JNE jumps if the comparison holds in an active lane.
    pub(super) fn compare(
        &mut self,
        comparison: Comparison,
        a: Vector,
        b: impl Into<Place>,
    ) -> Result<(), EmitError> {
        let all_active = self.lanes == EmittedLanes::All;
        if self.code.width == Width::Avx512 {
            let mask = MaskRegister::SCRATCH;
            let to = self.active(mask);
            self.code.unsigned_mask(to, a, b, comparison as u32)?;
            self.code.asm.kortestw(mask.k(), mask.k())?;
            return Ok(());
        }
        match comparison {
            Comparison::AtLeast => {
                self.code.vpmaxud(SCRATCH, a, b)?;
                self.code.vpcmpeqd(SCRATCH, SCRATCH, a)?;
                self.test(SCRATCH)
            }
            Comparison::NotEqual => {
                self.code.vpcmpeqd(SCRATCH, a, b)?;
                let asm = &mut self.code.asm;
                asm.vmovmskps(eax, SCRATCH.ymm())?;
                if !all_active {
                    asm.movzx(esi, byte_ptr(mask_bits(regs::EXEC_LO)))?;
                    asm.xor(esi, Width::Avx2.all())?;
                    asm.or(eax, esi)?;
                }
                asm.cmp(eax, Width::Avx2.all())?;
                Ok(())
            }
        }
    }

    /// Tests an AVX2 mask. The next JNE jumps if it is set in an active lane.
    fn test(&mut self, mask: Vector) -> Result<(), EmitError> {
        let exec = ymmword_ptr(self.code.slot(EXEC));
        let mask = mask.ymm();
        if self.lanes == EmittedLanes::All {
            self.code.asm.vptest(mask, mask)?;
        } else {
            self.code.asm.vtestps(mask, exec)?;
        }
        Ok(())
    }

    /// Jumps to the guard's code if a vector has bits in an active lane. Clobbers the vector.
    fn jump_if_set(&mut self, vector: Vector) -> Result<(), EmitError> {
        if self.code.width == Width::Avx512 {
            let mask = MaskRegister::SCRATCH;
            let to = self.active(mask);
            let asm = &mut self.code.asm;
            asm.vptestmd(to, vector.zmm(), vector.zmm())?;
            asm.kortestw(mask.k(), mask.k())?;
        } else {
            let exec = self.code.slot(EXEC);
            if self.lanes != EmittedLanes::All {
                self.code.vpand(vector, vector, Place::Memory(exec))?;
            }
            self.code.asm.vptest(vector.ymm(), vector.ymm())?;
        }
        self.code.asm.jne(self.guarded)?;
        Ok(())
    }

    /// Jumps unless the active lanes' elements of `bytes` bytes at the offsets in [`OTHER`] are adjacent.
    pub(super) fn jump_unless_row(
        &mut self,
        bytes: u32,
        label: CodeLabel,
    ) -> Result<(), EmitError> {
        let distances = self.code.constant(|lane| lane * bytes);
        self.code.broadcast(SCRATCH, OTHER)?;
        self.code.vpaddd(SCRATCH, SCRATCH, distances)?;
        self.jump_unless_equal(label)
    }

    /// Jumps unless [`SCRATCH`] and [`OTHER`] are equal in all active lanes.
    pub(super) fn jump_unless_equal(&mut self, label: CodeLabel) -> Result<(), EmitError> {
        self.compare(Comparison::NotEqual, SCRATCH, OTHER)?;
        self.code.asm.jne(label)?;
        Ok(())
    }

    /// Loads the offset of lane 0 into RAX. It is negative only if the lane is inactive.
    pub(super) fn first_place(&mut self) -> Result<(), EmitError> {
        self.code.first_lane(eax, OTHER)?;
        self.code.asm.movsxd(rax, eax)?;
        Ok(())
    }

    /// Emits the out-of-line code for failed checks, scattered stores and prefetches, and a jump over it.
    pub(super) fn cold(&mut self) -> Result<(), EmitError> {
        let misses = std::mem::take(&mut self.misses);
        let scattered = std::mem::take(&mut self.scattered);
        let prefetches = std::mem::take(&mut self.prefetches);
        if misses.is_empty() && scattered.is_empty() && prefetches.is_empty() {
            return Ok(());
        }
        let all_active = self.lanes == EmittedLanes::All;
        let helpers = self.code.helpers();
        let asm = &mut self.code.asm;
        let mut end = asm.create_label();
        asm.jmp(end)?;
        for mut miss in misses {
            self.code.asm.set_label(&mut miss.label)?;
            for (number, register) in miss.address.into_iter().enumerate() {
                self.code.store(kept(number), register)?;
            }
            let asm = &mut self.code.asm;
            asm.mov(esi, miss.access as u32)?;
            if self.code.width == Width::Avx512 {
                let [failing, other] =
                    [MaskRegister::SCRATCH, MaskRegister::OTHER].map(|it| it.k());
                asm.korw(failing, failing, other)?;
                asm.kmovw(edx, failing)?;
            } else {
                asm.mov(edx, eax)?;
            }
            asm.call(helpers.find)?;
            asm.test(eax, eax)?;
            asm.jne(miss.retry)?;
            asm.jmp(self.guarded)?;
        }
        for mut scattered in scattered {
            let elements = scattered.elements;
            let scatter = self.code.scatter_function(elements);
            self.code.asm.set_label(&mut scattered.label)?;
            if let (Width::Avx512, [value]) = (self.code.width, &*scattered.values)
                && elements.bytes == DWORD
            {
                self.code.scatter(*value, 0, all_active)?;
                self.code.asm.jmp(scattered.behind)?;
                continue;
            }
            if elements.count == 1 {
                self.code.store(kept(0), OTHER)?;
            }
            for (number, value) in (elements.count..).zip(&scattered.values) {
                self.code.store(kept(number), *value)?;
            }
            if all_active {
                let all = self.code.width.all();
                self.code.asm.mov(eax, all)?;
            } else {
                self.code.load_mask(regs::EXEC_LO)?;
            }
            let asm = &mut self.code.asm;
            asm.call(scatter)?;
            asm.jmp(scattered.behind)?;
        }
        let asm = &mut self.code.asm;
        for mut prefetch in prefetches {
            asm.set_label(&mut prefetch.label)?;
            asm.mov(edi, u32::from(prefetch.visit) * size_of::<Visit>() as u32)?;
            asm.call(helpers.prefetch)?;
            asm.jmp(prefetch.behind)?;
        }
        asm.set_label(&mut end)?;
        asm.zero_bytes()?;
        Ok(())
    }
}

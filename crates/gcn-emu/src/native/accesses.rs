//! Host code for the memory accesses of a part. Comments on functions describe the code that they emit.
//!
//! Host code checks global addresses against the window of their access. If a lane's address is outside,
//! [`Frame::find`] looks for another window; if there is none, the interpreter executes this slice and the remaining
//! ones. Adjacent dwords of a slice are moved together.

use std::mem::offset_of;

use gcn_isa::regs;
use iced_x86::code_asm::{
    AsmMemoryOperand, AsmRegisterK, CodeLabel, byte_ptr, dword_ptr, eax, edi, edx, esi, qword_ptr,
    r9, r14, rax, rdx, rsi, ymmword_ptr,
};

use super::access::{Access, Space};
use super::bases::{APART, BASE_MIDDLE, BASE_STRIDE, HALF, HALVES, ignored_bits};
use super::frame::{Frame, SHARE_SIZES};
use super::graph::Id;
use super::host::{MaskRegister, OTHER, Place, Row, SCRATCH, Vector, Width};
use super::masks::Comparison;
use super::places::{EXEC, EmitError, EmittedLanes, Emitter, Miss, SLOTS, mask_bits};
use crate::memory::{COPIES, Window};
use crate::wave::Visit;

/// Size of a dword in bytes.
pub(super) const DWORD: u32 = 4;

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
pub(super) fn kept_dword(number: usize) -> AsmMemoryOperand {
    dword_ptr(r14 + rsi * 4 + (offset_of!(Frame, slice) + number * size_of::<Row>()))
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

    /// Checks the offsets of the loads that share a base and finds their stride. Returns the stack slot of the results:
    /// lane 0's address, followed by the fields at [`BASE_STRIDE`] and [`BASE_MIDDLE`].
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
        // The offset is negative only if lane 0 is inactive.
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

    /// Jumps if an active lane's offset in [`OTHER`] is not below `count`, or the high dword of its address differs
    /// from the window's. The failing lanes are then in EAX (AVX2) or in two mask registers (AVX-512).
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

    /// Mask register as the destination of a comparison that covers only active lanes.
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

    /// Jumps to `guarded` if a vector has a bit set in an active lane. Clobbers the vector.
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

    /// Loads the offset of lane 0 into RAX. The offset is negative only if the lane is inactive.
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
            let scatter = self.code.scatter_function(elements);
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

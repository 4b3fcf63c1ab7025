//! AVX2 code for the memory accesses of a part. Comments on functions describe the code that they emit.
//!
//! Host code checks global addresses against the window of their access. If a lane's address is outside,
//! [`Frame::find`] looks for another window; if there is none, the interpreter executes this slice and the remaining
//! ones. The dwords of a slice are moved together if they are adjacent.

use std::mem::offset_of;

use gcn_isa::regs;
use iced_x86::code_asm::{
    AsmMemoryOperand, CodeLabel, byte_ptr, dword_ptr, eax, ecx, edi, edx, esi, qword_ptr, r8, r8d,
    r9, r9b, r9d, r9w, r10, r11, r14, rax, rcx, rdi, rdx, rsi, rsp, word_ptr, xmmword_ptr,
    ymmword_ptr,
};

use super::access::{Access, BufferAccess, ScalarSource, Space, StoredElements};
use super::bases::{APART, ignored_bits};
use super::frame::{BASE_HIGH_BITS, Frame, SHARE_SIZES, VALUES, WORDS};
use super::graph::{Id, SLICE};
use super::lower::Lowered;
use super::places::{
    Assembly, EXEC, EmitError, EmittedLanes, Emitter, Helpers, Miss, OTHER, SCRATCH, SLICE_BYTES,
    SLOTS, YMM, low_half, mask_byte, scalar, slot,
};
use crate::lanes::LANES;
use crate::memory::Window;
use crate::wave::{Strides, Visit};

/// Size of a dword in bytes.
pub(super) const DWORD: u32 = 4;
/// Size of a host cache line in bytes.
const LINE: usize = 64;
/// Mask of all lanes of a slice.
pub(super) const ALL: i32 = (1 << SLICE) - 1;

pub(super) fn frame(offset: usize) -> AsmMemoryOperand {
    r14 + offset
}

/// Field of an access's window. R9 holds the address of the window array.
pub(super) fn window(access: usize, offset: usize) -> AsmMemoryOperand {
    r9 + access * size_of::<Window>() + offset
}

/// Row of the frame that passes a slice's values to a helper.
pub(super) fn kept(number: usize) -> AsmMemoryOperand {
    ymmword_ptr(frame(offset_of!(Frame, slice) + number * SLICE_BYTES))
}

/// Dword of lane RSI in the row that [`kept`] returns.
fn kept_dword(number: usize) -> AsmMemoryOperand {
    dword_ptr(r14 + rsi * 4 + (offset_of!(Frame, slice) + number * SLICE_BYTES))
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
        let words = low_half(SCRATCH);
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
    fn scatter(&mut self, elements: StoredElements) -> CodeLabel {
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
        let asm = &mut self.asm;
        let saved = |number: usize| {
            let offset = offset_of!(Frame, registers) + number * SLICE_BYTES;
            ymmword_ptr(frame(offset))
        };
        asm.set_label(&mut helpers.find)?;
        for (number, register) in YMM.iter().enumerate().take(VALUES) {
            asm.vmovdqu(saved(number), *register)?;
        }
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
        for (number, register) in YMM.iter().enumerate().take(VALUES) {
            asm.vmovdqu(*register, saved(number))?;
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
    /// [`OTHER`], both without the load's constant offset. Returns a memory operand with the stride between lanes.
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
        let at = rsp + (slot * SLICE_BYTES) as i32;
        self.code.asm.mov(rdx, qword_ptr(at))?;
        self.code.asm.vmovdqa(OTHER, low)?;
        Ok(Some(dword_ptr(at + size_of::<u64>())))
    }

    /// Checks the offsets of the loads that share a base and finds their stride. Returns the stack slot that holds
    /// lane 0's address and the stride.
    fn find_base(&mut self, place: usize, number: usize) -> Result<usize, EmitError> {
        let base = &self.bases[number];
        let (low, end, ignored) = (base.low, base.end, base.ignored);
        let strides = base.strides.clone();
        let low = self.in_register(low, place)?;
        // The last byte has the largest offset, unless its offset wraps around.
        let last = self.constant([end - 1; SLICE]);
        let asm = &mut self.code.asm;
        asm.vpaddd(OTHER, low, last)?;
        asm.vpmaxud(OTHER, OTHER, low)?;
        const _: () = assert!(SHARE_SIZES[0] == 1);
        let bytes = ymmword_ptr(frame(offset_of!(Frame, share_counts)));
        self.jump_if_outside(bytes, false, self.guarded)?;
        if ignored != 0 {
            let ignored = self.constant([ignored; SLICE]);
            let asm = &mut self.code.asm;
            asm.vpand(SCRATCH, low, ignored)?;
            if self.lanes != EmittedLanes::All {
                asm.vpand(SCRATCH, SCRATCH, slot(EXEC))?;
            }
            asm.vptest(SCRATCH, SCRATCH)?;
            asm.jne(self.guarded)?;
        }
        let kept_at = self.slots;
        if kept_at == SLOTS {
            return Err(EmitError::Slots);
        }
        self.slots += 1;
        self.bases[number].slot = Some(kept_at);
        let asm = &mut self.code.asm;
        asm.vpbroadcastd(OTHER, low_half(low))?;
        asm.vpsubd(OTHER, low, OTHER)?;
        if self.lanes != EmittedLanes::All {
            asm.movzx(edx, byte_ptr(mask_byte(regs::EXEC_LO)))?;
            asm.xor(edx, ALL)?;
        }
        let mut known = asm.create_label();
        for stride in strides {
            let distances = self.constant(std::array::from_fn(|lane| lane as u32 * stride));
            let asm = &mut self.code.asm;
            let mut other = asm.create_label();
            asm.mov(edi, stride)?;
            asm.vpcmpeqd(SCRATCH, OTHER, distances)?;
            asm.vmovmskps(eax, SCRATCH)?;
            if self.lanes != EmittedLanes::All {
                asm.or(eax, edx)?;
            }
            asm.cmp(eax, ALL)?;
            if self.lanes == EmittedLanes::All || stride <= DWORD {
                asm.je(known)?;
                continue;
            }
            asm.jne(other)?;
            asm.vmovd(eax, low_half(low))?;
            let share_bytes = dword_ptr(frame(offset_of!(Frame, share_bytes)));
            self.jump_unless_inside((SLICE as u32 - 1) * stride + end, share_bytes, other)?;
            let asm = &mut self.code.asm;
            asm.jmp(known)?;
            asm.set_label(&mut other)?;
            asm.zero_bytes()?;
        }
        let asm = &mut self.code.asm;
        asm.mov(edi, APART)?;
        asm.set_label(&mut known)?;
        let at = rsp + (kept_at * SLICE_BYTES) as i32;
        asm.mov(dword_ptr(at + size_of::<u64>()), edi)?;
        // Negative only if lane 0 is inactive.
        asm.vmovd(eax, low_half(low))?;
        asm.movsxd(rax, eax)?;
        asm.add(rax, qword_ptr(frame(offset_of!(Frame, share))))?;
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
        let count = ymmword_ptr(self.count(number, access));
        let windows = qword_ptr(frame(offset_of!(Frame, windows)));
        let field = |offset| ymmword_ptr(window(number, offset));
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
                asm.vpsubd(OTHER, low, field(offset_of!(Window, low)))?;
                asm.vpcmpeqd(SCRATCH, high, field(offset_of!(Window, high)))?;
                asm.vmovmskps(eax, SCRATCH)?;
                self.jump_if_outside(count, true, miss.label)?;
                self.misses.push(miss);
                self.code.asm.mov(rdx, pointer)?;
            }
            Space::GlobalFrom(_) | Space::Buffer(_) => {
                let asm = &mut self.code.asm;
                asm.mov(r9, windows)?;
                asm.vmovdqa(OTHER, low)?;
                self.jump_if_outside(count, false, self.guarded)?;
                self.code.asm.mov(rdx, pointer)?;
            }
            Space::Share(mask) => {
                let offset = self.constant([access.offset as u32; SLICE]);
                let mask = (mask != u32::MAX).then(|| self.constant([mask; SLICE]));
                let asm = &mut self.code.asm;
                asm.vpaddd(OTHER, low, offset)?;
                if let Some(mask) = mask {
                    asm.vpand(OTHER, OTHER, mask)?;
                }
                self.jump_if_outside(count, false, self.guarded)?;
                let share = qword_ptr(frame(offset_of!(Frame, share)));
                self.code.asm.mov(rdx, share)?;
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
                frame(offset_of!(Frame, share_counts) + row * SLICE_BYTES)
            }
        }
    }

    /// Jumps if the offset of an active lane in [`OTHER`] is not below `count` or, with `has_bits`, if the lane's bit
    /// in EAX is clear. With `has_bits`, EAX then holds the failing lanes.
    pub(super) fn jump_if_outside(
        &mut self,
        count: AsmMemoryOperand,
        has_bits: bool,
        label: CodeLabel,
    ) -> Result<(), EmitError> {
        let asm = &mut self.code.asm;
        asm.vpmaxud(SCRATCH, OTHER, count)?;
        asm.vpcmpeqd(SCRATCH, SCRATCH, OTHER)?;
        let all_active = self.lanes == EmittedLanes::All;
        match (has_bits, all_active) {
            (false, true) => asm.vptest(SCRATCH, SCRATCH)?,
            (false, false) => asm.vtestps(SCRATCH, slot(EXEC))?,
            (true, _) => {
                asm.vmovmskps(edx, SCRATCH)?;
                asm.xor(eax, ALL)?;
                asm.or(eax, edx)?;
                if !all_active {
                    asm.movzx(edx, byte_ptr(mask_byte(regs::EXEC_LO)))?;
                    asm.and(eax, edx)?;
                }
            }
        }
        asm.jne(label)?;
        Ok(())
    }

    /// Jumps unless the active lanes' elements of `bytes` bytes at the offsets in [`OTHER`] are adjacent.
    pub(super) fn jump_unless_row(
        &mut self,
        bytes: u32,
        label: CodeLabel,
    ) -> Result<(), EmitError> {
        let distances = self.constant(std::array::from_fn(|lane| lane as u32 * bytes));
        let asm = &mut self.code.asm;
        asm.vpbroadcastd(SCRATCH, low_half(OTHER))?;
        asm.vpaddd(SCRATCH, SCRATCH, distances)?;
        self.jump_unless_equal(label)
    }

    /// Jumps unless [`SCRATCH`] and [`OTHER`] are equal in all active lanes.
    pub(super) fn jump_unless_equal(&mut self, label: CodeLabel) -> Result<(), EmitError> {
        let asm = &mut self.code.asm;
        asm.vpcmpeqd(SCRATCH, SCRATCH, OTHER)?;
        asm.vmovmskps(eax, SCRATCH)?;
        if self.lanes != EmittedLanes::All {
            asm.movzx(esi, byte_ptr(mask_byte(regs::EXEC_LO)))?;
            asm.xor(esi, ALL)?;
            asm.or(eax, esi)?;
        }
        asm.cmp(eax, ALL)?;
        asm.jne(label)?;
        Ok(())
    }

    /// Loads the offset of lane 0 into RAX. It is negative only if the lane is inactive.
    pub(super) fn first_place(&mut self) -> Result<(), EmitError> {
        self.code.asm.vmovd(eax, low_half(OTHER))?;
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
            asm.set_label(&mut miss.label)?;
            for (number, register) in miss.address.into_iter().enumerate() {
                asm.vmovdqu(kept(number), register)?;
            }
            asm.mov(esi, miss.access as u32)?;
            asm.mov(edx, eax)?;
            asm.call(helpers.find)?;
            asm.test(eax, eax)?;
            asm.jne(miss.retry)?;
            asm.jmp(self.guarded)?;
        }
        for mut scattered in scattered {
            let elements = scattered.elements;
            let scatter = self.code.scatter(elements);
            let asm = &mut self.code.asm;
            asm.set_label(&mut scattered.label)?;
            if elements.count == 1 {
                asm.vmovdqu(kept(0), OTHER)?;
            }
            for (number, value) in (elements.count..).zip(&scattered.values) {
                asm.vmovdqu(kept(number), *value)?;
            }
            if all_active {
                asm.mov(eax, ALL)?;
            } else {
                asm.movzx(eax, byte_ptr(mask_byte(regs::EXEC_LO)))?;
            }
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

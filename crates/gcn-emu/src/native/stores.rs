//! Host code for stores. The elements of a slice are stored together if they are adjacent, and otherwise lane by lane.

use std::mem::offset_of;

use gcn_isa::regs;
use iced_x86::code_asm::{
    AsmMemoryOperand, dword_ptr, eax, edi, esi, qword_ptr, r9, rax, rcx, rdx, rsi, word_ptr,
    xmmword_ptr, ymmword_ptr,
};

use super::access::{Access, Space};
use super::accesses::{DWORD, frame, kept, window};
use super::frame::Frame;
use super::host::{MaskRegister, OTHER, Place, Row, SCRATCH, Vector, Width};
use super::places::{EmitError, EmittedLanes, Emitter, ROW, Scattered, mask_bits};
use crate::memory::Window;

impl Emitter<'_> {
    /// Emits the part's stores. `first` is the position of the first one in the order of operations.
    pub(super) fn stores(&mut self, first: usize) -> Result<(), EmitError> {
        let lowered = self.lowered;
        for (place, store) in (first..).zip(&lowered.accesses.stores) {
            let access = lowered.accesses.all[usize::from(store.access)];
            let mut values = Vec::new();
            for id in &store.values {
                values.push(self.in_register(*id, place)?);
            }
            if access.row().is_some() {
                self.store_lanes(&values, store.access)?;
                continue;
            }
            let scattered = Scattered {
                label: self.code.asm.create_label(),
                behind: self.code.asm.create_label(),
                elements: store.elements,
                values,
            };
            self.check_access(place, store.access, access, store.address)?;
            if store.elements.count > 1 {
                self.code.store(kept(0), OTHER)?;
                let second = lowered.accesses.all[usize::from(store.access) + 1];
                self.check_access(place, store.access + 1, second, store.address)?;
                self.code.store(kept(1), OTHER)?;
            }
            self.store_row(&scattered, access, store.access)?;
            let mut behind = scattered.behind;
            self.code.asm.set_label(&mut behind)?;
            self.code.asm.zero_bytes()?;
            self.scattered.push(scattered);
        }
        Ok(())
    }

    /// Stores adjacent elements at the offsets in [`OTHER`]. Jumps to the scattered store if they are not adjacent.
    fn store_row(
        &mut self,
        store: &Scattered,
        access: Access,
        number: u8,
    ) -> Result<(), EmitError> {
        let all_active = self.lanes == EmittedLanes::All;
        match (store.elements.count, &*store.values) {
            (1, [value]) if store.elements.bytes == DWORD => {
                self.jump_unless_row(DWORD, store.label)?;
                self.first_place()?;
                let to = rdx + rax;
                if all_active {
                    self.code.store(to, *value)?;
                } else if matches!(access.space, Space::Share(_)) {
                    self.merge_row(to, *value, (access, number))?;
                } else {
                    self.store_active(to, *value)?;
                }
            }
            (1, [value]) if all_active => {
                self.jump_unless_row(store.elements.bytes, store.label)?;
                self.first_place()?;
                self.store_parts(*value, store.elements.bytes)?;
            }
            (1, values) if all_active => {
                self.jump_unless_row(store.elements.bytes, store.label)?;
                self.first_place()?;
                self.store_elements(values)?;
            }
            (1, [first, second]) if matches!(access.space, Space::Share(_)) => {
                self.jump_unless_row(store.elements.bytes, store.label)?;
                self.first_place()?;
                let count = self.count(usize::from(number) + self.first_access, access);
                let last = (self.code.width.lanes() as u32 - 1) * store.elements.bytes;
                self.jump_unless_inside(last + 1, dword_ptr(count), store.label)?;
                self.merge_pairs(*first, *second)?;
            }
            (2, [first, second]) if all_active => {
                self.jump_unless_row(DWORD, store.label)?;
                self.code.load(OTHER, Place::Memory(kept(0)))?;
                self.jump_unless_row(DWORD, store.label)?;
                let [from, to] = [0, 1].map(|number| {
                    dword_ptr(frame(offset_of!(Frame, slice) + number * size_of::<Row>()))
                });
                // Lanes store in order, which matters if their elements overlap.
                let near = self.code.width.bytes() as i32 - 1;
                let asm = &mut self.code.asm;
                asm.mov(eax, from)?;
                asm.mov(esi, to)?;
                asm.mov(edi, eax)?;
                asm.sub(edi, esi)?;
                asm.add(edi, near)?;
                asm.cmp(edi, 2 * near)?;
                asm.jbe(store.label)?;
                self.code.store(rdx + rax, *first)?;
                self.code.store(rdx + rsi, *second)?;
            }
            _ => self.code.asm.jmp(store.label)?,
        }
        Ok(())
    }

    /// Stores dwords in rows of scratch. Each lane has separate dwords, so dwords of inactive lanes can be rewritten
    /// unchanged. If all lanes store to the same element, the interpreter executes the store.
    fn store_lanes(&mut self, values: &[Vector], number: u8) -> Result<(), EmitError> {
        let all_active = self.lanes == EmittedLanes::All;
        let number = self.first_access + usize::from(number);
        let guarded = self.guarded;
        let asm = &mut self.code.asm;
        asm.mov(r9, qword_ptr(frame(offset_of!(Frame, windows))))?;
        asm.mov(rdx, qword_ptr(window(number, offset_of!(Window, pointer))))?;
        asm.cmp(dword_ptr(window(number, offset_of!(Window, low))), 0)?;
        asm.je(guarded)?;
        if !all_active {
            self.code.load_exec()?;
        }
        for (dword, value) in values.iter().enumerate() {
            let to = rdx + rcx + dword * ROW;
            if all_active {
                self.code.store(to, *value)?;
            } else {
                self.merge(to, *value)?;
            }
        }
        Ok(())
    }

    /// Replaces the active lanes of a row. The caller must emit [`Assembly::load_exec`](super::places::Assembly) first.
    fn merge(&mut self, to: AsmMemoryOperand, value: Vector) -> Result<(), EmitError> {
        self.code.load(OTHER, Place::Memory(to))?;
        self.code.merge_active(OTHER, value)?;
        self.code.store(to, OTHER)?;
        Ok(())
    }

    /// Stores the active lanes of a row, and accesses no other memory.
    fn store_active(&mut self, to: AsmMemoryOperand, value: Vector) -> Result<(), EmitError> {
        if self.code.width == Width::Avx512 {
            self.code.store_where(MaskRegister::EXEC, to, value)?;
        } else {
            self.code.load_exec()?;
            let (mask, value) = (SCRATCH.ymm(), value.ymm());
            self.code.asm.vpmaskmovd(ymmword_ptr(to), mask, value)?;
        }
        Ok(())
    }

    /// Stores adjacent dwords of active lanes in LDS, at the offset in RAX. No other thread stores to LDS, so the
    /// whole row is rewritten, which is faster on the host than a masked store.
    fn merge_row(
        &mut self,
        to: AsmMemoryOperand,
        value: Vector,
        (access, number): (Access, u8),
    ) -> Result<(), EmitError> {
        let count = self.count(usize::from(number) + self.first_access, access);
        let asm = &mut self.code.asm;
        let (mut outside, mut done) = (asm.create_label(), asm.create_label());
        let last = (self.code.width.lanes() as u32 - 1) * DWORD;
        self.jump_unless_inside(last + 1, dword_ptr(count), outside)?;
        self.code.load_exec()?;
        self.merge(to, value)?;
        let asm = &mut self.code.asm;
        asm.jmp(done)?;
        asm.set_label(&mut outside)?;
        self.store_active(to, value)?;
        self.code.asm.set_label(&mut done)?;
        self.code.asm.zero_bytes()?;
        Ok(())
    }

    /// Variant of [`Emitter::merge_row`] for elements of two dwords, whose offsets are all inside LDS.
    fn merge_pairs(&mut self, a: Vector, b: Vector) -> Result<(), EmitError> {
        if self.code.width == Width::Avx512 {
            return self.merge_wide_pairs(a, b);
        }
        let (a, b, scratch, other) = (a.ymm(), b.ymm(), SCRATCH.ymm(), OTHER.ymm());
        let (new, low) = (ymmword_ptr(kept(0)), OTHER.xmm());
        for first in [0, 2] {
            // Lane `first`, the next lane, and the two lanes half a slice after them.
            let [near, far] = [first, first + 4].map(|lane| xmmword_ptr(rdx + rax + lane * 8));
            let is_low = first == 0;
            let asm = &mut self.code.asm;
            if is_low {
                asm.vunpcklps(scratch, a, b)?;
            } else {
                asm.vunpckhps(scratch, a, b)?;
            }
            asm.vmovdqu(new, scratch)?;
            asm.vmovdqu(low, near)?;
            asm.vinserti128(other, other, far, 1)?;
            self.code.load_exec()?;
            let asm = &mut self.code.asm;
            if is_low {
                asm.vunpcklps(scratch, scratch, scratch)?;
            } else {
                asm.vunpckhps(scratch, scratch, scratch)?;
            }
            asm.vblendvps(other, other, new, scratch)?;
            asm.vmovdqu(near, low)?;
            asm.vextracti128(far, other, 1)?;
        }
        Ok(())
    }

    /// [`Emitter::merge_pairs`] for AVX-512.
    fn merge_wide_pairs(&mut self, a: Vector, b: Vector) -> Result<(), EmitError> {
        /// Even bits, to which the bits of the lanes are spread before each is doubled.
        const EVEN: u32 = 0x5555_5555;
        let mask = MaskRegister::SCRATCH;
        let asm = &mut self.code.asm;
        // Two adjacent bits for each lane.
        asm.movzx(esi, word_ptr(mask_bits(regs::EXEC_LO)))?;
        asm.mov(edi, EVEN)?;
        asm.pdep(esi, esi, edi)?;
        asm.lea(esi, dword_ptr(rsi + rsi * 2))?;
        for row in 0..2 {
            let to = rdx + rax + row * Width::Avx512.bytes();
            self.code.element_row(&[a, b], row)?;
            self.code.load(OTHER, Place::Memory(to))?;
            self.code.asm.kmovw(mask.k(), esi)?;
            self.code.load_where(mask, OTHER, SCRATCH, true)?;
            self.code.store(to, OTHER)?;
            self.code.asm.shr(esi, Width::Avx512.lanes() as u32)?;
        }
        Ok(())
    }

    /// Stores the low bytes of dwords as adjacent elements, at the offset in RAX.
    fn store_parts(&mut self, value: Vector, bytes: u32) -> Result<(), EmitError> {
        let to = rdx + rax;
        if self.code.width == Width::Avx512 {
            let asm = &mut self.code.asm;
            if bytes == 1 {
                asm.vpmovdb(xmmword_ptr(to), value.zmm())?;
            } else {
                asm.vpmovdw(ymmword_ptr(to), value.zmm())?;
            }
            return Ok(());
        }
        const NONE: u32 = 0x8080_8080;
        let picked = match bytes {
            1 => [0x0c08_0400, NONE, NONE, NONE],
            _ => [0x0504_0100, 0x0d0c_0908, NONE, NONE],
        };
        let picked = self.code.constant(|lane| picked[lane as usize % 4]);
        let (low, high) = (SCRATCH.xmm(), OTHER.xmm());
        self.code.vpshufb(SCRATCH, value, picked)?;
        let asm = &mut self.code.asm;
        asm.vextracti128(high, SCRATCH.ymm(), 1)?;
        if bytes == 1 {
            asm.vpunpckldq(low, low, high)?;
            asm.vmovq(qword_ptr(to), low)?;
        } else {
            asm.vpunpcklqdq(low, low, high)?;
            asm.vmovdqu(xmmword_ptr(to), low)?;
        }
        Ok(())
    }

    /// Stores adjacent elements of four dwords at the offset in RAX, with one store per element.
    fn store_quads(&mut self, [a, b]: [Vector; 2], [c, d]: [Vector; 2]) -> Result<(), EmitError> {
        let [a, b, c, d] = [a, b, c, d].map(Vector::ymm);
        let (scratch, other) = (SCRATCH.ymm(), OTHER.ymm());
        let asm = &mut self.code.asm;
        for lane in 0..4 {
            if lane < 2 {
                asm.vunpcklps(scratch, a, b)?;
                asm.vunpcklps(other, c, d)?;
            } else {
                asm.vunpckhps(scratch, a, b)?;
                asm.vunpckhps(other, c, d)?;
            }
            if lane % 2 == 0 {
                asm.vunpcklpd(scratch, scratch, other)?;
            } else {
                asm.vunpckhpd(scratch, scratch, other)?;
            }
            let to = |lane: usize| xmmword_ptr(rdx + rax + lane * 16);
            asm.vmovdqu(to(lane), SCRATCH.xmm())?;
            asm.vextracti128(to(lane + 4), scratch, 1)?;
        }
        Ok(())
    }

    /// Stores adjacent elements of one or more dwords at the offset in RAX.
    fn store_elements(&mut self, values: &[Vector]) -> Result<(), EmitError> {
        let count = values.len();
        if self.code.width == Width::Avx512 {
            if matches!(count, 2 | 4) {
                for row in 0..count {
                    self.code.element_row(values, row)?;
                    let to = rdx + rax + row * Width::Avx512.bytes();
                    self.code.store(to, SCRATCH)?;
                }
            } else {
                for (dword, value) in values.iter().enumerate() {
                    self.code.scatter(*value, dword * 4, true)?;
                }
            }
            return Ok(());
        }
        if let [a, b, c, d] = *values {
            return self.store_quads([a, b], [c, d]);
        }
        let asm = &mut self.code.asm;
        let (scratch, low) = (SCRATCH.ymm(), SCRATCH.xmm());
        for (number, pair) in values.chunks(2).enumerate() {
            let to = |lane: usize| rdx + rax + (lane * count + 2 * number) * 4;
            match pair {
                [a, b] => {
                    for first in [0, 2] {
                        if first == 0 {
                            asm.vpunpckldq(scratch, a.ymm(), b.ymm())?;
                        } else {
                            asm.vpunpckhdq(scratch, a.ymm(), b.ymm())?;
                        }
                        for first in [first, first + 4] {
                            // Store-to-load forwarding works best if a load finds its element in a single store.
                            if count == 2 {
                                asm.vmovdqu(xmmword_ptr(to(first)), low)?;
                            } else {
                                asm.vmovlps(qword_ptr(to(first)), low)?;
                                asm.vmovhps(qword_ptr(to(first + 1)), low)?;
                            }
                            asm.vextracti128(low, scratch, 1)?;
                        }
                    }
                }
                [a] => {
                    asm.vmovdqa(scratch, a.ymm())?;
                    for first in [0, 4] {
                        for lane in 0..4 {
                            asm.vextractps(dword_ptr(to(first + lane)), low, lane as u32)?;
                        }
                        asm.vextracti128(low, scratch, 1)?;
                    }
                }
                _ => return Err(EmitError::Slots),
            }
        }
        Ok(())
    }
}

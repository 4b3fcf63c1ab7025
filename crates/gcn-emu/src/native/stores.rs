//! AVX2 code for stores. The elements of a slice are stored together if they are adjacent, and otherwise lane by lane.

use std::mem::offset_of;

use iced_x86::code_asm::{
    AsmMemoryOperand, AsmRegisterYmm, dword_ptr, eax, edi, esi, qword_ptr, r9, rax, rcx, rdx, rsi,
    xmmword_ptr, ymmword_ptr,
};

use super::access::{Access, Space};
use super::accesses::{DWORD, frame, kept, window};
use super::frame::Frame;
use super::graph::SLICE;
use super::places::{
    EXEC, EmitError, EmittedLanes, Emitter, OTHER, ROW, SCRATCH, SLICE_BYTES, Scattered, low_half,
    slot,
};
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
                self.code.asm.vmovdqu(kept(0), OTHER)?;
                let second = lowered.accesses.all[usize::from(store.access) + 1];
                self.check_access(place, store.access + 1, second, store.address)?;
                self.code.asm.vmovdqu(kept(1), OTHER)?;
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
                let to = ymmword_ptr(rdx + rax);
                if all_active {
                    self.code.asm.vmovdqu(to, *value)?;
                } else if matches!(access.space, Space::Share(_)) {
                    self.merge_row(to, *value, (access, number))?;
                } else {
                    self.code.asm.vmovdqa(SCRATCH, slot(EXEC))?;
                    self.code.asm.vpmaskmovd(to, SCRATCH, *value)?;
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
                let last = (SLICE as u32 - 1) * store.elements.bytes;
                self.jump_unless_inside(last + 1, dword_ptr(count), store.label)?;
                self.merge_pairs(*first, *second)?;
            }
            (2, [first, second]) if all_active => {
                self.jump_unless_row(DWORD, store.label)?;
                self.code.asm.vmovdqu(OTHER, kept(0))?;
                self.jump_unless_row(DWORD, store.label)?;
                let [from, to] = [0, 1].map(|number| {
                    dword_ptr(frame(offset_of!(Frame, slice) + number * SLICE_BYTES))
                });
                // Lanes store in order, which matters if their elements overlap.
                let near = SLICE_BYTES as i32 - 1;
                let asm = &mut self.code.asm;
                asm.mov(eax, from)?;
                asm.mov(esi, to)?;
                asm.mov(edi, eax)?;
                asm.sub(edi, esi)?;
                asm.add(edi, near)?;
                asm.cmp(edi, 2 * near)?;
                asm.jbe(store.label)?;
                asm.vmovdqu(ymmword_ptr(rdx + rax), *first)?;
                asm.vmovdqu(ymmword_ptr(rdx + rsi), *second)?;
            }
            _ => self.code.asm.jmp(store.label)?,
        }
        Ok(())
    }

    /// Stores dwords in rows of scratch. Each lane has separate dwords, so dwords of inactive lanes can be rewritten
    /// unchanged. If all lanes store to the same element, the interpreter executes the store.
    fn store_lanes(&mut self, values: &[AsmRegisterYmm], number: u8) -> Result<(), EmitError> {
        let all_active = self.lanes == EmittedLanes::All;
        let number = self.first_access + usize::from(number);
        let guarded = self.guarded;
        let asm = &mut self.code.asm;
        asm.mov(r9, qword_ptr(frame(offset_of!(Frame, windows))))?;
        asm.mov(rdx, qword_ptr(window(number, offset_of!(Window, pointer))))?;
        asm.cmp(dword_ptr(window(number, offset_of!(Window, low))), 0)?;
        asm.je(guarded)?;
        if !all_active {
            asm.vmovdqa(SCRATCH, slot(EXEC))?;
        }
        for (dword, value) in values.iter().enumerate() {
            let to = ymmword_ptr(rdx + rcx + dword * ROW);
            if all_active {
                asm.vmovdqu(to, *value)?;
            } else {
                asm.vmovdqu(OTHER, to)?;
                asm.vblendvps(OTHER, OTHER, *value, SCRATCH)?;
                asm.vmovdqu(to, OTHER)?;
            }
        }
        Ok(())
    }

    /// Stores adjacent dwords of active lanes in LDS, at the offset in RAX. No other thread stores to LDS, so the
    /// whole row is rewritten, which is faster on the host than a masked store.
    fn merge_row(
        &mut self,
        to: AsmMemoryOperand,
        value: AsmRegisterYmm,
        (access, number): (Access, u8),
    ) -> Result<(), EmitError> {
        let count = self.count(usize::from(number) + self.first_access, access);
        let asm = &mut self.code.asm;
        let (mut outside, mut done) = (asm.create_label(), asm.create_label());
        let last = (SLICE as u32 - 1) * DWORD;
        self.jump_unless_inside(last + 1, dword_ptr(count), outside)?;
        let asm = &mut self.code.asm;
        asm.vmovdqa(SCRATCH, slot(EXEC))?;
        asm.vmovdqu(OTHER, to)?;
        asm.vblendvps(OTHER, OTHER, value, SCRATCH)?;
        asm.vmovdqu(to, OTHER)?;
        asm.jmp(done)?;
        asm.set_label(&mut outside)?;
        asm.vmovdqa(SCRATCH, slot(EXEC))?;
        asm.vpmaskmovd(to, SCRATCH, value)?;
        asm.set_label(&mut done)?;
        asm.zero_bytes()?;
        Ok(())
    }

    /// Variant of [`Emitter::merge_row`] for elements of two dwords, whose offsets are all inside LDS.
    fn merge_pairs(&mut self, a: AsmRegisterYmm, b: AsmRegisterYmm) -> Result<(), EmitError> {
        let asm = &mut self.code.asm;
        let (new, low) = (kept(0), low_half(OTHER));
        for first in [0, 2] {
            // Lane `first`, the next lane, and the two lanes half a slice after them.
            let [near, far] =
                [first, first + SLICE / 2].map(|lane| xmmword_ptr(rdx + rax + lane * 8));
            let is_low = first == 0;
            if is_low {
                asm.vunpcklps(SCRATCH, a, b)?;
            } else {
                asm.vunpckhps(SCRATCH, a, b)?;
            }
            asm.vmovdqu(new, SCRATCH)?;
            asm.vmovdqu(low, near)?;
            asm.vinserti128(OTHER, OTHER, far, 1)?;
            asm.vmovdqa(SCRATCH, slot(EXEC))?;
            if is_low {
                asm.vunpcklps(SCRATCH, SCRATCH, SCRATCH)?;
            } else {
                asm.vunpckhps(SCRATCH, SCRATCH, SCRATCH)?;
            }
            asm.vblendvps(OTHER, OTHER, new, SCRATCH)?;
            asm.vmovdqu(near, low)?;
            asm.vextracti128(far, OTHER, 1)?;
        }
        Ok(())
    }

    /// Stores the low bytes of dwords as adjacent elements, at the offset in RAX.
    fn store_parts(&mut self, value: AsmRegisterYmm, bytes: u32) -> Result<(), EmitError> {
        const NONE: u32 = 0x8080_8080;
        let picked = match bytes {
            1 => [0x0c08_0400, NONE, NONE, NONE],
            _ => [0x0504_0100, 0x0d0c_0908, NONE, NONE],
        };
        let picked = self.constant(std::array::from_fn(|n| picked[n % 4]));
        let (low, high) = (low_half(SCRATCH), low_half(OTHER));
        let asm = &mut self.code.asm;
        asm.vpshufb(SCRATCH, value, picked)?;
        asm.vextracti128(high, SCRATCH, 1)?;
        if bytes == 1 {
            asm.vpunpckldq(low, low, high)?;
            asm.vmovq(qword_ptr(rdx + rax), low)?;
        } else {
            asm.vpunpcklqdq(low, low, high)?;
            asm.vmovdqu(xmmword_ptr(rdx + rax), low)?;
        }
        Ok(())
    }

    /// Stores adjacent elements of four dwords at the offset in RAX, with one store per element.
    fn store_quads(
        &mut self,
        [a, b]: [AsmRegisterYmm; 2],
        [c, d]: [AsmRegisterYmm; 2],
    ) -> Result<(), EmitError> {
        let asm = &mut self.code.asm;
        for lane in 0..SLICE / 2 {
            if lane < 2 {
                asm.vunpcklps(SCRATCH, a, b)?;
                asm.vunpcklps(OTHER, c, d)?;
            } else {
                asm.vunpckhps(SCRATCH, a, b)?;
                asm.vunpckhps(OTHER, c, d)?;
            }
            if lane % 2 == 0 {
                asm.vunpcklpd(SCRATCH, SCRATCH, OTHER)?;
            } else {
                asm.vunpckhpd(SCRATCH, SCRATCH, OTHER)?;
            }
            let to = |lane: usize| xmmword_ptr(rdx + rax + lane * 16);
            asm.vmovdqu(to(lane), low_half(SCRATCH))?;
            asm.vextracti128(to(lane + SLICE / 2), SCRATCH, 1)?;
        }
        Ok(())
    }

    /// Stores adjacent elements of one or more dwords at the offset in RAX.
    fn store_elements(&mut self, values: &[AsmRegisterYmm]) -> Result<(), EmitError> {
        if let [a, b, c, d] = *values {
            return self.store_quads([a, b], [c, d]);
        }
        let asm = &mut self.code.asm;
        let low = low_half(SCRATCH);
        for (number, pair) in values.chunks(2).enumerate() {
            let to = |lane: usize| rdx + rax + (lane * values.len() + 2 * number) * 4;
            match *pair {
                [a, b] => {
                    for first in [0, 2] {
                        if first == 0 {
                            asm.vpunpckldq(SCRATCH, a, b)?;
                        } else {
                            asm.vpunpckhdq(SCRATCH, a, b)?;
                        }
                        let is_pair = values.len() == 2;
                        for first in [first, first + SLICE / 2] {
                            // Store-to-load forwarding works best if a load finds its element in a single store.
                            if is_pair {
                                asm.vmovdqu(xmmword_ptr(to(first)), low)?;
                            } else {
                                asm.vmovlps(qword_ptr(to(first)), low)?;
                                asm.vmovhps(qword_ptr(to(first + 1)), low)?;
                            }
                            asm.vextracti128(low, SCRATCH, 1)?;
                        }
                    }
                }
                [a] => {
                    asm.vmovdqa(SCRATCH, a)?;
                    for first in [0, SLICE / 2] {
                        for lane in 0..SLICE / 2 {
                            asm.vextractps(dword_ptr(to(first + lane)), low, lane as u32)?;
                        }
                        asm.vextracti128(low, SCRATCH, 1)?;
                    }
                }
                _ => return Err(EmitError::Slots),
            }
        }
        Ok(())
    }
}

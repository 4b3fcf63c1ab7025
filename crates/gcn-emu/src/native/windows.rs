//! Host code that finds windows before the first slice, and the functions that a region's accesses share.

use std::mem::offset_of;

use gcn_isa::regs;
use iced_x86::code_asm::{
    CodeLabel, byte_ptr, dword_ptr, eax, ecx, edi, edx, esi, qword_ptr, r8, r8d, r9, r9b, r9d, r9w,
    r10, r11, r14, rax, rcx, rdi, rdx, rsi, word_ptr, xmmword_ptr, ymmword_ptr,
};

use super::access::{Access, BufferAccess, ScalarSource, Space, StoredElements};
use super::accesses::{frame, kept_dword, window};
use super::frame::{BASE_HIGH_BITS, Frame, WORDS};
use super::host::{MaskRegister, Place, Row, SCRATCH, Vector, Width};
use super::lower::Lowered;
use super::places::{Assembly, EmitError, Helpers, scalar};
use crate::lanes::LANES;
use crate::memory::Window;
use crate::wave::{Strides, Visit};

/// Size of a host cache line in bytes.
const LINE: usize = 64;

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

    /// Finds the window of an access relative to a base, unless the base is unchanged since the last time. Moves the
    /// window if the base is in the same allocation as the last one, as [`Window::move_to`] does.
    fn begin_from(&mut self, base: u8, access: &Access, number: usize) -> Result<(), EmitError> {
        let asm = &mut self.asm;
        let (mut is_new, mut is_known) = (asm.create_label(), asm.create_label());
        let field = |offset| qword_ptr(window(number, offset));
        let pointer = field(offset_of!(Window, pointer));
        let bases = field(offset_of!(Window, bases));
        asm.mov(rdx, qword_ptr(scalar(base)))?;
        if access.offset != 0 {
            asm.add(rdx, access.offset as i32)?;
        }
        asm.mov(r9, qword_ptr(frame(offset_of!(Frame, windows))))?;
        asm.cmp(rdx, pointer)?;
        asm.je(is_known)?;
        asm.mov(rax, rdx)?;
        asm.sub(rax, field(offset_of!(Window, first_base)))?;
        asm.mov(rsi, bases)?;
        asm.sub(rsi, rax)?;
        asm.cmp(rax, bases)?;
        asm.jae(is_new)?;
        asm.mov(eax, Window::MAX_COUNT)?;
        asm.cmp(rsi, rax)?;
        asm.cmova(rsi, rax)?;
        let count = SCRATCH;
        asm.vmovd(count.xmm(), esi)?;
        asm.vpbroadcastd(count.ymm(), count.xmm())?;
        asm.vmovdqu(
            ymmword_ptr(window(number, offset_of!(Window, count))),
            count.ymm(),
        )?;
        asm.mov(pointer, rdx)?;
        asm.jmp(is_known)?;
        asm.set_label(&mut is_new)?;
        asm.vzeroupper()?;
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
        asm.vzeroupper()?;
        asm.mov(rdi, r14)?;
        asm.mov(esi, number as u32)?;
        asm.call(qword_ptr(frame(offset_of!(Frame, find_buffer))))?;
        Ok(())
    }

    /// Labels of the helper functions, which are emitted after the region's code.
    pub(super) fn helpers(&mut self) -> Helpers {
        *self.helpers.get_or_insert_with(|| Helpers {
            find: self.asm.create_label(),
            prefetch: self.asm.create_label(),
        })
    }

    /// Label of the function that stores elements of this shape.
    pub(super) fn scatter_function(&mut self, elements: StoredElements) -> CodeLabel {
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

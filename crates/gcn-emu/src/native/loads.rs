//! AVX2 code for loads. The elements of a slice are moved together if they are adjacent or identical.

use std::mem::offset_of;

use iced_x86::code_asm::{
    AsmMemoryOperand, AsmRegisterYmm, CodeLabel, byte_ptr, dword_ptr, eax, ecx, edx, esi,
    qword_ptr, r9, rax, rcx, rdx, rsi, word_ptr, xmmword_ptr, ymmword_ptr,
};

use super::access::{Access, ScalarLoad};
use super::accesses::{DWORD, frame, kept, window};
use super::bases::strides;
use super::frame::Frame;
use super::graph::{Id, Op, SLICE};
use super::places::{
    Assembly, EXEC, EmitError, EmittedLanes, Emitter, OTHER, Prefetch, ROW, SCRATCH, SLICE_BYTES,
    low_half, scalar, slot,
};
use crate::memory::Window;

impl Assembly {
    /// Emits a scalar load. The code jumps to `missed` if the address in RDX is outside the access's window. `found` is
    /// the label of the load itself.
    pub(super) fn load_scalars(
        &mut self,
        load: ScalarLoad,
        (missed, mut found): (CodeLabel, CodeLabel),
    ) -> Result<(), EmitError> {
        let number = self.accesses.len();
        self.accesses.push(load.access());
        let asm = &mut self.asm;
        asm.mov(rdx, qword_ptr(scalar(load.base)))?;
        asm.and(rdx, -(DWORD as i32))?;
        if load.offset != 0 {
            asm.add(rdx, load.offset)?;
        }
        asm.mov(r9, qword_ptr(frame(offset_of!(Frame, windows))))?;
        asm.mov(eax, edx)?;
        asm.sub(eax, dword_ptr(window(number, offset_of!(Window, low))))?;
        asm.cmp(eax, dword_ptr(window(number, offset_of!(Window, count))))?;
        asm.jae(missed)?;
        asm.mov(rsi, rdx)?;
        asm.shr(rsi, u32::BITS)?;
        asm.cmp(esi, dword_ptr(window(number, offset_of!(Window, high))))?;
        asm.jne(missed)?;
        asm.set_label(&mut found)?;
        let to = |dword: u8| scalar(load.to + dword);
        match load.dwords {
            1 => {
                asm.mov(eax, dword_ptr(rdx))?;
                asm.mov(dword_ptr(to(0)), eax)?;
            }
            2 => {
                asm.mov(rax, qword_ptr(rdx))?;
                asm.mov(qword_ptr(to(0)), rax)?;
            }
            4 => {
                asm.vmovdqu(low_half(SCRATCH), xmmword_ptr(rdx))?;
                asm.vmovdqu(xmmword_ptr(to(0)), low_half(SCRATCH))?;
            }
            8 => {
                asm.vmovdqu(SCRATCH, ymmword_ptr(rdx))?;
                asm.vmovdqu(ymmword_ptr(to(0)), SCRATCH)?;
            }
            16 => {
                asm.vmovdqu(SCRATCH, ymmword_ptr(rdx))?;
                asm.vmovdqu(OTHER, ymmword_ptr(rdx + SLICE_BYTES))?;
                asm.vmovdqu(ymmword_ptr(to(0)), SCRATCH)?;
                asm.vmovdqu(ymmword_ptr(to(8)), OTHER)?;
            }
            _ => return Err(EmitError::Slots),
        }
        Ok(())
    }
}

impl Emitter<'_> {
    /// Emits the loads of all dwords of an element at its first dword, and no code at the others.
    pub(super) fn load(
        &mut self,
        place: usize,
        number: u8,
        address: [Id; 2],
    ) -> Result<(), EmitError> {
        let lowered = self.lowered;
        let access = lowered.accesses.all[usize::from(number)];
        if access.dword > 0 {
            return Ok(());
        }
        let shared = self.shared_base(place, access, address[0])?;
        if shared.is_none() && access.row().is_none() {
            self.check_access(place, number, access, address)?;
        }
        let numbers = number..number + access.count();
        let loaded = lowered.accesses.loads.iter();
        let ids = loaded.filter(|id| {
            matches!(lowered.graph.op(**id), Op::Load(number, ..) if numbers.contains(&number))
        });
        let mut to = Vec::new();
        for id in ids {
            let register = self.result(place, *id)?;
            self.pinned.push(register);
            to.push(register);
        }
        self.pinned.clear();
        let count = self.count(usize::from(number) + self.first_access, access);
        match (&*to, shared) {
            (_, Some(stride)) => self.fetch_shared(&to, access, stride),
            (_, None) if access.row().is_some() => self.fetch_row(&to, number),
            (&[to], None) if access.is_part() => self.fetch_part(to, access.bytes, count),
            (_, None) => self.fetch(&to, access, count),
        }
    }

    /// Loads elements from rows of scratch, or a single element for all lanes.
    fn fetch_row(&mut self, to: &[AsmRegisterYmm], number: u8) -> Result<(), EmitError> {
        let number = self.first_access + usize::from(number);
        let asm = &mut self.code.asm;
        let (mut one, mut done) = (asm.create_label(), asm.create_label());
        asm.mov(r9, qword_ptr(frame(offset_of!(Frame, windows))))?;
        asm.mov(rdx, qword_ptr(window(number, offset_of!(Window, pointer))))?;
        asm.cmp(dword_ptr(window(number, offset_of!(Window, low))), 0)?;
        asm.je(one)?;
        for (dword, to) in to.iter().enumerate() {
            asm.vmovdqu(*to, ymmword_ptr(rdx + rcx + dword * ROW))?;
        }
        asm.jmp(done)?;
        asm.set_label(&mut one)?;
        for (dword, to) in to.iter().enumerate() {
            asm.vpbroadcastd(*to, dword_ptr(rdx + dword * 4))?;
        }
        asm.set_label(&mut done)?;
        asm.zero_bytes()?;
        Ok(())
    }

    /// Loads elements at the offsets in [`OTHER`] plus the access's constant offset. RDX holds lane 0's address.
    fn fetch_shared(
        &mut self,
        to: &[AsmRegisterYmm],
        access: Access,
        stride: AsmMemoryOperand,
    ) -> Result<(), EmitError> {
        let offset = access.offset as usize;
        let at = rdx + offset;
        let mut done = self.code.asm.create_label();
        for known in strides(access) {
            let asm = &mut self.code.asm;
            let mut apart = asm.create_label();
            asm.cmp(stride, known as i32)?;
            asm.jne(apart)?;
            if known == 0 {
                for (dword, to) in to.iter().enumerate() {
                    asm.vpbroadcastd(*to, dword_ptr(at + dword * 4))?;
                }
            } else if known > DWORD {
                self.pick(to, at)?;
            } else {
                for (dword, to) in to.iter().enumerate() {
                    self.load_row(*to, at + dword * 4)?;
                }
            }
            let asm = &mut self.code.asm;
            asm.jmp(done)?;
            asm.set_label(&mut apart)?;
        }
        self.code
            .asm
            .mov(rdx, qword_ptr(frame(offset_of!(Frame, share))))?;
        for (dword, to) in to.iter().enumerate() {
            self.gather(*to, offset + dword * 4)?;
        }
        self.code.asm.set_label(&mut done)?;
        self.code.asm.zero_bytes()?;
        Ok(())
    }

    /// Loads the elements at the offsets in [`OTHER`], which are below `places`.
    fn fetch(
        &mut self,
        to: &[AsmRegisterYmm],
        access: Access,
        places: AsmMemoryOperand,
    ) -> Result<(), EmitError> {
        let all_active = self.lanes == EmittedLanes::All;
        let mut done = self.code.asm.create_label();
        let count = to.len();
        if matches!(count, 1 | 2 | 4) {
            let mut apart = self.code.asm.create_label();
            self.jump_unless_row(count as u32 * DWORD, apart)?;
            self.first_place()?;
            if count > 1 && !all_active {
                let last = (SLICE - 1) as u32 * access.bytes;
                self.jump_unless_inside(last + 1, dword_ptr(places), apart)?;
            }
            self.prefetch(access)?;
            if count > 1 {
                self.pick(to, rdx + rax)?;
            } else {
                self.load_row(to[0], rdx + rax)?;
            }
            self.code.asm.jmp(done)?;
            self.code.asm.set_label(&mut apart)?;
        }
        if count > 1 {
            // Elements may also overlap, at offsets one dword apart.
            let mut apart = self.code.asm.create_label();
            self.jump_unless_row(DWORD, apart)?;
            self.first_place()?;
            for (dword, to) in to.iter().enumerate() {
                self.load_row(*to, rdx + rax + dword * 4)?;
            }
            self.code.asm.jmp(done)?;
            self.code.asm.set_label(&mut apart)?;
        }
        let mut gather = self.code.asm.create_label();
        self.code.asm.vpbroadcastd(SCRATCH, low_half(OTHER))?;
        self.jump_unless_equal(gather)?;
        self.first_place()?;
        let asm = &mut self.code.asm;
        for (dword, to) in to.iter().enumerate() {
            asm.vpbroadcastd(*to, dword_ptr(rdx + rax + dword * 4))?;
        }
        asm.jmp(done)?;
        asm.set_label(&mut gather)?;
        for (dword, to) in to.iter().enumerate() {
            self.gather(*to, dword * 4)?;
        }
        self.code.asm.set_label(&mut done)?;
        self.code.asm.zero_bytes()?;
        Ok(())
    }

    /// Loads elements smaller than a dword at the offsets in [`OTHER`], which are below `count`.
    fn fetch_part(
        &mut self,
        to: AsmRegisterYmm,
        bytes: u32,
        count: AsmMemoryOperand,
    ) -> Result<(), EmitError> {
        let is_byte = bytes == 1;
        let asm = &mut self.code.asm;
        let (mut done, mut apart, mut gather) =
            (asm.create_label(), asm.create_label(), asm.create_label());
        self.jump_unless_row(bytes, apart)?;
        self.first_place()?;
        if self.lanes != EmittedLanes::All {
            let last = (SLICE as u32 - 1) * bytes;
            self.jump_unless_inside(last + 1, dword_ptr(count), apart)?;
        }
        let asm = &mut self.code.asm;
        if is_byte {
            asm.vpmovzxbd(to, qword_ptr(rdx + rax))?;
        } else {
            asm.vpmovzxwd(to, xmmword_ptr(rdx + rax))?;
        }
        asm.jmp(done)?;
        asm.set_label(&mut apart)?;
        asm.vpbroadcastd(SCRATCH, low_half(OTHER))?;
        self.jump_unless_equal(gather)?;
        self.first_place()?;
        let asm = &mut self.code.asm;
        if is_byte {
            asm.movzx(eax, byte_ptr(rdx + rax))?;
        } else {
            asm.movzx(eax, word_ptr(rdx + rax))?;
        }
        asm.vmovd(low_half(to), eax)?;
        asm.vpbroadcastd(to, low_half(to))?;
        asm.jmp(done)?;
        asm.set_label(&mut gather)?;
        self.gather_parts(to, is_byte)?;
        self.code.asm.set_label(&mut done)?;
        self.code.asm.zero_bytes()?;
        Ok(())
    }

    /// Jumps unless the offset in EAX and the `count - 1` offsets after it are below `end`. Inactive lanes are loaded
    /// too, and may be out of bounds.
    pub(super) fn jump_unless_inside(
        &mut self,
        count: u32,
        end: AsmMemoryOperand,
        label: CodeLabel,
    ) -> Result<(), EmitError> {
        let asm = &mut self.code.asm;
        asm.cmp(eax, end)?;
        asm.jae(label)?;
        asm.lea(esi, dword_ptr(rax + (count - 1)))?;
        asm.cmp(esi, end)?;
        asm.jae(label)?;
        Ok(())
    }

    /// Gathers elements smaller than a dword by loading the dwords that contain them, at aligned host addresses. An
    /// aligned dword is mapped if any of its bytes is.
    fn gather_parts(&mut self, to: AsmRegisterYmm, is_byte: bool) -> Result<(), EmitError> {
        let all = |value| [value; SLICE];
        let offset = self.constant(all(DWORD - 1));
        let aligned = self.constant(all(!(DWORD - 1)));
        let shifts = self.constant(all((DWORD - 1) * u8::BITS));
        let kept_bits = self.constant(all(if is_byte { 0xff } else { 0xffff }));
        let asm = &mut self.code.asm;
        asm.lea(rsi, qword_ptr(rdx + (DWORD - 1)))?;
        asm.and(rsi, -(DWORD as i32))?;
        asm.mov(eax, esi)?;
        asm.sub(eax, edx)?;
        asm.mov(rdx, rsi)?;
        asm.vmovd(low_half(SCRATCH), eax)?;
        asm.vpbroadcastd(SCRATCH, low_half(SCRATCH))?;
        asm.vpsubd(OTHER, OTHER, SCRATCH)?;
        if !is_byte {
            asm.vpand(SCRATCH, OTHER, offset)?;
            asm.vpcmpeqd(SCRATCH, SCRATCH, offset)?;
            if self.lanes == EmittedLanes::All {
                asm.vtestps(SCRATCH, SCRATCH)?;
            } else {
                asm.vtestps(SCRATCH, slot(EXEC))?;
            }
            asm.jne(self.guarded)?;
        }
        asm.vmovdqu(kept(0), OTHER)?;
        asm.vpand(OTHER, OTHER, aligned)?;
        self.gather(to, 0)?;
        let asm = &mut self.code.asm;
        asm.vmovdqu(OTHER, kept(0))?;
        asm.vpslld(OTHER, OTHER, u8::BITS.trailing_zeros())?;
        asm.vpand(OTHER, OTHER, shifts)?;
        asm.vpsrlvd(to, to, OTHER)?;
        asm.vpand(to, to, kept_bits)?;
        Ok(())
    }

    /// Gathers the dwords `offset` bytes after the offsets in [`OTHER`].
    fn gather(&mut self, to: AsmRegisterYmm, offset: usize) -> Result<(), EmitError> {
        let asm = &mut self.code.asm;
        if self.lanes == EmittedLanes::All {
            asm.vpcmpeqd(SCRATCH, SCRATCH, SCRATCH)?;
        } else {
            asm.vmovdqa(SCRATCH, slot(EXEC))?;
        }
        asm.vpxor(to, to, to)?;
        asm.vpgatherdd_3(to, ymmword_ptr(rdx + OTHER + offset), SCRATCH)?;
        Ok(())
    }

    /// Loads adjacent dwords.
    fn load_row(&mut self, to: AsmRegisterYmm, from: AsmMemoryOperand) -> Result<(), EmitError> {
        let from = ymmword_ptr(from);
        if self.lanes == EmittedLanes::All {
            self.code.asm.vmovdqu(to, from)?;
        } else {
            self.code.asm.vmovdqa(SCRATCH, slot(EXEC))?;
            self.code.asm.vpmaskmovd(to, SCRATCH, from)?;
        }
        Ok(())
    }

    /// Loads adjacent elements of two or four dwords.
    fn pick(&mut self, to: &[AsmRegisterYmm], from: AsmMemoryOperand) -> Result<(), EmitError> {
        let asm = &mut self.code.asm;
        // Each register holds 16 bytes of elements of the first four lanes and 16 bytes of the other four, because
        // moving data across register halves is slow.
        for (part, register) in to.iter().enumerate() {
            let at = |half: usize| xmmword_ptr(from + (half * to.len() + part) * 16);
            asm.vmovdqu(low_half(*register), at(0))?;
            asm.vinserti128(*register, *register, at(1), 1)?;
        }
        match *to {
            [a, b] => {
                asm.vshufps(SCRATCH, a, b, 0xdd)?;
                asm.vshufps(a, a, b, 0x88)?;
                asm.vmovdqa(b, SCRATCH)?;
            }
            [a, b, c, d] => {
                asm.vpunpckldq(SCRATCH, a, b)?;
                asm.vpunpckhdq(a, a, b)?;
                asm.vpunpckldq(OTHER, c, d)?;
                asm.vpunpckhdq(c, c, d)?;
                asm.vpunpckhqdq(d, a, c)?;
                asm.vpunpcklqdq(c, a, c)?;
                asm.vpunpcklqdq(a, SCRATCH, OTHER)?;
                asm.vpunpckhqdq(b, SCRATCH, OTHER)?;
            }
            _ => return Err(EmitError::Slots),
        }
        Ok(())
    }

    /// In the first slice, prefetches the data that the wave is expected to load two executions later.
    fn prefetch(&mut self, access: Access) -> Result<(), EmitError> {
        let Some(visit) = access.visit else {
            return Ok(());
        };
        let prefetch = Prefetch {
            label: self.code.asm.create_label(),
            behind: self.code.asm.create_label(),
            visit,
        };
        let asm = &mut self.code.asm;
        asm.test(ecx, ecx)?;
        asm.je(prefetch.label)?;
        let mut behind = prefetch.behind;
        asm.set_label(&mut behind)?;
        asm.zero_bytes()?;
        self.prefetches.push(prefetch);
        Ok(())
    }
}

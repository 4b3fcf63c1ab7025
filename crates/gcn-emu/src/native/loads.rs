//! Host code for loads. The elements of a slice are loaded together if they are adjacent or identical.

use std::mem::offset_of;

use iced_x86::code_asm::{
    AsmMemoryOperand, CodeLabel, byte_ptr, dword_ptr, eax, ecx, edi, edx, esi, qword_ptr, r9, rax,
    rcx, rdx, rsi, word_ptr, xmmword_ptr, ymmword_ptr, zmmword_ptr,
};

use super::access::{Access, ScalarLoad};
use super::accesses::{DWORD, frame, kept, window};
use super::bases::{BASE_MIDDLE, BASE_STRIDE, HALF, HALVES, strides};
use super::frame::Frame;
use super::graph::{Id, Op};
use super::host::{MaskRegister, OTHER, Place, SCRATCH, Vector, Width};
use super::masks::Comparison;
use super::places::{Assembly, EmitError, EmittedLanes, Emitter, Prefetch, ROW, scalar};
use crate::memory::Window;

/// Lanes of the upper half of an AVX-512 slice.
const UPPER_HALF: u32 = 0xff00;

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
                asm.vmovdqu(SCRATCH.xmm(), xmmword_ptr(rdx))?;
                asm.vmovdqu(xmmword_ptr(to(0)), SCRATCH.xmm())?;
            }
            8 => {
                asm.vmovdqu(SCRATCH.ymm(), ymmword_ptr(rdx))?;
                asm.vmovdqu(ymmword_ptr(to(0)), SCRATCH.ymm())?;
            }
            16 => {
                asm.vmovdqu(SCRATCH.ymm(), ymmword_ptr(rdx))?;
                asm.vmovdqu(OTHER.ymm(), ymmword_ptr(rdx + 8 * DWORD))?;
                asm.vmovdqu(ymmword_ptr(to(0)), SCRATCH.ymm())?;
                asm.vmovdqu(ymmword_ptr(to(8)), OTHER.ymm())?;
            }
            _ => return Err(EmitError::Slots),
        }
        Ok(())
    }
}

impl Emitter<'_> {
    /// Emits the loads of all dwords of an element if `number` is the access to its first dword, and no code otherwise.
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
            (_, Some(base)) => self.fetch_shared(&to, access, base),
            (_, None) if access.row().is_some() => self.fetch_row(&to, number),
            (&[to], None) if access.is_part() => self.fetch_part(to, access.bytes, count),
            (_, None) => self.fetch(&to, access, count),
        }
    }

    /// Loads elements from rows of scratch, or a single element for all lanes.
    fn fetch_row(&mut self, to: &[Vector], number: u8) -> Result<(), EmitError> {
        let number = self.first_access + usize::from(number);
        let asm = &mut self.code.asm;
        let (mut one, mut done) = (asm.create_label(), asm.create_label());
        asm.mov(r9, qword_ptr(frame(offset_of!(Frame, windows))))?;
        asm.mov(rdx, qword_ptr(window(number, offset_of!(Window, pointer))))?;
        asm.cmp(dword_ptr(window(number, offset_of!(Window, low))), 0)?;
        asm.je(one)?;
        for (dword, to) in to.iter().enumerate() {
            let row = Place::Memory(rdx + rcx + dword * ROW);
            self.code.load(*to, row)?;
        }
        self.code.asm.jmp(done)?;
        self.code.asm.set_label(&mut one)?;
        for (dword, to) in to.iter().enumerate() {
            self.code.load(*to, Place::Uniform(rdx + dword * 4))?;
        }
        self.code.asm.set_label(&mut done)?;
        self.code.asm.zero_bytes()?;
        Ok(())
    }

    /// Loads elements at the offsets in [`OTHER`] plus the access's constant offset. RDX holds lane 0's address.
    fn fetch_shared(
        &mut self,
        to: &[Vector],
        access: Access,
        base: AsmMemoryOperand,
    ) -> Result<(), EmitError> {
        let stride = dword_ptr(base + BASE_STRIDE);
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
                    self.code.load(*to, Place::Uniform(at + dword * 4))?;
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
        if self.has_halves() {
            let middle = qword_ptr(base + BASE_MIDDLE);
            self.code.asm.mov(rsi, middle)?;
            for known in strides(access) {
                let mut apart = self.code.asm.create_label();
                self.code.asm.cmp(stride, (known | HALVES) as i32)?;
                self.code.asm.jne(apart)?;
                self.load_halves(to, [at, rsi + offset], known)?;
                self.code.asm.jmp(done)?;
                self.code.asm.set_label(&mut apart)?;
            }
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
        to: &[Vector],
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
                let last = (self.code.width.lanes() - 1) as u32 * access.bytes;
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
        self.code.broadcast(SCRATCH, OTHER)?;
        self.jump_unless_equal(gather)?;
        self.first_place()?;
        for (dword, to) in to.iter().enumerate() {
            let element = Place::Uniform(rdx + rax + dword * 4);
            self.code.load(*to, element)?;
        }
        let asm = &mut self.code.asm;
        asm.jmp(done)?;
        asm.set_label(&mut gather)?;
        self.fetch_halves(to, done)?;
        for (dword, to) in to.iter().enumerate() {
            self.gather(*to, dword * 4)?;
        }
        self.code.asm.set_label(&mut done)?;
        self.code.asm.zero_bytes()?;
        Ok(())
    }

    /// True if loads have a fast path for slices whose halves have separate addresses.
    pub(super) fn has_halves(&self) -> bool {
        self.code.width == Width::Avx512 && self.lanes == EmittedLanes::All
    }

    /// Copies the first lane of each half of a slice to all lanes of the half in [`SCRATCH`].
    pub(super) fn spread_halves(&mut self, from: Vector) -> Result<(), EmitError> {
        let first = self.code.constant(|lane| lane / HALF * HALF);
        self.code.load(SCRATCH, first)?;
        let to = SCRATCH.zmm();
        self.code.asm.vpermd(to, to, from.zmm())?;
        Ok(())
    }

    /// Copies the first lane of the upper half to RSI. Clobbers [`SCRATCH`].
    pub(super) fn middle_lane(&mut self, from: Vector) -> Result<(), EmitError> {
        let asm = &mut self.code.asm;
        asm.vextracti64x4(SCRATCH.ymm(), from.zmm(), 1)?;
        asm.vmovd(esi, SCRATCH.xmm())?;
        Ok(())
    }

    /// Loads elements at the offsets in [`OTHER`] if they are adjacent or identical within each half of the slice, and
    /// jumps to `done`.
    fn fetch_halves(&mut self, to: &[Vector], done: CodeLabel) -> Result<(), EmitError> {
        if !self.has_halves() || !matches!(to.len(), 1 | 2 | 4) {
            return Ok(());
        }
        // The distance between the first two lanes tells which case is possible.
        let asm = &mut self.code.asm;
        asm.vmovq(rax, OTHER.xmm())?;
        asm.mov(rsi, rax)?;
        asm.shr(rsi, u32::BITS)?;
        asm.sub(esi, eax)?;
        for stride in [to.len() as u32 * DWORD, 0] {
            let mut apart = self.code.asm.create_label();
            self.code.asm.cmp(esi, stride as i32)?;
            self.code.asm.jne(apart)?;
            self.spread_halves(OTHER)?;
            let distances = self.code.constant(|lane| lane % HALF * stride);
            self.code.vpaddd(SCRATCH, SCRATCH, distances)?;
            self.jump_unless_equal(apart)?;
            self.first_place()?;
            self.middle_lane(OTHER)?;
            self.load_halves(to, [rdx + rax, rdx + rsi], stride)?;
            self.code.asm.jmp(done)?;
            self.code.asm.set_label(&mut apart)?;
        }
        self.code.asm.zero_bytes()?;
        Ok(())
    }

    /// Loads elements at a stride from separate addresses for the halves of a slice.
    fn load_halves(
        &mut self,
        to: &[Vector],
        from: [AsmMemoryOperand; 2],
        stride: u32,
    ) -> Result<(), EmitError> {
        let count = to.len();
        if stride > DWORD {
            for (part, to) in to.iter().enumerate() {
                let row = from[part * 2 / count] + part % (count / 2) * Width::Avx512.bytes();
                self.code.load(*to, Place::Memory(row))?;
            }
            self.code.transpose(to)?;
            return Ok(());
        }
        for (dword, to) in to.iter().enumerate() {
            let [low, high] = from.map(|from| from + dword * 4);
            if stride == 0 {
                let upper = MaskRegister::SCRATCH;
                let asm = &mut self.code.asm;
                asm.mov(edi, UPPER_HALF)?;
                asm.kmovw(upper.k(), edi)?;
                self.code.load(*to, Place::Uniform(low))?;
                self.code
                    .load_where(upper, *to, Place::Uniform(high), true)?;
            } else {
                let asm = &mut self.code.asm;
                asm.vmovdqu32(to.ymm(), ymmword_ptr(low))?;
                asm.vinserti64x4(to.zmm(), to.zmm(), ymmword_ptr(high), 1)?;
            }
        }
        Ok(())
    }

    /// Loads elements smaller than a dword at the offsets in [`OTHER`], which are below `count`.
    fn fetch_part(
        &mut self,
        to: Vector,
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
            let last = (self.code.width.lanes() as u32 - 1) * bytes;
            self.jump_unless_inside(last + 1, dword_ptr(count), apart)?;
        }
        let asm = &mut self.code.asm;
        let from = rdx + rax;
        match (self.code.width, is_byte) {
            (Width::Avx2, true) => asm.vpmovzxbd(to.ymm(), qword_ptr(from))?,
            (Width::Avx2, false) => asm.vpmovzxwd(to.ymm(), xmmword_ptr(from))?,
            (Width::Avx512, true) => asm.vpmovzxbd(to.zmm(), xmmword_ptr(from))?,
            (Width::Avx512, false) => asm.vpmovzxwd(to.zmm(), ymmword_ptr(from))?,
        }
        asm.jmp(done)?;
        asm.set_label(&mut apart)?;
        self.code.broadcast(SCRATCH, OTHER)?;
        self.jump_unless_equal(gather)?;
        self.first_place()?;
        let asm = &mut self.code.asm;
        if is_byte {
            asm.movzx(eax, byte_ptr(rdx + rax))?;
        } else {
            asm.movzx(eax, word_ptr(rdx + rax))?;
        }
        self.code.broadcast_from(to, eax)?;
        let asm = &mut self.code.asm;
        asm.jmp(done)?;
        asm.set_label(&mut gather)?;
        self.gather_parts(to, is_byte)?;
        self.code.asm.set_label(&mut done)?;
        self.code.asm.zero_bytes()?;
        Ok(())
    }

    /// Jumps unless the offset in EAX and the `count - 1` offsets after it are below `end`. The access includes
    /// inactive lanes, which may be out of bounds.
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
    fn gather_parts(&mut self, to: Vector, is_byte: bool) -> Result<(), EmitError> {
        let mut all = |value| self.code.constant(|_| value);
        let offset = all(DWORD - 1);
        let aligned = all(!(DWORD - 1));
        let shifts = all((DWORD - 1) * u8::BITS);
        let kept_bits = all(if is_byte { 0xff } else { 0xffff });
        let asm = &mut self.code.asm;
        asm.lea(rsi, qword_ptr(rdx + (DWORD - 1)))?;
        asm.and(rsi, -(DWORD as i32))?;
        asm.mov(eax, esi)?;
        asm.sub(eax, edx)?;
        asm.mov(rdx, rsi)?;
        self.code.broadcast_from(SCRATCH, eax)?;
        self.code.vpsubd(OTHER, OTHER, SCRATCH)?;
        if !is_byte {
            // The element may not cross into the next dword.
            self.code.vpand(to, OTHER, offset)?;
            self.compare(Comparison::AtLeast, to, offset)?;
            self.code.asm.jne(self.guarded)?;
        }
        self.code.store(kept(0), OTHER)?;
        self.code.vpand(OTHER, OTHER, aligned)?;
        self.gather(to, 0)?;
        self.code.load(OTHER, Place::Memory(kept(0)))?;
        self.code
            .vpslld(OTHER, OTHER, u8::BITS.trailing_zeros() as i32)?;
        self.code.vpand(OTHER, OTHER, shifts)?;
        self.code.vpsrlvd(to, to, OTHER)?;
        self.code.vpand(to, to, kept_bits)?;
        Ok(())
    }

    /// Gathers the dwords `offset` bytes after the offsets in [`OTHER`].
    fn gather(&mut self, to: Vector, offset: usize) -> Result<(), EmitError> {
        self.code.vpxor(to, to, to)?;
        let all_active = self.lanes == EmittedLanes::All;
        if self.code.width == Width::Avx512 {
            self.code.lanes_to_move(all_active)?;
            let mask = MaskRegister::SCRATCH;
            self.code
                .asm
                .vpgatherdd(to.merged(mask), zmmword_ptr(rdx + OTHER.zmm() + offset))?;
            return Ok(());
        }
        if all_active {
            self.code.vpcmpeqd(SCRATCH, SCRATCH, SCRATCH)?;
        } else {
            self.code.load_exec()?;
        }
        let from = ymmword_ptr(rdx + OTHER.ymm() + offset);
        self.code.asm.vpgatherdd_3(to.ymm(), from, SCRATCH.ymm())?;
        Ok(())
    }

    /// Loads adjacent dwords.
    fn load_row(&mut self, to: Vector, from: AsmMemoryOperand) -> Result<(), EmitError> {
        if self.lanes == EmittedLanes::All {
            self.code.load(to, Place::Memory(from))?;
        } else if self.code.width == Width::Avx512 {
            let from = Place::Memory(from);
            self.code.load_where(MaskRegister::EXEC, to, from, false)?;
        } else {
            self.code.load_exec()?;
            let from = ymmword_ptr(from);
            self.code.asm.vpmaskmovd(to.ymm(), SCRATCH.ymm(), from)?;
        }
        Ok(())
    }

    /// Loads adjacent elements of two or four dwords.
    fn pick(&mut self, to: &[Vector], from: AsmMemoryOperand) -> Result<(), EmitError> {
        if self.code.width == Width::Avx512 {
            for (part, register) in to.iter().enumerate() {
                let bytes = Width::Avx512.bytes();
                self.code
                    .load(*register, Place::Memory(from + part * bytes))?;
            }
            self.code.transpose(to)?;
            return Ok(());
        }
        let asm = &mut self.code.asm;
        // Each register holds 16 bytes of elements of the first four lanes and 16 bytes of the other four, because
        // moving data across register halves is slow.
        for (part, register) in to.iter().enumerate() {
            let at = |half: usize| xmmword_ptr(from + (half * to.len() + part) * 16);
            asm.vmovdqu(register.xmm(), at(0))?;
            asm.vinserti128(register.ymm(), register.ymm(), at(1), 1)?;
        }
        let (scratch, other) = (SCRATCH.ymm(), OTHER.ymm());
        match to {
            [a, b] => {
                let (a, b) = (a.ymm(), b.ymm());
                asm.vshufps(scratch, a, b, 0xdd)?;
                asm.vshufps(a, a, b, 0x88)?;
                asm.vmovdqa(b, scratch)?;
            }
            [a, b, c, d] => {
                let (a, b, c, d) = (a.ymm(), b.ymm(), c.ymm(), d.ymm());
                asm.vpunpckldq(scratch, a, b)?;
                asm.vpunpckhdq(a, a, b)?;
                asm.vpunpckldq(other, c, d)?;
                asm.vpunpckhdq(c, c, d)?;
                asm.vpunpckhqdq(d, a, c)?;
                asm.vpunpcklqdq(c, a, c)?;
                asm.vpunpcklqdq(a, scratch, other)?;
                asm.vpunpckhqdq(b, scratch, other)?;
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

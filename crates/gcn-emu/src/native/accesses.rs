//! AVX2 code for the accesses of a part.
//!
//! Addresses in global memory are compared with the window of their access, found when a lane is outside: [`Frame::find`] changes it, or
//! the lanes from this slice on are left to the interpreter. The dwords of a slice are moved together if they follow each other.

use std::mem::offset_of;

use gcn_isa::regs;
use iced_x86::code_asm::{
    AsmMemoryOperand, AsmRegisterYmm, CodeLabel, byte_ptr, dword_ptr, eax, ecx, edi, edx, esi,
    qword_ptr, r8, r8d, r9, r9d, r10, r14, rax, rcx, rdi, rdx, rsi, rsp, xmmword_ptr, ymmword_ptr,
};

use super::access::{Access, Space, StoredElements};
use super::frame::{Frame, VALUES};
use super::graph::{Id, Op, SLICE};
use super::lower::Lowered;
use super::places::{
    Assembly, EXEC, EmitError, EmittedLanes, Emitter, Helpers, Miss, OTHER, Prefetch, SCRATCH,
    SLICE_BYTES, Scattered, YMM, low_half, mask_byte, scalar, slot,
};
use crate::lanes::LANES;
use crate::memory::Window;
use crate::wave::{Strides, Visit};

/// Stores of a lane by its elements, see [`StoredElements`]: the numbers of values in the frame that are its place and its dword, and a
/// distance.
const SCATTERED: [&[(usize, usize, i32)]; 3] = [
    &[(0, 1, 0)],
    &[(0, 1, 0), (0, 2, 4)],
    &[(0, 2, 0), (1, 3, 0)],
];
/// Bytes of a line of the host's caches.
const LINE: usize = 64;
/// All lanes of a slice.
const ALL: i32 = (1 << SLICE) - 1;

fn frame(offset: usize) -> AsmMemoryOperand {
    r14 + offset
}

/// Field of an access's window, whose array's address is in R9.
fn window(access: usize, offset: usize) -> AsmMemoryOperand {
    r9 + access * size_of::<Window>() + offset
}

/// Values of a slice in the frame.
fn kept(number: usize) -> AsmMemoryOperand {
    ymmword_ptr(frame(offset_of!(Frame, slice) + number * SLICE_BYTES))
}

impl Assembly {
    /// Emits what is done for accesses before the first slice.
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

    /// Finds the window of an access from a base, unless it is that of the last time.
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

    /// The functions for accesses, which are emitted behind the region's code.
    fn helpers(&mut self) -> Helpers {
        *self.helpers.get_or_insert_with(|| Helpers {
            find: self.asm.create_label(),
            scatter: std::array::from_fn(|_| self.asm.create_label()),
            prefetch: self.asm.create_label(),
        })
    }

    /// Emits the functions that have been used.
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
        asm.sub(rsp, 8)?;
        asm.mov(rdi, r14)?;
        asm.mov(ecx, r8d)?;
        asm.vzeroupper()?;
        asm.call(qword_ptr(frame(offset_of!(Frame, find))))?;
        asm.add(rsp, 8)?;
        asm.pop(r8)?;
        asm.pop(rcx)?;
        asm.ldmxcsr(mxcsr)?;
        for (number, register) in YMM.iter().enumerate().take(VALUES) {
            asm.vmovdqu(*register, saved(number))?;
        }
        asm.ret()?;

        for (label, stores) in helpers.scatter.iter_mut().zip(SCATTERED) {
            let start = *label;
            asm.set_label(label)?;
            asm.bsf(esi, eax)?;
            for (place, value, behind) in stores {
                let [place, value] =
                    [place, value].map(|number| offset_of!(Frame, slice) + number * SLICE_BYTES);
                asm.mov(edi, dword_ptr(r14 + rsi * 4 + place))?;
                asm.mov(r9d, dword_ptr(r14 + rsi * 4 + value))?;
                asm.mov(dword_ptr(rdx + rdi + *behind), r9d)?;
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
    /// Emits the loads of an element's dwords, of which this is the first; of others it has been done.
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
        self.check_access(place, number, access, address)?;
        let numbers = number..number + (access.bytes / 4) as u8;
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
        self.fetch(&to, access)
    }

    /// Emits the part's stores. `place` is behind all operations.
    pub(super) fn stores(&mut self, place: usize) -> Result<(), EmitError> {
        let lowered = self.lowered;
        for store in &lowered.accesses.stores {
            let access = lowered.accesses.all[usize::from(store.access)];
            let mut values = [SCRATCH; 2];
            for (register, id) in values.iter_mut().zip(store.values) {
                *register = self.in_register(id, place)?;
            }
            let scattered = Scattered {
                label: self.code.asm.create_label(),
                behind: self.code.asm.create_label(),
                elements: store.elements,
                values,
            };
            self.check_access(place, store.access, access, store.address)?;
            if store.elements == StoredElements::Two {
                self.code.asm.vmovdqu(kept(0), OTHER)?;
                let second = lowered.accesses.all[usize::from(store.access) + 1];
                self.check_access(place, store.access + 1, second, store.address)?;
                self.code.asm.vmovdqu(kept(1), OTHER)?;
            }
            self.store_row(&scattered)?;
            let mut behind = scattered.behind;
            self.code.asm.set_label(&mut behind)?;
            self.code.asm.zero_bytes()?;
            self.scattered.push(scattered);
        }
        Ok(())
    }

    /// Stores elements at the places in [`OTHER`] that follow each other; jumps to be scattered if they do not.
    fn store_row(&mut self, store: &Scattered) -> Result<(), EmitError> {
        let [first, second] = store.values;
        let all_active = self.lanes == EmittedLanes::All;
        match store.elements {
            StoredElements::One => {
                self.jump_unless_row(1, store.label)?;
                self.first_place()?;
                let to = ymmword_ptr(rdx + rax);
                if all_active {
                    self.code.asm.vmovdqu(to, first)?;
                } else {
                    self.code.asm.vmovdqa(SCRATCH, slot(EXEC))?;
                    self.code.asm.vpmaskmovd(to, SCRATCH, first)?;
                }
            }
            StoredElements::Pair if all_active => {
                self.jump_unless_row(2, store.label)?;
                self.first_place()?;
                let asm = &mut self.code.asm;
                asm.vpunpckldq(SCRATCH, first, second)?;
                asm.vpunpckhdq(OTHER, first, second)?;
                let to = |part: i32| xmmword_ptr(rdx + rax + part * 16);
                asm.vmovdqu(to(0), low_half(SCRATCH))?;
                asm.vmovdqu(to(1), low_half(OTHER))?;
                asm.vextracti128(to(2), SCRATCH, 1)?;
                asm.vextracti128(to(3), OTHER, 1)?;
            }
            StoredElements::Two if all_active => {
                self.jump_unless_row(1, store.label)?;
                self.code.asm.vmovdqu(OTHER, kept(0))?;
                self.jump_unless_row(1, store.label)?;
                let [from, to] = [0, 1].map(|number| {
                    dword_ptr(frame(offset_of!(Frame, slice) + number * SLICE_BYTES))
                });
                // Lanes store one after the other, which counts where their elements overlap.
                let near = SLICE_BYTES as i32 - 1;
                let asm = &mut self.code.asm;
                asm.mov(eax, from)?;
                asm.mov(esi, to)?;
                asm.mov(edi, eax)?;
                asm.sub(edi, esi)?;
                asm.add(edi, near)?;
                asm.cmp(edi, 2 * near)?;
                asm.jbe(store.label)?;
                asm.vmovdqu(ymmword_ptr(rdx + rax), first)?;
                asm.vmovdqu(ymmword_ptr(rdx + rsi), second)?;
            }
            StoredElements::Pair | StoredElements::Two => self.code.asm.jmp(store.label)?,
        }
        Ok(())
    }

    /// Checks the addresses of an access. The places of its elements are in [`OTHER`] then, as distances from the address in RDX.
    fn check_access(
        &mut self,
        place: usize,
        number: u8,
        access: Access,
        [low, high]: [Id; 2],
    ) -> Result<(), EmitError> {
        let low = self.in_register(low, place)?;
        let number = self.first_access + usize::from(number);
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
                self.jump_if_outside(field(offset_of!(Window, count)), true, miss.label)?;
                self.misses.push(miss);
                self.code.asm.mov(rdx, pointer)?;
            }
            Space::GlobalFrom(_) => {
                let asm = &mut self.code.asm;
                asm.mov(r9, windows)?;
                asm.vmovdqa(OTHER, low)?;
                self.jump_if_outside(field(offset_of!(Window, count)), false, self.guarded)?;
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
                let counts = offset_of!(Frame, share_counts);
                let size = access.bytes as usize / 4 - 1;
                let count = ymmword_ptr(frame(counts + size * SLICE_BYTES));
                self.jump_if_outside(count, false, self.guarded)?;
                let share = qword_ptr(frame(offset_of!(Frame, share)));
                self.code.asm.mov(rdx, share)?;
            }
        }
        Ok(())
    }

    /// Jumps if a place in [`OTHER`] of an active lane is not below a count, or a lane has no bit in EAX, if that counts. The lanes
    /// outside are in EAX then.
    fn jump_if_outside(
        &mut self,
        count: AsmMemoryOperand,
        has_bits: bool,
        label: CodeLabel,
    ) -> Result<(), EmitError> {
        let asm = &mut self.code.asm;
        asm.vpmaxud(SCRATCH, OTHER, count)?;
        asm.vpcmpeqd(SCRATCH, SCRATCH, OTHER)?;
        asm.vmovmskps(edx, SCRATCH)?;
        if has_bits {
            asm.xor(eax, ALL)?;
            asm.or(eax, edx)?;
        } else {
            asm.mov(eax, edx)?;
        }
        if self.lanes == EmittedLanes::All {
            asm.test(eax, eax)?;
        } else {
            asm.movzx(edx, byte_ptr(mask_byte(regs::EXEC_LO)))?;
            asm.and(eax, edx)?;
        }
        asm.jne(label)?;
        Ok(())
    }

    /// Jumps unless the elements of `count` dwords at the places in [`OTHER`] of active lanes follow each other.
    fn jump_unless_row(&mut self, count: u32, label: CodeLabel) -> Result<(), EmitError> {
        let dwords = self.constant(std::array::from_fn(|lane| lane as u32 * 4 * count));
        let asm = &mut self.code.asm;
        asm.vpbroadcastd(SCRATCH, low_half(OTHER))?;
        asm.vpaddd(SCRATCH, SCRATCH, dwords)?;
        self.jump_unless_equal(label)
    }

    /// Jumps unless [`SCRATCH`] and [`OTHER`] are equal in active lanes.
    fn jump_unless_equal(&mut self, label: CodeLabel) -> Result<(), EmitError> {
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

    /// Loads the place of the first lane into RAX. It is less than zero only if that is not active.
    fn first_place(&mut self) -> Result<(), EmitError> {
        self.code.asm.vmovd(eax, low_half(OTHER))?;
        self.code.asm.movsxd(rax, eax)?;
        Ok(())
    }

    /// Loads the dwords of the elements at the places in [`OTHER`].
    fn fetch(&mut self, to: &[AsmRegisterYmm], access: Access) -> Result<(), EmitError> {
        let all_active = self.lanes == EmittedLanes::All;
        let mut done = self.code.asm.create_label();
        let count = to.len();
        if count == 1 || all_active && matches!(count, 2 | 4) {
            let mut apart = self.code.asm.create_label();
            self.jump_unless_row(count as u32, apart)?;
            self.first_place()?;
            self.prefetch(access)?;
            if count > 1 {
                self.pick(to)?;
            } else {
                self.load_row(to[0], 0)?;
            }
            self.code.asm.jmp(done)?;
            self.code.asm.set_label(&mut apart)?;
        }
        if count > 1 {
            // Elements may overlap.
            let mut apart = self.code.asm.create_label();
            self.jump_unless_row(1, apart)?;
            self.first_place()?;
            for (dword, to) in to.iter().enumerate() {
                self.load_row(*to, dword)?;
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
            if all_active {
                asm.vpcmpeqd(SCRATCH, SCRATCH, SCRATCH)?;
            } else {
                asm.vmovdqa(SCRATCH, slot(EXEC))?;
            }
            asm.vpxor(*to, *to, *to)?;
            asm.vpgatherdd_3(*to, ymmword_ptr(rdx + OTHER + dword * 4), SCRATCH)?;
        }
        asm.set_label(&mut done)?;
        asm.zero_bytes()?;
        Ok(())
    }

    /// Loads dwords that follow each other, `dwords` behind the place in RAX.
    fn load_row(&mut self, to: AsmRegisterYmm, dwords: usize) -> Result<(), EmitError> {
        let from = ymmword_ptr(rdx + rax + dwords * 4);
        if self.lanes == EmittedLanes::All {
            self.code.asm.vmovdqu(to, from)?;
        } else {
            self.code.asm.vmovdqa(SCRATCH, slot(EXEC))?;
            self.code.asm.vpmaskmovd(to, SCRATCH, from)?;
        }
        Ok(())
    }

    /// Loads the dwords of elements of two or four that follow each other from the place in RAX on.
    fn pick(&mut self, to: &[AsmRegisterYmm]) -> Result<(), EmitError> {
        let asm = &mut self.code.asm;
        // Each register has 16 bytes of the first four lanes' elements, and of the other four's: to cross halves is slow.
        for (part, register) in to.iter().enumerate() {
            let at = |half: usize| xmmword_ptr(rdx + rax + (half * to.len() + part) * 16);
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

    /// Has the first slice fetch what the wave's next execution of a load but one needs.
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

    /// Emits the code of checks that fail and of stores that scatter, to be jumped over.
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
            asm.set_label(&mut scattered.label)?;
            let [first, second] = scattered.values;
            if scattered.elements == StoredElements::Two {
                asm.vmovdqu(kept(2), first)?;
                asm.vmovdqu(kept(3), second)?;
            } else {
                asm.vmovdqu(kept(0), OTHER)?;
                asm.vmovdqu(kept(1), first)?;
                asm.vmovdqu(kept(2), second)?;
            }
            if all_active {
                asm.mov(eax, ALL)?;
            } else {
                asm.movzx(eax, byte_ptr(mask_byte(regs::EXEC_LO)))?;
            }
            asm.call(helpers.scatter[scattered.elements as usize])?;
            asm.jmp(scattered.behind)?;
        }
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

//! Register allocation during emission. A value is in a host register, a stack slot, the wave's registers or the
//! constant pool.
//!
//! If no host register is free, the allocator evicts the value whose next use is farthest away. The value is spilled
//! to a stack slot unless it is in memory already.

use std::collections::VecDeque;
use std::mem::offset_of;

use iced_x86::IcedError;
use iced_x86::code_asm::{
    AsmMemoryOperand, AsmRegisterXmm, AsmRegisterYmm, CodeAssembler, CodeLabel, byte_ptr,
    dword_ptr, eax, r8, r12, r13, r14, rbx, rcx, registers, rsp, ymmword_ptr,
};

use super::access::{Access, StoredElements};
use super::bases::{ShareBase, bases};
use super::frame::{Frame, VALUES};
use super::graph::{Id, Op, SLICE};
use super::lower::Lowered;

/// Size in bytes of a slice of a vector register.
pub(super) const SLICE_BYTES: usize = SLICE * 4;
/// Size in bytes of a vector register.
pub(super) const ROW: usize = 256;
/// Maximum number of stack slots.
pub(super) const SLOTS: usize = 120;
/// Stack slot of the mask of active lanes.
pub(super) const EXEC: usize = 0;
pub(super) const FIRST_SLOT: usize = 1;

/// Code under construction, with its constant pool.
pub(super) struct Assembly {
    pub(super) asm: CodeAssembler,
    pub(super) constants: Vec<[u32; SLICE]>,
    /// Accesses of all parts so far.
    pub(super) accesses: Vec<Access>,
    /// True if M0 limits the accessible LDS.
    pub(super) limits_share: bool,
    pub(super) helpers: Option<Helpers>,
    /// Labels of functions that store the elements of the lanes in EAX, by element shape.
    pub(super) scatters: Vec<(StoredElements, CodeLabel)>,
}

/// Labels of the helper functions for accesses.
#[derive(Clone, Copy)]
pub(super) struct Helpers {
    /// Finds a window for access ESI and the lanes in EDX. Returns 0 in EAX if there is none.
    pub(super) find: CodeLabel,
    /// Records the address RDX + RAX in the table entry at offset EDI, and prefetches if the stride is constant.
    pub(super) prefetch: CodeLabel,
}

/// Out-of-line call to the prefetch helper.
pub(super) struct Prefetch {
    pub(super) label: CodeLabel,
    pub(super) behind: CodeLabel,
    pub(super) visit: u8,
}

/// Out-of-line code for a failed address check.
pub(super) struct Miss {
    pub(super) label: CodeLabel,
    /// Start of the check.
    pub(super) retry: CodeLabel,
    /// Index of the access in the region.
    pub(super) access: usize,
    pub(super) address: [AsmRegisterYmm; 2],
}

/// Out-of-line store of elements that are not adjacent.
pub(super) struct Scattered {
    pub(super) label: CodeLabel,
    pub(super) behind: CodeLabel,
    pub(super) elements: StoredElements,
    pub(super) values: Vec<AsmRegisterYmm>,
}

/// Error that prevents emission of a graph.
#[derive(Debug, thiserror::Error)]
pub(super) enum EmitError {
    #[error("too many values at a time")]
    Slots,
    #[error("a branch to no label")]
    Label,
    #[error(transparent)]
    Encoding(#[from] IcedError),
}

#[rustfmt::skip]
pub(super) const YMM: [AsmRegisterYmm; 16] = {
    use registers::*;
    [ymm0, ymm1, ymm2, ymm3, ymm4, ymm5, ymm6, ymm7, ymm8, ymm9, ymm10, ymm11, ymm12, ymm13, ymm14, ymm15]
};
#[rustfmt::skip]
pub(super) const XMM: [AsmRegisterXmm; 16] = {
    use registers::*;
    [xmm0, xmm1, xmm2, xmm3, xmm4, xmm5, xmm6, xmm7, xmm8, xmm9, xmm10, xmm11, xmm12, xmm13, xmm14, xmm15]
};
pub(super) const SCRATCH: AsmRegisterYmm = YMM[14];
pub(super) const OTHER: AsmRegisterYmm = YMM[15];

/// Operand of a host instruction.
#[derive(Clone, Copy)]
pub(super) enum Place {
    Register(AsmRegisterYmm),
    Memory(AsmMemoryOperand),
}

/// Location and remaining uses of a value.
#[derive(Clone, Default)]
pub(super) struct ValueState {
    pub(super) register: Option<usize>,
    pub(super) slot: Option<usize>,
    /// Positions of the uses in the order of operations.
    pub(super) uses: VecDeque<usize>,
}

/// Emitter of a part's code.
pub(super) struct Emitter<'a> {
    pub(super) code: &'a mut Assembly,
    pub(super) lowered: &'a Lowered,
    pub(super) lanes: EmittedLanes,
    pub(super) values: Vec<ValueState>,
    pub(super) registers: [Option<Id>; VALUES],
    /// Scalar registers and the stack slots that they are broadcast to.
    pub(super) scalars: Vec<(u8, usize)>,
    pub(super) slots: usize,
    /// Label of the code that leaves a slice to the interpreter.
    pub(super) guarded: CodeLabel,
    /// Index in the region of the part's first access.
    pub(super) first_access: usize,
    pub(super) misses: Vec<Miss>,
    pub(super) scattered: Vec<Scattered>,
    pub(super) prefetches: Vec<Prefetch>,
    /// Shared bases of LDS loads.
    pub(super) bases: Vec<ShareBase>,
    /// Registers that must not be evicted.
    pub(super) pinned: Vec<AsmRegisterYmm>,
}

/// Lanes that the emitted code computes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum EmittedLanes {
    /// All lanes of a slice, in a wave with all lanes active.
    All,
    /// The active lanes of a slice.
    Active,
    /// Lane 0, for scalar registers.
    Scalar,
}

impl Assembly {
    pub(super) fn new(limits_share: bool) -> Result<Assembly, EmitError> {
        Ok(Assembly {
            asm: CodeAssembler::new(64)?,
            constants: Vec::new(),
            accesses: Vec::new(),
            limits_share,
            helpers: None,
            scatters: Vec::new(),
        })
    }
}

impl<'a> Emitter<'a> {
    pub(super) fn new(
        code: &'a mut Assembly,
        lowered: &'a Lowered,
        lanes: EmittedLanes,
        (guarded, first_access): (CodeLabel, usize),
    ) -> Emitter<'a> {
        Emitter {
            code,
            lowered,
            lanes,
            values: vec![ValueState::default(); lowered.graph.len()],
            registers: [None; VALUES],
            scalars: Vec::new(),
            slots: FIRST_SLOT,
            guarded,
            first_access,
            misses: Vec::new(),
            scattered: Vec::new(),
            prefetches: Vec::new(),
            bases: bases(lowered),
            pinned: Vec::new(),
        }
    }

    /// True if the operands should be exchanged because only the first is in memory.
    pub(super) fn is_better_second(&self, a: Id, b: Id) -> bool {
        let in_register = |id: Id| self.values[id.0 as usize].register.is_some();
        let is_memory = |id: Id| !in_register(id) && self.lowered.graph.op(id).is_leaf();
        is_memory(a) && !is_memory(b)
    }

    /// Returns a source as an operand. A value outside the host registers is a memory operand if this is its last use,
    /// or if it is a constant or a scalar.
    pub(super) fn operand(&mut self, id: Id, place: usize) -> Result<Place, EmitError> {
        let value = &self.values[id.0 as usize];
        let is_last = value.uses.back().is_none_or(|last| *last <= place);
        let is_constant = matches!(
            self.lowered.graph.op(id),
            Op::Const(_) | Op::Const64(_) | Op::Scalar(_)
        );
        if value.register.is_none()
            && (is_last || is_constant)
            && let Some(memory) = self.memory(id)
        {
            return Ok(Place::Memory(memory));
        }
        Ok(Place::Register(self.in_register(id, place)?))
    }

    /// Memory operand of a value, if it is in memory.
    pub(super) fn memory(&mut self, id: Id) -> Option<AsmMemoryOperand> {
        if let Some(at) = self.values[id.0 as usize].slot {
            return Some(slot(at));
        }
        match self.lowered.graph.op(id) {
            Op::Vgpr(register) => Some(vgpr(register)),
            Op::Scalar(register) => {
                let known = self.scalars.iter().find(|(it, _)| *it == register);
                known.map(|(_, at)| slot(*at))
            }
            Op::Const(value) => Some(self.constant([value; SLICE])),
            Op::Const64(value) => {
                let dwords = [value as u32, (value >> u32::BITS) as u32];
                Some(self.constant(std::array::from_fn(|n| dwords[n % 2])))
            }
            _ => None,
        }
    }

    pub(super) fn constant(&mut self, value: [u32; SLICE]) -> AsmMemoryOperand {
        let constants = &mut self.code.constants;
        let known = constants.iter().position(|it| *it == value);
        let number = known.unwrap_or_else(|| {
            constants.push(value);
            constants.len() - 1
        });
        ymmword_ptr(r13 + (number * SLICE_BYTES) as i32)
    }

    /// Returns a source in a register, loading it if necessary.
    pub(super) fn in_register(
        &mut self,
        id: Id,
        place: usize,
    ) -> Result<AsmRegisterYmm, EmitError> {
        if let Some(register) = self.values[id.0 as usize].register {
            return Ok(YMM[register]);
        }
        let register = self.free_register(place)?;
        self.take(register, id);
        let to = YMM[register];
        match self.memory(id) {
            Some(memory) => self.code.asm.vmovdqu(to, memory)?,
            None => self.load_leaf(register, self.lowered.graph.op(id))?,
        }
        Ok(to)
    }

    /// Loads a leaf that has no memory operand.
    #[expect(clippy::wildcard_enum_match_arm, reason = "all others are in memory")]
    pub(super) fn load_leaf(&mut self, register: usize, op: Op) -> Result<(), EmitError> {
        match op {
            Op::Mask(first) => self.expand_mask(register, first)?,
            Op::Scalar(number) => self
                .code
                .asm
                .vmovd(XMM[register], dword_ptr(scalar(number)))?,
            Op::Scc => {
                let asm = &mut self.code.asm;
                asm.xor(eax, eax)?;
                asm.sub(eax, dword_ptr(r14 + offset_of!(Frame, scc)))?;
                asm.vmovd(XMM[register], eax)?;
            }
            _ => return Err(EmitError::Slots),
        }
        Ok(())
    }

    /// Allocates a register for the result of an operation, possibly that of a dead source.
    pub(super) fn result(&mut self, place: usize, id: Id) -> Result<AsmRegisterYmm, EmitError> {
        self.release(place);
        let register = self.free_register(place)?;
        self.take(register, id);
        Ok(YMM[register])
    }

    /// Frees the registers of values that are not used after an operation, except pinned ones.
    pub(super) fn release(&mut self, place: usize) {
        for (register, host) in YMM.iter().enumerate().take(VALUES) {
            if let Some(held) = self.registers[register]
                && !self.pinned.contains(host)
                && !self.is_used_behind(held, place)
            {
                self.values[held.0 as usize].register = None;
                self.registers[register] = None;
            }
        }
    }

    pub(super) fn is_used_behind(&self, id: Id, place: usize) -> bool {
        let uses = &self.values[id.0 as usize].uses;
        uses.back().is_some_and(|last| *last > place)
    }

    /// Assigns a free register to a value.
    pub(super) fn take(&mut self, register: usize, id: Id) {
        self.registers[register] = Some(id);
        self.values[id.0 as usize].register = Some(register);
    }

    /// Returns a free register, evicting a value if necessary.
    pub(super) fn free_register(&mut self, place: usize) -> Result<usize, EmitError> {
        if let Some(free) = self.registers.iter().position(Option::is_none) {
            return Ok(free);
        }
        let mut farthest = None;
        for (register, held) in self.registers.iter().enumerate() {
            let Some(id) = held else {
                continue;
            };
            if self.pinned.contains(&YMM[register]) {
                continue;
            }
            let uses = &mut self.values[id.0 as usize].uses;
            while uses.front().is_some_and(|use_| *use_ < place) {
                uses.pop_front();
            }
            let next = uses.front().copied().unwrap_or(usize::MAX);
            // Operands of this operation stay in their registers.
            if next != place && farthest.is_none_or(|(_, most)| next > most) {
                farthest = Some((register, next));
            }
        }
        let (register, next) = farthest.ok_or(EmitError::Slots)?;
        if let Some(id) = self.registers[register].take() {
            self.values[id.0 as usize].register = None;
            if next != usize::MAX && self.memory(id).is_none() {
                if self.slots == SLOTS {
                    return Err(EmitError::Slots);
                }
                self.values[id.0 as usize].slot = Some(self.slots);
                self.code.asm.vmovdqa(slot(self.slots), YMM[register])?;
                self.slots += 1;
            }
        }
        Ok(register)
    }

    /// Expands the mask in a pair of scalar registers to all ones or all zeros in each lane.
    pub(super) fn expand_mask(&mut self, register: usize, first: u8) -> Result<(), EmitError> {
        let bits = self.constant(std::array::from_fn(|lane| 1 << lane));
        let to = YMM[register];
        self.code.asm.movzx(eax, byte_ptr(mask_byte(first)))?;
        self.code.asm.vmovd(XMM[register], eax)?;
        self.code.asm.vpbroadcastd(to, XMM[register])?;
        self.code.asm.vpand(to, to, bits)?;
        self.code.asm.vpcmpeqd(to, to, bits)?;
        Ok(())
    }
}

/// Slice of a vector register.
pub(super) fn vgpr(register: u8) -> AsmMemoryOperand {
    ymmword_ptr(rbx + rcx + i32::from(register) * ROW as i32)
}

/// Scalar register as a memory operand.
pub(super) fn scalar(register: u8) -> AsmMemoryOperand {
    r12 + i32::from(register) * 4
}

/// Byte of a mask with the bits of the current slice.
pub(super) fn mask_byte(first: u8) -> AsmMemoryOperand {
    r12 + r8 + i32::from(first) * 4
}

pub(super) fn slot(number: usize) -> AsmMemoryOperand {
    ymmword_ptr(rsp + (number * SLICE_BYTES) as i32)
}

pub(super) fn low_half(register: AsmRegisterYmm) -> AsmRegisterXmm {
    XMM[number(register)]
}

/// Number of a host register.
pub(super) fn number(register: AsmRegisterYmm) -> usize {
    let number = YMM.iter().position(|it| *it == register);
    number.unwrap_or(0)
}

//! Register allocation during emission. A value is in a host register, a stack slot, the wave's registers or the
//! constant pool.
//!
//! If no host register is free, the allocator evicts the value whose next use is farthest away. The value is spilled to
//! a stack slot unless it is already in memory.

use std::collections::VecDeque;
use std::mem::offset_of;

use iced_x86::IcedError;
use iced_x86::code_asm::{
    AsmMemoryOperand, CodeAssembler, CodeLabel, byte_ptr, dword_ptr, eax, r8, r12, r13, r14, rbx,
    rcx, rsp, word_ptr,
};

use super::access::{Access, StoredElements};
use super::bases::{ShareBase, bases};
use super::frame::Frame;
use super::graph::{Id, Op};
use super::host::{MaskRegister, Place, Row, Vector, Width};
use super::lower::Lowered;

/// Size in bytes of a vector register.
pub(super) const ROW: usize = 256;
/// Maximum number of stack slots.
pub(super) const SLOTS: usize = 120;
/// Stack slot of the mask of active lanes, for AVX2.
pub(super) const EXEC: usize = 0;
pub(super) const FIRST_SLOT: usize = 1;

/// Code under construction, with its constant pool.
pub(super) struct Assembly {
    pub(super) asm: CodeAssembler,
    /// Width of the vectors of the current part.
    pub(super) width: Width,
    pub(super) constants: Vec<Row>,
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
    /// Records the address RDX + RAX in the table entry at offset EDI. Prefetches if the stride is the same as the last
    /// time and not zero.
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
    pub(super) address: [Vector; 2],
}

/// Out-of-line store of elements that are not adjacent.
pub(super) struct Scattered {
    pub(super) label: CodeLabel,
    pub(super) behind: CodeLabel,
    pub(super) elements: StoredElements,
    pub(super) values: Vec<Vector>,
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

/// Location and remaining uses of a value.
#[derive(Clone, Default)]
pub(super) struct ValueState {
    pub(super) register: Option<Vector>,
    /// Mask register that holds the value, if the value is a mask.
    pub(super) mask: Option<MaskRegister>,
    pub(super) slot: Option<usize>,
    /// Positions of the uses in the order of operations.
    pub(super) uses: VecDeque<usize>,
}

impl ValueState {
    fn is_used_after(&self, place: usize) -> bool {
        self.uses.back().is_some_and(|last| *last > place)
    }
}

/// Emitter of a part's code.
pub(super) struct Emitter<'a> {
    pub(super) code: &'a mut Assembly,
    pub(super) lowered: &'a Lowered,
    pub(super) lanes: EmittedLanes,
    pub(super) values: Vec<ValueState>,
    /// Registers for values, and the values that they hold.
    pub(super) registers: Vec<(Vector, Option<Id>)>,
    /// Values computed in mask registers.
    pub(super) is_mask: Vec<bool>,
    /// Mask registers for values, and the values that they hold.
    pub(super) masks: Vec<(MaskRegister, Option<Id>)>,
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
    pub(super) pinned: Vec<Vector>,
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
            width: Width::current(),
            constants: Vec::new(),
            accesses: Vec::new(),
            limits_share,
            helpers: None,
            scatters: Vec::new(),
        })
    }

    /// Address of a stack slot.
    pub(super) fn slot(&self, number: usize) -> AsmMemoryOperand {
        rsp + (number * self.width.bytes()) as i32
    }

    /// Constant whose lanes have the values that `lane` returns.
    pub(super) fn constant(&mut self, lane: impl Fn(u32) -> u32) -> Place {
        let value = Row(std::array::from_fn(|number| lane(number as u32)));
        let known = self.constants.iter().position(|it| *it == value);
        let number = known.unwrap_or_else(|| {
            self.constants.push(value);
            self.constants.len() - 1
        });
        Place::Memory(r13 + (number * size_of::<Row>()) as i32)
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
            lowered,
            lanes,
            values: vec![ValueState::default(); lowered.graph.len()],
            registers: code.width.values().map(|it| (it, None)).collect(),
            is_mask: match code.width {
                Width::Avx2 => vec![false; lowered.graph.len()],
                Width::Avx512 => lowered.graph.masks(),
            },
            masks: MaskRegister::values().map(|it| (it, None)).collect(),
            scalars: Vec::new(),
            slots: FIRST_SLOT,
            guarded,
            first_access,
            misses: Vec::new(),
            scattered: Vec::new(),
            prefetches: Vec::new(),
            bases: bases(lowered),
            pinned: Vec::new(),
            code,
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
            return Ok(memory);
        }
        Ok(Place::Register(self.in_register(id, place)?))
    }

    /// Memory operand of a value, if it is in memory.
    pub(super) fn memory(&mut self, id: Id) -> Option<Place> {
        if let Some(at) = self.values[id.0 as usize].slot {
            return Some(Place::Memory(self.code.slot(at)));
        }
        match self.lowered.graph.op(id) {
            Op::Vgpr(register) => Some(Place::Memory(vgpr(register))),
            Op::Scalar(register) => {
                let known = self.scalars.iter().find(|(it, _)| *it == register);
                match known {
                    Some((_, at)) => Some(Place::Memory(self.code.slot(*at))),
                    None if self.lanes == EmittedLanes::Scalar => None,
                    None => Some(Place::Uniform(scalar(register))),
                }
            }
            Op::Const(value) => Some(self.code.constant(|_| value)),
            Op::Const64(value) => {
                let dwords = [value as u32, (value >> u32::BITS) as u32];
                Some(self.code.constant(|lane| dwords[lane as usize % 2]))
            }
            _ => None,
        }
    }

    /// Returns a source in a register, loading it if necessary.
    pub(super) fn in_register(&mut self, id: Id, place: usize) -> Result<Vector, EmitError> {
        if let Some(register) = self.values[id.0 as usize].register {
            return Ok(register);
        }
        let to = self.free_register(place)?;
        self.take(to, id);
        let mask = self.values[id.0 as usize].mask;
        match (mask, self.memory(id)) {
            (Some(mask), _) => self.code.asm.vpmovm2d(to.zmm(), mask.k())?,
            (None, Some(memory)) => self.code.load(to, memory)?,
            (None, None) => self.load_leaf(to, self.lowered.graph.op(id))?,
        }
        Ok(to)
    }

    /// Loads a leaf that has no memory operand.
    #[expect(clippy::wildcard_enum_match_arm, reason = "all others are in memory")]
    pub(super) fn load_leaf(&mut self, to: Vector, op: Op) -> Result<(), EmitError> {
        match op {
            Op::Mask(first) => self.expand_mask(to, first)?,
            Op::Scalar(number) => {
                let from = dword_ptr(scalar(number));
                self.code.asm.vmovd(to.xmm(), from)?;
            }
            Op::Scc => {
                let asm = &mut self.code.asm;
                asm.xor(eax, eax)?;
                asm.sub(eax, dword_ptr(r14 + offset_of!(Frame, scc)))?;
                asm.vmovd(to.xmm(), eax)?;
            }
            _ => return Err(EmitError::Slots),
        }
        Ok(())
    }

    /// Allocates a register for the result of an operation, possibly that of a dead source.
    pub(super) fn result(&mut self, place: usize, id: Id) -> Result<Vector, EmitError> {
        self.release(place);
        let register = self.free_register(place)?;
        self.take(register, id);
        Ok(register)
    }

    /// Frees the registers of values that are not used after an operation, except pinned ones.
    pub(super) fn release(&mut self, place: usize) {
        for (register, held) in &mut self.registers {
            let dead = held.filter(|id| {
                !self.pinned.contains(register) && !self.values[id.0 as usize].is_used_after(place)
            });
            if let Some(id) = dead {
                self.values[id.0 as usize].register = None;
                *held = None;
            }
        }
        self.release_masks(place);
    }

    /// Frees the mask registers of values that are not used after an operation.
    pub(super) fn release_masks(&mut self, place: usize) {
        for (_, held) in &mut self.masks {
            if let Some(id) = held.filter(|id| !self.values[id.0 as usize].is_used_after(place)) {
                self.values[id.0 as usize].mask = None;
                *held = None;
            }
        }
    }

    pub(super) fn is_used_after(&self, id: Id, place: usize) -> bool {
        self.values[id.0 as usize].is_used_after(place)
    }

    /// Assigns a free register to a value.
    pub(super) fn take(&mut self, register: Vector, id: Id) {
        let held = self.registers.iter_mut().find(|(it, _)| *it == register);
        if let Some((_, held)) = held {
            *held = Some(id);
        }
        self.values[id.0 as usize].register = Some(register);
    }

    /// Returns a free register, evicting a value if necessary.
    pub(super) fn free_register(&mut self, place: usize) -> Result<Vector, EmitError> {
        if let Some((free, _)) = self.registers.iter().find(|(_, held)| held.is_none()) {
            return Ok(*free);
        }
        let held = self.registers.iter().enumerate();
        let held: Vec<(usize, Id)> = held
            .filter(|(_, (register, _))| !self.pinned.contains(register))
            .filter_map(|(number, (_, id))| Some((number, (*id)?)))
            .collect();
        let (number, is_used) = self.farthest(&held, place)?;
        let (register, id) = &mut self.registers[number];
        let register = *register;
        if let Some(id) = id.take() {
            let value = &mut self.values[id.0 as usize];
            value.register = None;
            if is_used && value.mask.is_none() && self.memory(id).is_none() {
                if self.slots == SLOTS {
                    return Err(EmitError::Slots);
                }
                self.values[id.0 as usize].slot = Some(self.slots);
                let to = self.code.slot(self.slots);
                self.code.store(to, register)?;
                self.slots += 1;
            }
        }
        Ok(register)
    }

    /// Returns the number of the value whose next use is farthest away, and true if the value is used again. Skips
    /// operands of the operation at `place`.
    pub(super) fn farthest(
        &mut self,
        held: &[(usize, Id)],
        place: usize,
    ) -> Result<(usize, bool), EmitError> {
        let mut farthest = None;
        for &(number, id) in held {
            let uses = &mut self.values[id.0 as usize].uses;
            while uses.front().is_some_and(|use_| *use_ < place) {
                uses.pop_front();
            }
            let next = uses.front().copied().unwrap_or(usize::MAX);
            if next != place && farthest.is_none_or(|(_, most)| next > most) {
                farthest = Some((number, next));
            }
        }
        let (number, next) = farthest.ok_or(EmitError::Slots)?;
        Ok((number, next != usize::MAX))
    }

    /// Expands the mask in a pair of scalar registers to all ones or all zeros in each lane.
    pub(super) fn expand_mask(&mut self, to: Vector, first: u8) -> Result<(), EmitError> {
        if self.code.width == Width::Avx512 {
            let mask = MaskRegister::SCRATCH.k();
            let asm = &mut self.code.asm;
            asm.kmovw(mask, word_ptr(mask_bits(first)))?;
            asm.vpmovm2d(to.zmm(), mask)?;
            return Ok(());
        }
        let bits = self.code.constant(|lane| 1 << lane);
        self.code.asm.movzx(eax, byte_ptr(mask_bits(first)))?;
        self.code.broadcast_from(to, eax)?;
        self.code.vpand(to, to, bits)?;
        self.code.vpcmpeqd(to, to, bits)?;
        Ok(())
    }
}

/// Slice of a vector register.
pub(super) fn vgpr(register: u8) -> AsmMemoryOperand {
    rbx + rcx + i32::from(register) * ROW as i32
}

/// Scalar register as a memory operand.
pub(super) fn scalar(register: u8) -> AsmMemoryOperand {
    r12 + i32::from(register) * 4
}

/// Bits of the current slice in the mask in a pair of scalar registers.
pub(super) fn mask_bits(first: u8) -> AsmMemoryOperand {
    r12 + r8 + i32::from(first) * 4
}

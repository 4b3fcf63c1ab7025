//! Undefined bits that atomics leave in memory.

use gcn_emu::step::Family;
use gcn_isa::Does;
use gcn_isa::effect::AtomicOp;

use super::{DWORD, MemoryPlace, PartlyDefined, UndefinedAccess, UndefinedElement, all_or_none};

impl UndefinedAccess<'_> {
    /// True for bitwise atomics, whose operands are integers without padding.
    pub(super) fn is_bitwise(&self) -> bool {
        use AtomicOp::{And, MaskOr, Or, Xor};
        let does = self.plan.does;
        matches!(
            does,
            Does::Atomic(And | Or | Xor | MaskOr, _) | Does::Return(And | Or | Xor | MaskOr, _)
        )
    }

    /// Returns the undefined bits that an atomic leaves in memory, or `None` if it is not tracked bit by bit.
    pub(super) fn left_by(
        &mut self,
        op: AtomicOp,
        lane: usize,
        data: &[UndefinedElement; 2],
    ) -> Option<UndefinedElement> {
        let plan = self.plan;
        if op == AtomicOp::Swap {
            return Some(data[0]);
        }
        let (old, _) = self.load(lane, 0, plan.ty.bytes().into());
        if op == AtomicOp::CompareSwap {
            return self.left_by_swap(lane, &old, data);
        }
        let mut left = [0; 16];
        for (at, left) in (0..plan.ty.dwords()).zip(&mut left) {
            let operand = |first: u8, undefined: &UndefinedElement| PartlyDefined {
                value: self.context.wave.vgpr(first.wrapping_add(at)).0[lane].into(),
                undefined: undefined[usize::from(at)].into(),
            };
            let a = operand(plan.vdata, &data[0]);
            let b = operand(self.second_register(), &data[1]);
            let undefined = old[usize::from(at)].into();
            // Other lanes and waves may change the value first, so each bit is taken as both 0 and 1.
            for value in [0, u64::MAX] {
                let old = PartlyDefined { value, undefined };
                let new = match op {
                    AtomicOp::And => old & a,
                    AtomicOp::Or => old | a,
                    AtomicOp::Xor => old ^ a,
                    AtomicOp::MaskOr => old & !a | b,
                    _ => return None,
                };
                *left |= new.undefined as u32;
            }
        }
        Some(left)
    }

    /// Returns the undefined bits that a compare-and-swap leaves, or `None` if it compares floats or undefined bits.
    fn left_by_swap(
        &mut self,
        lane: usize,
        old: &UndefinedElement,
        data: &[UndefinedElement; 2],
    ) -> Option<UndefinedElement> {
        let (plan, second) = (self.plan, self.second_register());
        let ((compared, compared_bits), (new, new_bits)) = match plan.family {
            Family::Share => ((plan.vdata, &data[0]), (second, &data[1])),
            _ => ((second, &data[1]), (plan.vdata, &data[0])),
        };
        if plan.ty.is_float() || all_or_none(old) | all_or_none(compared_bits) != 0 {
            return None;
        }
        let wave = self.context.wave;
        let value = |first: u8, dword: u8| wave.vgpr(first.wrapping_add(dword)).0[lane];
        let before = self.swapped.len();
        for dword in 0..plan.ty.dwords() {
            let place = self.place(lane, 0, DWORD * u64::from(dword))?;
            if self.dword(place)? != value(compared, dword) {
                self.swapped.truncate(before);
                return Some([0; 16]);
            }
            self.swapped.push((place, value(new, dword)));
        }
        Some(*new_bits)
    }

    /// Reads a dword of the memory itself, rather than of its shadow, as earlier lanes have left it.
    fn dword(&self, place: MemoryPlace) -> Option<u32> {
        let mut swapped = self.swapped.iter().rev();
        if let Some((_, value)) = swapped.find(|(at, _)| *at == place) {
            return Some(*value);
        }
        let mut value = [0; DWORD as usize];
        let address = match place {
            MemoryPlace::Lds(at) => {
                let lds = self.context.lds.bytes().get(at as usize..)?;
                return lds.first_chunk().copied().map(u32::from_le_bytes);
            }
            MemoryPlace::Scratch(at) => self.memories.scratch_range.start + at,
            MemoryPlace::Global(address) => address,
        };
        let memory = &self.context.dispatched.device.memory;
        memory
            .read(address, &mut value)
            .then(|| u32::from_le_bytes(value))
    }
}

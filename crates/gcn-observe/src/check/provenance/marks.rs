//! Marks of register values: the pointer from which half of an address is derived.

use std::collections::HashMap;

use gcn_isa::Inst;
use gcn_isa::uses::RegisterSet;

use crate::lane_numbers::LaneNumbers;

/// Half of an address.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum AddressHalf {
    Low,
    High,
}

/// Mark of a dword in a register.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) enum PointerMark {
    /// A number that is not derived from a pointer.
    #[default]
    Number,
    /// A value derived from a pointer by an operation without a rule.
    Lost,
    /// Half of an address that is derived from a pointer.
    Of(PointerId, AddressHalf),
}

/// Number of a pointer's origin in [`LoadedPointers`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct PointerId(u32);

/// Number of [`PointerMark::Lost`].
const LOST: u32 = 1;
/// Number of the first mark with an origin.
const FIRST: u32 = 2;

impl PointerMark {
    fn number(self) -> u32 {
        match self {
            PointerMark::Number => 0,
            PointerMark::Lost => LOST,
            PointerMark::Of(PointerId(origin), AddressHalf::Low) => FIRST + 2 * origin,
            PointerMark::Of(PointerId(origin), AddressHalf::High) => FIRST + 2 * origin + 1,
        }
    }

    fn of_number(number: u32) -> PointerMark {
        let Some(rest) = number.checked_sub(FIRST) else {
            return if number == LOST {
                PointerMark::Lost
            } else {
                PointerMark::Number
            };
        };
        let half = if rest % 2 == 0 {
            AddressHalf::Low
        } else {
            AddressHalf::High
        };
        PointerMark::Of(PointerId(rest / 2), half)
    }
}

/// A pointer, and the instruction that loaded it.
#[derive(Clone, Copy, Debug)]
pub(super) struct LoadedPointer {
    /// First address of the allocation.
    pub(super) base: u64,
    /// Size of the allocation in bytes.
    pub(super) len: u64,
    /// Address of the instruction.
    pub(super) pc: u64,
    pub(super) inst: Inst,
}

/// Origins of the pointers loaded by the waves of one thread.
#[derive(Default)]
pub(super) struct LoadedPointers {
    pointers: Vec<LoadedPointer>,
    numbers: HashMap<(u64, u64), PointerId>,
}

impl LoadedPointers {
    /// Returns the origin of a pointer. All pointers to one allocation that one instruction loads share an origin.
    pub(super) fn of(&mut self, pointer: LoadedPointer) -> PointerId {
        let pointers = &mut self.pointers;
        let key = (pointer.pc, pointer.base);
        *self.numbers.entry(key).or_insert_with(|| {
            pointers.push(pointer);
            PointerId(pointers.len() as u32 - 1)
        })
    }

    pub(super) fn pointer(&self, origin: PointerId) -> &LoadedPointer {
        &self.pointers[origin.0 as usize]
    }

    /// True if both pointers are to the same allocation.
    fn are_of_one(&self, a: PointerId, b: PointerId) -> bool {
        self.pointer(a).base == self.pointer(b).base
    }

    /// Returns the mark of a difference: a number if both operands are derived from pointers to the same allocation.
    pub(super) fn difference(&self, a: PointerMark, b: PointerMark) -> PointerMark {
        match (a, b) {
            (a, PointerMark::Number) => a,
            (PointerMark::Of(a, half), PointerMark::Of(b, other))
                if half == other && self.are_of_one(a, b) =>
            {
                PointerMark::Number
            }
            _ => PointerMark::Lost,
        }
    }

    /// Returns the pointer from which both halves of an address are derived, if it is the same one.
    pub(super) fn whole(&self, low: PointerMark, high: PointerMark) -> Option<&LoadedPointer> {
        match (low, high) {
            (PointerMark::Of(low, AddressHalf::Low), PointerMark::Of(high, AddressHalf::High))
                if self.are_of_one(low, high) =>
            {
                Some(self.pointer(low))
            }
            _ => None,
        }
    }
}

/// Returns the mark of a sum: lost unless one operand is a number.
pub(super) fn sum(a: PointerMark, b: PointerMark) -> PointerMark {
    match (a, b) {
        (it, PointerMark::Number) | (PointerMark::Number, it) => it,
        _ => PointerMark::Lost,
    }
}

/// Mark and value of a scratch dword. A different value in memory shows that the dword has been overwritten.
type Spilled = (PointerMark, u32);

/// Marks of a wave's registers and scratch.
#[derive(Default)]
pub(super) struct PointerMarks {
    vectors: LaneNumbers,
    /// Vector registers that are marked in some lane.
    marked: RegisterSet,
    /// Indexed by scalar register; registers beyond the end are unmarked.
    scalars: Vec<PointerMark>,
    /// Bitmap of marked scalar registers.
    marked_scalars: u128,
    /// Marked scratch dwords, by address.
    scratch: HashMap<u64, Spilled>,
    /// Registers of the issued memory access, since a load may mark its destinations.
    loading: RegisterSet,
}

impl PointerMarks {
    pub(super) fn set_loading(&mut self, registers: RegisterSet) {
        self.loading = registers;
    }

    /// Returns the registers that are marked, or may be once the issued load has executed.
    pub(super) fn registers(&self) -> RegisterSet {
        let mut all = self.marked;
        all.add_all(&self.loading);
        all.add_scalars(self.marked_scalars);
        all
    }

    pub(super) fn vector(&self, register: u8, lane: usize) -> PointerMark {
        PointerMark::of_number(self.vectors.get(register, lane))
    }

    pub(super) fn scalar(&self, register: u8) -> PointerMark {
        let mark = self.scalars.get(usize::from(register));
        mark.copied().unwrap_or_default()
    }

    pub(super) fn set_vector(&mut self, register: u8, lane: usize, mark: PointerMark) {
        self.vectors.set(register, lane, mark.number());
        let is_marked = self.vectors.lanes(register) != 0;
        self.marked.set_vector(register, is_marked);
    }

    pub(super) fn set_scalar(&mut self, register: u8, mark: PointerMark) {
        let (index, bit) = (usize::from(register), 1 << (register % 128));
        if mark == PointerMark::Number && self.marked_scalars & bit == 0 {
            return;
        }
        if self.scalars.len() <= index {
            self.scalars.resize(index + 1, PointerMark::Number);
        }
        self.scalars[index] = mark;
        if mark == PointerMark::Number {
            self.marked_scalars &= !bit;
        } else {
            self.marked_scalars |= bit;
        }
    }

    /// Marks the given lanes of a register as numbers.
    pub(super) fn clear_vector(&mut self, register: u8, lanes: u64) {
        self.vectors.clear(register, lanes);
        let is_marked = self.vectors.lanes(register) != 0;
        self.marked.set_vector(register, is_marked);
    }

    /// Records a store to a scratch dword.
    pub(super) fn spill(&mut self, place: u64, mark: PointerMark, value: u32) {
        if mark == PointerMark::Number {
            self.scratch.remove(&place);
        } else {
            self.scratch.insert(place, (mark, value));
        }
    }

    /// Returns the mark of a scratch dword that now contains `value`; lost if a marked dword has been overwritten.
    pub(super) fn spilled(&self, place: u64, value: u32) -> PointerMark {
        match self.scratch.get(&place) {
            Some((mark, known)) if *known == value => *mark,
            Some(_) => PointerMark::Lost,
            None => PointerMark::Number,
        }
    }

    /// True if no vector register and no scratch dword is marked.
    pub(super) fn are_of_no_vector(&self) -> bool {
        self.vectors.is_empty() && self.scratch.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_numbers_and_back() {
        for mark in [
            PointerMark::Number,
            PointerMark::Lost,
            PointerMark::Of(PointerId(0), AddressHalf::Low),
            PointerMark::Of(PointerId(0), AddressHalf::High),
            PointerMark::Of(PointerId(7), AddressHalf::High),
        ] {
            assert_eq!(PointerMark::of_number(mark.number()), mark);
        }
    }

    #[test]
    fn sums_keep_one_pointer() {
        let a = PointerMark::Of(PointerId(0), AddressHalf::Low);
        let b = PointerMark::Of(PointerId(1), AddressHalf::Low);
        assert_eq!(sum(a, PointerMark::Number), a);
        assert_eq!(sum(PointerMark::Number, b), b);
        assert_eq!(sum(a, b), PointerMark::Lost);
        assert_eq!(
            sum(PointerMark::Lost, PointerMark::Number),
            PointerMark::Lost
        );
        assert_eq!(
            sum(PointerMark::Number, PointerMark::Number),
            PointerMark::Number
        );
    }
}

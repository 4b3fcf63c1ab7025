//! Numbers associated with the lanes of vector registers.

/// Number of each lane of a register; 0 for none.
type NumberRow = Box<[u32; 64]>;

/// Sparse map from lanes of vector registers to nonzero numbers.
#[derive(Debug, Default)]
pub(crate) struct LaneNumbers {
    /// Rows by register; `None` for registers that have never had a number.
    rows: Vec<Option<NumberRow>>,
    /// Masks of the lanes with a number, by register.
    lanes: Vec<u64>,
    /// Count of the registers with a number in any lane.
    live: usize,
}

impl LaneNumbers {
    /// True if no lane has a number.
    pub(crate) fn is_empty(&self) -> bool {
        self.live == 0
    }

    /// Returns the mask of a register's lanes that have a number.
    pub(crate) fn lanes(&self, register: u8) -> u64 {
        self.lanes.get(usize::from(register)).copied().unwrap_or(0)
    }

    /// Returns the number of a lane; 0 for none.
    pub(crate) fn get(&self, register: u8, lane: usize) -> u32 {
        let row = self.rows.get(usize::from(register));
        row.and_then(Option::as_ref).map_or(0, |row| row[lane])
    }

    /// Sets the number of a lane; 0 removes it.
    pub(crate) fn set(&mut self, register: u8, lane: usize, number: u32) {
        let before = self.lanes(register);
        let bit = 1 << lane;
        if number == 0 && before & bit == 0 {
            return;
        }
        let index = usize::from(register);
        if self.rows.len() <= index {
            self.rows.resize_with(index + 1, || None);
            self.lanes.resize(index + 1, 0);
        }
        let row = self.rows[index].get_or_insert_with(|| Box::new([0; 64]));
        row[lane] = number;
        let after = if number == 0 {
            before & !bit
        } else {
            before | bit
        };
        self.lanes[index] = after;
        self.live += usize::from(before == 0 && after != 0);
        self.live -= usize::from(before != 0 && after == 0);
    }

    /// Removes the numbers of the given lanes of a register.
    pub(crate) fn clear(&mut self, register: u8, lanes: u64) {
        let mut left = self.lanes(register) & lanes;
        while left != 0 {
            self.set(register, left.trailing_zeros() as usize, 0);
            left &= left - 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn registers_with_numbers_are_counted() {
        let mut numbers = LaneNumbers::default();
        assert!(numbers.is_empty());
        numbers.set(7, 3, 1);
        numbers.set(7, 5, 2);
        numbers.set(9, 5, 2);
        assert_eq!(numbers.lanes(7), 1 << 3 | 1 << 5);
        assert_eq!(numbers.get(7, 5), 2);
        numbers.clear(7, u64::MAX);
        assert_eq!(numbers.get(7, 5), 0);
        assert!(!numbers.is_empty());
        numbers.set(9, 5, 0);
        assert!(numbers.is_empty());
    }
}

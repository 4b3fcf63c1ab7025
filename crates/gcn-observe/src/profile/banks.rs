//! LDS bank conflicts.

/// Number of LDS banks.
pub const BANKS: usize = 32;
/// Number of bytes that a bank serves per cycle. Bits 6 to 2 of an address select the bank.
pub const BANK_BYTES: u64 = 4;

/// Returns the number of cycles that an LDS access loses to bank conflicts. `lanes` yields the active lanes in ascending
/// order, with their offsets; `bytes` is the size per lane.
///
/// LDS has [`BANKS`] banks of [`BANK_BYTES`] bytes. In each cycle, a bank serves one dword to all lanes that access it.
/// Lanes are processed in groups, which take one cycle without conflicts: 32 lanes for up to 4 bytes per lane, 16 for up
/// to 8, and 8 for more. A group takes as many cycles as the largest number of distinct dwords in any bank, and each
/// cycle beyond the first is a conflict. A bank performs one atomic per cycle, so atomics also conflict on the same dword.
///
/// Source: AMD's "OpenCL Optimization Guide" and "OpenCL Programming Guide" (local memory, 32 banks, bits 6:2,
/// half-waves; sequential 8-byte accesses are conflict-free), and the ISA manuals' chapters on LDS (32 banks, each with
/// an integer atomic unit).
///
/// ```
/// use gcn_observe::profile::conflicts;
///
/// let strided = |stride: u64| (0..64).map(move |lane| (lane, lane as u64 * 4 * stride));
/// assert_eq!(conflicts(strided(1), 4, false), 0);
/// // Two lanes in each of 16 banks, in both halves of the wave.
/// assert_eq!(conflicts(strided(2), 4, false), 2);
/// // 32 lanes in one bank.
/// assert_eq!(conflicts(strided(32), 4, false), 62);
/// ```
pub fn conflicts(
    lanes: impl IntoIterator<Item = (usize, u64)>,
    bytes: u64,
    is_atomic: bool,
) -> u64 {
    let width = match bytes {
        0..=4 => 32,
        5..=8 => 16,
        _ => 8,
    };
    let mut group = ServedLanes::default();
    let mut sum = 0;
    for (lane, offset) in lanes {
        if group.number != lane / width {
            sum += group.conflicts();
            group.clear(lane / width);
        }
        let last = offset.saturating_add(bytes.saturating_sub(1));
        for dword in offset / BANK_BYTES..=last / BANK_BYTES {
            group.add(dword, is_atomic);
        }
    }
    sum + group.conflicts()
}

/// A group of lanes that are served together.
#[derive(Default)]
struct ServedLanes {
    number: usize,
    /// Dwords accessed in each bank, without duplicates unless the access is atomic.
    banks: [Vec<u64>; BANKS],
}

impl ServedLanes {
    fn clear(&mut self, number: usize) {
        self.number = number;
        self.banks.iter_mut().for_each(Vec::clear);
    }

    fn add(&mut self, dword: u64, is_atomic: bool) {
        let bank = &mut self.banks[dword as usize % BANKS];
        if is_atomic || !bank.contains(&dword) {
            bank.push(dword);
        }
    }

    /// Returns the number of cycles beyond the first.
    fn conflicts(&self) -> u64 {
        let most = self.banks.iter().map(Vec::len).max().unwrap_or(0);
        most.saturating_sub(1) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::conflicts;

    /// Offsets of 64 lanes, `bytes` apart.
    fn strided(bytes: u64) -> impl Iterator<Item = (usize, u64)> {
        (0..64).map(move |lane| (lane, lane as u64 * bytes))
    }

    #[test]
    fn conflicts_follow_from_strides() {
        // Bytes per element, bytes between lanes, cycles beyond the first of each group.
        for (bytes, distance, expected) in [
            (4, 4, 0),
            (4, 8, 2),
            (4, 12, 0),
            (4, 16, 2 * 3),
            (4, 64, 2 * 15),
            (4, 128, 2 * 31),
            (4, 132, 0),
            // All lanes access one dword.
            (4, 0, 0),
            // Several lanes share a dword.
            (1, 1, 0),
            (2, 2, 0),
            (2, 128, 2 * 31),
            // 16 lanes with two dwords each fill all banks.
            (8, 8, 0),
            (8, 16, 4),
            (8, 128, 4 * 15),
            (16, 16, 0),
            (16, 32, 8),
        ] {
            let found = conflicts(strided(distance), bytes, false);
            assert_eq!(found, expected, "{bytes} bytes, {distance} apart");
        }
    }

    #[test]
    fn inactive_lanes_do_not_conflict() {
        let odd = strided(128).filter(|(lane, _)| lane % 2 != 0);
        assert_eq!(conflicts(odd, 4, false), 2 * 15);
        let one = strided(128).take(1);
        assert_eq!(conflicts(one, 4, false), 0);
        assert_eq!(conflicts(None, 4, false), 0);
    }

    #[test]
    fn atomics_on_one_dword_conflict() {
        assert_eq!(conflicts(strided(0), 4, true), 2 * 31);
        assert_eq!(conflicts(strided(4), 4, true), 0);
    }
}

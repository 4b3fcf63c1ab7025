//! Box-shaped memory regions for rectangle and image copies.

/// Row and slice pitches in bytes; 0 means tightly packed.
///
/// # Examples
/// ```
/// use gcn_runtime::image::Pitches;
/// assert_eq!(Pitches::default(), Pitches { row: 0, slice: 0 });
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
#[allow(missing_docs)]
pub struct Pitches {
    pub row: usize,
    pub slice: usize,
}

/// Location of a box in memory: address of its first byte, row pitch and slice pitch in bytes.
///
/// # Examples
/// ```
/// use gcn_runtime::image::BoxPlace;
/// let place = BoxPlace { address: 0x1000, row: 64, slice: 128 };
/// let rows: Vec<u64> = place.rows([4, 2, 2]).collect();
/// assert_eq!(rows, [0x1000, 0x1040, 0x1080, 0x10c0]);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs)]
pub struct BoxPlace {
    pub address: u64,
    pub row: u64,
    pub slice: u64,
}

impl BoxPlace {
    /// Creates a box of size `region` at `origin` in memory at `address`. A pitch of 0 means contiguous rows or slices.
    ///
    /// # Examples
    /// ```
    /// use gcn_runtime::image::BoxPlace;
    /// let place = BoxPlace::new(0x1000, [1, 1, 1], [16, 4, 2], 0, 0);
    /// assert_eq!(place, BoxPlace { address: 0x1000 + 1 + 16 + 64, row: 16, slice: 64 });
    /// ```
    pub fn new(
        address: u64,
        origin: [usize; 3],
        region: [usize; 3],
        row: usize,
        slice: usize,
    ) -> BoxPlace {
        let row = if row == 0 { region[0] } else { row } as u64;
        let slice = match slice {
            0 => row.wrapping_mul(region[1] as u64),
            slice => slice as u64,
        };
        let [x, y, z] = origin.map(|n| n as u64);
        BoxPlace {
            address: address
                .wrapping_add(x)
                .wrapping_add(y.wrapping_mul(row))
                .wrapping_add(z.wrapping_mul(slice)),
            row,
            slice,
        }
    }

    fn row_at(&self, y: u64, z: u64) -> u64 {
        self.address + y * self.row + z * self.slice
    }

    /// Returns the addresses of the rows of a box of size `region`.
    pub fn rows(self, region: [usize; 3]) -> impl Iterator<Item = u64> {
        let [_, rows, slices] = region.map(|n| n as u64);
        (0..slices).flat_map(move |z| (0..rows).map(move |y| self.row_at(y, z)))
    }
}

/// Origin and size of a box in a memory object, in bytes, rows and slices.
///
/// # Examples
/// ```
/// use gcn_runtime::image::{BoxSize, Pitches};
/// let region = BoxSize { origin: [4, 1, 0], size: [8, 2, 1] };
/// assert_eq!(region.at(0x1000, Pitches { row: 64, slice: 0 }).address, 0x1044);
/// assert_eq!(region.alone(0x1000, Pitches::default()).row, 8);
/// assert_eq!(BoxSize::line(4, 8), BoxSize { origin: [4, 0, 0], size: [8, 1, 1] });
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs)]
pub struct BoxSize {
    pub origin: [usize; 3],
    pub size: [usize; 3],
}

impl BoxSize {
    /// Creates a box of contiguous bytes.
    pub fn line(offset: usize, bytes: usize) -> BoxSize {
        BoxSize {
            origin: [offset, 0, 0],
            size: [bytes, 1, 1],
        }
    }

    /// Places the box relative to an address.
    pub fn at(&self, address: u64, pitches: Pitches) -> BoxPlace {
        BoxPlace::new(address, self.origin, self.size, pitches.row, pitches.slice)
    }

    /// Places the box at an address, ignoring its origin.
    pub fn alone(&self, address: u64, pitches: Pitches) -> BoxPlace {
        BoxPlace::new(address, [0; 3], self.size, pitches.row, pitches.slice)
    }
}

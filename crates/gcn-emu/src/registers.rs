//! The vector registers of a wave, and rows beside them for sources that are in none.

use std::ops::{Deref, DerefMut};

use crate::lanes::{Lanes, NOTHING};

/// Operands of an instruction at most.
pub(crate) const OPERANDS: usize = 6;
/// Rows for a source that is in no vector register: its low and its high dword, and the last one with its sign changed.
const ROWS_OF_SOURCE: usize = 3;
/// Rows for such sources; those of the registers follow.
const STAGED: usize = OPERANDS * ROWS_OF_SOURCE;

/// Vector registers. They deref to a slice of [`Lanes`].
///
/// The same allocation begins with rows for the sources of a vector instruction that are in no register: a row's number is all
/// that an instruction has to know of a source.
///
/// ```
/// use gcn_emu::registers::VectorRegisters;
/// use gcn_emu::wave::Lanes;
///
/// let mut vgprs = VectorRegisters::new(4);
/// vgprs[3] = Lanes::splat(7);
/// assert_eq!(vgprs.len(), 4);
/// ```
#[derive(Clone, Debug)]
pub struct VectorRegisters {
    rows: Box<[Lanes]>,
}

/// The place of a source or result among a wave's registers and the rows for sources that are in none.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct RegisterRow(u16);

impl RegisterRow {
    /// The first of a source's rows outside the registers, by its place among the operands.
    pub(crate) const fn staged(place: usize) -> RegisterRow {
        RegisterRow((place * ROWS_OF_SOURCE) as u16)
    }

    /// A register's.
    pub(crate) const fn of_register(number: u8) -> RegisterRow {
        RegisterRow(STAGED as u16 + number as u16)
    }

    /// True of a register's.
    pub(crate) const fn is_register(self) -> bool {
        self.0 as usize >= STAGED
    }
}

/// The rows of sources that are in no vector register, at their places among the operands: the dwords, and the last one
/// with its sign changed.
pub(crate) struct Staged<'a>(&'a mut [Lanes; STAGED]);

impl Staged<'_> {
    /// The rows of a source; nothing beyond the operands.
    #[inline(always)]
    pub(crate) fn source(&mut self, place: usize) -> Option<&mut [Lanes; ROWS_OF_SOURCE]> {
        self.0[(place * ROWS_OF_SOURCE).min(STAGED)..].first_chunk_mut()
    }
}

impl VectorRegisters {
    /// As many registers, all zero.
    pub fn new(count: usize) -> VectorRegisters {
        VectorRegisters {
            rows: vec![Lanes::ZERO; STAGED + count].into_boxed_slice(),
        }
    }

    /// A source's dword: the row, or the one after it if `n` is 1. Zeros if there is no such register; resolved operands name none.
    #[inline(always)]
    pub(crate) fn dword(&self, row: RegisterRow, n: usize) -> &Lanes {
        self.rows.get(usize::from(row.0) + n).unwrap_or(&NOTHING)
    }

    /// A result's dword, as [`VectorRegisters::dword`] of a source.
    #[inline(always)]
    pub(crate) fn dword_mut(&mut self, row: RegisterRow, n: usize) -> Option<&mut Lanes> {
        self.rows.get_mut(usize::from(row.0) + n)
    }

    /// A source's dword outside the registers with its sign changed.
    #[inline(always)]
    pub(crate) fn changed(&self, place: usize) -> &Lanes {
        self.dword(RegisterRow::staged(place), ROWS_OF_SOURCE - 1)
    }

    /// The registers, and the rows for sources that are in none.
    #[inline(always)]
    pub(crate) fn split(&mut self) -> (&mut [Lanes], Staged<'_>) {
        match self.rows.split_first_chunk_mut() {
            Some((staged, registers)) => (registers, Staged(staged)),
            None => unreachable!("registers are made with rows ahead of them"),
        }
    }
}

impl Deref for VectorRegisters {
    type Target = [Lanes];

    #[inline(always)]
    fn deref(&self) -> &[Lanes] {
        self.rows.get(STAGED..).unwrap_or_default()
    }
}

impl DerefMut for VectorRegisters {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut [Lanes] {
        self.rows.get_mut(STAGED..).unwrap_or_default()
    }
}

impl<'a> IntoIterator for &'a mut VectorRegisters {
    type Item = &'a mut Lanes;
    type IntoIter = std::slice::IterMut<'a, Lanes>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter_mut()
    }
}

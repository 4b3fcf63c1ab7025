//! Vector registers of a wave, with staging rows for sources outside them.

use std::ops::{Deref, DerefMut};

use crate::lanes::{Lanes, NOTHING};

/// Maximum number of operands of an instruction.
pub(crate) const OPERANDS: usize = 6;
/// Rows for a source outside the vector registers: its low dword, its high dword, and its last dword with the sign
/// changed.
const ROWS_OF_SOURCE: usize = 3;
/// Number of staging rows, which precede the registers.
const STAGED: usize = OPERANDS * ROWS_OF_SOURCE;

/// Vector registers, dereferencing to a slice of [`Lanes`].
///
/// The allocation begins with staging rows for sources of a vector instruction outside the registers, so that an
/// instruction identifies any source by a row number.
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

/// Row number of a source or result: a register or a staging row.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct RegisterRow(u16);

impl RegisterRow {
    /// First staging row of a source, by operand index.
    pub(crate) const fn staged(place: usize) -> RegisterRow {
        RegisterRow((place * ROWS_OF_SOURCE) as u16)
    }

    /// Row of a register.
    pub(crate) const fn of_register(number: u8) -> RegisterRow {
        RegisterRow(STAGED as u16 + number as u16)
    }

    /// True for the row of a register.
    pub(crate) const fn is_register(self) -> bool {
        self.0 as usize >= STAGED
    }
}

/// Staging rows by operand index: low dword, high dword, and the last dword with the sign changed.
pub(crate) struct Staged<'a>(&'a mut [Lanes; STAGED]);

impl Staged<'_> {
    /// Rows of a source; `None` past the last operand.
    #[inline(always)]
    pub(crate) fn source(&mut self, place: usize) -> Option<&mut [Lanes; ROWS_OF_SOURCE]> {
        self.0[(place * ROWS_OF_SOURCE).min(STAGED)..].first_chunk_mut()
    }
}

impl VectorRegisters {
    /// Creates `count` registers, all zero.
    pub fn new(count: usize) -> VectorRegisters {
        VectorRegisters {
            rows: vec![Lanes::ZERO; STAGED + count].into_boxed_slice(),
        }
    }

    /// Dword of a source: the given row, or the next one if `n` is 1. Returns zeros for a row that does not exist;
    /// resolved operands never refer to one.
    #[inline(always)]
    pub(crate) fn dword(&self, row: RegisterRow, n: usize) -> &Lanes {
        self.rows.get(usize::from(row.0) + n).unwrap_or(&NOTHING)
    }

    /// Mutable dword of a result, selected as in [`VectorRegisters::dword`].
    #[inline(always)]
    pub(crate) fn dword_mut(&mut self, row: RegisterRow, n: usize) -> Option<&mut Lanes> {
        self.rows.get_mut(usize::from(row.0) + n)
    }

    /// Last dword of a staged source with its sign changed.
    #[inline(always)]
    pub(crate) fn changed(&self, place: usize) -> &Lanes {
        self.dword(RegisterRow::staged(place), ROWS_OF_SOURCE - 1)
    }

    /// Splits into registers and staging rows.
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

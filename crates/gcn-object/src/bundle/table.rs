//! Table of an uncompressed bundle: the magic bytes and the number of entries, then the offset, size and ID of each
//! entry. All numbers are 64 bits wide.

use std::ops::Range;

use super::error::BundleError;

/// Magic bytes of an uncompressed bundle.
pub(super) const MAGIC: &[u8] = b"__CLANG_OFFLOAD_BUNDLE__";

/// Parsed table of a bundle.
pub(super) struct BundleTable {
    /// ID and byte range of each entry, in file order.
    pub entries: Vec<(String, Range<usize>)>,
    /// Bundle size in bytes, up to the end of the last entry.
    pub length: usize,
}

impl BundleTable {
    /// Reads the table at the start of `bytes`.
    pub fn read(bytes: &[u8]) -> Result<Self, BundleError> {
        let mut rest = bytes.strip_prefix(MAGIC).ok_or(BundleError::NotABundle)?;
        let count = number(&mut rest, 8)?;
        let mut entries = Vec::new();
        let mut end = 0;
        // The count may be wrong, but the loop stops at the end of the bytes.
        for _ in 0..count {
            let (offset, size) = (number(&mut rest, 8)?, number(&mut rest, 8)?);
            let length =
                usize::try_from(number(&mut rest, 8)?).map_err(|_| BundleError::Truncated)?;
            let (id, tail) = rest
                .split_at_checked(length)
                .ok_or(BundleError::Truncated)?;
            rest = tail;
            let id = String::from_utf8_lossy(id).into_owned();
            match range(offset, size).filter(|range| range.end <= bytes.len()) {
                Some(range) => {
                    end = end.max(range.end);
                    entries.push((id, range));
                }
                None => return Err(BundleError::Outside { id }),
            }
        }
        let table_end = bytes.len() - rest.len();
        let length = end.max(table_end);
        Ok(Self { entries, length })
    }
}

/// Takes a little-endian number of `width` bytes, at most 8, from the front of `bytes`.
pub(super) fn number(bytes: &mut &[u8], width: usize) -> Result<u64, BundleError> {
    let (digits, rest) = bytes
        .split_at_checked(width)
        .ok_or(BundleError::Truncated)?;
    *bytes = rest;
    let digits = digits.iter().rev();
    Ok(digits.fold(0, |number, &byte| number << 8 | u64::from(byte)))
}

/// Returns the range of `size` bytes at `offset`, if the host can address it.
pub(super) fn range(offset: u64, size: u64) -> Option<Range<usize>> {
    let start = usize::try_from(offset).ok()?;
    Some(start..start.checked_add(usize::try_from(size).ok()?)?)
}

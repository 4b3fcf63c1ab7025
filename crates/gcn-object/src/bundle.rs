//! Offload bundles: several code objects, one a target, in the file that `hipcc --genco` leaves.
//!
//! The layout is that of "Bundled Code Object File Layout" in Clang's "Clang Offload Bundler": a magic text, the
//! number of entries, then for each its offset, its size and its name; numbers have 64 bits.

use std::ops::Range;

use thiserror::Error;

const MAGIC: &[u8] = b"__CLANG_OFFLOAD_BUNDLE__";
const COMPRESSED_MAGIC: &[u8] = b"CCOB";

/// One file in a bundle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BundleEntry<'a> {
    /// Kind and target, such as `hipv4-amdgcn-amd-amdhsa--gfx906`.
    pub id: String,
    /// The file; empty for the host's part.
    pub bytes: &'a [u8],
}

impl BundleEntry<'_> {
    /// The target id at the end of the name, such as `gfx906:xnack-`; `None` for the host's part.
    pub fn target(&self) -> Option<&str> {
        let at = self.id.rfind("-gfx")?;
        self.id.get(at + 1..)
    }
}

/// Why bytes are not an offload bundle.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum BundleError {
    /// The magic text is missing.
    #[error("not an offload bundle")]
    NotABundle,
    /// Bundles may be compressed; this reader takes only those that are not.
    #[error("the offload bundle is compressed; `clang-offload-bundler --unbundle` takes it apart")]
    Compressed,
    /// It ends within its table.
    #[error("the offload bundle ends within its table of entries")]
    Truncated,
    /// An entry reaches beyond the end of the file.
    #[error("entry {id} reaches beyond the end of the offload bundle")]
    Outside {
        /// Its name.
        id: String,
    },
}

/// The bytes begin as an offload bundle does.
pub fn is_bundle(bytes: &[u8]) -> bool {
    bytes.starts_with(MAGIC) || bytes.starts_with(COMPRESSED_MAGIC)
}

/// The entries of an offload bundle, in the order of the file.
pub fn bundle_entries(bytes: &[u8]) -> Result<Vec<BundleEntry<'_>>, BundleError> {
    let Some(mut table) = bytes.strip_prefix(MAGIC) else {
        let compressed = bytes.starts_with(COMPRESSED_MAGIC);
        return Err(if compressed {
            BundleError::Compressed
        } else {
            BundleError::NotABundle
        });
    };
    let count = number(&mut table)?;
    let mut entries = Vec::new();
    // The count may be a lie; running out of table ends the loop.
    for _ in 0..count {
        let (offset, size) = (number(&mut table)?, number(&mut table)?);
        let length = usize::try_from(number(&mut table)?).map_err(|_| BundleError::Truncated)?;
        let (id, rest) = table
            .split_at_checked(length)
            .ok_or(BundleError::Truncated)?;
        table = rest;
        let id = String::from_utf8_lossy(id).into_owned();
        match range(offset, size).and_then(|range| bytes.get(range)) {
            Some(bytes) => entries.push(BundleEntry { id, bytes }),
            None => return Err(BundleError::Outside { id }),
        }
    }
    Ok(entries)
}

fn number(table: &mut &[u8]) -> Result<u64, BundleError> {
    let (bytes, rest) = table.split_first_chunk().ok_or(BundleError::Truncated)?;
    *table = rest;
    Ok(u64::from_le_bytes(*bytes))
}

fn range(offset: u64, size: u64) -> Option<Range<usize>> {
    let start = usize::try_from(offset).ok()?;
    Some(start..start.checked_add(usize::try_from(size).ok()?)?)
}

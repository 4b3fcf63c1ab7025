//! Bundle entries, and functions that read them.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

use super::error::{BundleError, MAX_UNCOMPRESSED};
use super::table::BundleTable;
use super::{compressed, table};
use crate::bytes::Bytes;
use crate::error::ReadError;
use crate::metadata::KernelMetadata;
use crate::object::CodeObject;
use crate::reader;

/// A file in a bundle, or a code object in another kind of file.
///
/// # Examples
/// ```
/// let file = std::fs::read("tests/fixtures/scale-gfx803-v3.co")?;
/// let entry = gcn_object::code_objects(&file)?.next().expect("the file itself")?;
/// assert_eq!(entry.target(), Some("gfx803"));
/// assert_eq!(entry.kernel_names()?, ["scale"]);
/// assert_eq!(entry.read()?.kernels[0].name, "scale");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BundleEntry<'a> {
    /// Bundle entry ID: kind and target, such as `hipv4-amdgcn-amd-amdhsa--gfx906`.
    pub id: String,
    /// Contents; usually empty for the host entry. The entries of a compressed bundle share one decompressed copy.
    pub bytes: Bytes<'a>,
    /// Kernel metadata from the program that contains the code object.
    pub(super) metadata: Arc<[KernelMetadata]>,
}

impl<'a> BundleEntry<'a> {
    /// Returns the target ID at the end of the entry ID, such as `gfx906:xnack-`; `None` if it names no GPU, as for the host.
    pub fn target(&self) -> Option<&str> {
        let at = self.id.rfind("-gfx")?;
        self.id.get(at + 1..)
    }

    /// Converts to an owned value, copying borrowed contents.
    ///
    /// # Examples
    /// ```
    /// use gcn_object::{BundleEntry, code_objects};
    /// let owned: BundleEntry<'static> = {
    ///     let file = std::fs::read("tests/fixtures/scale-gfx803-v3.co")?;
    ///     code_objects(&file)?.next().expect("the file itself")?.into_owned()
    /// };
    /// assert_eq!(owned.kernel_names()?, ["scale"]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn into_owned(self) -> BundleEntry<'static> {
        BundleEntry {
            id: self.id,
            bytes: self.bytes.into_owned(),
            metadata: self.metadata,
        }
    }

    /// Reads the contents as a code object, without copying them. Kernels without metadata get theirs from the containing
    /// program if AMD's OpenCL 2 compiler produced it.
    ///
    /// # Errors
    /// The errors of [`read`](crate::read).
    pub fn read(&self) -> Result<CodeObject<'a>, ReadError> {
        let mut object = crate::read(self.bytes.clone())?;
        let by_symbol = self
            .metadata
            .iter()
            .map(|metadata| (&*metadata.symbol, metadata));
        let by_symbol: HashMap<&str, &KernelMetadata> = by_symbol.collect();
        for kernel in &mut object.kernels {
            if kernel.metadata.is_none() {
                let own = by_symbol.get(kernel.name.as_str());
                kernel.metadata = own.map(|metadata| (*metadata).clone());
            }
        }
        Ok(object)
    }

    /// Returns the names of all kernels in ascending order, without the suffix `.kd`. Reads only the symbol tables if
    /// there are section headers, so it is usually much cheaper than [`BundleEntry::read`].
    ///
    /// # Errors
    /// Fails if the contents are not a code object, or its symbol tables are malformed.
    pub fn kernel_names(&self) -> Result<Vec<Cow<'_, str>>, ReadError> {
        reader::kernel_names(&self.bytes)
    }
}

/// Returns true if `bytes` starts with the magic bytes of an offload bundle.
///
/// # Examples
/// ```
/// assert!(gcn_object::is_bundle(b"__CLANG_OFFLOAD_BUNDLE__ and a table"));
/// assert!(!gcn_object::is_bundle(b"\x7fELF"));
/// ```
pub fn is_bundle(bytes: &[u8]) -> bool {
    bytes.starts_with(table::MAGIC) || bytes.starts_with(compressed::MAGIC)
}

/// Returns all entries of an offload bundle, uncompressed or compressed, including the host entry, in file order.
///
/// # Errors
/// Fails if the bytes are not a bundle, or the bundle is malformed.
///
/// # Examples
/// ```
/// use gcn_object::bundle_entries;
/// // A table of two entries, the host's part, which is empty, and four bytes of code.
/// let entries = [("host-x86_64-unknown-linux-gnu-", 0), ("hipv4-amdgcn-amd-amdhsa--gfx906", 4)];
/// let end: usize = 32 + entries.iter().map(|(id, _)| 24 + id.len()).sum::<usize>();
/// let mut bundle = b"__CLANG_OFFLOAD_BUNDLE__".to_vec();
/// bundle.extend(2u64.to_le_bytes());
/// for (id, size) in entries {
///     bundle.extend([end as u64, size, id.len() as u64].map(u64::to_le_bytes).concat());
///     bundle.extend(id.bytes());
/// }
/// bundle.extend(b"code");
/// let entries = bundle_entries(&bundle)?;
/// assert_eq!((entries[0].target(), entries[1].target()), (None, Some("gfx906")));
/// assert_eq!(*entries[1].bytes, *b"code");
/// # Ok::<(), gcn_object::BundleError>(())
/// ```
pub fn bundle_entries<'a>(
    bytes: impl Into<Bytes<'a>>,
) -> Result<Vec<BundleEntry<'a>>, BundleError> {
    read(&bytes.into(), &mut { MAX_UNCOMPRESSED }).map(|(entries, _)| entries)
}

/// Reads the bundle at the start of `bytes`. Returns its entries and size, and subtracts the decompressed size from
/// `budget`.
pub(super) fn read<'a>(
    bytes: &Bytes<'a>,
    budget: &mut u64,
) -> Result<(Vec<BundleEntry<'a>>, usize), BundleError> {
    if bytes.starts_with(compressed::MAGIC) {
        let (uncompressed, length) = compressed::decompress(bytes, *budget)?;
        *budget = budget.saturating_sub(uncompressed.len() as u64);
        let table = BundleTable::read(&uncompressed)?;
        return Ok((entries(&Bytes::shared(uncompressed), table), length));
    }
    let table = BundleTable::read(bytes)?;
    let length = table.length;
    Ok((entries(bytes, table), length))
}

fn entries<'a>(bundle: &Bytes<'a>, table: BundleTable) -> Vec<BundleEntry<'a>> {
    let entry = |(id, range)| {
        let bytes = bundle.slice(range)?;
        let metadata = Arc::default();
        Some(BundleEntry {
            id,
            bytes,
            metadata,
        })
    };
    table.entries.into_iter().filter_map(entry).collect()
}

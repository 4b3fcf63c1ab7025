//! Loads code objects: memory image, relocations, symbols.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use gcn_emu::Code;
use gcn_emu::device::Device;
use gcn_emu::memory::AllocError;
use gcn_object::{
    CodeObject, Externals, ImageError, RelocationError, Segment, Symbol, SymbolKind, SymbolSection,
};

/// Allocation function that the device library's printf stub calls.
const MUTE_PRINTF: &str = "__printf_alloc";
/// Suffix that Clang adds to the name of a managed HIP variable. The unsuffixed name is that of a pointer to the variable.
const MANAGED: &str = ".managed";
/// Size of a pointer in bytes.
const POINTER_BYTES: u64 = 8;

/// Code object in guest memory. Code is decoded when a kernel first runs, and cached. Later changes to executed code in
/// memory do not affect execution, but launches report them as faults.
///
/// # Examples
/// ```
/// # mod example { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/assemble.rs")); }
/// # let (device, kernel) = example::add_one_kernel();
/// let loaded = kernel.module().loaded();
/// let kernel = kernel.description();
/// let entry = loaded.moved(kernel.entry_address);
/// assert_eq!(loaded.linked_address(entry), kernel.entry_address);
/// assert_eq!(loaded.symbol("add_one").map(|symbol| symbol.address), Some(entry));
/// let symbol = loaded.code_symbol_at(entry + 4).expect("an address in the kernel");
/// assert_eq!((symbol.name.as_str(), symbol.is_data), ("add_one", false));
/// ```
#[derive(Clone, Debug)]
pub struct Loaded {
    /// Address of the first byte.
    pub address: u64,
    /// Address of the first byte in the object's own address space.
    pub linked: u64,
    /// Size of the loaded image, in bytes.
    pub size: u64,
    segments: Vec<Segment>,
    symbols: Vec<LoadedSymbol>,
    /// True if the object contains the device library's printf stub, which prints nothing but expects a buffer that the
    /// metadata does not declare (errata E244).
    pub(super) has_mute_printf: bool,
    kept: KeptCode,
}

/// Entry point and register counts of a kernel, which determine how its code is decoded.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct CodeKey {
    entry: u64,
    vgprs: usize,
    sgprs: u8,
}

/// Cache of decoded code.
#[derive(Clone, Default)]
struct KeptCode(Arc<Mutex<HashMap<CodeKey, Arc<Code>>>>);

impl fmt::Debug for KeptCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kernels = self.0.lock().unwrap_or_else(PoisonError::into_inner).len();
        f.debug_struct("KeptCode")
            .field("kernels", &kernels)
            .finish()
    }
}

/// Symbol of a loaded code object.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LoadedSymbol {
    /// Symbol name.
    pub name: String,
    /// Address in guest memory.
    pub address: u64,
    /// Size in bytes; 0 if unknown.
    pub size: u64,
    /// True for data symbols.
    pub is_data: bool,
}

/// Error for a code object that cannot be loaded.
///
/// # Examples
/// ```
/// # mod example { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/assemble.rs")); }
/// use gcn_runtime::{Device, Error, hsa::LoadError};
/// let device = Device::builder("gfx900")?.memory(0).build();
/// let Err(Error::Load(error)) = device.load(&example::add_one()) else { panic!("there is no memory") };
/// assert!(matches!(&*error, LoadError::Memory(_)));
/// assert_eq!(error.name(), gcn_runtime::error_names::OUT_OF_MEMORY);
/// # Ok::<(), Error>(())
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LoadError {
    /// The code object cannot be laid out.
    #[error(transparent)]
    Image(#[from] ImageError),
    /// Relocations cannot be applied.
    #[error("{}", list(.0))]
    Relocations(Vec<RelocationError>),
    /// Not enough device memory is available.
    #[error(transparent)]
    Memory(#[from] AllocError),
}

fn list(errors: &[RelocationError]) -> String {
    let texts: Vec<String> = errors.iter().map(ToString::to_string).collect();
    texts.join("; ")
}

/// Loads a code object into guest memory under `name`, and relocates it. `externals` resolves undefined symbols to
/// addresses.
///
/// # Errors
/// Returns a [`LoadError`] if the object cannot be loaded.
pub(crate) fn link(
    device: &Device,
    object: &CodeObject,
    name: &str,
    externals: Externals<'_>,
) -> Result<Loaded, LoadError> {
    let mut image = object.image()?;
    let address = device.memory.allocate(name, image.bytes.len() as u64)?;
    if let Err(errors) = object.apply_relocations_with(&mut image, address, externals) {
        let freed = device.memory.free(address);
        debug_assert!(freed.is_ok(), "it is freed here only");
        return Err(LoadError::Relocations(errors));
    }
    device.memory.write(address, &image.bytes);
    let moved = address.wrapping_sub(image.base);
    for segment in image.segments.iter().filter(|segment| segment.execute) {
        let begin = segment.address.wrapping_add(moved);
        let is_loaded = device.memory.make_executable(begin, segment.size);
        debug_assert!(is_loaded, "the image has all segments");
    }
    for (pointer, variable) in managed_variables(object) {
        let value = variable.value.wrapping_add(moved);
        let place = pointer.value.wrapping_add(moved);
        device.memory.write(place, &value.to_le_bytes());
    }
    let mut symbols: Vec<LoadedSymbol> = object
        .symbols
        .iter()
        .filter(|symbol| {
            matches!(
                symbol.section,
                SymbolSection::Section(_) | SymbolSection::Common { .. }
            ) && !symbol.name.is_empty()
        })
        .filter(|symbol| !matches!(symbol.kind, SymbolKind::Section | SymbolKind::File))
        .map(|symbol| LoadedSymbol {
            name: symbol.name.clone(),
            address: symbol.value.wrapping_add(moved),
            size: symbol.size,
            is_data: symbol.kind == SymbolKind::Object,
        })
        .collect();
    symbols.sort_by_key(|symbol| symbol.address);
    let metadata = object.metadata.as_ref();
    Ok(Loaded {
        address,
        linked: image.base,
        size: image.bytes.len() as u64,
        segments: image.segments,
        symbols,
        has_mute_printf: metadata.is_some_and(|metadata| metadata.printf.is_empty())
            && object.symbol(MUTE_PRINTF).is_some(),
        kept: KeptCode::default(),
    })
}

/// Returns pointers that the runtime must initialize, each with the managed HIP variable it points to (errata E248).
fn managed_variables<'o>(object: &'o CodeObject) -> Vec<(&'o Symbol, &'o Symbol)> {
    let is_data = |symbol: &&Symbol| {
        symbol.kind == SymbolKind::Object && matches!(symbol.section, SymbolSection::Section(_))
    };
    let data = || object.symbols.iter().filter(is_data);
    let variables: HashMap<&str, &Symbol> = data()
        .filter_map(|symbol| Some((symbol.name.strip_suffix(MANAGED)?, symbol)))
        .collect();
    if variables.is_empty() {
        return Vec::new();
    }
    let pointers = data().filter(|symbol| symbol.size == POINTER_BYTES);
    pointers
        .filter_map(|pointer| Some((pointer, *variables.get(pointer.name.as_str())?)))
        .collect()
}

impl Loaded {
    /// Converts an address in the object to a guest address.
    ///
    /// # Examples
    /// ```
    /// # mod example { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/assemble.rs")); }
    /// # let (_, kernel) = example::add_one_kernel();
    /// let loaded = kernel.module().loaded();
    /// let entry = kernel.description().entry_address;
    /// let moved = loaded.moved(entry);
    /// assert_eq!(moved - loaded.address, entry - loaded.linked);
    /// assert_eq!(loaded.linked_address(moved), entry);
    /// ```
    pub fn moved(&self, address: u64) -> u64 {
        address.wrapping_sub(self.linked).wrapping_add(self.address)
    }

    /// Converts a guest address to an address in the object: the inverse of [`Loaded::moved`].
    pub fn linked_address(&self, address: u64) -> u64 {
        address.wrapping_sub(self.address).wrapping_add(self.linked)
    }

    /// Returns the symbol with this name; for a managed variable, the variable rather than the pointer to it.
    ///
    /// # Examples
    /// ```
    /// # mod example { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/assemble.rs")); }
    /// # let (device, kernel) = example::add_one_kernel();
    /// let loaded = kernel.module().loaded();
    /// let symbol = loaded.symbol("add_one").expect("the symbol exists");
    /// let first = device.memory().load_u32(symbol.address).expect("the code is loaded");
    /// assert_eq!(first.to_le_bytes()[3], 0xc0, "a scalar load");
    /// assert_eq!(loaded.symbol("add_two"), None);
    /// ```
    pub fn symbol(&self, name: &str) -> Option<&LoadedSymbol> {
        let named = |name: &str| self.symbols.iter().find(|symbol| symbol.name == name);
        named(&format!("{name}{MANAGED}")).or_else(|| named(name))
    }

    /// Returns the last symbol at or before a guest address, ignoring data symbols; `None` outside the object.
    ///
    /// # Examples
    /// ```
    /// # mod example { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/assemble.rs")); }
    /// # let (_, kernel) = example::add_one_kernel();
    /// let loaded = kernel.module().loaded();
    /// let entry = loaded.symbol("add_one").expect("the symbol exists").address;
    /// assert_eq!(loaded.code_symbol_at(entry + 20).map(|symbol| &*symbol.name), Some("add_one"));
    /// assert_eq!(loaded.code_symbol_at(0), None);
    /// ```
    pub fn code_symbol_at(&self, address: u64) -> Option<&LoadedSymbol> {
        let end = self
            .segments
            .iter()
            .map(|s| s.address.wrapping_add(s.size))
            .max()?;
        let inside = (self.address..self.moved(end)).contains(&address);
        let mut before = self
            .symbols
            .iter()
            .rev()
            .filter(|s| !s.is_data && s.address <= address);
        before.next().filter(|_| inside)
    }

    /// Returns the code at a kernel's entry point, an address in the object, for these register counts. Returns `None` if
    /// the address is not in an executable segment. All launches of the kernel share the code.
    pub(super) fn code(
        &self,
        device: &Device,
        entry: u64,
        vgprs: usize,
        sgprs: u8,
    ) -> Option<Arc<Code>> {
        let key = CodeKey {
            entry,
            vgprs,
            sgprs,
        };
        let mut kept = self.kept.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(code) = kept
            .get(&key)
            .filter(|code| code.is_current(&device.memory))
        {
            return Some(code.clone());
        }
        let (base, bytes) = self.code_around(device, entry)?;
        let code = Code::new(device.config.isa, base, &bytes, vgprs, sgprs);
        let code = Arc::new(code.in_memory(&device.memory));
        kept.insert(key, code.clone());
        Some(code)
    }

    /// Returns the guest address and bytes of the executable segment that contains an address in the object.
    fn code_around(&self, device: &Device, entry: u64) -> Option<(u64, Vec<u8>)> {
        let holds = |s: &&Segment| s.execute && entry >= s.address && entry - s.address < s.size;
        let segment = self.segments.iter().find(holds)?;
        let base = self.moved(segment.address);
        // The segment is in memory, so its size fits.
        let mut bytes = vec![0; usize::try_from(segment.size).ok()?];
        device
            .memory
            .read(base, &mut bytes)
            .then_some((base, bytes))
    }
}

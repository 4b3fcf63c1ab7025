//! Placement of arguments in device memory: allocation and initialization of buffers, and resolution of references.

use std::ops::Range;

use gcn_emu::memory::Memory;
use gcn_runtime::Buffer;
use gcn_runtime::hsa::PlacedBytes;

use super::argument::BoundArgument;
use super::error::PlaceError;
use super::structure::{Block, POINTER};
use super::values::{Bound, BufferContents};
use crate::fill::Fill;
use crate::value::Type;

/// Buffers of arguments, freed on drop.
///
/// # Examples
/// ```
/// use gcn_args::bind::{Buffers, GivenArgument, place, shared};
/// use gcn_runtime::data::Data;
/// let device = gcn_runtime::Device::new("gfx900")?;
/// let given = [GivenArgument::parse("table", "f32:1,2,3"), GivenArgument::parse("rest", "table[1]")];
/// let mut buffers = Buffers::default();
/// place(shared(&given, &Data::open).arguments, 0, device.memory(), &mut buffers)?;
/// let [table, rest] = buffers.views() else { panic!("two names") };
/// assert_eq!((rest.address, rest.bytes), (table.address + 4, 8));
/// drop(buffers);
/// assert_eq!(device.usage().0, 0, "the buffers are freed");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Default)]
pub struct Buffers {
    views: Vec<BufferView>,
    undefined: Vec<Range<u64>>,
    owned: Vec<Buffer>,
}

impl Buffers {
    /// Returns buffers and aliases, ordered by call to [`place`] and, within a call, by parameter.
    pub fn views(&self) -> &[BufferView] {
        &self.views
    }

    /// Returns the address ranges of the buffers with undefined contents.
    ///
    /// # Examples
    /// ```
    /// use gcn_args::bind::{Buffers, GivenArgument, place, shared};
    /// use gcn_runtime::data::Data;
    /// let device = gcn_runtime::Device::new("gfx900")?;
    /// let given = [("table", "f32:1,2,3"), ("scratch", "u32*4:undefined")];
    /// let given = given.map(|(name, text)| GivenArgument::parse(name, text));
    /// let mut buffers = Buffers::default();
    /// place(shared(&given, &Data::open).arguments, 0, device.memory(), &mut buffers)?;
    /// let scratch = &buffers.views()[1];
    /// assert_eq!(buffers.undefined(), [scratch.address..scratch.address + 16]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn undefined(&self) -> &[Range<u64>] {
        &self.undefined
    }
}

/// Named buffer, or the range of a buffer that an alias refers to.
///
/// # Examples
/// ```
/// use gcn_args::bind::{Buffers, GivenArgument, place, shared};
/// use gcn_runtime::data::Data;
/// use gcn_args::value::Type;
/// let device = gcn_runtime::Device::new("gfx900")?;
/// let table = shared(&[GivenArgument::parse("table", "f32:1,2,3")], &Data::open).arguments;
/// let mut buffers = Buffers::default();
/// place(table, 0, device.memory(), &mut buffers)?;
/// let view = &buffers.views()[0];
/// assert_eq!((view.name.as_str(), view.index, view.bytes, view.ty), ("table", None, 12, Type::F32));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct BufferView {
    /// Name of the argument.
    pub name: String,
    /// Index of the parameter; `None` for a shared buffer.
    pub index: Option<usize>,
    /// Device address.
    pub address: u64,
    /// Size in bytes.
    pub bytes: u64,
    /// Element type.
    pub ty: Type,
}

/// Placed arguments of a launch.
///
/// # Examples
/// ```
/// # mod example { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../gcn-runtime/doc/assemble.rs")); }
/// # let (device, kernel) = example::scale_kernel();
/// use gcn_args::bind::{self, Buffers, GivenArgument, place};
/// use gcn_runtime::data::Data;
/// let given = [("xs", "null"), ("factor", "7")].map(|(name, text)| GivenArgument::parse(name, text));
/// let bound = bind::arguments(kernel.description(), &given, &[], &Data::open).arguments;
/// let placement = place(bound, kernel.fixed_lds(), device.memory(), &mut Buffers::default())?;
/// let places: Vec<(u64, usize)> = placement.placed.iter().map(|it| (it.offset, it.bytes.len())).collect();
/// assert_eq!((places, placement.lds), (vec![(0, 8), (8, 4)], 0));
/// # Ok::<(), gcn_args::bind::PlaceError>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct Placement {
    /// Bytes of the argument segment.
    pub placed: Vec<PlacedBytes>,
    /// Dynamic LDS requested by arguments, in bytes.
    pub lds: u32,
}

/// Allocates the buffers of bound arguments and builds the argument segment. Adds the buffers to `buffers`, which must
/// already contain the shared ones. `fixed_lds` is the kernel's static LDS in bytes
/// ([`Kernel::fixed_lds`](gcn_runtime::Kernel::fixed_lds)).
///
/// # Errors
/// Fails if memory is exhausted, dynamic LDS exceeds 4 GiB, a file cannot be read, or a referenced buffer or element is missing.
///
/// # Examples
/// ```
/// # mod example { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../gcn-runtime/doc/assemble.rs")); }
/// # let (device, kernel) = example::scale_kernel();
/// use gcn_args::bind::{self, Buffers, GivenArgument, place};
/// use gcn_runtime::data::Data;
/// let given = [("xs", "u32*4:iota"), ("factor", "3")].map(|(name, text)| GivenArgument::parse(name, text));
/// let mut buffers = Buffers::default();
/// let placement = place(bind::arguments(kernel.description(), &given, &[], &Data::open).arguments, 0, device.memory(), &mut buffers)?;
/// let xs = &buffers.views()[0];
/// assert_eq!(placement.placed[0].bytes, xs.address.to_le_bytes());
/// assert_eq!((placement.placed[1].offset, &placement.placed[1].bytes[..]), (8, &[3, 0, 0, 0][..]));
/// assert_eq!(device.memory().load_u32(xs.address + 12), Some(3));
/// # Ok::<(), gcn_args::bind::PlaceError>(())
/// ```
pub fn place(
    arguments: Vec<BoundArgument>,
    fixed_lds: u32,
    memory: &Memory,
    buffers: &mut Buffers,
) -> Result<Placement, PlaceError> {
    let mut placement = Placement::default();
    let fixed = u64::from(fixed_lds);
    let first = buffers.views.len();
    // Place arguments that refer to the buffers of others last.
    let refers = |argument: &BoundArgument| match &argument.bound {
        Bound::Alias { .. } => true,
        Bound::Bytes(Block { pointers, .. }) => !pointers.is_empty(),
        Bound::Null | Bound::Buffer { .. } | Bound::Local { .. } => false,
    };
    let (referring, own): (Vec<_>, Vec<_>) = arguments.into_iter().partition(refers);
    let is_buffer = |argument: &&BoundArgument| matches!(argument.bound, Bound::Buffer { .. });
    // Later views are aliases, which arguments cannot refer to.
    let unshared = first..first + own.iter().filter(is_buffer).count();
    for argument in own.into_iter().chain(referring) {
        let view = |address, bytes, ty| BufferView {
            name: argument.name.clone(),
            index: argument.index,
            address,
            bytes,
            ty,
        };
        let bytes = match argument.bound {
            Bound::Bytes(mut block) => {
                for pointer in &block.pointers {
                    let (address, ..) =
                        element(&buffers.views, &unshared, &pointer.name, pointer.from)?;
                    let end = pointer.at + POINTER as usize;
                    if let Some(place) = block.bytes.get_mut(pointer.at..end) {
                        place.copy_from_slice(&address.to_le_bytes());
                    }
                }
                block.bytes
            }
            Bound::Null => vec![0; POINTER as usize],
            Bound::Buffer {
                ty,
                contents,
                bytes,
            } => {
                let buffer = Buffer::in_memory(memory, &argument.name, bytes)?;
                let address = buffer.address();
                if matches!(contents, BufferContents::Filled(Fill::Undefined, _)) {
                    buffers.undefined.push(address..address + bytes);
                }
                fill(memory, address, ty, contents)?;
                buffers.owned.push(buffer);
                buffers.views.push(view(address, bytes, ty));
                address.to_le_bytes().to_vec()
            }
            Bound::Alias { name, from, ty } => {
                let (address, bytes, own) = element(&buffers.views, &unshared, &name, from)?;
                let is_whole = |ty: &Type| bytes.is_multiple_of(ty.size() as u64);
                let ty = ty.filter(is_whole).unwrap_or(own);
                buffers.views.push(view(address, bytes, ty));
                address.to_le_bytes().to_vec()
            }
            Bound::Local { bytes, align } => {
                let begin = (fixed + u64::from(placement.lds)).next_multiple_of(align);
                let end = begin + u64::from(bytes) - fixed;
                placement.lds = u32::try_from(end).map_err(|_| PlaceError::Lds)?;
                (begin as u32).to_le_bytes().to_vec()
            }
        };
        placement.placed.push(PlacedBytes {
            offset: argument.offset,
            bytes,
        });
    }
    if let Some(new) = buffers.views.get_mut(first..) {
        new.sort_by_key(|view| view.index);
    }
    Ok(placement)
}

/// Returns the address of a buffer element, the number of bytes from there to the end of the buffer, and the element
/// type. Views in `unshared` belong to the launch, and shadow earlier ones with the same name.
fn element(
    views: &[BufferView],
    unshared: &Range<usize>,
    name: &str,
    from: u64,
) -> Result<(u64, u64, Type), PlaceError> {
    let own = views.get(unshared.clone()).unwrap_or_default();
    let view = own
        .iter()
        .chain(views.iter().take(unshared.start))
        .find(|view| view.name == name)
        .ok_or_else(|| PlaceError::NoBuffer(name.to_owned()))?;
    let before = from.saturating_mul(view.ty.size() as u64);
    let bytes = view
        .bytes
        .checked_sub(before)
        .ok_or_else(|| PlaceError::NoElement {
            name: name.to_owned(),
            index: from,
        })?;
    Ok((view.address + before, bytes, view.ty))
}

/// Initializes a buffer.
fn fill(
    memory: &Memory,
    address: u64,
    ty: Type,
    contents: BufferContents,
) -> Result<(), PlaceError> {
    let mut to = address;
    let mut write = |piece: &[u8]| {
        memory.write(to, piece);
        to += piece.len() as u64;
    };
    match contents {
        BufferContents::Data(data) => data.pieces(write)?,
        // Memory is initially zero.
        BufferContents::Filled(Fill::Zero, _) => {}
        BufferContents::Filled(Fill::Undefined, count) => {
            memory.undefine(address, count * ty.size() as u64);
        }
        BufferContents::Filled(fill, count) => {
            for piece in fill.pieces(ty, count) {
                write(&piece);
            }
        }
    }
    Ok(())
}

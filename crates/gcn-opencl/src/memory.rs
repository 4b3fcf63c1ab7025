//! Memory objects: buffers, and the state and operations that images share with them.

use std::ops::{Deref, Range};
use std::sync::Arc;

use gcn_report::program::{MappedRegions, ProgramChecks};
use gcn_runtime::Buffer;
use gcn_runtime::image::{BoxPlace, BoxSize, Geometry, Pitches};
use gcn_runtime::memory::Memory;

use crate::abi::*;
use crate::context::{Context, DestructorCallbacks};
use crate::device::BASE_ALIGN;
use crate::handle::{Handle, Id, Object, object, references};
use crate::image::{self, Image};
use crate::info::Info;
use crate::mapping::{MappedRegion, Mappings};
use crate::runtime;
use crate::status::{Outcome, Status};
use crate::svm;
use crate::transfer::{BoxCopy, TransferSide};

/// Page size in bytes. Buffers occupy whole pages, as on a real device, unless checks are enabled: then an access past
/// the end of a buffer faults.
const PAGE: u64 = 4096;
/// Flags that control kernel access to a memory object.
pub(crate) const DEVICE_ACCESS: u64 = CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY | CL_MEM_READ_ONLY;
/// Flags that control host access to a memory object.
pub(crate) const HOST_ACCESS: u64 =
    CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS;
/// Flags that control the location of the memory.
pub(crate) const PLACE: u64 = CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR;

/// Host memory of an object created with `CL_MEM_USE_HOST_PTR`. Mapped regions are located there.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HostPointer {
    pub(crate) address: usize,
    pub(crate) pitches: Pitches,
}

/// Memory object without a handle: a buffer, a sub-buffer or an image.
pub(crate) struct Contents {
    pub(crate) context: Arc<Context>,
    pub(crate) flags: u64,
    pub(crate) size: usize,
    /// Memory address, the same on devices and host.
    pub(crate) address: u64,
    /// Row and slice pitches of an image.
    pub(crate) pitches: Pitches,
    pub(crate) host: Option<HostPointer>,
    pub(crate) uses_svm: bool,
    /// Object that provides the memory.
    pub(crate) parent: Option<Arc<Mem>>,
    /// Offset in the parent, in bytes.
    pub(crate) origin: usize,
    /// Properties as the application passed them, including the terminator; empty if none were passed.
    pub(crate) properties: Vec<u64>,
    /// Device memory, if the object owns or shares it.
    pub(crate) _memory: Option<Buffer>,
    pub(crate) image: Option<DescribedImage>,
}

/// Image layout with descriptors.
pub(crate) struct DescribedImage {
    pub(crate) image: Image,
    /// Descriptors for the context's devices, in the same order.
    pub(crate) descriptors: Buffer,
}

pub(crate) struct Mem {
    id: Id<Mem>,
    contents: Contents,
    /// Mappings of this object and of those that share its memory.
    mappings: Arc<Mappings<BoxSize>>,
    /// Offset in bytes of this object in the coordinates of `mappings`.
    mapping_offset: usize,
    pub(crate) at_end: DestructorCallbacks,
}

impl Deref for Mem {
    type Target = Contents;

    fn deref(&self) -> &Contents {
        &self.contents
    }
}

object!(Mem, INVALID_MEM_OBJECT);

impl Drop for Mem {
    fn drop(&mut self) {
        let handle = self.handle();
        self.mappings.forget(handle);
        self.at_end.call(handle);
    }
}

/// Checks that all flags are known, and that at most one flag of each group is set.
pub(crate) fn check_flags(flags: u64, known: u64) -> Outcome {
    let is_single = |group: u64| (flags & group).count_ones() <= 1;
    let uses_and_copies = CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR;
    let uses_and_allocates = CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR;
    let is_valid = flags & !known == 0
        && [
            DEVICE_ACCESS,
            HOST_ACCESS,
            uses_and_copies,
            uses_and_allocates,
        ]
        .into_iter()
        .all(is_single);
    is_valid.then_some(()).ok_or(Status::INVALID_VALUE)
}

/// Parameters for creating a buffer.
pub(crate) struct BufferRequest {
    pub(crate) flags: u64,
    pub(crate) size: usize,
    /// Host memory address, or 0.
    pub(crate) host: usize,
    pub(crate) properties: Vec<u64>,
}

/// Allocated buffer without a handle.
pub(crate) struct NewBuffer {
    context: Arc<Context>,
    request: BufferRequest,
    address: u64,
    memory: Option<Buffer>,
    uses_svm: bool,
}

/// Allocates uninitialized device memory.
///
/// # Errors
/// Out of memory.
pub(crate) fn allocate(context: &Context, name: &str, bytes: usize) -> Outcome<Buffer> {
    let device = context.devices.first().ok_or(Status::INVALID_CONTEXT)?;
    let checks = runtime::get()?.watch.checks();
    let bytes = match checks {
        Some(_) => bytes as u64,
        None => (bytes as u64).next_multiple_of(PAGE),
    };
    let memory = device.emulated.allocate(name, bytes);
    let memory = memory.map_err(|_| Status::MEM_OBJECT_ALLOCATION_FAILURE)?;
    if checks.is_some_and(ProgramChecks::undefines) {
        device.emulated.memory().undefine(memory.address(), bytes);
    }
    Ok(memory)
}

/// Adds the default access flag if `flags` does not state how kernels access the object.
pub(crate) fn with_access(flags: u64) -> u64 {
    match flags {
        flags if flags & DEVICE_ACCESS == 0 => flags | CL_MEM_READ_WRITE,
        flags => flags,
    }
}

impl NewBuffer {
    /// Allocates a buffer in a context.
    ///
    /// # Errors
    /// The errors that the specification defines for flags, size and host pointer; or out of memory.
    pub(crate) fn new(context: &Arc<Context>, request: BufferRequest) -> Outcome<NewBuffer> {
        check_flags(request.flags, DEVICE_ACCESS | HOST_ACCESS | PLACE)?;
        if request.size == 0 || request.size as u64 > context.max_allocation() {
            return Err(Status::INVALID_BUFFER_SIZE);
        }
        let needs_host = request.flags & (CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR) != 0;
        if needs_host != (request.host != 0) {
            return Err(Status::INVALID_HOST_PTR);
        }
        if let Some((base, svm)) = svm::find(request.host) {
            if request.host - base + request.size > svm.bytes {
                return Err(Status::INVALID_BUFFER_SIZE);
            }
            if request.flags & CL_MEM_USE_HOST_PTR != 0 {
                return Ok(NewBuffer {
                    context: context.clone(),
                    address: request.host as u64,
                    request,
                    memory: Some(svm.memory),
                    uses_svm: true,
                });
            }
        }
        let memory = allocate(context, "a buffer (clCreateBuffer)", request.size)?;
        Ok(NewBuffer {
            context: context.clone(),
            address: memory.address(),
            request,
            memory: Some(memory),
            uses_svm: false,
        })
    }

    /// Returns the copy that initializes the buffer from host memory.
    pub(crate) fn contents(&self) -> Option<BoxCopy> {
        let is_copied = self.request.flags & (CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR) != 0;
        (is_copied && !self.uses_svm).then(|| {
            BoxCopy::line(
                (TransferSide::Device, self.address),
                (TransferSide::Host, self.request.host as u64),
                self.request.size,
            )
        })
    }

    /// Returns the device memory that contains the buffer.
    pub(crate) fn space(&self) -> Option<&Memory> {
        space(&self.context)
    }

    /// Creates the memory object.
    pub(crate) fn into_mem(self, id: Id<Mem>) -> Mem {
        let flags = with_access(self.request.flags);
        let host = HostPointer {
            address: self.request.host,
            pitches: Pitches::default(),
        };
        let contents = Contents {
            context: self.context,
            flags,
            size: self.request.size,
            address: self.address,
            pitches: Pitches::default(),
            host: (flags & CL_MEM_USE_HOST_PTR != 0).then_some(host),
            uses_svm: self.uses_svm,
            parent: None,
            origin: 0,
            properties: self.request.properties,
            _memory: self.memory,
            image: None,
        };
        Mem::new(id, contents)
    }
}

/// Returns the memory shared by the context's devices.
pub(crate) fn space(context: &Context) -> Option<&Memory> {
    Some(context.devices.first()?.emulated.memory())
}

/// Returns the registry of mapped regions, if mapped-region checks are enabled.
pub(crate) fn mapped_regions() -> Option<&'static MappedRegions> {
    runtime::existing()?.watch.checks()?.mapped_regions()
}

impl Mem {
    /// Creates a memory object from its contents and handle.
    pub(crate) fn new(id: Id<Mem>, contents: Contents) -> Mem {
        // Regions of a 2D image created from a buffer do not use the buffer's coordinates.
        let has_same_rows = |parent: &&Arc<Mem>| match &contents.image {
            Some(of) => parent.image.is_some() || of.image.texels.geometry == Geometry::D1Buffer,
            None => true,
        };
        let whole = contents.parent.as_ref().filter(has_same_rows);
        let (mappings, mapping_offset) = match whole {
            Some(whole) => (
                whole.mappings.clone(),
                whole.mapping_offset + contents.origin,
            ),
            None => (Arc::default(), 0),
        };
        Mem {
            id,
            contents,
            mappings,
            mapping_offset,
            at_end: DestructorCallbacks::default(),
        }
    }

    /// Checks the flags for a new object that shares this object's memory.
    ///
    /// # Errors
    /// Fails if `flags` is invalid, or allows accesses that this object's flags forbid.
    pub(crate) fn check_shared(&self, flags: u64) -> Outcome {
        check_flags(flags, DEVICE_ACCESS | HOST_ACCESS)?;
        let widens = |own: u64, wider: u64| self.flags & own != 0 && flags & wider != 0;
        if widens(CL_MEM_WRITE_ONLY, CL_MEM_READ_WRITE | CL_MEM_READ_ONLY)
            || widens(CL_MEM_READ_ONLY, CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY)
            || widens(CL_MEM_HOST_WRITE_ONLY, CL_MEM_HOST_READ_ONLY)
            || widens(CL_MEM_HOST_READ_ONLY, CL_MEM_HOST_WRITE_ONLY)
            || widens(
                CL_MEM_HOST_NO_ACCESS,
                CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_WRITE_ONLY,
            )
        {
            return Err(Status::INVALID_VALUE);
        }
        Ok(())
    }

    /// Returns the flags of a new object that shares this object's memory, including inherited flags.
    pub(crate) fn shared_flags(&self, flags: u64) -> u64 {
        let inherited = |group: u64| {
            if flags & group == 0 {
                self.flags & group
            } else {
                0
            }
        };
        flags | inherited(DEVICE_ACCESS) | inherited(HOST_ACCESS) | self.flags & PLACE
    }

    /// Checks the flags and the region for a sub-buffer.
    ///
    /// # Errors
    /// The errors that the specification defines for flags and region, or the object is a sub-buffer or an image.
    pub(crate) fn check_part(&self, flags: u64, origin: usize, size: usize) -> Outcome {
        check_flags(flags, DEVICE_ACCESS | HOST_ACCESS)?;
        if self.parent.is_some() || self.image.is_some() {
            return Err(Status::INVALID_MEM_OBJECT);
        }
        self.check_shared(flags)?;
        if size == 0 {
            return Err(Status::INVALID_BUFFER_SIZE);
        }
        self.check_range(origin, size)?;
        if !(origin as u64).is_multiple_of(BASE_ALIGN) {
            return Err(Status::MISALIGNED_SUB_BUFFER_OFFSET);
        }
        Ok(())
    }

    /// Creates a sub-buffer. The caller has checked the region with [`Mem::check_part`].
    pub(crate) fn part(
        id: Id<Mem>,
        parent: &Arc<Mem>,
        flags: u64,
        origin: usize,
        size: usize,
    ) -> Mem {
        let contents = Contents {
            context: parent.context.clone(),
            flags: parent.shared_flags(flags),
            size,
            address: parent.address + origin as u64,
            pitches: Pitches::default(),
            host: parent.host.map(|host| HostPointer {
                address: host.address + origin,
                ..host
            }),
            uses_svm: parent.uses_svm,
            parent: Some(parent.clone()),
            origin,
            properties: Vec::new(),
            _memory: None,
            image: None,
        };
        Mem::new(id, contents)
    }

    /// Returns the object's image.
    ///
    /// # Errors
    /// Fails if the object is a buffer.
    pub(crate) fn image(&self) -> Outcome<&Image> {
        let image = self.image.as_ref().map(|of| &of.image);
        image.ok_or(Status::INVALID_MEM_OBJECT)
    }

    /// Returns the device memory that contains the object.
    pub(crate) fn space(&self) -> Option<&Memory> {
        space(&self.context)
    }

    /// Checks that the range lies within the buffer.
    ///
    /// # Errors
    /// `CL_INVALID_VALUE`: the range exceeds the buffer.
    pub(crate) fn check_range(&self, offset: usize, bytes: usize) -> Outcome {
        let end = offset.checked_add(bytes).filter(|end| *end <= self.size);
        end.map(drop).ok_or(Status::INVALID_VALUE)
    }

    /// Checks that the object's flags allow the host to read or write it.
    ///
    /// # Errors
    /// Fails if the object's flags forbid the access.
    pub(crate) fn check_host(&self, reads: bool, writes: bool) -> Outcome {
        let refuses = |flag: u64| self.flags & flag != 0;
        let is_refused = refuses(CL_MEM_HOST_NO_ACCESS) && (reads || writes)
            || refuses(CL_MEM_HOST_WRITE_ONLY) && reads
            || refuses(CL_MEM_HOST_READ_ONLY) && writes;
        (!is_refused).then_some(()).ok_or(Status::INVALID_OPERATION)
    }

    /// Returns true if a range of this buffer overlaps a range of another one, each an offset and a size.
    pub(crate) fn overlaps(
        &self,
        own: (usize, usize),
        other: &Mem,
        others: (usize, usize),
    ) -> bool {
        let (a, b) = (self.address + own.0 as u64, other.address + others.0 as u64);
        a < b + others.1 as u64 && b < a + own.1 as u64
    }

    /// Converts a region of this object to the coordinates of `mappings`.
    fn in_mappings(&self, mut region: BoxSize) -> BoxSize {
        region.origin[0] += self.mapping_offset;
        region
    }

    /// Converts a region within this object from the coordinates of `mappings` to the object's own.
    fn of_mappings(&self, mut region: BoxSize) -> BoxSize {
        region.origin[0] -= self.mapping_offset;
        region
    }

    /// Maps a region, and returns the address to pass to the application.
    ///
    /// # Errors
    /// `CL_INVALID_OPERATION`: the region overlaps another one, and both are mapped for writing.
    pub(crate) fn map(&self, region: BoxSize, is_written: bool) -> Outcome<usize> {
        let begin = match self.host_side(&region) {
            Some((_, corner)) => corner,
            None => region.at(self.address, self.pitches),
        };
        let address = begin.address as usize;
        let is_mapped = self.mappings.add_disjoint(MappedRegion {
            owner: self.handle(),
            address,
            region: self.in_mappings(region),
            is_written,
        });
        is_mapped
            .then_some(address)
            .ok_or(Status::INVALID_OPERATION)
    }

    /// Returns the parts of a region that neither this object nor one that shares its memory maps for writing.
    pub(crate) fn unwritten_parts(&self, region: BoxSize) -> Vec<BoxSize> {
        let parts = self.mappings.unwritten_parts(self.in_mappings(region));
        parts.into_iter().map(|it| self.of_mappings(it)).collect()
    }

    /// Returns the address range of a buffer region whose kernel accesses are checked while it is mapped; `None`
    /// without these checks, and for shared virtual memory and images.
    pub(crate) fn watched_region(
        &self,
        region: &BoxSize,
    ) -> Option<(&'static MappedRegions, Range<u64>)> {
        let regions = mapped_regions().filter(|_| self.image.is_none() && !self.uses_svm)?;
        let begin = region.at(self.address, self.pitches).address;
        Some((regions, begin..begin + region.size[0] as u64))
    }

    /// Returns the location of a region in device memory.
    pub(crate) fn device_side(&self, region: &BoxSize) -> (TransferSide, BoxPlace) {
        (TransferSide::Device, region.at(self.address, self.pitches))
    }

    /// Returns the location of a region in the object's host memory, if it was created with `CL_MEM_USE_HOST_PTR`.
    fn host_side(&self, region: &BoxSize) -> Option<(TransferSide, BoxPlace)> {
        let host = self.host?;
        Some((
            TransferSide::Host,
            region.at(host.address as u64, host.pitches),
        ))
    }

    /// Removes and returns the latest mapping to the address `pointer`.
    ///
    /// # Errors
    /// Fails if no region is mapped to the address.
    pub(crate) fn unmap(&self, pointer: usize) -> Outcome<MappedRegion<BoxSize>> {
        let taken = self.mappings.take(self.handle(), pointer);
        let mapped = taken.ok_or(Status::INVALID_VALUE)?;
        Ok(MappedRegion {
            region: self.of_mappings(mapped.region),
            ..mapped
        })
    }

    /// Returns the copy of a region from device memory to the object's host memory; `None` if there is no separate one.
    pub(crate) fn to_host(&self, region: &BoxSize) -> Option<BoxCopy> {
        let to = self.host_side(region).filter(|_| !self.uses_svm)?;
        Some(BoxCopy {
            to,
            from: self.device_side(region),
            region: region.size,
        })
    }

    /// Returns the copy of a region from the object's host memory to device memory; `None` if there is no separate one.
    pub(crate) fn to_device(&self, region: &BoxSize) -> Option<BoxCopy> {
        let from = self.host_side(region).filter(|_| !self.uses_svm)?;
        Some(BoxCopy {
            to: self.device_side(region),
            from,
            region: region.size,
        })
    }

    /// Returns the address and the size in bytes of each row of a region in device memory.
    pub(crate) fn rows(&self, region: &BoxSize) -> impl Iterator<Item = (u64, u64)> {
        let bytes = region.size[0] as u64;
        let rows = region.at(self.address, self.pitches).rows(region.size);
        rows.map(move |address| (address, bytes))
    }

    /// Returns the value of the attribute `name`.
    ///
    /// # Errors
    /// `CL_INVALID_VALUE`: the attribute is unknown.
    pub(crate) fn info(&self, name: u32) -> Outcome<Info> {
        Ok(match name {
            CL_MEM_TYPE => Info::from(match &self.image {
                Some(of) => image::number(of.image.texels.geometry),
                None => CL_MEM_OBJECT_BUFFER,
            }),
            CL_MEM_FLAGS => Info::from(self.flags),
            CL_MEM_SIZE => Info::from(self.size),
            CL_MEM_HOST_PTR => Info::from(self.host.map(|host| host.address)),
            CL_MEM_MAP_COUNT => Info::from(self.mappings.count(self.handle()) as u32),
            CL_MEM_REFERENCE_COUNT => Info::from(references(self)),
            CL_MEM_CONTEXT => Info::from(self.context.handle()),
            CL_MEM_ASSOCIATED_MEMOBJECT => {
                let parent: Option<Handle> = self.parent.as_ref().map(|parent| parent.handle());
                Info::from(parent)
            }
            CL_MEM_OFFSET => Info::from(self.origin),
            CL_MEM_USES_SVM_POINTER => Info::bool(self.uses_svm),
            CL_MEM_PROPERTIES => Info::array(self.properties.iter().copied()),
            _ => return Err(Status::INVALID_VALUE),
        })
    }
}

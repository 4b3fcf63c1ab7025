//! Guest memory: allocations at host addresses, shared by the host and by all threads that run kernels.
//!
//! A device reserves a range of host addresses, and the guest address of an allocation is its host address. Allocations
//! may come and go while kernels run. The first one is at [`FIRST_ADDRESS`] if that address is free on the host, and
//! addresses depend only on the sequence of allocations. Addresses are reused only when the range has no unused
//! addresses left, or to repeat a run. Accesses find their allocation through a table with one entry per 64 KiB of the
//! range, which is updated atomically. Host ranges can be registered; an access searches them if the table has no
//! entry.
//!
//! # Visibility of accesses
//! All accesses are atomic, so a store by one thread is visible to the others and to the host. Guest atomics are host
//! atomics and immediately visible. If the memory has a single user ([`Memory::set_one_user`]), they are a load and a
//! store instead, and a concurrent store by another thread would be lost.
//!
//! Accesses are relaxed. On x86-64 every load acquires and every store releases, so a kernel's waits need no host
//! instruction. A load may still execute before an earlier store of its wave, so a load that requests data stored by
//! other compute units (GLC) follows a [`Memory::fence`]. On other hosts, waits are also fences.
//!
//! # Unsafe code
//! This is one of the modules that may use `unsafe`: threads share guest memory, and a guest program may race with
//! itself. Every access is therefore atomic (relaxed) at any width, and never goes through an exclusive reference. The
//! exceptions are whole-vector accesses by assembly or host code (`native`), which the host splits into atomic parts.
//!
//! A guest program may also race through accesses of different sizes, such as a byte store and a dword load. The Rust
//! standard library leaves this undefined ("Memory model for atomic accesses" of `std::sync::atomic`), because its
//! rules, taken from C++, do not cover it. The lower layers define it. The code generator's model works on bytes: each
//! byte of an atomic load comes from one of the atomic stores that race with it ("Memory Model for Concurrent
//! Operations" in LLVM's language reference). Hosts behave this way; their manuals define overlapping accesses of any
//! size. An atomic access of up to 8 aligned bytes is one host instruction, or a loop around one, and no other access
//! is derived from its value. As on its own hardware, the guest sees a mixture of bytes from the racing stores.

#[cfg(target_arch = "x86_64")]
mod vectors;
mod region;

mod layout;
mod allocation;
mod change;
mod reserved;
mod shared;
mod space;

mod charge;
mod lanewise;
mod window;

use std::sync::Arc;
use std::sync::atomic::{AtomicPtr, AtomicU32, Ordering::Relaxed, Ordering::SeqCst, fence};

use crate::lanes::{LANES, Lanes, Level, active, level};
pub use allocation::{
    AllocError, Allocation, DEVICE_HEAP, ExecutableRange, FreeError, MapError, RegisterError,
};
pub use change::{Listener, MemoryChange, MemoryChangeKind};
pub use charge::Charge;
pub use lanewise::Addresses;
pub(crate) use lanewise::prefetch_row;
pub use layout::{ALIAS, ALIGNMENT, FIRST_ADDRESS};
pub use region::Region;
pub use shared::SharedMemory;
use space::{AddressSpace, PageEntry};
pub(crate) use window::{COPIES, Window, Windows};

/// Size of a dword in bytes.
const DWORD: u64 = size_of::<u32>() as u64;
/// Size in bytes of a row: one dword for each lane.
const ROW: usize = size_of::<Lanes>();

/// Handle to guest memory; clones share the same allocations.
#[derive(Clone, Debug)]
pub struct Memory {
    space: Arc<AddressSpace>,
    /// Cached copies of fields of `space`.
    first: u64,
    cells: *const AtomicPtr<PageEntry>,
    count: u64,
    /// True if only a single thread uses the memory.
    has_one_user: bool,
}

// SAFETY: `cells` points into `space`, which is shared only by reference and lives as long as the handle.
unsafe impl Send for Memory {}
// SAFETY: as above.
unsafe impl Sync for Memory {}

impl Default for Memory {
    fn default() -> Memory {
        Memory::new()
    }
}

macro_rules! accessors {
    ($($load:ident $store:ident $update:ident $Int:ty;)*) => {$(
        /// Loads from `address`, which may be unaligned; `None` if it is not mapped.
        #[inline]
        pub fn $load(&self, address: u64) -> Option<$Int> {
            const BYTES: u64 = size_of::<$Int>() as u64;
            match self.find(address, BYTES) {
                Some((region, offset)) => Some(region.$load(offset)),
                None => self.space.with_foreign(address, BYTES, |region, offset| region.$load(offset)),
            }
        }

        /// Stores to `address`, which may be unaligned; `None` if it is not mapped.
        #[inline]
        pub fn $store(&self, address: u64, value: $Int) -> Option<()> {
            const BYTES: u64 = size_of::<$Int>() as u64;
            match self.find(address, BYTES) {
                Some((region, offset)) => {
                    region.$store(offset, value);
                    Some(())
                }
                None => self.space.with_foreign(address, BYTES, |region, offset| {
                    region.$store(offset, value);
                }),
            }
        }

        /// Atomically replaces the value at `address` with the result of `new` and returns the old value; `None` if
        /// `address` is unmapped or misaligned.
        #[inline]
        pub fn $update(&self, address: u64, new: impl Fn($Int) -> $Int) -> Option<$Int> {
            const BYTES: u64 = size_of::<$Int>() as u64;
            match self.find(address, BYTES) {
                Some((region, offset)) => region.$update(offset, new),
                None => self
                    .space
                    .with_foreign(address, BYTES, |region, offset| region.$update(offset, new))?,
            }
        }
    )*};
}

impl Memory {
    /// Creates memory without allocations. If the host has no address space left, every allocation fails.
    pub fn new() -> Memory {
        Memory::of(AddressSpace::new())
    }

    /// Creates memory with `bytes` bytes of address space at any host address.
    pub(crate) fn small(bytes: usize) -> Memory {
        let range = reserved::Reserved::elsewhere(bytes, ALIGNMENT as usize);
        Memory::of(AddressSpace::of(range))
    }

    /// First address of the reserved range.
    pub(crate) fn first(&self) -> u64 {
        self.first
    }

    fn of(space: AddressSpace) -> Memory {
        let space = Arc::new(space);
        let (cells, count) = space.table();
        Memory {
            first: space.first(),
            cells,
            count,
            has_one_user: false,
            space,
        }
    }

    /// Allocates `bytes` zeroed bytes at a multiple of [`ALIGNMENT`] and returns their address. Running kernels may
    /// access them immediately.
    ///
    /// # Errors
    /// Fails if the host has too little memory or the limit would be exceeded.
    pub fn allocate(&self, name: &str, bytes: u64) -> Result<u64, AllocError> {
        self.space.allocate(name, bytes, ALIGNMENT)
    }

    /// Allocates at a multiple of `align`, a power of two of at least [`ALIGNMENT`].
    ///
    /// # Errors
    /// Fails like [`Memory::allocate`].
    pub fn allocate_aligned(&self, name: &str, bytes: u64, align: u64) -> Result<u64, AllocError> {
        self.space.allocate(name, bytes, align.max(ALIGNMENT))
    }

    /// Notifies the listener that `len` bytes at `address` are undefined until written. Their contents do not change.
    pub fn undefine(&self, address: u64, len: u64) {
        self.space.notice(MemoryChangeKind::Undefined, address, len);
    }

    /// Notifies the listener that the host has written `len` bytes at `address` without [`Memory::write`].
    pub fn wrote(&self, address: u64, len: u64) {
        self.space.host_writes(address, len);
    }

    /// Notifies the listener that the host reads `len` bytes at `address` and that the program depends on their values.
    pub fn reads(&self, address: u64, len: u64) {
        self.space.notice(MemoryChangeKind::Read, address, len);
    }

    /// Notifies the listener that the host reads `len` bytes at `address` as results. Unlike for reads reported by
    /// [`Memory::reads`], such as copies of whole buffers, every byte should have been written.
    pub fn reads_results(&self, address: u64, len: u64) {
        let kind = MemoryChangeKind::ReadAsResults;
        self.space.notice(kind, address, len);
    }

    /// Frees the allocation that begins at `address`. Later accesses by kernels fault; a concurrent access may load
    /// any value.
    ///
    /// # Errors
    /// Fails if no allocation begins at the address.
    pub fn free(&self, address: u64) -> Result<(), FreeError> {
        self.space.free(address)
    }

    /// Address at or above which the next allocation is placed, unless it fits only into a hole.
    pub(crate) fn next_address(&self) -> u64 {
        self.space.next_address()
    }

    /// Places the next allocations at `address` again if everything placed at or above it has been freed.
    pub(crate) fn place_from(&self, address: u64) {
        self.space.place_from(address);
    }

    /// Number of frees and unmaps so far.
    pub(crate) fn frees(&self) -> u64 {
        self.space.frees()
    }

    /// Lets kernels access `len` bytes of host memory at an alias address, the host address with [`ALIAS`] set, and
    /// returns the alias. To end the access, pass the alias to [`Memory::release`].
    ///
    /// # Errors
    /// Fails if the bytes overlap another range.
    ///
    /// # Safety
    /// See [`Memory::register`].
    pub unsafe fn register_alias(
        &self,
        name: &str,
        bytes: *mut u8,
        len: u64,
    ) -> Result<u64, RegisterError> {
        let address = bytes.expose_provenance() as u64 | ALIAS;
        self.space.register(name, address, len)?;
        Ok(address)
    }

    /// Lets kernels access `len` bytes of host memory at their host address.
    ///
    /// # Errors
    /// Fails if the bytes overlap another range.
    ///
    /// # Safety
    /// The bytes must remain readable and writable until they are released. The host must access them only
    /// atomically, or only while no kernel accesses them.
    pub unsafe fn register(
        &self,
        name: &str,
        bytes: *mut u8,
        len: u64,
    ) -> Result<(), RegisterError> {
        self.space
            .register(name, bytes.expose_provenance() as u64, len)
    }

    /// Releases the range registered at `address`. No kernel accesses it once this returns.
    ///
    /// # Errors
    /// Fails if no range is registered at the address.
    pub fn release(&self, address: u64) -> Result<(), FreeError> {
        self.space.release(address)
    }

    /// Sets the listener for the host's memory operations through all handles, replacing the previous one. To notify
    /// several observers, pass a set of observers.
    pub fn observe(&self, listener: impl Listener + 'static) {
        self.space.observe(Arc::new(listener));
    }

    /// Limits the total size of allocations and charges, in bytes. Existing ones are unaffected.
    pub fn set_limit(&self, bytes: u64) {
        self.space.set_limit(bytes);
    }

    /// Returns the bytes in use, in whole host pages, and the limit.
    pub fn usage(&self) -> (u64, u64) {
        self.space.usage()
    }

    /// True if the first allocation is at [`FIRST_ADDRESS`], which holds unless the process already uses that
    /// address.
    pub fn is_at_usual_address(&self) -> bool {
        self.first == FIRST_ADDRESS
    }

    /// Declares that a single thread uses the memory through this handle, so that updates need not be atomic. Pass
    /// true only if no other run and no host thread modifies memory that this run's atomics modify.
    pub fn set_one_user(&mut self, has_one: bool) {
        self.has_one_user = has_one;
    }

    /// True if a single thread uses the memory.
    #[inline]
    pub fn has_one_user(&self) -> bool {
        self.has_one_user
    }

    /// Orders all earlier accesses of this thread before all later ones, as seen by other threads.
    #[inline]
    pub fn fence(&self) {
        if !self.has_one_user {
            fence(SeqCst);
        }
    }

    /// All allocations and registered ranges, in ascending order of address.
    pub fn allocations(&self) -> Vec<Allocation> {
        self.space.allocations()
    }

    /// Allocation nearest to `address`, for messages. Returns a freed allocation if it contained the address and no
    /// live one does.
    pub fn nearest(&self, address: u64) -> Option<Allocation> {
        self.space.nearest(address)
    }

    /// Reserves `bytes` bytes of addresses, a multiple of [`ALIGNMENT`], at a multiple of `align`, itself a multiple of
    /// [`ALIGNMENT`]. Reserved addresses have no memory until something is mapped there, and do not count as in use.
    ///
    /// # Errors
    /// Fails if no suitable addresses are left.
    pub fn reserve(&self, name: &str, bytes: u64, align: u64) -> Result<u64, AllocError> {
        self.space.reserve(name, bytes, align)
    }

    /// Releases reserved addresses without mappings.
    ///
    /// # Errors
    /// Fails if no reservation begins at the address, or it has mappings.
    pub fn unreserve(&self, address: u64) -> Result<(), FreeError> {
        self.space.unreserve(address)
    }

    /// Maps `len` bytes of shared memory, a multiple of [`ALIGNMENT`], at reserved addresses under a name. Accesses may
    /// span adjacent mappings.
    ///
    /// # Errors
    /// Fails if the addresses are not reserved or are already in use, or the range exceeds the shared memory.
    ///
    /// # Examples
    /// See [`SharedMemory`].
    pub fn map(
        &self,
        name: &str,
        address: u64,
        len: u64,
        from: (&SharedMemory, u64),
    ) -> Result<(), MapError> {
        self.space
            .map(name, address..address.saturating_add(len), from)
    }

    /// Removes the mapping at an address.
    ///
    /// # Errors
    /// Fails if no mapping begins at the address.
    pub fn unmap(&self, address: u64) -> Result<(), FreeError> {
        self.space.unmap(address)
    }

    /// Returns the memory of the allocation that begins at an address, for other processes to map. Stores concurrent
    /// with the first call may be lost.
    ///
    /// # Errors
    /// Fails if no allocation begins at the address, or the host has no shared memory.
    ///
    /// # Examples
    /// ```
    /// use gcn_emu::memory::{ALIGNMENT, Memory};
    /// # if cfg!(not(target_os = "linux")) { return Ok(()); }
    /// let (one, other) = (Memory::new(), Memory::new());
    /// let address = one.allocate("numbers", ALIGNMENT)?;
    /// one.store_u32(address, 7);
    /// let shared = one.share(address)?;
    /// let there = other.reserve("numbers", shared.bytes(), ALIGNMENT)?;
    /// other.map("numbers", there, shared.bytes(), (&shared, 0))?;
    /// assert_eq!(other.load_u32(there), Some(7));
    /// other.store_u32(there, 8);
    /// assert_eq!(one.load_u32(address), Some(8));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn share(&self, address: u64) -> Result<Arc<SharedMemory>, MapError> {
        self.space.share(address)
    }

    /// Makes `len` bytes of an allocation executable until it is freed, so that other code can jump to them. Returns
    /// false if no single allocation contains them.
    pub fn make_executable(&self, address: u64, len: u64) -> bool {
        self.space.make_executable(address, len)
    }

    /// Executable range that contains an address.
    pub fn executable(&self, address: u64) -> Option<ExecutableRange> {
        self.space.executable(address)
    }

    /// Finds the allocation that contains all `len` bytes at `address`, and the offset in it. Does not search
    /// registered ranges.
    #[inline]
    pub fn find(&self, address: u64, len: u64) -> Option<(Region<'_>, u64)> {
        let cell = address.wrapping_sub(self.first) / ALIGNMENT;
        if cell >= self.count {
            return None;
        }
        // SAFETY: the cell belongs to the table, which `space` keeps alive.
        let (base, end) = unsafe { space::look_up(self.cells, cell)? };
        let offset = address.checked_sub(base)?;
        if address > end || len > end - address {
            return None;
        }
        // SAFETY: all addresses in entries are in the accessible part of the range, which remains accessible; the
        // 8-byte units that contain them are in the same page.
        Some((unsafe { Region::new(base, end - base) }, offset))
    }

    /// Copies bytes out of guest memory. Returns false unless all are mapped in one allocation or registered range.
    pub fn read(&self, address: u64, bytes: &mut [u8]) -> bool {
        let len = bytes.len() as u64;
        match self.find(address, len) {
            Some((region, offset)) => {
                region.read(offset, bytes);
                Some(())
            }
            None => self
                .space
                .with_foreign(address, len, |region, offset| region.read(offset, bytes)),
        }
        .is_some()
    }

    /// Copies bytes into guest memory on behalf of the host, visible to observers. Returns false unless all are mapped
    /// in one allocation or registered range.
    pub fn write(&self, address: u64, bytes: &[u8]) -> bool {
        let is_stored = self.store_bytes(address, bytes).is_some();
        if is_stored {
            self.space.host_writes(address, bytes.len() as u64);
        }
        is_stored
    }

    /// Copies bytes into guest memory on behalf of a wave; `None` unless all are in one allocation or registered range.
    pub(crate) fn store_bytes(&self, address: u64, bytes: &[u8]) -> Option<()> {
        let len = bytes.len() as u64;
        match self.find(address, len) {
            Some((region, offset)) => {
                region.write(offset, bytes);
                Some(())
            }
            None => self
                .space
                .with_foreign(address, len, |region, offset| region.write(offset, bytes)),
        }
    }

    /// Loads consecutive dwords from `address`. Returns `None` unless all are mapped in one allocation or registered
    /// range.
    #[inline]
    pub fn load_dwords(&self, address: u64, into: &mut [u32]) -> Option<()> {
        let len = size_of_val(into) as u64;
        let mut read = |region: Region<'_>, offset| {
            if region.read_dwords(offset, into).is_none() {
                read_unaligned(region, offset, into);
            }
        };
        match self.find(address, len) {
            Some((region, offset)) => {
                read(region, offset);
                Some(())
            }
            None => self.space.with_foreign(address, len, read),
        }
    }

    /// Stores consecutive dwords at `address`. Returns `None` and stores nothing unless all are mapped in one
    /// allocation or registered range.
    #[inline]
    pub fn store_dwords(&self, address: u64, from: &[u32]) -> Option<()> {
        let len = size_of_val(from) as u64;
        let write = |region: Region<'_>, offset| {
            if region.write_dwords(offset, from).is_none() {
                write_unaligned(region, offset, from);
            }
        };
        match self.find(address, len) {
            Some((region, offset)) => {
                write(region, offset);
                Some(())
            }
            None => self.space.with_foreign(address, len, write),
        }
    }

    /// Loads consecutive dwords into the active lanes of a register. Returns `None` unless the whole row, including
    /// inactive lanes, is mapped in one allocation or registered range.
    #[inline]
    pub fn load_row(&self, address: u64, into: &mut Lanes, exec: u64) -> Option<()> {
        if exec == u64::MAX {
            return self.load_dwords(address, &mut into.0);
        }
        let mut loaded = Lanes::ZERO;
        self.load_dwords(address, &mut loaded.0)?;
        into.blend(&loaded, exec);
        Some(())
    }

    /// Stores the dwords of active lanes at their positions in a row of consecutive dwords. Returns `None` and stores
    /// nothing unless the whole row, including inactive lanes, is mapped in one allocation or registered range. If any
    /// lane is inactive, the row must also be aligned and not in a registered range.
    #[inline]
    pub fn store_row(&self, address: u64, from: &Lanes, exec: u64) -> Option<()> {
        if exec == u64::MAX {
            return self.store_dwords(address, &from.0);
        }
        let (region, offset) = self.find(address, size_of::<Lanes>() as u64)?;
        if !offset.is_multiple_of(size_of::<u32>() as u64) {
            return None;
        }
        let at = region.pointer(offset);
        #[cfg(target_arch = "x86_64")]
        if level() != Level::Baseline {
            // SAFETY: the host supports the level's instructions; all dwords are in bounds.
            unsafe { vectors::store_lanes(from, at.cast_mut(), exec) };
            return Some(());
        }
        for lane in active(exec) {
            let at = at.wrapping_add(lane * size_of::<u32>());
            // SAFETY: all dwords are in bounds and aligned, and all accesses to the backing are atomic.
            unsafe { (*at.cast::<AtomicU32>()).store(from.0[lane], Relaxed) };
        }
        Some(())
    }

    accessors! {
        load_u8 store_u8 update_u8 u8;
        load_u16 store_u16 update_u16 u16;
        load_u32 store_u32 update_u32 u32;
        load_u64 store_u64 update_u64 u64;
    }
}

/// Loads unaligned dwords through a byte copy.
#[cold]
#[inline(never)]
fn read_unaligned(region: Region<'_>, offset: u64, into: &mut [u32]) {
    let mut row = [[0; DWORD as usize]; LANES];
    for (into, offset) in into.chunks_mut(LANES).zip((offset..).step_by(ROW)) {
        let row = &mut row[..into.len()];
        region.read(offset, row.as_flattened_mut());
        for (dword, bytes) in into.iter_mut().zip(row) {
            *dword = u32::from_le_bytes(*bytes);
        }
    }
}

/// Stores unaligned dwords through a byte copy.
#[cold]
#[inline(never)]
fn write_unaligned(region: Region<'_>, offset: u64, from: &[u32]) {
    let mut row = [[0; DWORD as usize]; LANES];
    for (from, offset) in from.chunks(LANES).zip((offset..).step_by(ROW)) {
        let row = &mut row[..from.len()];
        for (bytes, dword) in row.iter_mut().zip(from) {
            *bytes = dword.to_le_bytes();
        }
        region.write(offset, row.as_flattened());
    }
}

//! Guest memory: allocations at host addresses, shared by all threads that run kernels and by the host.
//!
//! A device reserves a range of host addresses, and an allocation's guest address is its host address. Allocations come and
//! go while kernels run; the first one is at [`FIRST_ADDRESS`] if the host has that free, and addresses follow from the order
//! of allocations alone. An address is used again when the range has no fresh one left. An access finds its allocation by a
//! table, one entry for each 64 KiB of the range, which changes atomically. Ranges of the host's can be registered; an
//! access looks for them when the table has nothing.
//!
//! # Who sees what, and when
//! All accesses are atomic, so what one thread stores another one sees, the host's included. An atomic of a kernel is an
//! atomic of the host, visible at once, unless the memory has one user ([`Memory::set_one_user`]): then a load and a store
//! stand for it, and what another thread stores in between would be lost.
//!
//! Accesses are relaxed. On x86-64 each load acquires and each store releases, so that waits of a kernel need nothing there,
//! but that a load may come before an earlier store of its wave: a load that asks for what other compute units have stored
//! (GLC) is behind a [`Memory::fence`]. On other hosts a wait is one, too.
//!
//! # Unsafe code
//! This is one of the modules that may use `unsafe`: threads share guest memory, and a guest program may race
//! with itself. Every access is therefore atomic (relaxed), whatever its width, and never through a
//! reference that claims to be exclusive; or it is one of assembly or of host code (`native`), of whole vectors, which the host
//! makes of atomic parts.
//!
//! A guest program may also race by accesses of different sizes, such as a byte's store and a dword's load. Rust's library
//! leaves that undefined ("Memory model for atomic accesses" of `std::sync::atomic`), since its rules, C++'s, have no words
//! for it. Here it is safe by the layers below. The code generator's model is one of bytes: each byte of
//! an atomic load is that of one of the atomic stores that race with it ("Memory Model for Concurrent Operations" in LLVM's
//! language reference), which is what hosts do, whose manuals define overlapping accesses of any size. An atomic access of up
//! to 8 aligned bytes is one instruction of the host, or a loop around one, and no other access is derived from its value. The
//! guest gets what its own hardware may give it: a mixture of bytes of both.

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
pub use allocation::{AllocError, Allocation, ExecutableRange, FreeError, MapError, RegisterError};
pub use change::{Listener, MemoryChange, MemoryChangeKind};
pub use charge::Charge;
pub use lanewise::Addresses;
pub(crate) use lanewise::prefetch_row;
pub use layout::{ALIAS, ALIGNMENT, FIRST_ADDRESS};
pub use region::Region;
pub use shared::SharedMemory;
use space::{AddressSpace, PageEntry};
pub(crate) use window::{COPIES, Window, Windows};

/// Bytes of a dword.
const DWORD: u64 = size_of::<u32>() as u64;
/// Bytes of all lanes' dwords.
const ROW: usize = size_of::<Lanes>();

/// Guest memory: a handle, of which all clones have the same allocations.
#[derive(Clone, Debug)]
pub struct Memory {
    space: Arc<AddressSpace>,
    /// Copies of what `space` has, a step nearer.
    first: u64,
    cells: *const AtomicPtr<PageEntry>,
    count: u64,
    /// True if a single thread uses it.
    has_one_user: bool,
}

// SAFETY: `cells` are those of `space`, which is shared by reference only and lives as long.
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
        /// Loads at `address`, which must be mapped and may be unaligned.
        #[inline]
        pub fn $load(&self, address: u64) -> Option<$Int> {
            const BYTES: u64 = size_of::<$Int>() as u64;
            match self.find(address, BYTES) {
                Some((region, offset)) => Some(region.$load(offset)),
                None => self.space.with_foreign(address, BYTES, |region, offset| region.$load(offset)),
            }
        }

        /// Stores at `address`, which may be unaligned; nothing if it is not mapped.
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

        /// Replaces the value at `address` by what `new` makes of it, indivisibly, and returns the old one;
        /// nothing if `address` is not mapped or not aligned.
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
    /// Memory without any allocation. If the host has no address space left, nothing can be allocated.
    pub fn new() -> Memory {
        Memory::of(AddressSpace::new())
    }

    /// Memory of `bytes` bytes of addresses, wherever the host has them.
    pub(crate) fn small(bytes: usize) -> Memory {
        let range = reserved::Reserved::elsewhere(bytes, ALIGNMENT as usize);
        Memory::of(AddressSpace::of(range))
    }

    /// First address of the range.
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

    /// Allocates `bytes` zero bytes, at a multiple of [`ALIGNMENT`], and returns their address. Kernels that run may access
    /// them as soon as they know it.
    ///
    /// # Errors
    /// [`AllocError`] when the host has not so much, or the limit is reached.
    pub fn allocate(&self, name: &str, bytes: u64) -> Result<u64, AllocError> {
        self.space.allocate(name, bytes, ALIGNMENT)
    }

    /// Allocates at a multiple of `align`, a power of two that is at least [`ALIGNMENT`].
    ///
    /// # Errors
    /// As [`Memory::allocate`].
    pub fn allocate_aligned(&self, name: &str, bytes: u64, align: u64) -> Result<u64, AllocError> {
        self.space.allocate(name, bytes, align.max(ALIGNMENT))
    }

    /// Tells the listener that the contents of `len` bytes at `address` mean nothing until somebody writes them. They stay as
    /// they are.
    pub fn undefine(&self, address: u64, len: u64) {
        self.space.notice(MemoryChangeKind::Undefined, address, len);
    }

    /// Tells the listener that the host has written `len` bytes at `address`, by other means than [`Memory::write`].
    pub fn wrote(&self, address: u64, len: u64) {
        self.space.host_writes(address, len);
    }

    /// Tells the listener that the host reads `len` bytes at `address`: their values matter to the program.
    pub fn reads(&self, address: u64, len: u64) {
        self.space.notice(MemoryChangeKind::Read, address, len);
    }

    /// Tells the listener that the host reads `len` bytes at `address` as results: unlike what [`Memory::reads`] is for, such as
    /// copies of whole buffers, each of the bytes should be written.
    pub fn reads_results(&self, address: u64, len: u64) {
        let kind = MemoryChangeKind::ReadAsResults;
        self.space.notice(kind, address, len);
    }

    /// Frees the allocation that begins at `address`. A kernel that accesses it from now on faults; one that is just doing so
    /// may load anything.
    ///
    /// # Errors
    /// No allocation begins there.
    pub fn free(&self, address: u64) -> Result<(), FreeError> {
        self.space.free(address)
    }

    /// Number of times that an allocation has been freed or unmapped.
    pub(crate) fn frees(&self) -> u64 {
        self.space.frees()
    }

    /// Lets kernels access `len` bytes of the host's own at another address, which it yields: the host address with
    /// [`ALIAS`]. [`Memory::release`] takes that address.
    ///
    /// # Errors
    /// They overlap others.
    ///
    /// # Safety
    /// As [`Memory::register`].
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

    /// Lets kernels access `len` bytes of the host's own at their host addresses.
    ///
    /// # Errors
    /// They overlap others.
    ///
    /// # Safety
    /// Until they are released the bytes can be read and written, and the host accesses them atomically only, or while no
    /// kernel does.
    pub unsafe fn register(
        &self,
        name: &str,
        bytes: *mut u8,
        len: u64,
    ) -> Result<(), RegisterError> {
        self.space
            .register(name, bytes.expose_provenance() as u64, len)
    }

    /// Takes back the range that was registered at `address`; no kernel accesses it when this returns.
    ///
    /// # Errors
    /// None was.
    pub fn release(&self, address: u64) -> Result<(), FreeError> {
        self.space.release(address)
    }

    /// Lets `listener`, in place of the one before, learn of allocations, frees and host writes from now on, through all
    /// handles. A set of observers is one.
    pub fn observe(&self, listener: impl Listener + 'static) {
        self.space.observe(Arc::new(listener));
    }

    /// Sets how many bytes allocations and charges may have in all. What is in use already stays.
    pub fn set_limit(&self, bytes: u64) {
        self.space.set_limit(bytes);
    }

    /// Bytes in use, in pages of the host's, and how many may be.
    pub fn usage(&self) -> (u64, u64) {
        self.space.usage()
    }

    /// True if the first allocation is at [`FIRST_ADDRESS`], as it is unless the process has something else there.
    pub fn is_at_usual_address(&self) -> bool {
        self.first == FIRST_ADDRESS
    }

    /// Says whether a single thread uses it from now on, by this handle, so that nothing need be changed indivisibly. True
    /// is right only if no other run and no thread of the host changes what this run's atomics change.
    pub fn set_one_user(&mut self, has_one: bool) {
        self.has_one_user = has_one;
    }

    /// True if a single thread uses it.
    #[inline]
    pub fn has_one_user(&self) -> bool {
        self.has_one_user
    }

    /// Orders all accesses of this thread before it, as others see them, before all accesses behind it.
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

    /// The allocation that is nearest to `address`, for messages; one that has been freed if it had the address and no other
    /// has it now.
    pub fn nearest(&self, address: u64) -> Option<Allocation> {
        self.space.nearest(address)
    }

    /// Reserves `bytes` bytes of addresses, a whole number of [`ALIGNMENT`], at a multiple of `align`, which is one of
    /// [`ALIGNMENT`]. There is no memory until some is mapped, and none is counted.
    ///
    /// # Errors
    /// There are no such addresses.
    pub fn reserve(&self, name: &str, bytes: u64, align: u64) -> Result<u64, AllocError> {
        self.space.reserve(name, bytes, align)
    }

    /// Gives addresses back where nothing is mapped.
    ///
    /// # Errors
    /// None that are reserved begin there, or something is mapped.
    pub fn unreserve(&self, address: u64) -> Result<(), FreeError> {
        self.space.unreserve(address)
    }

    /// Maps `len` bytes of shared memory from an offset on at reserved addresses, under a name, in whole units of [`ALIGNMENT`]. Accesses
    /// may reach from one part into another that follows it.
    ///
    /// # Errors
    /// The addresses are not reserved, or in use; the memory has no such part.
    ///
    /// # Examples
    /// As of [`SharedMemory`].
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
    /// There is no mapping at the address.
    pub fn unmap(&self, address: u64) -> Result<(), FreeError> {
        self.space.unmap(address)
    }

    /// The memory of the allocation that begins at an address, for other processes to map. What is stored while this is called for the
    /// first time is lost.
    ///
    /// # Errors
    /// None begins there; the host has no shared memory.
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

    /// Lets kernels execute `len` bytes of an allocation until it is freed: those that jump there from other code. False if no
    /// allocation has them all.
    pub fn make_executable(&self, address: u64, len: u64) -> bool {
        self.space.make_executable(address, len)
    }

    /// The executable memory that an address is in.
    pub fn executable(&self, address: u64) -> Option<ExecutableRange> {
        self.space.executable(address)
    }

    /// The allocation that holds all of the `len` bytes at `address`, and the offset there. Registered ranges are not among
    /// these.
    #[inline]
    pub fn find(&self, address: u64, len: u64) -> Option<(Region<'_>, u64)> {
        let cell = address.wrapping_sub(self.first) / ALIGNMENT;
        if cell >= self.count {
            return None;
        }
        // SAFETY: the cell is one of the table's, which `space` keeps.
        let (base, end) = unsafe { space::look_up(self.cells, cell)? };
        let offset = address.checked_sub(base)?;
        if address > end || len > end - address {
            return None;
        }
        // SAFETY: all addresses that entries have are in the accessible part of the range, which stays so; what is around
        // them in units is in the same page.
        Some((unsafe { Region::new(base, end - base) }, offset))
    }

    /// Copies guest memory out; false if not all of it is mapped in one allocation.
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

    /// Copies into guest memory for the host, which observers see; false if not all of it is mapped in one allocation.
    pub fn write(&self, address: u64, bytes: &[u8]) -> bool {
        let is_stored = self.store_bytes(address, bytes).is_some();
        if is_stored {
            self.space.host_writes(address, bytes.len() as u64);
        }
        is_stored
    }

    /// Copies into guest memory for a wave; nothing if not all of it is mapped in one allocation.
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

    /// Loads consecutive dwords from `address` on; nothing if not all of them are mapped in one allocation or
    /// registered range.
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

    /// Stores consecutive dwords at `address`. Returns `None` and stores nothing unless all are mapped in one allocation or
    /// registered range.
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

    /// Loads consecutive dwords into a register's active lanes; nothing if not all of them are mapped in one allocation.
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

    /// Stores the active lanes' dwords to their places in consecutive ones; nothing, and nothing is stored, if not all of
    /// those, of active lanes or not, are mapped in one allocation and aligned.
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
            // SAFETY: the host has the level's instructions; all dwords are inside.
            unsafe { vectors::store_lanes(from, at.cast_mut(), exec) };
            return Some(());
        }
        for lane in active(exec) {
            let at = at.wrapping_add(lane * size_of::<u32>());
            // SAFETY: all dwords are inside and aligned, and all accesses to the backing are atomic.
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

/// Dwords that are not aligned, by way of bytes.
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

/// The other way round.
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

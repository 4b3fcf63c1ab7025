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
//! Accesses are relaxed. On x86-64 each load acquires and each store releases, so that waits of a kernel need nothing there;
//! on other hosts a wait is a [`Memory::fence`].
//! On x86-64 a load that only a wait keeps behind an earlier store of its wave may come before that store.
//!
//! # Unsafe code
//! This is one of the modules that may use `unsafe`: threads share guest memory, and a guest program may race
//! with itself. Every access is therefore atomic (relaxed), whatever its width, and never through a
//! reference that claims to be exclusive; or it is one of assembly, of whole vectors, which the host makes
//! of atomic parts.

mod lanewise;
mod region;
mod reserved;
mod space;
#[cfg(target_arch = "x86_64")]
mod vectors;

use std::sync::Arc;
use std::sync::atomic::{
    AtomicPtr, AtomicU32, AtomicU64, Ordering::Relaxed, Ordering::SeqCst, fence,
};

use crate::lanes::{LANES, Lanes, Level, active, level};
use crate::observe::Observers;
pub use lanewise::Addresses;
pub use region::Region;
pub use space::Charge;
use space::{Entry, Space};

/// Address of a device's first allocation, where the host has that free: above 4 GiB, so that a truncated pointer faults.
pub const FIRST_ADDRESS: u64 = 0x1_0000_0000;
/// Allocations begin at multiples of this.
pub const ALIGNMENT: u64 = 0x1_0000;
/// Unmapped bytes behind each allocation, so that running off its end faults.
const GUARD: u64 = 0x1_0000;
/// Bytes in the unit of copies.
const UNIT: usize = size_of::<AtomicU64>();
/// Bytes of a dword.
const DWORD: u64 = size_of::<u32>() as u64;
/// Those of all lanes' dwords.
const ROW: usize = size_of::<Lanes>();

/// Guest memory: a handle, of which all clones have the same allocations.
#[derive(Clone, Debug)]
pub struct Memory {
    space: Arc<Space>,
    /// Copies of what `space` has, a step nearer.
    first: u64,
    cells: *const AtomicPtr<Entry>,
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

/// An allocation, or a range of the host's that is registered, as it was when it was asked for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Allocation {
    /// The host's name for it, for messages.
    pub name: Arc<str>,
    /// Its first address.
    pub base: u64,
    /// Its length in bytes.
    pub len: u64,
    /// True if it has been freed or released.
    pub is_freed: bool,
    /// True if the host has written any of it; true for ranges of the host's.
    pub host_has_written: bool,
}

impl Allocation {
    /// Bytes between an address and the allocation; 0 inside.
    fn distance(&self, address: u64) -> u64 {
        if address < self.base {
            self.base - address
        } else {
            address.saturating_sub(self.base + self.len)
        }
    }
}

/// A reason why memory cannot be allocated.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AllocError {
    /// The host has not so much.
    #[error("cannot allocate {bytes} bytes for {name}")]
    TooLarge {
        /// What it was for.
        name: String,
        /// How much was asked for.
        bytes: u64,
    },
    /// The device has not so much.
    #[error(
        "cannot allocate {bytes} bytes for {name}: {used} of the device's {limit} bytes are in use"
    )]
    Limit {
        /// What it was for.
        name: String,
        /// How much was asked for.
        bytes: u64,
        /// Bytes in use.
        used: u64,
        /// Bytes that may be in use.
        limit: u64,
    },
}

/// Memory that is freed, or released, and is none: there is no allocation that begins at the address.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("no allocation begins at {0:#x}")]
pub struct FreeError(pub u64);

/// A reason why a range of the host's cannot be registered.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("the range of {len} bytes at {base:#x} {reason}")]
pub struct RegisterError {
    base: u64,
    len: u64,
    reason: &'static str,
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
        Memory::of(Space::new())
    }

    fn of(space: Space) -> Memory {
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
        self.space.allocate(name, bytes)
    }

    /// Frees the allocation that begins at `address`. A kernel that accesses it from now on faults; one that is just doing so
    /// may load anything.
    ///
    /// # Errors
    /// No allocation begins there.
    pub fn free(&self, address: u64) -> Result<(), FreeError> {
        self.space.free(address)
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

    /// Lets observers see allocations, frees and host writes from now on, through all handles.
    pub fn observe(&self, observers: Observers) {
        self.space.observe(observers);
    }

    /// Sets how many bytes allocations and charges may have in all. What is in use already stays.
    pub fn set_limit(&self, bytes: u64) {
        self.space.set_limit(bytes);
    }

    /// Bytes in use, in pages of the host's, and how many may be.
    pub fn usage(&self) -> (u64, u64) {
        self.space.usage()
    }

    /// Counts `bytes` as in use until the charge is dropped: those of something that has no address here.
    ///
    /// # Errors
    /// The limit is reached.
    pub fn charge(&self, name: &str, bytes: u64) -> Result<Charge, AllocError> {
        self.space.charge(name, bytes)?;
        Ok(Charge {
            memory: self.clone(),
            bytes,
        })
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

    /// Loads consecutive dwords from `address` on; nothing if not all of them are mapped in one allocation.
    #[inline]
    pub fn load_dwords(&self, address: u64, into: &mut [u32]) -> Option<()> {
        let (region, offset) = self.find(address, size_of_val(into) as u64)?;
        if region.read_dwords(offset, into).is_none() {
            let mut row = [[0; DWORD as usize]; LANES];
            for (into, offset) in into.chunks_mut(LANES).zip((offset..).step_by(ROW)) {
                let row = &mut row[..into.len()];
                region.read(offset, row.as_flattened_mut());
                for (dword, bytes) in into.iter_mut().zip(row) {
                    *dword = u32::from_le_bytes(*bytes);
                }
            }
        }
        Some(())
    }

    /// Stores consecutive dwords from `address` on; nothing, and nothing is stored, if not all are mapped in one allocation.
    #[inline]
    pub fn store_dwords(&self, address: u64, from: &[u32]) -> Option<()> {
        let (region, offset) = self.find(address, size_of_val(from) as u64)?;
        if region.write_dwords(offset, from).is_none() {
            let mut row = [[0; DWORD as usize]; LANES];
            for (from, offset) in from.chunks(LANES).zip((offset..).step_by(ROW)) {
                let row = &mut row[..from.len()];
                for (bytes, dword) in row.iter_mut().zip(from) {
                    *bytes = dword.to_le_bytes();
                }
                region.write(offset, row.as_flattened());
            }
        }
        Some(())
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn allocations_are_found_by_what_they_have_and_by_nothing_else() {
        let lengths = [ALIGNMENT, 0, 1, ALIGNMENT + 1, 3 * ALIGNMENT];
        let memory = Memory::new();
        let bases = lengths.map(|len| memory.allocate("test", len).expect("memory"));
        let found = |address: u64, len: u64| {
            let (region, offset) = memory.find(address, len)?;
            Some((region.base(), offset))
        };
        for (base, len) in bases.into_iter().zip(lengths) {
            assert_eq!(found(base, len), Some((base, 0)));
            assert_eq!(found(base + len, 0), Some((base, len)));
            for (address, bytes) in [(base, len + 1), (base + len, 1), (base - 1, 1)] {
                assert_eq!(found(address, bytes), None, "{address:#x}");
            }
            for page in 0..len / ALIGNMENT {
                let offset = page * ALIGNMENT + ALIGNMENT - 1;
                assert_eq!(found(base + offset, 1), Some((base, offset)));
            }
        }
        assert_eq!(found(0, 0), None);
        assert_eq!(found(u64::MAX, 1), None);
    }

    /// Memory of a few allocations' addresses.
    fn small(units: u64) -> Memory {
        let bytes = ((units + 1) * ALIGNMENT) as usize;
        Memory::of(Space::of(reserved::Reserved::elsewhere(
            bytes,
            ALIGNMENT as usize,
        )))
    }

    #[test]
    fn addresses_follow_from_the_order_of_allocations() {
        let memories = [Memory::new(), Memory::new()];
        let [first, second] = memories.each_ref().map(|memory| {
            let a = memory.allocate("a", 100).expect("memory");
            let b = memory.allocate("b", 3 * ALIGNMENT).expect("memory");
            memory.free(a).expect("it is there");
            let c = memory.allocate("c", 1).expect("memory");
            [a, b, c].map(|address| address - memory.first)
        });
        assert_eq!(first, [0, 2 * ALIGNMENT, 6 * ALIGNMENT]);
        assert_eq!(first, second);
    }

    #[test]
    fn freed_memory_is_not_found_and_keeps_its_name() {
        let memory = Memory::new();
        let other = memory.allocate("other", 64).expect("memory");
        let base = memory.allocate("xs", 1 << 20).expect("memory");
        assert_eq!(memory.usage().0, (1 << 20) + 4096);
        memory.store_u32(base + 8, 7).expect("it is mapped");
        memory.free(base).expect("it is there");
        assert_eq!(memory.usage().0, 4096);
        assert_eq!(memory.load_u32(base + 8), None);
        assert_eq!(memory.free(base), Err(FreeError(base)));
        assert_eq!(memory.free(other + 4), Err(FreeError(other + 4)));
        let nearest = memory.nearest(base + 8).expect("something");
        assert_eq!((&*nearest.name, nearest.is_freed), ("xs", true));
        let nearest = memory.nearest(other + 70).expect("something");
        assert_eq!((&*nearest.name, nearest.is_freed), ("other", false));
    }

    #[test]
    fn addresses_are_used_again_only_when_there_are_no_others() {
        let memory = small(8);
        let allocate = |len| memory.allocate("test", len);
        let units = |address: u64| (address - memory.first) / ALIGNMENT;
        let first = allocate(4).expect("memory");
        memory.store_u32(first, 1).expect("it is mapped");
        let bases: Vec<u64> = (0..3).map(|_| allocate(4).expect("memory")).collect();
        memory.free(first).expect("it is there");
        assert_eq!(
            bases.iter().map(|b| units(*b)).collect::<Vec<_>>(),
            [2, 4, 6]
        );
        let again = allocate(4).expect("the first one's addresses");
        assert_eq!(again, first);
        assert_eq!(memory.load_u32(again), Some(0), "zero again");
        assert!(allocate(4).is_err());
        // Neighbours that are free are one.
        memory.free(bases[1]).expect("it is there");
        memory.free(bases[0]).expect("it is there");
        assert_eq!(allocate(3 * ALIGNMENT), Ok(bases[0]));
    }

    #[test]
    fn the_limit_counts_allocations_and_charges() {
        let memory = Memory::new();
        memory.set_limit(3 * 4096);
        let a = memory.allocate("a", 4097).expect("two pages");
        let charge = memory.charge("registers", 1).expect("one page");
        let error = memory.allocate("b", 1).expect_err("no page is left");
        assert_eq!(
            error.to_string(),
            "cannot allocate 1 bytes for b: 12288 of the device's 12288 bytes are in use"
        );
        drop(charge);
        assert!(memory.allocate("b", 1).is_ok());
        assert!(memory.charge("registers", 1).is_err());
        memory.free(a).expect("it is there");
        assert!(memory.charge("registers", 1).is_ok());
    }

    #[test]
    fn threads_allocate_and_free_while_others_access() {
        const ROUNDS: u64 = if cfg!(miri) { 10 } else { 2000 };
        let memory = &small(64);
        let addresses: Vec<AtomicU64> = (0..4).map(|_| AtomicU64::new(0)).collect();
        std::thread::scope(|scope| {
            for place in &addresses {
                scope.spawn(move || {
                    for round in 0..ROUNDS {
                        let len = 8 + round % 3 * ALIGNMENT;
                        let base = memory.allocate("test", len).expect("memory");
                        assert_eq!(memory.load_u64(base), Some(0));
                        place.store(base, Relaxed);
                        memory.store_u64(base + len - 8, 5).expect("it is mapped");
                        memory.free(base).expect("it is there");
                    }
                });
            }
            scope.spawn(|| {
                for round in 0..ROUNDS * 8 {
                    let base = addresses[round as usize % 4].load(Relaxed);
                    // It may be there or not; the host must not notice.
                    let _ = memory.load_u64(base);
                    let _ = memory.load_dwords(base, &mut [0; 64]);
                }
            });
        });
        assert_eq!(memory.usage().0, 0);
        assert_eq!(memory.allocations(), []);
    }

    #[test]
    fn ranges_of_the_host_are_accessed_where_they_are() {
        let memory = Memory::new();
        let own = memory.allocate("own", 8).expect("memory");
        let mut host = vec![0u8; 41];
        let base = host.as_mut_ptr().expose_provenance() as u64;
        let register = |at: *mut u8, len| {
            // SAFETY: the bytes live until the end of the test, and only the memory accesses them while they are registered.
            unsafe { memory.register("host", at, len) }
        };
        register(host.as_mut_ptr(), 41).expect("nothing else is there");
        assert!(register(host.as_mut_ptr().wrapping_add(40), 1).is_err());
        assert!(register(std::ptr::null_mut(), 8).is_err());
        assert!(register(std::ptr::with_exposed_provenance_mut(own as usize), 8).is_err());
        let place = base.next_multiple_of(8) + 8;
        assert_eq!(memory.store_u32(place, 3), Some(()));
        assert_eq!(memory.update_u32(place, |old| old + 4), Some(3));
        assert_eq!(memory.store_u16(place + 5, 0x1234), Some(()), "unaligned");
        assert_eq!(memory.load_u64(place), Some(0x12_3400_0000_0007));
        assert!(memory.write(base, &[9; 3]));
        assert_eq!(memory.load_u64(base + 34), None, "beyond its end");
        assert_eq!(&*memory.nearest(base + 41).expect("something").name, "host");
        memory.release(base).expect("it is registered");
        assert_eq!(memory.load_u32(place), None);
        assert!(memory.nearest(place).expect("something").is_freed);
        assert_eq!(memory.release(base), Err(FreeError(base)));
        assert_eq!(host[..3], [9; 3]);
    }

    #[test]
    fn copies_of_every_length_and_alignment_are_whole() {
        const BYTES: usize = 40;
        let memory = Memory::new();
        let base = memory.allocate("test", BYTES as u64).expect("memory");
        for begin in 0..BYTES {
            for end in begin..=BYTES {
                assert!(memory.write(base, &[0xee; BYTES]));
                let from: Vec<u8> = (begin as u8..end as u8).collect();
                assert!(memory.write(base + begin as u64, &from));
                let mut part = vec![0; from.len()];
                assert!(memory.read(base + begin as u64, &mut part));
                assert_eq!(part, from, "{begin}..{end}");
                let mut all = [0; BYTES];
                assert!(memory.read(base, &mut all));
                let inside = |i: &usize| (begin..end).contains(i);
                for (i, byte) in all.iter().enumerate() {
                    let expected = if inside(&i) { i as u8 } else { 0xee };
                    assert_eq!(*byte, expected, "byte {i} of {begin}..{end}");
                }
            }
        }
        assert!(!memory.write(base + 1, &[0; BYTES]));
        assert!(memory.allocate("nothing", 0).is_ok());
        assert!(memory.allocate("too much", u64::MAX).is_err());
    }
}

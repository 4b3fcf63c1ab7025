//! Reserved range of host addresses, with a growing accessible prefix.
//!
//! This is one of the modules that may use `unsafe`: it reserves address space on the host.

use std::fs::File;
use std::io;

/// Range sizes to try, in bytes. A limit on the process's address space may leave room only for a small one.
#[cfg(target_pointer_width = "64")]
const SIZES: [usize; 5] = [1 << 40, 1 << 38, 1 << 36, 1 << 34, 1 << 30];
#[cfg(not(target_pointer_width = "64"))]
const SIZES: [usize; 1] = [1 << 30];
/// Number of consecutive slots of the largest size to try. Each device of the process occupies one.
const RANGES: usize = 64;
/// Granularity, in bytes, at which the range is made accessible. A single host call then serves many allocations.
const STEP: usize = 64 << 20;

/// Reserved range of host addresses, released when dropped.
#[derive(Debug)]
pub(super) struct Reserved {
    first: usize,
    len: usize,
    /// Address and size of the host mapping.
    mapping: (usize, usize),
    accessible: usize,
}

impl Reserved {
    /// Reserves a range at `first`, or in one of the slots of the largest size that follow. If all are taken, the range
    /// may be anywhere at a multiple of `alignment`. Returns `None` if the host has no room.
    pub(super) fn new(first: usize, alignment: usize) -> Option<Reserved> {
        SIZES.iter().find_map(|&len| {
            let places = (0..RANGES).map(|n| first.wrapping_add(n * SIZES[0]));
            let at = places
                .into_iter()
                .find(|&place| host::reserve_at(place, len).is_ok());
            if let Some(first) = at {
                return Some(Reserved {
                    first,
                    len,
                    mapping: (first, len),
                    accessible: 0,
                });
            }
            Reserved::elsewhere(len, alignment)
        })
    }

    /// Reserves `len` bytes at any address. Up to `alignment` of these bytes may be lost. Returns `None` if the host
    /// has no room.
    pub(super) fn elsewhere(len: usize, alignment: usize) -> Option<Reserved> {
        let mapped = host::reserve(len).ok()?;
        let first = mapped.next_multiple_of(alignment);
        Some(Reserved {
            first,
            len: len - (first - mapped),
            mapping: (mapped, len),
            accessible: 0,
        })
    }

    /// First address.
    pub(super) fn first(&self) -> u64 {
        self.first as u64
    }

    /// Length in bytes.
    pub(super) fn len(&self) -> u64 {
        self.len as u64
    }

    /// Makes the range accessible up to `end`, but not beyond its own end. The accessible prefix never shrinks.
    ///
    /// # Errors
    /// Fails if the host cannot provide the memory.
    pub(super) fn grow(&mut self, end: u64) -> io::Result<()> {
        let wanted = (end as usize).saturating_sub(self.first).min(self.len);
        if wanted <= self.accessible {
            return Ok(());
        }
        let wanted = wanted.next_multiple_of(STEP).min(self.len);
        host::make_accessible(self.first + self.accessible, wanted - self.accessible)?;
        self.accessible = wanted;
        Ok(())
    }

    /// Returns the memory of an accessible part to the host. The part remains accessible and reads as zero.
    pub(super) fn discard(&self, address: u64, len: u64) {
        host::discard(address as usize, len as usize);
    }

    /// Maps part of a file over an accessible part.
    ///
    /// # Errors
    /// Fails if the host cannot map the file.
    pub(super) fn map_file(&self, address: u64, len: u64, from: (&File, u64)) -> io::Result<()> {
        host::map_file(address as usize, len as usize, from)
    }

    /// Undoes [`Reserved::map_file`] for a part, which then reads as zero.
    pub(super) fn unmap_file(&self, address: u64, len: u64) {
        host::unmap_file(address as usize, len as usize);
    }

    /// Copies an accessible part to a file.
    ///
    /// # Errors
    /// Fails if the file cannot be written.
    pub(super) fn copy_to_file(
        &self,
        address: u64,
        len: u64,
        (file, offset): (&File, u64),
    ) -> io::Result<()> {
        let bytes: Vec<u8> = (address as usize..(address + len) as usize)
            .map(load)
            .collect();
        host::write(file, &bytes, offset)
    }

    /// Requests huge pages where the part contains whole ones. Without them, the first kernel to write a buffer incurs
    /// a fault for each small page.
    pub(super) fn prefer_large_pages(&self, address: u64, len: u64) {
        host::prefer_large_pages(address as usize, len as usize);
    }
}

impl Drop for Reserved {
    fn drop(&mut self) {
        let (address, len) = self.mapping;
        host::release(address, len);
    }
}

#[cfg(unix)]
mod host {
    use std::fs::File;
    use std::io;
    use std::os::unix::fs::FileExt;
    use std::ptr::{null_mut, with_exposed_provenance_mut};

    use rustix::mm::{Advice, MapFlags, MprotectFlags, ProtFlags};

    #[cfg(any(target_os = "linux", target_os = "android"))]
    const NOTHING_PROMISED: MapFlags = MapFlags::PRIVATE.union(MapFlags::NORESERVE);
    #[cfg(not(any(target_os = "linux", target_os = "android")))]
    const NOTHING_PROMISED: MapFlags = MapFlags::PRIVATE;
    #[cfg(any(target_os = "linux", target_os = "android"))]
    const THERE: MapFlags = NOTHING_PROMISED.union(MapFlags::FIXED_NOREPLACE);
    /// Hosts without MAP_FIXED_NOREPLACE treat an address as a hint.
    #[cfg(not(any(target_os = "linux", target_os = "android")))]
    const THERE: MapFlags = NOTHING_PROMISED;

    fn map(address: usize, len: usize, flags: MapFlags) -> io::Result<usize> {
        let hint = with_exposed_provenance_mut(address);
        // SAFETY: without MAP_FIXED, no existing mapping is replaced.
        let mapped = unsafe { rustix::mm::mmap_anonymous(hint, len, ProtFlags::empty(), flags) }?;
        Ok(mapped.expose_provenance())
    }

    pub(super) fn reserve(len: usize) -> io::Result<usize> {
        map(null_mut::<u8>().addr(), len, NOTHING_PROMISED)
    }

    pub(super) fn reserve_at(address: usize, len: usize) -> io::Result<usize> {
        let mapped = map(address, len, THERE)?;
        if mapped == address {
            return Ok(mapped);
        }
        // The host lacks MAP_FIXED_NOREPLACE or ignored it.
        release(mapped, len);
        Err(io::ErrorKind::AddrInUse.into())
    }

    pub(super) fn make_accessible(address: usize, len: usize) -> io::Result<()> {
        let at = with_exposed_provenance_mut(address);
        // SAFETY: the part is in the caller's mapping, and nothing accesses it yet.
        Ok(unsafe { rustix::mm::mprotect(at, len, MprotectFlags::READ | MprotectFlags::WRITE) }?)
    }

    pub(super) fn discard(address: usize, len: usize) {
        let at = with_exposed_provenance_mut(address);
        #[cfg(any(target_os = "linux", target_os = "android"))]
        // SAFETY: the part is in the caller's mapping; all accesses to it are atomic and may read zeros.
        let discarded = unsafe { rustix::mm::madvise(at, len, Advice::LinuxDontNeed) };
        #[cfg(not(any(target_os = "linux", target_os = "android")))]
        // SAFETY: as above; the new pages replace the old ones atomically.
        let discarded = unsafe {
            let access = ProtFlags::READ | ProtFlags::WRITE;
            rustix::mm::mmap_anonymous(at, len, access, NOTHING_PROMISED | MapFlags::FIXED)
                .map(drop)
        };
        if discarded.is_err() {
            super::clear(address, len);
        }
    }

    pub(super) fn map_file(
        address: usize,
        len: usize,
        (file, offset): (&File, u64),
    ) -> io::Result<()> {
        let at = with_exposed_provenance_mut(address);
        let access = ProtFlags::READ | ProtFlags::WRITE;
        let flags = MapFlags::SHARED | MapFlags::FIXED;
        // SAFETY: the part is in the caller's mapping; all accesses to it are atomic and may read the file's bytes.
        unsafe { rustix::mm::mmap(at, len, access, flags, file, offset) }?;
        Ok(())
    }

    pub(super) fn unmap_file(address: usize, len: usize) {
        let at = with_exposed_provenance_mut(address);
        let access = ProtFlags::READ | ProtFlags::WRITE;
        let flags = NOTHING_PROMISED | MapFlags::FIXED;
        // SAFETY: the part is in the caller's mapping; all accesses to it are atomic and may read zeros.
        let mapped = unsafe { rustix::mm::mmap_anonymous(at, len, access, flags) };
        debug_assert!(mapped.is_ok(), "it takes the place of a mapping");
    }

    pub(super) fn write(file: &File, bytes: &[u8], offset: u64) -> io::Result<()> {
        file.write_all_at(bytes, offset)
    }

    pub(super) fn prefer_large_pages(address: usize, len: usize) {
        const LARGE_PAGE: usize = 2 << 20;
        let first = address.next_multiple_of(LARGE_PAGE);
        let end = (address + len) / LARGE_PAGE * LARGE_PAGE;
        if first < end {
            let at = with_exposed_provenance_mut(first);
            #[cfg(any(target_os = "linux", target_os = "android"))]
            // SAFETY: the part is in the caller's mapping, and advice does not change its contents. If huge pages are
            // unavailable, small ones are used.
            let _ = unsafe { rustix::mm::madvise(at, end - first, Advice::LinuxHugepage) };
            #[cfg(not(any(target_os = "linux", target_os = "android")))]
            let _: (*mut u8, Advice) = (at, Advice::Normal);
        }
    }

    pub(super) fn release(address: usize, len: usize) {
        let at = with_exposed_provenance_mut(address);
        // SAFETY: the mapping belongs to the caller, who no longer uses it.
        let released = unsafe { rustix::mm::munmap(at, len) };
        debug_assert!(released.is_ok(), "a mapping of this module's");
    }
}

/// Fallback for hosts without `mmap`: a range that is accessible from the start.
#[cfg(not(unix))]
mod host {
    use std::fs::File;
    use std::io;

    use memmap2::MmapMut;

    pub(super) fn reserve(len: usize) -> io::Result<usize> {
        let mut pages = MmapMut::map_anon(len)?;
        let address = pages.as_mut_ptr().expose_provenance();
        // Never released before the process exits, since memmap2 cannot unmap by address.
        std::mem::forget(pages);
        Ok(address)
    }

    pub(super) fn reserve_at(_address: usize, _len: usize) -> io::Result<usize> {
        Err(io::ErrorKind::Unsupported.into())
    }

    pub(super) fn make_accessible(_address: usize, _len: usize) -> io::Result<()> {
        Ok(())
    }

    pub(super) fn discard(address: usize, len: usize) {
        super::clear(address, len);
    }

    pub(super) fn map_file(_address: usize, _len: usize, _from: (&File, u64)) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    pub(super) fn unmap_file(_address: usize, _len: usize) {}

    pub(super) fn write(_file: &File, _bytes: &[u8], _offset: u64) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    pub(super) fn prefer_large_pages(_address: usize, _len: usize) {}

    pub(super) fn release(_address: usize, _len: usize) {}
}

fn load(address: usize) -> u8 {
    use std::sync::atomic::{AtomicU8, Ordering::Relaxed};
    let at = std::ptr::with_exposed_provenance::<AtomicU8>(address);
    // SAFETY: the byte is accessible, and all accesses to it are atomic.
    unsafe { (*at).load(Relaxed) }
}

/// Stores zeros byte by byte, for hosts that cannot discard pages.
fn clear(address: usize, len: usize) {
    use std::sync::atomic::{AtomicU8, Ordering::Relaxed};
    for at in address..address + len {
        let at = std::ptr::with_exposed_provenance::<AtomicU8>(at);
        // SAFETY: the byte is accessible, and all accesses to it are atomic.
        unsafe { (*at).store(0, Relaxed) };
    }
}

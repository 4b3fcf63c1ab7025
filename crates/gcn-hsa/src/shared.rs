//! Exports memory to other processes, and imports their memory. An IPC handle identifies the exporting process and its
//! file descriptor for the memory.

use std::fs::File;
use std::os::fd::AsRawFd;
use std::os::unix::fs::MetadataExt;

use gcn_report::program::say::say_once;
use gcn_runtime::memory::{ALIGNMENT, SharedMemory};

use crate::pools::{MemoryOrigin, MemoryPool, Pools};
use crate::status::{HsaResult, Status};

/// `hsa_amd_ipc_memory_t`, the IPC handle of an allocation.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct IpcMemory {
    /// Always [`MAGIC`].
    magic: u32,
    process: u32,
    /// File descriptor in the exporting process.
    file: u32,
    /// Low 32 bits of the pool handle.
    pool: u32,
    /// Inode of the file, to detect that the exporting process has closed the file and reused the descriptor.
    inode: [u32; 2],
    reserved: [u32; 2],
}

/// Magic number of IPC handles: "gcn" and the format version.
const MAGIC: u32 = u32::from_le_bytes(*b"gcn\x01");

fn halves(value: u64) -> [u32; 2] {
    [value as u32, (value >> 32) as u32]
}

fn whole([low, high]: [u32; 2]) -> u64 {
    u64::from(high) << 32 | u64::from(low)
}

/// Returns an IPC handle for an allocation.
pub(crate) fn export(pools: &Pools, base: u64, bytes: u64) -> HsaResult<IpcMemory> {
    let (shared, pool) = pools.share(base)?;
    // The size may exceed the allocation's requested size, since HIP 5.2 rounds it up to the pool's granule.
    if bytes > shared.bytes() {
        return Err(Status::INVALID_ARGUMENT);
    }
    let metadata = shared.file().metadata();
    let metadata = metadata.map_err(|_| Status::OUT_OF_RESOURCES)?;
    Ok(IpcMemory {
        magic: MAGIC,
        process: std::process::id(),
        file: shared.file().as_raw_fd().cast_unsigned(),
        pool: pool.handle() as u32,
        inode: halves(metadata.ino()),
        reserved: [0; 2],
    })
}

/// Maps memory exported by another process, and returns its address in this process.
pub(crate) fn import(pools: &Pools, handle: &IpcMemory, bytes: u64) -> HsaResult<u64> {
    let pool = MemoryPool::of(handle.pool.into()).filter(|_| handle.magic == MAGIC);
    let pool = pool.ok_or(Status::INVALID_ARGUMENT)?;
    let path = format!("/proc/{}/fd/{}", handle.process, handle.file);
    let gone = || {
        say_once(&format!(
            "process {} no longer has the memory of an IPC handle, or this user may not open its files",
            handle.process
        ));
        Status::INVALID_ARGUMENT
    };
    let file = File::options().read(true).write(true).open(&path);
    let file = file.map_err(|_| gone())?;
    let inode = file.metadata().map_or(0, |metadata| metadata.ino());
    if inode != whole(handle.inode) {
        return Err(gone());
    }
    let shared = SharedMemory::of_file(file).map_err(|_| gone())?;
    if bytes > shared.bytes() {
        return Err(Status::INVALID_ARGUMENT);
    }
    let mapped = shared.bytes();
    let base = pools
        .memory()
        .reserve("memory of another process", mapped, ALIGNMENT);
    let base = base.map_err(|_| Status::OUT_OF_RESOURCES)?;
    let imported = pools.map((base, mapped), pool, MemoryOrigin::Imported, (&shared, 0));
    if imported.is_err() {
        let freed = pools.memory().unreserve(base);
        debug_assert!(freed.is_ok(), "nothing is mapped");
    }
    imported.map(|()| base)
}

/// Unmaps memory exported by another process.
pub(crate) fn detach(pools: &Pools, base: u64) -> HsaResult {
    pools.unmap(base, MemoryOrigin::Imported)?;
    let freed = pools.memory().unreserve(base);
    debug_assert!(freed.is_ok(), "nothing is mapped any more");
    Ok(())
}

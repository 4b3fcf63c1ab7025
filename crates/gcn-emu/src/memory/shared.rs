//! Memory that can be mapped at several address ranges and in several processes.

use std::fs::File;
use std::io;

/// Memory without an address: an anonymous host file, initially zero. The file lives as long as any process has it open
/// or mapped.
///
/// # Examples
/// ```
/// use gcn_emu::memory::{ALIGNMENT, Memory, SharedMemory};
/// # if cfg!(not(target_os = "linux")) { return Ok(()); }
/// let shared = SharedMemory::new(ALIGNMENT)?;
/// let (one, other) = (Memory::new(), Memory::new());
/// let mapped = |memory: &Memory| -> Result<u64, Box<dyn std::error::Error>> {
///     let address = memory.reserve("a range", shared.bytes(), ALIGNMENT)?;
///     memory.map("shared", address, shared.bytes(), (&shared, 0))?;
///     Ok(address)
/// };
/// let (here, there) = (mapped(&one)?, mapped(&other)?);
/// one.store_u32(here + 4, 7);
/// assert_eq!(other.load_u32(there + 4), Some(7));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct SharedMemory {
    file: File,
    bytes: u64,
}

impl SharedMemory {
    /// Creates zeroed memory of `bytes` bytes.
    ///
    /// # Errors
    /// Fails if the host does not support anonymous files or cannot create another one.
    pub fn new(bytes: u64) -> io::Result<SharedMemory> {
        let file = host::file()?;
        file.set_len(bytes)?;
        Ok(SharedMemory { file, bytes })
    }

    /// Wraps the file of another process's shared memory.
    ///
    /// # Errors
    /// Fails if the size of the file cannot be determined.
    pub fn of_file(file: File) -> io::Result<SharedMemory> {
        let bytes = file.metadata()?.len();
        Ok(SharedMemory { file, bytes })
    }

    /// File through which another process can map the memory.
    pub fn file(&self) -> &File {
        &self.file
    }

    /// Size in bytes.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }
}

#[cfg(any(target_os = "linux", target_os = "android"))]
mod host {
    use std::fs::File;
    use std::io;

    use rustix::fs::{MemfdFlags, memfd_create};

    pub(super) fn file() -> io::Result<File> {
        Ok(memfd_create("gcn memory", MemfdFlags::CLOEXEC)?.into())
    }
}

#[cfg(not(any(target_os = "linux", target_os = "android")))]
mod host {
    use std::fs::File;
    use std::io;

    pub(super) fn file() -> io::Result<File> {
        Err(io::ErrorKind::Unsupported.into())
    }
}

//! Host memory that kernels access in place.
//!
//! This module may use `unsafe`, because kernels access memory that the runtime does not own.
#![allow(unsafe_code)]

use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use gcn_emu::memory::Memory;

use crate::device::Device;
use crate::error::Error;

/// Host memory registered with a device. Kernels access it at its host address. Dropping this value waits for accesses
/// in progress and unregisters the memory; later accesses by kernels fault.
///
/// `Send` and `Sync`.
///
/// # Examples
/// ```
/// use std::sync::Arc;
/// use std::sync::atomic::{AtomicU64, Ordering::SeqCst};
/// # mod example { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/assemble.rs")); }
/// # use example::add_one;
///
/// let device = gcn_runtime::Device::new("gfx900")?;
/// let counters: Arc<[AtomicU64]> = (0..4).map(AtomicU64::new).collect();
/// let shared = gcn_runtime::HostMemory::register(&device, "counters", counters.clone())?;
/// let kernel = device.load(&add_one())?.kernel("add_one")?;
/// kernel.launch([8, 1, 1]).arg(shared.address()).submit(&device.queue())?.wait()?;
/// assert_eq!(counters[3].load(SeqCst), 3 + 1 + (1 << 32), "two dwords");
/// # Ok::<(), gcn_runtime::Error>(())
/// ```
#[derive(Debug)]
pub struct HostMemory {
    memory: Memory,
    address: u64,
    /// Owner of the memory, kept until the memory is unregistered.
    _owner: Option<Arc<[AtomicU64]>>,
}

impl HostMemory {
    /// Registers memory that the host accesses atomically.
    ///
    /// # Errors
    /// Returns [`Error::Register`] if the memory is already registered.
    ///
    /// # Examples
    /// ```
    /// use std::sync::Arc;
    /// use std::sync::atomic::AtomicU64;
    /// use gcn_runtime::{Device, Error, HostMemory};
    /// let device = Device::new("gfx900")?;
    /// let bytes: Arc<[AtomicU64]> = Arc::new([AtomicU64::new(7)]);
    /// let registered = HostMemory::register(&device, "bytes", bytes.clone())?;
    /// assert_eq!(device.memory().load_u64(registered.address()), Some(7));
    /// let again = HostMemory::register(&device, "the same", bytes);
    /// assert!(matches!(again, Err(Error::Register(_))));
    /// # Ok::<(), gcn_runtime::Error>(())
    /// ```
    pub fn register(
        device: &Device,
        name: &str,
        bytes: Arc<[AtomicU64]>,
    ) -> Result<HostMemory, Error> {
        let len = size_of_val(&*bytes) as u64;
        let start = bytes.as_ptr().cast::<u8>().cast_mut();
        // SAFETY: the returned value keeps the bytes alive until they are unregistered, and safe host code accesses
        // them only atomically.
        let mut registered = unsafe { HostMemory::register_raw(device, name, start, len) }?;
        registered._owner = Some(bytes);
        Ok(registered)
    }

    /// Registers `len` bytes of host memory at `start`.
    ///
    /// # Errors
    /// Returns [`Error::Register`] if `start` is null, or the range overlaps a registered range or the device's memory.
    ///
    /// # Safety
    /// Until the returned value is dropped, the bytes must remain readable and writable, and the host must access them
    /// atomically or only while no kernel does.
    ///
    /// # Examples
    /// ```
    /// # mod example { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/assemble.rs")); }
    /// # let (device, kernel) = example::add_one_kernel();
    /// let mut xs = vec![1u32; 64];
    /// // SAFETY: the bytes live until the release, and the host does not access them before.
    /// let shared = unsafe { gcn_runtime::HostMemory::register_raw(&device, "xs", xs.as_mut_ptr().cast(), 64 * 4) }?;
    /// kernel.launch([64, 1, 1]).arg(shared.address()).run(&device.queue())?;
    /// drop(shared);
    /// assert_eq!(xs, [2; 64]);
    /// # Ok::<(), gcn_runtime::Error>(())
    /// ```
    pub unsafe fn register_raw(
        device: &Device,
        name: &str,
        start: *mut u8,
        len: u64,
    ) -> Result<HostMemory, Error> {
        let memory = device.memory().clone();
        // SAFETY: the caller guarantees that the bytes remain valid until this value is dropped, which unregisters
        // them.
        unsafe { memory.register(name, start, len) }?;
        Ok(HostMemory {
            memory,
            address: start.addr() as u64,
            _owner: None,
        })
    }

    /// Registers `len` bytes of host memory at `start` under another address for kernels, [`HostMemory::address`]: the
    /// host address with the [`ALIAS`](gcn_emu::memory::ALIAS) bit set.
    ///
    /// # Errors
    /// Returns [`Error::Register`] if the range overlaps another alias.
    ///
    /// # Safety
    /// See [`HostMemory::register_raw`].
    ///
    /// # Examples
    /// ```
    /// # mod example { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/assemble.rs")); }
    /// # let (device, kernel) = example::add_one_kernel();
    /// use gcn_runtime::memory::ALIAS;
    /// let mut xs = vec![1u32; 64];
    /// // SAFETY: the bytes live until the release, and the host does not access them before.
    /// let alias = unsafe { gcn_runtime::HostMemory::alias_raw(&device, "xs", xs.as_mut_ptr().cast(), 64 * 4) }?;
    /// assert_eq!(alias.address(), xs.as_ptr().addr() as u64 | ALIAS);
    /// kernel.launch([64, 1, 1]).arg(alias.address()).run(&device.queue())?;
    /// drop(alias);
    /// assert_eq!(xs, [2; 64]);
    /// # Ok::<(), gcn_runtime::Error>(())
    /// ```
    pub unsafe fn alias_raw(
        device: &Device,
        name: &str,
        start: *mut u8,
        len: u64,
    ) -> Result<HostMemory, Error> {
        let memory = device.memory().clone();
        // SAFETY: as in `register_raw`.
        let address = unsafe { memory.register_alias(name, start, len) }?;
        Ok(HostMemory {
            memory,
            address,
            _owner: None,
        })
    }

    /// Returns the address for kernels: the host address, except for memory from [`HostMemory::alias_raw`].
    pub fn address(&self) -> u64 {
        self.address
    }
}

impl Drop for HostMemory {
    fn drop(&mut self) {
        let released = self.memory.release(self.address);
        debug_assert!(released.is_ok(), "it is released here only");
    }
}

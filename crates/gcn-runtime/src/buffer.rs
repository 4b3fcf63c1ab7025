//! Buffers in device memory.

use std::sync::Arc;

use gcn_emu::memory::{AllocError, Memory};

use crate::device::Device;
use crate::error::Error;

/// Handle to named device memory; clones refer to the same memory. The memory is freed when the last handle is dropped.
/// A launch holds a handle to each buffer among its arguments until the launch ends.
///
/// Host and kernels may access a buffer concurrently. Host reads and writes are atomic per aligned 8-byte unit, and per
/// byte in a partial unit at either end. [`Buffer::update`] is atomic.
///
/// `Send` and `Sync`.
///
/// # Examples
/// ```
/// let device = gcn_runtime::Device::new("gfx900")?;
/// let xs = device.buffer("xs", &[1u32, 2, 3])?;
/// xs.write(1, &[20u32])?;
/// assert_eq!(xs.read::<u32>()?, [1, 20, 3]);
/// assert_eq!((xs.name(), xs.len(), xs.is_empty()), ("xs", 12, false));
/// # Ok::<(), gcn_runtime::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Buffer(Arc<BufferInner>);

#[derive(Debug)]
struct BufferInner {
    name: String,
    address: u64,
    len: u64,
    memory: Memory,
}

impl Drop for BufferInner {
    fn drop(&mut self) {
        // The memory may already have been freed.
        let _ = self.memory.free(self.address);
    }
}

impl Device {
    /// Allocates `bytes` zeroed bytes, which faults refer to as `name`. Kernels may be running.
    ///
    /// # Errors
    /// Returns [`Error::Memory`] if there is not enough memory.
    ///
    /// # Examples
    /// ```
    /// let device = gcn_runtime::Device::new("gfx900")?;
    /// let buffer = device.allocate("zeros", 16)?;
    /// assert_eq!(buffer.read::<u32>()?, [0; 4]);
    /// # Ok::<(), gcn_runtime::Error>(())
    /// ```
    pub fn allocate(&self, name: &str, bytes: u64) -> Result<Buffer, Error> {
        Ok(Buffer::in_memory(self.memory(), name, bytes)?)
    }

    /// Allocates a buffer initialized with elements.
    ///
    /// # Errors
    /// Returns [`Error::Memory`] if there is not enough memory.
    ///
    /// # Examples
    /// ```
    /// let device = gcn_runtime::Device::new("gfx900")?;
    /// let buffer = device.buffer("xs", &[1.5f32, 2.5])?;
    /// assert_eq!(buffer.read::<f32>()?, [1.5, 2.5]);
    /// # Ok::<(), gcn_runtime::Error>(())
    /// ```
    pub fn buffer<T: Element>(&self, name: &str, elements: &[T]) -> Result<Buffer, Error> {
        let buffer = self.allocate(name, size_of_val(elements) as u64)?;
        buffer.write(0, elements)?;
        Ok(buffer)
    }
}

impl Buffer {
    /// Allocates zeroed bytes in a device's memory, like [`Device::allocate`].
    ///
    /// # Errors
    /// Fails if there is not enough memory.
    pub fn in_memory(memory: &Memory, name: &str, bytes: u64) -> Result<Buffer, AllocError> {
        Ok(Buffer(Arc::new(BufferInner {
            name: name.to_owned(),
            address: memory.allocate(name, bytes)?,
            len: bytes,
            memory: memory.clone(),
        })))
    }

    /// Returns the name used in messages.
    pub fn name(&self) -> &str {
        &self.0.name
    }

    /// Returns the address, which is the same for kernels and the host.
    ///
    /// # Examples
    /// ```
    /// let device = gcn_runtime::Device::new("gfx900")?;
    /// let target = device.buffer("target", &[7u32])?;
    /// let pointer = device.buffer("pointer", &[target.address()])?;
    /// assert_eq!(pointer.read::<u64>()?, [target.address()]);
    /// # Ok::<(), gcn_runtime::Error>(())
    /// ```
    pub fn address(&self) -> u64 {
        self.0.address
    }

    /// Returns the length in bytes.
    pub fn len(&self) -> u64 {
        self.0.len
    }

    /// True if the length is 0.
    pub fn is_empty(&self) -> bool {
        self.0.len == 0
    }

    /// Reads all complete elements.
    ///
    /// # Errors
    /// Returns [`Error::Freed`] if the memory has been freed.
    ///
    /// # Examples
    /// ```
    /// let device = gcn_runtime::Device::new("gfx900")?;
    /// let bytes = device.buffer("bytes", &[1u8, 0, 2, 0, 3])?;
    /// assert_eq!(bytes.read::<u16>()?, [1, 2]);
    /// # Ok::<(), gcn_runtime::Error>(())
    /// ```
    pub fn read<T: Element>(&self) -> Result<Vec<T>, Error> {
        if self.is_empty() {
            return Ok(Vec::new());
        }
        let mut bytes = vec![0; self.0.len as usize];
        self.read_bytes(0, &mut bytes)?;
        let elements = bytes.chunks_exact(size_of::<T>()).map(T::from_bytes);
        Ok(elements.collect())
    }

    /// Reads bytes from byte offset `offset`.
    ///
    /// # Errors
    /// Returns [`Error::OutOfBounds`] if the range extends beyond the buffer, or [`Error::Freed`] if it has been freed.
    ///
    /// # Examples
    /// ```
    /// let device = gcn_runtime::Device::new("gfx900")?;
    /// let mut part = [0; 2];
    /// device.buffer("xs", &[1u8, 2, 3, 4])?.read_bytes(1, &mut part)?;
    /// assert_eq!(part, [2, 3]);
    /// # Ok::<(), gcn_runtime::Error>(())
    /// ```
    pub fn read_bytes(&self, offset: u64, into: &mut [u8]) -> Result<(), Error> {
        let address = self.place(offset, into.len() as u64)?;
        let read = self.0.memory.read(address, into);
        read.then_some(()).ok_or_else(|| self.freed())
    }

    /// Writes elements from index `first`.
    ///
    /// # Errors
    /// Fails like [`Buffer::write_bytes`].
    ///
    /// # Examples
    /// ```
    /// let device = gcn_runtime::Device::new("gfx900")?;
    /// let xs = device.allocate("xs", 8)?;
    /// assert!(xs.write(1, &[1.0f32, 2.0]).is_err());
    /// # Ok::<(), gcn_runtime::Error>(())
    /// ```
    pub fn write<T: Element>(&self, first: u64, elements: &[T]) -> Result<(), Error> {
        let bytes: Vec<u8> = elements
            .iter()
            .flat_map(|element| element.bytes())
            .collect();
        self.write_bytes(first.saturating_mul(size_of::<T>() as u64), &bytes)
    }

    /// Writes bytes from byte offset `offset`.
    ///
    /// # Errors
    /// Fails like [`Buffer::read_bytes`], without writing anything.
    ///
    /// # Examples
    /// ```
    /// let device = gcn_runtime::Device::new("gfx900")?;
    /// let xs = device.allocate("xs", 4)?;
    /// xs.write_bytes(2, &[1])?;
    /// assert_eq!(xs.read::<u32>()?, [0x10000]);
    /// # Ok::<(), gcn_runtime::Error>(())
    /// ```
    pub fn write_bytes(&self, offset: u64, bytes: &[u8]) -> Result<(), Error> {
        let address = self.place(offset, bytes.len() as u64)?;
        let written = self.0.memory.write(address, bytes);
        written.then_some(()).ok_or_else(|| self.freed())
    }

    /// Atomically applies `new` to the dword at `index`, and returns the previous value. The update is also atomic with
    /// respect to kernels. `new` may be called several times.
    ///
    /// # Errors
    /// Fails like [`Buffer::read_bytes`].
    ///
    /// # Examples
    /// ```
    /// let device = gcn_runtime::Device::new("gfx900")?;
    /// let counter = device.buffer("counter", &[5u32])?;
    /// assert_eq!(counter.update(0, |n| n + 1)?, 5);
    /// assert_eq!(counter.read::<u32>()?, [6]);
    /// # Ok::<(), gcn_runtime::Error>(())
    /// ```
    pub fn update(&self, index: u64, new: impl Fn(u32) -> u32) -> Result<u32, Error> {
        let address = self.place(index.saturating_mul(4), 4)?;
        let updated = self.0.memory.update_u32(address, new);
        updated.ok_or_else(|| self.freed())
    }

    /// Frees the memory immediately, even if other handles exist. Later kernel accesses fault, and the faults name the buffer.
    ///
    /// # Errors
    /// Returns [`Error::Freed`] if the memory has already been freed.
    ///
    /// # Examples
    /// ```
    /// let device = gcn_runtime::Device::new("gfx900")?;
    /// let xs = device.allocate("xs", 4)?;
    /// let other = xs.clone();
    /// xs.free()?;
    /// assert!(other.read::<u32>().is_err());
    /// assert!(other.free().is_err());
    /// # Ok::<(), gcn_runtime::Error>(())
    /// ```
    pub fn free(self) -> Result<(), Error> {
        Ok(self.0.memory.free(self.0.address)?)
    }

    fn place(&self, offset: u64, bytes: u64) -> Result<u64, Error> {
        let end = offset.saturating_add(bytes);
        if end > self.0.len {
            return Err(Error::OutOfBounds {
                name: self.0.name.clone(),
                begin: offset,
                end,
                len: self.0.len,
            });
        }
        Ok(self.0.address + offset)
    }

    fn freed(&self) -> Error {
        gcn_emu::memory::FreeError::new(self.0.address).into()
    }
}

/// Numeric buffer element, little-endian in memory.
///
/// # Examples
/// ```
/// use gcn_runtime::Element;
/// assert_eq!(u32::from_bytes(&[1, 2, 0, 0]), 0x201);
/// assert_eq!(1u16.bytes().collect::<Vec<_>>(), [1, 0]);
/// ```
pub trait Element: Copy {
    /// Decodes an element; missing bytes are zero.
    fn from_bytes(bytes: &[u8]) -> Self;
    /// Returns the bytes of the element.
    fn bytes(self) -> impl Iterator<Item = u8>;
}

macro_rules! elements {
    ($($Type:ty)*) => {$(
        impl Element for $Type {
            fn from_bytes(bytes: &[u8]) -> $Type {
                let mut all = [0; size_of::<$Type>()];
                for (to, from) in all.iter_mut().zip(bytes) {
                    *to = *from;
                }
                <$Type>::from_le_bytes(all)
            }

            fn bytes(self) -> impl Iterator<Item = u8> {
                self.to_le_bytes().into_iter()
            }
        }
    )*};
}

elements! { u8 i8 u16 i16 u32 i32 u64 i64 f32 f64 }

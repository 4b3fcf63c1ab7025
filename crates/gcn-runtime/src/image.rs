//! Images and samplers: device formats, texel layout in memory, and descriptors for kernels.
//!
//! A front end creates an [`Image`] from a format, a geometry and a size, allocates [`Image::bytes`] bytes aligned to
//! [`ADDRESS_ALIGN`], and passes kernels the address of a [descriptor](Image::descriptor). Images are linear on all
//! generations: rows are [`Pitches::row`] bytes apart.
//!
//! Channel orders and types are numbered as in HSA; the device library's queries return the same numbers
//! (`ockl/src/image.cl` in ROCm-Device-Libs).
//!
//! ```
//! use gcn_runtime::Device;
//! use gcn_runtime::image::{ADDRESS_ALIGN, ChannelOrder, ChannelType, DeviceFormat, Geometry, Image};
//!
//! let format = DeviceFormat::new(ChannelOrder::Rgba, ChannelType::UnormInt8).expect("a format");
//! let image = Image::new(format, Geometry::D2, [100, 50, 1])?;
//! assert_eq!((image.pitches.row, image.bytes()), (512, 50 * 512));
//! let device = Device::new("gfx900")?;
//! let memory = device.allocate("texels", image.bytes() as u64)?;
//! assert!(memory.address().is_multiple_of(ADDRESS_ALIGN as u64));
//! let descriptor = image.descriptor(device.target().isa, memory.address())?;
//! assert_eq!(descriptor[0], (memory.address() >> 8) as u32);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod format;
mod color;
mod region;
mod layout;
mod descriptor;
mod sampler;

pub use color::{COLOR_BYTES, ColorConversion, texel};
pub use descriptor::{DESCRIPTOR_BYTES, DESCRIPTOR_DWORDS};
pub use format::{ChannelOrder, ChannelType, DeviceFormat};
pub use layout::{ADDRESS_ALIGN, Geometry, Image, ImageError, MAX_BUFFER, MAX_DEPTH, MAX_SIZE};
pub use region::{BoxPlace, BoxSize, Pitches};
pub use sampler::{Addressing, Filter, SAMPLER_DWORDS, Sampler};

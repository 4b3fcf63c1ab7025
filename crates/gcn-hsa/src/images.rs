//! Images and samplers.
//!
//! The handle of an image or sampler is the address of its descriptor in memory. HIP copies the descriptor into texture
//! and surface objects, from which kernels load it. Texels always have a linear layout, even if the program requests an
//! opaque one.

use std::sync::Arc;

use gcn_runtime::Buffer;
use gcn_runtime::image::{
    ADDRESS_ALIGN, Addressing, BoxPlace, COLOR_BYTES, ChannelOrder, ChannelType, ColorConversion,
    DESCRIPTOR_BYTES, DeviceFormat, Filter, Geometry, Image, ImageError, Pitches, Sampler, texel,
};

use crate::abi::{
    Dim3, Handle, ImageDataInfo, ImageDescriptor, ImageFormat, ImageRegion, PitchedPtr,
    SamplerDescriptorV2,
};
use crate::agents::Agent;
use crate::copies::{CopyRequest, PitchedCorner};
use crate::handles::Handles;
use crate::numbers::*;
use crate::pools::to_host_address;
use crate::status::{HsaResult, Status};

/// Maximum size in bytes of each copy in a [`TexelFill`].
const FILL_BYTES: usize = 64 << 10;

/// Images and samplers that the program has created.
#[derive(Default, Debug)]
pub(crate) struct Images {
    images: Handles<ProgramImage>,
    /// Sampler descriptors.
    samplers: Handles<Buffer>,
}

/// Image, and the memory of its texels and descriptor.
#[derive(Debug)]
pub(crate) struct ProgramImage {
    image: Image,
    /// Address at which kernels access the texels.
    address: u64,
    _descriptor: Buffer,
}

/// Layout that the program requests for an image, an `hsa_ext_image_data_layout_t`.
#[derive(Clone, Copy, Debug)]
pub(crate) enum DataLayout {
    /// The runtime chooses the layout.
    Opaque,
    /// Linear layout with the given pitches in bytes. A pitch of 0 means no padding.
    Linear(Pitches),
}

/// Converts an `hsa_ext_image_geometry_t`; `None` for depth images, which devices do not support.
fn geometry_of(number: u32) -> HsaResult<Option<Geometry>> {
    Ok(Some(match number {
        HSA_EXT_IMAGE_GEOMETRY_1D => Geometry::D1,
        HSA_EXT_IMAGE_GEOMETRY_2D => Geometry::D2,
        HSA_EXT_IMAGE_GEOMETRY_3D => Geometry::D3,
        HSA_EXT_IMAGE_GEOMETRY_1DA => Geometry::D1Array,
        HSA_EXT_IMAGE_GEOMETRY_2DA => Geometry::D2Array,
        HSA_EXT_IMAGE_GEOMETRY_1DB => Geometry::D1Buffer,
        HSA_EXT_IMAGE_GEOMETRY_2DDEPTH | HSA_EXT_IMAGE_GEOMETRY_2DADEPTH => return Ok(None),
        _ => return Err(Status::INVALID_ARGUMENT),
    }))
}

/// Converts an `hsa_ext_image_geometry_t` and a format; `None` if devices do not support the combination.
fn supported(geometry: u32, format: ImageFormat) -> HsaResult<Option<(Geometry, DeviceFormat)>> {
    let geometry = geometry_of(geometry)?;
    let order = ChannelOrder::numbered(format.channel_order);
    let kind = ChannelType::numbered(format.channel_type);
    let format = order
        .zip(kind)
        .and_then(|(order, kind)| DeviceFormat::new(order, kind));
    let both = geometry.zip(format);
    Ok(both.filter(|(geometry, format)| geometry.takes(*format)))
}

/// Returns an agent's capabilities for images with a geometry and a format, a bit mask of `hsa_ext_image_capability_t`.
pub(crate) fn capability(agent: &Agent, geometry: u32, format: ImageFormat) -> HsaResult<u32> {
    let supported = supported(geometry, format)?;
    let supported = supported.filter(|_| agent.emulated().is_some());
    Ok(match supported {
        None => HSA_EXT_IMAGE_CAPABILITY_NOT_SUPPORTED,
        Some((_, format)) => {
            let read = HSA_EXT_IMAGE_CAPABILITY_READ_ONLY
                | HSA_EXT_IMAGE_CAPABILITY_ACCESS_INVARIANT_DATA_LAYOUT;
            let write = HSA_EXT_IMAGE_CAPABILITY_WRITE_ONLY | HSA_EXT_IMAGE_CAPABILITY_READ_WRITE;
            read | if format.is_writable() { write } else { 0 }
        }
    })
}

fn status_of(error: ImageError) -> Status {
    match error {
        ImageError::Format => Status::IMAGE_FORMAT_UNSUPPORTED,
        ImageError::Size => Status::IMAGE_SIZE_UNSUPPORTED,
        ImageError::Pitch => Status::IMAGE_PITCH_UNSUPPORTED,
        ImageError::Region => Status::INVALID_ARGUMENT,
    }
}

/// Computes the layout and the descriptor of an image whose texels are stored at `address`.
///
/// Does not check the access permission against the format, since HIP requests read-write sRGB images.
///
/// # Errors
/// Fails if the agent does not support the image.
fn layout_and_descriptor(
    agent: &Agent,
    desc: &ImageDescriptor,
    layout: DataLayout,
    address: u64,
) -> HsaResult<(Image, Vec<u32>)> {
    let supported = supported(desc.geometry, desc.format)?;
    let (geometry, format) = supported.ok_or(Status::IMAGE_FORMAT_UNSUPPORTED)?;
    let device = agent.emulated().ok_or(Status::IMAGE_FORMAT_UNSUPPORTED)?;
    let has_depth = geometry == Geometry::D3;
    let unused = [
        (desc.height, geometry.has_height()),
        (desc.depth, has_depth),
        (desc.array_size, geometry.is_array()),
    ];
    if unused.iter().any(|(size, is_used)| !is_used && *size > 1) {
        return Err(Status::IMAGE_SIZE_UNSUPPORTED);
    }
    // A layer count of 0 is treated as 1, as in AMD's library.
    let slices = if has_depth {
        desc.depth
    } else {
        desc.array_size.max(1)
    };
    let size = [desc.width, desc.height, slices];
    let image = Image::new(format, geometry, size).map_err(status_of)?;
    let image = match layout {
        DataLayout::Opaque => image,
        // Descriptors of 1D buffer images have no pitch.
        DataLayout::Linear(_) if geometry == Geometry::D1Buffer => image,
        DataLayout::Linear(pitches) => with_pitches(image, pitches)?,
    };
    let words = image.descriptor(device.target().isa, address);
    let words = words.map_err(|_| Status::IMAGE_PITCH_UNSUPPORTED)?;
    Ok((image, words.to_vec()))
}

fn with_pitches(image: Image, pitches: Pitches) -> HsaResult<Image> {
    let row = match pitches.row {
        0 => image.size[0] * image.format.bytes(),
        row => row,
    };
    let image = image.with_row(row).map_err(status_of)?;
    if ![0, image.pitches.slice].contains(&pitches.slice) {
        return Err(Status::IMAGE_PITCH_UNSUPPORTED);
    }
    Ok(image)
}

/// Returns the size and alignment of an image's data in bytes.
///
/// # Errors
/// Fails if the agent does not support the image.
pub(crate) fn data_info(
    agent: &Agent,
    desc: &ImageDescriptor,
    layout: DataLayout,
) -> HsaResult<ImageDataInfo> {
    let (image, _) = layout_and_descriptor(agent, desc, layout, 0)?;
    Ok(ImageDataInfo {
        size: image.bytes(),
        alignment: ADDRESS_ALIGN,
    })
}

/// Allocates memory on an agent's device, and writes a descriptor to it.
fn write_descriptor(agent: &Agent, name: &str, words: &[u32]) -> HsaResult<Buffer> {
    let device = agent.emulated().ok_or(Status::INVALID_AGENT)?;
    let descriptor = device
        .allocate(name, DESCRIPTOR_BYTES as u64)
        .map_err(|_| Status::OUT_OF_RESOURCES)?;
    let written = descriptor.write(0, words);
    written.map_err(|_| Status::OUT_OF_RESOURCES)?;
    Ok(descriptor)
}

impl Images {
    /// Creates an image whose texels are stored at `address`.
    ///
    /// # Errors
    /// Fails if the agent does not support the image, the address is misaligned, or memory is exhausted.
    pub(crate) fn create(
        &self,
        agent: &Agent,
        desc: &ImageDescriptor,
        layout: DataLayout,
        address: u64,
    ) -> HsaResult<Handle> {
        let (image, words) = layout_and_descriptor(agent, desc, layout, address)?;
        if address == 0 || !address.is_multiple_of(ADDRESS_ALIGN as u64) {
            return Err(Status::INVALID_ARGUMENT);
        }
        let descriptor = write_descriptor(
            agent,
            "an image's descriptor (hsa_ext_image_create)",
            &words,
        )?;
        let handle = descriptor.address();
        let image = ProgramImage {
            image,
            address,
            _descriptor: descriptor,
        };
        self.images.insert(handle, Arc::new(image));
        Ok(handle)
    }

    /// Looks up an image.
    ///
    /// # Errors
    /// Fails if the handle is invalid.
    pub(crate) fn get(&self, handle: Handle) -> HsaResult<Arc<ProgramImage>> {
        self.images.get(handle).ok_or(Status::INVALID_ARGUMENT)
    }

    /// Destroys an image, but does not free the memory of its texels.
    ///
    /// # Errors
    /// Fails if the handle is invalid.
    pub(crate) fn destroy(&self, handle: Handle) -> HsaResult {
        let image = self.images.remove(handle);
        image.map(drop).ok_or(Status::INVALID_ARGUMENT)
    }

    /// Creates a sampler.
    ///
    /// # Errors
    /// Fails if a mode is unknown, the agent does not support samplers, or memory is exhausted.
    pub(crate) fn create_sampler(
        &self,
        agent: &Agent,
        desc: &SamplerDescriptorV2,
    ) -> HsaResult<Handle> {
        let words = sampler(desc)?.words();
        let descriptor = write_descriptor(agent, "a sampler (hsa_ext_sampler_create)", &words)?;
        let handle = descriptor.address();
        self.samplers.insert(handle, Arc::new(descriptor));
        Ok(handle)
    }

    /// Destroys a sampler.
    ///
    /// # Errors
    /// Fails if the handle is invalid.
    pub(crate) fn destroy_sampler(&self, handle: Handle) -> HsaResult {
        let sampler = self.samplers.remove(handle);
        sampler.map(drop).ok_or(Status::INVALID_ARGUMENT)
    }
}

fn sampler(desc: &SamplerDescriptorV2) -> HsaResult<Sampler> {
    let unsupported = Err(Status::SAMPLER_DESCRIPTOR_UNSUPPORTED);
    let is_normalized = match desc.coordinate_mode {
        HSA_EXT_SAMPLER_COORDINATE_MODE_UNNORMALIZED => false,
        HSA_EXT_SAMPLER_COORDINATE_MODE_NORMALIZED => true,
        _ => return unsupported,
    };
    let filter = match desc.filter_mode {
        HSA_EXT_SAMPLER_FILTER_MODE_NEAREST => Filter::Nearest,
        HSA_EXT_SAMPLER_FILTER_MODE_LINEAR => Filter::Linear,
        _ => return unsupported,
    };
    let mut addressing = [Addressing::Repeat; 3];
    for (addressing, mode) in addressing.iter_mut().zip(desc.address_modes) {
        *addressing = match mode {
            HSA_EXT_SAMPLER_ADDRESSING_MODE_CLAMP_TO_EDGE => Addressing::Edge,
            HSA_EXT_SAMPLER_ADDRESSING_MODE_CLAMP_TO_BORDER => Addressing::Border,
            // Treated like repeat, as in AMD's library: the program guarantees that coordinates are within the image.
            HSA_EXT_SAMPLER_ADDRESSING_MODE_UNDEFINED | HSA_EXT_SAMPLER_ADDRESSING_MODE_REPEAT => {
                Addressing::Repeat
            }
            HSA_EXT_SAMPLER_ADDRESSING_MODE_MIRRORED_REPEAT => Addressing::MirroredRepeat,
            _ => return unsupported,
        };
    }
    Ok(Sampler {
        is_normalized,
        addressing,
        filter,
    })
}

fn triple(dim: Dim3) -> [usize; 3] {
    [dim.x, dim.y, dim.z].map(|n| n as usize)
}

/// Box of texels in host memory. The size is the number of bytes per row, of rows and of slices.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TexelBox {
    place: BoxPlace,
    size: [usize; 3],
}

impl TexelBox {
    fn corner(&self) -> PitchedCorner {
        PitchedCorner {
            memory: PitchedPtr {
                base: self.place.address,
                pitch: self.place.row as usize,
                slice: self.place.slice as usize,
            },
            offset: Dim3 { x: 0, y: 0, z: 0 },
        }
    }

    fn range(&self) -> Dim3 {
        let [x, y, z] = self.size.map(|n| n as u32);
        Dim3 { x, y, z }
    }

    /// Returns a copy from a box of the same size to this box.
    pub(crate) fn copy_from(&self, from: &TexelBox) -> CopyRequest {
        CopyRequest::Box {
            to: self.corner(),
            from: from.corner(),
            range: self.range(),
        }
    }

    /// Iterates over the rows, yielding each row's address and size in bytes.
    pub(crate) fn rows(&self) -> impl Iterator<Item = (u64, usize)> {
        let bytes = self.size[0];
        self.place.rows(self.size).map(move |row| (row, bytes))
    }
}

impl ProgramImage {
    /// Returns the box of texels in a region of the image. The rows of a 1D array are its layers.
    ///
    /// # Errors
    /// Fails if the region is empty or exceeds the image.
    pub(crate) fn region(&self, region: &ImageRegion) -> HsaResult<TexelBox> {
        let (origin, size) = (triple(region.offset), triple(region.range));
        let region = self.image.region(origin, size).map_err(status_of)?;
        let pitches = self.image.of_rows(self.image.pitches);
        Ok(TexelBox {
            place: region.at(to_host_address(self.address), pitches),
            size: region.size,
        })
    }

    /// Returns the box in linear memory that corresponds to a region of the image. Pitches that are too small are
    /// replaced with pitches without padding. As in AMD's library, the layers of a 1D array are one row pitch apart.
    ///
    /// # Errors
    /// Fails if the region is empty or exceeds the image.
    pub(crate) fn in_linear(
        &self,
        region: &ImageRegion,
        address: u64,
        pitches: Pitches,
    ) -> HsaResult<TexelBox> {
        let (origin, size) = (triple(region.offset), triple(region.range));
        let region = self.image.region(origin, size).map_err(status_of)?;
        let [bytes, rows, _] = region.size;
        let row = pitches.row.max(bytes);
        let dense = row.checked_mul(rows).ok_or(Status::INVALID_ARGUMENT)?;
        let slice = pitches.slice.max(dense);
        Ok(TexelBox {
            place: region.alone(to_host_address(address), Pitches { row, slice }),
            size: region.size,
        })
    }

    /// Returns the colour conversion that a copy from this image to another performs.
    ///
    /// # Errors
    /// Fails if the formats differ in more than the sRGB transfer function.
    pub(crate) fn conversion_to(&self, to: &ProgramImage) -> HsaResult<ColorConversion> {
        let conversion = ColorConversion::between(self.image.format, to.image.format);
        conversion.ok_or(Status::INVALID_ARGUMENT)
    }

    /// Prepares a fill of a region with a colour.
    ///
    /// # Errors
    /// Fails if the region is empty or exceeds the image.
    pub(crate) fn fill(
        &self,
        region: &ImageRegion,
        color: &[u8; COLOR_BYTES],
    ) -> HsaResult<TexelFill> {
        let to = self.region(region)?;
        let texel = texel(self.image.format, color);
        let bytes = to.size[0].min(FILL_BYTES);
        let texels = texel.repeat(bytes / texel.len());
        Ok(TexelFill { to, texels })
    }
}

/// Fill of a box with copies of one texel.
#[derive(Debug)]
pub(crate) struct TexelFill {
    to: TexelBox,
    /// Texel, repeated up to the size of the largest copy; the source of all copies.
    texels: Vec<u8>,
}

impl TexelFill {
    /// Iterates over the copies that fill the box. They read memory that `self` owns.
    pub(crate) fn copies(&self) -> impl Iterator<Item = CopyRequest> {
        let from = self.texels.as_ptr().expose_provenance() as u64;
        let most = self.texels.len();
        self.to.rows().flat_map(move |(row, bytes)| {
            let begins = (0..bytes).step_by(most);
            begins.map(move |begin| CopyRequest::Line {
                to: row + begin as u64,
                from,
                bytes: most.min(bytes - begin),
            })
        })
    }
}

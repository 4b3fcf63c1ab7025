//! Creates images in new memory or in the memory of a buffer or another image.

use std::sync::Arc;

use gcn_runtime::Buffer;
use gcn_runtime::image::{ADDRESS_ALIGN, DESCRIPTOR_BYTES, DeviceFormat, Geometry, Pitches};

use crate::abi::*;
use crate::context::Context;
use crate::device::Device;
use crate::format::{ImageFormat, device_format, may_view};
use crate::handle;
use crate::image::{Image, ImageDesc, geometry_of, number};
use crate::memory::{
    Contents, DEVICE_ACCESS, DescribedImage, HOST_ACCESS, HostPointer, Mem, PLACE, allocate,
    check_flags, with_access,
};
use crate::status::{Outcome, Status};
use crate::transfer::{BoxCopy, TransferSide};

/// Parameters for creating an image.
pub(crate) struct ImageRequest {
    pub(crate) flags: u64,
    pub(crate) format: ImageFormat,
    pub(crate) desc: ImageDesc,
    /// Host memory address, or 0.
    pub(crate) host: usize,
    pub(crate) properties: Vec<u64>,
}

/// Image with memory but no handle yet.
pub(crate) struct NewImage {
    pub(crate) contents: Contents,
    /// Copy that initializes the image from host memory.
    pub(crate) copy: Option<BoxCopy>,
}

/// Returns true if devices support a format for images with these access flags.
pub(crate) fn is_supported(format: DeviceFormat, flags: u64) -> bool {
    flags & CL_MEM_READ_ONLY != 0 || format.is_writable()
}

/// Allocates an image, or creates one in another object's memory.
///
/// # Errors
/// The errors that the specification defines for flags, format, descriptor and host pointer; or out of memory.
pub(crate) fn create(context: &Arc<Context>, request: &ImageRequest) -> Outcome<NewImage> {
    let ImageRequest {
        flags, desc, host, ..
    } = request;
    check_flags(*flags, DEVICE_ACCESS | HOST_ACCESS | PLACE)?;
    let format = device_format(request.format)?;
    let parent = match desc.memory {
        0 => None,
        memory => Some(parent_of(context, memory)?),
    };
    let needs_host = flags & (CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR) != 0;
    match parent {
        Some(parent) => {
            parent.check_shared(*flags)?;
            if *host != 0 {
                return Err(Status::INVALID_HOST_PTR);
            }
            view(&parent, request, format)
        }
        None if desc.kind == CL_MEM_OBJECT_IMAGE1D_BUFFER => Err(Status::INVALID_IMAGE_DESCRIPTOR),
        None if needs_host != (*host != 0) => Err(Status::INVALID_HOST_PTR),
        None => create_own(context, request, format),
    }
}

/// Looks up the object that provides an image's memory.
fn parent_of(context: &Arc<Context>, memory: usize) -> Outcome<Arc<Mem>> {
    let parent: Outcome<Arc<Mem>> = handle::get(memory);
    let parent = parent
        .ok()
        .filter(|parent| Arc::ptr_eq(&parent.context, context));
    parent.ok_or(Status::INVALID_IMAGE_DESCRIPTOR)
}

/// Creates an image in newly allocated memory.
fn create_own(
    context: &Arc<Context>,
    request: &ImageRequest,
    format: DeviceFormat,
) -> Outcome<NewImage> {
    let flags = with_access(request.flags);
    let image = Image::new(format, &request.desc, request.host != 0)?;
    if !is_supported(format, flags) {
        return Err(Status::IMAGE_FORMAT_NOT_SUPPORTED);
    }
    let bytes = image.texels.bytes();
    if bytes as u64 > context.max_allocation() {
        return Err(Status::MEM_OBJECT_ALLOCATION_FAILURE);
    }
    let memory = allocate(context, "an image (clCreateImage)", bytes)?;
    let address = memory.address();
    let all = image.texels.whole();
    let pitches = image.texels.of_rows(image.texels.pitches);
    let host = HostPointer {
        address: request.host,
        pitches: image.texels.of_rows(image.declared),
    };
    let copy = (request.host != 0).then(|| BoxCopy {
        to: (TransferSide::Device, all.at(address, pitches)),
        from: (
            TransferSide::Host,
            all.at(request.host as u64, host.pitches),
        ),
        region: all.size,
    });
    let contents = Contents {
        context: context.clone(),
        flags,
        size: bytes,
        address,
        pitches,
        host: (flags & CL_MEM_USE_HOST_PTR != 0).then_some(host),
        uses_svm: false,
        parent: None,
        origin: 0,
        properties: request.properties.clone(),
        _memory: Some(memory),
        image: Some(write_descriptors(context, image, address)?),
    };
    Ok(NewImage { contents, copy })
}

/// Creates an image in the memory of a buffer or another image.
fn view(parent: &Arc<Mem>, request: &ImageRequest, format: DeviceFormat) -> Outcome<NewImage> {
    let image = match parent.image() {
        Ok(original) => image_layout(original, &request.desc, format)?,
        Err(_) => buffer_layout(parent, &request.desc, format)?,
    };
    let flags = parent.shared_flags(request.flags);
    if !is_supported(format, flags) {
        return Err(Status::IMAGE_FORMAT_NOT_SUPPORTED);
    }
    let contents = Contents {
        context: parent.context.clone(),
        flags,
        size: image.texels.bytes(),
        address: parent.address,
        pitches: image.texels.pitches,
        host: parent.host.map(|host| HostPointer {
            pitches: match parent.image {
                Some(_) => host.pitches,
                None => image.texels.pitches,
            },
            ..host
        }),
        uses_svm: parent.uses_svm,
        parent: Some(parent.clone()),
        origin: 0,
        properties: request.properties.clone(),
        _memory: None,
        image: Some(write_descriptors(&parent.context, image, parent.address)?),
    };
    Ok(NewImage {
        contents,
        copy: None,
    })
}

/// Returns the layout of an image created from a buffer.
fn buffer_layout(parent: &Arc<Mem>, desc: &ImageDesc, format: DeviceFormat) -> Outcome<Image> {
    let geometry = geometry_of(desc.kind);
    let image = match geometry {
        Ok(Geometry::D1Buffer) => Image::new(format, desc, false)?,
        Ok(Geometry::D2) => Image::new(format, desc, true)?.in_buffer()?,
        _ => return Err(Status::INVALID_IMAGE_DESCRIPTOR),
    };
    if image.texels.bytes() > parent.size {
        return Err(Status::INVALID_IMAGE_SIZE);
    }
    let is_aligned = |address: usize| address.is_multiple_of(ADDRESS_ALIGN);
    let host = parent.host.map_or(0, |host| host.address);
    if image.texels.geometry == Geometry::D2
        && !(is_aligned(parent.address as usize) && is_aligned(host))
    {
        return Err(Status::INVALID_IMAGE_FORMAT_DESCRIPTOR);
    }
    Ok(image)
}

/// Returns the layout of an image created from another image with a different channel order.
fn image_layout(original: &Image, desc: &ImageDesc, format: DeviceFormat) -> Outcome<Image> {
    let [width, height, _] = original.texels.size;
    let Pitches { row, .. } = original.declared;
    let is_same = original.texels.geometry == Geometry::D2
        && desc.kind == number(original.texels.geometry)
        && (desc.width, desc.height) == (width, height)
        && (desc.row_pitch == 0 || desc.row_pitch == row)
        && desc.mip_levels == 0
        && desc.samples == 0;
    if !is_same {
        return Err(Status::INVALID_IMAGE_DESCRIPTOR);
    }
    if !may_view(format, original.texels.format) {
        return Err(Status::INVALID_IMAGE_FORMAT_DESCRIPTOR);
    }
    let texels = gcn_runtime::image::Image {
        format,
        ..original.texels
    };
    Ok(Image {
        texels,
        ..*original
    })
}

/// Writes an image's descriptors to device memory.
fn write_descriptors(context: &Context, image: Image, address: u64) -> Outcome<DescribedImage> {
    let device = context.devices.first().ok_or(Status::INVALID_CONTEXT)?;
    let bytes = DESCRIPTOR_BYTES * context.devices.len();
    let descriptors: Buffer = device
        .emulated
        .allocate("descriptors of an image (clCreateImage)", bytes as u64)
        .map_err(|_| Status::MEM_OBJECT_ALLOCATION_FAILURE)?;
    for (index, device) in context.devices.iter().enumerate() {
        let isa = device.emulated.target().isa;
        let words = image.texels.descriptor(isa, address);
        let words = words.map_err(|_| Status::INVALID_IMAGE_DESCRIPTOR)?;
        let first = index * DESCRIPTOR_BYTES / size_of::<u32>();
        descriptors
            .write(first as u64, &words)
            .map_err(|_| Status::OUT_OF_RESOURCES)?;
    }
    Ok(DescribedImage { image, descriptors })
}

impl DescribedImage {
    /// Returns the address of the descriptor for a device in the context.
    ///
    /// # Errors
    /// Fails if the context does not contain the device.
    pub(crate) fn descriptor_for(&self, context: &Context, device: &Arc<Device>) -> Outcome<u64> {
        let mut devices = context.devices.iter();
        let index = devices.position(|own| Arc::ptr_eq(own, device));
        let index = index.ok_or(Status::INVALID_CONTEXT)?;
        Ok(self.descriptors.address() + (index * DESCRIPTOR_BYTES) as u64)
    }
}

//! API functions for images and samplers.

use std::ffi::c_void;

use gcn_runtime::image::{COLOR_BYTES, ColorConversion, Pitches};

use super::{call, put};
use crate::abi::{
    Dim3, Handle, ImageDataInfo, ImageDescriptor, ImageFormat, ImageRegion, ImageTable,
    SamplerDescriptor, SamplerDescriptorV2,
};
use crate::copies::CopyRequest;
use crate::images::{DataLayout, capability, data_info};
use crate::info::unknown;
use crate::numbers::*;
use crate::status::{HsaResult, Status};
use crate::transfers;

/// Function table of the image extension.
pub(super) static TABLE: ImageTable = ImageTable {
    get_capability: hsa_ext_image_get_capability,
    data_get_info: hsa_ext_image_data_get_info,
    create: hsa_ext_image_create,
    destroy: hsa_ext_image_destroy,
    copy: hsa_ext_image_copy,
    import: hsa_ext_image_import,
    export: hsa_ext_image_export,
    clear: hsa_ext_image_clear,
    sampler_create: hsa_ext_sampler_create,
    sampler_destroy: hsa_ext_sampler_destroy,
    get_capability_with_layout: hsa_ext_image_get_capability_with_layout,
    data_get_info_with_layout: hsa_ext_image_data_get_info_with_layout,
    create_with_layout: hsa_ext_image_create_with_layout,
    sampler_create_v2: hsa_ext_sampler_create_v2,
};

/// Reads a structure from the program. Fails if `address` is null.
///
/// # Safety
/// `address` is null or readable; it need not be aligned.
unsafe fn read<T: Copy>(address: *const T) -> HsaResult<T> {
    if address.is_null() {
        return Err(Status::INVALID_ARGUMENT);
    }
    // SAFETY: the caller guarantees a readable structure.
    Ok(unsafe { address.read_unaligned() })
}

fn check_permission(permission: u32) -> HsaResult {
    match permission {
        HSA_ACCESS_PERMISSION_RO | HSA_ACCESS_PERMISSION_WO | HSA_ACCESS_PERMISSION_RW => Ok(()),
        _ => Err(Status::INVALID_ARGUMENT),
    }
}

/// Converts an `hsa_ext_image_data_layout_t` with its pitches. Fails unless the layout is linear.
fn linear(layout: u32, row: usize, slice: usize) -> HsaResult<DataLayout> {
    match layout {
        HSA_EXT_IMAGE_DATA_LAYOUT_LINEAR => Ok(DataLayout::Linear(Pitches { row, slice })),
        _ => Err(Status::INVALID_ARGUMENT),
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn hsa_ext_image_get_capability(
    agent: Handle,
    geometry: u32,
    format: *const ImageFormat,
    mask: *mut u32,
) -> Status {
    call(|runtime| {
        let agent = runtime.agent(agent)?;
        // SAFETY: the program guarantees that the addresses are valid.
        unsafe { put(mask, capability(agent, geometry, read(format)?)?) }
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn hsa_ext_image_get_capability_with_layout(
    agent: Handle,
    geometry: u32,
    format: *const ImageFormat,
    layout: u32,
    mask: *mut u32,
) -> Status {
    call(|runtime| {
        let agent = runtime.agent(agent)?;
        linear(layout, 0, 0)?;
        // SAFETY: the program guarantees that the addresses are valid.
        unsafe { put(mask, capability(agent, geometry, read(format)?)?) }
    })
}

/// Writes the size and alignment of an image's data.
///
/// # Safety
/// The addresses are null or valid.
unsafe fn put_data_info(
    agent: Handle,
    desc: *const ImageDescriptor,
    permission: u32,
    layout: HsaResult<DataLayout>,
    info: *mut ImageDataInfo,
) -> Status {
    call(|runtime| {
        let agent = runtime.agent(agent)?;
        check_permission(permission)?;
        // SAFETY: the caller guarantees that the addresses are valid.
        unsafe { put(info, data_info(agent, &read(desc)?, layout?)?) }
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn hsa_ext_image_data_get_info(
    agent: Handle,
    desc: *const ImageDescriptor,
    permission: u32,
    info: *mut ImageDataInfo,
) -> Status {
    // SAFETY: the program guarantees that the addresses are valid.
    unsafe { put_data_info(agent, desc, permission, Ok(DataLayout::Opaque), info) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn hsa_ext_image_data_get_info_with_layout(
    agent: Handle,
    desc: *const ImageDescriptor,
    permission: u32,
    layout: u32,
    row: usize,
    slice: usize,
    info: *mut ImageDataInfo,
) -> Status {
    // SAFETY: the program guarantees that the addresses are valid.
    unsafe { put_data_info(agent, desc, permission, linear(layout, row, slice), info) }
}

/// Creates an image.
///
/// # Safety
/// All addresses except `texels` are null or valid.
unsafe fn create(
    agent: Handle,
    desc: *const ImageDescriptor,
    texels: *const c_void,
    permission: u32,
    layout: HsaResult<DataLayout>,
    image: *mut Handle,
) -> Status {
    call(|runtime| {
        let agent = runtime.agent(agent)?;
        check_permission(permission)?;
        if texels.is_null() || image.is_null() {
            return Err(Status::INVALID_ARGUMENT);
        }
        // SAFETY: the caller guarantees that the addresses are valid.
        let desc = unsafe { read(desc) }?;
        let address = texels.expose_provenance() as u64;
        let made = runtime.images.create(agent, &desc, layout?, address)?;
        // SAFETY: as above.
        unsafe { put(image, made) }
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn hsa_ext_image_create(
    agent: Handle,
    desc: *const ImageDescriptor,
    texels: *const c_void,
    permission: u32,
    image: *mut Handle,
) -> Status {
    // SAFETY: the program guarantees that the addresses are valid.
    unsafe {
        create(
            agent,
            desc,
            texels,
            permission,
            Ok(DataLayout::Opaque),
            image,
        )
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn hsa_ext_image_create_with_layout(
    agent: Handle,
    desc: *const ImageDescriptor,
    texels: *const c_void,
    permission: u32,
    layout: u32,
    row: usize,
    slice: usize,
    image: *mut Handle,
) -> Status {
    let layout = linear(layout, row, slice);
    // SAFETY: the program guarantees that the addresses are valid.
    unsafe { create(agent, desc, texels, permission, layout, image) }
}

#[unsafe(no_mangle)]
pub extern "C" fn hsa_ext_image_destroy(agent: Handle, image: Handle) -> Status {
    call(|runtime| {
        runtime.agent(agent)?;
        runtime.images.destroy(image)
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn hsa_ext_image_copy(
    agent: Handle,
    from: Handle,
    from_offset: *const Dim3,
    to: Handle,
    to_offset: *const Dim3,
    range: *const Dim3,
) -> Status {
    call(|runtime| {
        runtime.agent(agent)?;
        let (from, to) = (runtime.images.get(from)?, runtime.images.get(to)?);
        let conversion = from.conversion_to(&to)?;
        // SAFETY: the program guarantees that the addresses are valid.
        let (from_offset, to_offset, range) =
            unsafe { (read(from_offset)?, read(to_offset)?, read(range)?) };
        let region = |offset| ImageRegion { offset, range };
        let from = from.region(&region(from_offset))?;
        let to = to.region(&region(to_offset))?;
        if conversion == ColorConversion::None {
            // SAFETY: the program guarantees that the images' texels are accessible.
            unsafe { transfers::make(&to.copy_from(&from)) };
            return Ok(());
        }
        for ((to, bytes), (from, _)) in to.rows().zip(from.rows()) {
            let mut row = vec![0; bytes];
            let own = row.as_mut_ptr().expose_provenance() as u64;
            let line = |to, from| CopyRequest::Line { to, from, bytes };
            // SAFETY: as above; the row belongs to this function.
            unsafe { transfers::make(&line(own, from)) };
            conversion.apply(&mut row);
            // SAFETY: as above.
            unsafe { transfers::make(&line(to, own)) };
        }
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn hsa_ext_image_import(
    agent: Handle,
    from: *const c_void,
    row: usize,
    slice: usize,
    image: Handle,
    region: *const ImageRegion,
) -> Status {
    call(|runtime| {
        runtime.agent(agent)?;
        let image = runtime.images.get(image)?;
        if from.is_null() {
            return Err(Status::INVALID_ARGUMENT);
        }
        // SAFETY: the program guarantees that the address is valid.
        let region = unsafe { read(region) }?;
        let address = from.expose_provenance() as u64;
        let linear = image.in_linear(&region, address, Pitches { row, slice })?;
        let copy = image.region(&region)?.copy_from(&linear);
        // SAFETY: the program guarantees that the memory and the image's texels are accessible.
        unsafe { transfers::make(&copy) };
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn hsa_ext_image_export(
    agent: Handle,
    image: Handle,
    to: *mut c_void,
    row: usize,
    slice: usize,
    region: *const ImageRegion,
) -> Status {
    call(|runtime| {
        runtime.agent(agent)?;
        let image = runtime.images.get(image)?;
        if to.is_null() {
            return Err(Status::INVALID_ARGUMENT);
        }
        // SAFETY: the program guarantees that the address is valid.
        let region = unsafe { read(region) }?;
        let address = to.expose_provenance() as u64;
        let linear = image.in_linear(&region, address, Pitches { row, slice })?;
        let copy = linear.copy_from(&image.region(&region)?);
        // SAFETY: the program guarantees that the memory and the image's texels are accessible.
        unsafe { transfers::make(&copy) };
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn hsa_ext_image_clear(
    agent: Handle,
    image: Handle,
    color: *const c_void,
    region: *const ImageRegion,
) -> Status {
    call(|runtime| {
        runtime.agent(agent)?;
        let image = runtime.images.get(image)?;
        // SAFETY: the program guarantees valid addresses, and a colour has four components.
        let (color, region) = unsafe { (read(color.cast::<[u8; COLOR_BYTES]>())?, read(region)?) };
        let fill = image.fill(&region, &color)?;
        for copy in fill.copies() {
            // SAFETY: the program guarantees that the image's texels are accessible.
            unsafe { transfers::make(&copy) };
        }
        Ok(())
    })
}

/// Creates a sampler.
///
/// # Safety
/// The address is null or writable.
unsafe fn create_sampler(
    agent: Handle,
    desc: HsaResult<SamplerDescriptorV2>,
    sampler: *mut Handle,
) -> Status {
    call(|runtime| {
        let agent = runtime.agent(agent)?;
        if sampler.is_null() {
            return Err(Status::INVALID_ARGUMENT);
        }
        let made = runtime.images.create_sampler(agent, &desc?)?;
        // SAFETY: the caller guarantees that the address is valid.
        unsafe { put(sampler, made) }
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn hsa_ext_sampler_create(
    agent: Handle,
    desc: *const SamplerDescriptor,
    sampler: *mut Handle,
) -> Status {
    // SAFETY: the program guarantees that the addresses are valid.
    unsafe {
        let desc = read(desc).map(|desc| SamplerDescriptorV2 {
            coordinate_mode: desc.coordinate_mode,
            filter_mode: desc.filter_mode,
            address_modes: [desc.address_mode; 3],
        });
        create_sampler(agent, desc, sampler)
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn hsa_ext_sampler_create_v2(
    agent: Handle,
    desc: *const SamplerDescriptorV2,
    sampler: *mut Handle,
) -> Status {
    // SAFETY: the program guarantees that the addresses are valid.
    unsafe { create_sampler(agent, read(desc), sampler) }
}

#[unsafe(no_mangle)]
pub extern "C" fn hsa_ext_sampler_destroy(agent: Handle, sampler: Handle) -> Status {
    call(|runtime| {
        runtime.agent(agent)?;
        runtime.images.destroy_sampler(sampler)
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn hsa_amd_image_get_info_max_dim(
    agent: Handle,
    attribute: u32,
    value: *mut c_void,
) -> Status {
    call(|runtime| {
        let agent = runtime.agent(agent)?;
        let info = match attribute {
            HSA_EXT_AGENT_INFO_IMAGE_1D_MAX_ELEMENTS
                ..=HSA_EXT_AGENT_INFO_IMAGE_ARRAY_MAX_LAYERS => agent.info(attribute),
            _ => Err(unknown("the largest images of an agent", attribute)),
        };
        // SAFETY: the program guarantees that the address is valid.
        unsafe { super::put_info(value, info) }
    })
}

//! Tests of images and samplers.

use std::ffi::c_void;

use gcn_hsa::numbers::*;

use super::hsa::*;

const IMAGES: u16 = HSA_EXTENSION_IMAGES as u16;

const FLOAT: ImageFormat = ImageFormat {
    channel_type: HSA_EXT_IMAGE_CHANNEL_TYPE_FLOAT,
    channel_order: HSA_EXT_IMAGE_CHANNEL_ORDER_R,
};
const BYTES: ImageFormat = ImageFormat {
    channel_type: HSA_EXT_IMAGE_CHANNEL_TYPE_UNORM_INT8,
    channel_order: HSA_EXT_IMAGE_CHANNEL_ORDER_RGBA,
};
const SRGB: ImageFormat = ImageFormat {
    channel_order: HSA_EXT_IMAGE_CHANNEL_ORDER_SRGBA,
    ..BYTES
};

fn descriptor(geometry: u32, size: [usize; 4], format: ImageFormat) -> ImageDescriptor {
    let [width, height, depth, array_size] = size;
    ImageDescriptor {
        geometry,
        width,
        height,
        depth,
        array_size,
        format,
    }
}

fn plane(width: usize, height: usize, format: ImageFormat) -> ImageDescriptor {
    descriptor(HSA_EXT_IMAGE_GEOMETRY_2D, [width, height, 0, 0], format)
}

fn data_info(desc: &ImageDescriptor) -> Result<ImageDataInfo, Status> {
    let mut info = ImageDataInfo {
        size: 0,
        alignment: 0,
    };
    // SAFETY: the descriptor is readable, and `info` is writable.
    let status = unsafe {
        hsa_ext_image_data_get_info(
            agents().device,
            desc,
            HSA_ACCESS_PERMISSION_RW,
            &raw mut info,
        )
    };
    match status {
        Status::SUCCESS => Ok(info),
        status => Err(status),
    }
}

fn linear_info(desc: &ImageDescriptor, row: usize, slice: usize) -> Result<usize, Status> {
    let mut info = ImageDataInfo {
        size: 0,
        alignment: 0,
    };
    // SAFETY: the descriptor is readable, and `info` is writable.
    let status = unsafe {
        hsa_ext_image_data_get_info_with_layout(
            agents().device,
            desc,
            HSA_ACCESS_PERMISSION_RO,
            HSA_EXT_IMAGE_DATA_LAYOUT_LINEAR,
            row,
            slice,
            &raw mut info,
        )
    };
    match status {
        Status::SUCCESS => Ok(info.size),
        status => Err(status),
    }
}

/// Allocates device memory, and creates an image in it.
fn image(desc: &ImageDescriptor) -> Handle {
    let info = data_info(desc).expect("an image");
    let texels = allocate::<u8>(info.size);
    let mut image = 0;
    // SAFETY: the descriptor is readable, the memory holds the image, and `image` is writable.
    check(unsafe {
        hsa_ext_image_create(
            agents().device,
            desc,
            texels.cast(),
            HSA_ACCESS_PERMISSION_RW,
            &raw mut image,
        )
    });
    image
}

fn region(offset: [u32; 3], range: [u32; 3]) -> ImageRegion {
    let dim = |[x, y, z]: [u32; 3]| Dim3 { x, y, z };
    ImageRegion {
        offset: dim(offset),
        range: dim(range),
    }
}

#[track_caller]
fn import<T>(image: Handle, values: &[T], region: ImageRegion) {
    let from = values.as_ptr().cast();
    // SAFETY: `values` contains all texels of the region.
    check(unsafe { hsa_ext_image_import(agents().device, from, 0, 0, image, &raw const region) });
}

#[track_caller]
fn export<T: Copy + Default>(image: Handle, count: usize, region: ImageRegion) -> Vec<T> {
    let mut values = vec![T::default(); count];
    let to = values.as_mut_ptr().cast();
    // SAFETY: `values` has room for the region.
    check(unsafe { hsa_ext_image_export(agents().device, image, to, 0, 0, &raw const region) });
    values
}

#[test]
fn devices_have_the_extension_and_its_table() {
    let (host, device) = (agents().host, agents().device);
    let (mut has, mut minor) = (false, 9);
    let mut functions = [0usize; 15];
    // SAFETY: the output pointers are writable, and `functions` has room for 15 functions.
    unsafe {
        check(hsa_system_extension_supported(IMAGES, 1, 0, &raw mut has));
        assert!(has);
        // The library knows the PC sampling extension, but does not support it.
        let sampling = HSA_EXTENSION_AMD_PC_SAMPLING as u16;
        check(hsa_system_extension_supported(sampling, 1, 0, &raw mut has));
        assert!(!has);
        has = true;
        check(hsa_system_extension_supported(IMAGES, 2, 0, &raw mut has));
        assert!(!has);
        check(hsa_agent_extension_supported(
            IMAGES,
            host,
            1,
            0,
            &raw mut has,
        ));
        assert!(!has);
        check(hsa_agent_extension_supported(
            IMAGES,
            device,
            1,
            0,
            &raw mut has,
        ));
        assert!(has);
        check(hsa_agent_major_extension_supported(
            IMAGES,
            device,
            1,
            &raw mut minor,
            &raw mut has,
        ));
        assert_eq!((has, minor), (true, 0));
        let table = functions.as_mut_ptr().cast::<c_void>();
        // Version 1.00 has 10 functions. Headers up to ROCm 5 declare 13 (104 bytes), later ones 14.
        check(hsa_system_get_extension_table(IMAGES, 1, 0, table));
        assert_eq!(
            functions.iter().filter(|function| **function != 0).count(),
            10
        );
        check(hsa_system_get_major_extension_table(IMAGES, 1, 104, table));
        assert_eq!(functions[13], 0);
        check(hsa_system_get_major_extension_table(IMAGES, 1, 120, table));
        let status = hsa_system_get_major_extension_table(IMAGES, 2, 104, table);
        assert_eq!(status, Status::ERROR);
    }
    let first = hsa_ext_image_get_capability as *const () as usize;
    let last = hsa_ext_sampler_create_v2 as *const () as usize;
    assert_eq!(
        (functions[0], functions[13], functions[14]),
        (first, last, 0)
    );
}

#[test]
fn capabilities_are_those_of_the_format() {
    let capability = |agent, geometry, format: ImageFormat| {
        let mut mask = 99;
        // SAFETY: the format is readable, and `mask` is writable.
        let status = unsafe {
            hsa_ext_image_get_capability(agent, geometry, &raw const format, &raw mut mask)
        };
        (status == Status::SUCCESS).then_some(mask).ok_or(status)
    };
    let device = agents().device;
    let plane = HSA_EXT_IMAGE_GEOMETRY_2D;
    let read =
        HSA_EXT_IMAGE_CAPABILITY_READ_ONLY | HSA_EXT_IMAGE_CAPABILITY_ACCESS_INVARIANT_DATA_LAYOUT;
    let all = read | HSA_EXT_IMAGE_CAPABILITY_WRITE_ONLY | HSA_EXT_IMAGE_CAPABILITY_READ_WRITE;
    assert_eq!(capability(device, plane, FLOAT), Ok(all));
    assert_eq!(capability(device, plane, SRGB), Ok(read));
    let (buffer, depth) = (HSA_EXT_IMAGE_GEOMETRY_1DB, HSA_EXT_IMAGE_GEOMETRY_2DDEPTH);
    assert_eq!(capability(device, buffer, SRGB), Ok(0));
    assert_eq!(capability(device, depth, FLOAT), Ok(0));
    let bgra = HSA_EXT_IMAGE_CHANNEL_ORDER_BGRA;
    let odd = ImageFormat {
        channel_order: bgra,
        ..FLOAT
    };
    assert_eq!(capability(device, plane, odd), Ok(0));
    assert_eq!(capability(agents().host, plane, FLOAT), Ok(0));
    assert_eq!(capability(device, 8, FLOAT), Err(Status::INVALID_ARGUMENT));
    assert_eq!(capability(7, plane, FLOAT), Err(Status::INVALID_AGENT));
    let mut mask = 0;
    // SAFETY: as above.
    let opaque = unsafe {
        hsa_ext_image_get_capability_with_layout(
            device,
            plane,
            &FLOAT,
            HSA_EXT_IMAGE_DATA_LAYOUT_OPAQUE,
            &raw mut mask,
        )
    };
    assert_eq!(opaque, Status::INVALID_ARGUMENT);
}

#[test]
fn sizes_and_distances_have_limits() {
    use HSA_EXT_IMAGE_GEOMETRY_1D as LINE;
    use HSA_EXT_IMAGE_GEOMETRY_1DA as LINES;
    use HSA_EXT_IMAGE_GEOMETRY_1DB as BUFFER;
    use HSA_EXT_IMAGE_GEOMETRY_3D as VOLUME;
    let info = data_info(&plane(100, 50, FLOAT));
    let expected = ImageDataInfo {
        size: 512 * 50,
        alignment: 256,
    };
    assert_eq!(info, Ok(expected));
    let size = |geometry, size| data_info(&descriptor(geometry, size, FLOAT)).map(|info| info.size);
    assert_eq!(size(LINE, [100, 0, 0, 0]), Ok(512));
    assert_eq!(size(LINES, [100, 0, 1, 3]), Ok(3 * 512));
    assert_eq!(size(BUFFER, [100, 0, 0, 0]), Ok(400));
    assert_eq!(size(VOLUME, [64, 2, 3, 0]), Ok(6 * 256));
    for (geometry, wrong) in [
        (LINE, [0, 0, 0, 0]),
        (LINE, [16385, 0, 0, 0]),
        (LINE, [16, 2, 0, 0]),
        (VOLUME, [16, 2, 0, 0]),
        (VOLUME, [16, 2, 8193, 0]),
        (BUFFER, [(1 << 27) + 1, 0, 0, 0]),
    ] {
        assert_eq!(
            size(geometry, wrong),
            Err(Status::IMAGE_SIZE_UNSUPPORTED),
            "{wrong:?}"
        );
    }
    let image = plane(100, 50, FLOAT);
    let pitch = Err(Status::IMAGE_PITCH_UNSUPPORTED);
    assert_eq!(linear_info(&image, 1024, 0), Ok(1024 * 50));
    assert_eq!(linear_info(&image, 1024, 1024 * 50), Ok(1024 * 50));
    // Row pitches must be multiples of 256 bytes, and at least the row size of 400 bytes. Slices must not be padded.
    assert_eq!(linear_info(&image, 0, 0), pitch);
    assert_eq!(linear_info(&image, 256, 0), pitch);
    assert_eq!(linear_info(&image, 1024, 1024 * 51), pitch);
    assert_eq!(
        linear_info(&descriptor(BUFFER, [100, 0, 0, 0], FLOAT), 0, 0),
        Ok(400)
    );
}

#[test]
fn handles_are_addresses_of_descriptors() {
    let desc = plane(100, 50, FLOAT);
    let texels = allocate::<u8>(512 * 50);
    let make = |address: *mut u8, permission| {
        let mut image = 0;
        // SAFETY: the descriptor is readable, the memory holds the image, and `image` is writable.
        let status = unsafe {
            let device = agents().device;
            hsa_ext_image_create(
                device,
                &raw const desc,
                address.cast(),
                permission,
                &raw mut image,
            )
        };
        (status == Status::SUCCESS).then_some(image).ok_or(status)
    };
    let image = make(texels, HSA_ACCESS_PERMISSION_RO).expect("an image");
    let words = std::ptr::with_exposed_provenance::<[u32; 12]>(image as usize);
    // SAFETY: an image handle is the address of twelve dwords.
    let words = unsafe { *words };
    assert_eq!(
        u64::from(words[0]) << 8,
        texels.addr() as u64 & 0xff_ffff_ffff
    );
    assert_eq!(words[2] & 0xfff_ffff, 49 << 14 | 99);
    assert_eq!(words[8..11], [FLOAT.channel_type, FLOAT.channel_order, 100]);
    assert_eq!(make(texels, 4), Err(Status::INVALID_ARGUMENT));
    assert_eq!(
        make(texels.wrapping_add(64), 1),
        Err(Status::INVALID_ARGUMENT)
    );
    assert_eq!(make(std::ptr::null_mut(), 1), Err(Status::INVALID_ARGUMENT));
    let device = agents().device;
    assert_eq!(hsa_ext_image_destroy(7, image), Status::INVALID_AGENT);
    check(hsa_ext_image_destroy(device, image));
    assert_eq!(
        hsa_ext_image_destroy(device, image),
        Status::INVALID_ARGUMENT
    );
}

#[test]
fn regions_are_imported_exported_copied_and_cleared() {
    let device = agents().device;
    let volume = descriptor(HSA_EXT_IMAGE_GEOMETRY_3D, [20, 6, 3, 0], FLOAT);
    let (volume, plane) = (image(&volume), image(&plane(20, 6, FLOAT)));
    let values: Vec<f32> = (0..360).map(|n| n as f32).collect();
    let all = region([0; 3], [20, 6, 3]);
    import(volume, &values, all);
    assert_eq!(export::<f32>(volume, 360, all), values);
    let part = export::<f32>(volume, 4, region([3, 5, 2], [2, 1, 1]));
    assert_eq!(part, [343.0, 344.0, 0.0, 0.0]);
    // Exports to memory with padded rows and slices.
    let (mut padded, inside) = ([0f32; 18], region([1, 1, 1], [2, 2, 2]));
    // SAFETY: the array has room for two slices of nine values.
    check(unsafe {
        let to = padded.as_mut_ptr().cast();
        hsa_ext_image_export(device, volume, to, 16, 36, &raw const inside)
    });
    assert_eq!(padded[..6], [141.0, 142.0, 0.0, 0.0, 161.0, 162.0]);
    assert_eq!(padded[9..15], [261.0, 262.0, 0.0, 0.0, 281.0, 282.0]);
    // Copies slice 1 of the volume to the 2D image.
    let (from, to) = (Dim3 { x: 0, y: 0, z: 1 }, Dim3 { x: 0, y: 0, z: 0 });
    let range = Dim3 { x: 20, y: 6, z: 1 };
    let copy = |from_image, to_image| {
        let (from, to, range) = (&raw const from, &raw const to, &raw const range);
        // SAFETY: the offsets and the range are readable.
        unsafe { hsa_ext_image_copy(device, from_image, from, to_image, to, range) }
    };
    check(copy(volume, plane));
    assert_eq!(
        export::<f32>(plane, 120, region([0; 3], [20, 6, 1])),
        values[120..240]
    );
    assert_eq!(
        copy(plane, volume),
        Status::INVALID_ARGUMENT,
        "the plane has one slice"
    );
    // The images have only a red channel, which is cleared to 9.
    let (color, cleared) = ([9f32, 8.0, 7.0, 6.0], region([2, 1, 0], [17, 2, 1]));
    let clear = |region: ImageRegion| {
        let color = color.as_ptr().cast();
        // SAFETY: a colour consists of four values.
        unsafe { hsa_ext_image_clear(device, plane, color, &raw const region) }
    };
    check(clear(cleared));
    let row = export::<f32>(plane, 20, region([0, 2, 0], [20, 1, 1]));
    assert_eq!(
        (row[1], &row[2..19], row[19]),
        (161.0, &[9.0; 17][..], 179.0)
    );
    assert_eq!(
        clear(region([2, 5, 0], [17, 2, 1])),
        Status::INVALID_ARGUMENT
    );
    assert_eq!(clear(region([0; 3], [1, 0, 1])), Status::INVALID_ARGUMENT);
    for image in [volume, plane] {
        check(hsa_ext_image_destroy(device, image));
    }
}

#[test]
fn linear_images_have_the_rows_of_the_program() {
    let device = agents().device;
    let (desc, texels) = (plane(5, 3, FLOAT), allocate::<f32>(3 * 128));
    let make = |row| {
        let mut image = 0;
        // SAFETY: the descriptor is readable, the memory holds the image, and `image` is writable.
        let status = unsafe {
            hsa_ext_image_create_with_layout(
                device,
                &raw const desc,
                texels.cast(),
                HSA_ACCESS_PERMISSION_RO,
                HSA_EXT_IMAGE_DATA_LAYOUT_LINEAR,
                row,
                0,
                &raw mut image,
            )
        };
        (status == Status::SUCCESS).then_some(image).ok_or(status)
    };
    assert_eq!(make(20), Err(Status::IMAGE_PITCH_UNSUPPORTED));
    let image = make(512).expect("an image");
    let values: Vec<f32> = (0..15).map(|n| n as f32).collect();
    import(image, &values, region([0; 3], [5, 3, 1]));
    for row in 0..3 {
        // SAFETY: the memory contains three rows of 128 values.
        let stored = unsafe { std::slice::from_raw_parts(texels.add(row * 128), 5) };
        assert_eq!(stored, &values[row * 5..row * 5 + 5]);
    }
    check(hsa_ext_image_destroy(device, image));
}

#[test]
fn layers_of_lines_are_rows() {
    let lines = image(&descriptor(
        HSA_EXT_IMAGE_GEOMETRY_1DA,
        [10, 0, 0, 4],
        FLOAT,
    ));
    let values: Vec<f32> = (0..40).map(|n| n as f32).collect();
    import(lines, &values, region([0; 3], [10, 4, 1]));
    let part = export::<f32>(lines, 4, region([8, 2, 0], [2, 2, 1]));
    assert_eq!(part, [28.0, 29.0, 38.0, 39.0]);
    check(hsa_ext_image_destroy(agents().device, lines));
}

#[test]
fn copies_between_linear_and_srgb_images_change_colors() {
    let device = agents().device;
    let (linear, srgb) = (image(&plane(3, 1, BYTES)), image(&plane(3, 1, SRGB)));
    let all = region([0; 3], [3, 1, 1]);
    let texels = [[255u8, 55, 0, 128], [1, 2, 3, 4], [200, 100, 50, 25]];
    import(linear, &texels, all);
    let copy = |from, to| {
        let (offset, range) = (&raw const all.offset, &raw const all.range);
        // SAFETY: the offset and the range are readable.
        unsafe { hsa_ext_image_copy(device, from, offset, to, offset, range) }
    };
    check(copy(linear, srgb));
    let encoded = export::<[u8; 4]>(srgb, 3, all);
    assert_eq!(encoded[..2], [[255, 128, 0, 128], [13, 22, 28, 4]]);
    import(linear, &[[0u8; 4]; 3], all);
    check(copy(srgb, linear));
    assert_eq!(export::<[u8; 4]>(linear, 3, all), texels);
    let other = image(&plane(3, 1, FLOAT));
    assert_eq!(copy(linear, other), Status::INVALID_ARGUMENT);
    for image in [linear, srgb, other] {
        check(hsa_ext_image_destroy(device, image));
    }
}

#[test]
fn samplers_are_descriptors() {
    let make = |agent, coordinate_mode, filter_mode, address_mode| {
        let desc = SamplerDescriptor {
            coordinate_mode,
            filter_mode,
            address_mode,
        };
        let mut sampler = 0;
        // SAFETY: the descriptor is readable, and `sampler` is writable.
        let status = unsafe { hsa_ext_sampler_create(agent, &raw const desc, &raw mut sampler) };
        (status == Status::SUCCESS).then_some(sampler).ok_or(status)
    };
    let words = |sampler: Handle| {
        let words = std::ptr::with_exposed_provenance::<[u32; 4]>(sampler as usize);
        // SAFETY: a sampler handle is the address of four dwords.
        unsafe { *words }
    };
    let device = agents().device;
    let edge = make(device, 0, 1, HSA_EXT_SAMPLER_ADDRESSING_MODE_CLAMP_TO_EDGE);
    let edge = edge.expect("a sampler");
    // Unnormalized coordinates, clamped to the edge, with linear filtering.
    assert_eq!(words(edge)[0] & 0x81ff, 0x8092);
    assert_eq!(words(edge)[2], 0x0050_0000);
    check(hsa_ext_sampler_destroy(device, edge));
    assert_eq!(
        hsa_ext_sampler_destroy(device, edge),
        Status::INVALID_ARGUMENT
    );
    let unsupported = Err(Status::SAMPLER_DESCRIPTOR_UNSUPPORTED);
    assert_eq!(make(device, 2, 0, 1), unsupported);
    assert_eq!(make(device, 0, 2, 1), unsupported);
    assert_eq!(make(device, 0, 0, 5), unsupported);
    assert_eq!(make(agents().host, 0, 0, 1), Err(Status::INVALID_AGENT));
    let desc = SamplerDescriptorV2 {
        coordinate_mode: HSA_EXT_SAMPLER_COORDINATE_MODE_NORMALIZED,
        filter_mode: HSA_EXT_SAMPLER_FILTER_MODE_NEAREST,
        address_modes: [
            HSA_EXT_SAMPLER_ADDRESSING_MODE_REPEAT,
            HSA_EXT_SAMPLER_ADDRESSING_MODE_MIRRORED_REPEAT,
            HSA_EXT_SAMPLER_ADDRESSING_MODE_CLAMP_TO_BORDER,
        ],
    };
    let mut sampler = 0;
    // SAFETY: as above.
    check(unsafe { hsa_ext_sampler_create_v2(device, &raw const desc, &raw mut sampler) });
    assert_eq!(words(sampler)[0] & 0x81ff, 6 << 6 | 1 << 3);
    check(hsa_ext_sampler_destroy(device, sampler));
}

#[test]
fn the_largest_images_have_a_size() {
    let sizes = |agent, attribute| {
        let mut sizes = [0u32; 3];
        let to = sizes.as_mut_ptr().cast();
        // SAFETY: the attributes take at most three dwords.
        let status = unsafe { hsa_amd_image_get_info_max_dim(agent, attribute, to) };
        (status == Status::SUCCESS).then_some(sizes).ok_or(status)
    };
    let device = agents().device;
    let volume = HSA_EXT_AGENT_INFO_IMAGE_3D_MAX_ELEMENTS;
    assert_eq!(sizes(device, volume), Ok([16384, 16384, 8192]));
    assert_eq!(sizes(agents().host, volume), Ok([0; 3]));
    let layers = HSA_EXT_AGENT_INFO_IMAGE_ARRAY_MAX_LAYERS;
    assert_eq!(sizes(device, layers), Ok([8192, 0, 0]));
    let other = HSA_EXT_AGENT_INFO_MAX_SAMPLER_HANDLERS;
    assert_eq!(sizes(device, other), Err(Status::INVALID_ARGUMENT));
}

/// Kernel whose work-items load the texels in row 2 of an image and store them to memory. The arguments are the image's
/// handle and the address of the memory.
const LOAD: &str = "
    .text
    .p2align 8
    .type load,@function
    load:
      s_load_dwordx4 s[4:7], s[0:1], 0x0
      v_lshlrev_b32 v3, 2, v0
      v_mov_b32 v1, 2
      s_waitcnt lgkmcnt(0)
      s_load_dwordx8 s[8:15], s[4:5], 0x0
      s_waitcnt lgkmcnt(0)
      image_load v2, v[0:1], s[8:15] dmask:0x1 unorm
      s_waitcnt vmcnt(0)
      global_store_dword v3, v2, s[6:7]
      s_endpgm
    .rodata
    .p2align 6
    .amdhsa_kernel load
      .amdhsa_user_sgpr_kernarg_segment_ptr 1
      .amdhsa_next_free_vgpr 4
      .amdhsa_next_free_sgpr 16
    .end_amdhsa_kernel
    ";

#[test]
fn kernels_load_what_was_imported() {
    let plane = image(&plane(64, 3, FLOAT));
    let values: Vec<f32> = (0..192).map(|n| n as f32 / 4.0).collect();
    import(plane, &values, region([0; 3], [64, 3, 1]));
    let out = allocate::<f32>(64);
    let arguments = allocate::<u64>(2);
    // SAFETY: there is room for two arguments.
    unsafe {
        arguments.write(plane);
        arguments.add(1).write(out.expose_provenance() as u64);
    }
    let kernels = executable(&object(LOAD));
    let kernel = symbol_info(symbol(kernels, c"load.kd"), 22);
    let (queue, done) = (Queue::new(64), signal(1));
    queue.dispatch(DISPATCH, kernel, 64, arguments, done);
    finish(done);
    // SAFETY: the kernel has stored 64 values.
    let loaded = unsafe { std::slice::from_raw_parts(out, 64) };
    assert_eq!(loaded, &values[128..]);
    drop(queue);
    check(hsa_ext_image_destroy(agents().device, plane));
}

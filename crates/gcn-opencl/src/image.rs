//! Converts the image types and image descriptors of the OpenCL headers.

use gcn_runtime::image::{self, BoxSize, DeviceFormat, Geometry, ImageError, Pitches};

use crate::abi::*;
use crate::format::header_format;
use crate::info::Info;
use crate::status::{Outcome, Status};

/// Row alignment, in texels, of a 2D image created from a buffer. Rows are then multiples of 256 bytes.
pub(crate) const PITCH_ALIGN: usize = 256;

/// Converts an image type from the headers.
///
/// # Errors
/// `CL_INVALID_VALUE`: the type is unknown.
pub(crate) fn geometry_of(kind: u32) -> Outcome<Geometry> {
    Ok(match kind {
        CL_MEM_OBJECT_IMAGE1D => Geometry::D1,
        CL_MEM_OBJECT_IMAGE1D_ARRAY => Geometry::D1Array,
        CL_MEM_OBJECT_IMAGE1D_BUFFER => Geometry::D1Buffer,
        CL_MEM_OBJECT_IMAGE2D => Geometry::D2,
        CL_MEM_OBJECT_IMAGE2D_ARRAY => Geometry::D2Array,
        CL_MEM_OBJECT_IMAGE3D => Geometry::D3,
        _ => return Err(Status::INVALID_VALUE),
    })
}

/// Returns the `CL_MEM_OBJECT_…` constant for an image type.
pub(crate) fn number(geometry: Geometry) -> u32 {
    match geometry {
        Geometry::D1 => CL_MEM_OBJECT_IMAGE1D,
        Geometry::D1Array => CL_MEM_OBJECT_IMAGE1D_ARRAY,
        Geometry::D1Buffer => CL_MEM_OBJECT_IMAGE1D_BUFFER,
        Geometry::D2 => CL_MEM_OBJECT_IMAGE2D,
        Geometry::D2Array => CL_MEM_OBJECT_IMAGE2D_ARRAY,
        Geometry::D3 => CL_MEM_OBJECT_IMAGE3D,
    }
}

/// Returns the OpenCL C names of all image types.
pub(crate) fn type_names() -> impl Iterator<Item = &'static str> {
    // Depth images have separate type names.
    let depths = ["image2d_depth_t", "image2d_array_depth_t"];
    Geometry::ALL.into_iter().map(type_name).chain(depths)
}

/// Returns the OpenCL C name of an image type.
pub(crate) fn type_name(geometry: Geometry) -> &'static str {
    match geometry {
        Geometry::D1 => "image1d_t",
        Geometry::D1Array => "image1d_array_t",
        Geometry::D1Buffer => "image1d_buffer_t",
        Geometry::D2 => "image2d_t",
        Geometry::D2Array => "image2d_array_t",
        Geometry::D3 => "image3d_t",
    }
}

/// `cl_image_desc`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct ImageDesc {
    /// Image type, such as `CL_MEM_OBJECT_IMAGE2D`.
    pub kind: u32,
    /// Width in texels.
    pub width: usize,
    /// Height in rows.
    pub height: usize,
    /// Depth in slices.
    pub depth: usize,
    /// Number of images in an array.
    pub array_size: usize,
    /// Row pitch of the host memory or buffer, in bytes; 0 for rows without padding.
    pub row_pitch: usize,
    /// Slice pitch in bytes; 0 for slices without padding.
    pub slice_pitch: usize,
    /// Number of mip levels; must be 0.
    pub mip_levels: u32,
    /// Samples per texel; must be 0.
    pub samples: u32,
    /// Handle of the buffer or image that provides the memory, or 0.
    pub memory: usize,
}

/// Layout of an image, without its memory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Image {
    /// Layout in device memory.
    pub(crate) texels: image::Image,
    /// Pitches that the application passed, or pitches without padding.
    pub(crate) declared: Pitches,
}

impl Image {
    /// Creates the layout for an image descriptor. Pitches must be 0 unless `has_pitches`.
    ///
    /// # Errors
    /// The errors that the specification defines for sizes, pitches and the other members.
    pub(crate) fn new(format: DeviceFormat, desc: &ImageDesc, has_pitches: bool) -> Outcome<Image> {
        let geometry = geometry_of(desc.kind).map_err(|_| Status::INVALID_IMAGE_DESCRIPTOR)?;
        if desc.mip_levels != 0 || desc.samples != 0 {
            return Err(Status::INVALID_IMAGE_DESCRIPTOR);
        }
        let slices = match geometry {
            Geometry::D3 => desc.depth,
            _ => desc.array_size,
        };
        let size = [desc.width, desc.height, slices];
        let texels = image::Image::new(format, geometry, size).map_err(status_of)?;
        Ok(Image {
            texels,
            declared: declared_pitches(&texels, desc, has_pitches)?,
        })
    }

    /// Converts the layout to that of a 2D image created from a buffer, which uses the application's row pitch.
    ///
    /// # Errors
    /// Fails if devices do not support the pitch.
    pub(crate) fn in_buffer(self) -> Outcome<Image> {
        let row = self.declared.row;
        let multiple = PITCH_ALIGN * self.texels.format.bytes();
        if !row.is_multiple_of(multiple) {
            return Err(Status::INVALID_IMAGE_FORMAT_DESCRIPTOR);
        }
        let texels = self.texels.with_row(row).map_err(status_of)?;
        Ok(Image { texels, ..self })
    }

    /// Converts the origin and region of a command to a box in bytes.
    ///
    /// # Errors
    /// `CL_INVALID_VALUE`: the region is empty or exceeds the image.
    pub(crate) fn region(&self, origin: [usize; 3], size: [usize; 3]) -> Outcome<BoxSize> {
        self.texels.region(origin, size).map_err(status_of)
    }

    /// Returns the pitches of a region in host memory. A pitch of 0 means no padding.
    ///
    /// # Errors
    /// `CL_INVALID_VALUE`: rows or slices overlap, or a slice pitch is given for an image without slices.
    pub(crate) fn host_pitches(
        &self,
        region: &BoxSize,
        row: usize,
        slice: usize,
    ) -> Outcome<Pitches> {
        let [bytes, rows, _] = region.size;
        if slice != 0 && !self.texels.geometry.has_slices() {
            return Err(Status::INVALID_VALUE);
        }
        // A slice of a 1D array consists of one row.
        let rows = if self.texels.geometry == Geometry::D1Array {
            1
        } else {
            rows
        };
        let row = if row == 0 { bytes } else { row };
        let dense = row.checked_mul(rows).ok_or(Status::INVALID_VALUE)?;
        let slice = if slice == 0 { dense } else { slice };
        if row < bytes || slice < dense {
            return Err(Status::INVALID_VALUE);
        }
        Ok(self.texels.of_rows(Pitches { row, slice }))
    }

    /// Returns the value of the attribute `name`. `buffer` is the handle of the buffer that provides the memory.
    ///
    /// # Errors
    /// `CL_INVALID_VALUE`: the attribute is unknown.
    pub(crate) fn info(&self, name: u32, buffer: Option<usize>) -> Outcome<Info> {
        let image::Image {
            format,
            geometry,
            size: [width, height, slices],
            ..
        } = self.texels;
        let only = |has: bool, value: usize| Info::from(if has { value } else { 0 });
        Ok(match name {
            CL_IMAGE_FORMAT => {
                let named = header_format(format);
                Info::array([named.order, named.kind])
            }
            CL_IMAGE_ELEMENT_SIZE => Info::from(format.bytes()),
            CL_IMAGE_ROW_PITCH => Info::from(self.declared.row),
            CL_IMAGE_SLICE_PITCH => only(geometry.has_slices(), self.declared.slice),
            CL_IMAGE_WIDTH => Info::from(width),
            CL_IMAGE_HEIGHT => only(geometry.has_height(), height),
            CL_IMAGE_DEPTH => only(geometry == Geometry::D3, slices),
            CL_IMAGE_ARRAY_SIZE => only(geometry.is_array(), slices),
            CL_IMAGE_BUFFER => Info::from(buffer),
            CL_IMAGE_NUM_MIP_LEVELS | CL_IMAGE_NUM_SAMPLES => Info::from(0u32),
            _ => return Err(Status::INVALID_VALUE),
        })
    }
}

/// Returns the status for an image error.
fn status_of(error: ImageError) -> Status {
    match error {
        ImageError::Format => Status::IMAGE_FORMAT_NOT_SUPPORTED,
        ImageError::Size => Status::INVALID_IMAGE_SIZE,
        ImageError::Pitch => Status::INVALID_IMAGE_DESCRIPTOR,
        ImageError::Region => Status::INVALID_VALUE,
    }
}

/// Returns the application's pitches; a pitch of 0 means no padding.
///
/// # Errors
/// Fails if rows or slices overlap, or a pitch is not allowed.
fn declared_pitches(
    texels: &image::Image,
    desc: &ImageDesc,
    has_pitches: bool,
) -> Outcome<Pitches> {
    let wrong = Status::INVALID_IMAGE_DESCRIPTOR;
    let ImageDesc {
        row_pitch,
        slice_pitch,
        ..
    } = *desc;
    if !has_pitches && (row_pitch != 0 || slice_pitch != 0) {
        return Err(wrong);
    }
    let [width, height, _] = texels.size;
    let texel = texels.format.bytes();
    let bytes = width * texel;
    let row = if row_pitch == 0 { bytes } else { row_pitch };
    if row < bytes || !row.is_multiple_of(texel) {
        return Err(wrong);
    }
    let dense = row.checked_mul(height).ok_or(wrong)?;
    // Images without slices ignore the slice pitch.
    let slice = match slice_pitch {
        0 => dense,
        _ if !texels.geometry.has_slices() => dense,
        slice => slice,
    };
    if slice < dense || !slice.is_multiple_of(row) {
        return Err(wrong);
    }
    Ok(Pitches { row, slice })
}

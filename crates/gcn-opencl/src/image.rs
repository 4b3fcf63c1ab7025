//! Images: their kinds and descriptions as the headers have them.

use gcn_runtime::image::{self, BoxSize, DeviceFormat, Geometry, ImageError, Pitches};

use crate::abi::*;
use crate::format::named;
use crate::info::Info;
use crate::status::{Outcome, Status};

/// Texels that a row of an image of a buffer is a multiple of, so that it is a multiple of 256 bytes.
pub(crate) const PITCH_ALIGN: usize = 256;

/// The kind of a number of the headers.
///
/// # Errors
/// `CL_INVALID_VALUE`.
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

/// Number of a kind in the headers.
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

/// The names of all types in OpenCL C.
pub(crate) fn type_names() -> impl Iterator<Item = &'static str> {
    // Images of depths have types of their own.
    let depths = ["image2d_depth_t", "image2d_array_depth_t"];
    Geometry::ALL.into_iter().map(type_name).chain(depths)
}

/// The name of a kind's type in OpenCL C.
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
    /// The kind, `CL_MEM_OBJECT_IMAGE2D`.
    pub kind: u32,
    /// Texels of a row.
    pub width: usize,
    /// Rows.
    pub height: usize,
    /// Slices.
    pub depth: usize,
    /// Images of an array.
    pub array_size: usize,
    /// Bytes from a row to the next, of the program's memory or of a buffer.
    pub row_pitch: usize,
    /// Bytes from a slice to the next.
    pub slice_pitch: usize,
    /// Levels, of which there are none but the first.
    pub mip_levels: u32,
    /// Samples of a texel.
    pub samples: u32,
    /// The buffer or image whose memory it is, or 0.
    pub memory: usize,
}

/// An image without its memory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Image {
    /// The image as devices have it.
    pub(crate) texels: image::Image,
    /// Distances as the program gave them, or without padding.
    pub(crate) declared: Pitches,
}

impl Image {
    /// An image of a description, with rows for devices; `has_pitches` if the program may give distances.
    ///
    /// # Errors
    /// The specification's for sizes, distances and the rest.
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
            declared: declared(&texels, desc, has_pitches)?,
        })
    }

    /// The image in a buffer, whose rows have the distance that the program gave.
    ///
    /// # Errors
    /// It is not for devices.
    pub(crate) fn in_buffer(self) -> Outcome<Image> {
        let row = self.declared.row;
        let multiple = PITCH_ALIGN * self.texels.format.bytes();
        if self.texels.geometry == Geometry::D2 && !row.is_multiple_of(multiple) {
            return Err(Status::INVALID_IMAGE_FORMAT_DESCRIPTOR);
        }
        let texels = self.texels.with_row(row).map_err(status_of)?;
        Ok(Image { texels, ..self })
    }

    /// Origin and region of a command as a box of bytes.
    ///
    /// # Errors
    /// `CL_INVALID_VALUE`: they are beyond the image, or the region is empty.
    pub(crate) fn region(&self, origin: [usize; 3], size: [usize; 3]) -> Outcome<BoxSize> {
        self.texels.region(origin, size).map_err(status_of)
    }

    /// Distances of the rows and slices of a region in the program's memory, of which 0 stands for those without padding.
    ///
    /// # Errors
    /// `CL_INVALID_VALUE`: rows or slices overlap; there are no slices.
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
        // A slice of an array of lines is a line.
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

    /// The value of an attribute; `buffer` is what the image is made of.
    ///
    /// # Errors
    /// There is no such attribute.
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
                let named = named(format);
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

/// The specification's status for an image that devices do not have.
fn status_of(error: ImageError) -> Status {
    match error {
        ImageError::Format => Status::IMAGE_FORMAT_NOT_SUPPORTED,
        ImageError::Size => Status::INVALID_IMAGE_SIZE,
        ImageError::Pitch => Status::INVALID_IMAGE_DESCRIPTOR,
        ImageError::Region => Status::INVALID_VALUE,
    }
}

/// Distances of rows and slices that a program gives, or those without padding.
///
/// # Errors
/// Rows or slices overlap, or there must be no distances.
fn declared(texels: &image::Image, desc: &ImageDesc, has_pitches: bool) -> Outcome<Pitches> {
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
    // Other kinds ignore it.
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

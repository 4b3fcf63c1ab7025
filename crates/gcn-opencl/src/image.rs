//! Images: their kinds, sizes, and the places of texels in memory.

use gcn_isa::image::ImageDescriptor;

use crate::abi::*;
use crate::format::DeviceFormat;
use crate::info::Info;
use crate::status::{Outcome, Status};
use crate::transfer::{BoxSize, Pitches};

/// Texels of the largest image with rows.
pub(crate) const MAX_SIZE: usize = ImageDescriptor::MAX_SIZE as usize;
/// Slices of an image of three dimensions, and layers of an array.
pub(crate) const MAX_DEPTH: usize = ImageDescriptor::MAX_DEPTH as usize;
/// Texels of an image of a buffer.
pub(crate) const MAX_BUFFER: usize = 1 << 27;
/// Texels that a row of an image of a buffer is a multiple of, so that it is a multiple of 256 bytes.
pub(crate) const PITCH_ALIGN: usize = 256;
/// Bytes that the address of an image is a multiple of.
pub(crate) const ADDRESS_ALIGN: usize = 256;
/// Bytes and texels that rows of images are a multiple of, for devices of all generations.
const ROW_BYTES: usize = 256;
const ROW_TEXELS: usize = 64;

/// Kinds of images.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Geometry {
    D1,
    D1Array,
    D1Buffer,
    D2,
    D2Array,
    D3,
}

impl Geometry {
    /// The kind of a number of the headers.
    ///
    /// # Errors
    /// `CL_INVALID_VALUE`.
    pub(crate) fn numbered(kind: u32) -> Outcome<Geometry> {
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

    /// Number in the headers.
    pub(crate) fn number(self) -> u32 {
        match self {
            Geometry::D1 => CL_MEM_OBJECT_IMAGE1D,
            Geometry::D1Array => CL_MEM_OBJECT_IMAGE1D_ARRAY,
            Geometry::D1Buffer => CL_MEM_OBJECT_IMAGE1D_BUFFER,
            Geometry::D2 => CL_MEM_OBJECT_IMAGE2D,
            Geometry::D2Array => CL_MEM_OBJECT_IMAGE2D_ARRAY,
            Geometry::D3 => CL_MEM_OBJECT_IMAGE3D,
        }
    }

    /// True if there are rows.
    fn has_height(self) -> bool {
        matches!(self, Geometry::D2 | Geometry::D2Array | Geometry::D3)
    }

    fn is_array(self) -> bool {
        matches!(self, Geometry::D1Array | Geometry::D2Array)
    }

    /// True if there are slices, or images of an array.
    pub(crate) fn has_slices(self) -> bool {
        self.is_array() || self == Geometry::D3
    }

    /// The names of all types in OpenCL C.
    pub(crate) fn type_names() -> impl Iterator<Item = &'static str> {
        let all = [
            Geometry::D1,
            Geometry::D1Array,
            Geometry::D1Buffer,
            Geometry::D2,
            Geometry::D2Array,
            Geometry::D3,
        ];
        // Images of depths have types of their own.
        let depths = ["image2d_depth_t", "image2d_array_depth_t"];
        all.into_iter().map(Geometry::type_name).chain(depths)
    }

    /// The name of the type in OpenCL C.
    pub(crate) fn type_name(self) -> &'static str {
        match self {
            Geometry::D1 => "image1d_t",
            Geometry::D1Array => "image1d_array_t",
            Geometry::D1Buffer => "image1d_buffer_t",
            Geometry::D2 => "image2d_t",
            Geometry::D2Array => "image2d_array_t",
            Geometry::D3 => "image3d_t",
        }
    }

    /// True if images of this kind may have a format.
    pub(crate) fn takes(self, format: DeviceFormat) -> bool {
        self != Geometry::D1Buffer || !format.is_srgb() && !format.is_packed_short()
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
    pub(crate) format: DeviceFormat,
    pub(crate) geometry: Geometry,
    /// Texels in a row, rows, and slices or images of the array; 1 where the kind has none.
    pub(crate) size: [usize; 3],
    /// Distances as the program gave them, or without padding.
    pub(crate) declared: Pitches,
    /// Distances in memory of devices.
    pub(crate) pitches: Pitches,
}

impl Image {
    /// An image of a description, with rows for devices; `has_pitches` if the program may give distances.
    ///
    /// # Errors
    /// The specification's for sizes, distances and the rest.
    pub(crate) fn new(format: DeviceFormat, desc: &ImageDesc, has_pitches: bool) -> Outcome<Image> {
        let geometry = Geometry::numbered(desc.kind);
        let geometry = geometry.map_err(|_| Status::INVALID_IMAGE_DESCRIPTOR)?;
        if desc.mip_levels != 0 || desc.samples != 0 {
            return Err(Status::INVALID_IMAGE_DESCRIPTOR);
        }
        if !geometry.takes(format) {
            return Err(Status::IMAGE_FORMAT_NOT_SUPPORTED);
        }
        let most = match geometry {
            Geometry::D1Buffer => MAX_BUFFER,
            _ => MAX_SIZE,
        };
        let width = within(desc.width, most)?;
        let height = match geometry.has_height() {
            true => within(desc.height, MAX_SIZE)?,
            false => 1,
        };
        let slices = match geometry {
            Geometry::D3 => within(desc.depth, MAX_DEPTH)?,
            Geometry::D1Array | Geometry::D2Array => within(desc.array_size, MAX_DEPTH)?,
            _ => 1,
        };
        let declared = declared(format, geometry, desc, height, has_pitches)?;
        let row = match geometry {
            Geometry::D1Buffer => width * format.bytes(),
            _ => {
                let multiple = ROW_BYTES.max(ROW_TEXELS * format.bytes());
                (width * format.bytes()).next_multiple_of(multiple)
            }
        };
        Ok(Image {
            format,
            geometry,
            size: [width, height, slices],
            declared,
            pitches: Pitches {
                row,
                slice: row * height,
            },
        })
    }

    /// The image in a buffer, whose rows have the distance that the program gave.
    ///
    /// # Errors
    /// It is not for devices.
    pub(crate) fn in_buffer(self) -> Outcome<Image> {
        let row = self.declared.row;
        if self.geometry == Geometry::D2 && !row.is_multiple_of(PITCH_ALIGN * self.format.bytes()) {
            return Err(Status::INVALID_IMAGE_FORMAT_DESCRIPTOR);
        }
        Ok(Image {
            pitches: Pitches {
                row,
                slice: row * self.size[1],
            },
            ..self
        })
    }

    /// Bytes in memory of devices; too many become the most that there are.
    pub(crate) fn bytes(&self) -> usize {
        self.pitches.slice.saturating_mul(self.size[2])
    }

    /// Texels in a row, rows and slices as commands count them: the lines of an array are rows.
    fn extent(&self) -> [usize; 3] {
        match (self.geometry, self.size) {
            (Geometry::D1Array, [width, _, lines]) => [width, lines, 1],
            (_, size) => size,
        }
    }

    /// Distances of the rows that commands count.
    pub(crate) fn of_rows(&self, pitches: Pitches) -> Pitches {
        match self.geometry {
            Geometry::D1Array => Pitches {
                row: pitches.slice,
                slice: 0,
            },
            _ => pitches,
        }
    }

    /// All of the image.
    pub(crate) fn whole(&self) -> BoxSize {
        let [width, height, slices] = self.extent();
        BoxSize {
            origin: [0; 3],
            size: [width * self.format.bytes(), height, slices],
        }
    }

    /// Origin and region of a command as a box of bytes.
    ///
    /// # Errors
    /// `CL_INVALID_VALUE`: they are beyond the image, or the region is empty.
    pub(crate) fn region(&self, origin: [usize; 3], size: [usize; 3]) -> Outcome<BoxSize> {
        for ((origin, size), whole) in origin.into_iter().zip(size).zip(self.extent()) {
            let end = origin.checked_add(size).filter(|end| *end <= whole);
            if size == 0 || end.is_none() {
                return Err(Status::INVALID_VALUE);
            }
        }
        let texel = self.format.bytes();
        Ok(BoxSize {
            origin: [origin[0] * texel, origin[1], origin[2]],
            size: [size[0] * texel, size[1], size[2]],
        })
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
        if slice != 0 && !self.geometry.has_slices() {
            return Err(Status::INVALID_VALUE);
        }
        // A slice of an array of lines is a line.
        let rows = if self.geometry == Geometry::D1Array {
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
        Ok(self.of_rows(Pitches { row, slice }))
    }

    /// The value of an attribute; `buffer` is what the image is made of.
    ///
    /// # Errors
    /// There is no such attribute.
    pub(crate) fn info(&self, name: u32, buffer: Option<usize>) -> Outcome<Info> {
        let [width, height, slices] = self.size;
        let geometry = self.geometry;
        let only = |has: bool, value: usize| Info::from(if has { value } else { 0 });
        Ok(match name {
            CL_IMAGE_FORMAT => {
                let named = self.format.named();
                Info::array([named.order, named.kind])
            }
            CL_IMAGE_ELEMENT_SIZE => Info::from(self.format.bytes()),
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

/// A size of an image.
///
/// # Errors
/// It is 0, or too large.
fn within(size: usize, most: usize) -> Outcome<usize> {
    let is_valid = (1..=most).contains(&size);
    is_valid.then_some(size).ok_or(Status::INVALID_IMAGE_SIZE)
}

/// Distances of rows and slices that a program gives, or those without padding.
///
/// # Errors
/// Rows or slices overlap, or there must be no distances.
fn declared(
    format: DeviceFormat,
    geometry: Geometry,
    desc: &ImageDesc,
    height: usize,
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
    let bytes = desc.width * format.bytes();
    let row = if row_pitch == 0 { bytes } else { row_pitch };
    if row < bytes || !row.is_multiple_of(format.bytes()) {
        return Err(wrong);
    }
    let dense = row.checked_mul(height).ok_or(wrong)?;
    // Other kinds ignore it.
    let slice = match slice_pitch {
        0 => dense,
        _ if !geometry.has_slices() => dense,
        slice => slice,
    };
    if slice < dense || !slice.is_multiple_of(row) {
        return Err(wrong);
    }
    Ok(Pitches { row, slice })
}

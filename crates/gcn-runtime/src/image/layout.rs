//! Image sizes and texel layout in memory.

use gcn_isa::image::ImageDescriptor;
use thiserror::Error;

use super::format::DeviceFormat;
use super::region::{BoxSize, Pitches};

/// Maximum width and height of an image in texels; buffer images may be wider.
pub const MAX_SIZE: usize = ImageDescriptor::MAX_SIZE as usize;
/// Maximum depth of a 3D image, and maximum number of array layers.
pub const MAX_DEPTH: usize = ImageDescriptor::MAX_DEPTH as usize;
/// Maximum number of texels in a buffer image.
pub const MAX_BUFFER: usize = 1 << 27;
/// Required alignment of an image's address, in bytes.
pub const ADDRESS_ALIGN: usize = 256;
/// Required row alignment in bytes and in texels, sufficient for all generations.
const ROW_BYTES: usize = 256;
const ROW_TEXELS: usize = 64;

/// Dimensions of an image: 1D, 2D or 3D, an array, or a buffer.
///
/// # Examples
/// ```
/// use gcn_runtime::image::Geometry;
/// assert!(Geometry::D1Array.is_array() && Geometry::D1Array.has_slices());
/// assert!(Geometry::D3.has_slices() && !Geometry::D3.is_array());
/// assert_eq!(Geometry::D2.max_size(), [16384, 16384, 1]);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs)]
pub enum Geometry {
    D1,
    D1Array,
    /// 1D image in a buffer, which kernels access with buffer instructions.
    D1Buffer,
    D2,
    D2Array,
    D3,
}

impl Geometry {
    /// All geometries.
    pub const ALL: [Geometry; 6] = [
        Geometry::D1,
        Geometry::D1Array,
        Geometry::D1Buffer,
        Geometry::D2,
        Geometry::D2Array,
        Geometry::D3,
    ];

    /// True if images of this geometry have a height.
    pub const fn has_height(self) -> bool {
        matches!(self, Geometry::D2 | Geometry::D2Array | Geometry::D3)
    }

    /// True if images of this geometry have array layers.
    pub const fn is_array(self) -> bool {
        matches!(self, Geometry::D1Array | Geometry::D2Array)
    }

    /// True if images of this geometry have slices or array layers.
    pub const fn has_slices(self) -> bool {
        self.is_array() || matches!(self, Geometry::D3)
    }

    /// Returns the maximum width, height, and number of slices or layers; 1 for dimensions that the geometry lacks.
    pub const fn max_size(self) -> [usize; 3] {
        let width = match self {
            Geometry::D1Buffer => MAX_BUFFER,
            _ => MAX_SIZE,
        };
        let height = if self.has_height() { MAX_SIZE } else { 1 };
        let slices = if self.has_slices() { MAX_DEPTH } else { 1 };
        [width, height, slices]
    }

    /// True if images of this geometry support a format.
    ///
    /// # Examples
    /// ```
    /// use gcn_runtime::image::{ChannelOrder, ChannelType, DeviceFormat, Geometry};
    /// let format = DeviceFormat::new(ChannelOrder::Srgba, ChannelType::UnormInt8).expect("a format");
    /// assert!(Geometry::D1.takes(format) && !Geometry::D1Buffer.takes(format));
    /// ```
    pub const fn takes(self, format: DeviceFormat) -> bool {
        !matches!(self, Geometry::D1Buffer) || !format.is_srgb() && !format.is_packed_short()
    }
}

/// Error for an unsupported image.
///
/// # Examples
/// ```
/// use gcn_runtime::image::{ChannelOrder, ChannelType, DeviceFormat, Geometry, Image, ImageError};
/// let format = DeviceFormat::new(ChannelOrder::R, ChannelType::Float).expect("a format");
/// let wide = Image::new(format, Geometry::D2, [20000, 1, 1]);
/// assert_eq!(wide.err(), Some(ImageError::Size));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Error)]
pub enum ImageError {
    /// The geometry does not support the format.
    #[error("images of this kind do not support the format")]
    Format,
    /// A size is 0 or too large.
    #[error("a size of the image is 0 or too large")]
    Size,
    /// Rows or slices overlap or start within a texel, or devices do not support the pitch.
    #[error("the pitch of rows or slices is invalid")]
    Pitch,
    /// A region is empty or outside the image.
    #[error("the region is empty or not within the image")]
    Region,
}

/// Description of an image, without its memory.
///
/// # Examples
/// ```
/// use gcn_runtime::image::{ChannelOrder, ChannelType, DeviceFormat, Geometry, Image};
/// let format = DeviceFormat::new(ChannelOrder::Rgba, ChannelType::Float).expect("a format");
/// let image = Image::new(format, Geometry::D2Array, [3, 5, 2])?;
/// assert_eq!((image.pitches.row, image.pitches.slice), (1024, 5 * 1024));
/// assert_eq!(image.bytes(), 2 * 5 * 1024);
/// # Ok::<(), gcn_runtime::image::ImageError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Image {
    /// Texel format.
    pub format: DeviceFormat,
    /// Image geometry.
    pub geometry: Geometry,
    /// Width, height, and number of slices or layers; 1 for dimensions that the geometry lacks.
    pub size: [usize; 3],
    /// Pitches in device memory.
    pub pitches: Pitches,
}

impl Image {
    /// Creates an image whose row pitch suits devices of all generations. Sizes in dimensions that the geometry lacks
    /// are ignored.
    ///
    /// # Errors
    /// Returns [`ImageError::Format`] or [`ImageError::Size`] for an unsupported format or size.
    pub fn new(
        format: DeviceFormat,
        geometry: Geometry,
        size: [usize; 3],
    ) -> Result<Image, ImageError> {
        if !geometry.takes(format) {
            return Err(ImageError::Format);
        }
        let [width, height, slices] = size;
        let height = if geometry.has_height() { height } else { 1 };
        let slices = if geometry.has_slices() { slices } else { 1 };
        let size = [width, height, slices];
        let mut limits = size.into_iter().zip(geometry.max_size());
        if !limits.all(|(size, most)| (1..=most).contains(&size)) {
            return Err(ImageError::Size);
        }
        let row = match geometry {
            Geometry::D1Buffer => width * format.bytes(),
            _ => {
                let multiple = ROW_BYTES.max(ROW_TEXELS * format.bytes());
                (width * format.bytes()).next_multiple_of(multiple)
            }
        };
        let slice = row * height;
        Ok(Image {
            format,
            geometry,
            size,
            pitches: Pitches { row, slice },
        })
    }

    /// Changes the row pitch. Slices become contiguous.
    ///
    /// # Errors
    /// Returns [`ImageError::Pitch`] if rows overlap or start within a texel. A [descriptor](Image::descriptor) may
    /// have stricter requirements.
    ///
    /// # Examples
    /// ```
    /// use gcn_runtime::image::{ChannelOrder, ChannelType, DeviceFormat, Geometry, Image, ImageError};
    /// let format = DeviceFormat::new(ChannelOrder::R, ChannelType::Float).expect("a format");
    /// let image = Image::new(format, Geometry::D2, [100, 50, 1])?;
    /// assert_eq!(image.with_row(1024)?.bytes(), 50 * 1024);
    /// assert_eq!(image.with_row(396), Err(ImageError::Pitch));
    /// # Ok::<(), ImageError>(())
    /// ```
    pub fn with_row(self, row: usize) -> Result<Image, ImageError> {
        let texel = self.format.bytes();
        let [width, height, _] = self.size;
        let slice = row.checked_mul(height).ok_or(ImageError::Pitch)?;
        if row < width * texel || !row.is_multiple_of(texel) {
            return Err(ImageError::Pitch);
        }
        Ok(Image {
            pitches: Pitches { row, slice },
            ..self
        })
    }

    /// Returns the size in device memory, in bytes. Saturates on overflow.
    pub fn bytes(&self) -> usize {
        self.pitches.slice.saturating_mul(self.size[2])
    }

    /// Returns width, number of rows and number of slices as used in copies: layers of a 1D array count as rows.
    fn extent(&self) -> [usize; 3] {
        match (self.geometry, self.size) {
            (Geometry::D1Array, [width, _, layers]) => [width, layers, 1],
            (_, size) => size,
        }
    }

    /// Converts pitches of the image to those used in copies: layers of a 1D array count as rows.
    ///
    /// # Examples
    /// ```
    /// use gcn_runtime::image::{ChannelOrder, ChannelType, DeviceFormat, Geometry, Image, Pitches};
    /// let format = DeviceFormat::new(ChannelOrder::R, ChannelType::Float).expect("a format");
    /// let image = Image::new(format, Geometry::D1Array, [64, 1, 3])?;
    /// assert_eq!(image.of_rows(image.pitches), Pitches { row: 256, slice: 0 });
    /// # Ok::<(), gcn_runtime::image::ImageError>(())
    /// ```
    pub fn of_rows(&self, pitches: Pitches) -> Pitches {
        match self.geometry {
            Geometry::D1Array => Pitches {
                row: pitches.slice,
                slice: 0,
            },
            _ => pitches,
        }
    }

    /// Returns the box that contains the whole image.
    ///
    /// # Examples
    /// ```
    /// use gcn_runtime::image::{ChannelOrder, ChannelType, DeviceFormat, Geometry, Image};
    /// let format = DeviceFormat::new(ChannelOrder::R, ChannelType::Float).expect("a format");
    /// let image = Image::new(format, Geometry::D1Array, [64, 1, 3])?;
    /// assert_eq!(image.whole().size, [256, 3, 1]);
    /// # Ok::<(), gcn_runtime::image::ImageError>(())
    /// ```
    pub fn whole(&self) -> BoxSize {
        let [width, height, slices] = self.extent();
        BoxSize {
            origin: [0; 3],
            size: [width * self.format.bytes(), height, slices],
        }
    }

    /// Converts origin and size of a texel region to a box in bytes.
    ///
    /// # Errors
    /// Returns [`ImageError::Region`] if the region is empty or outside the image.
    ///
    /// # Examples
    /// ```
    /// use gcn_runtime::image::{ChannelOrder, ChannelType, DeviceFormat, Geometry, Image, ImageError};
    /// let format = DeviceFormat::new(ChannelOrder::R, ChannelType::Float).expect("a format");
    /// let image = Image::new(format, Geometry::D2, [64, 8, 1])?;
    /// assert_eq!(image.region([1, 2, 0], [3, 4, 1])?.size, [12, 4, 1]);
    /// assert_eq!(image.region([1, 6, 0], [3, 4, 1]), Err(ImageError::Region));
    /// # Ok::<(), ImageError>(())
    /// ```
    pub fn region(&self, origin: [usize; 3], size: [usize; 3]) -> Result<BoxSize, ImageError> {
        for ((origin, size), whole) in origin.into_iter().zip(size).zip(self.extent()) {
            let end = origin.checked_add(size).filter(|end| *end <= whole);
            if size == 0 || end.is_none() {
                return Err(ImageError::Region);
            }
        }
        let texel = self.format.bytes();
        Ok(BoxSize {
            origin: [origin[0] * texel, origin[1], origin[2]],
            size: [size[0] * texel, size[1], size[2]],
        })
    }
}

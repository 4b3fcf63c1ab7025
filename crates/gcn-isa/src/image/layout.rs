//! Linear images: distances between rows, layers and levels (errata E322).

use std::fmt;

use super::{COMPONENTS, ImageDescriptor, ImageKind, Select, texel_format_of};
use crate::target::Isa;

/// TILING_INDEX of linear images up to GCN 1.2, according to the drivers' tiling tables.
const LINEAR_INDEX: u8 = 8;
/// SW_MODE of linear images on GCN 1.4.
const LINEAR_MODE: u8 = 0;
/// Row alignment in bytes on GCN 1.4.
const ROW_BYTES_GFX9: u32 = 256;
/// Row alignment in bytes, up to GCN 1.2.
const ROW_BYTES: u32 = 64;
/// Row alignment in texels, up to GCN 1.2.
const ROW_TEXELS: u32 = 8;
/// Alignment of a layer's size in bytes, up to GCN 1.2.
const LAYER_BYTES: u64 = 256;
/// Alignment of a layer's size in texels, up to GCN 1.2.
const LAYER_TEXELS: u64 = 64;
/// Maximum number of levels.
const LEVELS: u8 = 16;
const FACES: u32 = 6;

/// Layout of a level of a linear image. Distances are in bytes.
///
/// # Examples
/// ```
/// use gcn_isa::Isa;
/// use gcn_isa::image::{ImageDescriptor, ImageKind, number_format, texel_format};
/// let format = (texel_format::IMG_DATA_FORMAT_32, number_format::IMG_NUM_FORMAT_UINT);
/// let layers = ImageDescriptor::linear(Isa::Gfx9, ImageKind::D2Array, format, [100, 50, 4])?;
/// let layout = layers.layout(Isa::Gfx9)?;
/// assert_eq!((layout.texel, layout.row, layout.layer), (4, 512, 50 * 512));
/// assert_eq!(layout.offset(3, 2, 1), 50 * 512 + 2 * 512 + 3 * 4);
/// assert_eq!((layout.bytes(), layers.bytes(Isa::Gfx9)?), (4 * layout.layer, 4 * layout.layer));
/// # Ok::<(), gcn_isa::image::LayoutError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ImageLayout {
    /// Bytes per texel.
    pub texel: u32,
    /// Distance between rows.
    pub row: u64,
    /// Distance between layers.
    pub layer: u64,
    /// Offset of the level's first texel from the image's address.
    pub level: u64,
    /// Width of the level in texels.
    pub width: u32,
    /// Height of the level in rows.
    pub height: u32,
    /// Number of layers of the level, or depth of a three-dimensional image.
    pub depth: u32,
}

impl ImageLayout {
    /// Offset of a texel from the image's address.
    pub fn offset(&self, x: u32, y: u32, z: u32) -> u64 {
        self.level
            + u64::from(z) * self.layer
            + u64::from(y) * self.row
            + u64::from(x) * u64::from(self.texel)
    }

    /// Size of all layers in bytes. On GCN 1.4, layers include all levels.
    pub fn bytes(&self) -> u64 {
        u64::from(self.depth) * self.layer
    }
}

/// Reason why the layout of an image is not supported.
///
/// # Examples
/// ```
/// use gcn_isa::Isa;
/// use gcn_isa::image::{ImageDescriptor, ImageKind, LayoutError, number_format, texel_format};
/// let format = (texel_format::IMG_DATA_FORMAT_32, number_format::IMG_NUM_FORMAT_UINT);
/// let image = ImageDescriptor::linear(Isa::Gfx9, ImageKind::D2, format, [64, 64, 1])?;
/// let tiled = ImageDescriptor { tiling: 10, ..image }.layout(Isa::Gfx9);
/// assert_eq!(tiled, Err(LayoutError::Tiled(10)));
/// let of_buffer = ImageDescriptor { kind: 0, ..image }.kind();
/// assert_eq!(of_buffer.map_err(|e| e.to_string()), Err("no image has TYPE 0".to_owned()));
/// # Ok::<(), LayoutError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum LayoutError {
    /// TYPE is not an image kind.
    Kind(u8),
    /// Texels have multiple samples.
    Samples,
    /// The data format is reserved or not supported.
    Format(u8),
    /// Texels are tiled: TILING_INDEX or SW_MODE.
    Tiled(u8),
    /// Texels are compressed.
    Compressed,
    /// PITCH is too small or not aligned.
    Pitch {
        /// Row pitch in texels.
        pitch: u32,
        /// Required alignment in texels.
        multiple: u32,
    },
    /// PITCH of a GCN 1.4 image with multiple levels is not the number of rows per layer.
    Rows {
        /// PITCH in rows.
        stated: u32,
        /// Required number of rows per layer.
        needed: u32,
    },
    /// A size is zero or exceeds the descriptor's field.
    Size,
    /// The image has no such level.
    Level(u8),
}

impl fmt::Display for LayoutError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LayoutError::Kind(number) => write!(f, "no image has TYPE {number}"),
            LayoutError::Samples => f.write_str("images with several samples are not executed"),
            LayoutError::Format(number) => {
                write!(f, "texels of data format {number} are not executed")
            }
            LayoutError::Tiled(number) => {
                write!(f, "images in tiles are not executed: arrangement {number}")
            }
            LayoutError::Compressed => f.write_str("compressed images are not executed"),
            LayoutError::Pitch { pitch, multiple } => write!(
                f,
                "a row of {pitch} texels is too short or no multiple of {multiple}"
            ),
            LayoutError::Rows { stated, needed } => {
                write!(f, "a layer of {needed} rows has a PITCH of {stated} rows")
            }
            LayoutError::Size => f.write_str("a size of the image is out of range"),
            LayoutError::Level(level) => write!(f, "the image has no level {level}"),
        }
    }
}

impl std::error::Error for LayoutError {}

const fn linear(isa: Isa) -> u8 {
    if matches!(isa, Isa::Gfx9 | Isa::Vega12 | Isa::Vega20) {
        LINEAR_MODE
    } else {
        LINEAR_INDEX
    }
}

/// Row alignment in texels; 12-byte texels are handled as three of 4 bytes each.
fn row_multiple(isa: Isa, texel: u32) -> u32 {
    let element = if texel.is_power_of_two() { texel } else { 4 };
    if isa >= Isa::Gfx9 {
        ROW_BYTES_GFX9 / element
    } else {
        (ROW_BYTES / element).max(ROW_TEXELS)
    }
}

impl ImageDescriptor {
    /// Maximum width and height.
    pub const MAX_SIZE: u32 = 1 << 14;
    /// Maximum depth and number of layers.
    pub const MAX_DEPTH: u32 = 1 << 13;

    /// Descriptor of a linear image at address 0 with one level and the minimum row pitch. `size` is the width in
    /// texels, the height in rows, and the number of layers (arrays, cubes) or the depth.
    ///
    /// # Errors
    /// [`LayoutError`], if the format is not supported or a size is out of range.
    pub fn linear(
        isa: Isa,
        kind: ImageKind,
        (data_format, number_format): (u8, u8),
        size: [u32; 3],
    ) -> Result<ImageDescriptor, LayoutError> {
        let [width, height, depth] = size;
        let format = texel_format_of(data_format).filter(|format| format.bytes != 0);
        let texel = format.ok_or(LayoutError::Format(data_format))?.bytes.into();
        let sizes = [
            (width, Self::MAX_SIZE),
            (height, Self::MAX_SIZE),
            (depth, Self::MAX_DEPTH),
        ];
        if sizes.iter().any(|&(size, most)| size == 0 || size > most) {
            return Err(LayoutError::Size);
        }
        let has_layers = kind.has_layers();
        let mut pitch = width.next_multiple_of(row_multiple(isa, texel));
        if isa < Isa::Gfx9 {
            while !is_whole_layer(texel, pitch, height) {
                pitch += row_multiple(isa, texel);
            }
        }
        Ok(ImageDescriptor {
            address: 0,
            kind: kind as u8,
            data_format,
            number_format,
            select: Select::XYZW,
            width,
            height,
            depth,
            pitch,
            first_layer: 0,
            last_layer: if has_layers || isa >= Isa::Gfx9 {
                depth - 1
            } else {
                0
            },
            base_level: 0,
            last_level: 0,
            max_level: 0,
            min_lod: 0,
            tiling: linear(isa),
            pow2_pad: false,
            border_swizzle: 0,
            compressed: false,
        })
    }

    /// Replaces the sources of loaded components.
    ///
    /// # Examples
    /// ```
    /// use gcn_isa::Isa;
    /// use gcn_isa::image::{ImageDescriptor, ImageKind, Select, number_format, texel_format};
    /// // Memory holds blue first; registers receive red first.
    /// let bgra = [Select::Z, Select::Y, Select::X, Select::W];
    /// let format = (texel_format::IMG_DATA_FORMAT_8_8_8_8, number_format::IMG_NUM_FORMAT_UNORM);
    /// let image = ImageDescriptor::linear(Isa::Vi, ImageKind::D2, format, [64, 64, 1])?.selecting(bgra);
    /// assert_eq!(image.words(Isa::Vi)[3] & 0xfff, 0b111_100_101_110);
    /// # Ok::<(), gcn_isa::image::LayoutError>(())
    /// ```
    pub const fn selecting(mut self, select: [Select; COMPONENTS]) -> ImageDescriptor {
        self.select = select;
        self
    }

    /// Kind of the image.
    ///
    /// # Errors
    /// [`LayoutError::Kind`], if TYPE is not an image kind.
    pub fn kind(&self) -> Result<ImageKind, LayoutError> {
        ImageKind::numbered(self.kind.into()).ok_or(LayoutError::Kind(self.kind))
    }

    /// Layout of level 0.
    ///
    /// # Errors
    /// See [`ImageDescriptor::layout_of`].
    pub fn layout(&self, isa: Isa) -> Result<ImageLayout, LayoutError> {
        self.layout_of(isa, 0)
    }

    /// Size of the image in bytes, including all layers and levels.
    ///
    /// # Errors
    /// See [`ImageDescriptor::layout_of`].
    pub fn bytes(&self, isa: Isa) -> Result<u64, LayoutError> {
        let first = self.layout_of(isa, 0)?;
        if isa >= Isa::Gfx9 {
            return Ok(first.bytes());
        }
        let last = self.layout_of(isa, self.max_level)?;
        Ok(last.level + self.stored_layers(self.max_level) * last.layer)
    }

    /// Layout of level `level`; 0 is the image's first level.
    ///
    /// # Errors
    /// [`LayoutError`], if the layout is not supported or the level does not exist.
    ///
    /// # Examples
    /// ```
    /// use gcn_isa::Isa;
    /// use gcn_isa::image::{ImageDescriptor, ImageKind, LayoutError, number_format, texel_format};
    /// let format = (texel_format::IMG_DATA_FORMAT_32, number_format::IMG_NUM_FORMAT_UINT);
    /// let base = ImageDescriptor::linear(Isa::Gfx9, ImageKind::D2, format, [16, 16, 1])?;
    /// // Two levels: the second has 8 rows, below the 16 of the first.
    /// let image = ImageDescriptor { max_level: 1, last_level: 1, pitch: 16 + 8, ..base };
    /// let second = image.layout_of(Isa::Gfx9, 1)?;
    /// assert_eq!((second.width, second.height, second.level), (8, 8, 16 * second.row));
    /// assert_eq!(image.layout_of(Isa::Gfx9, 2), Err(LayoutError::Level(2)));
    /// # Ok::<(), LayoutError>(())
    /// ```
    pub fn layout_of(&self, isa: Isa, level: u8) -> Result<ImageLayout, LayoutError> {
        let kind = self.kind()?;
        if kind.has_samples() {
            return Err(LayoutError::Samples);
        }
        let format = texel_format_of(self.data_format);
        let format = format.ok_or(LayoutError::Format(self.data_format))?;
        if self.tiling != linear(isa) {
            return Err(LayoutError::Tiled(self.tiling));
        }
        if self.compressed {
            return Err(LayoutError::Compressed);
        }
        if level > self.max_level || level >= LEVELS {
            return Err(LayoutError::Level(level));
        }
        let texel = u32::from(format.bytes);
        let multiple = row_multiple(isa, texel.max(1));
        let height = if kind.dimensions() == 1 {
            1
        } else {
            self.height
        };
        let depth = match kind {
            ImageKind::D3 => (self.depth >> level).max(1),
            ImageKind::D1 | ImageKind::D2 | ImageKind::D2Msaa => 1,
            ImageKind::Cube | ImageKind::D1Array | ImageKind::D2Array | ImageKind::D2MsaaArray => {
                self.last_layer + 1
            }
        };
        let in_level = ImageLayout {
            texel,
            row: 0,
            layer: 0,
            level: 0,
            width: (self.width >> level).max(1),
            height: (height >> level).max(1),
            depth,
        };
        if isa >= Isa::Gfx9 {
            self.layout_by_layer(in_level, height, level, multiple)
        } else {
            self.layout_by_level(in_level, height, level, multiple)
        }
    }

    /// GCN 1.4: a layer contains its levels one below the other, all with the same row pitch.
    fn layout_by_layer(
        &self,
        in_level: ImageLayout,
        height: u32,
        level: u8,
        multiple: u32,
    ) -> Result<ImageLayout, LayoutError> {
        let has_levels = self.max_level > 0;
        let pitch = if has_levels {
            self.width.next_multiple_of(multiple)
        } else {
            self.pitch
        };
        check_pitch(pitch, self.width, multiple)?;
        let (mut rows, mut above, mut next) = (0, 0, height);
        for number in 0..=self.max_level {
            if number == level {
                above = rows;
            }
            rows += next;
            next = next.div_ceil(2).max(1);
        }
        if has_levels && self.pitch != rows {
            return Err(LayoutError::Rows {
                stated: self.pitch,
                needed: rows,
            });
        }
        let row = u64::from(pitch) * u64::from(in_level.texel);
        Ok(ImageLayout {
            row,
            layer: row * u64::from(rows),
            level: row * u64::from(above),
            ..in_level
        })
    }

    /// GCN 1.0 to 1.2: a level contains all of its layers, and is followed by the next level. Levels after the first
    /// are padded to powers of two.
    fn layout_by_level(
        &self,
        in_level: ImageLayout,
        height: u32,
        level: u8,
        multiple: u32,
    ) -> Result<ImageLayout, LayoutError> {
        let mut begin = 0;
        for number in 0..=level {
            let padded = |size: u32| {
                if self.pow2_pad || number > 0 {
                    size.next_power_of_two()
                } else {
                    size
                }
            };
            let rows = padded((height >> number).max(1));
            let mut pitch = if number == 0 {
                self.pitch
            } else {
                padded((self.pitch >> number).max(1)).next_multiple_of(multiple)
            };
            if number == 0 {
                check_pitch(pitch, self.width, multiple)?;
            } else {
                while !is_whole_layer(in_level.texel, pitch, rows) {
                    pitch += multiple;
                }
            }
            let row = u64::from(pitch) * u64::from(in_level.texel);
            let layer = row * u64::from(rows);
            if number == level {
                return Ok(ImageLayout {
                    row,
                    layer,
                    level: begin,
                    ..in_level
                });
            }
            begin = (begin + layer * self.stored_layers(number)).next_multiple_of(LAYER_BYTES);
        }
        Err(LayoutError::Level(level))
    }

    /// Number of layers that a level occupies in memory, including padding, up to GCN 1.2.
    fn stored_layers(&self, level: u8) -> u64 {
        let is_d3 = self.kind == ImageKind::D3 as u8;
        let layers = match ImageKind::numbered(self.kind.into()) {
            Some(ImageKind::D3) => (self.depth >> level).max(1),
            // A cube has six faces, regardless of DEPTH.
            Some(ImageKind::Cube) => self.depth.max(self.last_layer + 1).max(FACES),
            _ => self.depth.max(self.last_layer + 1),
        };
        let is_cube = self.kind == ImageKind::Cube as u8;
        let is_padded = self.pow2_pad || level > 0 && (is_d3 || !is_cube);
        let layers = if is_padded {
            layers.next_power_of_two()
        } else {
            layers
        };
        layers.into()
    }
}

fn check_pitch(pitch: u32, width: u32, multiple: u32) -> Result<(), LayoutError> {
    if pitch >= width && pitch.is_multiple_of(multiple) {
        Ok(())
    } else {
        Err(LayoutError::Pitch { pitch, multiple })
    }
}

/// True if the size of a layer of `rows` rows has the alignment required up to GCN 1.2.
fn is_whole_layer(texel: u32, pitch: u32, rows: u32) -> bool {
    let element = if texel.is_power_of_two() { texel } else { 4 };
    let multiple = (LAYER_BYTES / u64::from(element)).max(LAYER_TEXELS);
    (u64::from(pitch) * u64::from(rows)).is_multiple_of(multiple)
}

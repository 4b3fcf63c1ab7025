//! Images without tiles: distances of rows, layers and levels (errata E322).

use std::fmt;

use super::{COMPONENTS, ImageDescriptor, ImageKind, Select, texel_format_of};
use crate::target::Isa;

/// The arrangement without tiles: TILING_INDEX up to GCN 1.2, where drivers fill the table of arrangements so, and SW_MODE on 1.4.
const LINEAR_INDEX: u8 = 8;
const LINEAR_MODE: u8 = 0;
/// Bytes that a row is a multiple of, on GCN 1.4 and before.
const ROW_BYTES_GFX9: u32 = 256;
const ROW_BYTES: u32 = 64;
/// Texels that a row is a multiple of, up to GCN 1.2.
const ROW_TEXELS: u32 = 8;
/// Bytes and texels that a layer is a multiple of, up to GCN 1.2.
const LAYER_BYTES: u64 = 256;
const LAYER_TEXELS: u64 = 64;
/// Levels of an image, at most.
const LEVELS: u8 = 16;
/// Faces of a cube.
const FACES: u32 = 6;

/// Distances within a level of an image without tiles, in bytes.
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
    /// Bytes of a texel.
    pub texel: u32,
    /// From a row to the next.
    pub row: u64,
    /// From a layer to the next.
    pub layer: u64,
    /// From the image's address to the level's first texel.
    pub level: u64,
    /// Texels in a row of the level.
    pub width: u32,
    /// Rows of a layer of the level.
    pub height: u32,
    /// Layers of the level: of images of three dimensions their depth.
    pub depth: u32,
}

impl ImageLayout {
    /// Distance of a texel from the image's address.
    pub fn offset(&self, x: u32, y: u32, z: u32) -> u64 {
        self.level
            + u64::from(z) * self.layer
            + u64::from(y) * self.row
            + u64::from(x) * u64::from(self.texel)
    }

    /// Bytes of the level's layers.
    pub fn bytes(&self) -> u64 {
        u64::from(self.depth) * self.layer
    }
}

/// Reason for which an image has no layout here.
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
    /// The number is no image's kind.
    Kind(u8),
    /// Texels have several samples.
    Samples,
    /// The data format is reserved, or its texels are packed in blocks.
    Format(u8),
    /// Texels are arranged in tiles: a TILING_INDEX, or an SW_MODE.
    Tiled(u8),
    /// Texels are compressed.
    Compressed,
    /// Rows are too short, or no multiple of what the instruction set wants: a number of texels.
    Pitch {
        /// Texels of a row.
        pitch: u32,
        /// Texels that a row is a multiple of.
        multiple: u32,
    },
    /// A size is beyond the descriptor's field.
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
            LayoutError::Size => f.write_str("a size of the image is out of range"),
            LayoutError::Level(level) => write!(f, "the image has no level {level}"),
        }
    }
}

impl std::error::Error for LayoutError {}

/// The arrangement without tiles.
const fn linear(isa: Isa) -> u8 {
    if matches!(isa, Isa::Gfx9 | Isa::Vega12 | Isa::Vega20) {
        LINEAR_MODE
    } else {
        LINEAR_INDEX
    }
}

/// Texels that a row is a multiple of; texels of 12 bytes are three of 4 each.
fn row_multiple(isa: Isa, texel: u32) -> u32 {
    let element = if texel.is_power_of_two() { texel } else { 4 };
    if isa >= Isa::Gfx9 {
        ROW_BYTES_GFX9 / element
    } else {
        (ROW_BYTES / element).max(ROW_TEXELS)
    }
}

impl ImageDescriptor {
    /// The largest width and height.
    pub const MAX_SIZE: u32 = 1 << 14;
    /// The largest depth, and number of layers.
    pub const MAX_DEPTH: u32 = 1 << 13;

    /// A descriptor of an image without tiles, with one level and rows as short as the instruction set allows, at address 0. `size` has texels
    /// in a row, rows, and layers of arrays, cubes and images of three dimensions.
    ///
    /// # Errors
    /// [`LayoutError`], if the format's texels are not executed or a size is out of range.
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

    /// The same image with other sources of the components that are loaded.
    ///
    /// # Examples
    /// ```
    /// use gcn_isa::Isa;
    /// use gcn_isa::image::{ImageDescriptor, ImageKind, Select, number_format, texel_format};
    /// // Memory has blue first, registers get red first.
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

    /// The kind of the image.
    ///
    /// # Errors
    /// [`LayoutError::Kind`].
    pub fn kind(&self) -> Result<ImageKind, LayoutError> {
        ImageKind::numbered(self.kind.into()).ok_or(LayoutError::Kind(self.kind))
    }

    /// Distances in level 0.
    ///
    /// # Errors
    /// See [`ImageDescriptor::layout_of`].
    pub fn layout(&self, isa: Isa) -> Result<ImageLayout, LayoutError> {
        self.layout_of(isa, 0)
    }

    /// Bytes of the image from its address on, all layers and levels.
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

    /// Distances in a level, whose number counts from the image's first one.
    ///
    /// # Errors
    /// The image is arranged in a way that is not executed, or has no such level.
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
            self.in_chain(in_level, height, level, multiple)
        } else {
            self.behind_levels(in_level, height, level, multiple)
        }
    }

    /// GCN 1.4: a layer has its levels one below the other, all with the same distance of rows.
    fn in_chain(
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
            return Err(LayoutError::Pitch {
                pitch: self.pitch,
                multiple: rows,
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

    /// GCN 1.0 to 1.2: a level has its layers, one behind the other, and the next level is behind them. Levels are padded to powers of two.
    fn behind_levels(
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

    /// Layers that a level has in memory, up to GCN 1.2.
    fn stored_layers(&self, level: u8) -> u64 {
        let is_d3 = self.kind == ImageKind::D3 as u8;
        let layers = match ImageKind::numbered(self.kind.into()) {
            Some(ImageKind::D3) => (self.depth >> level).max(1),
            // A cube has its faces, whatever DEPTH says.
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

/// True if a layer of these rows is as long as up to GCN 1.2 one must be.
fn is_whole_layer(texel: u32, pitch: u32, rows: u32) -> bool {
    let element = if texel.is_power_of_two() { texel } else { 4 };
    let multiple = (LAYER_BYTES / u64::from(element)).max(LAYER_TEXELS);
    (u64::from(pitch) * u64::from(rows)).is_multiple_of(multiple)
}

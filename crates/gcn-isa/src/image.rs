//! Descriptors of images (T#) and samplers (S#), which image instructions read from scalar registers: fields, texel
//! formats, and layout of linear images.
//!
//! To create a descriptor, fill in an [`ImageDescriptor`] and take its [`words`](ImageDescriptor::words); the emulator
//! decodes the words. Some fields have other widths or meanings on GCN 1.4 than before.
//!
//! ```
//! use gcn_isa::Isa;
//! use gcn_isa::image::{ImageDescriptor, ImageKind, number_format, texel_format};
//!
//! let format = (texel_format::IMG_DATA_FORMAT_8_8_8_8, number_format::IMG_NUM_FORMAT_UNORM);
//! let image = ImageDescriptor::linear(Isa::Gfx9, ImageKind::D2, format, [100, 50, 1])?.at(0x1000_0000);
//! let layout = image.layout(Isa::Gfx9)?;
//! assert_eq!((layout.texel, layout.row), (4, 512));
//! assert_eq!(ImageDescriptor::from_words(Isa::Gfx9, image.words(Isa::Gfx9)), image);
//! # Ok::<(), gcn_isa::image::LayoutError>(())
//! ```
//!
//! Sources: AMD's Southern Islands, Sea Islands, GCN3 and Vega manuals, section "Vector Memory Image Instructions";
//! ROCR-Runtime's and Mesa's uses of SQ_IMG_RSRC_WORD0 to 7 and SQ_IMG_SAMP_WORD0 to 3; errata E320–E322.

mod format;
mod bits;
mod address;
mod layout;
mod sampler;

use crate::target::Isa;

use bits::{DescriptorField, get, set};

pub use address::{AddressLayout, AddressPart};
pub use format::{
    COMPONENT_WIDTHS, COMPONENTS, TexelFormat, number_format, number_format_name, texel_format,
    texel_format_of,
};
pub use layout::{ImageLayout, LayoutError};
pub use sampler::{
    BorderColor, Clamp, MipFilter, Reduction, SAMPLER_DWORDS, SamplerDescriptor, TexelFilter,
};

/// Size of an image descriptor in dwords.
pub const IMAGE_DWORDS: usize = 8;
/// Size in dwords of an image descriptor with R128, which is the first half of a full descriptor.
pub const SHORT_IMAGE_DWORDS: usize = 4;
/// Number of low address bits that a descriptor does not store.
pub const ADDRESS_SHIFT: u32 = 8;

/// Image kind: the field TYPE.
///
/// # Examples
/// ```
/// use gcn_isa::image::ImageKind;
/// assert_eq!((ImageKind::numbered(11), ImageKind::numbered(0)), (Some(ImageKind::Cube), None));
/// assert!(ImageKind::Cube.dimensions() == 2 && ImageKind::Cube.has_layers(), "a cube's layers are its faces");
/// assert!(ImageKind::D3.dimensions() == 3 && !ImageKind::D3.has_layers());
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
#[allow(missing_docs)]
pub enum ImageKind {
    D1 = 8,
    D2 = 9,
    D3 = 10,
    /// Six square faces.
    Cube = 11,
    /// Array of one-dimensional layers.
    D1Array = 12,
    /// Array of two-dimensional layers.
    D2Array = 13,
    /// Multiple samples per texel.
    D2Msaa = 14,
    /// Array of layers with multiple samples per texel.
    D2MsaaArray = 15,
}

impl ImageKind {
    /// Kind by number; `None` if the number is not an image kind.
    pub const fn numbered(number: u32) -> Option<ImageKind> {
        Some(match number {
            8 => ImageKind::D1,
            9 => ImageKind::D2,
            10 => ImageKind::D3,
            11 => ImageKind::Cube,
            12 => ImageKind::D1Array,
            13 => ImageKind::D2Array,
            14 => ImageKind::D2Msaa,
            15 => ImageKind::D2MsaaArray,
            _ => return None,
        })
    }

    /// Number of dimensions of a layer: 1, 2 or 3.
    pub const fn dimensions(self) -> usize {
        match self {
            ImageKind::D1 | ImageKind::D1Array => 1,
            ImageKind::D2
            | ImageKind::Cube
            | ImageKind::D2Array
            | ImageKind::D2Msaa
            | ImageKind::D2MsaaArray => 2,
            ImageKind::D3 => 3,
        }
    }

    /// True if a coordinate selects a layer or a face.
    pub const fn has_layers(self) -> bool {
        matches!(
            self,
            ImageKind::Cube | ImageKind::D1Array | ImageKind::D2Array | ImageKind::D2MsaaArray
        )
    }

    /// True if there are multiple samples per texel.
    pub const fn has_samples(self) -> bool {
        matches!(self, ImageKind::D2Msaa | ImageKind::D2MsaaArray)
    }
}

/// Source of a component that an instruction loads: DST_SEL.
///
/// # Examples
/// ```
/// use gcn_isa::image::Select;
/// assert_eq!((Select::Y.component(), Select::One.component()), (Some(1), None));
/// assert_eq!((Select::numbered(7), Select::numbered(2)), (Select::W, Select::Zero));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[repr(u8)]
#[allow(missing_docs)]
pub enum Select {
    #[default]
    Zero = 0,
    One = 1,
    X = 4,
    Y = 5,
    Z = 6,
    W = 7,
}

impl Select {
    /// Selection of the components in the format's order.
    pub const XYZW: [Select; COMPONENTS] = [Select::X, Select::Y, Select::Z, Select::W];

    /// Selection by number; reserved numbers select zero.
    pub const fn numbered(number: u32) -> Select {
        match number {
            1 => Select::One,
            4 => Select::X,
            5 => Select::Y,
            6 => Select::Z,
            7 => Select::W,
            _ => Select::Zero,
        }
    }

    /// Index of the format's component; `None` for a constant.
    pub const fn component(self) -> Option<usize> {
        match self {
            Select::Zero | Select::One => None,
            Select::X => Some(0),
            Select::Y => Some(1),
            Select::Z => Some(2),
            Select::W => Some(3),
        }
    }
}

/// Image descriptor (T#). Sizes are those of level 0.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ImageDescriptor {
    /// Address of the first texel, a multiple of 256 below 2^48.
    pub address: u64,
    /// Number of the kind (TYPE), see [`ImageKind`].
    pub kind: u8,
    /// Number of the data format, see [`texel_format`].
    pub data_format: u8,
    /// Number of the number format, see [`number_format`].
    pub number_format: u8,
    /// Source of each loaded component.
    pub select: [Select; COMPONENTS],
    /// Width in texels.
    pub width: u32,
    /// Height in rows; 1 for one-dimensional images.
    pub height: u32,
    /// Depth of a three-dimensional image; for arrays and cubes, the number of layers (up to GCN 1.2), or the index
    /// of the last layer plus one (GCN 1.4).
    pub depth: u32,
    /// Distance between rows, in texels. On GCN 1.4, if the image has more than one level, this is instead the number
    /// of rows in a layer, including all its levels (errata E322).
    pub pitch: u32,
    /// First accessible layer.
    pub first_layer: u32,
    /// Last accessible layer.
    pub last_layer: u32,
    /// First accessible level; levels of detail are relative to it.
    pub base_level: u8,
    /// Last accessible level; for multisampled images, the base-2 logarithm of the number of samples.
    pub last_level: u8,
    /// Last level of the image. Only GCN 1.4 has a field for it; elsewhere it equals `last_level`.
    pub max_level: u8,
    /// Minimum level of detail, in steps of 1/256.
    pub min_lod: u16,
    /// Tiling mode: TILING_INDEX up to GCN 1.2, SW_MODE on GCN 1.4.
    pub tiling: u8,
    /// True if level 0, too, is padded to powers of two; up to GCN 1.2.
    pub pow2_pad: bool,
    /// Order of the border color's components (BC_SWIZZLE); GCN 1.4 only.
    pub border_swizzle: u8,
    /// True if texels are compressed; GCN 1.2 and later.
    pub compressed: bool,
}

const BASE_ADDRESS: DescriptorField = DescriptorField::new(0, 0, 32);
const BASE_ADDRESS_HI: DescriptorField = DescriptorField::new(1, 0, 8);
const MIN_LOD: DescriptorField = DescriptorField::new(1, 8, 12);
const DATA_FORMAT: DescriptorField = DescriptorField::new(1, 20, 6);
const NUM_FORMAT: DescriptorField = DescriptorField::new(1, 26, 4);
const WIDTH: DescriptorField = DescriptorField::new(2, 0, 14);
const HEIGHT: DescriptorField = DescriptorField::new(2, 14, 14);
const DST_SEL: [DescriptorField; COMPONENTS] = [
    DescriptorField::new(3, 0, 3),
    DescriptorField::new(3, 3, 3),
    DescriptorField::new(3, 6, 3),
    DescriptorField::new(3, 9, 3),
];
const BASE_LEVEL: DescriptorField = DescriptorField::new(3, 12, 4);
const LAST_LEVEL: DescriptorField = DescriptorField::new(3, 16, 4);
/// SW_MODE on GCN 1.4.
const TILING_INDEX: DescriptorField = DescriptorField::new(3, 20, 5);
const POW2_PAD: DescriptorField = DescriptorField::new(3, 25, 1);
const TYPE: DescriptorField = DescriptorField::new(3, 28, 4);
const DEPTH: DescriptorField = DescriptorField::new(4, 0, 13);
const PITCH: DescriptorField = DescriptorField::new(4, 13, 14);
const PITCH_GFX9: DescriptorField = DescriptorField::new(4, 13, 16);
const BC_SWIZZLE_GFX9: DescriptorField = DescriptorField::new(4, 29, 3);
const BASE_ARRAY: DescriptorField = DescriptorField::new(5, 0, 13);
const LAST_ARRAY: DescriptorField = DescriptorField::new(5, 13, 13);
const MAX_MIP_GFX9: DescriptorField = DescriptorField::new(5, 28, 4);
const COMPRESSION_EN: DescriptorField = DescriptorField::new(6, 21, 1);

impl ImageDescriptor {
    /// Decodes a descriptor from its words.
    pub fn from_words(isa: Isa, words: [u32; IMAGE_DWORDS]) -> ImageDescriptor {
        let get = |bits| get(&words, bits);
        let is_gfx9 = isa >= Isa::Gfx9;
        let address = u64::from(get(BASE_ADDRESS_HI)) << u32::BITS | u64::from(get(BASE_ADDRESS));
        let depth = get(DEPTH) + 1;
        let last_level = get(LAST_LEVEL) as u8;
        ImageDescriptor {
            address: address << ADDRESS_SHIFT,
            kind: get(TYPE) as u8,
            data_format: get(DATA_FORMAT) as u8,
            number_format: get(NUM_FORMAT) as u8,
            select: DST_SEL.map(|bits| Select::numbered(get(bits))),
            width: get(WIDTH) + 1,
            height: get(HEIGHT) + 1,
            depth,
            pitch: get(if is_gfx9 { PITCH_GFX9 } else { PITCH }) + 1,
            first_layer: get(BASE_ARRAY),
            last_layer: if is_gfx9 { depth - 1 } else { get(LAST_ARRAY) },
            base_level: get(BASE_LEVEL) as u8,
            last_level,
            max_level: if is_gfx9 {
                get(MAX_MIP_GFX9) as u8
            } else {
                last_level
            },
            min_lod: get(MIN_LOD) as u16,
            tiling: get(TILING_INDEX) as u8,
            pow2_pad: !is_gfx9 && get(POW2_PAD) != 0,
            border_swizzle: if is_gfx9 {
                get(BC_SWIZZLE_GFX9) as u8
            } else {
                0
            },
            compressed: isa >= Isa::Vi && get(COMPRESSION_EN) != 0,
        }
    }

    /// Decodes a descriptor of four words (R128, up to GCN 1.2): one or two dimensions, no layers, rows without
    /// padding (errata E321).
    ///
    /// # Examples
    /// ```
    /// use gcn_isa::Isa;
    /// use gcn_isa::image::{ImageDescriptor, ImageKind, number_format, texel_format};
    /// let format = (texel_format::IMG_DATA_FORMAT_32, number_format::IMG_NUM_FORMAT_UINT);
    /// let image = ImageDescriptor::linear(Isa::Vi, ImageKind::D2, format, [100, 50, 1])?;
    /// let [a, b, c, d, ..] = image.words(Isa::Vi);
    /// let short = ImageDescriptor::from_short_words(Isa::Vi, [a, b, c, d]);
    /// assert_eq!((image.pitch, short.pitch, short.width), (128, 100, 100));
    /// # Ok::<(), gcn_isa::image::LayoutError>(())
    /// ```
    pub fn from_short_words(isa: Isa, words: [u32; SHORT_IMAGE_DWORDS]) -> ImageDescriptor {
        let [a, b, c, d] = words;
        let all = ImageDescriptor::from_words(isa, [a, b, c, d, 0, 0, 0, 0]);
        ImageDescriptor {
            pitch: all.width,
            ..all
        }
    }

    /// Encodes the descriptor. Omits fields that the instruction set lacks and truncates values to their fields; fields
    /// without a member (caching, performance, counters) are 0.
    ///
    /// # Examples
    /// ```
    /// use gcn_isa::Isa;
    /// use gcn_isa::image::{ImageDescriptor, ImageKind, number_format, texel_format};
    /// let format = (texel_format::IMG_DATA_FORMAT_32, number_format::IMG_NUM_FORMAT_UINT);
    /// let image = ImageDescriptor::linear(Isa::Gfx9, ImageKind::D2, format, [100, 50, 1])?;
    /// let [low, _, size, kind, ..] = image.at(0x12_3456_7800).words(Isa::Gfx9);
    /// assert_eq!((low, size), (0x1234_5678, 49 << 14 | 99));
    /// assert_eq!(kind >> 28, ImageKind::D2 as u32);
    /// # Ok::<(), gcn_isa::image::LayoutError>(())
    /// ```
    pub fn words(&self, isa: Isa) -> [u32; IMAGE_DWORDS] {
        let mut words = [0; IMAGE_DWORDS];
        let mut set = |bits, value| set(&mut words, bits, value);
        let address = self.address >> ADDRESS_SHIFT;
        set(BASE_ADDRESS, address as u32);
        set(BASE_ADDRESS_HI, (address >> u32::BITS) as u32);
        set(MIN_LOD, self.min_lod.into());
        set(DATA_FORMAT, self.data_format.into());
        set(NUM_FORMAT, self.number_format.into());
        set(WIDTH, self.width.wrapping_sub(1));
        set(HEIGHT, self.height.wrapping_sub(1));
        for (bits, select) in DST_SEL.into_iter().zip(self.select) {
            set(bits, select as u32);
        }
        set(BASE_LEVEL, self.base_level.into());
        set(LAST_LEVEL, self.last_level.into());
        set(TILING_INDEX, self.tiling.into());
        set(TYPE, self.kind.into());
        set(BASE_ARRAY, self.first_layer);
        if isa >= Isa::Gfx9 {
            let is_d3 = self.kind == ImageKind::D3 as u8;
            let depth = if is_d3 {
                self.depth.wrapping_sub(1)
            } else {
                self.last_layer
            };
            set(DEPTH, depth);
            set(PITCH_GFX9, self.pitch.wrapping_sub(1));
            set(BC_SWIZZLE_GFX9, self.border_swizzle.into());
            set(MAX_MIP_GFX9, self.max_level.into());
        } else {
            set(DEPTH, self.depth.wrapping_sub(1));
            set(PITCH, self.pitch.wrapping_sub(1));
            set(LAST_ARRAY, self.last_layer);
            set(POW2_PAD, self.pow2_pad.into());
        }
        if isa >= Isa::Vi {
            set(COMPRESSION_EN, self.compressed.into());
        }
        words
    }

    /// Bit mask of the components that texels can store; a store may supply any value for the others.
    ///
    /// # Examples
    /// ```
    /// use gcn_isa::Isa;
    /// use gcn_isa::image::{ImageDescriptor, ImageKind, Select, number_format, texel_format};
    /// let format = (texel_format::IMG_DATA_FORMAT_32, number_format::IMG_NUM_FORMAT_FLOAT);
    /// let image = ImageDescriptor::linear(Isa::Gfx9, ImageKind::D2, format, [64, 64, 1])?;
    /// assert_eq!(image.stored_components(), 0b0001);
    /// let alpha = [Select::Zero, Select::Zero, Select::Zero, Select::X];
    /// assert_eq!(image.selecting(alpha).stored_components(), 0b1000);
    /// # Ok::<(), gcn_isa::image::LayoutError>(())
    /// ```
    pub fn stored_components(&self) -> u8 {
        let widths = texel_format_of(self.data_format).map_or([0; COMPONENTS], |it| it.widths);
        let present = (0..COMPONENTS).filter(|n| widths[*n] != 0);
        // If a component is selected twice, the first selection is stored (errata E202).
        let sources = present.filter_map(|n| {
            let mut select = self.select.iter();
            select.position(|select| select.component() == Some(n))
        });
        sources.fold(0, |mask, component| mask | 1 << component)
    }

    /// Returns the descriptor with another address, a multiple of 256.
    pub const fn at(mut self, address: u64) -> ImageDescriptor {
        self.address = address;
        self
    }
}

#[cfg(test)]
mod tests;

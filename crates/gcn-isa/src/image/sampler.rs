//! Sampler descriptors (S#).

use super::bits::{DescriptorField, get, set};

/// Size of a sampler descriptor in dwords.
pub const SAMPLER_DWORDS: usize = 4;

/// Addressing mode for coordinates outside the image: the fields CLAMP_X, CLAMP_Y and CLAMP_Z. The names in parentheses
/// omit the prefix SQ_TEX_.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[repr(u8)]
pub enum Clamp {
    /// Repeats the image (WRAP).
    #[default]
    Wrap = 0,
    /// Repeats the image, mirrored (MIRROR).
    Mirror = 1,
    /// Clamps to the edge texel (CLAMP_LAST_TEXEL).
    LastTexel = 2,
    /// Mirrors the image once, then clamps to the edge texel (MIRROR_ONCE_LAST_TEXEL).
    MirrorOnceLastTexel = 3,
    /// Blends edge texel and border equally (CLAMP_HALF_BORDER).
    HalfBorder = 4,
    /// Mirrors the image once, then blends edge texel and border equally (MIRROR_ONCE_HALF_BORDER).
    MirrorOnceHalfBorder = 5,
    /// Uses the border color (CLAMP_BORDER).
    Border = 6,
    /// Mirrors the image once, then uses the border color (MIRROR_ONCE_BORDER).
    MirrorOnceBorder = 7,
}

impl Clamp {
    const fn numbered(number: u32) -> Clamp {
        match number & 7 {
            0 => Clamp::Wrap,
            1 => Clamp::Mirror,
            2 => Clamp::LastTexel,
            3 => Clamp::MirrorOnceLastTexel,
            4 => Clamp::HalfBorder,
            5 => Clamp::MirrorOnceHalfBorder,
            6 => Clamp::Border,
            _ => Clamp::MirrorOnceBorder,
        }
    }
}

/// Filter within a level: XY_MAG_FILTER, XY_MIN_FILTER.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[repr(u8)]
pub enum TexelFilter {
    /// Nearest texel.
    #[default]
    Point = 0,
    /// Linear interpolation between neighboring texels.
    Linear = 1,
    /// Anisotropic with point filtering: several points along the longer axis of the pixel's footprint.
    AnisotropicPoint = 2,
    /// Anisotropic with linear filtering.
    AnisotropicLinear = 3,
}

impl TexelFilter {
    const fn numbered(number: u32) -> TexelFilter {
        match number & 3 {
            0 => TexelFilter::Point,
            1 => TexelFilter::Linear,
            2 => TexelFilter::AnisotropicPoint,
            _ => TexelFilter::AnisotropicLinear,
        }
    }

    /// True if neighboring texels are interpolated.
    pub const fn is_linear(self) -> bool {
        matches!(self, TexelFilter::Linear | TexelFilter::AnisotropicLinear)
    }
}

/// Filter between levels (MIP_FILTER), or in the third dimension (Z_FILTER).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[repr(u8)]
pub enum MipFilter {
    /// Base level; in the third dimension, the filter of the other dimensions.
    #[default]
    None = 0,
    /// Nearest level.
    Point = 1,
    /// Linear interpolation between the two nearest levels.
    Linear = 2,
    /// Nearest level, adjusted for anisotropic filtering (GCN 1.2 and 1.4).
    PointAdjusted = 3,
}

impl MipFilter {
    const fn numbered(number: u32) -> MipFilter {
        match number & 3 {
            0 => MipFilter::None,
            1 => MipFilter::Point,
            2 => MipFilter::Linear,
            _ => MipFilter::PointAdjusted,
        }
    }
}

/// Reduction of filtered texels (FILTER_MODE).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[repr(u8)]
pub enum Reduction {
    /// Weighted sum.
    #[default]
    Blend = 0,
    /// Minimum of the texels.
    Minimum = 1,
    /// Maximum of the texels.
    Maximum = 2,
    /// Reserved.
    Reserved = 3,
}

impl Reduction {
    const fn numbered(number: u32) -> Reduction {
        match number & 3 {
            0 => Reduction::Blend,
            1 => Reduction::Minimum,
            2 => Reduction::Maximum,
            _ => Reduction::Reserved,
        }
    }
}

/// Border color (BORDER_COLOR_TYPE).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[repr(u8)]
pub enum BorderColor {
    /// 0, 0, 0, 0.
    #[default]
    TransparentBlack = 0,
    /// 0, 0, 0, 1.
    OpaqueBlack = 1,
    /// 1, 1, 1, 1.
    OpaqueWhite = 2,
    /// Entry BORDER_COLOR_PTR of a table in memory.
    Table = 3,
}

impl BorderColor {
    const fn numbered(number: u32) -> BorderColor {
        match number & 3 {
            0 => BorderColor::TransparentBlack,
            1 => BorderColor::OpaqueBlack,
            2 => BorderColor::OpaqueWhite,
            _ => BorderColor::Table,
        }
    }
}

/// Sampler descriptor (S#).
///
/// # Examples
/// ```
/// use gcn_isa::image::{Clamp, TexelFilter, SamplerDescriptor};
/// let sampler = SamplerDescriptor {
///     clamp: [Clamp::LastTexel; 3],
///     mag_filter: TexelFilter::Linear,
///     min_filter: TexelFilter::Linear,
///     ..SamplerDescriptor::default()
/// };
/// assert!(sampler.mag_filter.is_linear());
/// assert_eq!(sampler.words(), [0x92, 0xfff << 12, 0x5 << 20, 0]);
/// assert_eq!(SamplerDescriptor::from_words(sampler.words()), sampler);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct SamplerDescriptor {
    /// Addressing mode in each dimension.
    pub clamp: [Clamp; 3],
    /// Base-2 logarithm of the maximum anisotropy.
    pub max_aniso_ratio: u8,
    /// Comparison of the reference with texels (DEPTH_COMPARE_FUNC), from 0: never, <, =, ≤, >, ≠, ≥, always.
    pub compare: u8,
    /// True if coordinates are in texels (FORCE_UNNORMALIZED).
    pub unnormalized: bool,
    /// True if point filters truncate coordinates instead of rounding them at the last fraction bit (TRUNC_COORD).
    pub truncates: bool,
    /// True if filters do not cross the edges of cube faces (DISABLE_CUBE_WRAP).
    pub no_cube_wrap: bool,
    /// Reduction of filtered texels.
    pub reduction: Reduction,
    /// Minimum level of detail, in steps of 1/256.
    pub min_lod: u16,
    /// Maximum level of detail, in steps of 1/256.
    pub max_lod: u16,
    /// Bias added to levels of detail, in steps of 1/256.
    pub lod_bias: i16,
    /// Magnification filter.
    pub mag_filter: TexelFilter,
    /// Minification filter.
    pub min_filter: TexelFilter,
    /// Filter in the third dimension.
    pub z_filter: MipFilter,
    /// Filter between levels.
    pub mip_filter: MipFilter,
    /// Border color.
    pub border: BorderColor,
    /// Index of the border color in the table.
    pub border_index: u16,
}

/// Point sampler of a single level, with normalized coordinates that wrap.
impl Default for SamplerDescriptor {
    fn default() -> SamplerDescriptor {
        SamplerDescriptor {
            clamp: [Clamp::Wrap; 3],
            max_aniso_ratio: 0,
            compare: 0,
            unnormalized: false,
            truncates: false,
            no_cube_wrap: false,
            reduction: Reduction::Blend,
            min_lod: 0,
            max_lod: MAX_LOD.ones() as u16,
            lod_bias: 0,
            mag_filter: TexelFilter::Point,
            min_filter: TexelFilter::Point,
            z_filter: MipFilter::None,
            mip_filter: MipFilter::None,
            border: BorderColor::TransparentBlack,
            border_index: 0,
        }
    }
}

const CLAMP: [DescriptorField; 3] = [
    DescriptorField::new(0, 0, 3),
    DescriptorField::new(0, 3, 3),
    DescriptorField::new(0, 6, 3),
];
const MAX_ANISO_RATIO: DescriptorField = DescriptorField::new(0, 9, 3);
const DEPTH_COMPARE_FUNC: DescriptorField = DescriptorField::new(0, 12, 3);
const FORCE_UNNORMALIZED: DescriptorField = DescriptorField::new(0, 15, 1);
const TRUNC_COORD: DescriptorField = DescriptorField::new(0, 27, 1);
const DISABLE_CUBE_WRAP: DescriptorField = DescriptorField::new(0, 28, 1);
const FILTER_MODE: DescriptorField = DescriptorField::new(0, 29, 2);
const MIN_LOD: DescriptorField = DescriptorField::new(1, 0, 12);
const MAX_LOD: DescriptorField = DescriptorField::new(1, 12, 12);
const LOD_BIAS: DescriptorField = DescriptorField::new(2, 0, 14);
const XY_MAG_FILTER: DescriptorField = DescriptorField::new(2, 20, 2);
const XY_MIN_FILTER: DescriptorField = DescriptorField::new(2, 22, 2);
const Z_FILTER: DescriptorField = DescriptorField::new(2, 24, 2);
const MIP_FILTER: DescriptorField = DescriptorField::new(2, 26, 2);
const BORDER_COLOR_PTR: DescriptorField = DescriptorField::new(3, 0, 12);
const BORDER_COLOR_TYPE: DescriptorField = DescriptorField::new(3, 30, 2);

impl SamplerDescriptor {
    /// Decodes a descriptor; the format is the same on all generations.
    pub fn from_words(words: [u32; SAMPLER_DWORDS]) -> SamplerDescriptor {
        let get = |bits| get(&words, bits);
        /// Number of bits of an `i16` above the 14 bits of LOD_BIAS.
        const ABOVE: u32 = 2;
        SamplerDescriptor {
            clamp: CLAMP.map(|bits| Clamp::numbered(get(bits))),
            max_aniso_ratio: get(MAX_ANISO_RATIO) as u8,
            compare: get(DEPTH_COMPARE_FUNC) as u8,
            unnormalized: get(FORCE_UNNORMALIZED) != 0,
            truncates: get(TRUNC_COORD) != 0,
            no_cube_wrap: get(DISABLE_CUBE_WRAP) != 0,
            reduction: Reduction::numbered(get(FILTER_MODE)),
            min_lod: get(MIN_LOD) as u16,
            max_lod: get(MAX_LOD) as u16,
            lod_bias: (get(LOD_BIAS) << ABOVE) as i16 >> ABOVE,
            mag_filter: TexelFilter::numbered(get(XY_MAG_FILTER)),
            min_filter: TexelFilter::numbered(get(XY_MIN_FILTER)),
            z_filter: MipFilter::numbered(get(Z_FILTER)),
            mip_filter: MipFilter::numbered(get(MIP_FILTER)),
            border: BorderColor::numbered(get(BORDER_COLOR_TYPE)),
            border_index: get(BORDER_COLOR_PTR) as u16,
        }
    }

    /// Encodes the descriptor. Values are truncated to their fields; fields without a member are 0.
    pub fn words(&self) -> [u32; SAMPLER_DWORDS] {
        let mut words = [0; SAMPLER_DWORDS];
        let mut set = |bits, value| set(&mut words, bits, value);
        for (bits, clamp) in CLAMP.into_iter().zip(self.clamp) {
            set(bits, clamp as u32);
        }
        set(MAX_ANISO_RATIO, self.max_aniso_ratio.into());
        set(DEPTH_COMPARE_FUNC, self.compare.into());
        set(FORCE_UNNORMALIZED, self.unnormalized.into());
        set(TRUNC_COORD, self.truncates.into());
        set(DISABLE_CUBE_WRAP, self.no_cube_wrap.into());
        set(FILTER_MODE, self.reduction as u32);
        set(MIN_LOD, self.min_lod.into());
        set(MAX_LOD, self.max_lod.into());
        set(LOD_BIAS, self.lod_bias as u32);
        set(XY_MAG_FILTER, self.mag_filter as u32);
        set(XY_MIN_FILTER, self.min_filter as u32);
        set(Z_FILTER, self.z_filter as u32);
        set(MIP_FILTER, self.mip_filter as u32);
        set(BORDER_COLOR_TYPE, self.border as u32);
        set(BORDER_COLOR_PTR, self.border_index.into());
        words
    }
}

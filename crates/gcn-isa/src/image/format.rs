//! Texel formats: numbers, names, and components.
//!
//! Data formats below 16 are also data formats of typed buffers.

use crate::target::{Isa, Numbering};

/// Maximum number of components of a texel.
pub const COMPONENTS: usize = 4;
const DATA_FORMATS: usize = 64;

/// A data format: the division of a texel into components.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TexelFormat {
    /// Number of the format.
    pub number: u8,
    /// Name as in the manuals, with the most significant component first.
    pub name: &'static str,
    /// Width of each component in bits, lowest first; 0 for missing components.
    pub widths: [u8; COMPONENTS],
    /// Bytes per texel.
    pub bytes: u8,
}

macro_rules! texel_formats {
    ($($number:literal $NAME:ident [$($width:literal)*] $bytes:literal;)*) => {
        /// Data formats of images by name.
        #[allow(missing_docs)]
        pub mod texel_format {
            $(pub const $NAME: u8 = $number;)*
        }

        const TEXEL_FORMATS: &[TexelFormat] = &[$(
            TexelFormat {
                number: $number,
                name: stringify!($NAME),
                widths: [$($width),*],
                bytes: $bytes,
            },
        )*];
    };
}

#[rustfmt::skip]
texel_formats! {
//  number                             bits            bytes
    0  IMG_DATA_FORMAT_INVALID         [ 0  0  0  0]   0;
    1  IMG_DATA_FORMAT_8               [ 8  0  0  0]   1;
    2  IMG_DATA_FORMAT_16              [16  0  0  0]   2;
    3  IMG_DATA_FORMAT_8_8             [ 8  8  0  0]   2;
    4  IMG_DATA_FORMAT_32              [32  0  0  0]   4;
    5  IMG_DATA_FORMAT_16_16           [16 16  0  0]   4;
    6  IMG_DATA_FORMAT_10_11_11        [11 11 10  0]   4;
    7  IMG_DATA_FORMAT_11_11_10        [10 11 11  0]   4;
    8  IMG_DATA_FORMAT_10_10_10_2      [ 2 10 10 10]   4;
    9  IMG_DATA_FORMAT_2_10_10_10      [10 10 10  2]   4;
    10 IMG_DATA_FORMAT_8_8_8_8         [ 8  8  8  8]   4;
    11 IMG_DATA_FORMAT_32_32           [32 32  0  0]   8;
    12 IMG_DATA_FORMAT_16_16_16_16     [16 16 16 16]   8;
    13 IMG_DATA_FORMAT_32_32_32        [32 32 32  0]  12;
    14 IMG_DATA_FORMAT_32_32_32_32     [32 32 32 32]  16;
    16 IMG_DATA_FORMAT_5_6_5           [ 5  6  5  0]   2;
    17 IMG_DATA_FORMAT_1_5_5_5         [ 5  5  5  1]   2;
    18 IMG_DATA_FORMAT_5_5_5_1         [ 1  5  5  5]   2;
    19 IMG_DATA_FORMAT_4_4_4_4         [ 4  4  4  4]   2;
    20 IMG_DATA_FORMAT_8_24            [24  8  0  0]   4;
    21 IMG_DATA_FORMAT_24_8            [ 8 24  0  0]   4;
    22 IMG_DATA_FORMAT_X24_8_32        [32  8  0  0]   8;
    // The fourth component is the shared exponent.
    34 IMG_DATA_FORMAT_5_9_9_9         [ 9  9  9  5]   4;
    57 IMG_DATA_FORMAT_4_4             [ 4  4  0  0]   1;
    58 IMG_DATA_FORMAT_6_5_5           [ 5  5  6  0]   2;
}

/// Component widths in bits by data format, lowest component first; 0 for formats that are not supported.
/// Numbers below 16 are also data formats of typed buffers.
pub const COMPONENT_WIDTHS: [[u8; COMPONENTS]; DATA_FORMATS] = {
    let mut widths = [[0; COMPONENTS]; DATA_FORMATS];
    let mut n = 0;
    while n < TEXEL_FORMATS.len() {
        widths[TEXEL_FORMATS[n].number as usize] = TEXEL_FORMATS[n].widths;
        n += 1;
    }
    widths
};

/// Data format by number; `None` if it is reserved or not supported, for example because it is block-compressed.
///
/// # Examples
/// ```
/// use gcn_isa::image::{texel_format, texel_format_of};
/// let format = texel_format_of(texel_format::IMG_DATA_FORMAT_5_6_5).expect("a supported format");
/// assert_eq!((format.name, format.widths, format.bytes), ("IMG_DATA_FORMAT_5_6_5", [5, 6, 5, 0], 2));
/// assert_eq!(texel_format_of(35), None, "IMG_DATA_FORMAT_BC1 compresses blocks");
/// ```
pub fn texel_format_of(number: u8) -> Option<&'static TexelFormat> {
    TEXEL_FORMATS.iter().find(|format| format.number == number)
}

/// Number formats of images, which interpret components. Numbers below 8 are also number formats of typed buffers.
#[allow(missing_docs)]
pub mod number_format {
    pub const IMG_NUM_FORMAT_UNORM: u8 = 0;
    pub const IMG_NUM_FORMAT_SNORM: u8 = 1;
    pub const IMG_NUM_FORMAT_USCALED: u8 = 2;
    pub const IMG_NUM_FORMAT_SSCALED: u8 = 3;
    pub const IMG_NUM_FORMAT_UINT: u8 = 4;
    pub const IMG_NUM_FORMAT_SINT: u8 = 5;
    /// Up to GCN 1.1.
    pub const IMG_NUM_FORMAT_SNORM_OGL: u8 = 6;
    pub const IMG_NUM_FORMAT_FLOAT: u8 = 7;
    /// The first three components use the sRGB transfer function.
    pub const IMG_NUM_FORMAT_SRGB: u8 = 9;
}

/// Name of a number format; `None` if it is reserved.
///
/// # Examples
/// ```
/// use gcn_isa::{Isa, image::number_format_name};
/// assert_eq!(number_format_name(Isa::Ci, 6), Some("IMG_NUM_FORMAT_SNORM_OGL"));
/// assert_eq!(number_format_name(Isa::Vi, 6), None);
/// ```
pub const fn number_format_name(isa: Isa, number: u8) -> Option<&'static str> {
    use number_format::*;
    Some(match number {
        IMG_NUM_FORMAT_UNORM => "IMG_NUM_FORMAT_UNORM",
        IMG_NUM_FORMAT_SNORM => "IMG_NUM_FORMAT_SNORM",
        IMG_NUM_FORMAT_USCALED => "IMG_NUM_FORMAT_USCALED",
        IMG_NUM_FORMAT_SSCALED => "IMG_NUM_FORMAT_SSCALED",
        IMG_NUM_FORMAT_UINT => "IMG_NUM_FORMAT_UINT",
        IMG_NUM_FORMAT_SINT => "IMG_NUM_FORMAT_SINT",
        IMG_NUM_FORMAT_SNORM_OGL if matches!(isa.numbering(), Numbering::SiCi) => {
            "IMG_NUM_FORMAT_SNORM_OGL"
        }
        IMG_NUM_FORMAT_FLOAT => "IMG_NUM_FORMAT_FLOAT",
        IMG_NUM_FORMAT_SRGB => "IMG_NUM_FORMAT_SRGB",
        _ => return None,
    })
}

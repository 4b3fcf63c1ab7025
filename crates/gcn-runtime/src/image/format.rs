//! Image formats and their encoding in descriptors.
//!
//! Includes all formats of AMD's runtimes except depth formats, and all that OpenCL requires. Depth formats are missing
//! because the device library (5.2.3) returns four components of a depth, although the load writes only one.

use gcn_isa::image::Select::{self, One, W, X, Y, Z, Zero};
use gcn_isa::image::{number_format as number, texel_format as texel};

/// Interpretation of a channel's bits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum ChannelNumber {
    /// Fraction from 0 to 1.
    Unorm,
    /// Fraction from -1 to 1.
    Snorm,
    /// Unsigned integer.
    Unsigned,
    /// Signed integer.
    Signed,
    /// Floating-point number.
    Float,
}

/// Channel order, `hsa_ext_image_channel_order_t`. Contains only orders that devices support.
///
/// # Examples
/// ```
/// use gcn_isa::image::Select;
/// use gcn_runtime::image::ChannelOrder;
/// assert_eq!(ChannelOrder::numbered(9), Some(ChannelOrder::Bgra));
/// assert_eq!(ChannelOrder::Bgra.select(), [Select::Z, Select::Y, Select::X, Select::W]);
/// assert_eq!(ChannelOrder::numbered(18), None, "depths");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u32)]
#[allow(missing_docs)]
pub enum ChannelOrder {
    A = 0,
    R = 1,
    Rg = 3,
    Ra = 5,
    Rgb = 6,
    Rgba = 8,
    Bgra = 9,
    Argb = 10,
    Srgba = 14,
    Intensity = 16,
    Luminance = 17,
}

impl ChannelOrder {
    /// All channel orders.
    pub const ALL: [ChannelOrder; 11] = [
        ChannelOrder::A,
        ChannelOrder::R,
        ChannelOrder::Rg,
        ChannelOrder::Ra,
        ChannelOrder::Rgb,
        ChannelOrder::Rgba,
        ChannelOrder::Bgra,
        ChannelOrder::Argb,
        ChannelOrder::Srgba,
        ChannelOrder::Intensity,
        ChannelOrder::Luminance,
    ];

    /// Returns the channel order with an HSA number.
    pub fn numbered(number: u32) -> Option<ChannelOrder> {
        let mut all = ChannelOrder::ALL.into_iter();
        all.find(|order| *order as u32 == number)
    }

    /// Returns the number of channels per texel.
    const fn channels(self) -> usize {
        match self {
            ChannelOrder::A
            | ChannelOrder::R
            | ChannelOrder::Intensity
            | ChannelOrder::Luminance => 1,
            ChannelOrder::Rg | ChannelOrder::Ra => 2,
            // Packed types use four channels.
            ChannelOrder::Rgb
            | ChannelOrder::Rgba
            | ChannelOrder::Bgra
            | ChannelOrder::Argb
            | ChannelOrder::Srgba => 4,
        }
    }

    /// Returns the source channel for each component of a texel in kernels.
    pub const fn select(self) -> [Select; 4] {
        match self {
            ChannelOrder::A => [Zero, Zero, Zero, X],
            ChannelOrder::R => [X, Zero, Zero, One],
            ChannelOrder::Rg => [X, Y, Zero, One],
            ChannelOrder::Ra => [X, Zero, Zero, Y],
            ChannelOrder::Rgb => [Z, Y, X, One],
            ChannelOrder::Rgba | ChannelOrder::Srgba => [X, Y, Z, W],
            ChannelOrder::Bgra => [Z, Y, X, W],
            ChannelOrder::Argb => [Y, Z, W, X],
            ChannelOrder::Intensity => [X, X, X, X],
            ChannelOrder::Luminance => [X, X, X, One],
        }
    }
}

/// Channel type, `hsa_ext_image_channel_type_t`. Contains only types that devices support.
///
/// # Examples
/// ```
/// use gcn_runtime::image::ChannelType;
/// assert_eq!(ChannelType::numbered(15), Some(ChannelType::Float));
/// assert_eq!(ChannelType::UnormShort565.bits(), [5, 6, 5, 0], "the lowest first");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u32)]
#[allow(missing_docs)]
pub enum ChannelType {
    SnormInt8 = 0,
    SnormInt16 = 1,
    UnormInt8 = 2,
    UnormInt16 = 3,
    UnormShort555 = 5,
    UnormShort565 = 6,
    UnormShort101010 = 7,
    SignedInt8 = 8,
    SignedInt16 = 9,
    SignedInt32 = 10,
    UnsignedInt8 = 11,
    UnsignedInt16 = 12,
    UnsignedInt32 = 13,
    HalfFloat = 14,
    Float = 15,
}

/// Properties of a channel type.
struct ChannelFacts {
    number: ChannelNumber,
    /// Number of bits in each channel, lowest channel first.
    bits: [u32; 4],
    /// Data format numbers for one, two and four channels. Packed types repeat a single number.
    data: [u8; 3],
}

const BYTES: [u8; 3] = [
    texel::IMG_DATA_FORMAT_8,
    texel::IMG_DATA_FORMAT_8_8,
    texel::IMG_DATA_FORMAT_8_8_8_8,
];
const SHORTS: [u8; 3] = [
    texel::IMG_DATA_FORMAT_16,
    texel::IMG_DATA_FORMAT_16_16,
    texel::IMG_DATA_FORMAT_16_16_16_16,
];
const INTS: [u8; 3] = [
    texel::IMG_DATA_FORMAT_32,
    texel::IMG_DATA_FORMAT_32_32,
    texel::IMG_DATA_FORMAT_32_32_32_32,
];

impl ChannelType {
    /// All channel types.
    pub const ALL: [ChannelType; 15] = [
        ChannelType::SnormInt8,
        ChannelType::SnormInt16,
        ChannelType::UnormInt8,
        ChannelType::UnormInt16,
        ChannelType::UnormShort555,
        ChannelType::UnormShort565,
        ChannelType::UnormShort101010,
        ChannelType::SignedInt8,
        ChannelType::SignedInt16,
        ChannelType::SignedInt32,
        ChannelType::UnsignedInt8,
        ChannelType::UnsignedInt16,
        ChannelType::UnsignedInt32,
        ChannelType::HalfFloat,
        ChannelType::Float,
    ];

    /// Returns the channel type with an HSA number.
    pub fn numbered(number: u32) -> Option<ChannelType> {
        let mut all = ChannelType::ALL.into_iter();
        all.find(|kind| *kind as u32 == number)
    }

    #[rustfmt::skip]
    const fn facts(self) -> ChannelFacts {
        use ChannelNumber::{Float, Signed, Snorm, Unorm, Unsigned};
        const fn facts(number: ChannelNumber, bits: [u32; 4], data: [u8; 3]) -> ChannelFacts {
            ChannelFacts { number, bits, data }
        }
        match self {
            //                                     number    bits           data formats
            ChannelType::SnormInt8        => facts(Snorm,    [8; 4],        BYTES),
            ChannelType::SnormInt16       => facts(Snorm,    [16; 4],       SHORTS),
            ChannelType::UnormInt8        => facts(Unorm,    [8; 4],        BYTES),
            ChannelType::UnormInt16       => facts(Unorm,    [16; 4],       SHORTS),
            ChannelType::UnormShort555    => facts(Unorm,    [5, 5, 5, 1],  [texel::IMG_DATA_FORMAT_1_5_5_5; 3]),
            ChannelType::UnormShort565    => facts(Unorm,    [5, 6, 5, 0],  [texel::IMG_DATA_FORMAT_5_6_5; 3]),
            ChannelType::UnormShort101010 => facts(Unorm, [10, 10, 10, 2],  [texel::IMG_DATA_FORMAT_2_10_10_10; 3]),
            ChannelType::SignedInt8       => facts(Signed,   [8; 4],        BYTES),
            ChannelType::SignedInt16      => facts(Signed,   [16; 4],       SHORTS),
            ChannelType::SignedInt32      => facts(Signed,   [32; 4],       INTS),
            ChannelType::UnsignedInt8     => facts(Unsigned, [8; 4],        BYTES),
            ChannelType::UnsignedInt16    => facts(Unsigned, [16; 4],       SHORTS),
            ChannelType::UnsignedInt32    => facts(Unsigned, [32; 4],       INTS),
            ChannelType::HalfFloat        => facts(Float,    [16; 4],       SHORTS),
            ChannelType::Float            => facts(Float,    [32; 4],       INTS),
        }
    }

    /// Returns the interpretation of a channel's bits.
    pub(crate) const fn number(self) -> ChannelNumber {
        self.facts().number
    }

    /// Returns the number of bits in each channel, lowest channel first.
    pub const fn bits(self) -> [u32; 4] {
        self.facts().bits
    }

    /// True if the channels have different numbers of bits.
    const fn is_packed(self) -> bool {
        matches!(
            self,
            ChannelType::UnormShort555 | ChannelType::UnormShort565 | ChannelType::UnormShort101010
        )
    }
}

/// Image format supported by devices.
///
/// # Examples
/// ```
/// use gcn_runtime::image::{ChannelOrder, ChannelType, DeviceFormat};
/// let format = DeviceFormat::new(ChannelOrder::Rg, ChannelType::Float).expect("a format");
/// assert_eq!((format.channels(), format.bytes()), (2, 8));
/// assert!(DeviceFormat::new(ChannelOrder::Bgra, ChannelType::Float).is_none());
/// assert!(DeviceFormat::all().all(|format| format.bytes().is_power_of_two()));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct DeviceFormat {
    order: ChannelOrder,
    kind: ChannelType,
}

impl DeviceFormat {
    /// Returns the format for a channel order and type, or `None` if devices do not support it.
    pub const fn new(order: ChannelOrder, kind: ChannelType) -> Option<DeviceFormat> {
        use ChannelNumber::{Float, Signed, Snorm, Unorm, Unsigned};
        let number = kind.number();
        let has = match order {
            ChannelOrder::Rgb => kind.is_packed(),
            ChannelOrder::A
            | ChannelOrder::R
            | ChannelOrder::Rg
            | ChannelOrder::Ra
            | ChannelOrder::Rgba => !kind.is_packed(),
            ChannelOrder::Bgra | ChannelOrder::Argb => kind.bits()[0] == u8::BITS,
            ChannelOrder::Srgba => matches!(kind, ChannelType::UnormInt8),
            ChannelOrder::Intensity | ChannelOrder::Luminance => match number {
                Unorm | Snorm | Float => !kind.is_packed(),
                Unsigned | Signed => false,
            },
        };
        if has {
            Some(DeviceFormat { order, kind })
        } else {
            None
        }
    }

    /// Returns all supported formats.
    pub fn all() -> impl Iterator<Item = DeviceFormat> {
        ChannelOrder::ALL.into_iter().flat_map(|order| {
            let kinds = ChannelType::ALL.into_iter();
            kinds.filter_map(move |kind| DeviceFormat::new(order, kind))
        })
    }

    /// Returns the channel order.
    pub const fn order(self) -> ChannelOrder {
        self.order
    }

    /// Returns the channel type.
    pub const fn kind(self) -> ChannelType {
        self.kind
    }

    /// Returns the number of channels per texel; four for packed types.
    pub const fn channels(self) -> usize {
        self.order.channels()
    }

    /// Returns the texel size in bytes.
    pub fn bytes(self) -> usize {
        let bits: u32 = self.kind.bits().iter().take(self.channels()).sum();
        (bits / u8::BITS) as usize
    }

    /// Returns the data format and number format for descriptors.
    ///
    /// # Examples
    /// ```
    /// use gcn_isa::image::{number_format, texel_format};
    /// use gcn_runtime::image::{ChannelOrder, ChannelType, DeviceFormat};
    /// let format = DeviceFormat::new(ChannelOrder::Rg, ChannelType::Float).expect("a format");
    /// let numbers = (texel_format::IMG_DATA_FORMAT_32_32, number_format::IMG_NUM_FORMAT_FLOAT);
    /// assert_eq!(format.numbers(), numbers);
    /// ```
    pub const fn numbers(self) -> (u8, u8) {
        let facts = self.kind.facts();
        let data = facts.data[self.channels() / 2];
        let number = match facts.number {
            ChannelNumber::Unorm if self.is_srgb() => number::IMG_NUM_FORMAT_SRGB,
            ChannelNumber::Unorm => number::IMG_NUM_FORMAT_UNORM,
            ChannelNumber::Snorm => number::IMG_NUM_FORMAT_SNORM,
            ChannelNumber::Unsigned => number::IMG_NUM_FORMAT_UINT,
            ChannelNumber::Signed => number::IMG_NUM_FORMAT_SINT,
            ChannelNumber::Float => number::IMG_NUM_FORMAT_FLOAT,
        };
        (data, number)
    }

    /// True if colours use the sRGB transfer function.
    pub const fn is_srgb(self) -> bool {
        matches!(self.order, ChannelOrder::Srgba)
    }

    /// True if kernels can write images of this format.
    ///
    /// # Examples
    /// ```
    /// use gcn_runtime::image::{ChannelOrder, ChannelType, DeviceFormat};
    /// let format = DeviceFormat::new(ChannelOrder::Srgba, ChannelType::UnormInt8).expect("a format");
    /// assert!(format.is_srgb() && !format.is_writable());
    /// ```
    pub const fn is_writable(self) -> bool {
        !self.is_srgb()
    }

    /// True if the channels of a texel share 16 bits, a layout that buffer instructions cannot read.
    pub(super) const fn is_packed_short(self) -> bool {
        matches!(
            self.kind,
            ChannelType::UnormShort555 | ChannelType::UnormShort565
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descriptors_have_the_size_of_the_format() {
        assert!(DeviceFormat::all().count() > 80);
        for format in DeviceFormat::all() {
            let (data, _) = format.numbers();
            let texel = gcn_isa::image::texel_format_of(data).map(|it| usize::from(it.bytes));
            assert_eq!(texel, Some(format.bytes()), "{format:?}");
        }
    }
}

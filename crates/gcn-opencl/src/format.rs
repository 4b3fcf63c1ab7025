//! Formats of images: which there are, and their numbers in descriptors.
//!
//! The list is that of AMD's runtimes without depths, and has all that the specification asks for. The device library (5.2.3) stores depths
//! with four components, of which one is in a register.
#![allow(non_upper_case_globals)]

use gcn_isa::image::Select::{self, One, W, X, Y, Z, Zero};
use gcn_isa::image::{number_format as number, texel_format as texel};

use crate::abi::*;
use crate::status::{Outcome, Status};

/// `cl_image_format`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(C)]
pub struct ImageFormat {
    /// The channels, `CL_RGBA`.
    pub order: u32,
    /// The type of each, `CL_FLOAT`.
    pub kind: u32,
}

/// A meaning of a channel's bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ChannelNumber {
    /// From 0 to 1.
    Unorm,
    /// From -1 to 1.
    Snorm,
    Unsigned,
    Signed,
    Float,
}

/// An order of channels.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ChannelOrder {
    order: u32,
    /// Number for kernels, which is HSA's.
    pub(crate) code: u32,
    /// Channels of a texel.
    channels: usize,
    /// The texel's channel of each component that kernels see.
    pub(crate) select: [Select; 4],
}

/// A type of channels.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ChannelType {
    kind: u32,
    /// Number for kernels, which is HSA's.
    pub(crate) code: u32,
    pub(crate) number: ChannelNumber,
    /// Bits of each channel, the lowest first.
    pub(crate) bits: [u32; 4],
    /// Numbers of data formats with one, two and four channels; 0 of those that there are not. Packed types have the same for all.
    data: [u8; 3],
}

/// A format that devices have.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DeviceFormat {
    pub(crate) order: &'static ChannelOrder,
    pub(crate) kind: &'static ChannelType,
}

#[rustfmt::skip]
static ORDERS: [ChannelOrder; 11] = {
    const fn order(order: u32, code: u32, channels: usize, select: [Select; 4]) -> ChannelOrder {
        ChannelOrder { order, code, channels, select }
    }
    [
        //    order        code channels components
        order(CL_A,          0, 1, [Zero, Zero, Zero, X]),
        order(CL_R,          1, 1, [X, Zero, Zero, One]),
        order(CL_RG,         3, 2, [X, Y, Zero, One]),
        order(CL_RA,         5, 2, [X, Zero, Zero, Y]),
        order(CL_RGB,        6, 3, [Z, Y, X, One]),
        order(CL_RGBA,       8, 4, [X, Y, Z, W]),
        order(CL_BGRA,       9, 4, [Z, Y, X, W]),
        order(CL_ARGB,      10, 4, [Y, Z, W, X]),
        order(CL_sRGBA,     14, 4, [X, Y, Z, W]),
        order(CL_INTENSITY, 16, 1, [X, X, X, X]),
        order(CL_LUMINANCE, 17, 1, [X, X, X, One]),
    ]
};

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

#[rustfmt::skip]
static KINDS: [ChannelType; 15] = {
    use ChannelNumber::{Float, Signed, Snorm, Unorm, Unsigned};
    const fn kind(kind: u32, code: u32, number: ChannelNumber, bits: [u32; 4], data: [u8; 3]) -> ChannelType {
        ChannelType { kind, code, number, bits, data }
    }
    [
        //   type                code meaning   bits               formats
        kind(CL_SNORM_INT8,        0, Snorm,    [8; 4],            BYTES),
        kind(CL_SNORM_INT16,       1, Snorm,    [16; 4],           SHORTS),
        kind(CL_UNORM_INT8,        2, Unorm,    [8; 4],            BYTES),
        kind(CL_UNORM_INT16,       3, Unorm,    [16; 4],           SHORTS),
        kind(CL_UNORM_SHORT_555,   5, Unorm,    [5, 5, 5, 1],      [texel::IMG_DATA_FORMAT_1_5_5_5; 3]),
        kind(CL_UNORM_SHORT_565,   6, Unorm,    [5, 6, 5, 0],      [texel::IMG_DATA_FORMAT_5_6_5; 3]),
        kind(CL_UNORM_INT_101010,  7, Unorm,    [10, 10, 10, 2],   [texel::IMG_DATA_FORMAT_2_10_10_10; 3]),
        kind(CL_SIGNED_INT8,       8, Signed,   [8; 4],            BYTES),
        kind(CL_SIGNED_INT16,      9, Signed,   [16; 4],           SHORTS),
        kind(CL_SIGNED_INT32,     10, Signed,   [32; 4],           INTS),
        kind(CL_UNSIGNED_INT8,    11, Unsigned, [8; 4],            BYTES),
        kind(CL_UNSIGNED_INT16,   12, Unsigned, [16; 4],           SHORTS),
        kind(CL_UNSIGNED_INT32,   13, Unsigned, [32; 4],           INTS),
        kind(CL_HALF_FLOAT,       14, Float,    [16; 4],           SHORTS),
        kind(CL_FLOAT,            15, Float,    [32; 4],           INTS),
    ]
};

/// True if the numbers are of the headers, and may be together.
fn is_format(format: ImageFormat) -> bool {
    let ImageFormat { order, kind } = format;
    let is_packed_rgb = matches!(
        kind,
        CL_UNORM_SHORT_565 | CL_UNORM_SHORT_555 | CL_UNORM_INT_101010
    );
    let is_norm_or_float = matches!(
        kind,
        CL_UNORM_INT8 | CL_UNORM_INT16 | CL_SNORM_INT8 | CL_SNORM_INT16 | CL_HALF_FLOAT | CL_FLOAT
    );
    let is_byte = matches!(
        kind,
        CL_UNORM_INT8 | CL_SNORM_INT8 | CL_SIGNED_INT8 | CL_UNSIGNED_INT8
    );
    match order {
        CL_RGB | CL_RGBx => is_packed_rgb,
        CL_BGRA | CL_ARGB | CL_ABGR => is_byte,
        CL_INTENSITY | CL_LUMINANCE => is_norm_or_float,
        CL_DEPTH => matches!(kind, CL_UNORM_INT16 | CL_FLOAT),
        CL_sRGB | CL_sRGBx | CL_sRGBA | CL_sBGRA => kind == CL_UNORM_INT8,
        CL_RGBA if kind == CL_UNORM_INT_101010_2 => true,
        CL_R | CL_A | CL_RG | CL_RA | CL_RGBA | CL_Rx | CL_RGx => {
            (CL_SNORM_INT8..=CL_FLOAT).contains(&kind) && !is_packed_rgb
        }
        _ => false,
    }
}

impl DeviceFormat {
    /// The format that a program names.
    ///
    /// # Errors
    /// There is no such format, or devices do not have it.
    pub(crate) fn new(format: ImageFormat) -> Outcome<DeviceFormat> {
        if !is_format(format) {
            return Err(Status::INVALID_IMAGE_FORMAT_DESCRIPTOR);
        }
        let mut all = DeviceFormat::all();
        let found = all.find(|it| it.named() == format);
        found.ok_or(Status::IMAGE_FORMAT_NOT_SUPPORTED)
    }

    /// All formats that devices have.
    pub(crate) fn all() -> impl Iterator<Item = DeviceFormat> {
        ORDERS.iter().flat_map(|order| {
            let of_order = move |kind| DeviceFormat { order, kind };
            KINDS
                .iter()
                .map(of_order)
                .filter(|it| is_format(it.named()))
        })
    }

    /// Numbers in the headers.
    pub(crate) fn named(self) -> ImageFormat {
        ImageFormat {
            order: self.order.order,
            kind: self.kind.kind,
        }
    }

    /// Channels of a texel, which packed types have four of.
    pub(crate) fn channels(self) -> usize {
        match self.order.channels {
            3 => 4,
            channels => channels,
        }
    }

    /// Bytes of a texel.
    pub(crate) fn bytes(self) -> usize {
        let bits: u32 = self.kind.bits.iter().take(self.channels()).sum();
        bits as usize / 8
    }

    /// Numbers of the data format and of the number format in descriptors.
    pub(crate) fn numbers(self) -> (u8, u8) {
        let data = self.kind.data[self.channels() / 2];
        let number = match self.kind.number {
            ChannelNumber::Unorm if self.is_srgb() => number::IMG_NUM_FORMAT_SRGB,
            ChannelNumber::Unorm => number::IMG_NUM_FORMAT_UNORM,
            ChannelNumber::Snorm => number::IMG_NUM_FORMAT_SNORM,
            ChannelNumber::Unsigned => number::IMG_NUM_FORMAT_UINT,
            ChannelNumber::Signed => number::IMG_NUM_FORMAT_SINT,
            ChannelNumber::Float => number::IMG_NUM_FORMAT_FLOAT,
        };
        (data, number)
    }

    /// True if the colours have the transfer function of sRGB.
    pub(crate) fn is_srgb(self) -> bool {
        self.order.order == CL_sRGBA
    }

    /// True if the format is of 16 bits for three channels, which memory of buffers is not read as.
    pub(crate) fn is_packed_short(self) -> bool {
        matches!(self.kind.kind, CL_UNORM_SHORT_555 | CL_UNORM_SHORT_565)
    }

    /// True if an image of this format may be made of the memory of another one.
    pub(crate) fn may_view(self, other: DeviceFormat) -> bool {
        let pair = (self.order.order, other.order.order);
        self.kind.kind == other.kind.kind
            && matches!(pair, (CL_sRGBA, CL_RGBA) | (CL_RGBA, CL_sRGBA))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(order: u32, kind: u32) -> Outcome<DeviceFormat> {
        DeviceFormat::new(ImageFormat { order, kind })
    }

    #[test]
    fn formats_have_the_size_of_their_channels() {
        for (order, kind, bytes) in [
            (CL_A, CL_SNORM_INT8, 1),
            (CL_RG, CL_HALF_FLOAT, 4),
            (CL_RGB, CL_UNORM_SHORT_565, 2),
            (CL_RGB, CL_UNORM_SHORT_555, 2),
            (CL_RGB, CL_UNORM_INT_101010, 4),
            (CL_RGBA, CL_UNSIGNED_INT32, 16),
        ] {
            assert_eq!(of(order, kind).map(DeviceFormat::bytes), Ok(bytes));
        }
    }

    #[test]
    fn descriptors_have_the_size_of_the_format() {
        assert!(DeviceFormat::all().count() > 80);
        for format in DeviceFormat::all() {
            let (data, _) = format.numbers();
            let texel = gcn_isa::image::texel_format_of(data).map(|it| usize::from(it.bytes));
            assert_eq!(texel, Some(format.bytes()), "{:?}", format.named());
        }
    }

    #[test]
    fn what_is_no_format_is_told_from_what_devices_lack() {
        let wrong = Some(Status::INVALID_IMAGE_FORMAT_DESCRIPTOR);
        let absent = Some(Status::IMAGE_FORMAT_NOT_SUPPORTED);
        for (order, kind, status) in [
            (0, CL_FLOAT, wrong),
            (CL_RGBA, 0, wrong),
            (CL_BGRA, CL_FLOAT, wrong),
            (CL_RGB, CL_FLOAT, wrong),
            (CL_RGBA, CL_UNORM_SHORT_565, wrong),
            (CL_Rx, CL_FLOAT, absent),
            (CL_RGBA, CL_UNORM_INT_101010_2, absent),
            (CL_sBGRA, CL_UNORM_INT8, absent),
            (CL_DEPTH, CL_FLOAT, absent),
        ] {
            assert_eq!(of(order, kind).err(), status, "{order:#x} {kind:#x}");
        }
    }
}

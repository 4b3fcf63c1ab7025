//! Converts image formats between header constants and device formats.
#![allow(non_upper_case_globals)]

use gcn_runtime::image::{ChannelOrder, ChannelType, DeviceFormat};

use crate::abi::*;
use crate::status::{Outcome, Status};

/// `cl_image_format`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(C)]
pub struct ImageFormat {
    /// Channel order, such as `CL_RGBA`.
    pub order: u32,
    /// Channel type, such as `CL_FLOAT`.
    pub kind: u32,
}

/// Returns the header constant for a channel order.
const fn order_number(order: ChannelOrder) -> u32 {
    match order {
        ChannelOrder::A => CL_A,
        ChannelOrder::R => CL_R,
        ChannelOrder::Rg => CL_RG,
        ChannelOrder::Ra => CL_RA,
        ChannelOrder::Rgb => CL_RGB,
        ChannelOrder::Rgba => CL_RGBA,
        ChannelOrder::Bgra => CL_BGRA,
        ChannelOrder::Argb => CL_ARGB,
        ChannelOrder::Srgba => CL_sRGBA,
        ChannelOrder::Intensity => CL_INTENSITY,
        ChannelOrder::Luminance => CL_LUMINANCE,
    }
}

/// Returns the header constant for a channel type.
const fn kind_number(kind: ChannelType) -> u32 {
    match kind {
        ChannelType::SnormInt8 => CL_SNORM_INT8,
        ChannelType::SnormInt16 => CL_SNORM_INT16,
        ChannelType::UnormInt8 => CL_UNORM_INT8,
        ChannelType::UnormInt16 => CL_UNORM_INT16,
        ChannelType::UnormShort555 => CL_UNORM_SHORT_555,
        ChannelType::UnormShort565 => CL_UNORM_SHORT_565,
        ChannelType::UnormShort101010 => CL_UNORM_INT_101010,
        ChannelType::SignedInt8 => CL_SIGNED_INT8,
        ChannelType::SignedInt16 => CL_SIGNED_INT16,
        ChannelType::SignedInt32 => CL_SIGNED_INT32,
        ChannelType::UnsignedInt8 => CL_UNSIGNED_INT8,
        ChannelType::UnsignedInt16 => CL_UNSIGNED_INT16,
        ChannelType::UnsignedInt32 => CL_UNSIGNED_INT32,
        ChannelType::HalfFloat => CL_HALF_FLOAT,
        ChannelType::Float => CL_FLOAT,
    }
}

/// Returns true if the channel order and type are known and may be combined.
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

/// Converts an application's image format to a device format.
///
/// # Errors
/// Fails if the format is invalid or not supported by devices.
pub(crate) fn device_format(format: ImageFormat) -> Outcome<DeviceFormat> {
    if !is_format(format) {
        return Err(Status::INVALID_IMAGE_FORMAT_DESCRIPTOR);
    }
    let mut all = DeviceFormat::all();
    let found = all.find(|it| header_format(*it) == format);
    found.ok_or(Status::IMAGE_FORMAT_NOT_SUPPORTED)
}

/// Converts a device format to an application's image format.
pub(crate) fn header_format(format: DeviceFormat) -> ImageFormat {
    ImageFormat {
        order: order_number(format.order()),
        kind: kind_number(format.kind()),
    }
}

/// Returns true if an image in `format` may share memory with an image in `other`.
pub(crate) fn may_view(format: DeviceFormat, other: DeviceFormat) -> bool {
    use ChannelOrder::{Rgba, Srgba};
    let pair = (format.order(), other.order());
    format.kind() == other.kind() && matches!(pair, (Srgba, Rgba) | (Rgba, Srgba))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(order: u32, kind: u32) -> Outcome<DeviceFormat> {
        device_format(ImageFormat { order, kind })
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
    fn formats_of_devices_are_formats() {
        for format in DeviceFormat::all() {
            assert_eq!(device_format(header_format(format)), Ok(format));
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

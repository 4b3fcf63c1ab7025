//! Converts host colours to texels.

use half::f16;

use super::format::{ChannelNumber, DeviceFormat};

/// Size in bytes of a colour with four 32-bit components.
pub const COLOR_BYTES: usize = 16;

/// Upper bound of the linear segment of the sRGB transfer function.
const SRGB_LINEAR: f64 = 0.003_130_8;
/// Slope of the linear segment.
const SRGB_SLOPE: f64 = 12.92;

/// Applies the sRGB transfer function to a colour component.
fn srgb(linear: f32) -> f32 {
    let linear = f64::from(linear);
    let encoded = if linear.is_nan() || linear <= 0.0 {
        0.0
    } else if linear < SRGB_LINEAR {
        linear * SRGB_SLOPE
    } else {
        1.055 * linear.powf(1.0 / 2.4) - 0.055
    };
    encoded as f32
}

/// Inverts the sRGB transfer function.
fn linear(encoded: f32) -> f32 {
    let encoded = f64::from(encoded);
    let linear = if encoded <= SRGB_LINEAR * SRGB_SLOPE {
        encoded / SRGB_SLOPE
    } else {
        ((encoded + 0.055) / 1.055).powf(2.4)
    };
    linear as f32
}

/// Colour conversion for a copy between images.
///
/// # Examples
/// ```
/// use gcn_runtime::image::{ChannelOrder, ChannelType, ColorConversion, DeviceFormat};
/// let format = |order| DeviceFormat::new(order, ChannelType::UnormInt8).expect("a format");
/// let (linear, srgb) = (format(ChannelOrder::Rgba), format(ChannelOrder::Srgba));
/// let conversion = ColorConversion::between(linear, srgb).expect("a conversion");
/// let mut texels = [255, 55, 0, 128];
/// conversion.apply(&mut texels);
/// assert_eq!(texels, [255, 128, 0, 128]);
/// assert_eq!(ColorConversion::between(srgb, srgb), Some(ColorConversion::None));
/// assert_eq!(ColorConversion::between(srgb, format(ChannelOrder::R)), None);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ColorConversion {
    /// No conversion.
    None,
    /// Linear to sRGB.
    ToSrgb,
    /// sRGB to linear.
    FromSrgb,
}

impl ColorConversion {
    /// Returns the conversion for a copy, or `None` if the formats differ in more than the transfer function.
    pub fn between(from: DeviceFormat, to: DeviceFormat) -> Option<ColorConversion> {
        use super::format::ChannelOrder::{Rgba, Srgba};
        if from == to {
            return Some(ColorConversion::None);
        }
        match (from.order(), to.order()) {
            (Rgba, Srgba) if from.kind() == to.kind() => Some(ColorConversion::ToSrgb),
            (Srgba, Rgba) if from.kind() == to.kind() => Some(ColorConversion::FromSrgb),
            _ => None,
        }
    }

    /// Converts texels with one byte each for red, green, blue and alpha. Alpha does not change.
    pub fn apply(self, texels: &mut [u8]) {
        let transfer = match self {
            ColorConversion::None => return,
            ColorConversion::ToSrgb => srgb,
            ColorConversion::FromSrgb => linear,
        };
        for texel in texels.chunks_exact_mut(4) {
            for channel in &mut texel[..3] {
                let value = transfer(f32::from(*channel) / f32::from(u8::MAX));
                *channel = scaled(value, 0.0, f64::from(u8::MAX)) as u8;
            }
        }
    }
}

/// Clamps a number to `least`..=1, scales it by `largest`, and rounds to nearest, ties to even. Returns 0 for NaN.
fn scaled(value: f32, least: f64, largest: f64) -> i64 {
    let value = f64::from(value);
    if value.is_nan() {
        return 0;
    }
    (value.clamp(least, 1.0) * largest).round_ties_even() as i64
}

/// Encodes a component in `bits` bits.
fn channel(component: [u8; 4], number: ChannelNumber, bits: u32) -> u64 {
    let real = f32::from_le_bytes(component);
    let largest = |bits: u32| (1u64 << bits) - 1;
    let value = match number {
        ChannelNumber::Unorm => scaled(real, 0.0, largest(bits) as f64),
        ChannelNumber::Snorm => scaled(real, -1.0, largest(bits - 1) as f64),
        ChannelNumber::Unsigned => {
            i64::from(u32::from_le_bytes(component)).min(largest(bits) as i64)
        }
        ChannelNumber::Signed => {
            let most = largest(bits - 1) as i64;
            i64::from(i32::from_le_bytes(component)).clamp(-most - 1, most)
        }
        ChannelNumber::Float if bits == 16 => i64::from(f16::from_f32(real).to_bits()),
        ChannelNumber::Float => i64::from(u32::from_le_bytes(component)),
    };
    value as u64 & largest(bits)
}

/// Encodes a colour as a texel. Red, green, blue and alpha have 4 bytes each: floats, or integers for integer formats.
/// Values out of range of a normalized or integer format are clamped.
///
/// # Examples
/// ```
/// use gcn_runtime::image::{ChannelOrder, ChannelType, DeviceFormat, texel};
/// let format = DeviceFormat::new(ChannelOrder::Bgra, ChannelType::UnormInt8).expect("a format");
/// let mut color = [0; 16];
/// color[0..4].copy_from_slice(&1f32.to_le_bytes());
/// color[12..16].copy_from_slice(&0.5f32.to_le_bytes());
/// assert_eq!(texel(format, &color), [0, 0, 255, 128]);
/// ```
pub fn texel(format: DeviceFormat, color: &[u8; COLOR_BYTES]) -> Vec<u8> {
    let mut packed = 0u128;
    let mut place = 0;
    for index in 0..format.channels() {
        let bits = format.kind().bits()[index];
        let select = format.order().select();
        let of = select
            .iter()
            .position(|select| select.component() == Some(index));
        if let Some(of) = of
            && bits != 0
        {
            let mut component = [0; 4];
            component.copy_from_slice(&color[of * 4..of * 4 + 4]);
            if format.is_srgb() && of < 3 {
                component = srgb(f32::from_le_bytes(component)).to_le_bytes();
            }
            packed |= u128::from(channel(component, format.kind().number(), bits)) << place;
        }
        place += bits;
    }
    packed.to_le_bytes()[..format.bytes()].to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::image::ChannelOrder::{self, A, Argb, Bgra, Luminance, R, Rgb, Rgba, Srgba};
    use crate::image::ChannelType::{self, *};

    fn of(order: ChannelOrder, kind: ChannelType, color: [[u8; 4]; 4]) -> Vec<u8> {
        let format = DeviceFormat::new(order, kind).expect("a format");
        let mut bytes = [0; COLOR_BYTES];
        bytes.copy_from_slice(&color.concat());
        texel(format, &bytes)
    }

    #[test]
    fn colors_are_rounded_and_saturated() {
        let color = [1.0f32, 0.5, -2.0, 0.25].map(f32::to_le_bytes);
        assert_eq!(of(Rgba, UnormInt8, color), [255, 128, 0, 64]);
        assert_eq!(of(Bgra, UnormInt8, color), [0, 128, 255, 64]);
        assert_eq!(of(Argb, SnormInt8, color), [32, 127, 64, 0x81]);
        assert_eq!(of(A, UnormInt8, color), [64]);
        assert_eq!(of(Luminance, HalfFloat, color), [0x00, 0x3c]);
        assert_eq!(of(Srgba, UnormInt8, color), [255, 188, 0, 64]);
        // Red occupies the highest bits.
        assert_eq!(of(Rgb, UnormShort565, color), [0x00, 0xfc]);
        assert_eq!(
            of(Rgb, UnormShort101010, color),
            (1023u32 << 20 | 512 << 10).to_le_bytes()
        );
        let nan = [f32::NAN; 4].map(f32::to_le_bytes);
        assert_eq!(of(R, UnormInt16, nan), [0, 0]);
    }

    #[test]
    fn transfer_functions_are_inverse() {
        for byte in 0..=u8::MAX {
            let value = f32::from(byte) / 255.0;
            assert!((linear(srgb(value)) - value).abs() < 1e-6, "{byte}");
        }
        // Alpha has no transfer function.
        let mut texels = [[0, 55, 255, 55], [128, 188, 10, 9]].concat();
        ColorConversion::ToSrgb.apply(&mut texels[..4]);
        ColorConversion::FromSrgb.apply(&mut texels[4..]);
        assert_eq!(texels, [0, 128, 255, 55, 55, 128, 1, 9]);
    }

    #[test]
    fn integers_are_saturated() {
        let color = [-200i32, 200, i32::MIN, 7].map(i32::to_le_bytes);
        assert_eq!(of(Rgba, SignedInt8, color), [0x80, 127, 0x80, 7]);
        let color = [300u32, 2, u32::MAX, 7].map(u32::to_le_bytes);
        assert_eq!(of(Rgba, UnsignedInt8, color), [255, 2, 255, 7]);
    }
}

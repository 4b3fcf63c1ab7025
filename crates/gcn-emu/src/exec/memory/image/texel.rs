//! Texel formats that typed buffers lack.

use gcn_isa::Ty;
use gcn_isa::image::{number_format, texel_format};

use super::super::element::ElementDwords;
use super::bound::BoundImage;
use crate::step::COMPONENTS;

/// Component values in the order of the format; `None` for components that the format lacks.
pub(super) type Values = [Option<f64>; COMPONENTS];

/// Mantissa width of 5_9_9_9, and the bias of its shared exponent for mantissas read as integers.
const SHARED_BITS: u32 = 9;
const SHARED_BIAS: i32 = 15 + SHARED_BITS as i32;

impl BoundImage<'_> {
    fn is_srgb(&self) -> bool {
        self.image.number_format == number_format::IMG_NUM_FORMAT_SRGB
    }

    fn shares_exponent(&self) -> bool {
        self.image.data_format == texel_format::IMG_DATA_FORMAT_5_9_9_9
    }

    /// Decodes the values of a texel's components.
    pub(super) fn values(&self, element: &ElementDwords) -> Values {
        if self.shares_exponent() {
            let [dword, ..] = *element;
            let exponent = (dword >> (3 * SHARED_BITS)) as i32 - SHARED_BIAS;
            let value = |n: u32| {
                let mantissa = dword >> (n * SHARED_BITS) & ((1 << SHARED_BITS) - 1);
                Some(f64::from(mantissa) * f64::from(exponent).exp2())
            };
            return [value(0), value(1), value(2), None];
        }
        let mut values = self.format.values(element);
        if self.is_srgb() {
            for value in values.iter_mut().take(3).flatten() {
                *value = linear(*value);
            }
        }
        values
    }

    /// Returns the register components of a texel, converted to 32 or 16 bits.
    pub(super) fn components(&self, element: &ElementDwords, ty: Ty) -> [u32; COMPONENTS] {
        if self.shares_exponent() || self.is_srgb() {
            self.format.selected(&self.values(element), ty)
        } else if self.format.widths == [0; COMPONENTS] {
            // Without a format, components read as 0; only constants in the selection take effect.
            self.format.selected(&[Some(0.0); COMPONENTS], ty)
        } else {
            self.format.load(element, ty)
        }
    }
}

/// Applies the sRGB transfer function, from encoded value to intensity.
fn linear(encoded: f64) -> f64 {
    if encoded <= 0.040_45 {
        encoded / 12.92
    } else {
        ((encoded + 0.055) / 1.055).powf(2.4)
    }
}

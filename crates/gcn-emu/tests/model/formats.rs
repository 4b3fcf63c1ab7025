//! Model of the data and number formats of buffers: E200 to E203 as code.

use half::f16;

use crate::state::number;

/// Widths of a data format's components from the lowest bit up; empty for an invalid format.
pub fn widths(data_format: u32) -> &'static [u32] {
    match data_format {
        1 => &[8],
        2 => &[16],
        3 => &[8, 8],
        4 => &[32],
        5 => &[16, 16],
        // Format names list the highest bits first.
        6 => &[11, 11, 10],
        7 => &[10, 11, 11],
        8 => &[2, 10, 10, 10],
        9 => &[10, 10, 10, 2],
        10 => &[8, 8, 8, 8],
        11 => &[32, 32],
        12 => &[16, 16, 16, 16],
        13 => &[32, 32, 32],
        14 => &[32, 32, 32, 32],
        _ => &[],
    }
}

pub fn bytes(data_format: u32) -> u64 {
    u64::from(widths(data_format).iter().sum::<u32>() / 8)
}

const UNORM: u32 = 0;
const SNORM: u32 = 1;
const USCALED: u32 = 2;
const SSCALED: u32 = 3;
const UINT: u32 = 4;
const SINT: u32 = 5;
const FLOAT: u32 = 7;

/// True if the manuals define this number format for this data format: floats have 32, 16, 11 or 10 bits in all
/// components, and 32-bit components are integers or floats. SNORM_OGL is excluded, and so are stores of USCALED and
/// SSCALED, which can only be loaded.
pub fn is_defined(data_format: u32, number_format: u32, is_stored: bool) -> bool {
    let widths = widths(data_format);
    let is_small_float = matches!(data_format, 6 | 7);
    match number_format {
        _ if widths.is_empty() => true,
        UINT | SINT => true,
        FLOAT => is_small_float || widths.iter().all(|&width| width == 32 || width == 16),
        UNORM | SNORM => widths[0] != 32,
        USCALED | SSCALED => widths[0] != 32 && !is_stored,
        _ => false,
    }
}

/// True if registers hold unconverted integers, not floats.
fn is_integer(number_format: u32) -> bool {
    matches!(number_format, UINT | SINT)
}

/// One, for a 32-bit or 16-bit register.
pub fn one(number_format: u32, register: u32) -> u32 {
    match register {
        _ if is_integer(number_format) => 1,
        16 => f16::ONE.to_bits().into(),
        _ => 1f32.to_bits(),
    }
}

/// Components of an element, as 32-bit or 16-bit registers hold them.
pub fn load(data_format: u32, number_format: u32, register: u32, element: &[u8]) -> Vec<u32> {
    let mut low = 0;
    let component = |&width: &u32| {
        let dword = low / 32 * 4;
        let part = number(&element[dword as usize..element.len().min(dword as usize + 4)]);
        let mask = u32::MAX >> (32 - width);
        let bits = (part >> (low % 32)) as u32 & mask;
        low += width;
        match register {
            // No conversion, so that NaNs stay unchanged.
            16 if width == 16 && number_format == FLOAT => bits,
            16 => to_short(of_component(bits, width, number_format), number_format),
            _ => of_component(bits, width, number_format),
        }
    };
    widths(data_format).iter().map(component).collect()
}

fn of_component(bits: u32, width: u32, number_format: u32) -> u32 {
    let unused = 32 - width;
    let signed = ((bits << unused) as i32) >> unused;
    let largest = f64::from(u32::MAX >> unused);
    let largest_signed = f64::from(u32::MAX >> unused >> 1);
    match number_format {
        UNORM => ((f64::from(bits) / largest) as f32).to_bits(),
        SNORM => ((f64::from(signed) / largest_signed).max(-1.0) as f32).to_bits(),
        USCALED => (bits as f32).to_bits(),
        SSCALED => (signed as f32).to_bits(),
        UINT => bits,
        SINT => signed as u32,
        _ => match width {
            32 => bits,
            // No sign, and the exponent range of a half.
            10 | 11 => f16::from_bits((bits << (15 - width)) as u16)
                .to_f32()
                .to_bits(),
            _ => f16::from_bits(bits as u16).to_f32().to_bits(),
        },
    }
}

/// Element with these components from 32-bit or 16-bit registers; missing ones are zero. `None` if it is undefined: no
/// source specifies 10-bit and 11-bit NaNs.
pub fn store(
    data_format: u32,
    number_format: u32,
    register: u32,
    components: [u32; 4],
) -> Option<Vec<u8>> {
    let mut element = vec![0; bytes(data_format) as usize];
    let mut low = 0;
    for (&width, value) in widths(data_format).iter().zip(components) {
        let bits = match register {
            16 if width == 16 && number_format == FLOAT => value & 0xffff,
            16 => to_component(of_short(value, number_format), width, number_format),
            _ => to_component(value, width, number_format),
        };
        let is_nan = match register {
            16 => f16::from_bits(value as u16).is_nan(),
            _ => f32::from_bits(value).is_nan(),
        };
        if number_format == FLOAT && width < 16 && is_nan {
            return None;
        }
        for bit in (0..width).filter(|bit| bits >> bit & 1 != 0) {
            let place = low + bit;
            element[place as usize / 8] |= 1 << (place % 8);
        }
        low += width;
    }
    Some(element)
}

fn to_component(value: u32, width: u32, number_format: u32) -> u32 {
    let largest = u32::MAX >> (32 - width);
    let float = f64::from(f32::from_bits(value));
    let nearest = |number: f64| {
        if float.is_nan() {
            0.0
        } else {
            number.round_ties_even()
        }
    };
    match number_format {
        UNORM => nearest(float.clamp(0.0, 1.0) * f64::from(largest)) as u32,
        SNORM => {
            let scaled = float.clamp(-1.0, 1.0) * f64::from(largest >> 1);
            nearest(scaled) as i32 as u32 & largest
        }
        UINT => value.min(largest),
        SINT => {
            let limit = (largest >> 1) as i32;
            (value as i32).clamp(-limit - 1, limit) as u32 & largest
        }
        _ => match width {
            32 => value,
            10 | 11 if float < 0.0 || value >> 31 != 0 => 0,
            // Truncated through a half, which has more fraction bits.
            10 | 11 => {
                let half = to_half_cut_off(f32::from_bits(value));
                u32::from(half) >> (15 - width)
            }
            _ => f16::from_f32(f32::from_bits(value)).to_bits().into(),
        },
    }
}

/// Rounds a non-negative float to a half, towards zero.
fn to_half_cut_off(value: f32) -> u16 {
    let half = f16::from_f32(value);
    if half.to_f32() > value {
        half.to_bits() - 1
    } else {
        half.to_bits()
    }
}

/// Converts a component for a 16-bit register.
fn to_short(value: u32, number_format: u32) -> u32 {
    if is_integer(number_format) {
        value & 0xffff
    } else {
        f16::from_f32(f32::from_bits(value)).to_bits().into()
    }
}

/// Converts a component from a 16-bit register.
fn of_short(bits: u32, number_format: u32) -> u32 {
    let bits = bits as u16;
    match number_format {
        UINT => bits.into(),
        SINT => i32::from(bits as i16) as u32,
        _ => f16::from_bits(bits).to_f32().to_bits(),
    }
}

/// Register layout of a formatted access.
pub struct Shape {
    pub components: usize,
    pub halves: Halves,
}

/// Layout of 16-bit components in registers.
pub enum Halves {
    /// Components have 32 bits.
    None,
    /// One component per register (GCN 1.2).
    Spread,
    /// Two components per register (from GCN 1.4 on, and on Stoney).
    Packed,
    /// One component, in the upper half.
    High,
}

impl Shape {
    pub fn of(name: &str, isa: gcn_isa::Isa) -> Shape {
        let components = name.rsplit('_').next().expect("components").len();
        let halves = match name {
            _ if name.contains("_d16_hi_") => Halves::High,
            _ if name.contains("_d16_") && isa == gcn_isa::Isa::Vi => Halves::Spread,
            _ if name.contains("_d16_") => Halves::Packed,
            _ => Halves::None,
        };
        Shape { components, halves }
    }

    /// Bits of a component in a register.
    pub fn bits(&self) -> u32 {
        match self.halves {
            Halves::None => 32,
            Halves::Spread | Halves::Packed | Halves::High => 16,
        }
    }

    pub fn registers(&self) -> usize {
        match self.halves {
            Halves::Packed => self.components.div_ceil(2),
            Halves::High => 1,
            Halves::None | Halves::Spread => self.components,
        }
    }
}

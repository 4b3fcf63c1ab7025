//! Typed buffers: what an element's components are, and how they become registers and back.
//!
//! Source: AMD's Southern Islands, Sea Islands, GCN3 and Vega manuals, chapter "Vector Memory Buffer Instructions";
//! which bits are which component as Mesa's drivers use the formats; errata E200–E203.

mod wide;

use gcn_isa::{Isa, Ty};

use crate::exec::alu::exact::{self, Round};
use crate::exec::alu::float::F16;

use super::places::Element;

/// Components of an element, at most.
pub const COMPONENTS: usize = 4;

/// The format of a buffer's elements.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Format {
    /// Bits of each component, the lowest first; 0 of those that there are not.
    widths: [u8; COMPONENTS],
    numbers: Numbers,
    /// Selection of each component of a register.
    select: [Select; COMPONENTS],
}

/// Number format of a component.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
enum Numbers {
    /// 0 to 1.
    Unorm,
    /// −1 to 1, the lowest value beside −1.
    Snorm,
    /// −1 to 1 without a zero.
    SnormOgl,
    /// An unsigned integer as floating point.
    Uscaled,
    /// A signed integer as floating point.
    Sscaled,
    /// An unsigned integer.
    #[default]
    Uint,
    /// A signed integer.
    Sint,
    /// Floating point; with 10 and 11 bits without sign.
    Float,
}

/// Source of a component of a register.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
enum Select {
    #[default]
    Zero,
    One,
    Component(u8),
}

/// The lowest component first. The manuals' names have it last.
const WIDTHS: [[u8; COMPONENTS]; 16] = [
    [0, 0, 0, 0],
    [8, 0, 0, 0],
    [16, 0, 0, 0],
    [8, 8, 0, 0],
    [32, 0, 0, 0],
    [16, 16, 0, 0],
    [11, 11, 10, 0],
    [10, 11, 11, 0],
    [2, 10, 10, 10],
    [10, 10, 10, 2],
    [8, 8, 8, 8],
    [32, 32, 0, 0],
    [16, 16, 16, 16],
    [32, 32, 32, 0],
    [32, 32, 32, 32],
    [0, 0, 0, 0],
];

// Fields of a descriptor's fourth dword.
const SELECT_BITS: u32 = 3;
const NUMBERS_SHIFT: u32 = 12;
const NUMBERS: u32 = 7;
const DATA_SHIFT: u32 = 15;
const DATA: u32 = 0xf;

impl Format {
    /// From a data format and a number format; components are where they are (MTBUF).
    pub fn new(isa: Isa, data: u32, numbers: u32) -> Format {
        let select = [0, 1, 2, 3].map(Select::Component);
        Format {
            widths: WIDTHS[(data & DATA) as usize],
            numbers: Numbers::numbered(isa, numbers & NUMBERS),
            select,
        }
    }

    /// From a descriptor's fourth dword (MUBUF).
    pub fn of_descriptor(isa: Isa, last: u32) -> Format {
        Format {
            select: std::array::from_fn(|n| Select::numbered(last >> (SELECT_BITS * n as u32))),
            ..Format::new(isa, last >> DATA_SHIFT, last >> NUMBERS_SHIFT)
        }
    }

    /// Bytes of an element; 0 where the format is none.
    pub fn bytes(&self) -> u8 {
        self.widths.iter().sum::<u8>() / 8
    }

    /// The components of a register, each converted to 32 or 16 bits, from an element. Those that the format has not are
    /// 0, the fourth 1 (errata E201).
    pub fn load(&self, element: &Element, ty: Ty) -> [u32; COMPONENTS] {
        let mut at = 0;
        let parts = self.widths.map(|width| {
            let bits = take(element, at, width);
            at += u32::from(width);
            (width != 0).then(|| self.numbers.load(bits, width.into(), ty))
        });
        if self.bytes() == 0 {
            return [0; COMPONENTS];
        }
        let one = self.numbers.one(ty);
        self.select.map(|select| match select {
            Select::Zero => 0,
            Select::One => one,
            Select::Component(n) => {
                let missing = if n == 3 { one } else { 0 };
                parts[usize::from(n)].unwrap_or(missing)
            }
        })
    }

    /// An element from the components of registers; those that are selected twice come from the first (errata E202).
    pub fn store(&self, values: &[u32], ty: Ty) -> Element {
        let mut element = [0; COMPONENTS];
        let mut at = 0;
        for (n, width) in self.widths.into_iter().enumerate() {
            let from = self
                .select
                .iter()
                .position(|s| *s == Select::Component(n as u8));
            let value = from.and_then(|n| values.get(n)).copied().unwrap_or(0);
            put(
                &mut element,
                at,
                width,
                self.numbers.store(value, width.into(), ty),
            );
            at += u32::from(width);
        }
        element
    }
}

impl Select {
    fn numbered(number: u32) -> Select {
        match number & ((1 << SELECT_BITS) - 1) {
            1 => Select::One,
            n @ 4..=7 => Select::Component(n as u8 - 4),
            _ => Select::Zero,
        }
    }
}

/// Bits of an element from bit `at` on; no component crosses a dword.
fn take(element: &Element, at: u32, width: u8) -> u32 {
    let dword = element.get((at / u32::BITS) as usize).copied().unwrap_or(0);
    dword >> (at % u32::BITS) & ones(width.into())
}

fn put(element: &mut Element, at: u32, width: u8, bits: u32) {
    if let Some(dword) = element.get_mut((at / u32::BITS) as usize) {
        *dword |= (bits & ones(width.into())) << (at % u32::BITS);
    }
}

/// As many ones, up to 32.
#[inline(always)]
fn ones(width: u32) -> u32 {
    ((1u64 << width) - 1) as u32
}

/// Bits with the highest of them as sign.
#[inline(always)]
fn signed(bits: u32, width: u32) -> i32 {
    let top = u32::BITS - width.max(1);
    (bits << top) as i32 >> top
}

impl Numbers {
    fn numbered(isa: Isa, number: u32) -> Numbers {
        match number {
            0 => Numbers::Unorm,
            1 => Numbers::Snorm,
            2 => Numbers::Uscaled,
            3 => Numbers::Sscaled,
            5 => Numbers::Sint,
            6 if isa < Isa::Vi => Numbers::SnormOgl,
            7 => Numbers::Float,
            _ => Numbers::Uint,
        }
    }

    fn is_integer(self) -> bool {
        matches!(self, Numbers::Uint | Numbers::Sint)
    }

    /// 1 in a register of type `ty`.
    fn one(self, ty: Ty) -> u32 {
        if self.is_integer() {
            1
        } else {
            narrow(1.0, ty)
        }
    }

    /// A component's value in a register.
    #[inline(always)]
    fn load(self, bits: u32, width: u32, ty: Ty) -> u32 {
        let sign = signed(bits, width);
        let value = match self {
            Numbers::Uint | Numbers::Sint => {
                let value = if self == Numbers::Sint {
                    sign as u32
                } else {
                    bits
                };
                return value & ones(u32::from(ty.bytes()) * 8);
            }
            // Nothing is converted, so NaN stay what they are.
            Numbers::Float if width == u32::from(ty.bytes()) * 8 => return bits,
            Numbers::Float => small_float(bits, width),
            Numbers::Unorm => f64::from(bits) / f64::from(ones(width)),
            Numbers::Snorm => (f64::from(sign) / f64::from(ones(width - 1))).max(-1.0),
            Numbers::SnormOgl => (2.0 * f64::from(sign) + 1.0) / f64::from(ones(width)),
            Numbers::Uscaled => f64::from(bits),
            Numbers::Sscaled => f64::from(sign),
        };
        narrow(value, ty)
    }

    /// A component from a register: out of range it saturates, between two values it is the nearest (errata E203).
    #[inline(always)]
    fn store(self, value: u32, width: u32, ty: Ty) -> u32 {
        if width == 0 {
            return 0;
        }
        let is_half = ty.bytes() == 2;
        let (low, high) = (
            -f64::from(ones(width - 1)) - 1.0,
            f64::from(ones(width - 1)),
        );
        let number = match self {
            Numbers::Uint => {
                let value = if is_half { value & 0xffff } else { value };
                return value.min(ones(width));
            }
            Numbers::Sint => {
                let value = if is_half {
                    i32::from(value as i16)
                } else {
                    value as i32
                };
                return i64::from(value).clamp(low as i64, high as i64) as u32;
            }
            Numbers::Float if width == u32::from(ty.bytes()) * 8 => return value,
            _ if is_half => f64::from(F16(value as u16).to_f32()),
            _ => f64::from(f32::from_bits(value)),
        };
        let nearest = |x: f64, low: f64, high: f64| {
            // A NaN is 0.
            (x.clamp(low, high).round_ties_even() as i64) as u32
        };
        match self {
            Numbers::Unorm => {
                let top = f64::from(ones(width));
                nearest(number * top, 0.0, top)
            }
            Numbers::Snorm => nearest(number * high, -high, high),
            Numbers::SnormOgl => {
                let top = f64::from(ones(width));
                nearest((number * top - 1.0) / 2.0, low, high)
            }
            Numbers::Uscaled => nearest(number, 0.0, f64::from(ones(width))),
            Numbers::Sscaled => nearest(number, low, high),
            Numbers::Float => to_small_float(number, width),
            Numbers::Uint | Numbers::Sint => value,
        }
    }
}

/// The nearest value of a register's type.
#[inline(always)]
fn narrow(value: f64, ty: Ty) -> u32 {
    if ty.bytes() == 2 {
        F16::from_f64(value).0.into()
    } else {
        (value as f32).to_bits()
    }
}

/// Bits of a half without its sign. Floats of 11 and 10 bits are its highest ones.
const HALF_MAGNITUDE: u32 = 15;

fn small_float(bits: u32, width: u32) -> f64 {
    match width {
        32 => f32::from_bits(bits).into(),
        16 => F16(bits as u16).to_f32().into(),
        // The half with the same exponent and zeros below.
        10 | 11 => F16((bits << (HALF_MAGNITUDE - width)) as u16)
            .to_f32()
            .into(),
        _ => f64::from(bits),
    }
}

fn to_small_float(value: f64, width: u32) -> u32 {
    match width {
        32 => (value as f32).to_bits(),
        16 => F16::from_f64(value).0.into(),
        10 | 11 => {
            // Negative values are 0; cut off towards zero, infinities and NaN stay.
            let bits = if value < 0.0 {
                0
            } else {
                exact::convert::<f64, F16>(Round::Zero, value).0 & 0x7fff
            };
            let cut = HALF_MAGNITUDE - width;
            let small = u32::from(bits) >> cut;
            let is_nan = value.is_nan();
            small | u32::from(is_nan)
        }
        _ => value as u32,
    }
}

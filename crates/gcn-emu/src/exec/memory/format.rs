//! Typed buffers and images: conversion of element components to registers and back.
//!
//! Source: AMD's Southern Islands, Sea Islands, GCN3 and Vega manuals, section "Vector Memory Buffer Instructions";
//! bit layout of components as in Mesa's drivers; errata E200–E203.

mod bits;
mod wide;

use gcn_isa::Ty;

use crate::exec::alu::env::Env;
use crate::exec::alu::exact;
use crate::exec::alu::float::F16;

use super::element::ElementDwords;
use crate::step::{COMPONENTS, ComponentSelect, ElementFormat, Numbers};
use bits::{ones, signed};

impl ElementFormat {
    /// Converts an element to register components of 32 or 16 bits each. Missing components are 0, except that a
    /// missing fourth component is 1 (errata E201).
    pub fn load(&self, element: &ElementDwords, ty: Ty) -> [u32; COMPONENTS] {
        let mut at = 0;
        let components = self.widths.map(|width| {
            let bits = take(element, at, width);
            at += u32::from(width);
            (width != 0).then(|| self.numbers.load(bits, width.into(), ty))
        });
        if self.bytes() == 0 {
            return [0; COMPONENTS];
        }
        let one = self.numbers.one(ty);
        self.select.map(|select| match select {
            ComponentSelect::Zero => 0,
            ComponentSelect::One => one,
            ComponentSelect::Component(n) => {
                let missing = if n == 3 { one } else { 0 };
                components[usize::from(n)].unwrap_or(missing)
            }
        })
    }

    /// Decodes the values of an element's components, in the order of the format. `None` for components that the format
    /// lacks.
    pub fn values(&self, element: &ElementDwords) -> [Option<f64>; COMPONENTS] {
        let mut at = 0;
        self.widths.map(|width| {
            let bits = take(element, at, width);
            at += u32::from(width);
            (width != 0).then(|| self.numbers.value(bits, width.into()))
        })
    }

    /// Selects and converts the register components from the values of the element's components.
    pub fn selected(&self, values: &[Option<f64>; COMPONENTS], ty: Ty) -> [u32; COMPONENTS] {
        self.select.map(|select| match select {
            ComponentSelect::Zero => 0,
            ComponentSelect::One => self.numbers.one(ty),
            ComponentSelect::Component(n) => match values[usize::from(n)] {
                Some(value) => self.numbers.rounded(value, ty),
                None if n == 3 => self.numbers.one(ty),
                None => 0,
            },
        })
    }

    /// Packs register components into an element. If several of them select the same element component, the first is
    /// stored (errata E202).
    pub fn store(&self, values: &[u32], ty: Ty) -> ElementDwords {
        let mut element = [0; COMPONENTS];
        let mut at = 0;
        for (n, width) in self.widths.into_iter().enumerate() {
            let from = self
                .select
                .iter()
                .position(|s| *s == ComponentSelect::Component(n as u8));
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

/// Extracts bits of an element starting at bit `at`; no component crosses a dword.
fn take(element: &ElementDwords, at: u32, width: u8) -> u32 {
    let dword = element.get((at / u32::BITS) as usize).copied().unwrap_or(0);
    dword >> (at % u32::BITS) & ones(width.into())
}

fn put(element: &mut ElementDwords, at: u32, width: u8, bits: u32) {
    if let Some(dword) = element.get_mut((at / u32::BITS) as usize) {
        *dword |= (bits & ones(width.into())) << (at % u32::BITS);
    }
}

impl Numbers {
    pub(super) fn is_integer(self) -> bool {
        matches!(self, Numbers::Uint | Numbers::Sint)
    }

    /// Converts to a register's type. Floats are rounded to nearest.
    fn rounded(self, value: f64, ty: Ty) -> u32 {
        match self {
            Numbers::Uint => (value as u32) & ones(u32::from(ty.bytes()) * 8),
            Numbers::Sint => (value as i32) as u32 & ones(u32::from(ty.bytes()) * 8),
            Numbers::Float
            | Numbers::Unorm
            | Numbers::Snorm
            | Numbers::SnormOgl
            | Numbers::Uscaled
            | Numbers::Sscaled => narrow(value, ty),
        }
    }

    /// Returns the encoding of 1 in a register of type `ty`.
    fn one(self, ty: Ty) -> u32 {
        if self.is_integer() {
            1
        } else {
            narrow(1.0, ty)
        }
    }

    /// Converts a component to its register value.
    #[inline(always)]
    fn load(self, bits: u32, width: u32, ty: Ty) -> u32 {
        match self {
            Numbers::Uint | Numbers::Sint => {
                let value = if self == Numbers::Sint {
                    signed(bits, width) as u32
                } else {
                    bits
                };
                value & ones(u32::from(ty.bytes()) * 8)
            }
            // The formats are the same, so NaN bits are preserved.
            Numbers::Float if width == u32::from(ty.bytes()) * 8 => bits,
            Numbers::Float
            | Numbers::Unorm
            | Numbers::Snorm
            | Numbers::SnormOgl
            | Numbers::Uscaled
            | Numbers::Sscaled => narrow(self.value(bits, width), ty),
        }
    }

    /// Decodes a component.
    #[inline(always)]
    fn value(self, bits: u32, width: u32) -> f64 {
        let sign = signed(bits, width);
        match self {
            Numbers::Float => small_float(bits, width),
            Numbers::Unorm => f64::from(bits) / f64::from(ones(width)),
            Numbers::Snorm => (f64::from(sign) / f64::from(ones(width - 1))).max(-1.0),
            Numbers::SnormOgl => (2.0 * f64::from(sign) + 1.0) / f64::from(ones(width)),
            Numbers::Uscaled | Numbers::Uint => f64::from(bits),
            Numbers::Sscaled | Numbers::Sint => f64::from(sign),
        }
    }

    /// Encodes a register value as a component. Values saturate and are rounded to nearest (errata E203), except for
    /// floats, which [`to_small_float`] converts.
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
            Numbers::Float
            | Numbers::Unorm
            | Numbers::Snorm
            | Numbers::SnormOgl
            | Numbers::Uscaled
            | Numbers::Sscaled => {
                if is_half {
                    f64::from(F16(value as u16).to_f32())
                } else {
                    f64::from(f32::from_bits(value))
                }
            }
        };
        let nearest = |x: f64, low: f64, high: f64| {
            // NaN becomes 0.
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

/// Rounds to the nearest value of a register's type.
#[inline(always)]
pub(super) fn narrow(value: f64, ty: Ty) -> u32 {
    if ty.bytes() == 2 {
        F16::from_f64(value).0.into()
    } else {
        (value as f32).to_bits()
    }
}

/// Number of bits of a half without its sign. An 11-bit or 10-bit float has the layout of the upper bits.
const HALF_MAGNITUDE: u32 = 15;

fn small_float(bits: u32, width: u32) -> f64 {
    match width {
        32 => f32::from_bits(bits).into(),
        16 => F16(bits as u16).to_f32().into(),
        // Expands to a half: the exponents have the same width, and the low fraction bits become zero.
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
            // Negative values become 0. Other values are truncated; +∞ and NaN are preserved.
            let bits = if value < 0.0 {
                0
            } else {
                exact::convert::<f64, F16>(Env::KEEPING.towards_zero(), value).0 & 0x7fff
            };
            let cut = HALF_MAGNITUDE - width;
            let small = u32::from(bits) >> cut;
            let is_nan = value.is_nan();
            small | u32::from(is_nan)
        }
        _ => value as u32,
    }
}

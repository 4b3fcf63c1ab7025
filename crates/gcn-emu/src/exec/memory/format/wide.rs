//! Vectorized conversion of typed-buffer elements, one component at a time.

use gcn_isa::Ty;

use super::bits::ones;
use crate::lanes::{Lanes, at_each_level};
use crate::step::{COMPONENTS, ComponentSelect, ElementFormat, Numbers};

impl ElementFormat {
    /// Computes component number `n` of the result of [`ElementFormat::load`] for each lane's element, whose dwords are
    /// in `raw`.
    pub fn load_component(&self, n: usize, raw: &[Lanes; COMPONENTS], ty: Ty) -> Lanes {
        let one = self.numbers.one(ty);
        let component = match self.select[n] {
            ComponentSelect::Zero => return Lanes::ZERO,
            ComponentSelect::One => return Lanes::splat(one),
            ComponentSelect::Component(component) => usize::from(component),
        };
        let width = u32::from(self.widths[component]);
        if width == 0 {
            return Lanes::splat(if component == 3 { one } else { 0 });
        }
        let at = self.begin(component);
        let mut value = raw[(at / u32::BITS) as usize % COMPONENTS];
        take(at % u32::BITS, width, &mut value);
        if ty.bytes() == 2 {
            load_halves(self.numbers, width, &mut value);
        } else {
            load_dwords(self.numbers, width, &mut value);
        }
        value
    }

    /// Inserts component number `component` into the elements whose dwords are in `raw`. Its value comes from the
    /// register components in `values`, as in [`ElementFormat::store`].
    pub fn store_component(
        &self,
        component: usize,
        values: &[Lanes],
        raw: &mut [Lanes; COMPONENTS],
        ty: Ty,
    ) {
        let width = u32::from(self.widths[component]);
        if width == 0 {
            return;
        }
        let is_it =
            |select: &ComponentSelect| *select == ComponentSelect::Component(component as u8);
        let from = self.select.iter().position(is_it);
        let value = from.and_then(|n| values.get(n));
        let mut value = value.copied().unwrap_or(Lanes::ZERO);
        if ty.bytes() == 2 {
            store_halves(self.numbers, width, &mut value);
        } else {
            store_dwords(self.numbers, width, &mut value);
        }
        let at = self.begin(component);
        let dword = (at / u32::BITS) as usize % COMPONENTS;
        put(at % u32::BITS, width, &value, &mut raw[dword]);
    }

    /// Returns the bit position of a component in an element.
    fn begin(&self, component: usize) -> u32 {
        self.widths[..component]
            .iter()
            .copied()
            .map(u32::from)
            .sum()
    }
}

/// Converts in place, with a separate loop for each number format.
macro_rules! convert {
    ($convert:ident $numbers:expr, $width:expr, $ty:expr, $value:expr; $($Number:ident)*) => {
        match $numbers {
            $(Numbers::$Number => {
                for dword in &mut $value.0 {
                    *dword = Numbers::$Number.$convert(*dword, $width, $ty);
                }
            })*
        }
    };
}

at_each_level! {
/// Extracts each lane's component.
fn take(shift: u32, width: u32, value: &mut Lanes) {
    for dword in &mut value.0 {
        *dword = *dword >> shift & ones(width);
    }
}

/// Inserts each lane's component, whose bits in `raw` must be zero.
fn put(shift: u32, width: u32, value: &Lanes, raw: &mut Lanes) {
    for (raw, value) in raw.0.iter_mut().zip(&value.0) {
        *raw |= (value & ones(width)) << shift;
    }
}

fn load_dwords(numbers: Numbers, width: u32, value: &mut Lanes) {
    convert!(load numbers, width, Ty::B32, value; Unorm Snorm SnormOgl Uscaled Sscaled Uint Sint Float);
}

fn load_halves(numbers: Numbers, width: u32, value: &mut Lanes) {
    convert!(load numbers, width, Ty::B16, value; Unorm Snorm SnormOgl Uscaled Sscaled Uint Sint Float);
}

fn store_dwords(numbers: Numbers, width: u32, value: &mut Lanes) {
    convert!(store numbers, width, Ty::B32, value; Unorm Snorm SnormOgl Uscaled Sscaled Uint Sint Float);
}

fn store_halves(numbers: Numbers, width: u32, value: &mut Lanes) {
    convert!(store numbers, width, Ty::B16, value; Unorm Snorm SnormOgl Uscaled Sscaled Uint Sint Float);
}
}

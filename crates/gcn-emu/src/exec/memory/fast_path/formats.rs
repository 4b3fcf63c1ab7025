//! Typed buffers: vectorized conversion of elements.

use gcn_isa::{Does, Ty};

use super::super::element::{DWORD, HALF_BITS};
use super::global::LaneAddresses;
use super::part::other_half;
use crate::device::Device;
use crate::lanes::{self, Lanes};
use crate::step::MemoryPlan;
use crate::step::{COMPONENTS, ElementFormat};
use crate::wave::Wave;

/// Loads and converts components.
pub fn load(wave: &mut Wave, plan: &MemoryPlan, device: &Device) -> Option<()> {
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "the plan has chosen this path for these two alone"
    )]
    let (count, ty, is_high) = match plan.does {
        Does::LoadFormat(count, ty) => (usize::from(count), ty, false),
        Does::LoadFormatHigh => (1, Ty::B16, true),
        _ => return None,
    };
    let (format, dwords) = format(wave, plan)?;
    let exec = wave.exec();
    let mut raw = [Lanes::ZERO; COMPONENTS];
    let mut sums = None;
    let from = LaneAddresses::of(wave, plan, format.bytes(), &mut sums)?;
    let loaded = raw.get_mut(..dwords)?;
    device
        .memory
        .gather(from.all(device)?, format.bytes().into(), exec, loaded)?;
    let registers = usize::from(plan.data_dwords);
    let first = usize::from(plan.vdst);
    let into = wave.vgprs.get_mut(first..first + registers)?;
    let component = |n: usize| match n < count {
        true => format.load_component(n, &raw, ty),
        false => Lanes::ZERO,
    };
    for (n, register) in into.iter_mut().enumerate() {
        let mut value;
        if is_high {
            value = component(0);
            lanes::insert(HALF_BITS, HALF_BITS, &mut value, other_half(plan, register));
        } else if registers < count {
            // Two components per register (errata E200).
            value = component(2 * n + 1);
            lanes::insert(HALF_BITS, HALF_BITS, &mut value, &component(2 * n));
        } else {
            value = component(n);
        }
        register.blend(&value, exec);
    }
    Some(())
}

/// Converts and stores components.
pub fn store(wave: &mut Wave, plan: &MemoryPlan, device: &Device) -> Option<()> {
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "the plan has chosen this path for these two alone"
    )]
    let (count, ty, is_high) = match plan.does {
        Does::StoreFormat(count, ty) => (usize::from(count), ty, false),
        Does::StoreFormatHigh => (1, Ty::B16, true),
        _ => return None,
    };
    let (format, dwords) = format(wave, plan)?;
    let registers = usize::from(plan.data_dwords);
    let first = usize::from(plan.vdata);
    let from = wave.vgprs.get(first..first + registers)?;
    let is_packed = registers < count;
    let mut values = [Lanes::ZERO; COMPONENTS];
    for (n, value) in values.iter_mut().take(count).enumerate() {
        *value = *from.get(if is_packed { n / 2 } else { n })?;
        if is_high || is_packed && n % 2 != 0 {
            lanes::shift_down(HALF_BITS, value);
        }
    }
    let mut raw = [Lanes::ZERO; COMPONENTS];
    for component in 0..COMPONENTS {
        format.store_component(component, values.get(..count)?, &mut raw, ty);
    }
    let mut sums = None;
    let to = LaneAddresses::of(wave, plan, format.bytes(), &mut sums)?;
    let bytes = format.bytes().into();
    let memory = &device.memory;
    let (to, aligned) = (to.all(device)?, DWORD as u64);
    memory.scatter(to, bytes, aligned, wave.exec(), raw.get(..dwords)?)
}

/// Returns the element format of the instruction or its descriptor, and the number of dwords that hold an element.
fn format(wave: &Wave, plan: &MemoryPlan) -> Option<(ElementFormat, usize)> {
    let format = plan.format.unwrap_or_else(|| {
        let last = wave.scalar(plan.sbase.wrapping_add(3));
        ElementFormat::of_descriptor(wave.isa, last)
    });
    let bytes = usize::from(format.bytes());
    (bytes != 0).then_some((format, bytes.div_ceil(DWORD)))
}

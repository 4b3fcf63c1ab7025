//! Selection of a memory instruction's fast path at decode time.

use gcn_isa::Does;

use super::arg::DWORD;
use super::plan::{Family, FastPath, MAX_SCALAR_DWORDS, MemoryPlan};
use crate::lanes::Elements;

impl FastPath {
    /// Selects the fast path of the instruction that `plan` describes.
    pub fn of(plan: &MemoryPlan) -> FastPath {
        if plan.gds || plan.tfe || plan.to_lds {
            return FastPath::None;
        }
        let is_part = usize::from(plan.ty.bytes()) < DWORD;
        match (plan.family, plan.does) {
            // Caches are coherent here, and translation needs no prefetch (errata E124, E125).
            (_, Does::Cache(_) | Does::Probe | Does::LdsNop) => FastPath::Nothing,
            (Family::Share, Does::Load(_) | Does::LoadHalf(..)) if is_part => {
                FastPath::LoadSharePart
            }
            (Family::Share, Does::Load(_) | Does::LoadTwo(..)) => FastPath::LoadShare,
            (Family::Share, Does::Store(_) | Does::StoreHigh(_) | Does::StoreTwo(..)) => {
                FastPath::StoreShare
            }
            (Family::Buffer, Does::LoadFormat(..) | Does::LoadFormatHigh) => FastPath::LoadFormat,
            (Family::Buffer, Does::StoreFormat(..) | Does::StoreFormatHigh) => {
                FastPath::StoreFormat
            }
            (Family::Share, Does::Lanes(how)) => FastPath::Moves(how),
            (Family::Share, Does::Atomic(..) | Does::Return(..)) => FastPath::AtomicShare,
            (Family::Global | Family::Flat | Family::Buffer, Does::Atomic(..)) => FastPath::Atomic,
            (Family::Scratch, Does::Load(_) | Does::LoadHalf(..)) => FastPath::LoadScratch,
            (Family::Scratch, Does::Store(_) | Does::StoreHigh(_)) => FastPath::StoreScratch,
            (Family::Buffer, Does::Load(_) | Does::LoadHalf(..)) => FastPath::LoadBuffer,
            (Family::Buffer, Does::Store(_) | Does::StoreHigh(_)) => FastPath::StoreBuffer,
            (Family::Global | Family::Flat, Does::Load(_) | Does::LoadHalf(..)) => FastPath::Load,
            (Family::Global | Family::Flat, Does::Store(_) | Does::StoreHigh(_)) => FastPath::Store,
            (Family::Scalar, Does::Load(ty)) if usize::from(ty.dwords()) <= MAX_SCALAR_DWORDS => {
                FastPath::LoadScalar
            }
            _ => FastPath::None,
        }
    }
}

/// Computes the elements of a load or store, once for all executions. Some instructions use a pair of staging registers
/// instead of their own: the first holds the addresses and the second the data.
pub(crate) fn elements(plan: &MemoryPlan) -> Elements {
    let (first, distance) = (plan.offset as u32, plan.distance as u32);
    let elements = Elements {
        addresses: plan.vaddr.unwrap_or(0),
        offsets: [first, first.wrapping_add(distance)],
        count: 1,
        mask: plan.mask,
        dwords: plan.ty.dwords(),
        data: [plan.vdata, plan.vdata1],
    };
    let is_part = usize::from(plan.ty.bytes()) < DWORD;
    // Two adjacent elements are one element of twice the size.
    let follows = distance == u32::from(plan.ty.bytes());
    let double = Elements {
        dwords: 2 * elements.dwords,
        ..elements
    };
    match plan.does {
        Does::LoadTwo(..) if follows => Elements {
            data: [plan.vdst; 2],
            ..double
        },
        Does::StoreTwo(..)
            if follows
                && u32::from(plan.vdata1) == u32::from(plan.vdata) + u32::from(elements.dwords) =>
        {
            double
        }
        Does::LoadTwo(..) => Elements {
            count: 2,
            data: [plan.vdst; 2],
            ..elements
        },
        // Two elements with the same address are one (errata E042).
        Does::StoreTwo(..) if distance != 0 => Elements {
            count: 2,
            ..elements
        },
        Does::Load(_) | Does::LoadHalf(..) if is_part => on_the_way(elements),
        Does::Load(_) => Elements {
            data: [plan.vdst; 2],
            ..elements
        },
        Does::StoreHigh(_) => on_the_way(elements),
        _ => elements,
    }
}

fn on_the_way(elements: Elements) -> Elements {
    Elements {
        addresses: 0,
        dwords: 1,
        data: [1; 2],
        ..elements
    }
}

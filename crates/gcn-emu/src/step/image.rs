//! Fields of image instructions.

use gcn_isa::effect::AtomicOp;
use gcn_isa::field::Field;
use gcn_isa::image::{AddressLayout, ImageKind};
use gcn_isa::{Does, Inst, Isa, Ty};

/// Fields of an image instruction, and values derived from them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ImagePlan {
    /// DMASK: the components in registers or, for atomics, the dwords of the operands.
    pub mask: u8,
    /// True if coordinates are in texels.
    pub unnormalized: bool,
    /// True if the address has a layer (DA).
    pub has_layer: bool,
    /// True if the descriptor has four dwords (R128).
    pub is_short: bool,
    /// True if address components have 16 bits (A16).
    pub has_short_address: bool,
    /// True if components in registers have 16 bits (D16).
    pub has_halves: bool,
    /// True if two 16-bit components share a register.
    pub is_packed: bool,
    /// First scalar register of the sampler's descriptor.
    pub sampler: u8,
    does: Does,
}

/// Number of scalar registers in a unit of SSAMP.
const SAMPLER_UNIT: u8 = 4;

impl ImagePlan {
    /// Decodes the fields of an instruction.
    pub(super) fn new(inst: &Inst) -> ImagePlan {
        let has_halves = inst.flag(Field::D16);
        ImagePlan {
            mask: inst.get(Field::Dmask) as u8,
            unnormalized: inst.flag(Field::Unorm),
            has_layer: inst.flag(Field::Da),
            is_short: inst.flag(Field::R128),
            has_short_address: inst.flag(Field::A16),
            has_halves,
            is_packed: has_halves && inst.isa >= Isa::Stoney,
            sampler: inst.get(Field::Ssamp) as u8 * SAMPLER_UNIT,
            does: inst.does(),
        }
    }

    /// Returns the layout of the address registers for an image of kind `kind`.
    pub(crate) fn address(&self, kind: ImageKind) -> AddressLayout {
        AddressLayout::of(self.does, kind, self.has_layer, self.has_short_address)
    }

    /// Returns the type of components in registers.
    pub(crate) fn ty(&self) -> Ty {
        if self.has_halves { Ty::B16 } else { Ty::B32 }
    }
}

/// Returns the type of an atomic's element. DMASK selects 32 or 64 bits; for a compare-and-swap, it has bits for both
/// operands.
pub(super) fn width(inst: &Inst, op: AtomicOp, ty: Ty) -> Ty {
    let wide = inst.get(Field::Dmask).count_ones() > op.values().into();
    match ty {
        Ty::B32 if wide => Ty::B64,
        Ty::U32 if wide => Ty::U64,
        Ty::I32 if wide => Ty::I64,
        Ty::F32 if wide => Ty::F64,
        _ => ty,
    }
}

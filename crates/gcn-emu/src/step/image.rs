//! Fields of image instructions.

use gcn_isa::effect::AtomicOp;
use gcn_isa::field::Field;
use gcn_isa::image::{AddressLayout, ImageKind};
use gcn_isa::{Does, Inst, Isa, Ty};

/// Fields of an image instruction, and what follows from them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ImagePlan {
    /// Components that registers have, or dwords.
    pub mask: u8,
    /// Coordinates count texels.
    pub unnormalized: bool,
    /// The address has a layer (DA).
    pub has_layer: bool,
    /// The descriptor has four dwords (R128).
    pub is_short: bool,
    /// Parts of the address have 16 bits (A16).
    pub has_short_address: bool,
    /// Components in registers have 16 bits (D16).
    pub has_halves: bool,
    /// Two of them share a register.
    pub is_packed: bool,
    /// The scalar registers of the sampler's descriptor.
    pub sampler: u8,
    does: Does,
}

/// Scalar registers that SSAMP counts.
const SAMPLER_UNIT: u8 = 4;

impl ImagePlan {
    /// From an instruction's fields.
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

    /// The registers of the address for an image of this kind.
    pub(crate) fn address(&self, kind: ImageKind) -> AddressLayout {
        AddressLayout::of(self.does, kind, self.has_layer, self.has_short_address)
    }

    /// The type of components in registers.
    pub(crate) fn ty(&self) -> Ty {
        if self.has_halves { Ty::B16 } else { Ty::B32 }
    }
}

/// The type of an atomic's element: DMASK says whether it has 32 or 64 bits, of a comparison with both operands in mind.
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

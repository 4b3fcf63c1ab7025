//! ALU instructions, in tables with a row for each operation and type.
//!
//! The tables (`scalar`, `packed`, `vector`, `compare`) define the value that an operation computes from a lane's
//! sources. `operands` fetches sources and writes results under EXEC, and `protocol` contains code common to many
//! instructions. A floating-point operation has a rule (`rule`) for denormals, rounding and NaNs, which `floating`
//! applies. `modifiers` applies modifiers, including SDWA and DPP; `indexing` changes register numbers. `float` defines
//! floating-point types, `arithmetic` implements IEEE arithmetic on the host, `exact` implements it in every rounding
//! mode, `nan` selects NaN results, and `divide` and `approximate` implement division and approximations.

use gcn_isa::effect::AluOp;
use gcn_isa::{Does, Field, Inst};

use crate::step::{CrossLane, Handler, SubDword};

pub(crate) mod float;
pub(crate) mod env;
pub(crate) mod exact;
mod scalar_operand;
mod operands;
pub(crate) mod rule;
mod nan;
mod arithmetic;
pub(crate) mod conversion;
pub(crate) mod approximate;
mod divide;
mod protocol;
mod floating;
mod compare;
mod packed;
mod operations;
mod vector;
pub(crate) mod hardware;
pub(crate) mod indexing;
mod fork;
mod scalar;
pub(crate) mod modifiers;
pub mod two_paths;

/// Returns the handler of an ALU, jump, call or fork instruction; `None` for unsupported and other instructions.
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "memory, and what the step loop does"
)]
pub fn handler(inst: &Inst) -> Option<Handler> {
    if !has_meaning(inst) {
        return None;
    }
    let types = inst.row().alu_types();
    let clamp = inst.flag(Field::Clamp);
    match inst.does() {
        Does::Alu(op) if types.is_scalar => scalar::handler(op, types),
        Does::Alu(AluOp::Packed(op, ty)) => packed::handler(*op, ty, clamp),
        Does::Alu(AluOp::Mix(op, _)) => packed::mixed_handler(*op, types.result),
        Does::Alu(AluOp::Dot(elements)) => packed::dot_handler(elements, types.result, clamp),
        Does::Alu(op) => vector::handler(op, types, clamp),
        Does::Compare(test, _) if types.is_scalar => scalar::comparison(test, types),
        Does::Compare(test, _) => compare::handler(test, types.source),
        Does::Jump => Some(scalar::jump(inst)),
        Does::Fork => Some(scalar::split(inst)),
        Does::Branch(_) if inst.uses().calls() => Some(scalar::call),
        _ => None,
    }
}

/// True if the SDWA and DPP fields are valid. Instructions with reserved values are not executed (errata E141).
fn has_meaning(inst: &Inst) -> bool {
    let layout = inst.layout();
    if layout.has(Field::DppCtrl) {
        return CrossLane::of(inst).is_some();
    }
    SubDword::has_meaning(inst)
}

//! ALU instructions: an arm for each.
//!
//! The tables (`scalar`, `packed`, `vector`, `compare`) say what an instruction computes from a lane's values;
//! `operands` fetches those values and writes results under EXEC, `protocol` does what is common to many, `under_mode` what
//! MODE asks of floating-point ones, `half` the same of half precision; `modifiers` changes sources and results, `sdwa` and
//! `dpp` being what those encodings do to them; `indexing` moves operands; `float` is IEEE arithmetic under the MODE
//! register, `exact` the same in every rounding mode, `nan` chooses among NaN, `divide` and `approximate` what their names say.

use gcn_isa::{Does, Field, Inst, Op};

use crate::step::{CrossLane, Handler, SubDword};

pub(crate) mod float;
pub(crate) mod env;
pub(crate) mod exact;
mod integer;
mod scalar_operand;
mod operands;
mod nan;
mod arithmetic;
mod conversion;
mod approximate;
mod divide;
mod protocol;
mod under_mode;
mod half;
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

/// The handler of an ALU instruction, if this emulator executes it.
pub fn handler(inst: &Inst) -> Option<Handler> {
    if !has_meaning(inst) {
        return None;
    }
    let clamp = inst.flag(Field::Clamp);
    match inst.op {
        Op::Sop2(op) => scalar::sop2(op),
        Op::Sopk(op) => scalar::sopk(op),
        Op::Sop1(op) => scalar::sop1(op),
        Op::Sopc(op) => scalar::sopc(op),
        Op::Vop1(op) => vector::vop1(op),
        Op::Vop2(op) => vector::vop2(op, clamp),
        Op::Vopc(_) => comparison(inst),
        Op::Vop3(op) => vector::vop3(op, clamp),
        Op::Vop3b(op) => vector::vop3b(op, clamp),
        Op::Vop3p(op) => packed::vop3p(op, clamp),
        Op::Sopp(_) | Op::Smrd(_) | Op::Smem(_) | Op::Ds(_) => None,
        Op::Flat(_) | Op::Global(_) | Op::Scratch(_) | Op::Mubuf(_) | Op::Mtbuf(_) => None,
        Op::Mimg(_) | Op::Exp(_) | Op::Vintrp(_) | Op::Vop3Interp(_) => None,
    }
}

/// True if SDWA and DPP ask for something that has a meaning; reserved numbers are not executed (errata E141).
fn has_meaning(inst: &Inst) -> bool {
    let layout = inst.layout();
    if layout.has(Field::DppCtrl) {
        return CrossLane::of(inst).is_some();
    }
    SubDword::has_meaning(inst)
}

/// A comparison's handler follows from its row.
fn comparison(inst: &Inst) -> Option<Handler> {
    let Does::Compare(test, _) = inst.does() else {
        return None;
    };
    let source = inst.row().slots().find(|slot| slot.field == Field::Src0)?;
    compare::handler(test, source.ty)
}

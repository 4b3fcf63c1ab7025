//! ALU instructions: an arm for each.
//!
//! The tables (`scalar`, `packed`, `vector`, `compare`) say what an instruction computes from a lane's values; `protocol`
//! fetches those values, applies modifiers, and writes results under EXEC; `float` is IEEE arithmetic under the
//! MODE register.

use gcn_isa::{Does, Encoding, Field, Inst, Op};

use crate::code::Handler;

mod compare;
mod float;
mod packed;
mod protocol;
mod scalar;
mod vector;

/// The handler of an ALU instruction, if this emulator executes it.
pub fn handler(inst: &Inst) -> Option<Handler> {
    if !is_executed(inst.encoding) {
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
        Op::Vop3b(op) => vector::vop3b(op),
        Op::Vop3p(op) => packed::vop3p(op, clamp),
        _ => None,
    }
}

/// A comparison's handler follows from its row.
fn comparison(inst: &Inst) -> Option<Handler> {
    let Does::Compare(test, _) = inst.does() else {
        return None;
    };
    let source = inst.row().slots().find(|slot| slot.field == Field::Src0)?;
    compare::handler(test, source.ty)
}

/// Sub-dword addressing and lane permutation are not executed.
fn is_executed(encoding: Encoding) -> bool {
    !matches!(
        encoding,
        Encoding::Vop1Sdwa
            | Encoding::Vop2Sdwa
            | Encoding::VopcSdwa
            | Encoding::Vop1Dpp
            | Encoding::Vop2Dpp
    )
}

//! The meaning of ALU instructions in pseudo-code, an arm per instruction, so that none can be left out. That of all others
//! follows from their effect, in [`describe`](crate::describe).
//!
//! Operands are called by their fields, in lower case. There are two kinds of text:
//!
//! - **exact**: statements with a `;` in between, which the test `uses` of gcn-emu evaluates and compares with what is
//!   executed. Values are whole numbers, and arithmetic is exact: a value is cut to its destination's bits only when it is
//!   assigned, or, with `clamp`, brought to the nearest number that the destination's type has. `x[7:0]` are bits,
//!   `x[n]` is one, `lane` is the number of the lane, `scc`, `vcc`, `exec` and `m0` are registers, and any other name that is
//!   assigned is a name for a value. `lowest(x)` and `highest(x)` are numbers of bits that are set, `ones(x)` is their count,
//!   `sext(x, n)` takes the low `n` bits with a sign, `i32(x)` and the like cut a value to a type.
//! - **words**: the same as far as it goes, but not evaluated.

mod pseudocode;

mod scalar;
mod vector;
mod vector3;

use crate::op::Op;

use pseudocode::BY_EFFECT;

pub use pseudocode::Meaning;

/// The meaning of an ALU instruction; nothing where the row's effect has it.
///
/// # Examples
/// ```
/// use gcn_isa::{Isa, meaning::meaning};
/// let op = Isa::Gfx9.tables().named("v_mul_u32_u24").expect("an instruction");
/// assert!(meaning(op).is_some_and(|meaning| !meaning.code.is_empty()));
/// ```
pub fn meaning(op: Op) -> Option<Meaning> {
    let meaning = match op {
        Op::Sop2(op) => scalar::sop2(op),
        Op::Sopk(op) => scalar::sopk(op),
        Op::Sop1(op) => scalar::sop1(op),
        Op::Sopc(op) => scalar::sopc(op),
        Op::Vop1(op) => vector::vop1(op),
        Op::Vop2(op) => vector::vop2(op),
        Op::Vop3(op) => vector3::vop3(op),
        Op::Vop3b(op) => vector3::vop3b(op),
        Op::Vop3p(op) => vector3::vop3p(op),
        Op::Vintrp(op) => vector3::vintrp(op),
        Op::Vop3Interp(op) => vector3::vop3_interp(op),
        Op::Sopp(_)
        | Op::Smrd(_)
        | Op::Smem(_)
        | Op::Vopc(_)
        | Op::Ds(_)
        | Op::Flat(_)
        | Op::Global(_)
        | Op::Scratch(_)
        | Op::Mubuf(_)
        | Op::Mtbuf(_)
        | Op::Mimg(_)
        | Op::Exp(_) => BY_EFFECT,
    };
    (meaning != BY_EFFECT).then_some(meaning)
}

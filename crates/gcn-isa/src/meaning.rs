//! Pseudo-code for ALU operations. For other instructions, [`describe`](crate::describe) derives it from the effect.
//!
//! Operands are named after their fields, in lower case. There are two kinds of pseudo-code:
//!
//! - **exact**: statements separated by `;`, which the test `uses` of gcn-emu evaluates and compares with execution.
//!   Values are integers of unlimited size; a value is truncated to its destination's width only when it is assigned,
//!   or, with `clamp`, saturated to the range of the destination's type. `x[7:0]` is a range of bits, `x[n]` a single
//!   bit, `lane` the lane ID; `scc`, `vcc`, `exec` and `m0` are registers, and any other assigned name is a variable.
//!   `lowest(x)` and `highest(x)` are the indices of the lowest and highest set bit, `ones(x)` is the number of set
//!   bits, `sext(x, n)` sign-extends the low `n` bits, `i32(x)` and similar functions convert to a type.
//! - **words**: informal text, in the same notation as far as possible, which is not evaluated.

mod template;
mod operation;

use crate::effect::{Does, Implicit, Test};
use crate::op::Op;
use crate::row::Row;

use template::{Names, Template};

/// Meaning of an ALU instruction.
///
/// # Examples
/// ```
/// use gcn_isa::{Op, meaning::meaning, sop::Sop2};
/// let add = meaning(Op::Sop2(Sop2::S_ADD_U32)).expect("an ALU instruction");
/// assert_eq!(add.code, "sdst = ssrc0 + ssrc1; scc = ssrc0 + ssrc1 > 0xffffffff");
/// assert_eq!((add.corners, add.is_exact), ("SCC is the carry.", true));
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Meaning {
    /// Pseudo-code.
    pub code: String,
    /// Corner cases in full sentences; may be empty.
    pub corners: &'static str,
    /// True if the pseudo-code is exact; see the [module](self).
    pub is_exact: bool,
}

/// Meaning of an ALU instruction; `None` for other instructions, whose meaning follows from the row's effect.
///
/// # Examples
/// ```
/// use gcn_isa::{Isa, meaning::meaning};
/// let op = Isa::Gfx9.tables().named("v_mul_u32_u24").expect("an instruction");
/// assert!(meaning(op).is_some_and(|meaning| !meaning.code.is_empty()));
/// ```
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "the effects of all others say what they mean"
)]
pub fn meaning(op: Op) -> Option<Meaning> {
    let row = op.row();
    let types = row.alu_types();
    let names = Names::of(row);
    let counts_source = matches!(row.does, Does::Alu(alu) if alu.counts_source());
    let counted = if counts_source {
        types.source
    } else {
        types.result
    };
    let bits = (u32::from(counted.bytes()) * 8).min(64);
    let (template, names) = match row.does {
        Does::Alu(alu) => {
            let (alu, is_reversed) = alu.in_order();
            let names = if is_reversed { names.reversed() } else { names };
            (operation::template(alu, row, bits), names)
        }
        Does::Compare(test, _) if types.is_scalar => (comparison(test, row), names),
        _ => return None,
    };
    let mut code = names.fill(template.code, bits);
    if row.implicit().has(Implicit::WRITES_SCC) && !code.contains("scc = ") {
        code += &names.fill("; scc = $d != 0", bits);
    }
    Some(Meaning {
        code,
        corners: operation::remark(op).unwrap_or(template.corners),
        is_exact: template.is_exact,
    })
}

/// A scalar comparison; SOPK zero-extends its constant for unsigned comparisons.
fn comparison(test: Test, row: &Row) -> Template {
    use crate::operand::{Kind, Ty};
    let is_unsigned = row.slots().next().is_some_and(|slot| slot.ty == Ty::U32);
    let is_constant = row.slots().any(|slot| slot.kind == Kind::Simm16);
    template::exact(match (test, is_unsigned && is_constant) {
        (Test::Eq, false) => "scc = $a == $b",
        (Test::Lg, false) => "scc = $a != $b",
        (Test::Gt, false) => "scc = $a > $b",
        (Test::Ge, false) => "scc = $a >= $b",
        (Test::Lt, false) => "scc = $a < $b",
        (Test::Eq, true) => "scc = $a == $b[15:0]",
        (Test::Lg, true) => "scc = $a != $b[15:0]",
        (Test::Gt, true) => "scc = $a > $b[15:0]",
        (Test::Ge, true) => "scc = $a >= $b[15:0]",
        (Test::Lt, true) => "scc = $a < $b[15:0]",
        (Test::Le, true) => "scc = $a <= $b[15:0]",
        // Scalar instructions have no other comparison.
        _ => "scc = $a <= $b",
    })
}

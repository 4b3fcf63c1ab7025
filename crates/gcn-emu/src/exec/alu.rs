//! ALU instructions: an arm for each.

use gcn_isa::Inst;

use crate::code::Handler;

/// The handler of an ALU instruction, if this emulator executes it.
pub fn handler(_inst: &Inst) -> Option<Handler> {
    None
}

//! Execution of instructions, by their identity or their effect; opcode numbers are unknown here.

// A new behaviour, instruction set or operand must be considered wherever one is matched.
#![deny(clippy::wildcard_enum_match_arm)]

pub mod alu;
pub mod memory;

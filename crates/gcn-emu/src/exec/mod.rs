//! Execution of instructions. It depends on an instruction's identity or effect, never on opcode numbers.

// Every match must be revisited for a new behavior, instruction set or operand.
#![deny(clippy::wildcard_enum_match_arm)]

pub mod alu;
pub mod memory;

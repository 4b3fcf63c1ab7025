//! Execution of instructions. This code depends on an instruction's identity or effect, never on opcode numbers.

// A new behavior, instruction set or operand must cause a compile error in every match that does not handle it.
#![deny(clippy::wildcard_enum_match_arm)]

pub mod alu;
pub mod memory;

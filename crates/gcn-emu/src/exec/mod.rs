//! Execution of instructions, by their identity or their effect; opcode numbers are unknown here.

pub mod alu;
pub mod memory;

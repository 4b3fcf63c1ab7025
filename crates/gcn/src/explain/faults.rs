//! Explanations of the faults of a run.

use gcn_asm::Explanation;
use gcn_runtime::fault::names;

/// Defines the list of explanations, one per row.
macro_rules! faults {
    ($($id:ident
        meaning $meaning:literal
        remedy $remedy:literal
        $(; source $source:literal)?
    )*) => {
        /// Explanations of all faults.
        pub static FAULTS: &[Explanation] = &[
            $(Explanation {
                name: names::$id,
                meaning: $meaning,
                example: "",
                remedy: $remedy,
                source: concat!($($source)?),
            }),*
        ];
    };
}

faults! {
    UNMAPPED_ACCESS
        meaning "A lane loads, stores or updates memory that belongs to no allocation. The message names the lane, the \
                 address and the nearest allocation."
        remedy "Compare the index with the buffer's size: often the grid is larger than the data and the kernel does \
                not test its global number. An address near 0 is a null pointer. `--trace` shows the registers."
        ; source "errata E105"
    MISALIGNED_ATOMIC
        meaning "An atomic operation has an address that is not a multiple of its size."
        remedy "Align the data to 4 bytes for 32-bit atomics and to 8 bytes for 64-bit ones."
        ; source "errata E104"
    REGISTER_OUT_OF_RANGE
        meaning "An instruction writes a register that the kernel descriptor does not allocate. Hardware cancels the \
                 instruction."
        remedy "Raise `.amdhsa_next_free_vgpr` or `.amdhsa_next_free_sgpr`, or omit them: the assembler then counts the \
                registers of the code."
        ; source "errata E105, E129"
    INVALID_INSTRUCTION
        meaning "The words at the program counter are not an instruction of the target."
        remedy "Compare the target with the one that the code was built for (`gcn info`), and look for data in the path of \
                execution (`gcn dis`)."
    UNSUPPORTED_INSTRUCTION
        meaning "The instruction is valid, but the emulator does not execute it: exports, interpolation, images with an \
                 invalid or unsupported descriptor."
        remedy "Graphics shaders cannot be run. For an image instruction, look at the descriptor in its registers (errata E320)."
    PC_OUTSIDE_CODE
        meaning "The program counter has left the code. The message names the jump, if there was one."
        remedy "End every path with `s_endpgm`. After a jump through registers, check the address in them."
    MISALIGNED_PC
        meaning "The program counter is not a multiple of 4."
        remedy "Check the address that the jump takes from registers."
    CODE_CHANGED
        meaning "At the end of a run, memory differs from code that the run has executed: a store has changed it. The \
                 emulator executes code as it was loaded, with or without S_ICACHE_INV."
        remedy "Look for a store beyond the end of an array. Code that is generated at run time must be loaded as a code object."
    OUTSIDE_TRAP_HANDLER
        meaning "The instruction is allowed in a trap handler only, and the emulator runs none."
        remedy "Remove the instruction from the kernel."
    HALTED_WAVE
        meaning "The wave halts itself (S_SETHALT, S_SENDMSGHALT), and only a debugger could continue it."
        remedy "Remove the instruction, or end the wave with `s_endpgm`."
    TRAP
        meaning "The kernel executes S_TRAP. Trap 2 is `abort`, a failed `assert` or `__builtin_trap`."
        remedy "Look at the condition before the trap; `--trace` shows the instructions that lead to it."
        ; source "errata E240"
    DEADLOCK
        meaning "All waves wait, at barriers or at global wave synchronisation, and none can continue."
        remedy "Let every wave of a workgroup reach the same barriers, including waves without work, and release the resources \
                that others wait for."
    INSTRUCTION_LIMIT
        meaning "A wave has executed as many instructions as `--limit` allows."
        remedy "Look in the list of waves for a loop that does not end, or raise `--limit`."
    UNSUPPORTED_HOST_CALL
        meaning "The kernel calls a service of the host that the emulator does not offer."
        remedy "`printf`, `malloc` and `free` work; calls of host functions do not."
    STOPPED_BY_OBSERVER
        meaning "An observer of the run refused an access."
        remedy "The message comes from the observer."
    INTERRUPTED
        meaning "A signal or the timeout stopped the run before its end."
        remedy "Raise `--timeout` if the run needs more time; the list of waves shows its position."
}

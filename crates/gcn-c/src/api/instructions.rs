//! Decoding and printing instructions, without allocations, so that loops over code are fast.

use std::cell::RefCell;
use std::collections::HashMap;
use std::ffi::{CString, c_char};
use std::ptr::null;
use std::sync::{LazyLock, PoisonError, RwLock};

use gcn_isa::text::Text;
use gcn_isa::uses::{Registers, UnnumberedState};
use gcn_isa::{Inst, Syntax};

use super::targets::{TargetId, target};
use crate::entry::{ErrorHandle, call};
use crate::failure::{Failure, c_text};
use crate::pointers;

/// Instruction, filled in by `gcn_decode`. It contains no pointers, so it can be copied freely. The functions that
/// take one decode its words again.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Instruction {
    /// Target for which it was decoded.
    pub target: TargetId,
    /// Length in words: 1 or 2.
    pub word_count: u32,
    /// Words; the second is 0 for a one-word instruction.
    pub words: [u32; 2],
    /// Distance in words from the next instruction to the target of a branch; 0 for other instructions.
    pub branch_offset: i64,
    /// True for a branch whose target is encoded in its words.
    pub is_branch: bool,
}

/// Spelling of instructions.
#[repr(C)]
pub enum SyntaxChoice {
    /// LLVM's syntax.
    Llvm = 0,
    /// CLRX's syntax, as its documents specify it.
    Clrx = 1,
}

/// Converts a syntax's number.
fn syntax_of(number: u32) -> Result<Syntax, Failure> {
    const LLVM: u32 = SyntaxChoice::Llvm as u32;
    const CLRX: u32 = SyntaxChoice::Clrx as u32;
    match number {
        LLVM => Ok(Syntax::Llvm),
        CLRX => Ok(Syntax::Clrx),
        other => Err(Failure::choice(format!("{other} is no syntax"))),
    }
}

/// Class of registers.
#[repr(C)]
#[derive(Clone, Copy)]
pub enum RegisterClass {
    /// VGPRs by number.
    Vector = 0,
    /// Scalar registers by their number in operands, below 128: SGPRs, VCC (106), M0 (124), EXEC (126), ...
    Scalar = 1,
    /// Condition code SCC, without a number.
    Scc = 2,
    /// Other state of a wave, such as the program counter or MODE, without a number.
    State = 3,
}

/// Use of registers by an instruction, explicit or implicit.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct RegisterUse {
    /// Class of the registers.
    pub register_class: RegisterClass,
    /// Number of the first register.
    pub first: u32,
    /// Number of registers.
    pub count: u32,
    /// Bits of each dword that are read; 0 if none.
    pub read: u32,
    /// Bits of each dword that may be written; 0 if none.
    pub written: u32,
}

/// Decodes the instruction of a structure.
///
/// # Safety
/// The pointer is null or points to an instruction.
#[inline]
unsafe fn decoded(instruction: *const Instruction) -> Result<Inst, Failure> {
    pointers::check(instruction, 1, "instruction")?;
    // SAFETY: it is not null and aligned, and has a value, as the caller vouches. Its other fields are not read.
    let (id, words) = unsafe { ((*instruction).target, (*instruction).words) };
    let (inst, _) = target(id)?.isa.decoder().decode(&words)?;
    Ok(inst)
}

thread_local! {
    /// Text of the instruction being printed, reused to avoid allocation.
    static TEXT: RefCell<Text> = const { RefCell::new(Text::new()) };
}

/// Decodes the instruction at the start of `count` words into `*instruction`.
///
/// `words` points to `count` words in the byte order of the host. On failure `*instruction` is unchanged: words that
/// do not decode for the target give the error `unknown-instruction`, and a missing second word gives
/// `truncated-instruction`. Pass null for `error` in a loop over words that may be data, to avoid creating errors.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gcn_decode(
    target: TargetId,
    words: *const u32,
    count: usize,
    instruction: *mut Instruction,
    error: *mut *mut ErrorHandle,
) -> bool {
    let body = || {
        // SAFETY: the caller passes null or `count` words.
        let words = unsafe { pointers::array(words, count, "words") }?;
        let (inst, skimmed) = self::target(target)?.isa.decoder().decode(words)?;
        let decoded = Instruction {
            target,
            word_count: skimmed.dwords as u32,
            words: inst.words(),
            branch_offset: skimmed.branch.unwrap_or(0),
            is_branch: skimmed.branch.is_some(),
        };
        // SAFETY: the caller passes null or room for an instruction.
        unsafe { pointers::put(instruction, decoded, "instruction") }?;
        Ok(true)
    };
    // SAFETY: the caller passes null or room for an error.
    unsafe { call(error, false, body) }
}

/// Prints an instruction like `snprintf`: writes as much of its text as fits in `size` bytes, with a terminator, and
/// returns the length of the whole text without it. Returns 0 and sets an error on failure.
///
/// `syntax` is one of `gcn_syntax`. `label` is the name of a branch's target; if it is null, a branch shows its
/// distance in words. `buffer` has `size` bytes; it may be null if `size` is 0. Without a label, 128 bytes are enough
/// for every instruction.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gcn_instruction_print(
    instruction: *const Instruction,
    syntax: u32,
    label: *const c_char,
    buffer: *mut c_char,
    size: usize,
    error: *mut *mut ErrorHandle,
) -> usize {
    let body = || {
        // SAFETY: the caller passes null or an instruction.
        let inst = unsafe { decoded(instruction) }?;
        let syntax = syntax_of(syntax)?;
        // SAFETY: the caller passes null or text that ends with a NUL.
        let label = unsafe { pointers::optional_text(label, "label") }?;
        TEXT.with_borrow_mut(|text| {
            text.clear();
            let _ = inst.isa.printer().print(&inst, text, syntax, label);
            // SAFETY: the caller passes null or `size` bytes.
            unsafe { pointers::put_text(text.as_bytes(), buffer, size, "buffer") }
        })
    };
    // SAFETY: the caller passes null or room for an error.
    unsafe { call(error, 0, body) }
}

/// Returns the mnemonic of an instruction on its target, without an encoding suffix, such as `v_add_f32`. Returns
/// null and sets an error on failure. The string is static.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gcn_instruction_mnemonic(
    instruction: *const Instruction,
    error: *mut *mut ErrorHandle,
) -> *const c_char {
    /// Mnemonics returned so far. They are never removed; their number is limited by the tables.
    static MNEMONICS: LazyLock<RwLock<HashMap<&'static str, CString>>> =
        LazyLock::new(RwLock::default);
    let body = || {
        // SAFETY: the caller passes null or an instruction.
        let name = unsafe { decoded(instruction) }?.name();
        let known = MNEMONICS.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(text) = known.get(name) {
            return Ok(text.as_ptr());
        }
        drop(known);
        let mut known = MNEMONICS.write().unwrap_or_else(PoisonError::into_inner);
        Ok(known.entry(name).or_insert_with(|| c_text(name)).as_ptr())
    };
    // SAFETY: the caller passes null or room for an error.
    unsafe { call(error, null(), body) }
}

/// Lists the registers that an instruction reads and writes, including implicit ones. Writes at most `size` uses, and
/// sets `*count` to their total number, which is at most 24.
///
/// `uses` has room for `size` uses; it may be null if `size` is 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gcn_instruction_registers(
    instruction: *const Instruction,
    uses: *mut RegisterUse,
    size: usize,
    count: *mut usize,
    error: *mut *mut ErrorHandle,
) -> bool {
    let body = || {
        // SAFETY: the caller passes null or an instruction.
        let inst = unsafe { decoded(instruction) }?;
        let mut all = 0;
        for used in inst.uses().registers() {
            let (register_class, first, number) = match used.registers {
                Registers::Vector { first, count } => (RegisterClass::Vector, first, count),
                Registers::Scalar { first, count } => (RegisterClass::Scalar, first, count),
                Registers::State(UnnumberedState::Scc) => (RegisterClass::Scc, 0, 1),
                Registers::State(_) => (RegisterClass::State, 0, 1),
            };
            let used = RegisterUse {
                register_class,
                first: first.into(),
                count: number.into(),
                read: used.read,
                written: used.written,
            };
            if all < size {
                if uses.is_null() {
                    return Err(Failure::null("uses"));
                }
                // SAFETY: the caller passes room for `size` uses, of which this is one.
                unsafe { uses.add(all).write_unaligned(used) };
            }
            all += 1;
        }
        // SAFETY: the caller passes null or room for a number.
        unsafe { pointers::put(count, all, "count") }?;
        Ok(true)
    };
    // SAFETY: the caller passes null or room for an error.
    unsafe { call(error, false, body) }
}

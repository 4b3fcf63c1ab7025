//! Decodes and prints instructions without allocating, so that loops over code are fast.

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

/// Decoded instruction, filled in by `gcn_decode`. It contains no pointers and can be copied freely. Functions that
/// take an instruction decode its words again.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Instruction {
    /// Target that the words were decoded for.
    pub target: TargetId,
    /// Length in words: 1 or 2.
    pub word_count: u32,
    /// Encoded words; the second is 0 for a one-word instruction.
    pub words: [u32; 2],
    /// Branch distance in words, relative to the next instruction; 0 for other instructions.
    pub branch_offset: i64,
    /// True for branches whose words encode the target.
    pub is_branch: bool,
}

/// Syntax of printed instructions.
#[repr(C)]
pub enum SyntaxChoice {
    /// LLVM's syntax.
    Llvm = 0,
    /// CLRX's syntax, as its documentation specifies.
    Clrx = 1,
}

/// Converts a `gcn_syntax` value.
fn syntax_of(number: u32) -> Result<Syntax, Failure> {
    const LLVM: u32 = SyntaxChoice::Llvm as u32;
    const CLRX: u32 = SyntaxChoice::Clrx as u32;
    match number {
        LLVM => Ok(Syntax::Llvm),
        CLRX => Ok(Syntax::Clrx),
        other => Err(Failure::choice(format!("{other} is not a syntax"))),
    }
}

/// Register class.
#[repr(C)]
#[derive(Clone, Copy)]
pub enum RegisterClass {
    /// VGPRs, by number.
    Vector = 0,
    /// Scalar registers, by operand encoding below 128: SGPRs, VCC (106), M0 (124), EXEC (126), ...
    Scalar = 1,
    /// Scalar condition code (SCC), which has no number.
    Scc = 2,
    /// Other wave state, such as the program counter or MODE, which has no number.
    State = 3,
}

/// Registers that an instruction uses, explicitly or implicitly.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct RegisterUse {
    /// Register class.
    pub register_class: RegisterClass,
    /// Number of the first register.
    pub first: u32,
    /// Number of registers.
    pub count: u32,
    /// Mask of the bits that are read in each dword; 0 if none.
    pub read: u32,
    /// Mask of the bits that may be written in each dword; 0 if none.
    pub written: u32,
}

/// Decodes the words in an instruction structure.
///
/// # Safety
/// The pointer is null or points to an instruction.
#[inline]
unsafe fn decoded(instruction: *const Instruction) -> Result<Inst, Failure> {
    pointers::check(instruction, 1, "instruction")?;
    // SAFETY: `instruction` is aligned and not null, and the caller guarantees that it is valid. Only these fields are
    // read.
    let (id, words) = unsafe { ((*instruction).target, (*instruction).words) };
    let (inst, _) = target(id)?.isa.decoder().decode(&words)?;
    Ok(inst)
}

thread_local! {
    /// Text of the instruction being printed, reused to avoid allocation.
    static TEXT: RefCell<Text> = const { RefCell::new(Text::new()) };
}

/// Decodes the first instruction in an array of words into `*instruction`.
///
/// `words` points to `count` words in host byte order. On failure, `*instruction` is unchanged: the error is
/// `unknown-instruction` if the words do not decode for the target, or `truncated-instruction` if the second word is
/// missing. In a loop over words that may be data, pass null for `error` to avoid creating errors.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gcn_decode(
    target: TargetId,
    words: *const u32,
    count: usize,
    instruction: *mut Instruction,
    error: *mut *mut ErrorHandle,
) -> bool {
    let body = || {
        // SAFETY: the caller guarantees that `words` is null or points to `count` words.
        let words = unsafe { pointers::array(words, count, "words") }?;
        let (inst, skimmed) = self::target(target)?.isa.decoder().decode(words)?;
        let decoded = Instruction {
            target,
            word_count: skimmed.dwords as u32,
            words: inst.words(),
            branch_offset: skimmed.branch.unwrap_or(0),
            is_branch: skimmed.branch.is_some(),
        };
        // SAFETY: the caller guarantees that `instruction` is null or writable.
        unsafe { pointers::put(instruction, decoded, "instruction") }?;
        Ok(true)
    };
    // SAFETY: the caller guarantees that `error` is null or writable.
    unsafe { call(error, false, body) }
}

/// Prints an instruction like `snprintf`: writes as much of its text as fits in `size` bytes, including a terminator,
/// and returns the length of the whole text, excluding the terminator. Returns 0 and sets an error on failure.
///
/// `syntax` is a `gcn_syntax` value. `label` is the name of the branch target; if it is null, branches show their
/// distance in words. `buffer` has room for `size` bytes; it may be null if `size` is 0. Without a label, 128 bytes are
/// enough for every instruction.
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
        // SAFETY: the caller guarantees that `instruction` is null or valid.
        let inst = unsafe { decoded(instruction) }?;
        let syntax = syntax_of(syntax)?;
        // SAFETY: the caller guarantees that `label` is null or null-terminated.
        let label = unsafe { pointers::optional_text(label, "label") }?;
        TEXT.with_borrow_mut(|text| {
            text.clear();
            let _ = inst.isa.printer().print(&inst, text, syntax, label);
            // SAFETY: the caller guarantees that `buffer` is null or has `size` writable bytes.
            unsafe { pointers::put_text(text.as_bytes(), buffer, size, "buffer") }
        })
    };
    // SAFETY: the caller guarantees that `error` is null or writable.
    unsafe { call(error, 0, body) }
}

/// Returns the mnemonic of an instruction on its target, without an encoding suffix, such as `v_add_f32`. Returns
/// null and sets an error on failure. The string is static.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gcn_instruction_mnemonic(
    instruction: *const Instruction,
    error: *mut *mut ErrorHandle,
) -> *const c_char {
    /// Mnemonics returned so far, which are never removed. The instruction tables limit their number.
    static MNEMONICS: LazyLock<RwLock<HashMap<&'static str, CString>>> =
        LazyLock::new(RwLock::default);
    let body = || {
        // SAFETY: the caller guarantees that `instruction` is null or valid.
        let name = unsafe { decoded(instruction) }?.name();
        let known = MNEMONICS.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(text) = known.get(name) {
            return Ok(text.as_ptr());
        }
        drop(known);
        let mut known = MNEMONICS.write().unwrap_or_else(PoisonError::into_inner);
        Ok(known.entry(name).or_insert_with(|| c_text(name)).as_ptr())
    };
    // SAFETY: the caller guarantees that `error` is null or writable.
    unsafe { call(error, null(), body) }
}

/// Lists the registers that an instruction reads and writes, including implicit ones. Writes at most `size` uses, and
/// sets `*count` to the total number, which is at most 24.
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
        // SAFETY: the caller guarantees that `instruction` is null or valid.
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
                // SAFETY: the caller guarantees that `uses` has room for `size` uses, and `all` is less than `size`.
                unsafe { uses.add(all).write_unaligned(used) };
            }
            all += 1;
        }
        // SAFETY: the caller guarantees that `count` is null or writable.
        unsafe { pointers::put(count, all, "count") }?;
        Ok(true)
    };
    // SAFETY: the caller guarantees that `error` is null or writable.
    unsafe { call(error, false, body) }
}

//! Fidelity of an instruction's text.

/// Fidelity of an instruction's text.
///
/// # Examples
/// ```
/// use gcn_isa::{Isa, Syntax, TextFidelity, decode};
/// let fidelity = |words: &[u32]| {
///     decode(Isa::Vi, words).map(|inst| inst.print(&mut String::new(), Syntax::Llvm, None))
/// };
/// assert_eq!(fidelity(&[0xbf80_0000]), Ok(TextFidelity::Exact), "s_nop 0");
/// assert_eq!(fidelity(&[0xb980_f801]), Ok(TextFidelity::RefusedByLlvm), "s_getreg_regrd_b32");
/// assert_eq!(fidelity(&[0xbf8a_0001]), Ok(TextFidelity::Lossy), "s_barrier with an unused bit set");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[must_use]
pub enum TextFidelity {
    /// Assembling the text reproduces the words.
    Exact,
    /// Assembling the text reproduces the words with this project's assembler, at least in CLRX's dialect. LLVM's
    /// assembler, whose syntax the text uses, rejects the text or encodes it as different words.
    RefusedByLlvm,
    /// The text omits some bits (nonzero reserved or unused fields, a register without a name), or the instruction
    /// violates a [rule](crate::rules) that assemblers enforce.
    Lossy,
}

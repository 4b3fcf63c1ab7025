//! The LLVM and CLRX dialects. Syntax that only one has is accepted in both. Where they conflict, or where an error
//! that only one of them reports is worth keeping, the dialect decides; each difference has a method here.
//! `docs/dialects.md` lists the differences with reasons.

use gcn_isa::rules::{self, Rule};
use gcn_isa::{Field, FieldError, Inst, Isa, Modifier, Operand, Ty, regs};

/// Dialect that applies where LLVM and CLRX conflict.
///
/// # Examples
/// ```
/// use gcn_asm::{Dialect, Options, Source, assemble};
/// let target = gcn_isa::Target::named("gfx900").expect("a target");
/// let words = |dialect, text| {
///     let options = Options { dialect, ..Options::new(target) };
///     assemble(&Source { name: "a.s", text }, &options).program.to_raw().len() / 4
/// };
/// // A semicolon begins a comment of LLVM's, and another statement of CLRX's.
/// assert_eq!(words(Dialect::Llvm, "s_nop 0; s_nop 1"), 1);
/// assert_eq!(words(Dialect::Clrx, "s_nop 0; s_nop 1"), 2);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Dialect {
    /// Dialect of llvm-mc.
    #[default]
    Llvm,
    /// Dialect of CLRX's assembler.
    Clrx,
}

impl Dialect {
    /// Returns true if `//` begins a comment; otherwise it is unsigned division.
    pub(crate) fn slashes_begin_comment(self) -> bool {
        self == Dialect::Llvm
    }

    /// Returns true if `;` separates statements; otherwise it begins a comment.
    pub(crate) fn semicolon_separates(self) -> bool {
        self == Dialect::Clrx
    }

    /// Returns true if a plain number used as a branch target is a distance in dwords; otherwise it is an error.
    pub(crate) fn numbers_are_distances(self) -> bool {
        self == Dialect::Llvm
    }

    /// Returns true if `&&` has higher precedence than `||`.
    pub(crate) fn and_binds_tighter_than_or(self) -> bool {
        self == Dialect::Llvm
    }

    /// Default of a modifier, if it differs between the dialect and the table row.
    pub(crate) fn default_of(self, modifier: &Modifier) -> Option<i64> {
        match (self, modifier.field) {
            (Dialect::Llvm, _) => None,
            // UNUSED_PAD.
            (Dialect::Clrx, Field::DstUnused) => Some(0),
            (Dialect::Clrx, Field::Dmask) => Some(1),
            _ => None,
        }
    }

    /// Value of DST_SEL in comparisons, where the field has no effect.
    pub(crate) fn comparison_selection(self) -> i64 {
        match self {
            Dialect::Llvm => 0,
            // DWORD.
            Dialect::Clrx => 6,
        }
    }

    /// Returns true if sources of mixed-precision instructions are 16-bit when `op_sel_hi` is omitted.
    pub(crate) fn mixed_sources_are_halves(self) -> bool {
        self == Dialect::Clrx
    }

    /// Returns true if `op_sel_hi` leaves the bit for a third source set on instructions with only two sources.
    pub(crate) fn list_sets_missing_source(self) -> bool {
        self == Dialect::Llvm
    }

    /// Returns true if instructions accept every output modifier and selection of their encoding, and negation of every
    /// source, even if these have no effect on the operand type.
    pub(crate) fn takes_all_modifiers(self) -> bool {
        self == Dialect::Clrx
    }

    /// Returns true if a buffer address may be written even if no address mode uses it.
    pub(crate) fn takes_idle_address(self) -> bool {
        self == Dialect::Clrx
    }

    /// Returns true if an atomic without `glc` may name a destination, which it does not write (errata E014).
    pub(crate) fn takes_idle_destination(self) -> bool {
        self == Dialect::Clrx
    }

    /// Returns true if, with COMPR, `off` disables single values; otherwise it disables pairs.
    pub(crate) fn exports_each_value(self) -> bool {
        self == Dialect::Clrx
    }

    /// Returns true if `lds` is the LDS source operand; otherwise it is a symbol.
    pub(crate) fn lds_is_a_source(self) -> bool {
        self == Dialect::Clrx
    }

    /// Largest attribute number that operands may name.
    pub(crate) fn last_attribute(self) -> u8 {
        /// Maximum value of the attribute field.
        const FIELD: u8 = 63;
        match self {
            Dialect::Llvm => gcn_isa::vintrp::MAX_ATTRIBUTE,
            Dialect::Clrx => FIELD,
        }
    }

    /// Returns true if unaligned SGPR groups can be written; instructions may still reject them.
    pub(crate) fn takes_any_group(self) -> bool {
        self == Dialect::Clrx
    }

    /// Returns true if a message named symbolically must have a valid operation and stream.
    pub(crate) fn checks_messages(self) -> bool {
        self == Dialect::Llvm
    }

    /// Returns true if `a::b` names symbol `b` in scope `a`.
    pub(crate) fn has_scopes(self) -> bool {
        self == Dialect::Clrx
    }

    /// Returns true if macro names are case-insensitive.
    pub(crate) fn ignores_case_of_macros(self) -> bool {
        self == Dialect::Clrx
    }

    /// Returns true if `.half` emits 16-bit floats; otherwise it emits integers.
    pub(crate) fn halves_are_floats(self) -> bool {
        self == Dialect::Clrx
    }

    /// Returns true if a backslash and a digit in single quotes, such as `'\0'`, is an octal code; otherwise it is the digit.
    pub(crate) fn characters_have_codes(self) -> bool {
        self == Dialect::Clrx
    }

    /// Returns true if a value in a data list may be omitted, which means 0.
    pub(crate) fn takes_missing_data(self) -> bool {
        self == Dialect::Clrx
    }

    /// Returns true if oversized data is truncated with a warning, and space of negative size is empty; otherwise both
    /// are errors.
    pub(crate) fn truncates_data(self) -> bool {
        self == Dialect::Clrx
    }

    /// Returns true if a modifier may be repeated, with a warning; the last one counts.
    pub(crate) fn takes_last_modifier(self) -> bool {
        self == Dialect::Clrx
    }

    /// Returns true if a backslash at the end of a line continues the statement on the next line.
    pub(crate) fn continues_lines(self) -> bool {
        self == Dialect::Clrx
    }

    /// Returns true if blanks in macro arguments and `.ifc` operands matter only where they separate two words or two
    /// operators.
    pub(crate) fn ignores_idle_blanks(self) -> bool {
        self == Dialect::Clrx
    }

    /// Returns true if, in `.altmacro` mode, `local` may appear anywhere in a macro, even after labels, and parameters
    /// are replaced inside strings. Otherwise `local` must come first, and parameters in strings need `&`.
    pub(crate) fn alters_everywhere(self) -> bool {
        self == Dialect::Clrx
    }

    /// Returns true if purging an unknown macro is only a warning.
    pub(crate) fn allows_unknown_purge(self) -> bool {
        self == Dialect::Clrx
    }

    /// Returns true if a backslash in a file name separates directories.
    pub(crate) fn takes_backslash_paths(self) -> bool {
        self == Dialect::Clrx
    }

    /// Returns true if XNACK_MASK exists only on chips that replay faulting accesses.
    pub(crate) fn xnack_mask_needs_xnack(self) -> bool {
        self == Dialect::Llvm
    }

    /// Returns true if breaking `rule` is an error.
    pub(crate) fn enforces(self, rule: Rule) -> bool {
        self == Dialect::Llvm || gcn_isa::clrx::enforces(rule)
    }

    /// Encodes an integer source operand. CLRX uses inline constants only for integer values, not for float bit
    /// patterns, and always uses 32-bit literals.
    ///
    /// # Errors
    /// [`FieldError::Range`] if the value does not fit.
    pub(crate) fn constant(self, isa: Isa, ty: Ty, value: i64) -> Result<Operand, FieldError> {
        match self {
            Dialect::Llvm => rules::constant(isa, ty, value),
            Dialect::Clrx => match regs::inline_of_int(value) {
                Some(code) => Ok(Operand::Scalar {
                    code,
                    count: ty.dwords(),
                }),
                None => self.literal(ty, value).map(Operand::Literal),
            },
        }
    }

    /// Index of the operand with which a vector instruction exceeds the constant bus limit, if any.
    pub(crate) fn constant_bus(self, inst: &Inst) -> Option<usize> {
        match self {
            Dialect::Llvm => rules::constant_bus(inst),
            Dialect::Clrx => gcn_isa::clrx::constant_bus(inst),
        }
    }

    /// Literal bits for an integer.
    ///
    /// # Errors
    /// [`FieldError::Range`] if the value does not fit.
    pub(crate) fn literal(self, ty: Ty, value: i64) -> Result<u32, FieldError> {
        match self {
            Dialect::Llvm => rules::literal(ty, value),
            Dialect::Clrx => rules::literal(Ty::B32, value),
        }
    }

    /// Bits of a 64-bit float for a literal, which holds the upper half: LLVM truncates; CLRX rounds before it looks
    /// for an inline constant.
    pub(crate) fn double_bits(self, value: f64) -> u64 {
        const HALF: u64 = 1 << (u32::BITS - 1);
        const UPPER: u64 = u64::MAX << u32::BITS;
        match self {
            Dialect::Llvm => value.to_bits(),
            Dialect::Clrx => value.to_bits().saturating_add(HALF) & UPPER,
        }
    }

    /// Returns true if 0.15915494 encodes as the inline constant 1/(2π) for all types; otherwise only for 32-bit and
    /// 16-bit ones.
    pub(crate) fn rounds_inv_2pi(self) -> bool {
        self == Dialect::Clrx
    }

    /// Type of a floating-point constant in an operand of type `ty`. CLRX accepts such constants for all types, and
    /// uses 32-bit floats for types that are not floats.
    pub(crate) fn float_type(self, ty: Ty) -> Ty {
        match (self, ty) {
            (Dialect::Llvm, _) | (_, Ty::F16 | Ty::F16x2 | Ty::F64) => ty,
            (Dialect::Clrx, _) => Ty::F32,
        }
    }
}

//! The two dialects: LLVM's and CLRX's. Syntax that only one of them has is accepted in both; where they conflict, or
//! where one dialect's error is worth keeping, the dialect decides, by a method for each difference.
//! `docs/dialects.md` lists the differences with reasons.

use gcn_isa::rules::{self, Rule};
use gcn_isa::{Field, FieldError, Inst, Isa, Modifier, Operand, Ty, regs};

/// Dialect to use where LLVM and CLRX conflict.
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
    /// llvm-mc's.
    #[default]
    Llvm,
    /// CLRX's.
    Clrx,
}

impl Dialect {
    /// Returns true if `//` begins a comment; otherwise it is an unsigned division.
    pub(crate) fn slashes_begin_comment(self) -> bool {
        self == Dialect::Llvm
    }

    /// Returns true if `;` separates statements; otherwise it begins a comment.
    pub(crate) fn semicolon_separates(self) -> bool {
        self == Dialect::Clrx
    }

    /// Returns true if a plain number as a branch target is a distance in dwords; otherwise it is an address.
    pub(crate) fn numbers_are_distances(self) -> bool {
        self == Dialect::Llvm
    }

    /// Returns true if `&&` has higher precedence than `||`.
    pub(crate) fn and_binds_tighter_than_or(self) -> bool {
        self == Dialect::Llvm
    }

    /// Default of a modifier, where the dialect's differs from the row's.
    pub(crate) fn default_of(self, modifier: &Modifier) -> Option<i64> {
        match (self, modifier.field) {
            (Dialect::Llvm, _) => None,
            // UNUSED_PAD.
            (Dialect::Clrx, Field::DstUnused) => Some(0),
            (Dialect::Clrx, Field::Dmask) => Some(1),
            _ => None,
        }
    }

    /// Value of DST_SEL in comparisons, where it has no effect.
    pub(crate) fn comparison_selection(self) -> i64 {
        match self {
            Dialect::Llvm => 0,
            // DWORD.
            Dialect::Clrx => 6,
        }
    }

    /// Returns true if the sources of a mixed-precision instruction without `op_sel_hi` are 16-bit.
    pub(crate) fn mixed_sources_are_halves(self) -> bool {
        self == Dialect::Clrx
    }

    /// Returns true if `op_sel_hi` sets the bit for a third source even if the instruction has only two.
    pub(crate) fn list_sets_missing_source(self) -> bool {
        self == Dialect::Llvm
    }

    /// Returns true if all instructions of an encoding accept its output modifiers and selections, and all sources
    /// negation, even without effect on their type.
    pub(crate) fn takes_all_modifiers(self) -> bool {
        self == Dialect::Clrx
    }

    /// Returns true if a buffer address may be given although no address mode uses it.
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

    /// Largest attribute number.
    pub(crate) fn last_attribute(self) -> u8 {
        /// Maximum value of the field.
        const FIELD: u8 = 63;
        match self {
            Dialect::Llvm => gcn_isa::vintrp::MAX_ATTRIBUTE,
            Dialect::Clrx => FIELD,
        }
    }

    /// Returns true if unaligned SGPR groups can be named at all; instructions may still reject them.
    pub(crate) fn takes_any_group(self) -> bool {
        self == Dialect::Clrx
    }

    /// Returns true if a named message must have a valid operation and stream.
    pub(crate) fn checks_messages(self) -> bool {
        self == Dialect::Llvm
    }

    /// Returns true if `a::b` names a symbol in a scope.
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

    /// Returns true if a value in a data list may be omitted, which makes it 0.
    pub(crate) fn takes_missing_data(self) -> bool {
        self == Dialect::Clrx
    }

    /// Returns true if data that do not fit are truncated with a warning, and space of negative size is empty;
    /// otherwise both are errors.
    pub(crate) fn truncates_data(self) -> bool {
        self == Dialect::Clrx
    }

    /// Returns true if a modifier may be repeated, with a warning.
    pub(crate) fn takes_last_modifier(self) -> bool {
        self == Dialect::Clrx
    }

    /// Returns true if a backslash at the end of a line continues it.
    pub(crate) fn continues_lines(self) -> bool {
        self == Dialect::Clrx
    }

    /// Returns true if blanks in macro arguments and in `.ifc` operands matter only where they separate two words or
    /// two operators.
    pub(crate) fn ignores_idle_blanks(self) -> bool {
        self == Dialect::Clrx
    }

    /// Returns true if, in `.altmacro` mode, `local` is allowed anywhere in a macro, even after labels, and
    /// parameters are replaced within strings; otherwise `local` must come first, and parameters in strings need `&`.
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

    /// Returns true if XNACK_MASK is a register only on chips that replay faulting accesses.
    pub(crate) fn xnack_mask_needs_xnack(self) -> bool {
        self == Dialect::Llvm
    }

    /// Returns true if violations of the rule are errors.
    pub(crate) fn enforces(self, rule: Rule) -> bool {
        self == Dialect::Llvm || gcn_isa::clrx::enforces(rule)
    }

    /// Encodes an integer source: CLRX has inline constants only for integer values, not for the bits of floats, and
    /// gives every operand a 32-bit literal.
    ///
    /// # Errors
    /// [`FieldError::Range`].
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

    /// Index of the operand at which a vector instruction exceeds the constant bus limit, if it does.
    pub(crate) fn constant_bus(self, inst: &Inst) -> Option<usize> {
        match self {
            Dialect::Llvm => rules::constant_bus(inst),
            Dialect::Clrx => gcn_isa::clrx::constant_bus(inst),
        }
    }

    /// Literal bits of an integer.
    ///
    /// # Errors
    /// [`FieldError::Range`].
    pub(crate) fn literal(self, ty: Ty, value: i64) -> Result<u32, FieldError> {
        match self {
            Dialect::Llvm => rules::literal(ty, value),
            Dialect::Clrx => rules::literal(Ty::B32, value),
        }
    }

    /// Bits of a 64-bit float whose upper half becomes the literal: LLVM truncates, CLRX rounds before it looks for
    /// an inline constant.
    pub(crate) fn double_bits(self, value: f64) -> u64 {
        const HALF: u64 = 1 << (u32::BITS - 1);
        const UPPER: u64 = u64::MAX << u32::BITS;
        match self {
            Dialect::Llvm => value.to_bits(),
            Dialect::Clrx => value.to_bits().saturating_add(HALF) & UPPER,
        }
    }

    /// Returns true if 0.15915494 is the inline constant 1/(2π) for every type; otherwise only for 32-bit and 16-bit
    /// types.
    pub(crate) fn rounds_inv_2pi(self) -> bool {
        self == Dialect::Clrx
    }

    /// Type as which an operand interprets a floating-point constant. CLRX accepts them for every type, and uses
    /// 32-bit floats where the type is not a float.
    pub(crate) fn float_type(self, ty: Ty) -> Ty {
        match (self, ty) {
            (Dialect::Llvm, _) | (_, Ty::F16 | Ty::F16x2 | Ty::F64) => ty,
            (Dialect::Clrx, _) => Ty::F32,
        }
    }
}

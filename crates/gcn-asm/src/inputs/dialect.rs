//! The two ways to read a source: LLVM's and CLRX's. What only one of them spells is accepted in both; where the
//! same text means different words, or only one of them takes it and the other's error is worth keeping, the
//! dialect decides, and each such difference is a method here. `docs/dialects.md` lists them with their reasons.

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
    /// Returns whether `//` begins a comment; else it is a division without sign.
    pub(crate) fn slashes_begin_comment(self) -> bool {
        self == Dialect::Llvm
    }

    /// Returns whether another statement may follow `;`; else a comment does.
    pub(crate) fn semicolon_separates(self) -> bool {
        self == Dialect::Clrx
    }

    /// Returns whether a number as a branch's target is its distance in dwords; else targets are addresses.
    pub(crate) fn numbers_are_distances(self) -> bool {
        self == Dialect::Llvm
    }

    /// Returns whether `&&` binds tighter than `||`.
    pub(crate) fn and_binds_tighter_than_or(self) -> bool {
        self == Dialect::Llvm
    }

    /// The default of a modifier, where the dialect's differs from the row's.
    pub(crate) fn default_of(self, modifier: &Modifier) -> Option<i64> {
        match (self, modifier.field) {
            (Dialect::Llvm, _) => None,
            // UNUSED_PAD.
            (Dialect::Clrx, Field::DstUnused) => Some(0),
            (Dialect::Clrx, Field::Dmask) => Some(1),
            _ => None,
        }
    }

    /// DST_SEL of a comparison, where it means nothing.
    pub(crate) fn unmeant_selection(self) -> i64 {
        match self {
            Dialect::Llvm => 0,
            // DWORD.
            Dialect::Clrx => 6,
        }
    }

    /// Returns whether the sources of a mixed-precision instruction without `op_sel_hi` have 16 bits.
    pub(crate) fn mixed_sources_are_halves(self) -> bool {
        self == Dialect::Clrx
    }

    /// Returns whether `op_sel_hi` sets the bit of a third source that an instruction does not have.
    pub(crate) fn list_sets_missing_source(self) -> bool {
        self == Dialect::Llvm
    }

    /// Returns whether every instruction of an encoding takes its output modifiers and selections, and every source its
    /// negation: they do nothing where the type has no use for them.
    pub(crate) fn takes_all_modifiers(self) -> bool {
        self == Dialect::Clrx
    }

    /// Returns whether a buffer address that no mode asks for may be written.
    pub(crate) fn takes_idle_address(self) -> bool {
        self == Dialect::Clrx
    }

    /// Returns whether an atomic without `glc` may name the register that it does not write (errata E014).
    pub(crate) fn takes_idle_destination(self) -> bool {
        self == Dialect::Clrx
    }

    /// Returns whether COMPR exports what `off` leaves, value by value; else in pairs.
    pub(crate) fn exports_each_value(self) -> bool {
        self == Dialect::Clrx
    }

    /// Returns whether `lds` is the value of LDS as a source; else it is a symbol.
    pub(crate) fn lds_is_a_source(self) -> bool {
        self == Dialect::Clrx
    }

    /// The largest number of an attribute.
    pub(crate) fn last_attribute(self) -> u8 {
        /// The bits of the field.
        const FIELD: u8 = 63;
        match self {
            Dialect::Llvm => gcn_isa::vintrp::MAX_ATTRIBUTE,
            Dialect::Clrx => FIELD,
        }
    }

    /// Returns whether a group of SGPRs that does not begin where the scalar ALU wants it may be named; an instruction may
    /// refuse it then.
    pub(crate) fn takes_any_group(self) -> bool {
        self == Dialect::Clrx
    }

    /// Returns whether a message that is named must have an operation and a stream that it takes.
    pub(crate) fn checks_messages(self) -> bool {
        self == Dialect::Llvm
    }

    /// Returns whether `a::b` is a name within a scope.
    pub(crate) fn has_scopes(self) -> bool {
        self == Dialect::Clrx
    }

    /// Returns whether a macro is called in any case.
    pub(crate) fn ignores_case_of_macros(self) -> bool {
        self == Dialect::Clrx
    }

    /// Returns whether `.half` is followed by floats of 16 bits; else by integers.
    pub(crate) fn halves_are_floats(self) -> bool {
        self == Dialect::Clrx
    }

    /// Returns whether a number of data may be left out between commas, which makes it 0.
    pub(crate) fn takes_missing_data(self) -> bool {
        self == Dialect::Clrx
    }

    /// Returns whether data that do not fit are cut, with a warning, and room of a negative size is none; else both are
    /// errors.
    pub(crate) fn cuts_data(self) -> bool {
        self == Dialect::Clrx
    }

    /// Returns whether a modifier may be written twice, which is worth a warning.
    pub(crate) fn takes_last_modifier(self) -> bool {
        self == Dialect::Clrx
    }

    /// Returns whether a line goes on behind a backslash at its end.
    pub(crate) fn continues_lines(self) -> bool {
        self == Dialect::Clrx
    }

    /// Returns whether blanks in the arguments of macros and in the texts of `.ifc` matter only where they keep two words or
    /// two operators apart.
    pub(crate) fn forgets_blanks(self) -> bool {
        self == Dialect::Clrx
    }

    /// Returns whether `local` may be anywhere in a macro of `.altmacro`, behind labels too, and parameters within strings;
    /// else `local` only at its beginning, and parameters in strings behind `&`.
    pub(crate) fn alters_everywhere(self) -> bool {
        self == Dialect::Clrx
    }

    /// Returns whether a macro that is removed may be missing, which is worth a warning.
    pub(crate) fn purges_what_is_missing(self) -> bool {
        self == Dialect::Clrx
    }

    /// Returns whether a backslash in a file's name parts folders.
    pub(crate) fn takes_backslash_paths(self) -> bool {
        self == Dialect::Clrx
    }

    /// Returns whether XNACK_MASK is a register only of chips that replay faulting accesses.
    pub(crate) fn asks_for_replay(self) -> bool {
        self == Dialect::Llvm
    }

    /// Returns whether a source that breaks the rule is refused.
    pub(crate) fn holds_to(self, rule: Rule) -> bool {
        self == Dialect::Llvm || gcn_isa::clrx::holds_to(rule)
    }

    /// An integer as a source: CLRX has inline constants for numbers only, not for the bits of floats, and gives
    /// every operand a literal of 32 bits.
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

    /// The index of the last operand of a vector instruction that reads too many scalar values, if it does.
    pub(crate) fn constant_bus(self, inst: &Inst) -> Option<usize> {
        match self {
            Dialect::Llvm => rules::constant_bus(inst),
            Dialect::Clrx => gcn_isa::clrx::constant_bus(inst),
        }
    }

    /// The bits of an integer as a literal.
    ///
    /// # Errors
    /// [`FieldError::Range`].
    pub(crate) fn literal(self, ty: Ty, value: i64) -> Result<u32, FieldError> {
        match self {
            Dialect::Llvm => rules::literal(ty, value),
            Dialect::Clrx => rules::literal(Ty::B32, value),
        }
    }

    /// The bits of a 64-bit float, of which a literal is the upper half: LLVM cuts, CLRX rounds before it looks for
    /// an inline constant.
    pub(crate) fn double_bits(self, value: f64) -> u64 {
        const HALF: u64 = 1 << (u32::BITS - 1);
        const UPPER: u64 = u64::MAX << u32::BITS;
        match self {
            Dialect::Llvm => value.to_bits(),
            Dialect::Clrx => value.to_bits().saturating_add(HALF) & UPPER,
        }
    }

    /// Returns whether 0.15915494 is 1/(2π) for every type; else it is for those of 32 and 16 bits.
    pub(crate) fn rounds_inv_2pi(self) -> bool {
        self == Dialect::Clrx
    }

    /// The type as which an operand reads a floating-point constant. CLRX has them for every type; what is not a
    /// float of its own width is one of 32 bits.
    pub(crate) fn float_type(self, ty: Ty) -> Ty {
        match (self, ty) {
            (Dialect::Llvm, _) | (_, Ty::F16 | Ty::F16x2 | Ty::F64) => ty,
            (Dialect::Clrx, _) => Ty::F32,
        }
    }
}

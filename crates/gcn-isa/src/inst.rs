//! An instruction as encoded in memory: its identity and all of its bits.

mod operands;

use crate::effect::Does;
use crate::field::{Encoding, Field, Layout};
use crate::form::Form;
use crate::op::Op;
use crate::operand::Modifier;
use crate::row::Row;
use crate::target::Isa;

/// An instruction, stored as its words so that no bit is lost; operands are views of the words.
///
/// ```
/// use gcn_isa::{Encoding, Inst, Isa, Op, Operand, sop::Sop2};
/// let mut add = Inst::new(Isa::Gfx9, Op::Sop2(Sop2::S_ADD_U32), Encoding::Sop2).unwrap();
/// let slots: Vec<_> = add.row().slots().collect();
/// for (slot, code) in slots.iter().zip([4, 2, 3]) {
///     add.set_operand(slot, Operand::Scalar { code, count: 1 }).unwrap();
/// }
/// assert_eq!(add.to_string(), "s_add_u32 s4, s2, s3");
/// assert_eq!(&add.words()[..add.dwords()], [0x8004_0302]);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Inst {
    /// Identity of the instruction.
    pub op: Op,
    /// Encoding of the instruction.
    pub encoding: Encoding,
    /// Instruction set that the encoding belongs to.
    pub isa: Isa,
    /// Length in dwords including a literal: 1 or 2.
    dwords: u8,
    form: &'static Form,
    /// Words of the instruction, with the first one in the low half.
    bits: u64,
}

/// An operand of an instruction.
///
/// # Examples
/// ```
/// use gcn_isa::{Isa, Operand, decode};
/// // s_load_dwordx2 s[0:1], s[2:3], 0x8
/// let load = decode(Isa::Gfx9, &[0xc006_0001, 8])?;
/// let [data, base, offset] = [0, 1, 2].map(|place| load.operand(&load.form().operands[place].slot));
/// assert_eq!(data, Operand::Scalar { code: 0, count: 2 });
/// assert_eq!(base, Operand::Scalar { code: 2, count: 2 });
/// assert_eq!(offset, Operand::ScalarOffset { imm: Some(8), reg: None, literal: false });
/// # Ok::<(), gcn_isa::DecodeError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Operand {
    /// Consecutive VGPRs.
    Vgprs {
        /// First register.
        first: u8,
        /// Number of registers.
        count: u8,
    },
    /// Scalar source or destination by number (see [`regs`](crate::regs)): register, special value or inline constant.
    Scalar {
        /// Number; 255 is invalid, because it indicates a literal in fields that can select one.
        code: u8,
        /// Size in dwords.
        count: u8,
    },
    /// Literal constant, in the second dword.
    Literal(u32),
    /// No register, written `off`.
    Off,
    /// Immediate number.
    Imm(i64),
    /// Offset of a scalar memory instruction. If both parts are `None`, the encoded fields are contradictory (errata
    /// E025).
    ScalarOffset {
        /// Immediate in the field's unit: bytes, or dwords on GCN 1.0 and 1.1.
        imm: Option<i32>,
        /// Register number, if there is a register.
        reg: Option<u8>,
        /// True if `imm` is a literal in a separate dword (GCN 1.1).
        literal: bool,
    },
}

/// Error for a value that cannot be stored in a field.
///
/// # Examples
/// ```
/// use gcn_isa::{Field, FieldError, Isa, decode};
/// let mut add = decode(Isa::Gfx9, &[0xd800_0010, 0x100]).expect("ds_add_u32");
/// let error = add.set(Field::Offset0, 256).unwrap_err();
/// assert_eq!(error, FieldError::Range { value: 256, low: 0, high: 255 });
/// assert_eq!(add.set(Field::Dmask, 1), Err(FieldError::Missing));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FieldError {
    /// The encoding does not have the field.
    #[error("this encoding has no such field")]
    Missing,
    /// The value does not fit.
    #[error("{value} is out of range {low}..={high}")]
    Range {
        /// The value.
        value: i64,
        /// Minimum value.
        low: i64,
        /// Maximum value.
        high: i64,
    },
    /// The field cannot encode this kind of operand.
    #[error("the operand is of a kind that this field cannot hold")]
    Kind,
    /// The first register of a group is not a multiple of this number.
    #[error("the first register must be a multiple of {0}")]
    Alignment(u8),
}

impl Inst {
    /// Creates an instruction with every operand zero and all modifiers at their defaults; `None` if `isa` lacks the
    /// instruction, or the instruction lacks the encoding.
    ///
    /// # Examples
    /// ```
    /// use gcn_isa::{Encoding, Inst, Isa, Op, sop::Sopp};
    /// let end = Inst::new(Isa::Gfx9, Op::Sopp(Sopp::S_ENDPGM), Encoding::Sopp).expect("gfx900 has the instruction");
    /// assert_eq!((end.words()[0], end.dwords()), (0xbf81_0000, 1));
    /// assert!(Inst::new(Isa::Gfx9, end.op, Encoding::Ds).is_none());
    /// ```
    pub fn new(isa: Isa, op: Op, encoding: Encoding) -> Option<Inst> {
        let forms = isa.tables().forms(op);
        let form = forms.iter().find(|form| form.encoding == encoding)?;
        Some(Inst::with_defaults(form))
    }

    /// Creates an instruction with every operand zero and all modifiers at their defaults.
    ///
    /// # Examples
    /// ```
    /// use gcn_isa::{Inst, Isa};
    /// // Omitted modifiers have default values.
    /// let (_, form) = Isa::Vi.tables().mnemonic(b"v_mov_b32_dpp").expect("an instruction");
    /// let mov = Inst::with_defaults(form.expect("the suffix selects one"));
    /// assert_eq!(mov.text(), "v_mov_b32_dpp v0, v0 quad_perm:[0,1,2,3] row_mask:0xf bank_mask:0xf");
    /// ```
    #[inline]
    pub fn with_defaults(form: &'static Form) -> Inst {
        Inst::from_bits(form, form.base)
    }

    /// Creates an instruction from two words; the second word may belong to the next instruction.
    #[inline]
    pub(crate) fn from_bits(form: &'static Form, bits: u64) -> Inst {
        Inst::from_parts(form, form.length().dwords(bits as u32), bits)
    }

    /// Creates an instruction of a known length in dwords from two words.
    #[inline]
    pub(crate) fn from_parts(form: &'static Form, dwords: u8, bits: u64) -> Inst {
        let own = if dwords == 1 {
            u64::from(u32::MAX)
        } else {
            u64::MAX
        };
        Inst {
            op: form.op,
            encoding: form.encoding,
            isa: form.isa,
            dwords,
            form,
            bits: bits & own,
        }
    }

    /// Creates an instruction of the given form from words. Ignores the bits that identify the instruction, and the
    /// second word if it does not belong to the instruction.
    ///
    /// # Examples
    /// ```
    /// use gcn_isa::{Inst, Isa, decode};
    /// let add = decode(Isa::Gfx9, &[0xd800_0010, 0x100]).expect("ds_add_u32");
    /// assert_eq!(Inst::with_words(add.form(), [0, 0x100]).text(), "ds_add_u32 v0, v1");
    /// ```
    pub fn with_words(form: &'static Form, words: [u32; 2]) -> Inst {
        let bits = u64::from(words[0]) | u64::from(words[1]) << u32::BITS;
        Inst::from_bits(form, bits & !form.fixed | form.base & form.fixed)
    }

    /// Form of the instruction: everything that does not depend on its operands.
    ///
    /// # Examples
    /// ```
    /// use gcn_isa::{Encoding, Field, Isa, decode};
    /// let add = decode(Isa::Gfx9, &[0xd800_0010, 0x100])?; // ds_add_u32 v0, v1 offset:16
    /// let form = add.form();
    /// assert_eq!((form.name, form.encoding, form.isa), (add.name(), Encoding::Ds, Isa::Gfx9));
    /// assert!(form.operands.iter().map(|place| place.slot.field).eq([Field::Vaddr, Field::Vdata]));
    /// # Ok::<(), gcn_isa::DecodeError>(())
    /// ```
    #[inline]
    pub fn form(&self) -> &'static Form {
        self.form
    }

    /// Row of the instruction.
    #[inline]
    pub fn row(&self) -> &'static Row {
        self.form.row
    }

    /// Effect of the instruction.
    ///
    /// # Examples
    /// ```
    /// use gcn_isa::effect::AtomicOp;
    /// use gcn_isa::{Does, Isa, Ty, decode};
    /// let add = decode(Isa::Gfx9, &[0xd800_0010, 0x100])?; // ds_add_u32 v0, v1 offset:16
    /// assert_eq!(add.does(), Does::Atomic(AtomicOp::Add, Ty::U32));
    /// # Ok::<(), gcn_isa::DecodeError>(())
    /// ```
    pub fn does(&self) -> Does {
        self.row().does
    }

    /// Name without encoding suffix.
    pub fn name(&self) -> &'static str {
        self.form.name
    }

    /// Field map of the encoding.
    #[inline]
    pub fn layout(&self) -> &'static Layout {
        self.form.layout
    }

    /// Length in dwords, including a literal.
    pub fn dwords(&self) -> usize {
        usize::from(self.dwords)
    }

    /// Words of the instruction. Only the first [`Inst::dwords`] are used; the rest are zero.
    ///
    /// # Examples
    /// ```
    /// use gcn_isa::{Isa, decode};
    /// // v_mov_b32_e32 v1, 0x12345678, and the next instruction.
    /// let mov = decode(Isa::Gfx9, &[0x7e02_02ff, 0x1234_5678, 0xbf81_0000])?;
    /// assert_eq!(mov.words()[..mov.dwords()], [0x7e02_02ff, 0x1234_5678]);
    /// assert_eq!(mov.bits(), 0x1234_5678_7e02_02ff);
    /// # Ok::<(), gcn_isa::DecodeError>(())
    /// ```
    pub fn words(&self) -> [u32; 2] {
        [self.bits as u32, (self.bits >> 32) as u32]
    }

    /// All bits, with the first word in the low half.
    pub fn bits(&self) -> u64 {
        self.bits
    }

    /// Value of a field; 0 if the encoding does not have it.
    ///
    /// # Examples
    /// ```
    /// use gcn_isa::{Field, Isa, decode};
    /// let branch = decode(Isa::Gfx9, &[0xbf85_fffe]).expect("s_cbranch_scc1");
    /// assert_eq!((branch.get(Field::Simm16), branch.get_signed(Field::Simm16)), (0xfffe, -2));
    /// assert!(!branch.flag(Field::Glc), "SOPP has no GLC");
    /// ```
    pub fn get(&self, field: Field) -> u64 {
        self.layout().bits(field).get(self.bits)
    }

    /// True if a field, usually of one bit, is nonzero.
    pub fn flag(&self, field: Field) -> bool {
        self.get(field) != 0
    }

    /// Sign-extended value of a field; 0 if the encoding does not have it.
    pub fn get_signed(&self, field: Field) -> i64 {
        self.layout().bits(field).get_signed(self.bits)
    }

    /// Sets bits, such as a [`PlacedOperand`](crate::PlacedOperand)'s source modifiers, unless they identify the form.
    ///
    /// # Examples
    /// ```
    /// use gcn_isa::{Isa, decode};
    /// let mut add = decode(Isa::Gfx9, &[0xd101_0001, 0x0002_0702])?; // v_add_f32_e64 v1, v2, v3
    /// add.set_bits(add.form().operands[1].negate);
    /// assert_eq!(add.text(), "v_add_f32_e64 v1, -v2, v3");
    /// # Ok::<(), gcn_isa::DecodeError>(())
    /// ```
    #[inline]
    pub fn set_bits(&mut self, mask: u64) {
        self.bits |= mask & !self.form.fixed;
    }

    /// Sets a field to an unsigned value.
    ///
    /// # Errors
    /// [`FieldError::Missing`] if the encoding lacks the field, or [`FieldError::Range`] if the value does not fit.
    ///
    /// # Examples
    /// ```
    /// use gcn_isa::{Field, Isa, decode};
    /// let mut nop = decode(Isa::Gfx9, &[0xbf80_0000])?;
    /// nop.set(Field::Simm16, 7).expect("the value fits");
    /// assert_eq!((nop.text().as_str(), nop.bits()), ("s_nop 7", 0xbf80_0007));
    /// # Ok::<(), gcn_isa::DecodeError>(())
    /// ```
    pub fn set(&mut self, field: Field, value: i64) -> Result<(), FieldError> {
        let bits = self.layout().bits(field);
        self.put(field, value, 0, bits.max() as i64)
    }

    /// Sets a field to a signed value.
    ///
    /// # Errors
    /// [`FieldError::Missing`] if the encoding lacks the field, or [`FieldError::Range`] if the value does not fit.
    ///
    /// # Examples
    /// ```
    /// use gcn_isa::{Field, Isa, decode};
    /// let mut branch = decode(Isa::Gfx9, &[0xbf85_0000])?;
    /// branch.set_signed(Field::Simm16, -2).expect("the value fits");
    /// assert_eq!(branch.words()[0], 0xbf85_fffe);
    /// assert!(branch.set_signed(Field::Simm16, 1 << 15).is_err());
    /// # Ok::<(), gcn_isa::DecodeError>(())
    /// ```
    pub fn set_signed(&mut self, field: Field, value: i64) -> Result<(), FieldError> {
        let half = (self.layout().bits(field).max() / 2) as i64;
        self.put(field, value, -half - 1, half)
    }

    fn put(&mut self, field: Field, value: i64, low: i64, high: i64) -> Result<(), FieldError> {
        let bits = self.layout().bits(field);
        if bits.width == 0 {
            return Err(FieldError::Missing);
        }
        if value < low || value > high {
            return Err(FieldError::Range { value, low, high });
        }
        self.bits = bits.put(self.bits, value as u64);
        Ok(())
    }

    /// Literal of the instruction, if it has one.
    ///
    /// # Examples
    /// ```
    /// use gcn_isa::{Isa, decode};
    /// let with = decode(Isa::Gfx9, &[0x7e02_02ff, 0x1234_5678])?;
    /// assert_eq!((with.literal(), with.dwords()), (Some(0x1234_5678), 2));
    /// assert_eq!(decode(Isa::Gfx9, &[0x7e06_0204])?.literal(), None);
    /// # Ok::<(), gcn_isa::DecodeError>(())
    /// ```
    pub fn literal(&self) -> Option<u32> {
        (self.dwords > self.layout().dwords).then_some((self.bits >> 32) as u32)
    }

    /// Appends or changes the literal. Does not change the operand that selects it.
    ///
    /// # Errors
    /// [`FieldError::Kind`] if the encoding is longer than one dword and therefore has no room for a literal.
    ///
    /// # Examples
    /// ```
    /// use gcn_isa::{FieldError, Isa, decode};
    /// let mut mov = decode(Isa::Gfx9, &[0x7e02_02ff, 0x1234_5678])?;
    /// assert_eq!(mov.set_literal(0x4048_f5c3), Ok(()));
    /// assert_eq!(mov.text(), "v_mov_b32_e32 v1, 0x4048f5c3");
    /// let mut add = decode(Isa::Gfx9, &[0xd101_0001, 0x0002_0702])?; // v_add_f32_e64 v1, v2, v3
    /// assert_eq!(add.set_literal(1), Err(FieldError::Kind), "VOP3 takes no literal");
    /// # Ok::<(), gcn_isa::DecodeError>(())
    /// ```
    pub fn set_literal(&mut self, value: u32) -> Result<(), FieldError> {
        if self.layout().dwords != 1 {
            return Err(FieldError::Kind);
        }
        self.dwords = 2;
        self.bits = u64::from(self.bits as u32) | u64::from(value) << 32;
        Ok(())
    }

    /// Modifiers that the instruction accepts in its encoding, regardless of their values.
    ///
    /// # Examples
    /// ```
    /// use gcn_isa::{Isa, decode};
    /// let add = decode(Isa::Gfx9, &[0xd800_0010, 0x100])?;
    /// let names: Vec<&str> = add.modifiers().map(|modifier| modifier.names[0]).collect();
    /// assert_eq!(names, ["offset", "gds"]);
    /// # Ok::<(), gcn_isa::DecodeError>(())
    /// ```
    pub fn modifiers(&self) -> impl Iterator<Item = &'static Modifier> + use<> {
        self.form.modifiers.iter().map(|placed| placed.modifier)
    }
}

//! Decoding and encoding of operands.

use super::{FieldError, Inst, Operand};
use crate::chapters::exp::SOURCES;
use crate::chapters::vintrp::{self, CHANNELS, MAX_ATTRIBUTE, VERTEX_PARAMETERS};
use crate::effect::Does;
use crate::field::{Bits, Encoding, Field};
use crate::form::placed::{ListBits, PlacedOperand, list_bits};
use crate::form::{FIRST_VGPR, LITERAL, SOURCE_BITS};
use crate::operand::{Kind, Modifier, OperandAccess, Presence, Slot};
use crate::regs::{self, SADDR_OFF};
use crate::target::{Isa, on};

/// Width of signed scalar memory offset fields.
const SIGNED_OFFSET_BITS: u8 = 21;
/// SDWA source fields, each with the bit that makes the source scalar.
const SDWA_SCALARS: [(Field, Field); 2] = [
    (Field::Src0, Field::Src0Scalar),
    (Field::Src1, Field::Src1Scalar),
];
impl Inst {
    /// Operand in `slot`, which must belong to this instruction's row.
    ///
    /// # Examples
    /// ```
    /// use gcn_isa::{Isa, Operand, decode};
    /// let mov = decode(Isa::Gfx9, &[0x7e06_0204])?;
    /// let operands: Vec<Operand> = mov.row().slots().map(|slot| mov.operand(slot)).collect();
    /// assert_eq!(operands, [Operand::Vgprs { first: 3, count: 1 }, Operand::Scalar { code: 4, count: 1 }]);
    /// # Ok::<(), gcn_isa::DecodeError>(())
    /// ```
    pub fn operand(&self, slot: &Slot) -> Operand {
        let bits = self.layout().bits(slot.field);
        let value = bits.get(self.bits);
        let count = slot.ty.dwords();
        match slot.kind {
            Kind::Vgpr if bits.width == SOURCE_BITS && value < FIRST_VGPR => Operand::Scalar {
                code: value as u8,
                count,
            },
            // With TFE, a status dword follows the data.
            Kind::Vgpr if matches!(self.encoding, Encoding::Mubuf | Encoding::Mtbuf) => {
                Operand::Vgprs {
                    first: value as u8,
                    count: count + self.get(Field::Tfe) as u8,
                }
            }
            Kind::Vgpr => Operand::Vgprs {
                first: value as u8,
                count,
            },
            Kind::ImageData { gathers } => Operand::Vgprs {
                first: value as u8,
                count: self.image_data_count(gathers),
            },
            Kind::ImageAddress { least, .. } => Operand::Vgprs {
                first: value as u8,
                count: least,
            },
            Kind::ExportSource(place) => self.export_source(place),
            Kind::Attribute => Operand::Imm(vintrp::pack_attribute(
                value as u8,
                self.get(Field::AttrChan) as u8,
            )),
            Kind::GlobalAddress => Operand::Vgprs {
                first: value as u8,
                count: if self.saddr_is_off() { 2 } else { 1 },
            },
            Kind::ScratchAddress if !self.saddr_is_off() => Operand::Off,
            Kind::ScratchAddress => Operand::Vgprs {
                first: value as u8,
                count,
            },
            Kind::BufferAddress => match self.buffer_address_count() {
                0 => Operand::Off,
                count => Operand::Vgprs {
                    first: value as u8,
                    count,
                },
            },
            Kind::Saddr if value == SADDR_OFF => Operand::Off,
            Kind::Src if self.is_scalar_sdwa_source(slot.field) => Operand::Scalar {
                code: value as u8,
                count,
            },
            Kind::Src if bits.width == 8 => Operand::Vgprs {
                first: value as u8,
                count,
            },
            Kind::Src | Kind::Ssrc | Kind::Sdst if value >= FIRST_VGPR => Operand::Vgprs {
                first: (value - FIRST_VGPR) as u8,
                count,
            },
            Kind::Src | Kind::Ssrc if value == LITERAL && self.layout().dwords == 1 => {
                Operand::Literal((self.bits >> 32) as u32)
            }
            Kind::Sdst if bits.width == 0 || self.has_implied_vcc(slot.field) => Operand::Scalar {
                code: regs::VCC_LO,
                count,
            },
            Kind::Saddr | Kind::Src | Kind::Ssrc | Kind::Sdst => Operand::Scalar {
                code: value as u8,
                count,
            },
            Kind::Aligned(shift) => Operand::Scalar {
                code: (value << shift) as u8,
                count,
            },
            Kind::ScalarOffset { signed } => self.scalar_offset(signed),
            Kind::Unsigned
            | Kind::Waitcnt
            | Kind::Hwreg
            | Kind::SendMsg
            | Kind::GprIndex
            | Kind::ExportTarget
            | Kind::VertexParameter
            | Kind::Signed
            | Kind::Simm16
            | Kind::Branch => Operand::Imm(self.immediate(slot.kind, bits)),
            Kind::Literal => Operand::Literal((self.bits >> 32) as u32),
        }
    }

    /// Value of an immediate of `kind` in the field `bits`.
    #[inline]
    pub(crate) fn immediate(&self, kind: Kind, bits: Bits) -> i64 {
        match kind {
            Kind::Signed | Kind::Simm16 | Kind::Branch => bits.get_signed(self.bits),
            Kind::Vgpr
            | Kind::GlobalAddress
            | Kind::ScratchAddress
            | Kind::BufferAddress
            | Kind::ImageData { .. }
            | Kind::ImageAddress { .. }
            | Kind::ExportTarget
            | Kind::ExportSource(_)
            | Kind::Attribute
            | Kind::VertexParameter
            | Kind::Saddr
            | Kind::Src
            | Kind::Ssrc
            | Kind::Sdst
            | Kind::Aligned(_)
            | Kind::ScalarOffset { .. }
            | Kind::Unsigned
            | Kind::Waitcnt
            | Kind::Hwreg
            | Kind::SendMsg
            | Kind::GprIndex
            | Kind::Literal => bits.get(self.bits) as i64,
        }
    }

    /// Sets the first VGPR of an operand whose field can name VGPRs.
    ///
    /// # Examples
    /// ```
    /// use gcn_isa::{Isa, decode};
    /// let mut add = decode(Isa::Gfx9, &[0xd800_0010, 0x100])?; // ds_add_u32 v0, v1 offset:16
    /// for (place, first) in add.form().operands.iter().zip([7, 9]) {
    ///     add.set_vgprs(place, first);
    /// }
    /// assert_eq!(add.text(), "ds_add_u32 v7, v9 offset:16");
    /// # Ok::<(), gcn_isa::DecodeError>(())
    /// ```
    #[inline]
    pub fn set_vgprs(&mut self, to: &PlacedOperand, first: u8) {
        let base = if to.bits.width == SOURCE_BITS {
            FIRST_VGPR
        } else {
            0
        };
        self.bits = to.bits.put(self.bits, base + u64::from(first));
    }

    /// Sets the operand in `slot`, which must belong to this instruction's row. The caller must check the number of
    /// registers.
    ///
    /// # Errors
    /// [`FieldError`] if the fields cannot hold the operand.
    ///
    /// # Examples
    /// ```
    /// use gcn_isa::{Isa, Operand, decode};
    /// let mut mov = decode(Isa::Gfx9, &[0x7e06_0204])?;
    /// let source = mov.row().slots().nth(1).expect("its source");
    /// mov.set_operand(source, Operand::Vgprs { first: 9, count: 1 }).expect("a register");
    /// assert_eq!(mov.text(), "v_mov_b32_e32 v3, v9");
    /// # Ok::<(), gcn_isa::DecodeError>(())
    /// ```
    pub fn set_operand(&mut self, slot: &Slot, operand: Operand) -> Result<(), FieldError> {
        let bits = self.layout().bits(slot.field);
        match (slot.kind, operand) {
            (Kind::Vgpr, Operand::Vgprs { first, .. }) if bits.width == SOURCE_BITS => {
                self.set(slot.field, i64::from(first) + FIRST_VGPR as i64)
            }
            (
                Kind::Vgpr,
                Operand::Scalar {
                    code: regs::LDS_DIRECT,
                    ..
                },
            ) if bits.width == SOURCE_BITS => self.set(slot.field, i64::from(regs::LDS_DIRECT)),
            (
                Kind::Vgpr
                | Kind::GlobalAddress
                | Kind::ScratchAddress
                | Kind::BufferAddress
                | Kind::ImageData { .. }
                | Kind::ImageAddress { .. },
                Operand::Vgprs { first, .. },
            ) => self.set(slot.field, i64::from(first)),
            (Kind::ScratchAddress | Kind::BufferAddress, Operand::Off) => self.set(slot.field, 0),
            (Kind::Saddr, Operand::Off) => self.set(slot.field, SADDR_OFF as i64),
            (Kind::Src, Operand::Vgprs { first, .. }) if bits.width == 8 => {
                for (source, flag) in SDWA_SCALARS {
                    if source == slot.field && self.layout().has(flag) {
                        self.set(flag, 0)?;
                    }
                }
                self.set(slot.field, i64::from(first))
            }
            (Kind::Src, Operand::Vgprs { first, .. }) => {
                self.set(slot.field, i64::from(first) + FIRST_VGPR as i64)
            }
            (Kind::Src, Operand::Scalar { code, .. }) if bits.width == 8 => {
                let (_, flag) = SDWA_SCALARS
                    .into_iter()
                    .find(|(source, _)| *source == slot.field)
                    .ok_or(FieldError::Kind)?;
                self.set(flag, 1).map_err(|_| FieldError::Kind)?;
                self.set(slot.field, i64::from(code))
            }
            (Kind::Src, _) if bits.width == 8 => Err(FieldError::Kind),
            (Kind::Src | Kind::Ssrc, Operand::Literal(value)) => {
                if self.literal().is_some_and(|other| other != value) {
                    return Err(FieldError::Kind);
                }
                self.set_literal(value)?;
                self.set(slot.field, LITERAL as i64)
            }
            (Kind::Sdst, Operand::Scalar { code, .. }) if bits.width == 0 => {
                if code == regs::VCC_LO {
                    Ok(())
                } else {
                    Err(FieldError::Kind)
                }
            }
            (Kind::Sdst, Operand::Scalar { code, .. }) if self.layout().has(Field::SdwaSdst) => {
                let is_vcc = code == regs::VCC_LO;
                self.set(Field::SdwaSdst, i64::from(!is_vcc))?;
                self.set(slot.field, if is_vcc { 0 } else { i64::from(code) })
            }
            (Kind::Saddr | Kind::Src | Kind::Ssrc | Kind::Sdst, Operand::Scalar { code, .. }) => {
                self.set(slot.field, i64::from(code))
            }
            (Kind::Aligned(shift), Operand::Scalar { code, .. }) => {
                if code & ((1 << shift) - 1) != 0 {
                    return Err(FieldError::Alignment(1 << shift));
                }
                self.set(slot.field, i64::from(code >> shift))
            }
            (Kind::ScalarOffset { signed }, Operand::ScalarOffset { imm, reg, literal }) => {
                self.set_scalar_offset(signed, imm, reg, literal)
            }
            (
                Kind::Unsigned
                | Kind::Waitcnt
                | Kind::Hwreg
                | Kind::SendMsg
                | Kind::GprIndex
                | Kind::ExportTarget,
                Operand::Imm(value),
            ) => self.set(slot.field, value),
            (Kind::VertexParameter, Operand::Imm(value)) => {
                self.put(slot.field, value, 0, VERTEX_PARAMETERS.len() as i64 - 1)
            }
            (Kind::ExportSource(place), Operand::Vgprs { first, .. }) => {
                self.set_export_source(place, Some(first))
            }
            (Kind::ExportSource(place), Operand::Off) => self.set_export_source(place, None),
            (Kind::Attribute, Operand::Imm(value)) => {
                let channels = CHANNELS.len() as i64;
                self.set(Field::AttrChan, value.rem_euclid(channels))?;
                let attribute = value.div_euclid(channels);
                self.put(slot.field, attribute, 0, MAX_ATTRIBUTE.into())
            }
            (Kind::Signed | Kind::Branch, Operand::Imm(value)) => {
                self.set_signed(slot.field, value)
            }
            (Kind::Simm16, Operand::Imm(value)) => {
                let (low, high) = (i64::from(i16::MIN), i64::from(u16::MAX));
                self.put(slot.field, value, low, high)
            }
            (Kind::Literal, Operand::Literal(value)) => self.set_literal(value),
            (
                Kind::Vgpr
                | Kind::GlobalAddress
                | Kind::ScratchAddress
                | Kind::BufferAddress
                | Kind::ImageData { .. }
                | Kind::ImageAddress { .. }
                | Kind::ExportTarget
                | Kind::ExportSource(_)
                | Kind::Attribute
                | Kind::VertexParameter
                | Kind::Saddr
                | Kind::Src
                | Kind::Ssrc
                | Kind::Sdst
                | Kind::Aligned(_)
                | Kind::ScalarOffset { .. }
                | Kind::Unsigned
                | Kind::Signed
                | Kind::Simm16
                | Kind::Branch
                | Kind::Waitcnt
                | Kind::Hwreg
                | Kind::SendMsg
                | Kind::GprIndex
                | Kind::Literal,
                _,
            ) => Err(FieldError::Kind),
        }
    }

    /// True for a scalar SDWA source (GCN 1.4).
    pub(crate) fn is_scalar_sdwa_source(&self, field: Field) -> bool {
        SDWA_SCALARS
            .into_iter()
            .any(|(source, flag)| source == field && self.flag(flag))
    }

    /// True if `field` is the destination of an SDWA comparison that names none and therefore writes VCC.
    fn has_implied_vcc(&self, field: Field) -> bool {
        field == Field::Sdst && self.layout().has(Field::SdwaSdst) && !self.flag(Field::SdwaSdst)
    }

    /// True if SADDR is `off`; false if the encoding lacks SADDR.
    ///
    /// # Examples
    /// ```
    /// use gcn_isa::{Isa, decode};
    /// let (based, flat) = ([0xdc50_8000, 0x0102_0000], [0xdc50_8000, 0x017f_0000]);
    /// assert_eq!(decode(Isa::Gfx9, &flat)?.text(), "global_load_dword v1, v[0:1], off");
    /// assert!(decode(Isa::Gfx9, &flat)?.saddr_is_off());
    /// assert!(!decode(Isa::Gfx9, &based)?.saddr_is_off(), "global_load_dword v1, v0, s[2:3]");
    /// # Ok::<(), gcn_isa::DecodeError>(())
    /// ```
    pub fn saddr_is_off(&self) -> bool {
        self.get(Field::Saddr) == SADDR_OFF
    }

    /// True if the scalar offset of a buffer access is a register rather than a constant.
    ///
    /// # Examples
    /// ```
    /// use gcn_isa::{Isa, decode};
    /// let (constant, register) = ([0xe050_0000, 0x8001_0100], [0xe050_0000, 0x0401_0100]);
    /// assert_eq!(decode(Isa::Gfx9, &register)?.text(), "buffer_load_dword v1, off, s[4:7], s4");
    /// assert!(decode(Isa::Gfx9, &register)?.has_offset_register());
    /// assert!(!decode(Isa::Gfx9, &constant)?.has_offset_register());
    /// # Ok::<(), gcn_isa::DecodeError>(())
    /// ```
    pub fn has_offset_register(&self) -> bool {
        let mut slots = self.row().slots();
        let offset = slots.find(|slot| slot.field == Field::Soffset);
        offset.is_some_and(|slot| {
            let operand = self.operand(slot);
            matches!(operand, Operand::Scalar { code, .. } if code < regs::ZERO)
        })
    }

    /// Number of VGPRs of a buffer address.
    #[inline]
    pub(crate) fn buffer_address_count(&self) -> u8 {
        if self.flag(Field::Addr64) {
            2
        } else {
            self.get(Field::Idxen) as u8 + self.get(Field::Offen) as u8
        }
    }

    /// Number of VGPRs of image data: one per component, or per two packed 16-bit components; with TFE, one more for the
    /// status.
    fn image_data_count(&self, gathers: bool) -> u8 {
        const GATHERED: u8 = 4;
        let components = if gathers {
            GATHERED
        } else {
            (self.get(Field::Dmask).count_ones() as u8).max(1)
        };
        let is_packed = self.flag(Field::D16) && on::PACKED.has(self.isa);
        let value = if is_packed {
            components.div_ceil(2)
        } else {
            components
        };
        value + self.get(Field::Tfe) as u8
    }

    /// True if an image address may have `count` VGPRs: from `least` to `most`, or eight if `most` is five to seven, since
    /// LLVM rounds these numbers up.
    ///
    /// # Examples
    /// ```
    /// use gcn_isa::Inst;
    /// // image_load: one to four registers.
    /// assert!(Inst::takes_image_address(1, 4, 3) && !Inst::takes_image_address(1, 4, 5));
    /// // image_sample_c_cl: LLVM writes the five registers as eight.
    /// assert!(Inst::takes_image_address(2, 5, 8) && !Inst::takes_image_address(2, 5, 7));
    /// ```
    pub fn takes_image_address(least: u8, most: u8, count: u8) -> bool {
        const ROUNDED: u8 = 8;
        (least..=most).contains(&count) || (count == ROUNDED && (5..ROUNDED).contains(&most))
    }

    /// Field that names the register of an export value, by index; with COMPR, two values share a field.
    fn export_field(&self, place: u8) -> Field {
        let index = if self.flag(Field::Compr) {
            place / 2
        } else {
            place
        };
        SOURCES
            .get(usize::from(index))
            .copied()
            .unwrap_or(Field::Vsrc3)
    }

    fn export_source(&self, place: u8) -> Operand {
        if self.get(Field::En) >> place & 1 == 0 {
            return Operand::Off;
        }
        Operand::Vgprs {
            first: self.get(self.export_field(place)) as u8,
            count: 1,
        }
    }

    /// Sets the register of an export value. With COMPR, the first value of a pair sets both, and the second is ignored.
    fn set_export_source(&mut self, place: u8, register: Option<u8>) -> Result<(), FieldError> {
        const BOTH: u64 = 3;
        let is_compressed = self.flag(Field::Compr);
        if is_compressed && !place.is_multiple_of(2) {
            return Ok(());
        }
        let enables = if is_compressed { BOTH } else { 1 } << place;
        let enabled = self.get(Field::En);
        let enabled = match register {
            Some(_) => enabled | enables,
            None => enabled & !enables,
        };
        self.set(Field::En, enabled.cast_signed())?;
        self.set(self.export_field(place), register.unwrap_or(0).into())
    }

    /// True if an export's text represents its words exactly: fields of values that are not exported are zero, and with
    /// COMPR, either both values of a field are exported or neither is.
    pub(crate) fn exports_exactly(&self) -> bool {
        let mut same = *self;
        for field in SOURCES {
            let _ = same.set(field, 0);
        }
        let places = 0..SOURCES.len() as u8;
        let all_set = places
            .map(|place| match self.export_source(place) {
                Operand::Vgprs { first, .. } => same.set_export_source(place, Some(first)),
                Operand::Scalar { .. }
                | Operand::Literal(_)
                | Operand::Off
                | Operand::Imm(_)
                | Operand::ScalarOffset { .. } => same.set_export_source(place, None),
            })
            .all(|result| result.is_ok());
        all_set && same == *self
    }

    /// Decodes a scalar memory offset (errata E025, E111; the table in CLRX's SMEM document).
    fn scalar_offset(&self, signed: bool) -> Operand {
        let none = Operand::ScalarOffset {
            imm: None,
            reg: None,
            literal: false,
        };
        let offset = self.get(Field::Offset);
        let imm = if signed && self.layout().bits(Field::Offset).width == SIGNED_OFFSET_BITS {
            self.get_signed(Field::Offset) as i32
        } else {
            offset as i32
        };
        match (self.flag(Field::Imm), self.flag(Field::Soe)) {
            _ if self.form.offset_is_literal(self.bits) => Operand::ScalarOffset {
                imm: Some((self.bits >> 32) as i32),
                reg: None,
                literal: true,
            },
            (false, false) => match u8::try_from(offset) {
                Ok(code) => Operand::ScalarOffset {
                    imm: None,
                    reg: Some(code),
                    literal: false,
                },
                Err(_) => none,
            },
            (false, true) => none,
            (true, false) => Operand::ScalarOffset {
                imm: Some(imm),
                reg: None,
                literal: false,
            },
            (true, true) => Operand::ScalarOffset {
                imm: Some(imm),
                reg: Some(self.get(Field::Soffset) as u8),
                literal: false,
            },
        }
    }

    fn set_scalar_offset(
        &mut self,
        signed: bool,
        imm: Option<i32>,
        reg: Option<u8>,
        literal: bool,
    ) -> Result<(), FieldError> {
        match (imm, reg) {
            (Some(value), None) if literal => {
                if self.encoding != Encoding::Smrd || self.isa != Isa::Ci {
                    return Err(FieldError::Missing);
                }
                self.set(Field::Imm, 0)?;
                self.set(Field::Offset, LITERAL as i64)?;
                self.set_literal(value as u32)
            }
            (Some(value), reg) => {
                self.set(Field::Imm, 1)?;
                if let Some(code) = reg {
                    self.set(Field::Soe, 1)?;
                    self.set(Field::Soffset, i64::from(code))?;
                }
                let (low, high) = self.scalar_offset_range(signed);
                self.put(Field::Offset, i64::from(value), low, high)
            }
            (None, Some(code)) => {
                self.set(Field::Imm, 0)?;
                self.set(Field::Offset, i64::from(code))
            }
            (None, None) => Err(FieldError::Kind),
        }
    }

    /// Minimum and maximum immediate offset of a scalar memory instruction. S_BUFFER instructions take 20 unsigned bits
    /// even if the field has 21 (errata E012).
    pub(crate) fn scalar_offset_range(&self, signed: bool) -> (i64, i64) {
        let bits = self.layout().bits(Field::Offset);
        let has_sign = bits.width == SIGNED_OFFSET_BITS;
        let high = (bits.max() >> u8::from(has_sign)) as i64;
        (if signed && has_sign { -high - 1 } else { 0 }, high)
    }

    /// True if the instruction writes the registers of an operand: memory atomics only with GLC (errata E101, E112),
    /// loads only without LDS (E089).
    ///
    /// # Examples
    /// ```
    /// use gcn_isa::{Isa, decode};
    /// let written = |words: [u32; 2]| {
    ///     let inst = decode(Isa::Gfx9, &words).expect("an instruction");
    ///     inst.row().slots().filter(|slot| inst.writes(slot)).count()
    /// };
    /// assert_eq!(written([0xdc50_8000, 0x0102_0000]), 1, "global_load_dword");
    /// assert_eq!(written([0xdd08_8000, 0x0000_0100]), 0, "global_atomic_add without glc");
    /// ```
    pub fn writes(&self, slot: &Slot) -> bool {
        slot.access != OperandAccess::Read
            && if matches!(self.does(), Does::Atomic(..)) {
                self.flag(Field::Glc)
            } else {
                slot.when != Presence::NotLds || !self.flag(Field::Lds)
            }
    }

    /// True if an operand appears in LLVM's syntax (errata E014, E015, E018, E019).
    ///
    /// # Examples
    /// ```
    /// use gcn_isa::{Isa, decode};
    /// let shown = |words: [u32; 2]| {
    ///     let inst = decode(Isa::Gfx9, &words).expect("an instruction");
    ///     inst.row().slots().filter(|slot| inst.shows(slot)).count()
    /// };
    /// assert_eq!(shown([0xdd08_8000, 0x100]), 3, "global_atomic_add v0, v1, s[0:1]");
    /// assert_eq!(shown([0xdd09_8000, 0x100]), 4, "global_atomic_add v0, v0, v1, s[0:1] glc");
    /// ```
    pub fn shows(&self, slot: &Slot) -> bool {
        let is_set = || self.get(slot.field) != 0;
        match slot.when {
            Presence::Always => true,
            Presence::Returned => self.flag(Field::Glc) || is_set(),
            Presence::NotLds => !self.flag(Field::Lds) || is_set(),
            Presence::Optional => is_set(),
        }
    }

    /// Bit indices of a bit-list modifier, in syntax order: one per source and, for OP_SEL of VOP3, the destination's.
    ///
    /// # Examples
    /// ```
    /// use gcn_isa::{Field, Inst, Isa};
    /// let tables = Isa::Gfx9.tables();
    /// let form = &tables.forms(tables.named("v_pk_add_f16").expect("an instruction"))[0];
    /// let op_sel = form.modifier(Field::OpSel).expect("the modifier exists");
    /// let bits = Inst::with_defaults(form).list_bits(op_sel.modifier);
    /// assert!(bits.iter().eq([11, 12]), "a bit for each of two sources");
    /// assert_eq!(bits.mask(), 3 << 11);
    /// ```
    pub fn list_bits(&self, modifier: &Modifier) -> ListBits {
        let placed = self.form.modifier(modifier.field);
        match placed {
            Some(placed) => placed.list,
            // CLRX accepts a list whenever the encoding has its bits.
            None => list_bits(self.row(), self.layout(), modifier.field),
        }
    }
}

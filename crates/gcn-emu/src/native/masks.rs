//! Masks in the mask registers of AVX-512 hosts. A value that is a mask may be in a mask register, in a vector
//! register, or in both.

use gcn_isa::effect::Shift;
use iced_x86::code_asm::word_ptr;

use super::graph::{Binary, Id, Op};
use super::host::{MaskRegister, Width};
use super::places::{EmitError, Emitter, mask_bits};

/// Unsigned integer comparison, with its encoding in AVX-512 instructions.
#[derive(Clone, Copy)]
#[repr(u32)]
pub(super) enum Comparison {
    NotEqual = 4,
    AtLeast = 5,
}

impl Emitter<'_> {
    /// True if a value is computed in a mask register.
    fn is_mask(&self, id: Id) -> bool {
        self.is_mask[id.0 as usize]
    }

    /// Returns a mask in a mask register.
    pub(super) fn in_mask_register(
        &mut self,
        id: Id,
        place: usize,
    ) -> Result<MaskRegister, EmitError> {
        if let Some(mask) = self.values[id.0 as usize].mask {
            return Ok(mask);
        }
        let to = self.free_mask(place)?;
        if let Op::Mask(first) = self.lowered.graph.op(id) {
            let bits = word_ptr(mask_bits(first));
            self.code.asm.kmovw(to.k(), bits)?;
        } else {
            let from = self.in_register(id, place)?;
            self.code.asm.vpmovd2m(to.k(), from.zmm())?;
        }
        // A mask made from a number holds only its sign bits, so the number could not be restored from it.
        if self.is_mask(id) {
            self.take_mask(to, id);
        }
        Ok(to)
    }

    /// Returns a mask in a mask register after all operations, without changing the registers of values.
    pub(super) fn loaded_mask(&mut self, id: Id) -> Result<MaskRegister, EmitError> {
        if let Some(mask) = self.values[id.0 as usize].mask {
            return Ok(mask);
        }
        let to = MaskRegister::SCRATCH;
        let from = self.loaded(id)?;
        self.code.asm.vpmovd2m(to.k(), from.zmm())?;
        Ok(to)
    }

    /// Emits an operation whose result or source is a mask. Returns false, and emits nothing, for other operations.
    pub(super) fn mask_operation(&mut self, place: usize, id: Id) -> Result<bool, EmitError> {
        if self.code.width != Width::Avx512 {
            return Ok(false);
        }
        match self.lowered.graph.op(id) {
            Op::Binary(binary @ (Binary::Equal | Binary::Greater | Binary::AtLeast), a, b) => {
                let a = self.in_register(a, place)?;
                let b = self.operand(b, place)?;
                let to = self.mask_result(place, id)?;
                match binary {
                    Binary::Equal => self.code.equal_mask(to.k(), a, b)?,
                    Binary::Greater => self.code.greater_mask(to.k(), a, b)?,
                    _ => self
                        .code
                        .unsigned_mask(to.k(), a, b, Comparison::AtLeast as u32)?,
                }
            }
            Op::Binary(Binary::CompareF32(predicate), a, b) => {
                let a = self.in_register(a, place)?;
                let b = self.operand(b, place)?;
                let to = self.mask_result(place, id)?;
                self.code.float_mask(to.k(), a, b, predicate as u32)?;
            }
            Op::Binary(Binary::CompareF64(predicate), a, b) => {
                let a = self.in_register(a, place)?;
                let b = self.operand(b, place)?;
                let to = self.result(place, id)?;
                let mask = MaskRegister::SCRATCH;
                self.code.double_mask(mask.k(), a, b, predicate as u32)?;
                self.code.asm.vpmovm2q(to.zmm(), mask.k())?;
            }
            Op::Binary(binary, a, b) if self.is_mask(id) => {
                let a = self.in_mask_register(a, place)?.k();
                let b = self.in_mask_register(b, place)?.k();
                let to = self.mask_result(place, id)?.k();
                let asm = &mut self.code.asm;
                match binary {
                    Binary::And => asm.kandw(to, a, b)?,
                    Binary::AndNot => asm.kandnw(to, a, b)?,
                    Binary::Or => asm.korw(to, a, b)?,
                    _ => asm.kxorw(to, a, b)?,
                }
            }
            Op::ShiftBy(Shift::Right, mask, 31) if self.is_mask(mask) => {
                let mask = self.in_mask_register(mask, place)?;
                self.one_in(mask, place, id)?;
            }
            Op::Binary(Binary::Add, mask, one)
                if self.is_mask(mask) && self.lowered.graph.op(one) == Op::Const(1) =>
            {
                let mask = self.in_mask_register(mask, place)?;
                let inverted = MaskRegister::SCRATCH;
                self.code.asm.knotw(inverted.k(), mask.k())?;
                self.one_in(inverted, place, id)?;
            }
            Op::Select(mask, one, other) => {
                let mask = self.in_mask_register(mask, place)?;
                let one = self.operand(one, place)?;
                if self.lowered.graph.op(other) == Op::Const(0) {
                    let to = self.result(place, id)?;
                    self.code.load_where(mask, to, one, false)?;
                } else {
                    let other = self.in_register(other, place)?;
                    let to = self.result(place, id)?;
                    self.code.select(mask, to, one, other)?;
                }
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Emits a value that is 1 in the lanes that a mask selects and 0 elsewhere.
    fn one_in(&mut self, mask: MaskRegister, place: usize, id: Id) -> Result<(), EmitError> {
        let one = self.code.constant(|_| 1);
        let to = self.result(place, id)?;
        self.code.load_where(mask, to, one, false)?;
        Ok(())
    }

    /// Allocates a mask register for the result of an operation, possibly that of a dead source.
    fn mask_result(&mut self, place: usize, id: Id) -> Result<MaskRegister, EmitError> {
        // The sources must stay in their registers while a mask moves to another one.
        self.release_masks(place);
        let to = self.free_mask(place)?;
        self.release(place);
        self.take_mask(to, id);
        Ok(to)
    }

    fn take_mask(&mut self, mask: MaskRegister, id: Id) {
        if let Some((_, held)) = self.masks.iter_mut().find(|(it, _)| *it == mask) {
            *held = Some(id);
        }
        self.values[id.0 as usize].mask = Some(mask);
    }

    /// Returns a free mask register, moving its value to a vector register if necessary.
    fn free_mask(&mut self, place: usize) -> Result<MaskRegister, EmitError> {
        if let Some((free, _)) = self.masks.iter().find(|(_, held)| held.is_none()) {
            return Ok(*free);
        }
        let held = self.masks.iter().enumerate();
        let held: Vec<(usize, Id)> = held
            .filter_map(|(number, (_, id))| Some((number, (*id)?)))
            .collect();
        let (number, is_used) = self.farthest(&held, place)?;
        let mask = self.masks[number].0;
        if let Some(id) = self.masks[number].1 {
            let is_leaf = self.lowered.graph.op(id).is_leaf();
            if is_used && !is_leaf && self.values[id.0 as usize].slot.is_none() {
                self.in_register(id, place)?;
            }
            self.values[id.0 as usize].mask = None;
            self.masks[number].1 = None;
        }
        Ok(mask)
    }
}

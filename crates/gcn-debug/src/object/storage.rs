//! Access to source objects: reads their bytes from registers and memory, and resolves their locations.

use gcn_object::{LocationError, PiecePlace, SourceRegister, VariablePiece, VariableState as _};

use super::{SourceObject, Storage};
use crate::error::EvalError;
use crate::scalar::ScalarType;
use crate::view::{Target, View};

impl SourceObject {
    /// Reads the object's first `bytes.len()` bytes.
    pub(super) fn read(&self, view: &View<'_>, bytes: &mut [u8]) -> Result<(), EvalError> {
        let pieces = match &self.storage {
            Storage::Memory(space, address) => return view.read_bytes(*space, *address, bytes),
            Storage::Pieces(pieces) => pieces,
        };
        let wanted = self.offset..self.offset.saturating_add(bytes.len() as u64);
        let mut begin = 0_u64;
        for piece in pieces.iter() {
            let end = piece.bytes.map_or(u64::MAX, |it| begin.saturating_add(it));
            let from = wanted.start.max(begin);
            let to = wanted.end.min(end);
            if from < to {
                let place = (from - wanted.start) as usize..(to - wanted.start) as usize;
                self.read_piece(view, &piece.place, from - begin, &mut bytes[place])?;
            }
            begin = end;
        }
        match begin < wanted.end {
            true => Err(self.incomplete()),
            false => Ok(()),
        }
    }

    fn read_piece(
        &self,
        view: &View<'_>,
        place: &PiecePlace,
        offset: u64,
        bytes: &mut [u8],
    ) -> Result<(), EvalError> {
        let known = match place {
            PiecePlace::Register(register) => {
                let value = view.register(*register).ok_or_else(|| self.incomplete())?;
                let size = match register {
                    SourceRegister::Vector(_) | SourceRegister::Scalar(_) => 4,
                    _ => 8,
                };
                value.to_le_bytes()[..size].to_vec()
            }
            PiecePlace::Value(value) => value.clone(),
            PiecePlace::Memory(space, address) => {
                let (space, address) = view.memory_at(*space, *address);
                return view.read_bytes(space, address.wrapping_add(offset), bytes);
            }
            _ => return Err(self.incomplete()),
        };
        let begin = usize::try_from(offset).unwrap_or(usize::MAX);
        let found = known.get(begin..begin.saturating_add(bytes.len()));
        bytes.copy_from_slice(found.ok_or_else(|| self.incomplete())?);
        Ok(())
    }

    fn incomplete(&self) -> EvalError {
        EvalError::Unavailable {
            name: self.ty.name.clone(),
            reason: LocationError::OptimizedOut,
        }
    }

    /// Returns the object's location. An aggregate in memory gets the type `u32`.
    pub(crate) fn place(&self, view: &View<'_>) -> Result<Target, EvalError> {
        match (self.scalar_type(), self.address()) {
            (None, Some((space, address))) => Ok(Target::Memory {
                space,
                ty: ScalarType::U32,
                address,
            }),
            _ => self.target(view).map(|(target, _)| target),
        }
    }

    /// Returns the location to assign to, and the type of its value. Fails unless the object is a scalar in memory, in
    /// one register or in two consecutive registers.
    pub(crate) fn target(&self, view: &View<'_>) -> Result<(Target, ScalarType), EvalError> {
        let ty = self.scalar_type().ok_or_else(|| EvalError::Aggregate {
            ty: self.ty.name.clone(),
        })?;
        if self.bits.is_some() {
            return Err(EvalError::NotAPlace);
        }
        let pieces = match &self.storage {
            &Storage::Memory(space, address) => {
                return Ok((Target::Memory { space, ty, address }, ty));
            }
            Storage::Pieces(pieces) => pieces,
        };
        let size = |it: &VariablePiece| it.bytes.unwrap_or(4);
        let mut begin = 0_u64;
        let mut registers = Vec::new();
        for piece in pieces.iter() {
            let end = begin.saturating_add(size(piece));
            if begin < self.offset.saturating_add(ty.bytes()) && end > self.offset {
                let is_whole = begin >= self.offset && size(piece) == 4;
                match piece.place {
                    PiecePlace::Register(it) if is_whole => registers.push(it),
                    _ => return Err(EvalError::NotAPlace),
                }
            }
            begin = end;
        }
        let lane = Some(view.lane);
        let target = match registers.as_slice() {
            [SourceRegister::Vector(first)] if ty.bytes() == 4 => Target::Vector {
                first: *first,
                count: 1,
                lane,
            },
            [SourceRegister::Scalar(first)] if ty.bytes() == 4 => Target::Scalar {
                first: *first,
                count: 1,
            },
            [
                SourceRegister::Vector(first),
                SourceRegister::Vector(second),
            ] if ty.bytes() == 8 && first.checked_add(1) == Some(*second) => Target::Vector {
                first: *first,
                count: 2,
                lane,
            },
            [
                SourceRegister::Scalar(first),
                SourceRegister::Scalar(second),
            ] if ty.bytes() == 8 && first.checked_add(1) == Some(*second) => Target::Scalar {
                first: *first,
                count: 2,
            },
            _ => return Err(EvalError::NotAPlace),
        };
        Ok((target, ty))
    }
}

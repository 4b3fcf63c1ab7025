//! State that expressions read, and locations that they denote.

use std::ops::Range;

use gcn_emu::Lds;
use gcn_emu::memory::Memory;
use gcn_emu::observe::Paused;
use gcn_emu::wave::{LANES, Wave};

use crate::error::EvalError;
use crate::expr::Space;
use crate::program::Program;
use crate::scalar::{Scalar, ScalarType};

/// Buffer that expressions can refer to by name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NamedBuffer {
    /// Name in expressions.
    pub name: String,
    /// Start address.
    pub address: u64,
    /// Size in bytes.
    pub bytes: u64,
    /// Element type.
    pub ty: ScalarType,
}

impl NamedBuffer {
    /// Returns the number of elements.
    pub fn elements(&self) -> u64 {
        self.bytes / self.ty.bytes()
    }
}

/// State for evaluating an expression.
#[derive(Clone, Copy)]
pub struct View<'a> {
    /// Debugged code.
    pub program: &'a Program,
    /// Device memory.
    pub memory: &'a Memory,
    /// Named buffers.
    pub buffers: &'a [NamedBuffer],
    /// Wave in focus and its workgroup's LDS; `None` if no wave is running.
    pub wave: Option<(&'a Wave, &'a Lds)>,
    /// Address of the kernarg segment, if a launch is running and the address is known.
    pub arguments: Option<u64>,
    /// Lane in focus, below 64.
    pub lane: u8,
}

/// Resolved location: registers, memory or a buffer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum Target {
    /// Vector registers in one lane. Without a lane, the focused lane is read, and all active lanes are written.
    Vector {
        first: u8,
        count: u8,
        lane: Option<u8>,
    },
    Scalar {
        first: u8,
        count: u8,
    },
    Scc,
    Mode,
    Pc,
    /// Value in memory.
    Memory {
        space: Space,
        ty: ScalarType,
        address: u64,
    },
    /// Whole buffer, by index in the buffer list.
    Buffer(usize),
}

/// Returns the address of the launch's kernarg segment, if known.
pub(crate) fn kernel_arguments(paused: &Paused<'_>) -> Option<u64> {
    let segment = paused.dispatched().dispatch.kernarg.as_ref()?;
    Some(segment.start)
}

/// Stride in bytes between consecutive scratch dwords of a lane.
const SCRATCH_ROW: u64 = 4 * LANES as u64;

impl<'a> View<'a> {
    /// Returns the wave in focus.
    ///
    /// # Errors
    /// Fails if no wave is running.
    pub fn wave(&self) -> Result<&'a Wave, EvalError> {
        let (wave, _) = self.wave.ok_or(EvalError::NoWave)?;
        Ok(wave)
    }

    /// Returns the type of the value at a location.
    pub fn ty(&self, target: Target) -> ScalarType {
        match target {
            Target::Vector { count: 2, .. } | Target::Scalar { count: 2, .. } | Target::Pc => {
                ScalarType::U64
            }
            Target::Memory { ty, .. } => ty,
            Target::Buffer(number) => self.buffers.get(number).map_or(ScalarType::U32, |it| it.ty),
            _ => ScalarType::U32,
        }
    }

    /// Reads a location. Vector registers without a lane are read in the focused lane.
    ///
    /// # Errors
    /// Fails if no wave is running, if the register does not exist, or if the address is not accessible.
    pub fn read(&self, target: Target) -> Result<Scalar, EvalError> {
        let pair = |low: u32, high: u32| Scalar::u64(u64::from(low) | u64::from(high) << 32);
        Ok(match target {
            Target::Vector { first, count, lane } => {
                let wave = self.wave()?;
                self.check_vector(first, count)?;
                let lane = usize::from(lane.unwrap_or(self.lane)) % LANES;
                let dword = |register| wave.vgpr(register).0[lane];
                match count {
                    2 => pair(dword(first), dword(first + 1)),
                    _ => Scalar::u32(dword(first)),
                }
            }
            Target::Scalar { first, count } => {
                let wave = self.wave()?;
                self.check_scalar(first, count)?;
                match count {
                    2 => pair(wave.resolved(first), wave.resolved(first + 1)),
                    _ => Scalar::u32(wave.resolved(first)),
                }
            }
            Target::Scc => Scalar::u32(self.wave()?.scc.into()),
            Target::Mode => Scalar::u32(self.wave()?.mode),
            Target::Pc => Scalar::u64(self.wave()?.pc),
            Target::Memory { space, ty, address } => {
                let mut bytes = [0; 8];
                let used = &mut bytes[..ty.bytes() as usize];
                self.read_bytes(space, address, used)?;
                Scalar::new(ty, u64::from_le_bytes(bytes))
            }
            Target::Buffer(number) => {
                let name = self.buffers.get(number).map(|it| it.name.clone());
                return Err(EvalError::WholeBuffer(name.unwrap_or_default()));
            }
        })
    }

    /// Reads bytes from memory.
    ///
    /// # Errors
    /// Fails unless the whole range is accessible.
    pub fn read_bytes(
        &self,
        space: Space,
        address: u64,
        bytes: &mut [u8],
    ) -> Result<(), EvalError> {
        let outside = EvalError::Outside {
            space,
            address,
            bytes: bytes.len() as u64,
        };
        match space {
            Space::Global => {
                let is_read = self.memory.read(address, bytes);
                is_read.then_some(()).ok_or(outside)
            }
            Space::Lds => {
                let (_, lds) = self.wave.ok_or(EvalError::NoWave)?;
                let begin = usize::try_from(address).unwrap_or(usize::MAX);
                let range = begin..begin.saturating_add(bytes.len());
                let found = lds.bytes().get(range).ok_or(outside)?;
                bytes.copy_from_slice(found);
                Ok(())
            }
            Space::Scratch => {
                for (number, byte) in bytes.iter_mut().enumerate() {
                    let offset = address.saturating_add(number as u64);
                    let global = self.scratch_address(offset).map_err(|()| outside.clone())?;
                    *byte = self.memory.load_u8(global).ok_or(outside.clone())?;
                }
                Ok(())
            }
        }
    }

    /// Returns the global address of a byte in the focused lane's scratch.
    fn scratch_address(&self, offset: u64) -> Result<u64, ()> {
        let (wave, _) = self.wave.ok_or(())?;
        if offset >= wave.scratch.bytes_per_lane.into() {
            return Err(());
        }
        Ok(scratch_byte(wave.scratch.base, self.lane, offset))
    }

    fn check_vector(&self, first: u8, count: u8) -> Result<(), EvalError> {
        let registers = self.wave()?.vgprs.len();
        if usize::from(first) + usize::from(count) > registers {
            let name = format!("v{}", first.saturating_add(count - 1));
            return Err(EvalError::NoRegister {
                name,
                count: registers,
                class: "vector",
            });
        }
        Ok(())
    }

    fn check_scalar(&self, first: u8, count: u8) -> Result<(), EvalError> {
        let wave = self.wave()?;
        if !wave.owns_scalars(first, count) {
            return Err(EvalError::NoRegister {
                name: format!("s{}", first.saturating_add(count - 1)),
                count: wave.sgpr_count.into(),
                class: "scalar",
            });
        }
        Ok(())
    }

    /// Checks that a location accepts a value, without writing it.
    pub(crate) fn check(&self, target: Target, value: Scalar) -> Result<(), EvalError> {
        if let Target::Buffer(_) = target {
            return self.read(target).map(drop);
        }
        self.read(target)?;
        if target == Target::Pc
            && (!self.program.has_code(value.bits) || !value.bits.is_multiple_of(4))
        {
            return Err(EvalError::NotCode(value.bits));
        }
        Ok(())
    }

    /// Returns the global address of each byte of a scratch value, or `None` if one is out of bounds.
    pub(crate) fn scratch_addresses(&self, offset: u64, bytes: u64) -> Option<Vec<u64>> {
        let range = offset..offset.checked_add(bytes)?;
        range.map(|it| self.scratch_address(it).ok()).collect()
    }
}

/// Returns the address of a byte in a lane's scratch. The wave's scratch starts at `base`, with the dwords of its
/// lanes interleaved.
fn scratch_byte(base: u64, lane: u8, offset: u64) -> u64 {
    base + offset / 4 * SCRATCH_ROW + u64::from(lane) * 4 + offset % 4
}

/// Returns the address ranges of a value in a lane's scratch, one for each dword.
pub(crate) fn scratch_ranges(
    base: u64,
    lane: u8,
    offset: u64,
    bytes: u64,
) -> impl Iterator<Item = Range<u64>> {
    let end = offset + bytes;
    let dwords = offset / 4..end.div_ceil(4);
    dwords.map(move |dword| {
        let (from, to) = (offset.max(dword * 4), end.min(dword * 4 + 4));
        let first = scratch_byte(base, lane, from);
        first..first + (to - from)
    })
}

/// Writes to a location that [`View::check`] has accepted. Vector registers without a lane are written in all active
/// lanes.
pub(crate) fn write(
    target: Target,
    value: Scalar,
    wave: Option<(&mut Wave, &mut Lds)>,
    memory: &Memory,
    scratch: Option<&[u64]>,
) {
    let bytes = value.bits.to_le_bytes();
    if let Target::Memory { space, ty, address } = target {
        let bytes = &bytes[..ty.bytes() as usize];
        match (space, wave) {
            (Space::Global, _) => {
                memory.write(address, bytes);
            }
            (Space::Lds, Some((_, lds))) => {
                let begin = address as usize;
                if let Some(place) = lds.bytes_mut().get_mut(begin..begin + bytes.len()) {
                    place.copy_from_slice(bytes);
                }
            }
            (Space::Scratch, _) => {
                for (address, byte) in scratch.into_iter().flatten().zip(bytes) {
                    memory.write(*address, &[*byte]);
                }
            }
            (Space::Lds, None) => {}
        }
        return;
    }
    let Some((wave, _)) = wave else {
        return;
    };
    let dwords = [value.bits as u32, (value.bits >> 32) as u32];
    match target {
        Target::Vector { first, count, lane } => {
            let lanes = lane.map_or_else(|| wave.exec(), |lane| 1 << (lane % LANES as u8));
            for (number, dword) in dwords.iter().take(count.into()).enumerate() {
                let register = wave.vgpr_mut(first + number as u8);
                for lane in gcn_emu::wave::active(lanes) {
                    register.0[lane] = *dword;
                }
            }
        }
        Target::Scalar { first, count } => {
            for (number, dword) in dwords.iter().take(count.into()).enumerate() {
                wave.set_scalar(first + number as u8, *dword);
            }
        }
        Target::Scc => wave.scc = value.is_true(),
        Target::Mode => wave.mode = dwords[0],
        Target::Pc => wave.pc = value.bits,
        Target::Memory { .. } | Target::Buffer(_) => {}
    }
}

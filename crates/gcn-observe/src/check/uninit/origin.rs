//! Origins of undefined values, which findings show beside the use.

use gcn_emu::wave::WaveId;
use gcn_isa::uses::Registers;
use gcn_isa::{Inst, Isa};

use crate::finding::{FindingPlace, Side};
use crate::registers::name;

/// Origin of undefined bits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum UndefinedOrigin {
    /// The bits are defined, or the origin is unknown.
    Unknown,
    /// The register was undefined at the start of the wave.
    Start(Registers),
    /// The load with this index in [`Loads`].
    Load(u32),
}

/// An instruction that loaded undefined bits.
struct UndefinedLoad {
    pc: u64,
    inst: Inst,
    memory: &'static str,
}

/// Table of instructions that loaded undefined bits.
#[derive(Default)]
pub(super) struct Loads(Vec<UndefinedLoad>);

impl Loads {
    /// Interns a load from `memory`, and returns its origin.
    pub(super) fn origin(&mut self, pc: u64, inst: &Inst, memory: &'static str) -> UndefinedOrigin {
        let known = self
            .0
            .iter()
            .position(|it| it.pc == pc && it.memory == memory);
        let number = known.unwrap_or_else(|| {
            self.0.push(UndefinedLoad {
                pc,
                inst: *inst,
                memory,
            });
            self.0.len() - 1
        });
        UndefinedOrigin::Load(number as u32)
    }

    /// Converts an origin to the side of a finding.
    pub(super) fn side(&self, origin: UndefinedOrigin, isa: Isa, wave: WaveId) -> Side {
        let load = match origin {
            UndefinedOrigin::Load(number) => self.0.get(number as usize),
            UndefinedOrigin::Unknown | UndefinedOrigin::Start(_) => None,
        };
        let label = match (load, origin) {
            (Some(load), _) => format!("the load of {} that holds an undefined value", load.memory),
            (None, UndefinedOrigin::Start(register)) => format!(
                "the wave started with the value in {}, which the hardware does not set",
                name(isa, register)
            ),
            (None, _) => "nothing has set the value".to_owned(),
        };
        Side {
            label,
            place: load.map(|load| FindingPlace::new(load.pc, &load.inst, Some(wave))),
        }
    }
}

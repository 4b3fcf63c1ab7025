//! Context of an event: dispatch, wave and instruction.

use std::ops::Range;

use gcn_isa::Ty;
use gcn_isa::uses::RegisterUse;

use crate::code::Code;
use crate::device::Device;
use crate::dispatch::Dispatch;
use crate::exec::alu::indexing;
use crate::exec::memory::{self, Access};
use crate::lds::{Lds, direct_place};
use crate::scoreboard::OperationId;
use crate::step::{Arg, MAX_ARGS, Step};
use crate::wave::{Wave, WaveId};

/// Running dispatch.
#[derive(Clone, Copy)]
pub struct Dispatched<'a> {
    /// Number of the dispatch, starting at 0, unique among the devices that share memory.
    pub id: u64,
    /// Device. Its memory tracks allocations, their names, and writes by the host.
    pub device: &'a Device,
    /// Launch parameters: sizes and, if known, the kernel's name and the address range of its arguments.
    pub dispatch: &'a Dispatch,
    /// All code that the dispatch may execute.
    pub code: &'a Code,
}

/// Context of a wave's event.
#[derive(Clone, Copy)]
pub struct Context<'a> {
    /// Device and dispatch.
    pub dispatched: &'a Dispatched<'a>,
    /// Wave, with its workgroup's position in `wave.id`.
    pub wave: &'a Wave,
    /// LDS of the workgroup.
    pub lds: &'a Lds,
    /// Byte address of the instruction. For a wave that begins, it is the address of the first instruction.
    pub pc: u64,
}

impl Context<'_> {
    /// Position of the wave in its dispatch.
    pub fn id(&self) -> WaveId {
        self.wave.id
    }

    /// Address range of the scratch of all waves on the wave's host thread. Work-items do not share bytes in this
    /// range.
    pub fn scratch(&self) -> Range<u64> {
        let begin = self.wave.scratch.region;
        let bytes = self.dispatched.dispatch.scratch_bytes_per_thread();
        begin..begin.saturating_add(bytes)
    }

    /// Computes the addresses that an instruction of the wave would access now, without side effects. `access` is
    /// overwritten, so callers can reuse it.
    pub fn addresses(&self, step: &Step, access: &mut Access) {
        memory::addresses(self.wave, step, self.dispatched.device, access);
    }

    /// Further address registers of an image instruction, whose number depends on the image's descriptor. Returns
    /// `None` for other instructions, and if there are none.
    pub fn address_beyond(&self, step: &Step) -> Option<RegisterUse> {
        memory::address_beyond(self.wave, step)
    }

    /// LDS address and type of the value that LDS_DIRECT would read now.
    pub fn lds_direct(&self) -> (u64, Ty) {
        let (place, ty) = direct_place(self.wave.m0());
        (place as u64, ty)
    }

    /// Use of M0, if VGPR indexing currently adds it to the instruction's register numbers.
    pub fn index(&self, step: &Step) -> Option<RegisterUse> {
        indexing::index(self.wave, step)
    }

    /// Computes the addresses of texel `number` of each lane that an image sample or gather would access now, without
    /// side effects. [`Context::addresses`] computes the addresses of texel 0. Returns false if no lane has that many
    /// texels. `access` is overwritten.
    pub fn texel(&self, step: &Step, number: usize, access: &mut Access) -> bool {
        memory::texel(self.wave, step, number, access)
    }
}

/// Instruction during its execution.
#[derive(Clone, Copy)]
pub struct Instruction<'a> {
    /// Decoded instruction.
    pub step: &'a Step,
    /// Operands in the order of the instruction's row, with the registers that VGPR indexing and MOVREL select.
    /// `Arg::None` replaces a destination outside the wave's registers, which is not written.
    pub operands: &'a [Arg; MAX_ARGS],
    /// EXEC at issue.
    pub exec: u64,
    /// ID of the operation that wait counters track for the instruction, if there is one and counters are maintained
    /// ([`Events::COUNTERS`](super::Events::COUNTERS)). IDs are unique within a wave.
    pub operation: Option<OperationId>,
}

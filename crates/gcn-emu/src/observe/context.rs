//! The place of an event: the dispatch, the wave and the instruction.

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

/// A dispatch that is being run.
#[derive(Clone, Copy)]
pub struct Dispatched<'a> {
    /// Number of the dispatch, from 0 on, among those of the devices that have the same memory.
    pub id: u64,
    /// The device. Its memory has the allocations, their names and whether the host has written to them.
    pub device: &'a Device,
    /// Launch: the kernel's name and the range of its arguments, where they are known, and its sizes.
    pub dispatch: &'a Dispatch,
    /// All code that it may execute.
    pub code: &'a Code,
}

/// The place of an event of a wave.
#[derive(Clone, Copy)]
pub struct Context<'a> {
    /// The device and the dispatch.
    pub dispatched: &'a Dispatched<'a>,
    /// The wave, with its workgroup's position in `wave.id`.
    pub wave: &'a Wave,
    /// Workgroup's LDS.
    pub lds: &'a Lds,
    /// Address of the instruction, in bytes; of a wave that begins the first one.
    pub pc: u64,
}

impl Context<'_> {
    /// The wave's position in its dispatch.
    pub fn id(&self) -> WaveId {
        self.wave.id
    }

    /// Addresses of the scratch of all waves that the wave's host thread runs: no work-items share a byte of it.
    pub fn scratch(&self) -> Range<u64> {
        let begin = self.wave.scratch.region;
        let bytes = self.dispatched.dispatch.scratch_bytes_per_thread();
        begin..begin.saturating_add(bytes)
    }

    /// The addresses that an instruction of the wave would access now, without side effects. `access` is overwritten: the
    /// caller keeps it from one instruction to the next.
    pub fn addresses(&self, step: &Step, access: &mut Access) {
        memory::addresses(self.wave, step, self.dispatched.device, access);
    }

    /// The registers of an image's address behind those that all images need, which the image's descriptor says. `None` of
    /// other instructions, and where there are none.
    pub fn address_beyond(&self, step: &Step) -> Option<RegisterUse> {
        memory::address_beyond(self.wave, step)
    }

    /// The address in LDS of what LDS_DIRECT would read now, and its type.
    pub fn lds_direct(&self) -> (u64, Ty) {
        let (place, ty) = direct_place(self.wave.m0());
        (place as u64, ty)
    }

    /// The index in M0 that VGPR indexing adds to numbers of an instruction's registers now. `None` where it is added to none.
    pub fn index(&self, step: &Step) -> Option<RegisterUse> {
        indexing::index(self.wave, step)
    }

    /// The addresses of texel number `number` that each lane of a sample or a gather of an image would access now, without side
    /// effects; [`Context::addresses`] has those of number 0. Returns false where no lane has that many. `access` is overwritten.
    pub fn texel(&self, step: &Step, number: usize, access: &mut Access) -> bool {
        memory::texel(self.wave, step, number, access)
    }
}

/// An instruction at its execution.
#[derive(Clone, Copy)]
pub struct Instruction<'a> {
    /// The instruction, decoded.
    pub step: &'a Step,
    /// Operands in the order of its row, with the registers that VGPR indexing and MOVREL name. `Arg::None` is in place
    /// of a destination outside the wave's registers, which is not written.
    pub operands: &'a [Arg; MAX_ARGS],
    /// EXEC at issue.
    pub exec: u64,
    /// The operation that the wait counters count for it, if they do and are kept
    /// ([`Events::COUNTERS`](super::Events::COUNTERS)). No other of the wave has the same.
    pub operation: Option<OperationId>,
}

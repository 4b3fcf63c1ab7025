//! State of a wave: registers, mode and counters.

use gcn_isa::{Isa, regs};

use crate::device::Apertures;
use crate::gds::Ticket;
use crate::lanes;
pub use crate::lanes::{LANES, Lanes, active};
use crate::late::Late;
use crate::registers::{Staged, VectorRegisters};
use crate::scoreboard::Scoreboard;

/// Number of scalar registers (SGPRs, VCC, M0, EXEC and others), indexed as in instruction fields.
pub(crate) const SCALARS: usize = 128;

// Operand codes of scalar sources that are neither registers nor constants.
const SHARED_BASE: u8 = 235;
const SHARED_LIMIT: u8 = 236;
const PRIVATE_BASE: u8 = 237;
const PRIVATE_LIMIT: u8 = 238;
const VCCZ: u8 = 251;
const EXECZ: u8 = 252;
const SCC: u8 = 253;

/// Execution state of a wave: running, or the event it waits for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Waiting {
    /// Running.
    No,
    /// Waiting at S_BARRIER for all waves of the workgroup.
    Barrier,
    /// Waiting at a global wave synchronization resource (checklist 2.30).
    Gws,
    /// Sleeping (S_SLEEP) until the other waves have had a turn.
    Asleep,
    /// Ended.
    Ended,
}

impl Waiting {
    /// All states, in discriminant order.
    pub(crate) const ALL: [Waiting; 5] = [
        Waiting::No,
        Waiting::Barrier,
        Waiting::Gws,
        Waiting::Asleep,
        Waiting::Ended,
    ];
}

/// Position of a wave in the dispatch, for messages and observers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct WaveId {
    /// Workgroup in x, y, z.
    pub group: [u32; 3],
    /// Index of the wave within its workgroup.
    pub wave: u32,
}

impl WaveId {
    /// Sort key for launch order: workgroups with x varying fastest, then waves.
    pub fn rank(&self) -> impl Ord + use<> {
        let [x, y, z] = self.group;
        (z, y, x, self.wave)
    }
}

/// Wave of 64 lanes that execute in lockstep.
#[derive(Clone, Debug)]
pub struct Wave {
    /// Position of the wave in the dispatch.
    pub id: WaveId,
    /// Instruction set.
    pub isa: Isa,
    /// Address of the next instruction, in bytes.
    pub pc: u64,
    scalars: [u32; SCALARS],
    /// Vector registers allocated to the wave.
    pub vgprs: VectorRegisters,
    /// Number of SGPRs allocated to the wave.
    pub sgpr_count: u8,
    /// Scalar condition code.
    pub scc: bool,
    /// MODE: rounding in bits 3:0, denormals in 7:4, DX10 clamp in 8, IEEE in 9, and the rest as in the manual.
    pub mode: u32,
    /// TRAPSTS; bit 8 is the sticky memory violation flag (checklist 1.9).
    pub trapsts: u32,
    /// Number of violations that did not end the run, counted per element or lane.
    pub violations: u64,
    /// Address of the instruction that caused the first violation, if known.
    pub violated_at: Option<u64>,
    /// Ticket for a wait at a global wave synchronization resource.
    pub gws_ticket: Option<Ticket>,
    /// Outstanding operations.
    pub scoreboard: Scoreboard,
    /// Operations that have not taken effect yet, if late completion is configured.
    pub(crate) late: Option<Box<Late>>,
    /// Execution state.
    pub waiting: Waiting,
    /// Number of instructions executed.
    pub executed: u64,
    /// Dword index in the code of the last taken branch. Stored here to free host registers in the step loop.
    pub(crate) branch: Option<usize>,
    /// Location of the wave's scratch memory.
    pub scratch: Scratch,
    /// LDS size and number of waves of the workgroup.
    pub group: GroupShape,
    /// Priority set by S_SETPRIO.
    pub priority: u8,
    /// Value of LDS_DIRECT in the current instruction.
    pub lds_direct: u32,
    /// Apertures of FLAT addresses, as shown by the aperture registers of GCN 1.4.
    pub apertures: Apertures,
    /// Stride predictor for recent loads.
    pub(crate) strides: Strides,
    pub(crate) staging: Box<Staging>,
}

/// Snapshot of a wave's state, to detect repetition.
pub(crate) struct Snapshot {
    pc: u64,
    scalars: Scalars,
    vgprs: Box<[Lanes]>,
    scc: bool,
}

impl Wave {
    /// Takes a snapshot of the program counter and the registers.
    pub(crate) fn snapshot(&self) -> Snapshot {
        Snapshot {
            pc: self.pc,
            scalars: self.scalars,
            vgprs: self.vgprs.to_vec().into(),
            scc: self.scc,
        }
    }

    /// Compares the registers with a snapshot; `None` if the program counter differs.
    pub(crate) fn repeats(&self, there: &Snapshot) -> Option<bool> {
        (self.pc == there.pc).then(|| {
            self.scc == there.scc && self.scalars == there.scalars && *self.vgprs == *there.vgprs
        })
    }
}

/// Stride predictor for a few loads, used to prefetch their next addresses. The host's own prefetcher does not help,
/// since it is indexed by the addresses of host instructions, which all loads share.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Strides([Visit; Strides::LOADS]);

/// Last address of a load and its distance from the previous one.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Visit {
    pub(crate) address: u64,
    pub(crate) stride: u64,
}

impl Strides {
    /// Number of loads that have their own entry.
    const LOADS: usize = 16;
    /// Number of executions of a load between the prefetch of a row and its use.
    pub(crate) const AHEAD: u64 = 2;

    /// Index of a load's entry.
    #[inline]
    pub(crate) fn entry(load: u8) -> u8 {
        load % Strides::LOADS as u8
    }

    /// Pointer to the entries, for host code.
    pub(crate) fn entries(&mut self) -> *mut Visit {
        self.0.as_mut_ptr()
    }

    /// Records an address of load number `load`. Returns the load's stride if the last two strides were equal and
    /// nonzero.
    #[inline]
    pub(crate) fn next(&mut self, load: u8, address: u64) -> Option<u64> {
        let visit = &mut self.0[usize::from(Strides::entry(load))];
        let stride = address.wrapping_sub(visit.address);
        let is_steady = stride == visit.stride && stride != 0;
        *visit = Visit { address, stride };
        is_steady.then_some(stride)
    }
}

/// Minimum number of vector registers of a wave, so that any operand of one or two dwords exists. Hardware allocates
/// at least four.
pub(crate) const LEAST_VGPRS: usize = 2;
/// Scalar registers of a [`Wave`].
pub(crate) type Scalars = [u32; SCALARS];

/// Temporary rows for results of the current vector instruction: low dwords, then high dwords.
#[derive(Clone, Debug)]
pub(crate) struct Staging {
    /// Previous contents of the destination registers.
    pub(crate) old: [Lanes; 2],
    /// Intermediate results, or results not written to all lanes.
    pub(crate) results: [Lanes; 2],
}

/// Properties of a wave's workgroup.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct GroupShape {
    /// Allocated bytes of LDS.
    pub lds_bytes: u32,
    /// Number of waves.
    pub waves: u32,
}

/// Scratch memory of a wave: dwords interleaved by lane (errata E087).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Scratch {
    /// Address of the wave's first byte in global memory.
    pub base: u64,
    /// Hidden base of private memory, to which FLAT_SCRATCH_HI is relative on GCN 1.1 and 1.2 (errata E088): the
    /// scratch of the host thread that runs the wave.
    pub region: u64,
    /// Number of bytes per lane; larger offsets are out of range (checklist 3.25).
    pub bytes_per_lane: u32,
}

impl Scratch {
    /// True if a range of addresses is within the wave's scratch.
    pub(crate) fn contains(&self, address: u64, bytes: u64) -> bool {
        let size = u64::from(self.bytes_per_lane) * LANES as u64;
        let offset = address.wrapping_sub(self.base);
        offset <= size && bytes <= size - offset
    }
}

/// Memory violation bit of TRAPSTS.
pub const TRAPSTS_MEM_VIOL: u32 = 1 << 8;

impl Wave {
    /// Creates a wave at `pc` with `vgprs` vector registers (at least two). All lanes are inactive and all registers
    /// zero.
    pub fn new(isa: Isa, id: WaveId, pc: u64, vgprs: usize, sgpr_count: u8) -> Wave {
        Wave {
            id,
            isa,
            pc,
            scalars: [0; SCALARS],
            vgprs: VectorRegisters::new(vgprs.max(LEAST_VGPRS)),
            sgpr_count,
            scc: false,
            mode: 0,
            trapsts: 0,
            violations: 0,
            violated_at: None,
            gws_ticket: None,
            scoreboard: Scoreboard::new(isa),
            late: None,
            waiting: Waiting::No,
            executed: 0,
            branch: None,
            scratch: Scratch::default(),
            group: GroupShape::default(),
            priority: 0,
            lds_direct: 0,
            apertures: Apertures::default(),
            strides: Strides::default(),
            staging: Box::new(Staging {
                old: [Lanes::ZERO; 2],
                results: [Lanes::ZERO; 2],
            }),
        }
    }

    /// Splits into vector registers, scalar registers and the staging rows for sources outside the vector registers.
    #[inline(always)]
    pub(crate) fn split_for_sources(&mut self) -> (&mut [Lanes], &Scalars, Staged<'_>) {
        let (registers, staged) = self.vgprs.split();
        (registers, &self.scalars, staged)
    }

    /// Calls a function with the vector registers and the scalar registers.
    #[inline(always)]
    pub(crate) fn with_registers<R>(
        &mut self,
        f: impl FnOnce(&mut [Lanes], &mut Scalars) -> R,
    ) -> R {
        f(&mut self.vgprs, &mut self.scalars)
    }

    /// Scalar registers.
    #[inline(always)]
    pub(crate) fn scalars(&self) -> &Scalars {
        &self.scalars
    }

    /// Restarts the wave at `pc` with zeroed registers, keeping its allocations and ID.
    pub fn restart(&mut self, pc: u64) {
        self.restart_with(pc, &[0; SCALARS], &[], None);
    }

    /// Variant of [`Wave::restart`] that sets the scalar registers and the first vector registers directly. Zeroes the
    /// other vector registers, or only those in `cleared` if it is given.
    #[inline]
    pub(crate) fn restart_with(
        &mut self,
        pc: u64,
        scalars: &Scalars,
        first: &[Lanes],
        cleared: Option<&[u8]>,
    ) {
        self.pc = pc;
        self.scalars = *scalars;
        match cleared {
            Some(cleared) => lanes::begin_partly(&mut self.vgprs, first, cleared),
            None => lanes::begin_with(&mut self.vgprs, first),
        }
        self.scc = false;
        self.mode = 0;
        self.trapsts = 0;
        self.violations = 0;
        self.violated_at = None;
        self.gws_ticket = None;
        self.scoreboard.clear();
        if self.late.is_some() {
            self.late = None;
        }
        self.waiting = Waiting::No;
        self.priority = 0;
        self.executed = 0;
        self.branch = None;
    }

    /// Wakes the wave if it sleeps. Returns true if the wave can use its turn.
    pub(crate) fn takes_turn(&mut self) -> bool {
        if self.waiting == Waiting::Asleep {
            self.waiting = Waiting::No;
        }
        matches!(self.waiting, Waiting::No | Waiting::Gws)
    }

    /// Reads a vector register; a register beyond the allocation reads as v0 (checklist 1.6).
    #[inline]
    pub fn vgpr(&self, register: u8) -> &Lanes {
        self.vgprs
            .get(usize::from(register))
            .unwrap_or(&self.vgprs[0])
    }

    /// Vector register to write. Instructions that would write beyond the allocation have been cancelled earlier.
    #[inline]
    pub fn vgpr_mut(&mut self, register: u8) -> &mut Lanes {
        let register = usize::from(register).min(self.vgprs.len() - 1);
        &mut self.vgprs[register]
    }

    /// Reads a scalar source that is neither register nor constant: the apertures of GCN 1.4 (errata E088), VCCZ,
    /// EXECZ, SCC and LDS_DIRECT. The low half of an aperture is its value as a 32-bit source.
    pub fn special(&self, code: u8) -> u64 {
        let base = |high: u32| u64::from(high) << 32;
        match code {
            SHARED_BASE => base(self.apertures.shared),
            SHARED_LIMIT => base(self.apertures.shared) | u64::from(u32::MAX),
            PRIVATE_BASE => base(self.apertures.private),
            PRIVATE_LIMIT => base(self.apertures.private) | u64::from(u32::MAX),
            VCCZ => u64::from(self.vcc() == 0),
            EXECZ => u64::from(self.exec() == 0),
            SCC => u64::from(self.scc),
            regs::LDS_DIRECT => u64::from(self.lds_direct),
            _ => 0,
        }
    }

    /// EXEC mask, one bit per lane.
    #[inline]
    pub fn exec(&self) -> u64 {
        self.resolved64(regs::EXEC_LO)
    }

    /// Sets EXEC.
    #[inline]
    pub fn set_exec(&mut self, mask: u64) {
        self.set_scalar64(regs::EXEC_LO, mask);
    }

    /// VCC, one bit per lane.
    #[inline]
    pub fn vcc(&self) -> u64 {
        self.resolved64(regs::VCC_LO)
    }

    /// Sets VCC.
    #[inline]
    pub fn set_vcc(&mut self, mask: u64) {
        self.set_scalar64(regs::VCC_LO, mask);
    }

    /// Value of M0.
    #[inline]
    pub fn m0(&self) -> u32 {
        self.scalars[usize::from(regs::M0)]
    }

    /// Reads scalar register `code`, 0..=127. An SGPR beyond the wave's allocation reads as s0 (checklist 1.7).
    #[inline]
    pub fn scalar(&self, code: u8) -> u32 {
        let code = if code >= self.sgpr_count && code < self.isa.sgprs() {
            0
        } else {
            code
        };
        self.scalars[usize::from(code) % SCALARS]
    }

    /// Reads scalar register `code`, 0..=127, of a resolved operand, which is never beyond the allocation.
    #[inline(always)]
    pub fn resolved(&self, code: u8) -> u32 {
        self.scalars[usize::from(code) % SCALARS]
    }

    /// Reads `code` and the following register as in [`Wave::resolved`].
    #[inline(always)]
    pub(crate) fn resolved64(&self, code: u8) -> u64 {
        u64::from(self.resolved(code)) | u64::from(self.resolved(code + 1)) << 32
    }

    /// Reads scalar register `code` and the following one.
    #[inline]
    pub fn scalar64(&self, code: u8) -> u64 {
        u64::from(self.scalar(code)) | u64::from(self.scalar(code + 1)) << 32
    }

    /// Reads consecutive scalar registers starting at `code`.
    #[inline]
    pub fn scalars_from<const COUNT: usize>(&self, code: u8) -> [u32; COUNT] {
        let own = self.scalars.get(..self.sgpr_count.into());
        let own = own.and_then(|own| own.get(usize::from(code)..)?.first_chunk());
        own.copied()
            .unwrap_or_else(|| std::array::from_fn(|n| self.scalar(code.wrapping_add(n as u8))))
    }

    /// Writes scalar register `code`, 0..=127.
    #[inline]
    pub fn set_scalar(&mut self, code: u8, value: u32) {
        self.scalars[usize::from(code) % SCALARS] = value;
    }

    /// Writes scalar register `code` and the following one.
    #[inline]
    pub fn set_scalar64(&mut self, code: u8, value: u64) {
        self.set_scalar(code, value as u32);
        self.set_scalar(code + 1, (value >> 32) as u32);
    }

    /// True if the wave may write `count` scalar registers starting at `code` (checklist 1.7).
    #[inline]
    pub fn owns_scalars(&self, code: u8, count: u8) -> bool {
        code >= self.isa.sgprs() || u16::from(code) + u16::from(count) <= u16::from(self.sgpr_count)
    }

    /// Records a memory violation, which is sticky and does not itself end the run (checklist 1.9).
    pub fn note_violation(&mut self) {
        self.trapsts |= TRAPSTS_MEM_VIOL;
        self.violations += 1;
    }

    /// Attributes the first violation, if any, to the instruction at `pc`, unless it is already attributed.
    #[inline]
    pub(crate) fn blame(&mut self, pc: u64) {
        if self.violations != 0 {
            self.violated_at.get_or_insert(pc);
        }
    }
}

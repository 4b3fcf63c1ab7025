//! The state of a wave: registers, mode, counters.

use gcn_isa::{Isa, regs};

use crate::device::Apertures;
use crate::gds::Ticket;
use crate::lanes;
pub use crate::lanes::{LANES, Lanes, active};
use crate::late::Late;
use crate::registers::{Staged, VectorRegisters};
use crate::scoreboard::Scoreboard;

/// Scalar registers by number: SGPRs, VCC, M0 and EXEC among them, as an instruction's field names them.
pub(crate) const SCALARS: usize = 128;

/// Numbers of the scalar sources that are neither registers nor constants.
const SHARED_BASE: u8 = 235;
const SHARED_LIMIT: u8 = 236;
const PRIVATE_BASE: u8 = 237;
const PRIVATE_LIMIT: u8 = 238;
const VCCZ: u8 = 251;
const EXECZ: u8 = 252;
const SCC: u8 = 253;

/// State of a wave: running, or what it waits for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Waiting {
    /// The wave is running.
    No,
    /// At S_BARRIER, until all waves of its workgroup are.
    Barrier,
    /// At a global wave synchronisation resource (checklist 2.30).
    Gws,
    /// The wave sleeps (S_SLEEP), until the others have had their turn.
    Asleep,
    /// The wave has ended.
    Ended,
}

impl Waiting {
    /// All states, in the order of their numbers.
    pub(crate) const ALL: [Waiting; 5] = [
        Waiting::No,
        Waiting::Barrier,
        Waiting::Gws,
        Waiting::Asleep,
        Waiting::Ended,
    ];
}

/// A position in the dispatch, for messages and observers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct WaveId {
    /// Workgroup in x, y, z.
    pub group: [u32; 3],
    /// Number of the wave within its workgroup.
    pub wave: u32,
}

impl WaveId {
    /// Orders waves as they begin: workgroups with x fastest, then the waves of a workgroup.
    pub fn rank(&self) -> impl Ord + use<> {
        let [x, y, z] = self.group;
        (z, y, x, self.wave)
    }
}

/// A wave: 64 lanes that execute together.
#[derive(Clone, Debug)]
pub struct Wave {
    /// Identity of the wave.
    pub id: WaveId,
    /// Instruction set.
    pub isa: Isa,
    /// Address of the next instruction, in bytes.
    pub pc: u64,
    scalars: [u32; SCALARS],
    /// Vector registers allocated to the wave.
    pub vgprs: VectorRegisters,
    /// SGPRs allocated to the wave.
    pub sgpr_count: u8,
    /// Scalar condition code.
    pub scc: bool,
    /// MODE: rounding 3:0, denormals 7:4, DX10 clamp 8, IEEE 9, and the rest as the manual has it.
    pub mode: u32,
    /// TRAPSTS; bit 8 is the sticky memory violation (checklist 1.9).
    pub trapsts: u32,
    /// Violations that did not end the run, one for each element or lane.
    pub violations: u64,
    /// Address of the instruction that did the first of them, where the run knows it.
    pub violated_at: Option<u64>,
    /// Ticket of a wave that waits at a global wave synchronisation resource.
    pub gws_ticket: Option<Ticket>,
    /// Outstanding operations.
    pub scoreboard: Scoreboard,
    /// Operations that have not taken effect yet, if they do so as late as they may.
    pub(crate) late: Option<Box<Late>>,
    /// The reason for which it is not running.
    pub waiting: Waiting,
    /// Instructions executed.
    pub executed: u64,
    /// Dword index in the code of the last taken branch. It is kept here for the run to have its
    /// registers for what it needs more often.
    pub(crate) branch: Option<usize>,
    /// Address of the wave's scratch, and bytes for each lane.
    pub scratch: Scratch,
    /// Bytes of LDS that its workgroup has, and waves.
    pub group: GroupShape,
    /// Priority set by S_SETPRIO.
    pub priority: u8,
    /// Value of LDS_DIRECT in the current instruction.
    pub lds_direct: u32,
    /// The windows of FLAT addresses, as the aperture registers of GCN 1.4 show them.
    pub apertures: Apertures,
    /// Addresses of its recent loads.
    pub(crate) strides: Strides,
    pub(crate) staging: Box<Staging>,
}

/// State that a wave continues from, to compare with a later one.
pub(crate) struct Snapshot {
    pc: u64,
    scalars: Scalars,
    vgprs: Box<[Lanes]>,
    scc: bool,
}

impl Wave {
    /// Program counter and registers.
    pub(crate) fn snapshot(&self) -> Snapshot {
        Snapshot {
            pc: self.pc,
            scalars: self.scalars,
            vgprs: self.vgprs.to_vec().into(),
            scc: self.scc,
        }
    }

    /// True if all registers hold the same as the last time that it was there; nothing if it is elsewhere.
    pub(crate) fn repeats(&self, there: &Snapshot) -> Option<bool> {
        (self.pc == there.pc).then(|| {
            self.scc == there.scc && self.scalars == there.scalars && *self.vgprs == *there.vgprs
        })
    }
}

/// Strides of a few loads between two executions, to prefetch what they load next. The host's own prefetcher uses the
/// addresses of its instructions, which are the same for all loads.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Strides([Visit; Strides::LOADS]);

/// Address of a load, and its distance from the previous one.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Visit {
    pub(crate) address: u64,
    pub(crate) stride: u64,
}

impl Strides {
    /// Number of loads that have entries of their own.
    const LOADS: usize = 16;
    /// Executions of a load between the fetch of its row and its use.
    pub(crate) const AHEAD: u64 = 2;

    /// Number of the entry of a load.
    #[inline]
    pub(crate) fn entry(load: u8) -> u8 {
        load % Strides::LOADS as u8
    }

    /// The entries, for host code.
    pub(crate) fn entries(&mut self) -> *mut Visit {
        self.0.as_mut_ptr()
    }

    /// Load number `load` is at an address: how far on it will be the next time if it was so far twice.
    #[inline]
    pub(crate) fn next(&mut self, load: u8, address: u64) -> Option<u64> {
        let visit = &mut self.0[usize::from(Strides::entry(load))];
        let stride = address.wrapping_sub(visit.address);
        let is_steady = stride == visit.stride && stride != 0;
        *visit = Visit { address, stride };
        is_steady.then_some(stride)
    }
}

/// Vector registers that a wave has at least, so that any of one or two dwords is there. Hardware allocates at least four.
pub(crate) const LEAST_VGPRS: usize = 2;
/// Scalar registers as [`Wave`] has them.
pub(crate) type Scalars = [u32; SCALARS];

/// Registers of no program, for results of a vector instruction while it is executed. Low dwords, then high ones.
#[derive(Clone, Debug)]
pub(crate) struct Staging {
    /// Previous contents of the result's registers.
    pub(crate) old: [Lanes; 2],
    /// Results, where they are not yet what is written, or not for all lanes.
    pub(crate) results: [Lanes; 2],
}

/// A wave's view of its workgroup.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct GroupShape {
    /// Bytes of LDS that are allocated.
    pub lds_bytes: u32,
    /// Waves.
    pub waves: u32,
}

/// A wave's scratch: dwords interleaved by lane (errata E087).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Scratch {
    /// Address of the wave's first byte in global memory.
    pub base: u64,
    /// The hidden base of private memory, which FLAT_SCRATCH_HI counts from on GCN 1.1 and 1.2 (errata E088): the
    /// scratch of the thread that runs the wave.
    pub region: u64,
    /// Bytes that each lane has; offsets beyond are out of range (checklist 3.25).
    pub bytes_per_lane: u32,
}

/// TRAPSTS: a memory violation happened.
pub const TRAPSTS_MEM_VIOL: u32 = 1 << 8;

impl Wave {
    /// A wave at `pc` with `vgprs` vector registers, two at least, all lanes inactive and everything zero.
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

    /// Operands of a vector instruction, and the rows for its sources that are in no vector register.
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

    /// The scalar registers.
    #[inline(always)]
    pub(crate) fn scalars(&self) -> &Scalars {
        &self.scalars
    }

    /// Makes the wave begin anew at `pc`, keeping its allocations and its name.
    pub fn restart(&mut self, pc: u64) {
        self.pc = pc;
        self.scalars = [0; SCALARS];
        lanes::clear(&mut self.vgprs);
        self.scc = false;
        self.mode = 0;
        self.trapsts = 0;
        self.violations = 0;
        self.violated_at = None;
        self.gws_ticket = None;
        self.scoreboard.clear();
        self.late = None;
        self.waiting = Waiting::No;
        self.priority = 0;
        self.executed = 0;
        self.branch = None;
    }

    /// A vector register; one beyond the allocation reads v0 (checklist 1.6).
    #[inline]
    pub fn vgpr(&self, register: u8) -> &Lanes {
        self.vgprs
            .get(usize::from(register))
            .unwrap_or(&self.vgprs[0])
    }

    /// A vector register to write. Instructions that would write one beyond the allocation are cancelled before.
    #[inline]
    pub fn vgpr_mut(&mut self, register: u8) -> &mut Lanes {
        let register = usize::from(register).min(self.vgprs.len() - 1);
        &mut self.vgprs[register]
    }

    /// A scalar source that is neither register nor constant, by its number: the apertures of GCN 1.4 (errata
    /// E088), VCCZ, EXECZ, SCC and LDS_DIRECT. As a 32-bit source an aperture gives its low half.
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

    /// EXEC: a bit per lane.
    #[inline]
    pub fn exec(&self) -> u64 {
        self.resolved64(regs::EXEC_LO)
    }

    /// Sets EXEC.
    #[inline]
    pub fn set_exec(&mut self, mask: u64) {
        self.set_scalar64(regs::EXEC_LO, mask);
    }

    /// VCC: a bit per lane.
    #[inline]
    pub fn vcc(&self) -> u64 {
        self.resolved64(regs::VCC_LO)
    }

    /// Sets VCC.
    #[inline]
    pub fn set_vcc(&mut self, mask: u64) {
        self.set_scalar64(regs::VCC_LO, mask);
    }

    /// M0.
    #[inline]
    pub fn m0(&self) -> u32 {
        self.scalars[usize::from(regs::M0)]
    }

    /// Scalar register number `code`, 0..=127. An SGPR beyond the wave's allocation reads s0 (checklist 1.7).
    #[inline]
    pub fn scalar(&self, code: u8) -> u32 {
        let code = if code >= self.sgpr_count && code < self.isa.sgprs() {
            0
        } else {
            code
        };
        self.scalars[usize::from(code) % SCALARS]
    }

    /// Scalar register number `code`, 0..=127, of an operand that has been resolved: it is not beyond the allocation.
    #[inline(always)]
    pub fn resolved(&self, code: u8) -> u32 {
        self.scalars[usize::from(code) % SCALARS]
    }

    /// [`Wave::resolved`] of `code` and the one after it.
    #[inline(always)]
    pub(crate) fn resolved64(&self, code: u8) -> u64 {
        u64::from(self.resolved(code)) | u64::from(self.resolved(code + 1)) << 32
    }

    /// Scalar registers `code` and the one after it.
    #[inline]
    pub fn scalar64(&self, code: u8) -> u64 {
        u64::from(self.scalar(code)) | u64::from(self.scalar(code + 1)) << 32
    }

    /// Scalar registers from `code` on.
    #[inline]
    pub fn scalars_from<const COUNT: usize>(&self, code: u8) -> [u32; COUNT] {
        let own = self.scalars.get(..self.sgpr_count.into());
        let own = own.and_then(|own| own.get(usize::from(code)..)?.first_chunk());
        own.copied()
            .unwrap_or_else(|| std::array::from_fn(|n| self.scalar(code.wrapping_add(n as u8))))
    }

    /// Sets scalar register number `code`, 0..=127.
    #[inline]
    pub fn set_scalar(&mut self, code: u8, value: u32) {
        self.scalars[usize::from(code) % SCALARS] = value;
    }

    /// Sets scalar register `code` and the one after it.
    #[inline]
    pub fn set_scalar64(&mut self, code: u8, value: u64) {
        self.set_scalar(code, value as u32);
        self.set_scalar(code + 1, (value >> 32) as u32);
    }

    /// True if `count` scalar registers from `code` on are the wave's to write (checklist 1.7).
    #[inline]
    pub fn owns_scalars(&self, code: u8, count: u8) -> bool {
        code >= self.isa.sgprs() || u16::from(code) + u16::from(count) <= u16::from(self.sgpr_count)
    }

    /// Notes a memory violation: sticky, and never the end of the run by itself (checklist 1.9).
    pub fn note_violation(&mut self) {
        self.trapsts |= TRAPSTS_MEM_VIOL;
        self.violations += 1;
    }

    /// Says that the instruction at `pc` has done the violations that no instruction is known for yet, if there are any.
    #[inline]
    pub(crate) fn blame(&mut self, pc: u64) {
        if self.violations != 0 {
            self.violated_at.get_or_insert(pc);
        }
    }
}

//! Initial registers of a wave.

use gcn_isa::regs;

use crate::device::Config;
use crate::dispatch::{Dispatch, Initial, InitialSgpr, local_id};
use crate::lanes::{LANES, Lanes};
use crate::late::Late;
use crate::noise::Noise;
use crate::wave::{GroupShape, SCALARS, Scalars, Scratch, Wave, WaveId};

/// Sets a wave's position with scalar stores. Inlined, it would copy the coordinates with a vector load, which stalls
/// while the scalar stores that wrote them are in the host's store queue. A streaming kernel would take a third longer.
#[inline(never)]
fn identify(id: &mut WaveId, x: u32, y: u32, z: u32, wave: u32) {
    id.group = [x, y, z];
    id.wave = wave;
}

/// Data for starting the waves of a workgroup.
pub(super) struct GroupStart<'a> {
    pub(super) dispatch: &'a Dispatch,
    pub(super) config: &'a Config,
    pub(super) template: &'a Template<'a>,
    /// Work-item IDs of the workgroup's waves; empty if the workgroup is partial.
    pub(super) ids: &'a [[Lanes; DIMENSIONS]],
    /// Address of the thread's scratch.
    pub(super) scratch: u64,
    /// Offset of the first wave's scratch from `scratch`.
    pub(super) scratch_offset: u64,
    /// Scratch bytes per wave.
    pub(super) scratch_bytes: u64,
    pub(super) id: [u32; 3],
    /// Size in work-items.
    pub(super) size: [u32; DIMENSIONS],
    /// Total number of work-items.
    pub(super) items: usize,
    pub(super) shape: GroupShape,
    /// VGPRs to clear in waves whose lanes are all active; all if `None`.
    pub(super) cleared: Option<&'a [u8]>,
}

impl GroupStart<'_> {
    /// Starts the workgroup's wave `number`: sets its position and all its registers.
    #[inline]
    pub(super) fn prepare(&self, wave: &mut Wave, number: usize) {
        let dispatch = self.dispatch;
        let [x, y, z] = self.id;
        identify(&mut wave.id, x, y, z, number as u32);
        wave.group = self.shape;
        let scratch_offset = self.scratch_offset + number as u64 * self.scratch_bytes;
        wave.scratch = Scratch {
            base: self.scratch + scratch_offset,
            region: self.scratch,
            bytes_per_lane: dispatch.scratch_bytes_per_lane,
        };
        let first_item = number * LANES;
        let part;
        let ids = match self.ids.get(number) {
            Some(ids) => ids,
            None => {
                part = work_item_ids(self.size, first_item);
                &part
            }
        };
        let lanes = self.items - first_item;
        self.template
            .initialise(wave, self, ids, lanes, scratch_offset);
    }
}

/// Registers that the hardware sets before a wave's first instruction.
pub(super) struct Template<'a> {
    initial: &'a Initial,
    /// Scalar registers; 0 for registers that differ between waves.
    scalars: Scalars,
    /// Number of scalar registers that the hardware sets, starting at s0.
    given: usize,
    /// Scalar registers for the workgroup's coordinates. A coordinate that the kernel does not request goes to EXEC_LO,
    /// which is set later.
    group: [u8; DIMENSIONS],
    /// Other scalar registers that differ between waves.
    others: Vec<(u8, InitialSgpr)>,
}

impl<'a> Template<'a> {
    pub(super) fn new(initial: &'a Initial) -> Template<'a> {
        let mut template = Template {
            initial,
            scalars: [0; SCALARS],
            given: initial.sgprs.len().min(SCALARS),
            group: [regs::EXEC_LO; DIMENSIONS],
            others: Vec::new(),
        };
        for (number, sgpr) in (0..).zip(initial.sgprs.iter().take(SCALARS)) {
            match *sgpr {
                InitialSgpr::Value(value) => template.scalars[usize::from(number)] = value,
                InitialSgpr::GroupId(dimension) => {
                    let register = &mut template.group[usize::from(dimension) % DIMENSIONS];
                    if *register == regs::EXEC_LO {
                        *register = number;
                    } else {
                        template.others.push((number, *sgpr));
                    }
                }
                other => template.others.push((number, other)),
            }
        }
        template
    }

    /// Restarts a wave and sets its registers. Its first `lanes` lanes are active and have the given work-item IDs. Its
    /// scratch is at `scratch_offset` from the start of the thread's scratch.
    fn initialise(
        &self,
        wave: &mut Wave,
        start: &GroupStart<'_>,
        ids: &[Lanes; DIMENSIONS],
        lanes: usize,
        scratch_offset: u64,
    ) {
        let dimensions = usize::from(self.initial.work_item_ids).min(DIMENSIONS);
        let ids = &ids[..dimensions];
        let cleared = start.cleared.filter(|_| lanes >= LANES);
        wave.restart_with(start.dispatch.entry, &self.scalars, ids, cleared);
        wave.mode = self.initial.mode;
        let config = start.config;
        if config.register_fill.is_some() || config.late.is_some() {
            vary(wave, config);
            wave.with_registers(|vgprs, scalars| {
                scalars[..self.given].copy_from_slice(&self.scalars[..self.given]);
                for (register, ids) in vgprs.iter_mut().zip(ids) {
                    *register = *ids;
                }
            });
        }
        for (register, id) in self.group.into_iter().zip(wave.id.group) {
            wave.set_scalar(register, id);
        }
        wave.set_exec(if lanes >= LANES {
            u64::MAX
        } else {
            (1 << lanes) - 1
        });
        let scratch = wave.scratch.region;
        for (number, sgpr) in &self.others {
            let value = match *sgpr {
                InitialSgpr::Value(value) => value,
                InitialSgpr::GroupId(dimension) => wave.id.group[usize::from(dimension) % 3],
                InitialSgpr::GroupInfo => u32::from(wave.id.wave == 0) << 31 | wave.group.waves,
                InitialSgpr::ScratchBase(0) | InitialSgpr::FlatScratchLow => scratch as u32,
                InitialSgpr::ScratchBase(_) => (scratch >> 32) as u32 | SCRATCH_SWIZZLE,
                InitialSgpr::FlatScratchHigh => (scratch >> 32) as u32,
                InitialSgpr::ScratchWaveOffset => scratch_offset as u32,
            };
            wave.set_scalar(*number, value);
        }
    }
}

/// Applies the device's randomization to a wave: noise in its registers and late operations.
#[cold]
fn vary(wave: &mut Wave, config: &Config) {
    let id = wave.id;
    if let Some(seed) = config.register_fill {
        fill(wave, noise_of(seed, id));
    }
    wave.late = config
        .late
        .map(|seed| Box::new(Late::new(noise_of(seed, id))));
}

/// Noise generator of a wave.
fn noise_of(seed: u64, id: WaveId) -> Noise {
    let group = id.group.into_iter();
    let noise = group.fold(Noise::new(seed), |noise, it| noise.of(it.into()));
    noise.of(id.wave.into())
}

/// Fills the registers that a wave may use with noise: vector and scalar registers, VCC and M0.
fn fill(wave: &mut Wave, mut noise: Noise) {
    for register in &mut wave.vgprs {
        register.0.fill_with(|| noise.next() as u32);
    }
    let others = [regs::VCC_LO, regs::VCC_LO + 1, regs::M0];
    for register in (0..wave.sgpr_count).chain(others) {
        wave.set_scalar(register, noise.next() as u32);
    }
}

/// Number of grid dimensions.
pub(super) const DIMENSIONS: usize = 3;

/// IDs of 64 work-items of a workgroup of size `size`, starting at work-item number `first`, in each dimension.
pub(super) fn work_item_ids(size: [u32; DIMENSIONS], first: usize) -> [Lanes; DIMENSIONS] {
    let mut ids = [Lanes::ZERO; DIMENSIONS];
    for lane in 0..LANES {
        let id = local_id(size, (first + lane) as u32);
        for (ids, id) in ids.iter_mut().zip(id) {
            ids.0[lane] = id;
        }
    }
    ids
}

/// SWIZZLE_ENABLE bit in dword 1 of a buffer descriptor.
const SCRATCH_SWIZZLE: u32 = 1 << 31;

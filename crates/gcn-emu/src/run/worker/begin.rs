//! Beginning of workgroups and waves.

use super::super::shared::Shared;
use super::super::steps::run_new_waves;
use super::{Worker, account};
use crate::device::LdsFill;
use crate::fault::Fault;
use crate::lanes::LANES;
use crate::lds::Lds;
use crate::observe::{Context, Events};
use crate::wave::{Waiting, Wave, WaveId};
use crate::workgroup::RunningGroup;

impl Worker<'_> {
    /// Begins workgroup `id`. Its waves begin with their first turns.
    pub(super) fn start(&mut self, id: [u32; 3]) {
        let Shared {
            device,
            code,
            dispatch,
            ..
        } = *self.shared;
        let mut group = self.spare.pop().unwrap_or_else(|| {
            Box::new(RunningGroup {
                id,
                size: dispatch.group,
                count: 0,
                waves: Vec::new(),
                lds: Lds::new(code.isa(), dispatch.lds_bytes),
                slot: 0,
            })
        });
        group.id = id;
        group.slot = if dispatch.scratch_bytes_per_wave() == 0 {
            0
        } else {
            (0..self.shared.slots)
                .find(|slot| self.resident.iter().all(|g| g.slot != *slot))
                .unwrap_or(0)
        };
        match device.config.lds_fill {
            LdsFill::Zero => group.lds.clear(),
            LdsFill::Random(seed) => group.lds.randomise(
                seed ^ (u64::from(id[0]) << 40) ^ (u64::from(id[1]) << 20) ^ u64::from(id[2]),
            ),
        }
        group.size = dispatch.shape().group_size(id);
        group.count = group.items().div_ceil(LANES);
        group.waves.clear();
        self.stats.waves += group.count as u64;
        self.rounds = 0;
        self.resident.push(group);
    }

    /// Takes an unused wave and restarts it.
    fn take_wave(&mut self) -> Box<Wave> {
        let Shared {
            device,
            code,
            dispatch,
            ..
        } = *self.shared;
        if let Some(mut wave) = self.spare_waves.pop() {
            wave.restart(dispatch.entry);
            return wave;
        }
        let id = WaveId::default();
        let mut wave = Wave::new(code.isa(), id, dispatch.entry, code.vgprs(), code.sgprs());
        wave.apertures = device.config.apertures;
        Box::new(wave)
    }

    /// Begins the next wave of a workgroup.
    pub(super) fn begin(&mut self, index: usize) {
        let mut wave = self.take_wave();
        let group = &mut self.resident[index];
        let start = self
            .shared
            .starting(group, &self.template, &self.ids, self.scratch);
        start.prepare(&mut wave, group.waves.len());
        if self.watch.wants.any(Events::WAVE) {
            let context = Context {
                dispatched: &self.shared.dispatched(),
                pc: wave.pc,
                wave: &wave,
                lds: &group.lds,
            };
            self.watch.each(Events::WAVE, |it| it.wave_begins(&context));
        }
        group.waves.push(Some(wave));
    }

    /// Gives every wave of a workgroup its first turn, if none has begun, nobody observes them, and the kernel's first
    /// block has host code. Returns the number of waves.
    pub(super) fn run_new_waves(&mut self, index: usize) -> Result<usize, Box<Fault>> {
        let Shared {
            device,
            code,
            dispatch,
            ..
        } = *self.shared;
        let is_free = self.watch.wants == Events::NONE
            && self.control.is_none()
            && device.config.late.is_none()
            && device.host_calls.is_none();
        let count = self.resident[index].count;
        let (Some(policy), Some(quantum), true) = (
            self.policy,
            self.schedule.quantum_in_order(),
            is_free && self.resident[index].waves.is_empty(),
        ) else {
            return Ok(0);
        };
        let entry = code
            .index(dispatch.entry)
            .and_then(|index| code.entry(index));
        let block = entry
            .filter(|entry| entry.from == 0)
            .map(|entry| entry.block);
        let Some((block, native)) =
            block.and_then(|block| Some((block, block.native(policy.variant)?)))
        else {
            return Ok(0);
        };
        let native = (native, block.steps().len() as u64);
        while self.resident[index].waves.len() < count {
            let mut wave = self.take_wave();
            let group = &mut *self.resident[index];
            let start = self
                .shared
                .starting(group, &self.template, &self.ids, self.scratch);
            let RunningGroup { waves, lds, .. } = group;
            let (stats, violation) = (&mut self.stats, &mut self.violation);
            let mut is_first = true;
            let outcome = run_new_waves(
                &self.shared.dispatched(),
                policy,
                native,
                (&mut wave, lds, &mut self.transfer),
                quantum,
                |wave| {
                    let number = waves.len();
                    if number == count {
                        return false;
                    }
                    if !std::mem::take(&mut is_first) {
                        wave.restart(dispatch.entry);
                    }
                    start.prepare(wave, number);
                    waves.push(None);
                    true
                },
                |wave| account(stats, violation, wave, [0; 2]),
            );
            let Some(result) = outcome else {
                self.spare_waves.push(wave);
                break;
            };
            let number = waves.len() - 1;
            let executed = wave.executed;
            waves[number] = Some(wave);
            self.settle(index, number, [0; 2], result)?;
            let wave = self.resident[index].waves[number].as_ref();
            if wave.is_some_and(|wave| wave.waiting == Waiting::No) && executed < quantum {
                self.run_freely(index, number, quantum - executed)?;
            }
        }
        Ok(count)
    }
}

//! Beginning of workgroups and waves.

use super::super::shared::Shared;
use super::Worker;
use crate::device::LdsFill;
use crate::lanes::LANES;
use crate::noise::Noise;
use crate::observe::{Context, Events};
use crate::wave::{Wave, WaveId};

impl Worker<'_> {
    /// Begins workgroup `id`. Its waves begin with their first turns.
    pub(super) fn start(&mut self, id: [u32; 3]) {
        let Shared {
            device, dispatch, ..
        } = *self.shared;
        let mut group = self.storage.group();
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
            LdsFill::Random(seed) => {
                let noise = id.map(u64::from).into_iter();
                group.lds.randomise(noise.fold(Noise::new(seed), Noise::of));
            }
        }
        group.size = dispatch.shape().group_size(id);
        group.count = group.items().div_ceil(LANES);
        group.waves.clear();
        self.progress.stats.waves += group.count as u64;
        self.progress.rounds = 0;
        self.resident.push(group);
    }

    /// Begins the next wave of a workgroup.
    pub(super) fn begin(&mut self, index: usize) {
        let mut wave = take_wave(&mut self.storage.waves, self.shared);
        let group = &mut self.resident[index];
        let start = self
            .shared
            .starting(group, &self.template, &self.storage.ids, self.scratch);
        start.prepare(&mut wave, group.waves.len());
        if self.watch.wants.intersects(Events::WAVE) {
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
}

/// Takes an unused wave, or creates one. The caller starts it.
#[allow(clippy::vec_box)]
pub(super) fn take_wave(spare: &mut Vec<Box<Wave>>, shared: &Shared<'_>) -> Box<Wave> {
    let Shared {
        device,
        code,
        dispatch,
        ..
    } = *shared;
    if let Some(wave) = spare.pop() {
        return wave;
    }
    let id = WaveId::default();
    let mut wave = Wave::new(code.isa(), id, dispatch.entry, code.vgprs(), code.sgprs());
    wave.apertures = device.config.apertures;
    Box::new(wave)
}

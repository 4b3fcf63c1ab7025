//! Work-items and arguments of a finding's launch, in terms of the source language.

use gcn_object::{KernelMetadata, ObjectKernel, ValueKind};
use gcn_observe::finding::{FindingLaunch, FindingPlace};
use gcn_runtime::parameters::{Parameter, Takes, parameters};

use super::language::KernelLanguage;

/// Work-item IDs of a lane.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct WorkItem {
    pub(super) group: [u32; 3],
    pub(super) local: [u32; 3],
    /// Global ID; `None` if the kernel does not receive the global offset.
    pub(super) global: Option<[u64; 3]>,
}

/// Launch in which a finding occurred.
#[derive(Clone, Copy)]
pub(super) struct ReportLaunch<'a> {
    pub(super) launch: Option<&'a FindingLaunch>,
    pub(super) kernel: Option<&'a ObjectKernel>,
    pub(super) language: KernelLanguage,
}

impl ReportLaunch<'_> {
    fn metadata(&self) -> Option<&KernelMetadata> {
        self.kernel?.metadata.as_ref()
    }

    /// Returns OpenCL's global offset in x, y and z, if the kernel receives it. Other kernels cannot compute global IDs.
    fn global_offset(&self) -> Option<[u64; 3]> {
        let (launch, metadata) = (self.launch?, self.metadata()?);
        let offset = |kind: ValueKind| {
            let argument = metadata.args.iter().find(|it| it.value_kind == kind)?;
            launch.pointer(argument.offset)
        };
        Some([
            offset(ValueKind::HiddenGlobalOffsetX)?,
            offset(ValueKind::HiddenGlobalOffsetY)?,
            offset(ValueKind::HiddenGlobalOffsetZ)?,
        ])
    }

    /// Returns the work-item of the lane that executed an instruction.
    pub(super) fn work_item(&self, place: &FindingPlace) -> Option<WorkItem> {
        let (wave, lane) = (place.wave?, place.lane?);
        let shape = self.launch?.shape;
        let local = shape.local_id(wave, lane.into());
        let global = self.global_offset().map(|offset| {
            std::array::from_fn(|d| {
                let begin = u64::from(wave.group[d]) * u64::from(shape.group[d]);
                offset[d].wrapping_add(begin + u64::from(local[d]))
            })
        });
        Some(WorkItem {
            group: wave.group,
            local,
            global,
        })
    }

    /// Returns the arguments whose pointers satisfy `holds`: their names in the metadata or in `names`, or else their
    /// indices.
    pub(super) fn arguments(
        &self,
        holds: impl Fn(u64) -> bool,
        names: impl FnOnce(&ObjectKernel) -> Vec<Option<String>>,
    ) -> Vec<String> {
        let Some((launch, kernel)) = self.launch.zip(self.kernel) else {
            return Vec::new();
        };
        let parameters = parameters(kernel).unwrap_or_default();
        let count = parameters.len();
        let buffers = parameters
            .into_iter()
            .filter(|it| it.takes == Takes::Buffer);
        let pointing = buffers.filter(|it| launch.pointer(it.offset).is_some_and(&holds));
        let pointing: Vec<Parameter<'_>> = pointing.collect();
        let has_names = pointing.iter().all(|it| it.name.is_some());
        let names = if has_names { Vec::new() } else { names(kernel) };
        // Use the names only if there is one per parameter; otherwise, they may not correspond.
        let name = |it: &Parameter<'_>| names.get(it.index).cloned().flatten();
        let name = |it: &Parameter<'_>| name(it).filter(|_| names.len() == count);
        let label = |it: &Parameter<'_>| match it.name {
            Some(_) => it.label(),
            None => name(it).unwrap_or_else(|| it.label()),
        };
        pointing.iter().map(label).collect()
    }
}

impl WorkItem {
    /// Describes the work-item in terms of the language, after a comma. Returns empty text for assembly.
    pub(super) fn text(&self, language: KernelLanguage) -> String {
        let [x, y, z] = self.local;
        match (language, self.global) {
            (KernelLanguage::Assembly, _) => String::new(),
            (KernelLanguage::OpenCl, Some([gx, gy, gz])) => {
                format!(", global id {gx},{gy},{gz}, local id {x},{y},{z}")
            }
            (KernelLanguage::OpenCl, None) => format!(", local id {x},{y},{z}"),
            (KernelLanguage::Hip, _) => {
                let [bx, by, bz] = self.group;
                format!(", blockIdx {bx},{by},{bz}, threadIdx {x},{y},{z}")
            }
        }
    }
}

//! The argument segment: explicit arguments as given, hidden ones as the metadata or the object's version place them.

use std::ops::Range;

use gcn_emu::device::Device;
use gcn_emu::memory::{AllocError, Memory};
use gcn_object::{Access, MAX_KERNARG_BYTES, ValueKind, Version};

use crate::abi::owned::Owned;

use super::start::{Arguments, KernelStart, LaunchShape, PlacedBytes};

/// Bytes of a line, of which the argument segment has whole ones: compilers load aligned groups of dwords that begin in it and
/// end behind it.
const KERNARG_LINE: u64 = 64;
/// Alignment of the hidden arguments behind the others.
const HIDDEN_ALIGN: u64 = 8;

/// Addresses that hidden arguments may hold.
pub(super) struct Services {
    pub(super) queue: u64,
    /// Null if nothing is printed.
    pub(super) printf: u64,
    /// Null if the host is not called.
    pub(super) hostcall: u64,
    /// Null if nothing is allocated.
    pub(super) heap: u64,
}

impl KernelStart<'_> {
    /// True if the kernel has such a hidden argument.
    pub(super) fn asks_for(&self, wanted: &ValueKind) -> bool {
        self.hidden().iter().any(|(.., kind)| kind == wanted)
    }

    /// The hidden arguments with their places: as the metadata have them; without metadata where the object's
    /// version puts them behind the others.
    pub(super) fn hidden(&self) -> Vec<(u64, u64, ValueKind)> {
        if let Some(metadata) = self.kernel.metadata.as_ref().filter(|m| !m.args.is_empty()) {
            let hidden = metadata.args.iter().filter(|a| a.value_kind.is_hidden());
            let mut hidden: Vec<_> = hidden
                .map(|a| (a.offset, a.size, a.value_kind.clone()))
                .collect();
            hidden.extend(self.mute_printf_argument(&hidden));
            return hidden;
        }
        if let Arguments::At(_) | Arguments::Packet(_) = self.arguments {
            // Only the caller knows where the explicit arguments end.
            return Vec::new();
        }
        let begin = self.explicit_end().next_multiple_of(HIDDEN_ALIGN);
        self.hidden_layout()
            .iter()
            .map(|(offset, size, kind)| (begin + offset, *size, kind.clone()))
            .collect()
    }

    /// Hidden arguments where no metadata place them: offset from the first, size, what.
    fn hidden_layout(&self) -> &'static [(u64, u64, ValueKind)] {
        if self.object.version >= Version::V5 {
            HIDDEN_V5
        } else {
            HIDDEN_V2
        }
    }

    /// The place where the device library's printf looks, in the hidden arguments that there are.
    fn mute_printf_argument(
        &self,
        hidden: &[(u64, u64, ValueKind)],
    ) -> Option<(u64, u64, ValueKind)> {
        let is_buffer =
            |(.., kind): &&(u64, u64, ValueKind)| *kind == ValueKind::HiddenPrintfBuffer;
        if !self.loaded.has_mute_printf || hidden.iter().any(|argument| is_buffer(&argument)) {
            return None;
        }
        let begin = hidden.iter().map(|(offset, ..)| *offset).min()?;
        let (offset, size, kind) = self.hidden_layout().iter().find(is_buffer)?;
        Some((begin.saturating_add(*offset), *size, kind.clone()))
    }

    pub(super) fn explicit_end(&self) -> u64 {
        let end = |a: &PlacedBytes| a.offset.saturating_add(a.bytes.len() as u64);
        let end = match self.arguments {
            Arguments::Placed(placed) => placed.iter().map(end).max().unwrap_or(0),
            Arguments::At(_) | Arguments::Packet(_) => 0,
        };
        end.min(MAX_KERNARG_BYTES + 1)
    }

    /// Bytes of the argument segment.
    pub(super) fn segment_bytes(&self) -> u64 {
        let metadata = self
            .kernel
            .metadata
            .as_ref()
            .map_or(0, |m| m.kernarg_segment_size);
        let hidden = self.hidden();
        let hidden_end = hidden
            .iter()
            .map(|(offset, size, _)| offset.saturating_add(*size))
            .max();
        u64::from(self.kernel.descriptor.kernarg_size)
            .max(metadata)
            .max(self.explicit_end())
            .max(hidden_end.unwrap_or(0))
    }

    /// The value of a hidden argument. Services of a host that do not exist (device queues, grids of several devices) have
    /// null for their addresses.
    fn hidden_value(&self, kind: &ValueKind, device: &Device, services: &Services) -> u64 {
        let LaunchShape {
            grid,
            group,
            dynamic_lds,
            offset,
            ..
        } = self.shape;
        let count = |d: usize| u64::from(grid[d] / group[d].max(1));
        let remainder = |d: usize| u64::from(grid[d] % group[d].max(1));
        match kind {
            ValueKind::HiddenBlockCountX => count(0),
            ValueKind::HiddenBlockCountY => count(1),
            ValueKind::HiddenBlockCountZ => count(2),
            ValueKind::HiddenGroupSizeX => u64::from(group[0]),
            ValueKind::HiddenGroupSizeY => u64::from(group[1]),
            ValueKind::HiddenGroupSizeZ => u64::from(group[2]),
            ValueKind::HiddenRemainderX => remainder(0),
            ValueKind::HiddenRemainderY => remainder(1),
            ValueKind::HiddenRemainderZ => remainder(2),
            ValueKind::HiddenGlobalOffsetX => offset[0],
            ValueKind::HiddenGlobalOffsetY => offset[1],
            ValueKind::HiddenGlobalOffsetZ => offset[2],
            ValueKind::HiddenGridDims => u64::from(self.dimensions()),
            ValueKind::HiddenDynamicLdsSize => u64::from(dynamic_lds),
            ValueKind::HiddenPrivateBase => u64::from(device.config.apertures.private),
            ValueKind::HiddenSharedBase => u64::from(device.config.apertures.shared),
            ValueKind::HiddenQueuePtr => services.queue,
            ValueKind::HiddenPrintfBuffer => services.printf,
            ValueKind::HiddenHostcallBuffer => services.hostcall,
            ValueKind::HiddenHeapV1 => services.heap,
            _ => 0,
        }
    }

    pub(super) fn argument_segment(
        &self,
        placed: &[PlacedBytes],
        device: &Device,
        owned: &mut Owned,
        services: &Services,
    ) -> Result<u64, AllocError> {
        let bytes = self.segment_bytes().next_multiple_of(KERNARG_LINE);
        let address = owned.allocate("the argument segment", bytes)?;
        for argument in placed {
            device
                .memory
                .write(address + argument.offset, &argument.bytes);
        }
        let is_answered = |kind: &ValueKind| {
            self.answers_host_calls
                || !matches!(
                    kind,
                    ValueKind::HiddenHostcallBuffer | ValueKind::HiddenHeapV1
                )
        };
        let written = self
            .hidden()
            .into_iter()
            .filter(|(.., kind)| is_answered(kind));
        for (offset, size, kind) in written {
            let value = self.hidden_value(&kind, device, services).to_le_bytes();
            let size = usize::try_from(size)
                .unwrap_or(value.len())
                .min(value.len());
            device.memory.write(address + offset, &value[..size]);
        }
        Ok(address)
    }

    /// Allocations to which arguments of the segment point that, all of them, are declared only to be read.
    pub(crate) fn read_only(&self, memory: &Memory, arguments: u64) -> Vec<Range<u64>> {
        let metadata = self.kernel.metadata.as_ref();
        let declared = metadata.map_or(&[][..], |metadata| &metadata.args);
        let pointers = declared
            .iter()
            .filter(|it| it.value_kind == ValueKind::GlobalBuffer)
            .filter_map(|it| {
                let address = memory.load_u64(arguments.checked_add(it.offset)?)?;
                let is_read = it.is_const || it.actual_access == Some(Access::ReadOnly);
                Some((address, is_read))
            });
        let (read, written): (Vec<_>, Vec<_>) = pointers.partition(|(_, is_read)| *is_read);
        let allocation = |(address, _): &(u64, bool)| {
            let it = memory.nearest(*address)?;
            let range = it.base..it.base + it.len;
            (!it.is_freed && range.contains(address)).then_some(range)
        };
        let is_written = |range: &Range<u64>| written.iter().any(|(it, _)| range.contains(it));
        let ranges = read.iter().filter_map(allocation);
        ranges.filter(|range| !is_written(range)).collect()
    }
}

/// Hidden arguments of versions 2 to 4: offset, size, what.
const HIDDEN_V2: &[(u64, u64, ValueKind)] = &[
    (0, 8, ValueKind::HiddenGlobalOffsetX),
    (8, 8, ValueKind::HiddenGlobalOffsetY),
    (16, 8, ValueKind::HiddenGlobalOffsetZ),
    (24, 8, ValueKind::HiddenPrintfBuffer),
    (32, 8, ValueKind::HiddenDefaultQueue),
    (40, 8, ValueKind::HiddenCompletionAction),
    (48, 8, ValueKind::HiddenMultigridSyncArg),
];

/// Hidden arguments from version 5 on.
const HIDDEN_V5: &[(u64, u64, ValueKind)] = &[
    (0, 4, ValueKind::HiddenBlockCountX),
    (4, 4, ValueKind::HiddenBlockCountY),
    (8, 4, ValueKind::HiddenBlockCountZ),
    (12, 2, ValueKind::HiddenGroupSizeX),
    (14, 2, ValueKind::HiddenGroupSizeY),
    (16, 2, ValueKind::HiddenGroupSizeZ),
    (18, 2, ValueKind::HiddenRemainderX),
    (20, 2, ValueKind::HiddenRemainderY),
    (22, 2, ValueKind::HiddenRemainderZ),
    (40, 8, ValueKind::HiddenGlobalOffsetX),
    (48, 8, ValueKind::HiddenGlobalOffsetY),
    (56, 8, ValueKind::HiddenGlobalOffsetZ),
    (64, 2, ValueKind::HiddenGridDims),
    (72, 8, ValueKind::HiddenPrintfBuffer),
    (80, 8, ValueKind::HiddenHostcallBuffer),
    (88, 8, ValueKind::HiddenMultigridSyncArg),
    (96, 8, ValueKind::HiddenHeapV1),
    (104, 8, ValueKind::HiddenDefaultQueue),
    (112, 8, ValueKind::HiddenCompletionAction),
    (120, 4, ValueKind::HiddenDynamicLdsSize),
    (192, 4, ValueKind::HiddenPrivateBase),
    (196, 4, ValueKind::HiddenSharedBase),
    (200, 8, ValueKind::HiddenQueuePtr),
    (208, 48, ValueKind::HiddenNone),
];

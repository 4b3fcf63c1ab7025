//! Builds the argument segment: explicit arguments, and hidden ones as declared by metadata or the object version.

use std::ops::Range;

use gcn_emu::device::Device;
use gcn_emu::memory::{AllocError, Memory};
use gcn_object::{Access, MAX_KERNARG_BYTES, ValueKind, Version};

use crate::abi::owned::Owned;

use super::start::{Arguments, KernelStart, LaunchShape, PlacedBytes};

/// Granularity of the segment size in bytes. Compilers load aligned groups of dwords that may extend past the arguments.
const KERNARG_LINE: u64 = 64;
/// Alignment in bytes of the hidden arguments, which follow the explicit ones.
const HIDDEN_ALIGN: u64 = 8;

/// Hidden argument: offset in the segment, size in bytes, and kind.
type Hidden<'a> = (u64, u64, &'a ValueKind);

/// Addresses to pass in hidden arguments.
pub(super) struct Services {
    pub(super) queue: u64,
    /// Address of the printf buffer; null without one.
    pub(super) printf: u64,
    /// Address of the host call buffer; null without host calls.
    pub(super) hostcall: u64,
    /// Address of the heap structure; null without host calls.
    pub(super) heap: u64,
}

impl KernelStart<'_> {
    /// True if the kernel has a hidden argument of this kind.
    pub(super) fn asks_for(&self, wanted: &ValueKind) -> bool {
        self.hidden().any(|(.., kind)| kind == wanted)
    }

    /// Returns the hidden arguments that the metadata declares, or else those in the layout of the object version.
    pub(super) fn hidden(&self) -> impl Iterator<Item = Hidden<'_>> {
        let metadata = self.kernel.metadata.as_ref();
        let declared = metadata.map_or(&[][..], |metadata| &metadata.args);
        let hidden = declared.iter().filter(|it| it.value_kind.is_hidden());
        let hidden = hidden.map(|it| (it.offset, it.size, &it.value_kind));
        // The end of the explicit arguments is unknown if the caller provides the segment.
        let is_placed = matches!(self.arguments, Arguments::Placed(_));
        let undeclared = if declared.is_empty() && is_placed {
            hidden_layout(self.object.version)
        } else {
            &[]
        };
        let begin = self.explicit_end().next_multiple_of(HIDDEN_ALIGN);
        let undeclared = undeclared
            .iter()
            .map(move |(offset, size, kind)| (begin + offset, *size, kind));
        let mute = self.mute_printf_argument(hidden.clone());
        hidden.chain(undeclared).chain(mute)
    }

    /// Returns the hidden argument for the buffer that the device library's printf stub expects, if the object contains the
    /// stub and does not declare the argument.
    fn mute_printf_argument<'a>(
        &self,
        hidden: impl Iterator<Item = Hidden<'a>> + Clone,
    ) -> Option<Hidden<'static>> {
        let is_buffer = |kind: &ValueKind| *kind == ValueKind::HiddenPrintfBuffer;
        if !self.loaded.has_mute_printf || hidden.clone().any(|(.., kind)| is_buffer(kind)) {
            return None;
        }
        let begin = hidden.map(|(offset, ..)| offset).min()?;
        let mut layout = hidden_layout(self.object.version).iter();
        let (offset, size, kind) = layout.find(|(.., kind)| is_buffer(kind))?;
        Some((begin.saturating_add(*offset), *size, kind))
    }

    pub(super) fn explicit_end(&self) -> u64 {
        let end = |a: &PlacedBytes| a.offset.saturating_add(a.bytes.len() as u64);
        let end = match self.arguments {
            Arguments::Placed(placed) => placed.iter().map(end).max().unwrap_or(0),
            Arguments::At(_) | Arguments::Packet(_) => 0,
        };
        end.min(MAX_KERNARG_BYTES + 1)
    }

    /// Returns the size of the argument segment in bytes.
    pub(super) fn segment_bytes(&self) -> u64 {
        let metadata = self
            .kernel
            .metadata
            .as_ref()
            .map_or(0, |m| m.kernarg_segment_size);
        let hidden_ends = self
            .hidden()
            .map(|(offset, size, _)| offset.saturating_add(size));
        u64::from(self.kernel.descriptor.kernarg_size)
            .max(metadata)
            .max(self.explicit_end())
            .max(hidden_ends.max().unwrap_or(0))
    }

    /// Returns the value of a hidden argument; zero for unsupported services (device queues, multi-device grids).
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
        let mut segment = vec![0; bytes as usize];
        let mut put = |offset: u64, bytes: &[u8]| {
            let to = segment
                .get_mut(offset as usize..)
                .and_then(|to| to.get_mut(..bytes.len()));
            debug_assert!(to.is_some(), "the segment has all arguments");
            to.into_iter().for_each(|to| to.copy_from_slice(bytes));
        };
        for argument in placed {
            put(argument.offset, &argument.bytes);
        }
        let is_answered = |kind: &ValueKind| {
            self.answers_host_calls
                || !matches!(
                    kind,
                    ValueKind::HiddenHostcallBuffer | ValueKind::HiddenHeapV1
                )
        };
        for (offset, size, kind) in self.hidden().filter(|(.., kind)| is_answered(kind)) {
            let value = self.hidden_value(kind, device, services).to_le_bytes();
            put(offset, &value[..value.len().min(size as usize)]);
        }
        owned.place("the argument segment", &segment)
    }

    /// Returns the allocations that are passed only in arguments declared read-only.
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

/// Returns the layout of hidden arguments: offset from the first one, size, and kind.
fn hidden_layout(version: Version) -> &'static [(u64, u64, ValueKind)] {
    if version >= Version::V5 {
        HIDDEN_V5
    } else {
        HIDDEN_V2
    }
}

/// Hidden arguments in versions 2 to 4.
const HIDDEN_V2: &[(u64, u64, ValueKind)] = &[
    (0, 8, ValueKind::HiddenGlobalOffsetX),
    (8, 8, ValueKind::HiddenGlobalOffsetY),
    (16, 8, ValueKind::HiddenGlobalOffsetZ),
    (24, 8, ValueKind::HiddenPrintfBuffer),
    (32, 8, ValueKind::HiddenDefaultQueue),
    (40, 8, ValueKind::HiddenCompletionAction),
    (48, 8, ValueKind::HiddenMultigridSyncArg),
];

/// Hidden arguments since version 5.
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

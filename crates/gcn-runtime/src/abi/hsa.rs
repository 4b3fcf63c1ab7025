//! HSA ABI: loads code objects and builds the initial state of kernels.
//!
//! `link` loads a code object into guest memory. `KernelStart::prepare` builds the state that the packet processor and the
//! runtime set up for a kernel: argument segment with hidden arguments, dispatch packet, queue, and the registers that
//! the kernel descriptor requests. The resulting [`Dispatch`] does not depend on HSA.
//!
//! Sources: "Kernel Dispatch", "Initial Kernel Execution State" and "Code Object Metadata" in LLVM's "User Guide
//! for AMDGPU Backend"; the packet and queue structures of the HSA runtime's public headers.

mod load;
mod start;

mod error;
mod limits;

mod arguments;
mod registers;

mod inspect;

#[cfg(test)]
mod tests;

use std::sync::Arc;

use gcn_emu::Code;
use gcn_emu::device::Device;
use gcn_emu::memory::{AllocError, Memory};
use gcn_emu::run::{Dispatch, Initial};
use gcn_object::ValueKind;

use crate::abi::hostcall::Hostcall;
use crate::abi::owned::Owned;
use crate::abi::printf::{Formats, PrintfBuffer};
use arguments::Services;
pub use error::{LaunchError, LaunchNote};
pub(crate) use inspect::unowned_sources;
pub use inspect::{BeyondArguments, UnownedSources, UnsetSgprs};
pub(crate) use limits::beyond_compiled;
pub use limits::max_lds;
pub(crate) use load::link;
pub use load::{LoadError, Loaded, LoadedSymbol};
use registers::{Pointers, sgprs};
pub(crate) use start::{Arguments, KernelStart};
pub use start::{LaunchShape, Packet, PlacedBytes};

/// Size in bytes of an empty printf buffer: only the header, whose fields are zero.
const MUTE_PRINTF_BYTES: u64 = 8;

/// Kernel that is ready to run.
pub(crate) struct Prepared {
    /// Code, shared by all launches of the kernel.
    pub(crate) code: Arc<Code>,
    /// Dispatch to run.
    pub(crate) dispatch: Dispatch,
    /// Notes about the launch.
    pub(crate) notes: Vec<LaunchNote>,
    /// Printf buffer and formats, if the kernel prints.
    pub(crate) printf: Option<Printf>,
    /// Host call server, if the kernel may make host calls.
    pub(crate) hostcall: Option<Arc<Hostcall>>,
    /// Memory private to the launch, such as the argument segment.
    pub(crate) _owned: Owned,
}

/// Printf buffer with the object's formats.
#[derive(Clone, Debug)]
pub(crate) struct Printf {
    buffer: PrintfBuffer,
    formats: Formats,
}

impl Printf {
    /// Takes the text printed since the last call, and empties the buffer.
    pub(crate) fn take_text(&self, memory: &Memory) -> Vec<u8> {
        let text = self.buffer.text(memory, &self.formats);
        self.buffer.clear(memory);
        text
    }
}

impl KernelStart<'_> {
    /// Builds the initial state of a kernel for a run on at most `threads` host threads. Memory private to the launch
    /// is allocated in `owned`.
    ///
    /// # Errors
    /// Returns the first of [`KernelStart::problems`], or an error that only this function detects.
    pub(crate) fn prepare(
        &self,
        mut owned: Owned,
        device: &Device,
        threads: usize,
    ) -> Result<Prepared, LaunchError> {
        let isa = device.config.isa;
        if let Some(problem) = self.problems(isa).into_iter().next() {
            return Err(problem);
        }
        let descriptor = &self.kernel.descriptor;
        let mut notes = Vec::new();
        let own_segment = matches!(self.arguments, Arguments::Placed(_));
        let printf = if own_segment {
            self.printf(&mut owned, &mut notes)?
        } else {
            None
        };
        let mut dispatch = self.dispatch();
        let waves = dispatch.resident_waves(threads);
        let answers = own_segment && self.answers_host_calls;
        let hostcall = if answers && self.asks_for(&ValueKind::HiddenHostcallBuffer) {
            Some(Arc::new(Hostcall::new(&mut owned, waves)?))
        } else {
            None
        };
        let printf_buffer = match &printf {
            Some(printf) => printf.buffer.address,
            None if own_segment && self.loaded.has_mute_printf => {
                notes.push(LaunchNote::MutePrintf);
                owned.allocate("no room for what is printed", MUTE_PRINTF_BYTES)?
            }
            None => 0,
        };
        let services = Services {
            printf: printf_buffer,
            hostcall: hostcall.as_ref().map_or(0, |host| host.address()),
            heap: hostcall.as_ref().map_or(0, |host| host.heap_address()),
            queue: match self.arguments {
                Arguments::Packet(given) => given.queue,
                Arguments::Placed(_) | Arguments::At(_) => self.queue(device, &mut owned)?,
            },
        };
        let arguments = match self.arguments {
            Arguments::Placed(placed) => {
                self.argument_segment(placed, device, &mut owned, &services)?
            }
            Arguments::At(address) => address,
            Arguments::Packet(given) => given.arguments,
        };
        dispatch.kernarg = Some(arguments..arguments.saturating_add(self.segment_bytes()));
        let packet = match self.arguments {
            Arguments::Packet(given) => given.packet,
            Arguments::Placed(_) | Arguments::At(_) => self.packet(&mut owned, arguments)?,
        };
        let entry = self.kernel.entry_address;
        let sgprs = sgprs(isa, descriptor.compute_pgm_rsrc1);
        let code = self
            .loaded
            .code(device, entry, self.vgprs(), sgprs)
            .ok_or(LaunchError::Entry(entry))?;
        let LaunchShape { grid, group, .. } = self.shape;
        let metadata = self.kernel.metadata.as_ref();
        let wants_whole = metadata.is_some_and(|m| m.uniform_work_group_size == Some(1));
        if wants_whole && (0..3).any(|d| !grid[d].is_multiple_of(group[d])) {
            notes.push(LaunchNote::Partial {
                grid: grid.map(u64::from),
                group: group.map(u64::from),
            });
        }
        if descriptor.kernel_code_properties.uses_dynamic_stack() {
            notes.push(LaunchNote::DynamicStack {
                bytes: self.scratch_bytes(),
                stack: self.stack_bytes(),
            });
        }
        let rsrc2 = descriptor.compute_pgm_rsrc2;
        dispatch.initial = Initial {
            sgprs: self.sgprs(
                isa,
                &Pointers {
                    packet,
                    queue: services.queue,
                    arguments,
                },
            ),
            work_item_ids: (rsrc2.enable_vgpr_workitem_id() as u8 + 1).min(3),
            mode: self.mode(),
        };
        Ok(Prepared {
            code,
            dispatch,
            notes,
            printf,
            hostcall,
            _owned: owned,
        })
    }

    /// Allocates a printf buffer if the kernel takes one and the object contains formats.
    fn printf(
        &self,
        owned: &mut Owned,
        notes: &mut Vec<LaunchNote>,
    ) -> Result<Option<Printf>, AllocError> {
        let metadata = self.object.metadata.as_ref();
        let strings = metadata.map_or(&[][..], |metadata| &metadata.printf);
        if strings.is_empty() || !self.asks_for(&ValueKind::HiddenPrintfBuffer) {
            return Ok(None);
        }
        let (formats, errors) = Formats::parse(strings);
        notes.extend(errors.into_iter().map(LaunchNote::Format));
        let buffer = PrintfBuffer::new(owned)?;
        Ok(Some(Printf { buffer, formats }))
    }
}

//! Builds the initial registers, and the dispatch packet and queue that they point to.

use gcn_emu::device::Device;
use gcn_emu::memory::AllocError;
use gcn_emu::run::InitialSgpr;
use gcn_isa::Isa;
use gcn_object::{Rsrc1, UserSgpr};

use crate::abi::owned::Owned;

use super::start::{KernelStart, LaunchShape};

/// Maximum number of user SGPRs.
const MAX_USER_SGPRS: usize = 16;
/// Number of SGPRs in an allocation block. Since GCN 1.2, blocks are allocated in pairs.
const SGPR_BLOCK: u32 = 8;
/// Size of the dispatch packet in bytes.
const PACKET_BYTES: usize = 64;
/// Size in bytes of the part of the queue structure that kernels use.
const QUEUE_BYTES: usize = 256;
/// Offsets in the queue structure of the high halves of the aperture bases (errata E088).
const QUEUE_SHARED_BASE: usize = 0x40;
const QUEUE_PRIVATE_BASE: usize = 0x44;
/// Capacity of the queue in packets, and its offset in the queue structure.
const QUEUE_PACKETS: u32 = 64;
const QUEUE_SIZE: usize = 0x18;
/// Header of a dispatch packet: type 2 is a kernel dispatch; acquire and release have system scope.
const PACKET_HEADER: u16 = 2 | 2 << 9 | 2 << 11;

/// Addresses to pass in registers.
pub(super) struct Pointers {
    pub(super) packet: u64,
    pub(super) queue: u64,
    pub(super) arguments: u64,
}

impl KernelStart<'_> {
    /// Returns the initial MODE: rounding and denormals in bits 7:0, DX10 clamp 8, IEEE 9, exceptions 18:12, F16
    /// overflow 23.
    pub(super) fn mode(&self) -> u32 {
        const FLOAT_MODE: u32 = 0xff;
        const EXCEPTIONS: u32 = 0x7f;
        let rsrc1 = self.kernel.descriptor.compute_pgm_rsrc1;
        let rsrc2 = self.kernel.descriptor.compute_pgm_rsrc2;
        let exceptions =
            rsrc2.0 >> gcn_object::Rsrc2::ENABLE_EXCEPTION_IEEE_754_FP_INVALID_OPERATION.low;
        (rsrc1.0 >> Rsrc1::FLOAT_ROUND_MODE_32.low & FLOAT_MODE)
            | u32::from(rsrc1.enable_dx10_clamp()) << 8
            | u32::from(rsrc1.enable_ieee_mode()) << 9
            | (exceptions & EXCEPTIONS) << 12
            | u32::from(rsrc1.fp16_ovfl()) << 23
    }

    /// Returns the initial user SGPRs in the order of the descriptor's bits, followed by the system SGPRs, which depend on
    /// workgroup and wave.
    pub(super) fn sgprs(&self, isa: Isa, pointers: &Pointers) -> Vec<InitialSgpr> {
        use InitialSgpr::{
            FlatScratchHigh, FlatScratchLow, GroupId, GroupInfo, ScratchBase, ScratchWaveOffset,
            Value,
        };
        let descriptor = &self.kernel.descriptor;
        let address = |address: u64| [Value(address as u32), Value((address >> 32) as u32)];
        let groups = self.groups();
        let scratch = self.scratch_bytes() as u32;
        let mut sgprs = Vec::new();
        for (what, ..) in descriptor.kernel_code_properties.user_sgprs() {
            match what {
                UserSgpr::PrivateSegmentBuffer => {
                    let [records, format] = scratch_descriptor(isa);
                    sgprs.extend([
                        ScratchBase(0),
                        ScratchBase(1),
                        Value(records),
                        Value(format),
                    ]);
                }
                UserSgpr::DispatchPtr => sgprs.extend(address(pointers.packet)),
                UserSgpr::QueuePtr => sgprs.extend(address(pointers.queue)),
                UserSgpr::KernargSegmentPtr => sgprs.extend(address(pointers.arguments)),
                UserSgpr::DispatchId => sgprs.extend(address(0)),
                // Before GCN 1.4: offset of scratch from a hidden base, and size per lane. In the emulator, the hidden
                // base is the address of scratch.
                UserSgpr::FlatScratchInit if isa < Isa::Gfx9 => {
                    sgprs.extend([Value(0), Value(scratch)])
                }
                UserSgpr::FlatScratchInit => sgprs.extend([FlatScratchLow, FlatScratchHigh]),
                UserSgpr::PrivateSegmentSize => sgprs.push(Value(scratch)),
                UserSgpr::GridWorkgroupCountX => sgprs.push(Value(groups[0])),
                UserSgpr::GridWorkgroupCountY => sgprs.push(Value(groups[1])),
                UserSgpr::GridWorkgroupCountZ => sgprs.push(Value(groups[2])),
            }
        }
        // Hardware loads as many user SGPRs as this field says, at most 16.
        let rsrc2 = descriptor.compute_pgm_rsrc2;
        sgprs.resize(
            (rsrc2.user_sgpr_count() as usize).min(MAX_USER_SGPRS),
            Value(0),
        );
        let system = [
            (rsrc2.enable_sgpr_workgroup_id_x(), GroupId(0)),
            (rsrc2.enable_sgpr_workgroup_id_y(), GroupId(1)),
            (rsrc2.enable_sgpr_workgroup_id_z(), GroupId(2)),
            (rsrc2.enable_sgpr_workgroup_info(), GroupInfo),
            (rsrc2.enable_private_segment(), ScratchWaveOffset),
        ];
        sgprs.extend(
            system
                .into_iter()
                .filter(|(enabled, _)| *enabled)
                .map(|(_, sgpr)| sgpr),
        );
        sgprs
    }

    pub(super) fn packet(&self, owned: &mut Owned, arguments: u64) -> Result<u64, AllocError> {
        let LaunchShape {
            grid,
            group,
            dynamic_lds,
            ..
        } = self.shape;
        let descriptor = &self.kernel.descriptor;
        let mut packet = Vec::with_capacity(PACKET_BYTES);
        packet.extend(PACKET_HEADER.to_le_bytes());
        packet.extend(self.dimensions().to_le_bytes());
        packet.extend(group.iter().flat_map(|n| (*n as u16).to_le_bytes()));
        packet.extend([0; 2]);
        packet.extend(grid.iter().flat_map(|n| n.to_le_bytes()));
        packet.extend((self.scratch_bytes() as u32).to_le_bytes());
        packet.extend((descriptor.group_segment_fixed_size + dynamic_lds).to_le_bytes());
        packet.extend(
            self.loaded
                .moved(self.kernel.descriptor_address)
                .to_le_bytes(),
        );
        packet.extend(arguments.to_le_bytes());
        // Reserved fields, and a null completion signal.
        packet.resize(PACKET_BYTES, 0);
        owned.place("the dispatch packet", &packet)
    }

    pub(super) fn queue(&self, device: &Device, owned: &mut Owned) -> Result<u64, AllocError> {
        let mut queue = [0; QUEUE_BYTES];
        let apertures = device.config.apertures;
        let fields = [
            (QUEUE_SIZE, QUEUE_PACKETS),
            (QUEUE_SHARED_BASE, apertures.shared),
            (QUEUE_PRIVATE_BASE, apertures.private),
        ];
        for (offset, value) in fields {
            queue[offset..][..size_of_val(&value)].copy_from_slice(&value.to_le_bytes());
        }
        owned.place("the queue", &queue)
    }
}

/// Returns the number of SGPRs of a wave. The blocks in the descriptor include VCC and similar registers, which have
/// numbers of their own.
pub(super) fn sgprs(isa: Isa, rsrc1: Rsrc1) -> u8 {
    let blocks = rsrc1.granulated_wavefront_sgpr_count() + 1;
    let blocks = if isa >= Isa::Vi {
        blocks.next_multiple_of(2)
    } else {
        blocks
    };
    (blocks * SGPR_BLOCK).min(u32::from(isa.sgprs())) as u8
}

/// Returns dwords 2 and 3 of the scratch buffer descriptor: unlimited size, swizzled by lane in dwords. Since GCN 1.2,
/// the data format bits extend the stride if the lane ID is added, so they are zero.
fn scratch_descriptor(isa: Isa) -> [u32; 2] {
    const FORMAT_32: u32 = 4 << 15;
    const ELEMENT_4: u32 = 1 << 19;
    const INDEX_STRIDE_64: u32 = 3 << 21;
    const ADD_TID: u32 = 1 << 23;
    let by_generation = match isa {
        Isa::Si | Isa::Ci => FORMAT_32 | ELEMENT_4,
        Isa::Vi | Isa::Stoney => ELEMENT_4,
        Isa::Gfx9 | Isa::Vega12 | Isa::Vega20 => 0,
    };
    [u32::MAX, INDEX_STRIDE_64 | ADD_TID | by_generation]
}

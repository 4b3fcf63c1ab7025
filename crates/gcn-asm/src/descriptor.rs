//! Kernel descriptor keys, and kernels declared by directives.
//!
//! Keys, defaults, ranges and granularity follow "AMDHSA Kernel Assembler Directives" of LLVM's "User Guide for
//! AMDGPU Backend" for gfx6 to gfx9.

use std::ops::Range;

use gcn_isa::{Isa, IsaSet};
use gcn_object::{Field, Properties, Rsrc1, Rsrc2};

use crate::argument::DelayedValue;
use crate::value::SymbolId;

/// Granularity of the VGPR count in a descriptor.
pub(crate) const VGPR_BLOCK: u32 = 4;
/// Granularity of the SGPR count in a descriptor; the hardware may allocate larger blocks.
pub(crate) const SGPR_BLOCK: u32 = 8;
/// Maximum number of VGPRs of a kernel.
pub(crate) const MAX_VGPRS: u32 = 256;
/// Number of SGPRs that every kernel must request on chips with the SGPR initialization bug (errata E261).
pub(crate) const SGPRS_OF_INIT_BUG: u32 = 96;
/// Chips that need [`SGPRS_OF_INIT_BUG`].
pub(crate) const INIT_BUG: [&str; 2] = ["gfx802", "gfx805"];

/// Largest value of `.amdhsa_system_vgpr_workitem_id`.
pub(crate) const MAX_ITEM_ID: u32 = 2;
/// Fields that enable system SGPRs, with their defaults.
pub(crate) const SYSTEM_SGPRS: [(Field, u32); 5] = [
    (Rsrc2::ENABLE_SGPR_WORKGROUP_ID_X, 1),
    (Rsrc2::ENABLE_SGPR_WORKGROUP_ID_Y, 0),
    (Rsrc2::ENABLE_SGPR_WORKGROUP_ID_Z, 0),
    (Rsrc2::ENABLE_SGPR_WORKGROUP_INFO, 0),
    (Rsrc2::ENABLE_PRIVATE_SEGMENT, 0),
];

/// Descriptor field or property that a key sets.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum DescriptorKey {
    GroupSize,
    PrivateSize,
    KernargSize,
    Rsrc1(Field),
    Rsrc2(Field),
    /// Flag that enables a group of user SGPRs, and the size of the group.
    UserSgprs(Field, u32),
    Property(Field),
    UserSgprCount,
    NextFreeVgpr,
    NextFreeSgpr,
    ReserveVcc,
    ReserveFlatScratch,
    ReserveXnackMask,
}

pub(crate) const ALL: IsaSet = IsaSet::from(Isa::Si);
pub(crate) const CI: IsaSet = IsaSet::from(Isa::Ci);
pub(crate) const VI: IsaSet = IsaSet::from(Isa::Vi);
pub(crate) const GFX9: IsaSet = IsaSet::from(Isa::Gfx9);

/// Keys without the `.amdhsa_` prefix, with their fields and the instruction sets that support them.
#[rustfmt::skip]
pub(crate) const KEYS: &[(&str, DescriptorKey, IsaSet)] = &[
    ("group_segment_fixed_size",           DescriptorKey::GroupSize, ALL),
    ("private_segment_fixed_size",         DescriptorKey::PrivateSize, ALL),
    ("kernarg_size",                       DescriptorKey::KernargSize, ALL),
    ("user_sgpr_count",                    DescriptorKey::UserSgprCount, ALL),
    ("user_sgpr_private_segment_buffer",   DescriptorKey::UserSgprs(Properties::ENABLE_SGPR_PRIVATE_SEGMENT_BUFFER, 4), ALL),
    ("user_sgpr_dispatch_ptr",             DescriptorKey::UserSgprs(Properties::ENABLE_SGPR_DISPATCH_PTR, 2), ALL),
    ("user_sgpr_queue_ptr",                DescriptorKey::UserSgprs(Properties::ENABLE_SGPR_QUEUE_PTR, 2), ALL),
    ("user_sgpr_kernarg_segment_ptr",      DescriptorKey::UserSgprs(Properties::ENABLE_SGPR_KERNARG_SEGMENT_PTR, 2), ALL),
    ("user_sgpr_dispatch_id",              DescriptorKey::UserSgprs(Properties::ENABLE_SGPR_DISPATCH_ID, 2), ALL),
    ("user_sgpr_flat_scratch_init",        DescriptorKey::UserSgprs(Properties::ENABLE_SGPR_FLAT_SCRATCH_INIT, 2), ALL),
    ("user_sgpr_private_segment_size",     DescriptorKey::UserSgprs(Properties::ENABLE_SGPR_PRIVATE_SEGMENT_SIZE, 1), ALL),
    ("uses_dynamic_stack",                 DescriptorKey::Property(Properties::USES_DYNAMIC_STACK), ALL),
    ("system_sgpr_private_segment_wavefront_offset", DescriptorKey::Rsrc2(Rsrc2::ENABLE_PRIVATE_SEGMENT), ALL),
    ("system_sgpr_workgroup_id_x",         DescriptorKey::Rsrc2(Rsrc2::ENABLE_SGPR_WORKGROUP_ID_X), ALL),
    ("system_sgpr_workgroup_id_y",         DescriptorKey::Rsrc2(Rsrc2::ENABLE_SGPR_WORKGROUP_ID_Y), ALL),
    ("system_sgpr_workgroup_id_z",         DescriptorKey::Rsrc2(Rsrc2::ENABLE_SGPR_WORKGROUP_ID_Z), ALL),
    ("system_sgpr_workgroup_info",         DescriptorKey::Rsrc2(Rsrc2::ENABLE_SGPR_WORKGROUP_INFO), ALL),
    ("system_vgpr_workitem_id",            DescriptorKey::Rsrc2(Rsrc2::ENABLE_VGPR_WORKITEM_ID), ALL),
    ("next_free_vgpr",                     DescriptorKey::NextFreeVgpr, ALL),
    ("next_free_sgpr",                     DescriptorKey::NextFreeSgpr, ALL),
    ("reserve_vcc",                        DescriptorKey::ReserveVcc, ALL),
    ("reserve_flat_scratch",               DescriptorKey::ReserveFlatScratch, CI),
    ("reserve_xnack_mask",                 DescriptorKey::ReserveXnackMask, VI),
    ("float_round_mode_32",                DescriptorKey::Rsrc1(Rsrc1::FLOAT_ROUND_MODE_32), ALL),
    ("float_round_mode_16_64",             DescriptorKey::Rsrc1(Rsrc1::FLOAT_ROUND_MODE_16_64), ALL),
    ("float_denorm_mode_32",               DescriptorKey::Rsrc1(Rsrc1::FLOAT_DENORM_MODE_32), ALL),
    ("float_denorm_mode_16_64",            DescriptorKey::Rsrc1(Rsrc1::FLOAT_DENORM_MODE_16_64), ALL),
    ("dx10_clamp",                         DescriptorKey::Rsrc1(Rsrc1::ENABLE_DX10_CLAMP), ALL),
    ("ieee_mode",                          DescriptorKey::Rsrc1(Rsrc1::ENABLE_IEEE_MODE), ALL),
    ("fp16_overflow",                      DescriptorKey::Rsrc1(Rsrc1::FP16_OVFL), GFX9),
    ("exception_fp_ieee_invalid_op",       DescriptorKey::Rsrc2(Rsrc2::ENABLE_EXCEPTION_IEEE_754_FP_INVALID_OPERATION), ALL),
    ("exception_fp_denorm_src",            DescriptorKey::Rsrc2(Rsrc2::ENABLE_EXCEPTION_FP_DENORMAL_SOURCE), ALL),
    ("exception_fp_ieee_div_zero",         DescriptorKey::Rsrc2(Rsrc2::ENABLE_EXCEPTION_IEEE_754_FP_DIVISION_BY_ZERO), ALL),
    ("exception_fp_ieee_overflow",         DescriptorKey::Rsrc2(Rsrc2::ENABLE_EXCEPTION_IEEE_754_FP_OVERFLOW), ALL),
    ("exception_fp_ieee_underflow",        DescriptorKey::Rsrc2(Rsrc2::ENABLE_EXCEPTION_IEEE_754_FP_UNDERFLOW), ALL),
    ("exception_fp_ieee_inexact",          DescriptorKey::Rsrc2(Rsrc2::ENABLE_EXCEPTION_IEEE_754_FP_INEXACT), ALL),
    ("exception_int_div_zero",             DescriptorKey::Rsrc2(Rsrc2::ENABLE_EXCEPTION_INT_DIVIDE_BY_ZERO), ALL),
];

/// Prefix of all keys.
pub(crate) const PREFIX: &str = ".amdhsa_";

/// Default denormal mode for F16 and F64: denormals are preserved.
pub(crate) const KEEP_DENORMALS: u32 = 3;

impl DescriptorKey {
    /// Largest value accepted for the key.
    pub(crate) fn max(self) -> i64 {
        match self {
            DescriptorKey::GroupSize | DescriptorKey::PrivateSize | DescriptorKey::KernargSize => {
                i64::from(u32::MAX)
            }
            DescriptorKey::Rsrc1(field) | DescriptorKey::Rsrc2(field) => i64::from(field.max()),
            DescriptorKey::UserSgprCount => i64::from(Rsrc2::USER_SGPR_COUNT.max()),
            DescriptorKey::NextFreeVgpr => i64::from(MAX_VGPRS),
            DescriptorKey::NextFreeSgpr => i64::from(u16::MAX),
            _ => 1,
        }
    }
}

/// A kernel whose directives are being read; values may depend on symbols defined later.
#[derive(Debug)]
pub(crate) struct KernelDirectives {
    pub name: String,
    pub span: Range<usize>,
    pub symbol: SymbolId,
    /// Section index and offset of the kernel descriptor.
    pub place: (u32, u64),
    pub descriptor_symbol: Option<SymbolId>,
    pub values: Vec<KernelValue>,
}

/// A key, its name, its value, and the span of the value.
pub(crate) type KernelValue = (DescriptorKey, &'static str, DelayedValue, Range<usize>);

/// Number of extra SGPRs for VCC, FLAT_SCRATCH and XNACK_MASK, in this order. A kernel reserves the largest count among
/// those that it uses.
pub(crate) fn extra_sgprs(isa: Isa) -> [u32; 3] {
    if isa >= Isa::Vi { [2, 6, 4] } else { [2, 4, 0] }
}

/// Returns true if `key` has no value.
pub(crate) fn is_unset(values: &[KernelValue], key: DescriptorKey) -> bool {
    values.iter().all(|(k, ..)| *k != key)
}

/// Number of allocation blocks for `count` registers, minus one, as encoded in the descriptor.
pub(crate) fn blocks(count: u32, block: u32) -> u32 {
    count.max(1).div_ceil(block) - 1
}

/// Registers used by a kernel.
pub(crate) struct RegisterCounts {
    pub vgprs: u32,
    pub sgprs: u32,
    pub vcc: bool,
    pub flat_scratch: bool,
    pub xnack_mask: bool,
}

impl RegisterCounts {
    /// Number of SGPRs including the extra ones, or `Err` with the limit if there are too many. Up to GCN 1.1, and on
    /// chips with the SGPR initialization bug, the extra registers count toward the limit. Such chips always get
    /// [`SGPRS_OF_INIT_BUG`].
    pub(crate) fn sgprs(&self, isa: Isa, target: &str) -> Result<u32, u32> {
        let has_bug = INIT_BUG.contains(&target);
        let limit = if has_bug {
            SGPRS_OF_INIT_BUG
        } else {
            u32::from(isa.sgprs())
        };
        let used = [self.vcc, self.flat_scratch, self.xnack_mask];
        let special = used
            .into_iter()
            .zip(extra_sgprs(isa))
            .filter_map(|(is_used, count)| is_used.then_some(count))
            .max()
            .unwrap_or(0);
        let all = self.sgprs + special;
        let counted = if isa >= Isa::Vi && !has_bug {
            self.sgprs
        } else {
            all
        };
        if counted > limit {
            return Err(limit);
        }
        Ok(if has_bug { SGPRS_OF_INIT_BUG } else { all })
    }
}

//! Header before a kernel's code in code object version 2: `.amd_kernel_code_t` … `.end_amd_kernel_code_t`.
//!
//! Keys, offsets and defaults follow "Code Object V2 Kernel Code Object" and `amd_kernel_code_t` in LLVM's "User Guide
//! for AMDGPU Backend". The parser and the printer share the table [`KEYS`].

use std::fmt::Write;
use std::ops::Range;

use gcn_object::KERNEL_CODE_SIZE;

use crate::argument::DelayedValue;

/// Directives that begin and end a header.
pub(crate) const BEGIN: &str = ".amd_kernel_code_t";
pub(crate) const END: &str = ".end_amd_kernel_code_t";

/// Raw bytes of a header.
pub(crate) type KernelCodeBytes = [u8; KERNEL_CODE_SIZE];

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct HeaderField {
    /// First bit, counted from the start of the header.
    low: usize,
    /// Width in bits; 0 for keys that only later generations have.
    width: u32,
    is_signed: bool,
}

/// Field of `count` bytes at byte offset `at`.
const fn bytes(at: usize, count: u32) -> HeaderField {
    HeaderField {
        low: at * 8,
        width: count * 8,
        is_signed: false,
    }
}

const fn signed(at: usize, count: u32) -> HeaderField {
    HeaderField {
        is_signed: true,
        ..bytes(at, count)
    }
}

/// Field of `width` bits, starting at bit `low` of the dword at byte offset `at`.
const fn bits(at: usize, low: usize, width: u32) -> HeaderField {
    HeaderField {
        low: at * 8 + low,
        width,
        is_signed: false,
    }
}

/// Byte offsets of `COMPUTE_PGM_RSRC1`, `COMPUTE_PGM_RSRC2` and the kernel code properties.
const RSRC1: usize = 48;
const RSRC2: usize = 52;
const PROPERTIES: usize = 56;

/// Keys in the order in which LLVM prints them, each with an alternative name and its field.
#[rustfmt::skip]
pub(crate) const KEYS: &[(&str, &str, HeaderField)] = &[
    ("amd_code_version_major",          "kernel_code_version_major",         bytes(0, 4)),
    ("amd_code_version_minor",          "kernel_code_version_minor",         bytes(4, 4)),
    ("amd_machine_kind",                "machine_kind",                      bytes(8, 2)),
    ("amd_machine_version_major",       "machine_version_major",             bytes(10, 2)),
    ("amd_machine_version_minor",       "machine_version_minor",             bytes(12, 2)),
    ("amd_machine_version_stepping",    "machine_version_stepping",          bytes(14, 2)),
    ("kernel_code_entry_byte_offset",   "",                                  signed(16, 8)),
    ("kernel_code_prefetch_byte_size",  "",                                  bytes(32, 8)),
    ("granulated_workitem_vgpr_count",  "compute_pgm_rsrc1_vgprs",           bits(RSRC1, 0, 6)),
    ("granulated_wavefront_sgpr_count", "compute_pgm_rsrc1_sgprs",           bits(RSRC1, 6, 4)),
    ("priority",                        "compute_pgm_rsrc1_priority",        bits(RSRC1, 10, 2)),
    ("float_mode",                      "compute_pgm_rsrc1_float_mode",      bits(RSRC1, 12, 8)),
    ("priv",                            "compute_pgm_rsrc1_priv",            bits(RSRC1, 20, 1)),
    ("enable_dx10_clamp",               "compute_pgm_rsrc1_dx10_clamp",      bits(RSRC1, 21, 1)),
    ("debug_mode",                      "compute_pgm_rsrc1_debug_mode",      bits(RSRC1, 22, 1)),
    ("enable_ieee_mode",                "compute_pgm_rsrc1_ieee_mode",       bits(RSRC1, 23, 1)),
    ("enable_wgp_mode",                 "compute_pgm_rsrc1_wgp_mode",        bits(RSRC1, 29, 0)),
    ("enable_mem_ordered",              "compute_pgm_rsrc1_mem_ordered",     bits(RSRC1, 30, 0)),
    ("enable_fwd_progress",             "compute_pgm_rsrc1_fwd_progress",    bits(RSRC1, 31, 0)),
    ("enable_sgpr_private_segment_wave_byte_offset", "compute_pgm_rsrc2_scratch_en", bits(RSRC2, 0, 1)),
    ("user_sgpr_count",                 "compute_pgm_rsrc2_user_sgpr",       bits(RSRC2, 1, 5)),
    ("enable_trap_handler",             "compute_pgm_rsrc2_trap_handler",    bits(RSRC2, 6, 1)),
    ("enable_sgpr_workgroup_id_x",      "compute_pgm_rsrc2_tgid_x_en",       bits(RSRC2, 7, 1)),
    ("enable_sgpr_workgroup_id_y",      "compute_pgm_rsrc2_tgid_y_en",       bits(RSRC2, 8, 1)),
    ("enable_sgpr_workgroup_id_z",      "compute_pgm_rsrc2_tgid_z_en",       bits(RSRC2, 9, 1)),
    ("enable_sgpr_workgroup_info",      "compute_pgm_rsrc2_tg_size_en",      bits(RSRC2, 10, 1)),
    ("enable_vgpr_workitem_id",         "compute_pgm_rsrc2_tidig_comp_cnt",  bits(RSRC2, 11, 2)),
    ("enable_exception_msb",            "compute_pgm_rsrc2_excp_en_msb",     bits(RSRC2, 13, 2)),
    ("granulated_lds_size",             "compute_pgm_rsrc2_lds_size",        bits(RSRC2, 15, 9)),
    ("enable_exception",                "compute_pgm_rsrc2_excp_en",         bits(RSRC2, 24, 7)),
    ("enable_sgpr_private_segment_buffer", "",                               bits(PROPERTIES, 0, 1)),
    ("enable_sgpr_dispatch_ptr",        "",                                  bits(PROPERTIES, 1, 1)),
    ("enable_sgpr_queue_ptr",           "",                                  bits(PROPERTIES, 2, 1)),
    ("enable_sgpr_kernarg_segment_ptr", "",                                  bits(PROPERTIES, 3, 1)),
    ("enable_sgpr_dispatch_id",         "",                                  bits(PROPERTIES, 4, 1)),
    ("enable_sgpr_flat_scratch_init",   "",                                  bits(PROPERTIES, 5, 1)),
    ("enable_sgpr_private_segment_size", "",                                 bits(PROPERTIES, 6, 1)),
    ("enable_sgpr_grid_workgroup_count_x", "",                               bits(PROPERTIES, 7, 1)),
    ("enable_sgpr_grid_workgroup_count_y", "",                               bits(PROPERTIES, 8, 1)),
    ("enable_sgpr_grid_workgroup_count_z", "",                               bits(PROPERTIES, 9, 1)),
    ("enable_wavefront_size32",         "",                                  bits(PROPERTIES, 10, 0)),
    ("enable_ordered_append_gds",       "",                                  bits(PROPERTIES, 16, 1)),
    ("private_element_size",            "",                                  bits(PROPERTIES, 17, 2)),
    ("is_ptr64",                        "",                                  bits(PROPERTIES, 19, 1)),
    ("is_dynamic_callstack",            "",                                  bits(PROPERTIES, 20, 1)),
    ("is_debug_enabled",                "",                                  bits(PROPERTIES, 21, 1)),
    ("is_xnack_enabled",                "",                                  bits(PROPERTIES, 22, 1)),
    ("workitem_private_segment_byte_size", "",                               bytes(60, 4)),
    ("workgroup_group_segment_byte_size", "",                                bytes(64, 4)),
    ("gds_segment_byte_size",           "",                                  bytes(68, 4)),
    ("kernarg_segment_byte_size",       "",                                  bytes(72, 8)),
    ("workgroup_fbarrier_count",        "",                                  bytes(80, 4)),
    ("wavefront_sgpr_count",            "",                                  bytes(84, 2)),
    ("workitem_vgpr_count",             "",                                  bytes(86, 2)),
    ("reserved_vgpr_first",             "",                                  bytes(88, 2)),
    ("reserved_vgpr_count",             "",                                  bytes(90, 2)),
    ("reserved_sgpr_first",             "",                                  bytes(92, 2)),
    ("reserved_sgpr_count",             "",                                  bytes(94, 2)),
    ("debug_wavefront_private_segment_offset_sgpr", "",                      bytes(96, 2)),
    ("debug_private_segment_buffer_sgpr", "",                                bytes(98, 2)),
    ("kernarg_segment_alignment",       "",                                  bytes(100, 1)),
    ("group_segment_alignment",         "",                                  bytes(101, 1)),
    ("private_segment_alignment",       "",                                  bytes(102, 1)),
    ("wavefront_size",                  "",                                  bytes(103, 1)),
    ("call_convention",                 "",                                  signed(104, 4)),
    ("runtime_loader_kernel_symbol",    "",                                  bytes(120, 8)),
];

/// Key that LLVM accepts but ignores.
pub(crate) const IGNORED: &str = "max_scratch_backing_memory_byte_size";

/// Nonzero defaults, except those that depend on the processor.
pub(crate) const DEFAULTS: [(&str, i64); 9] = [
    ("amd_code_version_major", 1),
    ("amd_code_version_minor", 2),
    ("amd_machine_kind", 1),
    ("kernel_code_entry_byte_offset", KERNEL_CODE_SIZE as i64),
    ("kernarg_segment_alignment", 4),
    ("group_segment_alignment", 4),
    ("private_segment_alignment", 4),
    ("wavefront_size", 6),
    ("call_convention", -1),
];

impl HeaderField {
    /// Smallest and largest valid value. Fields of whole bytes accept both signed and unsigned values.
    pub(crate) fn range(self) -> (i64, i64) {
        match self.width {
            64.. => (i64::MIN, i64::MAX),
            width if width % 8 == 0 && width > 0 => (-(1 << (width - 1)), (1 << width) - 1),
            width => (0, (1 << width) - 1),
        }
    }

    fn positions(self) -> impl Iterator<Item = (u32, usize, u32)> {
        (0..self.width).map(move |bit| {
            let at = self.low + bit as usize;
            (bit, at / 8, (at % 8) as u32)
        })
    }

    pub(crate) fn set(self, header: &mut KernelCodeBytes, value: i64) {
        for (bit, byte, low) in self.positions() {
            if let Some(byte) = header.get_mut(byte) {
                let set = (value >> bit) as u8 & 1;
                *byte = *byte & !(1 << low) | set << low;
            }
        }
    }

    fn get(self, header: &KernelCodeBytes) -> i64 {
        let mut value = 0;
        for (bit, byte, low) in self.positions() {
            let set = header.get(byte).map_or(0, |byte| byte >> low & 1);
            value |= i64::from(set) << bit;
        }
        if self.is_signed && (1..64).contains(&self.width) {
            let unused = 64 - self.width;
            value = value << unused >> unused;
        }
        value
    }
}

pub(crate) fn named(name: &str) -> Option<&'static (&'static str, &'static str, HeaderField)> {
    let is_name =
        |key: &&(&str, &str, HeaderField)| key.0 == name || !name.is_empty() && key.1 == name;
    KEYS.iter().find(is_name)
}

/// Writes a header's `key = value` lines; returns false if they do not represent the header completely.
pub(crate) fn write(out: &mut String, header: &KernelCodeBytes) -> bool {
    let mut written = [0; KERNEL_CODE_SIZE];
    for &(name, _, bits) in KEYS.iter().filter(|key| key.2.width > 0) {
        let value = bits.get(header);
        bits.set(&mut written, value);
        let _ = match bits.width {
            64 if !bits.is_signed => writeln!(out, "\t\t{name} = {}", value.cast_unsigned()),
            _ => writeln!(out, "\t\t{name} = {value}"),
        };
    }
    written == *header
}

/// A header whose directives are being read; values may depend on symbols defined later.
#[derive(Debug)]
pub(crate) struct HeaderDirectives {
    pub span: Range<usize>,
    /// Section index and offset of the header.
    pub place: (u32, u64),
    pub values: Vec<(&'static str, HeaderField, DelayedValue, Range<usize>)>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_do_not_share_bits() {
        let mut used = [0; KERNEL_CODE_SIZE];
        for (name, _, bits) in KEYS {
            assert_eq!(bits.get(&used) & bits.range().1, 0, "{name}");
            bits.set(&mut used, -1);
        }
    }

    #[test]
    fn what_is_set_is_got() {
        for (name, _, bits) in KEYS.iter().filter(|key| key.2.width > 0) {
            let mut header = [0; KERNEL_CODE_SIZE];
            let (low, high) = bits.range();
            let ends = if bits.is_signed { [low, -1] } else { [1, high] };
            for value in ends {
                bits.set(&mut header, value);
                assert_eq!(bits.get(&header), value, "{name}");
            }
        }
    }
}

//! Disassembler: lists machine code as source that assembles to the same bytes.
//!
//! Decoding is total: words that are not instructions become `.long`, trailing bytes `.byte`. An instruction that its
//! text does not fully represent becomes `.long` with the text as a comment. The first pass over a section finds
//! instruction boundaries and branch targets, the second writes text; neither allocates per instruction.

mod code;
mod parallel;

mod names;
mod map;

mod data;
mod lister;
mod notes;

mod object;

#[cfg(test)]
mod tests;

use std::fmt::Write;
use std::ops::RangeInclusive;
use std::thread;

use gcn_isa::text::Text;

use gcn_object::DESCRIPTOR_ALIGN;

use crate::descriptor::{DescriptorKey, KEYS, PREFIX, SGPR_BLOCK, VGPR_BLOCK};
pub(crate) use code::WORD;
pub use code::{
    LABELS, ListOptions, ListedCode, ListedField, ListedKernel, ListedNote, ListedSection,
    ListedSymbol,
};
use lister::Lister;
use map::{Map, SectionWords};
use names::ListedNames;
pub(crate) use names::{Name, PlacedSymbol, is_name};
pub use object::{list_object, target_id};

/// Number of SGPRs for VCC and XNACK_MASK, which the assembler adds on targets with XNACK.
const XNACK_SGPRS: u32 = 4;
/// Code object versions for which `.amdhsa_code_object_version` is written; LLVM supports no older ones.
const WRITTEN_VERSIONS: RangeInclusive<u8> = 4..=6;
/// Minimum code size in bytes for preparing shared data on a separate thread.
const MANY_BYTES: usize = 1 << 18;
/// Estimated bytes of text per byte of code, slightly more than memory instructions need.
const TEXT_PER_BYTE: usize = 6;

/// Lists `code` as text. Any bytes are accepted.
///
/// # Examples
/// ```
/// use gcn_asm::list::{ListOptions, ListedCode, list};
/// let isa = gcn_isa::Target::named("gfx900").expect("a target").isa;
/// let words = [0xbf82_ffff_u32, 0xbf81_0000].map(u32::to_le_bytes).concat();
/// let text = list(&ListedCode::raw(isa, &words), &ListOptions::default());
/// let lines: Vec<&str> = text.lines().map(str::trim).collect();
/// assert_eq!(lines, ["L0_0:", "s_branch L0_0", "s_endpgm"]);
/// ```
pub fn list(code: &ListedCode, options: &ListOptions) -> String {
    let bytes: usize = code.sections.iter().map(|s| s.bytes.len()).sum();
    let mut all = Vec::with_capacity(bytes.saturating_mul(TEXT_PER_BYTE));
    list_to(code, options, &mut |part: &[u8]| {
        all.extend_from_slice(part)
    });
    String::from_utf8(all).unwrap_or_default() // Cannot fail: listings are UTF-8.
}

/// Lists `code` as UTF-8 text, passed to `sink` in chunks of whole lines, so large listings need not fit in memory.
///
/// # Examples
/// ```
/// use gcn_asm::list::{ListOptions, ListedCode, list, list_to};
/// let isa = gcn_isa::Target::named("gfx900").expect("a target").isa;
/// let code = ListedCode::raw(isa, &[0, 0, 0x81, 0xbf]);
/// let (options, mut parts) = (ListOptions { hex: true, ..ListOptions::default() }, Vec::new());
/// list_to(&code, &options, &mut |part| parts.extend_from_slice(part));
/// assert_eq!(parts, list(&code, &options).into_bytes());
/// assert!(parts.windows(8).any(|part| part.eq_ignore_ascii_case(b"bf810000")));
/// ```
pub fn list_to(code: &ListedCode, options: &ListOptions, sink: &mut dyn FnMut(&[u8])) {
    let sink = &mut |part: &Text| sink(part.as_bytes());
    let mut text = Text::new();
    let out = &mut text;
    if let Some(id) = &code.target_id {
        let _ = writeln!(out, "\t.amdgcn_target \"{id}\""); // Writing to a text cannot fail.
    }
    if let Some(version) = code
        .version
        .filter(|version| WRITTEN_VERSIONS.contains(version))
    {
        let _ = writeln!(out, "\t.amdhsa_code_object_version {version}");
    }
    let mut names = ListedNames::new(code);
    let mut places: Vec<Vec<PlacedSymbol>> = Vec::new();
    thread::scope(|scope| {
        let bytes: usize = code.sections.iter().map(|s| s.bytes.len()).sum();
        if bytes >= MANY_BYTES {
            // Building these tables takes about as long as collecting the names. If the host has no more threads, they
            // are built on first use.
            let form = || (code.isa.decoder(), code.isa.printer());
            let _ = thread::Builder::new().spawn_scoped(scope, form);
        }
        places.extend(code.sections.iter().map(|section| names.places(section)));
    });
    for ((index, section), places) in code.sections.iter().enumerate().zip(&places) {
        let (words, tail) = section.bytes.as_chunks::<WORD>();
        let run = SectionWords {
            decoder: code.isa.decoder(),
            words,
            places,
        };
        let map = Map::new(&run);
        let lister = Lister {
            section,
            label_prefix: format!("{}{index}_", names.prefix),
            tail,
            printer: code.isa.printer(),
            run,
            map,
            options: *options,
        };
        lister.write(out, sink);
    }
    let mut kernels = code
        .kernels
        .iter()
        .filter(|kernel| names.defined.contains(kernel.name))
        .peekable();
    if kernels.peek().is_some() {
        out.push_str("\n\t.section .rodata,\"a\",@progbits\n");
    }
    for kernel in kernels {
        descriptor(out, code, kernel);
    }
    if let Some(metadata) = &code.metadata {
        let end = if metadata.ends_with('\n') { "" } else { "\n" };
        let _ = writeln!(
            out,
            "\n\t.amdgpu_metadata\n{metadata}{end}.end_amdgpu_metadata"
        );
    }
    sink(out);
}

/// Writes a kernel descriptor with every key that the target ID does not imply, so the assembler's defaults do not matter.
fn descriptor(out: &mut dyn Write, code: &ListedCode, kernel: &ListedKernel) {
    let ListedKernel { name, descriptor } = kernel;
    let (rsrc1, rsrc2) = (descriptor.compute_pgm_rsrc1, descriptor.compute_pgm_rsrc2);
    let properties = descriptor.kernel_code_properties;
    // The assembler adds these SGPRs itself, based on the target ID.
    let added_sgprs = if code.reserves_xnack { XNACK_SGPRS } else { 0 };
    let align = DESCRIPTOR_ALIGN.trailing_zeros();
    let _ = writeln!(out, "\t.p2align {align}\n\t.amdhsa_kernel {name}");
    for &(key, sets, _) in KEYS.iter().filter(|(.., on)| on.has(code.isa)) {
        let value = match sets {
            DescriptorKey::GroupSize => descriptor.group_segment_fixed_size,
            DescriptorKey::PrivateSize => descriptor.private_segment_fixed_size,
            DescriptorKey::KernargSize => descriptor.kernarg_size,
            DescriptorKey::Rsrc1(field) => rsrc1.get(field),
            DescriptorKey::Rsrc2(field) => rsrc2.get(field),
            DescriptorKey::UserSgprs(field, _) | DescriptorKey::Property(field) => {
                properties.get(field)
            }
            DescriptorKey::UserSgprCount => rsrc2.user_sgpr_count(),
            DescriptorKey::NextFreeVgpr => {
                (rsrc1.granulated_workitem_vgpr_count() + 1) * VGPR_BLOCK
            }
            DescriptorKey::NextFreeSgpr => {
                let blocks = rsrc1.granulated_wavefront_sgpr_count() + 1;
                blocks * SGPR_BLOCK - added_sgprs
            }
            // The SGPR count already includes these registers.
            DescriptorKey::ReserveVcc | DescriptorKey::ReserveFlatScratch => 0,
            DescriptorKey::ReserveXnackMask => continue,
        };
        let _ = writeln!(out, "\t\t{PREFIX}{key} {value}");
    }
    let _ = out.write_str("\t.end_amdhsa_kernel\n");
}

//! Parts of code objects for tests of the writer.

use gcn_object::write::{
    Builder, Definition, InputRelocation, InputSection, InputSectionKind, InputSymbol,
    RelocationBase, SectionContents, SectionId,
};
use gcn_object::{
    Binding, ENTRY_OFFSET_FIELD, Flags, KernelDescriptor, KernelMetadata, Metadata, RelocationKind,
    SymbolKind, Version, Visibility, processor_mach,
};

/// Flags for a processor.
pub fn flags(processor: &str) -> Flags {
    Flags {
        mach: processor_mach(processor).expect("a known processor"),
        ..Flags::default()
    }
}

/// A section with access rights given as letters: `a` is loaded, `w` writable, `x` code.
pub fn section(name: &str, rights: &str, bytes: &[u8]) -> InputSection<'static> {
    InputSection {
        name: name.to_owned(),
        contents: SectionContents::Bytes(bytes.to_vec().into()),
        kind: InputSectionKind::Program,
        align: 256,
        address: None,
        loaded: rights.contains('a'),
        write: rights.contains('w'),
        execute: rights.contains('x'),
    }
}

/// A global symbol of 64 bytes.
pub fn symbol(
    name: &str,
    definition: Definition,
    kind: SymbolKind,
    visibility: Visibility,
) -> InputSymbol {
    InputSymbol {
        name: name.to_owned(),
        definition,
        size: 64,
        kind,
        binding: Binding::Global,
        visibility,
    }
}

/// A kernel `k` with the code `s_nop 0`, `s_endpgm`.
pub fn one_kernel(version: Version) -> (Builder<'static>, SectionId, SectionId) {
    let mut builder = Builder::new(version, flags("gfx900"));
    let mut code = vec![0x00, 0x00, 0x80, 0xbf, 0x00, 0x00, 0x81, 0xbf];
    code.resize(64, 0);
    let descriptor = KernelDescriptor {
        kernarg_size: 24,
        ..KernelDescriptor::default()
    };
    let text = builder.section(section(".text", "ax", &code));
    let rodata = builder.section(section(".rodata", "a", &descriptor.encode()));
    let kernel = builder.symbol(symbol(
        "k",
        Definition::At(text, 0),
        SymbolKind::Function,
        Visibility::Protected,
    ));
    builder.symbol(symbol(
        "k.kd",
        Definition::At(rodata, 0),
        SymbolKind::Object,
        Visibility::Protected,
    ));
    builder.relocation(InputRelocation {
        section: rodata,
        offset: ENTRY_OFFSET_FIELD,
        kind: RelocationKind::Rel64,
        target: RelocationBase::Symbol(kernel),
        addend: ENTRY_OFFSET_FIELD as i64,
    });
    let metadata = Metadata {
        kernels: vec![KernelMetadata {
            name: "k".to_owned(),
            symbol: "k.kd".to_owned(),
            kernarg_segment_size: 24,
            kernarg_segment_align: 8,
            wavefront_size: 64,
            max_flat_workgroup_size: Some(256),
            sgpr_count: Some(8),
            vgpr_count: Some(4),
            ..KernelMetadata::default()
        }],
        target: Some("amdgcn-amd-amdhsa--gfx900".to_owned()),
        version: vec![1, 2],
        ..Metadata::default()
    };
    builder.metadata = Some(metadata.to_msgpack().expect("plain types can be packed"));
    (builder, text, rodata)
}

/// Writes a file to the scratch directory.
pub fn written(name: &str, bytes: &[u8]) -> std::path::PathBuf {
    let path = super::scratch(name);
    std::fs::write(&path, bytes).expect("the scratch directory can be written");
    path
}

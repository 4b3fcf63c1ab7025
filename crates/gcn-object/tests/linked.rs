//! Code objects linked by this crate: relocations of every kind, and comparison with lld on the same input.

mod common;

use std::collections::{BTreeSet, HashMap};

use common::build::{one_kernel, section, symbol, written};
use gcn_object::write::{
    Builder, Definition, InputRelocation, InputSection, InputSectionKind, InputSymbol,
    RelocationBase, SectionContents,
};
use gcn_object::{
    Binding, CodeObject, RelocationKind, RelocationTarget, SymbolKind, SymbolSection, Version,
    Visibility, read,
};

/// Passes a relocatable object to the builder, as an assembler would.
fn relinked(object: &CodeObject, metadata: Vec<u8>) -> Builder<'static> {
    let mut builder = Builder::new(object.version, object.flags);
    builder.metadata = Some(metadata);
    let mut sections = HashMap::new();
    for (index, section) in object.sections.iter().enumerate() {
        if !section.is_loaded() || section.name == ".note" {
            continue;
        }
        let bytes = object.section_bytes(section).to_vec();
        let id = builder.section(InputSection {
            name: section.name.clone(),
            contents: if bytes.is_empty() {
                SectionContents::Zeros(section.size)
            } else {
                SectionContents::Bytes(bytes.into())
            },
            kind: InputSectionKind::Program,
            align: section.align,
            address: None,
            loaded: true,
            write: section.flags & 1 != 0,
            execute: section.is_code(),
        });
        sections.insert(index, (id, section));
    }
    let symbols: Vec<_> = object
        .symbols
        .iter()
        .map(|symbol| {
            builder.symbol(InputSymbol {
                name: symbol.name.clone(),
                definition: match symbol.section {
                    SymbolSection::Section(index) => sections
                        .get(&index)
                        .map_or(Definition::Undefined, |(id, section)| {
                            Definition::At(*id, symbol.value - section.address)
                        }),
                    SymbolSection::Absolute => Definition::Absolute(symbol.value),
                    _ => Definition::Undefined,
                },
                size: symbol.size,
                kind: symbol.kind,
                binding: symbol.binding,
                visibility: symbol.visibility,
            })
        })
        .collect();
    for relocation in &object.relocations {
        let inside = sections.values().find(|(_, section)| {
            (section.address..section.address + section.size).contains(&relocation.address)
        });
        // What is in no section fills the offset table that the reader made.
        let Some((id, section)) = inside else {
            continue;
        };
        let (kind, target) = match relocation.target {
            RelocationTarget::Symbol(index) => (relocation.kind, index),
            RelocationTarget::Address(slot) => {
                let filled = object
                    .relocations
                    .iter()
                    .find(|it| it.address == slot)
                    .expect("each slot is filled");
                let RelocationTarget::Symbol(index) = filled.target else {
                    panic!("{filled:?}")
                };
                let kind = match relocation.kind {
                    RelocationKind::Rel32Lo => RelocationKind::GotPcRel32Lo,
                    RelocationKind::Rel32Hi => RelocationKind::GotPcRel32Hi,
                    other => panic!("{other:?}"),
                };
                (kind, index)
            }
            RelocationTarget::Zero => panic!("{relocation:?}"),
        };
        builder.relocation(InputRelocation {
            section: *id,
            offset: relocation.address - section.address,
            kind,
            target: RelocationBase::Symbol(symbols[target]),
            addend: relocation.addend,
        });
    }
    builder
}

type Export = (String, u64, SymbolKind, Binding, Visibility);

fn exports(object: &CodeObject) -> BTreeSet<String> {
    let exported = object
        .symbols
        .iter()
        .filter(|it| it.binding != Binding::Local && it.section != SymbolSection::Undefined);
    let facts = exported
        .map(|it| -> Export { (it.name.clone(), it.size, it.kind, it.binding, it.visibility) });
    facts.map(|facts| format!("{facts:?}")).collect()
}

#[test]
fn linked_here_or_by_lld_it_reads_alike() {
    for source in ["scale.s", "scale.cl"] {
        let single =
            read(common::clang(source, "gfx900", 5, &["-c"])).expect("clang makes valid objects");
        let by_lld =
            read(common::clang(source, "gfx900", 5, &[])).expect("clang makes valid objects");
        let metadata = single
            .metadata
            .as_ref()
            .expect("both have metadata")
            .to_msgpack()
            .expect("it can be packed");
        let bytes = relinked(&single, metadata)
            .build()
            .expect("the input is valid");
        let path = written(&format!("{source}-relinked.co"), &bytes);
        let report = common::readelf(&path);
        assert!(!report.to_lowercase().contains("warning"), "{report}");
        let here = read(&bytes).expect("what is written can be read");
        assert_eq!(here.warnings, []);
        assert_eq!((here.version, here.flags), (by_lld.version, by_lld.flags));
        assert_eq!(here.metadata, by_lld.metadata);
        assert_eq!(exports(&here), exports(&by_lld));
        assert_eq!(here.relocations.len(), by_lld.relocations.len());
        let [mine, theirs] = [&here, &by_lld].map(|object| {
            let mut image = object.image().expect("a small image");
            object
                .apply_relocations(&mut image, 0x1234_5000)
                .expect("all symbols are defined");
            let [kernel] = object.kernels.as_slice() else {
                panic!("one kernel, not {:?}", object.kernels)
            };
            assert_eq!(
                kernel.entry_address,
                object.symbol(&kernel.name).expect("it is exported").value
            );
            let mut descriptor = kernel.descriptor.clone();
            descriptor.kernel_code_entry_byte_offset = 0;
            let code = image
                .get(kernel.entry_address, kernel.code_size)
                .expect("it is in the image")
                .to_vec();
            // Where the code's first two addresses lead: the table and, through the offset table, `shared`.
            let mut facts = Vec::new();
            if source == "scale.s" {
                let u32_at = |address| {
                    let bytes = image.get(address, 4).expect("it is in the image");
                    u32::from_le_bytes(bytes.try_into().expect("four bytes"))
                };
                let pair = |low, high| u64::from(u32_at(low)) | u64::from(u32_at(high)) << 32;
                let entry = kernel.entry_address;
                let table = (entry + 4).wrapping_add(pair(entry + 8, entry + 16));
                let slot = (entry + 24).wrapping_add(pair(entry + 28, entry + 36));
                let moved = 0x1234_5000 - image.base;
                let shared = pair(slot, slot + 4) - moved;
                let pointed = pair(shared, shared + 4) - moved;
                facts.extend([
                    u32_at(table),
                    u32_at(table + 12),
                    u32_at(pointed),
                    u32_at(shared + 8),
                ]);
                assert_eq!(facts, [1, 4, 3, 7]);
            }
            (descriptor, code.len(), facts)
        });
        assert_eq!(mine, theirs);
    }
}

#[test]
fn fields_of_every_kind_are_filled() {
    let (mut builder, text, _) = one_kernel(Version::V4);
    let words = builder.section(section("my data", "aw", &[0; 128]));
    let fixed = builder.section(section(".debug_mine", "", &[0; 16]));
    let zeros = builder.section(InputSection {
        contents: SectionContents::Zeros(5000),
        ..section(".bss", "aw", &[])
    });
    let seen = builder.symbol(symbol(
        "seen",
        Definition::At(text, 4),
        SymbolKind::NoType,
        Visibility::Default,
    ));
    let hidden = builder.symbol(symbol(
        "hidden",
        Definition::At(zeros, 8),
        SymbolKind::Object,
        Visibility::Hidden,
    ));
    let number = builder.symbol(symbol(
        "number",
        Definition::Absolute(77),
        SymbolKind::NoType,
        Visibility::Default,
    ));
    let absent = builder.symbol(InputSymbol {
        binding: Binding::Weak,
        ..symbol(
            "absent",
            Definition::Undefined,
            SymbolKind::NoType,
            Visibility::Default,
        )
    });
    let mut put = |section, offset, kind, target, addend| {
        builder.relocation(InputRelocation {
            section,
            offset,
            kind,
            target,
            addend,
        });
    };
    put(
        words,
        0,
        RelocationKind::Abs64,
        RelocationBase::Symbol(seen),
        1,
    );
    put(
        words,
        8,
        RelocationKind::Abs32Lo,
        RelocationBase::Symbol(seen),
        2,
    );
    put(
        words,
        12,
        RelocationKind::Abs32Hi,
        RelocationBase::Symbol(seen),
        2,
    );
    put(
        words,
        16,
        RelocationKind::Abs32Lo,
        RelocationBase::Symbol(hidden),
        0,
    );
    put(
        words,
        20,
        RelocationKind::Abs32Hi,
        RelocationBase::Symbol(hidden),
        0,
    );
    put(
        words,
        24,
        RelocationKind::Abs32Lo,
        RelocationBase::Section(zeros),
        16,
    );
    put(
        words,
        28,
        RelocationKind::Abs32,
        RelocationBase::Symbol(number),
        3,
    );
    put(
        words,
        32,
        RelocationKind::Rel32,
        RelocationBase::Symbol(seen),
        0,
    );
    put(
        words,
        40,
        RelocationKind::Rel64,
        RelocationBase::Section(text),
        0,
    );
    put(
        words,
        48,
        RelocationKind::Abs64,
        RelocationBase::Symbol(absent),
        0,
    );
    put(
        text,
        16,
        RelocationKind::Abs64,
        RelocationBase::Symbol(hidden),
        0,
    );
    put(
        text,
        24,
        RelocationKind::GotPcRel32Lo,
        RelocationBase::Symbol(seen),
        0,
    );
    put(
        text,
        28,
        RelocationKind::GotPcRel,
        RelocationBase::Symbol(hidden),
        0,
    );
    put(
        text,
        32,
        RelocationKind::GotPcRel32Lo,
        RelocationBase::Symbol(seen),
        0,
    );
    put(
        fixed,
        0,
        RelocationKind::Abs64,
        RelocationBase::Symbol(seen),
        0,
    );
    let bytes = builder.build().expect("the input is valid");
    let report = common::readelf(&written("fields.co", &bytes));
    assert!(!report.to_lowercase().contains("warning"), "{report}");
    assert!(
        report.contains("TEXTREL"),
        "a field in the code is left to the loader: {report}"
    );

    let object = read(&bytes).expect("what is written can be read");
    let load = 0x0123_4567_8000_0000;
    let mut image = object.image().expect("a small image");
    object
        .apply_relocations(&mut image, load)
        .expect("all symbols are defined");
    let moved = load - image.base;
    let find = |name| {
        object
            .sections
            .iter()
            .find(|section| section.name == name)
            .expect("it is there")
    };
    let (at, code, zeros) = (
        find("my data").address,
        find(".text").address,
        find(".bss").address,
    );
    let number = |address, size| {
        let bytes = image.get(address, size).expect("it is in the image");
        bytes
            .iter()
            .rev()
            .fold(0u64, |number, byte| number << 8 | u64::from(*byte))
    };
    let (seen, hidden) = (code + 4 + moved, zeros + 8 + moved);
    assert_eq!(number(at, 8), seen + 1);
    assert_eq!(number(at + 8, 8), seen + 2);
    assert_eq!(number(at + 16, 8), hidden);
    assert_eq!(number(at + 24, 4), (zeros + 16 + moved) & 0xffff_ffff);
    assert_eq!(number(at + 28, 4), 80);
    assert_eq!(
        number(at + 32, 4),
        (code + 4).wrapping_sub(at + 32) & 0xffff_ffff
    );
    assert_eq!(number(at + 40, 8), code.wrapping_sub(at + 40));
    assert_eq!(number(at + 48, 8), 0);
    assert_eq!(number(code + 16, 8), hidden);
    // Each symbol has one slot, however often it is reached.
    let slot = |field| field + number(field, 4);
    assert_eq!(number(slot(code + 24), 8), seen);
    assert_eq!(number(slot(code + 28), 8), hidden);
    assert_eq!(slot(code + 32), slot(code + 24));
    assert_eq!(find(".got").size, 16);
    // The file can be mapped: rights change with the page, and offsets agree with addresses within it.
    for pair in object.segments.windows(2) {
        assert!(
            (pair[0].address + pair[0].size - 1) / 4096 < pair[1].address / 4096,
            "{pair:?}"
        );
    }
    for segment in &object.segments {
        assert_eq!(
            segment.address % 4096,
            segment.file.start as u64 % 4096,
            "{segment:?}"
        );
    }
    assert_eq!(
        object.section_bytes(find(".debug_mine"))[..8],
        (code + 4).to_le_bytes()
    );
    assert_eq!(find(".bss").size, 5000);
    assert_eq!(
        object.symbol("hidden").map(|it| it.binding),
        Some(Binding::Local)
    );
}

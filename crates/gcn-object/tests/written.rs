//! Code objects that this crate writes: read back, shown to LLVM's tools, compared with what lld makes.

mod common;

use std::collections::{BTreeSet, HashMap};

use gcn_object::write::{
    Builder, Contents, Definition, Relocation, RelocationProblem, Section, SectionId, SectionKind,
    Symbol, Target, WriteError,
};
use gcn_object::{
    Binding, CodeObject, ENTRY_OFFSET_FIELD, Feature, Flags, KernelDescriptor, KernelMetadata,
    Metadata, PROCESSORS, Place, RelocationKind, RelocationTarget, SymbolKind, Version, Visibility,
    metadata_from_yaml, processor_mach, read,
};

fn flags(processor: &str) -> Flags {
    Flags {
        mach: processor_mach(processor).expect("a known processor"),
        ..Flags::default()
    }
}

fn section(name: &str, rights: &str, bytes: &[u8]) -> Section<'static> {
    Section {
        name: name.to_owned(),
        contents: Contents::Bytes(bytes.to_vec().into()),
        kind: SectionKind::Program,
        align: 256,
        address: None,
        loaded: rights.contains('a'),
        write: rights.contains('w'),
        execute: rights.contains('x'),
    }
}

fn symbol(name: &str, definition: Definition, kind: SymbolKind, visibility: Visibility) -> Symbol {
    Symbol {
        name: name.to_owned(),
        definition,
        size: 64,
        kind,
        binding: Binding::Global,
        visibility,
    }
}

/// A kernel `k` whose code is `s_nop 0` and `s_endpgm`.
fn one_kernel(version: Version) -> (Builder<'static>, SectionId, SectionId) {
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
    builder.relocation(Relocation {
        section: rodata,
        offset: ENTRY_OFFSET_FIELD,
        kind: RelocationKind::Rel64,
        target: Target::Symbol(kernel),
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

fn written(name: &str, bytes: &[u8]) -> std::path::PathBuf {
    let path = common::scratch(name);
    std::fs::write(&path, bytes).expect("the scratch directory can be written");
    path
}

#[test]
fn a_kernel_survives_a_round_trip() {
    for version in [Version::V3, Version::V4, Version::V5, Version::V6] {
        let bytes = one_kernel(version).0.build().expect("the input is valid");
        assert_eq!(
            one_kernel(version).0.build().as_deref(),
            Ok(bytes.as_slice()),
            "not deterministic"
        );
        let object = read(&bytes).expect("what is written can be read");
        assert_eq!(object.warnings, []);
        assert_eq!(
            (object.version, object.processor()),
            (version, Some("gfx900"))
        );
        let [kernel] = object.kernels.as_slice() else {
            panic!("one kernel, not {:?}", object.kernels)
        };
        assert_eq!(
            kernel.entry_address,
            object.symbol("k").expect("it is there").value
        );
        assert_eq!(kernel.descriptor.kernarg_size, 24);
        assert_eq!(
            kernel.metadata.as_ref().and_then(|it| it.vgpr_count),
            Some(4)
        );
        let image = object.image().expect("a small image");
        assert_eq!(
            image.get(kernel.entry_address + 4, 4),
            Some([0x00, 0x00, 0x81, 0xbf].as_slice())
        );
    }
}

#[test]
fn llvm_reads_it_without_a_warning() {
    let bytes = one_kernel(Version::V5)
        .0
        .build()
        .expect("the input is valid");
    let path = written("one_kernel.co", &bytes);
    let report = common::readelf(&path);
    assert!(!report.to_lowercase().contains("warning"), "{report}");
    for expected in [
        ".vgpr_count:     4",
        "R E 0x1000",
        "FUNC    GLOBAL PROTECTED",
        "0x2C, gfx900",
        "(HASH)",
    ] {
        assert!(report.contains(expected), "no {expected:?} in {report}");
    }
    let listing = common::run(
        "llvm-objdump-19",
        "llvm-19",
        &["-d", path.to_str().expect("the path is text")],
    );
    assert!(
        listing.contains("s_nop 0") && listing.contains("s_endpgm"),
        "{listing}"
    );
    let data = [
        "-D",
        "-j",
        ".rodata",
        path.to_str().expect("the path is text"),
    ];
    let listing = common::run("llvm-objdump-19", "llvm-19", &data);
    assert!(
        listing.contains(".amdhsa_kernel k") && listing.contains(".amdhsa_kernarg_size 24"),
        "{listing}"
    );
}

#[test]
fn llvm_knows_every_processor_by_the_same_name() {
    for (mach, name) in PROCESSORS {
        let flags = Flags {
            mach: *mach,
            ..Flags::default()
        };
        let version = if name.ends_with("generic") {
            Version::V6
        } else {
            Version::V5
        };
        let flags = Flags {
            generic_version: u8::from(version == Version::V6),
            ..flags
        };
        let path = written(
            "processor.co",
            &Builder::new(version, flags)
                .build()
                .expect("an empty object is valid"),
        );
        let path = path.to_str().expect("the path is text");
        let report = common::run("llvm-readelf-19", "llvm-19", &["-h", path]);
        let line = report
            .lines()
            .find(|line| line.contains("Flags:"))
            .expect("readelf prints flags");
        assert!(
            line.contains(&format!("{mach:X}, ")) && line.contains(name),
            "{name}: {line}"
        );
    }
    let settings = [
        (Feature::Any, "xnack"),
        (Feature::Off, "xnack-"),
        (Feature::On, "xnack+"),
    ];
    for (xnack, expected) in settings {
        let flags = Flags {
            xnack,
            sramecc: Feature::On,
            ..flags("gfx906")
        };
        let path = written(
            "setting.co",
            &Builder::new(Version::V4, flags)
                .build()
                .expect("an empty object is valid"),
        );
        let path = path.to_str().expect("the path is text");
        let report = common::run("llvm-readelf-19", "llvm-19", &["-h", path]);
        let line = report
            .lines()
            .find(|line| line.contains("Flags:"))
            .expect("readelf prints flags");
        assert!(
            line.ends_with(&format!("gfx906, {expected}, sramecc+")),
            "{line}"
        );
    }
}

/// An object that was not linked, given to the builder as an assembler would.
fn relinked(object: &CodeObject, metadata: Vec<u8>) -> Builder<'static> {
    let mut builder = Builder::new(object.version, object.flags);
    builder.metadata = Some(metadata);
    let mut sections = HashMap::new();
    for (index, section) in object.sections.iter().enumerate() {
        if !section.is_loaded() || section.name == ".note" {
            continue;
        }
        let bytes = object.section_bytes(section).to_vec();
        let id = builder.section(Section {
            name: section.name.clone(),
            contents: if bytes.is_empty() {
                Contents::Zeros(section.size)
            } else {
                Contents::Bytes(bytes.into())
            },
            kind: SectionKind::Program,
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
            builder.symbol(Symbol {
                name: symbol.name.clone(),
                definition: match symbol.place {
                    Place::Section(index) => sections
                        .get(&index)
                        .map_or(Definition::Undefined, |(id, section)| {
                            Definition::At(*id, symbol.value - section.address)
                        }),
                    Place::Absolute => Definition::Absolute(symbol.value),
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
        builder.relocation(Relocation {
            section: *id,
            offset: relocation.address - section.address,
            kind,
            target: Target::Symbol(symbols[target]),
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
        .filter(|it| it.binding != Binding::Local && it.place != Place::Undefined);
    let facts = exported
        .map(|it| -> Export { (it.name.clone(), it.size, it.kind, it.binding, it.visibility) });
    facts.map(|facts| format!("{facts:?}")).collect()
}

#[test]
fn linked_here_or_by_lld_it_reads_alike() {
    for source in ["scale.s", "scale.cl"] {
        let single =
            read(&common::clang(source, "gfx900", 5, &["-c"])).expect("clang makes valid objects");
        let by_lld =
            read(&common::clang(source, "gfx900", 5, &[])).expect("clang makes valid objects");
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
    let zeros = builder.section(Section {
        contents: Contents::Zeros(5000),
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
    let absent = builder.symbol(Symbol {
        binding: Binding::Weak,
        ..symbol(
            "absent",
            Definition::Undefined,
            SymbolKind::NoType,
            Visibility::Default,
        )
    });
    let mut put = |section, offset, kind, target, addend| {
        builder.relocation(Relocation {
            section,
            offset,
            kind,
            target,
            addend,
        });
    };
    put(words, 0, RelocationKind::Abs64, Target::Symbol(seen), 1);
    put(words, 8, RelocationKind::Abs32Lo, Target::Symbol(seen), 2);
    put(words, 12, RelocationKind::Abs32Hi, Target::Symbol(seen), 2);
    put(
        words,
        16,
        RelocationKind::Abs32Lo,
        Target::Symbol(hidden),
        0,
    );
    put(
        words,
        20,
        RelocationKind::Abs32Hi,
        Target::Symbol(hidden),
        0,
    );
    put(
        words,
        24,
        RelocationKind::Abs32Lo,
        Target::Section(zeros),
        16,
    );
    put(words, 28, RelocationKind::Abs32, Target::Symbol(number), 3);
    put(words, 32, RelocationKind::Rel32, Target::Symbol(seen), 0);
    put(words, 40, RelocationKind::Rel64, Target::Section(text), 0);
    put(words, 48, RelocationKind::Abs64, Target::Symbol(absent), 0);
    put(text, 16, RelocationKind::Abs64, Target::Symbol(hidden), 0);
    put(
        text,
        24,
        RelocationKind::GotPcRel32Lo,
        Target::Symbol(seen),
        0,
    );
    put(
        text,
        28,
        RelocationKind::GotPcRel,
        Target::Symbol(hidden),
        0,
    );
    put(
        text,
        32,
        RelocationKind::GotPcRel32Lo,
        Target::Symbol(seen),
        0,
    );
    put(fixed, 0, RelocationKind::Abs64, Target::Symbol(seen), 0);
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

#[test]
fn wrong_input_is_named() {
    let fails = |change: &dyn Fn(&mut Builder, SectionId)| {
        let (mut builder, text, _) = one_kernel(Version::V5);
        change(&mut builder, text);
        builder.build().expect_err("the input is wrong")
    };
    let at = |section, definition: Definition, kind| {
        move |builder: &mut Builder, _: SectionId| {
            let target = builder.symbol(symbol(
                "s",
                definition,
                SymbolKind::NoType,
                Visibility::Default,
            ));
            builder.relocation(Relocation {
                section,
                offset: 60,
                kind,
                target: Target::Symbol(target),
                addend: 0,
            });
        }
    };
    let text = one_kernel(Version::V5).1;
    let relocation = |problem| vec![WriteError::Relocation { index: 1, problem }];
    let s = || "s".to_owned();
    assert_eq!(
        fails(&at(text, Definition::Undefined, RelocationKind::Rel32)),
        relocation(RelocationProblem::Undefined { symbol: s() })
    );
    assert_eq!(
        fails(&at(text, Definition::Absolute(1), RelocationKind::Rel32)),
        relocation(RelocationProblem::DistanceToNumber { symbol: s() })
    );
    assert_eq!(
        fails(&at(
            text,
            Definition::Absolute(1 << 40),
            RelocationKind::Abs32
        )),
        relocation(RelocationProblem::Overflow { value: 1 << 40 })
    );
    assert_eq!(
        fails(&at(text, Definition::At(text, 0), RelocationKind::Abs32)),
        relocation(RelocationProblem::Narrow { symbol: s() })
    );
    assert_eq!(
        fails(&at(text, Definition::At(text, 0), RelocationKind::Rel64)),
        relocation(RelocationProblem::Outside {
            section: ".text".to_owned(),
            offset: 60
        })
    );
    assert_eq!(
        fails(&at(
            text,
            Definition::At(text, 0),
            RelocationKind::Relative64
        )),
        relocation(RelocationProblem::Kind { number: 13 })
    );
    assert_eq!(
        fails(&|builder, text| {
            builder.symbol(symbol(
                "k",
                Definition::At(text, 0),
                SymbolKind::NoType,
                Visibility::Default,
            ));
            builder.symbol(symbol(
                "a\0b",
                Definition::At(text, 0),
                SymbolKind::NoType,
                Visibility::Default,
            ));
            builder.section(Section {
                align: 3,
                ..section("odd", "a", &[])
            });
            builder.section(section(".dynsym", "a", &[]));
            builder.section(Section {
                contents: Contents::Zeros(u64::MAX),
                ..section("huge", "aw", &[])
            });
        }),
        [
            WriteError::Align {
                name: "odd".to_owned(),
                align: 3
            },
            WriteError::SectionName {
                name: ".dynsym".to_owned()
            },
            WriteError::TooLarge,
            WriteError::Duplicate {
                name: "k".to_owned()
            },
            WriteError::SymbolName {
                name: "a\0b".to_owned()
            },
        ]
    );
    let mut old = Builder::new(Version::V2, Flags::default());
    old.metadata = Some(Vec::new());
    assert_eq!(old.build(), Err(vec![WriteError::Version]));
}

#[test]
fn sections_stand_at_the_addresses_that_are_asked_for() {
    let at = |name, flags, address, bytes: &[u8]| Section {
        address: Some(address),
        align: 4,
        ..section(name, flags, bytes)
    };
    let mut builder = Builder::new(Version::V5, Flags::default());
    builder.section(at(".text", "ax", 0x1900, &[1; 8]));
    builder.section(at(".rodata", "a", 0x700, &[2; 12]));
    builder.section(at(".data", "aw", 0x1908, &[3; 4]));
    builder.section(section(".free", "aw", &[4; 4]));
    let bytes = builder.clone().build().expect("there is room");
    let object = read(&bytes).expect("it is an object");
    let found = |name: &str| {
        let mut sections = object.sections.iter();
        sections.find(|s| s.name == name).expect("it is there")
    };
    for (name, address) in [(".rodata", 0x700), (".text", 0x1900), (".data", 0x1908)] {
        assert_eq!(found(name).address, address, "{name}");
    }
    assert!(found(".free").address >= 0x1908 + 4);
    let image = object.image().expect("the segments are apart");
    assert_eq!(image.base, 0, "so that alignments stay in loading");
    assert_eq!(image.get(0x1904, 8), Some(&[1, 1, 1, 1, 3, 3, 3, 3][..]));

    let mut overlaps = builder.clone();
    overlaps.section(at(".more", "a", 0x1904, &[0; 4]));
    let errors = overlaps.build().expect_err("something is there");
    assert!(matches!(
        &errors[..],
        [WriteError::Address {
            address: 0x1908,
            ..
        } | WriteError::Address {
            address: 0x1904,
            ..
        }]
    ));
    let mut misaligned = builder;
    misaligned.section(at(".more", "a", 0x3002, &[0; 4]));
    let errors = misaligned.build().expect_err("it is no multiple of 4");
    assert!(matches!(
        &errors[..],
        [WriteError::Address {
            address: 0x3002,
            ..
        }]
    ));
}

#[test]
fn metadata_text_becomes_the_note_that_llvm_makes() {
    let source = include_str!("fixtures/scale.s");
    let (_, rest) = source
        .split_once(".amdgpu_metadata\n")
        .expect("the source has metadata");
    let (text, _) = rest
        .split_once(".end_amdgpu_metadata")
        .expect("the source has metadata");
    let packed = metadata_from_yaml(text).expect("the text is valid");
    let object =
        read(&common::clang("scale.s", "gfx900", 5, &[])).expect("clang makes valid objects");
    let note = object
        .sections
        .iter()
        .find(|section| section.name == ".note")
        .expect("it is there");
    // Twelve bytes of numbers and eight of the owner's name come before; LLVM's writer keeps keys in order too.
    let theirs = &object.section_bytes(note)[20..];
    assert_eq!(theirs[..packed.len()], packed);
}

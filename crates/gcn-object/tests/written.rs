//! Code objects written by this crate are read back and passed to LLVM's tools; invalid input is refused.

mod common;

use common::build::{flags, one_kernel, section, symbol, written};
use gcn_object::note::{AMDGPU, METADATA, Note};
use gcn_object::write::{
    Builder, Definition, InputRelocation, InputSection, InputSectionKind, RelocationBase,
    RelocationProblem, SectionContents, SectionId, WriteError,
};
use gcn_object::{
    Feature, Flags, KernelMetadata, Metadata, PROCESSORS, RelocationKind, SymbolKind, Version,
    Visibility, Warning, metadata_from_yaml, read,
};

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
fn the_first_valid_metadata_note_counts() {
    let valid = one_kernel(Version::V5).0.metadata.expect("it has some");
    let note = |description: &[u8]| {
        let note = Note {
            owner: AMDGPU,
            kind: METADATA,
            description,
        };
        note.encode()
    };
    let built_with = |notes: &[u8]| {
        let mut builder = one_kernel(Version::V5).0;
        builder.metadata = None;
        builder.section(InputSection {
            kind: InputSectionKind::Note,
            align: 4,
            ..section(".note.metadata", "a", notes)
        });
        builder.build().expect("the input is valid")
    };
    let invalid = note(b"no MessagePack");
    let bytes = built_with(&[&invalid[..], &note(&valid)].concat());
    let object = read(&bytes).expect("what is written can be read");
    assert!(matches!(object.warnings[..], [Warning::Metadata(_)]));
    assert!(object.kernels[0].metadata.is_some());
    let bytes = built_with(&invalid);
    let object = read(&bytes).expect("what is written can be read");
    assert!(matches!(object.warnings[..], [Warning::Metadata(_)]));
    assert_eq!(object.metadata, None, "it is not empty, but invalid");
}

#[test]
fn a_descriptor_outside_all_segments_has_one_warning() {
    let (mut builder, _, rodata) = one_kernel(Version::V5);
    builder.symbol(symbol(
        "far.kd",
        Definition::At(rodata, 1 << 32),
        SymbolKind::Object,
        Visibility::Protected,
    ));
    let metadata = Metadata {
        kernels: vec![KernelMetadata {
            name: "far".to_owned(),
            symbol: "far.kd".to_owned(),
            ..KernelMetadata::default()
        }],
        version: vec![1, 2],
        ..Metadata::default()
    };
    builder.metadata = Some(metadata.to_msgpack().expect("plain types can be packed"));
    let bytes = builder.build().expect("the input is valid");
    let object = read(&bytes).expect("what is written can be read");
    assert!(
        matches!(&object.warnings[..], [Warning::Descriptor { kernel, .. }] if kernel == "far"),
        "{:?}",
        object.warnings
    );
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

/// Processors that LLVM 19 does not know.
const NEWER_PROCESSORS: [&str; 10] = [
    "gfx950",
    "gfx1153",
    "gfx1170",
    "gfx1171",
    "gfx1172",
    "gfx1250",
    "gfx1251",
    "gfx1310",
    "gfx9-4-generic",
    "gfx12-5-generic",
];

#[test]
fn llvm_knows_every_processor_by_the_same_name() {
    let known = PROCESSORS
        .iter()
        .filter(|(_, name)| !NEWER_PROCESSORS.contains(name));
    for (mach, name) in known {
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
            builder.relocation(InputRelocation {
                section,
                offset: 60,
                kind,
                target: RelocationBase::Symbol(target),
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
            builder.section(InputSection {
                align: 3,
                ..section("odd", "a", &[])
            });
            builder.section(section(".dynsym", "a", &[]));
            builder.section(InputSection {
                contents: SectionContents::Zeros(u64::MAX),
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
    let at = |name, flags, address, bytes: &[u8]| InputSection {
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
        read(common::clang("scale.s", "gfx900", 5, &[])).expect("clang makes valid objects");
    let note = object
        .sections
        .iter()
        .find(|section| section.name == ".note")
        .expect("it is there");
    // Twelve bytes of numbers and eight of the owner's name precede it; LLVM's writer sorts keys too.
    let theirs = &object.section_bytes(note)[20..];
    assert_eq!(theirs[..packed.len()], packed);
}

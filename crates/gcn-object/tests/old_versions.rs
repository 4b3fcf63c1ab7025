//! Versions 2 and 3, which current compilers no longer generate, from `tests/fixtures`.

mod common;

use gcn_object::{
    Feature, IsaVersion, UserSgpr, ValueKind, Version, code_objects, is_container, read,
};
use object::read::elf::{FileHeader as _, ProgramHeader as _, SectionHeader as _};
use object::{LittleEndian, elf, pod};

const V2: &[u8] = include_bytes!("fixtures/scale-gfx803-v2.co");
const V3: &[u8] = include_bytes!("fixtures/scale-gfx803-v3.co");

#[test]
fn version_2_says_what_version_3_says() {
    let [v2, v3] = [V2, V3].map(|bytes| read(bytes).expect("the fixture is valid"));
    assert_eq!((v2.version, v3.version), (Version::V2, Version::V3));
    for object in [&v2, &v3] {
        assert_eq!(object.warnings, []);
        assert_eq!(object.processor(), Some("gfx803"));
        assert_eq!(object.flags.xnack, Feature::Off);
        let [kernel] = object.kernels.as_slice() else {
            panic!("one kernel, not {:?}", object.kernels)
        };
        assert_eq!(kernel.name, "scale");
        let metadata = kernel.metadata.as_ref().expect("clang writes metadata");
        let arguments: Vec<_> = metadata
            .args
            .iter()
            .map(|it| (it.offset, it.size, it.value_kind.clone()))
            .collect();
        let expected = [
            (0, 8, ValueKind::GlobalBuffer),
            (8, 8, ValueKind::GlobalBuffer),
            (16, 4, ValueKind::ByValue),
            (20, 4, ValueKind::DynamicSharedPointer),
            (32, 16, ValueKind::ByValue),
        ];
        assert_eq!(arguments, expected);
        assert!(metadata.args[1].is_const);
        assert_eq!(metadata.kernarg_segment_size, 48);
        assert_eq!(metadata.reqd_workgroup_size, Some([64, 1, 1]));
        let properties = kernel.descriptor.kernel_code_properties;
        let sgprs: Vec<_> = properties
            .user_sgprs()
            .map(|(what, first, _)| (what, first))
            .collect();
        assert_eq!(sgprs.last(), Some(&(UserSgpr::KernargSegmentPtr, 4)));
    }
    // Compiled by the same compiler, so code and registers are equal.
    let [old, new] = [&v2, &v3].map(|object| {
        let kernel = &object.kernels[0];
        let image = object.image().expect("a small image");
        assert!(
            image.get(kernel.entry_address, kernel.code_size).is_some(),
            "the code is in the image"
        );
        (
            kernel.code_size,
            kernel.descriptor.compute_pgm_rsrc1,
            kernel.descriptor.compute_pgm_rsrc2,
        )
    });
    assert_eq!(old, new);
    assert_eq!(
        v2.isa_note,
        Some(IsaVersion {
            major: 8,
            minor: 0,
            stepping: 3
        })
    );
    let code = v2.kernels[0]
        .descriptor
        .kernel_code
        .as_ref()
        .expect("version 2 has a header");
    assert_eq!(code.machine_version, [8, 0, 3]);
    assert_eq!(code.kernarg_segment_byte_size, 48);
    assert_eq!(
        v2.kernels[0].entry_address - v2.kernels[0].descriptor_address,
        256
    );
    assert_eq!(
        u64::from(code.wavefront_sgpr_count),
        v2.kernels[0]
            .metadata
            .as_ref()
            .and_then(|it| it.sgpr_count)
            .unwrap_or(0)
    );
    assert_eq!(1 << code.wavefront_size, 64);
}

#[test]
fn notes_are_four_bytes_apart_whatever_their_section_says() {
    // Alignment as written by AMD's OpenCL compiler.
    const CLAIMED: u64 = 8;
    let mut bytes = V2.to_vec();
    let (header, _) = pod::from_bytes::<elf::FileHeader64<LittleEndian>>(V2).expect("an ELF file");
    let (tables, sizes) = (
        [header.e_phoff(LittleEndian), header.e_shoff(LittleEndian)],
        [
            size_of::<elf::ProgramHeader64<LittleEndian>>(),
            size_of::<elf::SectionHeader64<LittleEndian>>(),
        ],
    );
    let segments = header.program_headers(LittleEndian, V2).expect("segments");
    let sections = header.section_headers(LittleEndian, V2).expect("sections");
    let of_notes = [
        segments
            .iter()
            .position(|it| it.p_type(LittleEndian) == elf::PT_NOTE)
            .expect("a segment of notes"),
        sections
            .iter()
            .position(|it| it.sh_type(LittleEndian) == elf::SHT_NOTE)
            .expect("a section of notes"),
    ];
    // The alignment is the last field of a program header and the second to last of a section header.
    for (part, from_end) in [(0, 8), (1, 16)] {
        let end = tables[part] as usize + (of_notes[part] + 1) * sizes[part];
        bytes[end - from_end..][..8].copy_from_slice(&CLAIMED.to_le_bytes());
    }
    let [plain, claimed] = [V2, &bytes].map(|bytes| read(bytes).expect("it is valid"));
    assert_ne!(bytes, V2);
    assert_eq!(claimed.warnings, []);
    assert_eq!(claimed.isa_note, plain.isa_note);
    assert_eq!(claimed.kernels, plain.kernels);
}

#[test]
fn a_program_of_the_opencl_compiler_holds_a_code_object() {
    let (source, program) = (common::scratch("opencl.s"), common::scratch("opencl.o"));
    let fixture =
        std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/scale-gfx803-v2.co");
    let assembly = |section: &str| format!("{section}\n.incbin \"{}\"\n", fixture.display());
    let entries = |section: &str| {
        std::fs::write(&source, assembly(section)).expect("the scratch directory can be written");
        let paths = [&source, &program].map(|path| path.to_str().expect("the path is text"));
        let [from, to] = paths;
        let arguments = ["-target", "x86_64-linux-gnu", "-c", from, "-o", to];
        common::run("clang-19", "clang-19", &arguments);
        std::fs::read(&program).expect("clang wrote it")
    };
    let bytes = entries(".text");
    assert!(is_container(&bytes));
    let found: Result<Vec<_>, _> = code_objects(&bytes).expect("it holds one").collect();
    let found = found.expect("nothing is broken");
    let [entry] = found.as_slice() else {
        panic!("one code object, not {found:?}")
    };
    assert_eq!(entry.target(), Some("gfx803"));
    assert_eq!(&entry.bytes[..], V2);
    // Host code before it is not a code object, nor is data that contains one.
    for section in [".text\nret", ".data"] {
        let bytes = entries(section);
        assert!(code_objects(&bytes).is_err(), "{section}");
    }
}

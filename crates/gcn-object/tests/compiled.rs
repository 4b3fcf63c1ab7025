//! Code objects that LLVM 19 makes, read: versions, processors, kernels, relocations.

mod common;

use gcn_object::{
    BundleError, Feature, Properties, UserSgpr, ValueKind, Version, bundle_entries, code_objects,
    is_container, read,
};

const PROCESSORS: [(&str, &str, Feature, Feature); 5] = [
    (
        "gfx600",
        "gfx600",
        Feature::Unsupported,
        Feature::Unsupported,
    ),
    (
        "gfx700",
        "gfx700",
        Feature::Unsupported,
        Feature::Unsupported,
    ),
    (
        "gfx803",
        "gfx803",
        Feature::Unsupported,
        Feature::Unsupported,
    ),
    ("gfx900:xnack+", "gfx900", Feature::On, Feature::Unsupported),
    ("gfx906:xnack-", "gfx906", Feature::Off, Feature::Any),
];

#[test]
fn opencl_kernels_are_read() {
    for (processor, name, xnack, sramecc) in PROCESSORS {
        for version in [Version::V4, Version::V5] {
            let bytes = common::clang("scale.cl", processor, version.number(), &[]);
            let object = read(&bytes).expect("clang makes valid objects");
            assert_eq!(object.warnings, [], "{processor} {version:?}");
            assert_eq!((object.version, object.processor()), (version, Some(name)));
            assert_eq!(
                (object.flags.xnack, object.flags.sramecc),
                (xnack, sramecc),
                "{processor}"
            );
            let [kernel] = object.kernels.as_slice() else {
                panic!("one kernel, not {:?}", object.kernels)
            };
            assert_eq!(kernel.name, "scale");
            assert_eq!(kernel.entry_address % 256, 0);
            assert!(kernel.code_size > 40);
            let metadata = kernel.metadata.as_ref().expect("clang writes metadata");
            let arguments: Vec<_> = metadata
                .args
                .iter()
                .map(|it| (it.offset, it.size, &it.value_kind))
                .collect();
            let expected = [
                (0, 8, &ValueKind::GlobalBuffer),
                (8, 8, &ValueKind::GlobalBuffer),
                (16, 4, &ValueKind::ByValue),
                (20, 4, &ValueKind::DynamicSharedPointer),
                (32, 16, &ValueKind::ByValue),
            ];
            assert_eq!(arguments, expected);
            assert_eq!(metadata.reqd_workgroup_size, Some([64, 1, 1]));
            assert_eq!(
                metadata.kernarg_segment_size,
                kernel.descriptor.kernarg_size.into()
            );
            let properties = kernel.descriptor.kernel_code_properties;
            let pointer = properties
                .user_sgprs()
                .find(|(what, ..)| *what == UserSgpr::KernargSegmentPtr);
            assert!(pointer.is_some(), "{properties:?}");
            let mut image = object.image().expect("a small image");
            object
                .apply_relocations(&mut image, 0x7000_0000_0000)
                .expect("lld resolved all symbols");
        }
    }
}

#[test]
fn assembled_kernels_are_read() {
    for (processor, name, ..) in PROCESSORS {
        let object =
            read(common::clang("scale.s", processor, 5, &[])).expect("clang makes valid objects");
        assert_eq!(object.warnings, []);
        assert_eq!(object.processor(), Some(name));
        let kernel = object.kernel("answer").expect("it is there");
        assert_eq!(
            kernel.entry_address,
            object.symbol("answer").expect("it is there").value
        );
        let descriptor = &kernel.descriptor;
        assert_eq!(descriptor.group_segment_fixed_size, 256);
        assert_eq!(descriptor.private_segment_fixed_size, 16);
        assert_eq!(descriptor.kernarg_size, 24);
        assert_eq!(
            descriptor
                .compute_pgm_rsrc1
                .granulated_workitem_vgpr_count(),
            2
        );
        assert_eq!(descriptor.compute_pgm_rsrc1.float_denorm_mode_32(), 3);
        assert!(!descriptor.compute_pgm_rsrc1.enable_ieee_mode());
        assert!(descriptor.compute_pgm_rsrc1.enable_dx10_clamp());
        assert_eq!(descriptor.compute_pgm_rsrc2.user_sgpr_count(), 4);
        assert!(descriptor.compute_pgm_rsrc2.enable_sgpr_workgroup_id_x());
        assert!(descriptor.compute_pgm_rsrc2.enable_sgpr_workgroup_id_y());
        assert!(!descriptor.compute_pgm_rsrc2.enable_sgpr_workgroup_id_z());
        assert_eq!(descriptor.compute_pgm_rsrc2.enable_vgpr_workitem_id(), 2);
        let expected = Properties::default()
            .with(Properties::ENABLE_SGPR_DISPATCH_PTR, 1)
            .with(Properties::ENABLE_SGPR_KERNARG_SEGMENT_PTR, 1);
        assert_eq!(descriptor.kernel_code_properties, expected);
        let metadata = kernel.metadata.as_ref().expect("the source has metadata");
        assert_eq!(metadata.args[1].name.as_deref(), Some("x"));
        assert_eq!(
            (metadata.sgpr_count, metadata.vgpr_count),
            (Some(20), Some(9))
        );
    }
}

#[test]
fn objects_without_a_link_load_like_linked_ones() {
    for source in ["scale.s", "scale.cl"] {
        let linked =
            read(common::clang(source, "gfx900", 5, &[])).expect("clang makes valid objects");
        let single =
            read(common::clang(source, "gfx900", 5, &["-c"])).expect("clang makes valid objects");
        assert!(linked.linked && !single.linked);
        assert_eq!(single.warnings, []);
        assert_eq!(single.metadata, linked.metadata);
        let memory = [&linked, &single].map(|object| {
            let mut image = object.image().expect("a small image");
            let base = image.base;
            object
                .apply_relocations(&mut image, base + 0x10_0000)
                .expect("all symbols are defined");
            let [kernel] = object.kernels.as_slice() else {
                panic!("one kernel, not {:?}", object.kernels)
            };
            (image, kernel.clone())
        });
        let [(linked_image, linked_kernel), (single_image, single_kernel)] = &memory;
        assert_eq!(linked_kernel.code_size, single_kernel.code_size);
        let mut descriptor = single_kernel.descriptor.clone();
        descriptor.kernel_code_entry_byte_offset =
            linked_kernel.descriptor.kernel_code_entry_byte_offset;
        assert_eq!(descriptor, linked_kernel.descriptor);
        // In memory too the descriptor leads to the code.
        let field = single_image
            .get(single_kernel.descriptor_address + 16, 8)
            .expect("it is in the image");
        let offset = i64::from_le_bytes(field.try_into().expect("eight bytes"));
        assert_eq!(
            single_kernel.descriptor_address.wrapping_add_signed(offset),
            single_kernel.entry_address
        );
        // The code reaches the table: s_getpc gives the address of the next instruction, 4 bytes on.
        if source == "scale.s" {
            for (object, image, kernel) in [
                (&linked, linked_image, linked_kernel),
                (&single, single_image, single_kernel),
            ] {
                let u32_at = |address| {
                    let bytes = image.get(address, 4).expect("it is in the image");
                    u32::from_le_bytes(bytes.try_into().expect("four bytes"))
                };
                let u64_at =
                    |address| u64::from(u32_at(address)) | u64::from(u32_at(address + 4)) << 32;
                let distance = |at: u64| u64::from(u32_at(at)) | u64::from(u32_at(at + 8)) << 32;
                let entry = kernel.entry_address;
                let table = object.symbol("table").expect("it is in .symtab").value;
                let shared = object.symbol("shared").expect("it is exported").value;
                assert_eq!((entry + 4).wrapping_add(distance(entry + 8)), table);
                let slot = (entry + 24).wrapping_add(distance(entry + 28));
                assert_eq!(u64_at(slot), shared + 0x10_0000);
                assert_eq!(u64_at(shared), table + 8 + 0x10_0000);
                assert_eq!(u32_at(shared + 8), 7);
            }
        }
    }
}

#[test]
fn common_symbols_of_an_object_without_a_link_get_room() {
    let object =
        read(common::clang("common.s", "gfx900", 5, &["-c"])).expect("clang makes valid objects");
    assert!(!object.linked);
    let mut image = object.image().expect("a small image");
    let base = image.base;
    object
        .apply_relocations(&mut image, base + 0x10_0000)
        .expect("commons are defined, and what is weak is zero");
    let value = |name| object.symbol(name).expect("it is in .symtab").value;
    let (room, odd, pointers) = (value("room"), value("odd"), value("pointers"));
    assert_eq!(room % 64, 0);
    assert!(
        room + 12 <= odd || odd + 3 <= room,
        "{room:#x} and {odd:#x} overlap"
    );
    for (symbol, size) in [(room, 12), (odd, 3)] {
        let bytes = image.get(symbol, size).expect("it is in the image");
        assert!(bytes.iter().all(|byte| *byte == 0));
        let mut segments = image.segments.iter();
        let inside = segments.find(|s| s.address <= symbol && symbol + size <= s.address + s.size);
        assert!(inside.is_some_and(|segment| segment.write && !segment.execute));
    }
    let field = |at| {
        let bytes = image.get(pointers + at, 8).expect("it is in the image");
        u64::from_le_bytes(bytes.try_into().expect("eight bytes"))
    };
    let expected = [room + 4 + 0x10_0000, odd + 0x10_0000, 0];
    assert_eq!([0, 8, 16].map(field), expected);
}

#[test]
fn bundles_are_taken_apart() {
    let objects =
        ["gfx803", "gfx906"].map(|processor| common::clang("scale.cl", processor, 5, &[]));
    let host = common::scratch("host.bin");
    std::fs::write(&host, b"").expect("the scratch directory can be written");
    let inputs = [host, common::scratch("one.co"), common::scratch("two.co")];
    for (path, bytes) in inputs[1..].iter().zip(&objects) {
        std::fs::write(path, bytes).expect("the scratch directory can be written");
    }
    let bundle = common::scratch("bundle.hsaco");
    let [host, one, two] = inputs.map(|path| format!("-input={}", path.display()));
    let output = format!("-output={}", bundle.display());
    let targets = "-targets=host-x86_64-unknown-linux-gnu,hipv4-amdgcn-amd-amdhsa--gfx803,\
                   hipv4-amdgcn-amd-amdhsa--gfx906:xnack-";
    let arguments = ["-type=o", targets, &host, &one, &two, &output];
    common::run("clang-offload-bundler-19", "clang-tools-19", &arguments);
    let bytes = std::fs::read(&bundle).expect("the bundler wrote it");
    let entries = bundle_entries(&bytes).expect("it is a bundle");
    let found: Vec<_> = entries
        .iter()
        .map(|entry| (entry.target(), &entry.bytes[..]))
        .collect();
    let expected = [
        (None, b"".as_slice()),
        (Some("gfx803"), &objects[0]),
        (Some("gfx906:xnack-"), &objects[1]),
    ];
    assert_eq!(found, expected);
    for length in 0..bytes.len() {
        assert!(bundle_entries(&bytes[..length]).is_err());
    }
    assert_eq!(bundle_entries(&objects[0]), Err(BundleError::NotABundle));
}

#[test]
fn compressed_bundles_and_host_programs_are_taken_apart() {
    let object = common::clang("scale.cl", "gfx906", 5, &[]);
    let (host, one) = (common::scratch("host.bin"), common::scratch("one.co"));
    std::fs::write(&host, b"").expect("the scratch directory can be written");
    std::fs::write(&one, &object).expect("the scratch directory can be written");
    let text = |path: &std::path::Path| path.to_str().expect("the path is text").to_owned();
    let mut bundles = Vec::new();
    for compress in [&[][..], &["-compress"]] {
        let bundle = common::scratch("bundle.hsaco");
        let inputs = [&host, &one].map(|path| format!("-input={}", path.display()));
        let output = format!("-output={}", bundle.display());
        let targets =
            "-targets=host-x86_64-unknown-linux-gnu,hipv4-amdgcn-amd-amdhsa--gfx906:xnack-";
        let mut arguments = vec!["-type=o", targets, &inputs[0], &inputs[1], &output];
        arguments.extend(compress);
        common::run("clang-offload-bundler-19", "clang-tools-19", &arguments);
        bundles.push(std::fs::read(&bundle).expect("the bundler wrote it"));
    }
    assert!(bundles[1].starts_with(b"CCOB"), "the bundler compresses");
    let expected = [(None, &b""[..]), (Some("gfx906:xnack-"), &object[..])];
    let entries = bundle_entries(&bundles[1]).expect("it is a bundle");
    let found: Vec<_> = entries
        .iter()
        .map(|entry| (entry.target(), &entry.bytes[..]))
        .collect();
    assert_eq!(found, expected);

    // A host program has a bundle for each of its units, filled up to pages.
    let mut section = bundles[0].clone();
    section.resize(section.len().next_multiple_of(4096), 0);
    section.extend(&bundles[1]);
    section.resize(section.len().next_multiple_of(4096), 0);
    let (fat, program) = (common::scratch("fat.bin"), common::scratch("program.o"));
    std::fs::write(&fat, &section).expect("the scratch directory can be written");
    let source = format!(".section .hip_fatbin,\"a\"\n.incbin \"{}\"\n", text(&fat));
    let assembly = common::scratch("program.s");
    std::fs::write(&assembly, source).expect("the scratch directory can be written");
    let (assembly, program) = (text(&assembly), text(&program));
    let arguments = [
        "-target",
        "x86_64-linux-gnu",
        "-c",
        &assembly,
        "-o",
        &program,
    ];
    common::run("clang-19", "clang-19", &arguments);
    let bytes = std::fs::read(&program).expect("clang wrote it");
    assert!(is_container(&bytes) && !is_container(&object));
    let entries: Result<Vec<_>, _> = code_objects(&bytes).expect("it holds bundles").collect();
    let entries = entries.expect("the bundles are whole");
    let found: Vec<_> = entries
        .iter()
        .map(|entry| (entry.target(), &entry.bytes[..]))
        .collect();
    assert_eq!(found, [expected[1], expected[1]]);
    for entry in &entries {
        assert_eq!(entry.kernel_names(), Ok(vec!["scale".into()]));
    }
    // A code object is the only one of its file.
    let alone: Result<Vec<_>, _> = code_objects(&object).expect("a code object").collect();
    let alone = alone.expect("a code object");
    assert_eq!(alone.len(), 1);
    assert_eq!(
        (alone[0].target(), &alone[0].bytes[..]),
        (Some("gfx906"), &object[..])
    );
    assert_eq!(
        code_objects(&b"text"[..]).err(),
        Some(BundleError::NotABundle)
    );
}

#[test]
fn an_object_without_section_headers_is_what_its_loader_sees() {
    for source in ["scale.s", "scale.cl"] {
        let bytes = common::clang(source, "gfx900", 5, &[]);
        let path = common::scratch("bare.co");
        std::fs::write(&path, &bytes).expect("the scratch directory can be written");
        let path = path.to_str().expect("the path is text");
        common::run("llvm-objcopy-19", "llvm-19", &["--strip-sections", path]);
        let bare = std::fs::read(path).expect("llvm-objcopy leaves the file there");
        let [whole, bare] = [&bytes, &bare].map(|bytes| read(bytes).expect("both are valid"));
        assert_eq!(bare.kernels, whole.kernels);
        assert_eq!(bare.metadata, whole.metadata);
        assert_eq!(bare.relocations.len(), whole.relocations.len());
        for (a, b) in bare.relocations.iter().zip(&whole.relocations) {
            assert_eq!((a.address, a.kind, a.addend), (b.address, b.kind, b.addend));
        }
        let code = |object: &gcn_object::CodeObject| -> Vec<u8> {
            let mut sections = object.sections.iter();
            let text = sections.find(|section| section.is_code()).expect("code");
            object.section_bytes(text).to_vec()
        };
        assert_eq!(code(&bare), code(&whole));
    }
}

#[test]
fn a_stripped_object_keeps_its_kernels() {
    let bytes = common::clang("scale.s", "gfx900", 5, &[]);
    let path = common::scratch("stripped.co");
    std::fs::write(&path, &bytes).expect("the scratch directory can be written");
    let path = path.to_str().expect("the path is text");
    common::run("llvm-strip-19", "llvm-19", &["--strip-all", path]);
    let stripped = std::fs::read(path).expect("llvm-strip leaves the file there");
    assert!(stripped.len() < bytes.len());
    let [whole, stripped] = [&bytes, &stripped].map(|bytes| read(bytes).expect("both are valid"));
    assert!(stripped.symbol("table").is_none() && whole.symbol("table").is_some());
    assert_eq!(stripped.kernels, whole.kernels);
    // The file header is part of the image, and says where the section headers are.
    let [whole, stripped] =
        [whole, stripped].map(|object| object.image().expect("a small image").bytes);
    assert!(stripped[64..] == whole[64..], "stripping changed the image");
}

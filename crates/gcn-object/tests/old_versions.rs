//! Versions 2 and 3, which today's compilers no longer make, from `tests/fixtures`.

use gcn_object::{Feature, IsaVersion, UserSgpr, ValueKind, Version, read};

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
    // The same compiler, so the same code and registers.
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

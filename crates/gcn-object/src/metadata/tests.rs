//! Tests with generated metadata in every format.

use super::{
    AddressSpace, ArgumentMetadata, KernelMetadata, Metadata, MetadataProblem, ValueKind,
    metadata_from_yaml, pal_metadata_from_yaml,
};
use crate::value::{DocumentValue, MetadataError};

#[test]
fn metadata_survives_a_round_trip() {
    let metadata = Metadata {
        kernels: vec![KernelMetadata {
            args: ValueKind::ALL
                .iter()
                .zip((0..).step_by(8))
                .map(|(kind, offset)| ArgumentMetadata {
                    offset,
                    size: 8,
                    value_kind: kind.clone(),
                    address_space: Some(AddressSpace::Global),
                    is_const: true,
                    name: Some("a".to_owned()),
                    ..ArgumentMetadata::default()
                })
                .collect(),
            kernarg_segment_size: 512,
            kernarg_segment_align: 8,
            name: "k".to_owned(),
            symbol: "k.kd".to_owned(),
            reqd_workgroup_size: Some([64, 2, 1]),
            uses_dynamic_stack: Some(false),
            vec_type_hint: Some("float4".to_owned()),
            wavefront_size: 64,
            ..KernelMetadata::default()
        }],
        printf: vec!["1:0:hello".to_owned()],
        target: Some("amdgcn-amd-amdhsa--gfx900".to_owned()),
        version: vec![1, 2],
    };
    let packed = metadata.to_msgpack().expect("plain types can be packed");
    assert_eq!(Metadata::from_msgpack(&packed), Ok(metadata.clone()));
    assert_eq!(metadata.kernels[0].problems(), []);
}

#[test]
fn registers_of_pal_are_numbers_whatever_is_written_behind() {
    let text = "amdpal.pipelines:\n  - .registers:\n      0xa1b3 (SPI_PS_INPUT_ENA): 0x1\n      0x2c0a: 0\n      7 (X): 2\n";
    let packed = pal_metadata_from_yaml(text).expect("a map");
    let value = DocumentValue::from_msgpack(&packed).expect("what was packed");
    let pipelines = value.get("amdpal.pipelines").map(DocumentValue::elements);
    let registers = pipelines.and_then(|all| all[0].get(".registers"));
    let entry = |key, value| (DocumentValue::Uint(key), DocumentValue::Uint(value));
    let expected = vec![entry(7, 2), entry(0x2c0a, 0), entry(0xa1b3, 1)];
    assert_eq!(registers, Some(&DocumentValue::Map(expected)));
    assert_eq!(pal_metadata_from_yaml("[1]"), Err(MetadataError::NotAMap));
}

#[test]
fn errors_name_the_line() {
    let error =
        metadata_from_yaml("a: 1\nb: [1, 2\nc: 3\n").expect_err("the bracket is not closed");
    assert!(
        matches!(error, MetadataError::Yaml { line: 2 | 3, .. }),
        "{error:?}"
    );
    assert_eq!(metadata_from_yaml("just text"), Err(MetadataError::NotAMap));
    assert_eq!(metadata_from_yaml(""), Err(MetadataError::NotAMap));
}

#[test]
fn unknown_missing_and_wrong_keys_are_tolerated() {
    let packed = metadata_from_yaml(
        "amdhsa.kernels: [{.name: 7, .args: {}, .odd: [1]}, 3, {.args: [~, {.size: text, .value_kind: new}]}]\n\
         amdhsa.version: none\n",
    )
    .expect("the YAML is valid");
    let metadata = Metadata::from_msgpack(&packed).expect("a map is enough");
    assert_eq!(metadata.kernels.len(), 3);
    assert_eq!(metadata.kernels[0].name, "");
    assert_eq!(
        metadata.kernels[2].args[1].value_kind,
        ValueKind::Other("new".to_owned())
    );
}

#[test]
fn lies_about_sizes_are_listed() {
    let argument = |offset, size| ArgumentMetadata {
        offset,
        size,
        ..ArgumentMetadata::default()
    };
    let kernel = KernelMetadata {
        args: vec![
            argument(0, 8),
            argument(4, 8),
            argument(u64::MAX, 8),
            argument(12, 8),
        ],
        kernarg_segment_size: 16,
        kernarg_segment_align: 3,
        reqd_workgroup_size: Some([1 << 63, 4, 1]),
        ..KernelMetadata::default()
    };
    assert_eq!(
        kernel.problems(),
        [
            MetadataProblem::KernargAlign { align: 3 },
            MetadataProblem::WorkgroupSize {
                size: [1 << 63, 4, 1]
            },
            MetadataProblem::ArgumentOutside {
                argument: 2,
                offset: u64::MAX,
                size: 8,
                segment: 16
            },
            MetadataProblem::ArgumentOutside {
                argument: 3,
                offset: 12,
                size: 8,
                segment: 16
            },
            MetadataProblem::ArgumentsOverlap {
                first: 0,
                second: 1
            },
        ]
    );
    let overlaps = KernelMetadata {
        args: vec![argument(0, 100), argument(8, 4), argument(32, 4)],
        kernarg_segment_size: 104,
        ..KernelMetadata::default()
    };
    assert_eq!(
        overlaps.problems(),
        [1, 2].map(|second| MetadataProblem::ArgumentsOverlap { first: 0, second })
    );
}

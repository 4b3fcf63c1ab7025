use super::*;

fn image(isa: Isa, kind: ImageKind, format: u8, size: [u32; 3]) -> ImageDescriptor {
    let format = (format, number_format::IMG_NUM_FORMAT_UINT);
    ImageDescriptor::linear(isa, kind, format, size).expect("a layout")
}

/// Words assembled by hand from ROCR-Runtime's field definitions.
#[test]
fn fields_are_where_each_generation_has_them() {
    let layers = ImageDescriptor {
        last_layer: 4,
        depth: 5,
        first_layer: 1,
        ..image(
            Isa::Vi,
            ImageKind::D2Array,
            texel_format::IMG_DATA_FORMAT_8_8_8_8,
            [100, 50, 5],
        )
    };
    let words = layers.at(0x12_3456_7800).words(Isa::Vi);
    assert_eq!(words[0], 0x1234_5678);
    assert_eq!(words[1], 0x1 << 28 | 10 << 20);
    assert_eq!(words[2], 49 << 14 | 99);
    assert_eq!(words[3], 13 << 28 | 8 << 20 | 0b111_110_101_100);
    assert_eq!(words[4], 127 << 13 | 4);
    assert_eq!(words[5], 4 << 13 | 1);
    assert_eq!(words[6..], [0, 0]);

    let layers = ImageDescriptor {
        first_layer: 1,
        max_level: 2,
        border_swizzle: 5,
        ..image(
            Isa::Gfx9,
            ImageKind::D2Array,
            texel_format::IMG_DATA_FORMAT_8_8_8_8,
            [100, 50, 5],
        )
    };
    let words = layers.at(0xff12_3456_7800).words(Isa::Gfx9);
    assert_eq!(words[0], 0x1234_5678);
    assert_eq!(words[1], 0x1 << 28 | 10 << 20 | 0xff);
    assert_eq!(words[3], 13 << 28 | 0b111_110_101_100);
    assert_eq!(words[4], 5 << 29 | 127 << 13 | 4);
    assert_eq!(words[5], 2 << 28 | 1);
}

#[test]
fn descriptors_survive_their_words() {
    for isa in Isa::ALL {
        for kind in (8..16).filter_map(ImageKind::numbered) {
            for format in (1..64).filter_map(texel_format_of) {
                let it = image(isa, kind, format.number, [37, 21, 3]).at(0x1234_5600);
                assert_eq!(ImageDescriptor::from_words(isa, it.words(isa)), it);
            }
        }
    }
    let sampler = SamplerDescriptor {
        clamp: [Clamp::Border, Clamp::Mirror, Clamp::MirrorOnceLastTexel],
        compare: 5,
        unnormalized: true,
        truncates: true,
        reduction: Reduction::Maximum,
        min_lod: 0x123,
        max_lod: 0xabc,
        lod_bias: -300,
        mag_filter: TexelFilter::Linear,
        min_filter: TexelFilter::AnisotropicLinear,
        z_filter: MipFilter::Point,
        mip_filter: MipFilter::Linear,
        border: BorderColor::Table,
        border_index: 0x7ff,
        ..SamplerDescriptor::default()
    };
    assert_eq!(SamplerDescriptor::from_words(sampler.words()), sampler);
    // Clamp to edge, unnormalized coordinates, linear filter, maximum level: as ROCR-Runtime fills it in.
    let of_rocr = SamplerDescriptor {
        clamp: [Clamp::LastTexel; 3],
        unnormalized: true,
        mag_filter: TexelFilter::Linear,
        min_filter: TexelFilter::Linear,
        ..SamplerDescriptor::default()
    };
    assert_eq!(of_rocr.words(), [0x8092, 0xfff << 12, 0x5 << 20, 0]);
}

#[test]
fn rows_and_layers_are_padded_as_the_generation_wants() {
    let one = texel_format::IMG_DATA_FORMAT_8;
    let sixteen = texel_format::IMG_DATA_FORMAT_32_32_32_32;
    let row = |isa, format, size| {
        let layout = image(isa, ImageKind::D2, format, size).layout(isa);
        layout.expect("a layout").row
    };
    // Before GCN 1.4, layers are multiples of 256 bytes; on GCN 1.4, rows are.
    assert_eq!(row(Isa::Si, one, [5, 4, 1]), 64);
    assert_eq!(row(Isa::Si, one, [5, 3, 1]), 256);
    assert_eq!(row(Isa::Ci, sixteen, [5, 8, 1]), 128);
    assert_eq!(row(Isa::Gfx9, one, [5, 4, 1]), 256);
    assert_eq!(row(Isa::Vega20, sixteen, [17, 4, 1]), 512);
}

#[test]
fn levels_follow_each_other() {
    let format = texel_format::IMG_DATA_FORMAT_32;
    // Levels of 16, 8 and 4 rows of 256 bytes each, then the next layer.
    let nine = ImageDescriptor {
        max_level: 2,
        last_level: 2,
        pitch: 16 + 8 + 4,
        ..image(Isa::Gfx9, ImageKind::D2Array, format, [16, 16, 2])
    };
    let level = nine.layout_of(Isa::Gfx9, 2).expect("a layout");
    assert_eq!(
        (level.row, level.level, level.layer),
        (256, 24 * 256, 28 * 256)
    );
    assert_eq!((level.width, level.height, level.depth), (4, 4, 2));
    assert_eq!(nine.bytes(Isa::Gfx9), Ok(2 * 28 * 256));

    let old = ImageDescriptor {
        max_level: 2,
        last_level: 2,
        pow2_pad: true,
        ..image(Isa::Vi, ImageKind::D2, format, [64, 64, 1])
    };
    let first = old.layout_of(Isa::Vi, 1).expect("a layout");
    let second = old.layout_of(Isa::Vi, 2).expect("a layout");
    assert_eq!((first.row, first.level), (128, 64 * 256));
    assert_eq!((second.row, second.level), (64, 64 * 256 + 32 * 128));
    assert_eq!(old.layout_of(Isa::Vi, 3), Err(LayoutError::Level(3)));
}

#[test]
fn other_arrangements_are_refused() {
    let format = texel_format::IMG_DATA_FORMAT_32;
    for isa in Isa::ALL {
        let plain = image(isa, ImageKind::D2, format, [64, 64, 1]);
        let refused = |it: ImageDescriptor| it.layout(isa).expect_err("no layout");
        let tiled = ImageDescriptor {
            tiling: 10,
            ..plain
        };
        assert_eq!(refused(tiled), LayoutError::Tiled(10));
        let blocks = ImageDescriptor {
            data_format: 35,
            ..plain
        };
        assert_eq!(refused(blocks), LayoutError::Format(35));
        let short = ImageDescriptor { pitch: 65, ..plain };
        assert!(matches!(
            refused(short),
            LayoutError::Pitch { pitch: 65, .. }
        ));
        let samples = ImageDescriptor { kind: 14, ..plain };
        assert_eq!(refused(samples), LayoutError::Samples);
        let buffer = ImageDescriptor { kind: 0, ..plain };
        assert_eq!(refused(buffer), LayoutError::Kind(0));
    }
}

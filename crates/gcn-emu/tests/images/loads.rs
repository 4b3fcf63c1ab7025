//! Tests of image loads and sizes.

use gcn_isa::Isa;
use gcn_isa::image::number_format::*;
use gcn_isa::image::texel_format::*;
use gcn_isa::image::{ImageDescriptor, ImageKind, LayoutError, Select};

use super::*;

const BYTES: (u8, u8) = (IMG_DATA_FORMAT_8_8_8_8, IMG_NUM_FORMAT_UINT);
const DWORDS: (u8, u8) = (IMG_DATA_FORMAT_32, IMG_NUM_FORMAT_UINT);

#[test]
fn texels_are_at_their_coordinates() {
    // Errata E320, E322.
    on(ALL, |m| {
        let image = Image::new(m, ImageKind::D2, BYTES, [20, 9, 1]);
        m.set(0, |l| (l % 20) as u32).set(1, |l| (l / 20) as u32);
        m.run("image_load v[4:7], v[0:1], s[8:15] dmask:0xf unorm");
        for lane in 0..LANES {
            let texel = image.texel(m, 0, [lane as u32 % 20, lane as u32 / 20, 0]);
            let loaded = [4, 5, 6, 7].map(|r| m.v(r, lane));
            assert_eq!(
                loaded.to_vec(),
                texel.iter().map(|b| u32::from(*b)).collect::<Vec<_>>()
            );
        }
        // The components that DMASK selects are in consecutive registers.
        m.set(4, |_| 0).set(5, |_| 0).set(6, |_| 77);
        m.run("image_load v[4:5], v[0:1], s[8:15] dmask:0xa unorm");
        let texel = image.texel(m, 0, [3, 2, 0]);
        assert_eq!(
            (m.v(4, 43), m.v(5, 43), m.v(6, 43)),
            (texel[1].into(), texel[3].into(), 77)
        );
        assert!(!m.violated());
    });
}

#[test]
fn each_kind_has_its_coordinates() {
    // Errata E323: table of address registers.
    on(ALL, |m| {
        // Kind, size, texel, address, modifiers.
        type Case<'a> = (ImageKind, [u32; 3], [u32; 3], &'a [u32], &'a str);
        let cases: [Case<'_>; 6] = [
            (ImageKind::D1, [40, 1, 1], [7, 0, 0], &[7], ""),
            (ImageKind::D2, [40, 9, 1], [7, 5, 0], &[7, 5], ""),
            (ImageKind::D3, [40, 9, 6], [7, 5, 4], &[7, 5, 4], ""),
            (ImageKind::Cube, [8, 8, 6], [7, 5, 4], &[7, 5, 4], " da"),
            (ImageKind::D1Array, [40, 1, 6], [7, 0, 4], &[7, 4], " da"),
            (ImageKind::D2Array, [40, 9, 6], [7, 5, 4], &[7, 5, 4], " da"),
        ];
        for (kind, size, place, registers, da) in cases {
            let image = Image::new(m, kind, DWORDS, size);
            for r in 0..4 {
                m.set(r, |_| registers.get(r).copied().unwrap_or(99));
            }
            m.run(&format!(
                "image_load v4, v[0:2], s[8:15] dmask:0x1 unorm{da}"
            ));
            let expected = dword(&image.texel(m, 0, place));
            assert_eq!(m.v(4, 33), expected, "{kind:?} {}", m.target.name);
        }
        // Without DA, the address has no layer, and the first layer is used.
        let image = Image::new(m, ImageKind::D2Array, DWORDS, [40, 9, 6]);
        m.set(0, |_| 7).set(1, |_| 5).set(2, |_| 4);
        m.run("image_load v4, v[0:1], s[8:15] dmask:0x1 unorm");
        assert_eq!(m.v(4, 0), dword(&image.texel(m, 0, [7, 5, 0])));
        // Layers count from BASE_ARRAY, and the last layer is in range.
        let part = Image {
            descriptor: ImageDescriptor {
                first_layer: 2,
                last_layer: 3,
                depth: 4,
                ..image.descriptor
            },
            bytes: Vec::new(),
        };
        part.bind(m);
        m.set(2, |l| l as u32);
        m.run("image_load v4, v[0:2], s[8:15] dmask:0x1 unorm da");
        assert_eq!(m.v(4, 1), dword(&image.texel(m, 0, [7, 5, 3])));
        assert_eq!(m.v(4, 2), 0);
    });
}

#[test]
fn texels_out_of_range_are_zero() {
    // Errata E324: components of the format are 0, others are as selected.
    on(ALL, |m| {
        let format = (IMG_DATA_FORMAT_8_8, IMG_NUM_FORMAT_UNORM);
        let image = Image::new(m, ImageKind::D2, format, [20, 9, 1]);
        for (x, y) in [(20, 0), (0, 9), (u32::MAX, 0), (0, u32::MAX)] {
            m.set(0, |_| x).set(1, |_| y);
            for r in 4..8 {
                m.set(r, |_| 0x99);
            }
            m.run("image_load v[4:7], v[0:1], s[8:15] dmask:0xf unorm");
            assert_eq!([4, 5, 6, 7].map(|r| m.v(r, 9)), [0, 0, 0, 0x3f80_0000]);
        }
        assert!(!m.violated());
        drop(image);
    });
}

#[test]
fn components_are_selected() {
    on(ALL, |m| {
        let image = Image::new(m, ImageKind::D1, BYTES, [64, 1, 1]);
        let select = [Select::Z, Select::One, Select::Zero, Select::X];
        let image = Image {
            descriptor: image.descriptor.selecting(select),
            ..image
        };
        image.bind(m);
        m.set(0, |l| l as u32)
            .run("image_load v[4:7], v0, s[8:15] dmask:0xf unorm");
        let texel = image.texel(m, 0, [11, 0, 0]);
        let expected = [texel[2].into(), 1, 0, texel[0].into()];
        assert_eq!([4, 5, 6, 7].map(|r| m.v(r, 11)), expected);
    });
}

#[test]
fn inactive_lanes_and_the_status() {
    on(ALL, |m| {
        let image = Image::new(m, ImageKind::D1, DWORDS, [64, 1, 1]);
        m.set(0, |l| l as u32)
            .set(4, |_| 9)
            .set(5, |_| 9)
            .exec(0b10);
        m.run("image_load v[4:5], v0, s[8:15] dmask:0x1 unorm tfe");
        assert_eq!((m.v(4, 0), m.v(5, 0)), (9, 9));
        assert_eq!(
            (m.v(4, 1), m.v(5, 1)),
            (dword(&image.texel(m, 0, [1, 0, 0])), 0)
        );
    });
}

#[test]
fn raw_texels_are_not_converted() {
    // Errata E328.
    on(ALL, |m| {
        let halves = (IMG_DATA_FORMAT_16, IMG_NUM_FORMAT_SNORM);
        let descriptor = ImageDescriptor::linear(m.target.isa, ImageKind::D1, halves, [64, 1, 1]);
        Image::with(m, descriptor.expect("a layout"), |n| 0x80 | n as u8);
        m.set(0, |l| l as u32);
        m.run("image_load_pck v4, v0, s[8:15] dmask:0x1 unorm\nimage_load_pck_sgn v5, v0, s[8:15] dmask:0x1 unorm");
        assert_eq!((m.v(4, 1), m.v(5, 1)), (0x8382, 0xffff_8382));
        let pairs = (IMG_DATA_FORMAT_32_32, IMG_NUM_FORMAT_FLOAT);
        let image = Image::new(m, ImageKind::D1, pairs, [64, 1, 1]);
        m.run("image_load_pck v[4:5], v0, s[8:15] dmask:0x3 unorm");
        let texel = image.texel(m, 0, [9, 0, 0]);
        assert_eq!(
            (m.v(4, 9), m.v(5, 9)),
            (dword(&texel[..4]), dword(&texel[4..]))
        );
    });
}

#[test]
fn halves_have_a_register_each_or_share_one() {
    on(&[VI, GFX9], |m| {
        let format = (IMG_DATA_FORMAT_16_16_16_16, IMG_NUM_FORMAT_FLOAT);
        let image = Image::new(m, ImageKind::D1, format, [64, 1, 1]);
        m.set(0, |l| l as u32);
        let texel = image.texel(m, 0, [5, 0, 0]);
        let half = |n: usize| u32::from(u16::from_le_bytes([texel[2 * n], texel[2 * n + 1]]));
        if m.target.isa >= Isa::Gfx9 {
            m.run("image_load v[4:5], v0, s[8:15] dmask:0xf unorm d16");
            let expected = (half(0) | half(1) << 16, half(2) | half(3) << 16);
            assert_eq!((m.v(4, 5), m.v(5, 5)), expected);
        } else {
            m.run("image_load v[4:7], v0, s[8:15] dmask:0xf unorm d16");
            assert_eq!([4, 5, 6, 7].map(|r| m.v(r, 5)), [0, 1, 2, 3].map(half));
        }
    });
}

#[test]
fn short_addresses_share_registers() {
    // Errata E323.
    on(NINE, |m| {
        let image = Image::new(m, ImageKind::D2Array, DWORDS, [40, 9, 6]);
        m.set(0, |_| 7 | 5 << 16).set(1, |_| 4 | 77 << 16);
        m.run("image_load v4, v[0:1], s[8:15] dmask:0x1 unorm a16 da");
        assert_eq!(m.v(4, 3), dword(&image.texel(m, 0, [7, 5, 4])));
    });
}

#[test]
fn short_descriptors_are_the_first_half() {
    // Errata E321: without padding.
    on(BEFORE_GFX9, |m| {
        let image = Image::new(m, ImageKind::D2, DWORDS, [64, 9, 1]);
        assert_eq!(image.descriptor.pitch, 64);
        for code in IMAGE + 4..IMAGE + 8 {
            m.s(code, u32::MAX);
        }
        m.set(0, |_| 7).set(1, |_| 5);
        m.run("image_load v4, v[0:1], s[8:11] dmask:0x1 unorm r128");
        assert_eq!(m.v(4, 3), dword(&image.texel(m, 0, [7, 5, 0])));
    });
}

/// Descriptor of a two-dimensional image with several levels.
fn with_levels(isa: Isa, size: u32, last: u8) -> ImageDescriptor {
    let plain = ImageDescriptor::linear(isa, ImageKind::D2, DWORDS, [size, size, 1]);
    let plain = plain.expect("a layout");
    let rows = (0..=last).map(|level| size >> level).sum();
    ImageDescriptor {
        last_level: last,
        max_level: last,
        pow2_pad: isa < Isa::Gfx9,
        pitch: if isa < Isa::Gfx9 { plain.pitch } else { rows },
        ..plain
    }
}

#[test]
fn registers_name_levels() {
    // Errata E322: levels.
    on(ALL, |m| {
        let image = Image::with(m, with_levels(m.target.isa, 64, 3), pattern);
        m.set(0, |_| 7).set(1, |_| 5).set(2, |l| l as u32);
        m.run("image_load_mip v4, v[0:2], s[8:15] dmask:0x1 unorm");
        for level in 0..4 {
            let expected = dword(&image.texel(m, level, [7, 5, 0]));
            assert_eq!(m.v(4, level.into()), expected);
        }
        assert_eq!(m.v(4, 4), 0, "no such level");
        // Levels count from BASE_LEVEL.
        let later = Image {
            descriptor: ImageDescriptor {
                base_level: 2,
                ..image.descriptor
            },
            ..image
        };
        later.bind(m);
        m.run("image_load_mip v4, v[0:2], s[8:15] dmask:0x1 unorm\nimage_load v5, v[0:1], s[8:15] dmask:0x1 unorm");
        let expected = [2, 3].map(|level| dword(&later.texel(m, level, [7, 5, 0])));
        assert_eq!(
            [m.v(4, 0), m.v(4, 1), m.v(4, 2), m.v(5, 9)],
            [expected[0], expected[1], 0, expected[0]]
        );
    });
}

#[test]
fn sizes_of_levels() {
    // Errata E325.
    on(ALL, |m| {
        Image::with(m, with_levels(m.target.isa, 64, 3), pattern);
        m.set(0, |l| l as u32);
        m.run("image_get_resinfo v[4:7], v0, s[8:15] dmask:0xf unorm");
        let of = |m: &Machine, lane| [4, 5, 6, 7].map(|r| m.v(r, lane));
        assert_eq!(
            (of(m, 0), of(m, 2), of(m, 4)),
            ([64, 64, 0, 4], [16, 16, 0, 4], [0, 0, 0, 4])
        );
        for (kind, size, expected) in [
            (ImageKind::D1, [40, 1, 1], [40, 0, 0, 1]),
            (ImageKind::D1Array, [40, 1, 6], [40, 6, 0, 1]),
            (ImageKind::D2Array, [40, 9, 6], [40, 9, 6, 1]),
            (ImageKind::D3, [40, 9, 6], [40, 9, 6, 1]),
            (ImageKind::Cube, [8, 8, 6], [8, 8, 6, 1]),
        ] {
            Image::new(m, kind, DWORDS, size);
            m.set(0, |_| 0)
                .run("image_get_resinfo v[4:7], v0, s[8:15] dmask:0xf unorm");
            assert_eq!(of(m, 1), expected, "{kind:?}");
            m.run("image_get_resinfo v4, v0, s[8:15] dmask:0x2 unorm");
            assert_eq!(m.v(4, 1), expected[1]);
        }
    });
}

#[test]
fn images_without_a_format_are_zero() {
    on(ALL, |m| {
        // Mesa's null descriptor: one dimension, and W is one.
        for (code, word) in (IMAGE..).zip([0, 0, 0, 8 << 28 | 1 << 9, 0, 0, 0, 0]) {
            m.s(code, word);
        }
        m.set(0, |l| l as u32);
        m.run("image_load v[4:7], v0, s[8:15] dmask:0xf unorm\nimage_store v[4:7], v0, s[8:15] dmask:0xf unorm");
        assert_eq!([4, 5, 6, 7].map(|r| m.v(r, 2)), [0, 0, 0, 0x3f80_0000]);
    });
}

#[test]
fn what_is_not_executed_is_a_fault() {
    let load = "image_load v4, v[0:1], s[8:15] dmask:0x1 unorm";
    on(ALL, |m| {
        let isa = m.target.isa;
        let plain =
            ImageDescriptor::linear(isa, ImageKind::D2, DWORDS, [64, 64, 1]).expect("a layout");
        let mut reason = |descriptor: ImageDescriptor| {
            Image {
                descriptor,
                bytes: Vec::new(),
            }
            .bind(m);
            problem(m, load)
        };
        let layout = |error| ImageProblem::Layout(error);
        assert_eq!(
            reason(ImageDescriptor {
                tiling: 13,
                ..plain
            }),
            layout(LayoutError::Tiled(13))
        );
        assert_eq!(
            reason(ImageDescriptor {
                data_format: 35,
                ..plain
            }),
            layout(LayoutError::Format(35))
        );
        assert_eq!(
            reason(ImageDescriptor { kind: 14, ..plain }),
            layout(LayoutError::Samples)
        );
        assert_eq!(
            reason(ImageDescriptor { kind: 3, ..plain }),
            layout(LayoutError::Kind(3))
        );
        let numbers = ImageProblem::Numbers {
            number: 12,
            data: IMG_DATA_FORMAT_32,
        };
        assert_eq!(
            reason(ImageDescriptor {
                number_format: 12,
                ..plain
            }),
            numbers
        );
    });
}

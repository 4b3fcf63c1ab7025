//! Tests of image stores.

use gcn_isa::Isa;
use gcn_isa::image::number_format::*;
use gcn_isa::image::texel_format::*;
use gcn_isa::image::{ImageKind, Select};

use super::*;

#[test]
fn registers_become_texels() {
    on(ALL, |m| {
        let format = (IMG_DATA_FORMAT_8_8_8_8, IMG_NUM_FORMAT_UNORM);
        let image = Image::new(m, ImageKind::D2, format, [20, 9, 1]);
        m.set(0, |l| (l % 20) as u32)
            .set(1, |l| (l / 20) as u32 + 6);
        for r in 0..4 {
            m.set(4 + r, move |l| ((l + 60 * r) as f32 / 255.0).to_bits());
        }
        m.run("image_store v[4:7], v[0:1], s[8:15] dmask:0xf unorm");
        assert_eq!(image.texel(m, 0, [3, 8, 0]), [43, 103, 163, 223]);
        // Rows from 9 on do not exist.
        let len = image.bytes.len() as u64;
        let mut behind = vec![0; 64];
        assert!(
            m.device
                .memory
                .read(image.descriptor.address + len, &mut behind)
        );
        assert_eq!(behind, vec![0; 64]);
        assert!(!m.violated());
    });
}

#[test]
fn components_without_a_register_are_zero() {
    // Errata E202, E329.
    on(ALL, |m| {
        let format = (IMG_DATA_FORMAT_8_8_8_8, IMG_NUM_FORMAT_UINT);
        let image = Image::new(m, ImageKind::D1, format, [64, 1, 1]);
        m.set(0, |l| l as u32).set(4, |_| 11).set(5, |_| 22);
        m.run("image_store v[4:5], v0, s[8:15] dmask:0xa unorm");
        assert_eq!(image.texel(m, 0, [7, 0, 0]), [0, 11, 0, 22]);
        // Components are swapped as for loads.
        let select = [Select::Z, Select::Y, Select::X, Select::W];
        let image = Image {
            descriptor: image.descriptor.selecting(select),
            ..image
        };
        image.bind(m);
        for r in 0..4 {
            m.set(4 + r, move |_| 1 + r as u32);
        }
        m.run("image_store v[4:7], v0, s[8:15] dmask:0xf unorm");
        assert_eq!(image.texel(m, 0, [7, 0, 0]), [3, 2, 1, 4]);
        m.run("image_load v[10:13], v0, s[8:15] dmask:0xf unorm");
        assert_eq!([10, 11, 12, 13].map(|r| m.v(r, 7)), [1, 2, 3, 4]);
    });
}

#[test]
fn raw_texels_and_levels_are_stored() {
    on(ALL, |m| {
        let format = (IMG_DATA_FORMAT_16, IMG_NUM_FORMAT_UNORM);
        let image = Image::new(m, ImageKind::D1, format, [64, 1, 1]);
        m.set(0, |l| l as u32).set(1, |l| (l & 1) as u32);
        m.set(4, |_| 0x1234_5678);
        m.run("image_store_pck v4, v0, s[8:15] dmask:0x1 unorm");
        assert_eq!(image.texel(m, 0, [63, 0, 0]), [0x78, 0x56]);
        m.set(4, |_| 0xabcd);
        m.run("image_store_mip_pck v4, v[0:1], s[8:15] dmask:0x1 unorm");
        assert_eq!(image.texel(m, 0, [62, 0, 0]), [0xcd, 0xab]);
        assert_eq!(
            image.texel(m, 0, [63, 0, 0]),
            [0x78, 0x56],
            "there is no level 1"
        );
    });
}

#[test]
fn small_formats_are_packed() {
    on(ALL, |m| {
        m.set(0, |l| l as u32);
        for (n, value) in [(4, 1.0f32), (5, 0.5), (6, 0.0), (7, 1.0)] {
            m.set(n, move |_| value.to_bits());
        }
        for (data, expected) in [
            (IMG_DATA_FORMAT_5_6_5, 0x041f),
            (IMG_DATA_FORMAT_1_5_5_5, 0x821f),
            (IMG_DATA_FORMAT_5_5_5_1, 0xf821),
            (IMG_DATA_FORMAT_4_4_4_4, 0xf08f),
            (IMG_DATA_FORMAT_6_5_5, 0x021f),
        ] {
            let image = Image::new(m, ImageKind::D1, (data, IMG_NUM_FORMAT_UNORM), [64, 1, 1]);
            m.run("image_store v[4:7], v0, s[8:15] dmask:0xf unorm");
            let texel = image.texel(m, 0, [9, 0, 0]);
            assert_eq!(u16::from_le_bytes([texel[0], texel[1]]), expected, "{data}");
        }
        Image::new(
            m,
            ImageKind::D1,
            (IMG_DATA_FORMAT_5_9_9_9, IMG_NUM_FORMAT_FLOAT),
            [64, 1, 1],
        );
        let reason = problem(m, "image_store v[4:7], v0, s[8:15] dmask:0xf unorm");
        assert!(matches!(reason, ImageProblem::StoredNumbers { .. }));
    });
}

#[test]
fn stores_count_as_other_vector_memory() {
    on(ALL, |m| {
        let format = (IMG_DATA_FORMAT_32, IMG_NUM_FORMAT_UINT);
        Image::new(m, ImageKind::D1, format, [64, 1, 1]);
        let locked = u8::from(m.target.isa == Isa::Si);
        m.set(0, |l| l as u32);
        assert_eq!(
            m.counts("image_store v4, v0, s[8:15] dmask:0x1 unorm"),
            (1, 0, locked)
        );
        assert_eq!(
            m.counts("image_load v4, v0, s[8:15] dmask:0x1 unorm"),
            (1, 0, 0)
        );
    });
}

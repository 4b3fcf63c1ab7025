//! Tests of image atomics.

use gcn_isa::Isa;
use gcn_isa::image::number_format::*;
use gcn_isa::image::texel_format::*;
use gcn_isa::image::{ImageDescriptor, ImageKind};

use super::*;

#[test]
fn texels_are_changed_and_returned() {
    on(ALL, |m| {
        let format = (IMG_DATA_FORMAT_32, IMG_NUM_FORMAT_UINT);
        let image = Image::new(m, ImageKind::D2, format, [20, 9, 1]);
        let old = dword(&image.texel(m, 0, [3, 2, 0]));
        m.set(0, |_| 3).set(1, |_| 2).set(4, |l| l as u32);
        m.run("image_atomic_add v4, v[0:1], s[8:15] dmask:0x1 unorm glc");
        let sums = |lane: u32| old.wrapping_add(lane * lane.saturating_sub(1) / 2);
        assert_eq!((m.v(4, 0), m.v(4, 1), m.v(4, 63)), (old, old, sums(63)));
        assert_eq!(dword(&image.texel(m, 0, [3, 2, 0])), sums(64));
        // Without GLC, the register does not change.
        m.set(4, |_| 5)
            .exec(1)
            .run("image_atomic_swap v4, v[0:1], s[8:15] dmask:0x1 unorm");
        assert_eq!((m.v(4, 0), dword(&image.texel(m, 0, [3, 2, 0]))), (5, 5));
        m.set(4, |_| 9).set(5, |_| 5);
        m.run("image_atomic_cmpswap v[4:5], v[0:1], s[8:15] dmask:0x3 unorm glc");
        assert_eq!(
            (m.v(4, 0), m.v(5, 0), dword(&image.texel(m, 0, [3, 2, 0]))),
            (5, 5, 9)
        );
    });
}

#[test]
fn out_of_range_nothing_is_changed() {
    // Errata E324.
    on(ALL, |m| {
        let format = (IMG_DATA_FORMAT_32, IMG_NUM_FORMAT_UINT);
        let image = Image::new(m, ImageKind::D1, format, [20, 1, 1]);
        m.set(0, |l| 19 + l as u32).set(4, |_| 7);
        m.run("image_atomic_umax v4, v0, s[8:15] dmask:0x1 unorm glc");
        assert_eq!((m.v(4, 0), m.v(4, 1)), (dword(&image.bytes[76..80]), 0));
        assert!(!m.violated());
    });
}

#[test]
fn the_mask_says_how_wide_they_are() {
    // Errata E330.
    on(ALL, |m| {
        let pairs = (IMG_DATA_FORMAT_32_32, IMG_NUM_FORMAT_UINT);
        let image = Image::new(m, ImageKind::D1, pairs, [64, 1, 1]);
        m.set(0, |l| l as u32).set(4, |_| u32::MAX).set(5, |_| 0);
        m.run("image_atomic_add v[4:5], v0, s[8:15] dmask:0x3 unorm glc");
        let old = u64::from_le_bytes(image.bytes[72..80].try_into().expect("eight bytes"));
        assert_eq!(m.v64(4, 9), old);
        let new = image.texel(m, 0, [9, 0, 0]);
        assert_eq!(
            u64::from_le_bytes(new.try_into().expect("eight bytes")),
            old + u64::from(u32::MAX)
        );
        let reason = problem(m, "image_atomic_add v4, v0, s[8:15] dmask:0x1 unorm");
        assert_eq!(
            reason,
            ImageProblem::AtomicSize {
                atomic: 4,
                texel: 8
            }
        );
        // A compare-and-swap and an addition of three dwords, which assemblers do not accept.
        let (compare, add) = if m.target.isa < Isa::Vi {
            (0xf040_1700_u32, 0xf044_1700_u32)
        } else {
            (0xf044_1700, 0xf048_1700)
        };
        for (first, needed) in [(compare, 4), (add, 2)] {
            let reason = problem(m, &format!(".long {first:#x}, 0x20400"));
            assert_eq!(reason, ImageProblem::AtomicData { mask: 7, needed });
        }
    });
}

#[test]
fn each_generation_has_its_own_atomics() {
    on(&[SI, CI], |m| {
        let format = (IMG_DATA_FORMAT_32, IMG_NUM_FORMAT_FLOAT);
        let descriptor = ImageDescriptor::linear(m.target.isa, ImageKind::D1, format, [64, 1, 1]);
        let image = Image::with(m, descriptor.expect("a layout"), |_| 0);
        m.set(0, |l| l as u32)
            .set(4, |l| (l as f32 - 2.0).to_bits());
        m.run("image_atomic_fmax v4, v0, s[8:15] dmask:0x1 unorm");
        assert_eq!(dword(&image.texel(m, 0, [1, 0, 0])), 0);
        assert_eq!(dword(&image.texel(m, 0, [9, 0, 0])), 7.0f32.to_bits());
        if m.target.isa == Isa::Si {
            m.set(4, |_| 0)
                .run("image_atomic_rsub v4, v0, s[8:15] dmask:0x1 unorm");
            assert_eq!(
                dword(&image.texel(m, 0, [9, 0, 0])),
                7.0f32.to_bits().wrapping_neg()
            );
        }
    });
}

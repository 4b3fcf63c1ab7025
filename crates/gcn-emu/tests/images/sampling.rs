//! Tests of samples against an independent model in plain f64 arithmetic (errata E326, E327, E331).

use gcn_isa::image::number_format::*;
use gcn_isa::image::texel_format::*;
use gcn_isa::image::{
    BorderColor, Clamp, ImageDescriptor, ImageKind, MipFilter, Reduction, TexelFilter,
};

use super::*;

/// Random number generator.
struct Chance(u64);

impl Chance {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(0x5851_f42d_4c95_7f2d)
            .wrapping_add(0x1405_7b7e_f767_814f);
        (self.0 >> 33) % limit
    }

    /// Coordinate from −2 to 3, often at the edge of a texel.
    fn coordinate(&mut self) -> f32 {
        match self.below(4) {
            0 => self.below(11) as f32 / 2.0 - 2.0,
            _ => self.below(5 << 20) as f32 / (1u32 << 20) as f32 - 2.0,
        }
    }
}

const CLAMPS: [Clamp; 8] = [
    Clamp::Wrap,
    Clamp::Mirror,
    Clamp::LastTexel,
    Clamp::MirrorOnceLastTexel,
    Clamp::HalfBorder,
    Clamp::MirrorOnceHalfBorder,
    Clamp::Border,
    Clamp::MirrorOnceBorder,
];

/// Texel of the model for a number outside of a row of `size` texels, moved into the row step by step.
fn clamped(clamp: Clamp, mut number: i64, size: i64) -> Option<i64> {
    loop {
        if (0..size).contains(&number) {
            return Some(number);
        }
        number = match clamp {
            Clamp::Wrap if number < 0 => number + size,
            Clamp::Wrap => number - size,
            Clamp::Mirror if number < 0 => -number - 1,
            Clamp::Mirror => 2 * size - number - 1,
            Clamp::LastTexel if number < 0 => 0,
            Clamp::LastTexel => size - 1,
            Clamp::Border | Clamp::HalfBorder => return None,
            _ if number < 0 => -number - 1,
            Clamp::MirrorOnceLastTexel => size - 1,
            _ => return None,
        };
    }
}

/// Texels of the model in one dimension, with their weights.
fn taken(clamp: Clamp, coordinate: f64, size: i64, is_linear: bool) -> Vec<(Option<i64>, f64)> {
    let mut at = coordinate;
    if matches!(
        clamp,
        Clamp::MirrorOnceLastTexel | Clamp::MirrorOnceHalfBorder | Clamp::MirrorOnceBorder
    ) {
        at = at.abs();
    }
    if clamp == Clamp::HalfBorder || clamp == Clamp::MirrorOnceHalfBorder {
        at = at.max(0.0).min(size as f64);
    }
    if !is_linear {
        // The sampler does not truncate.
        let mut number = ((at * 256.0 + 0.5).floor() as i64).div_euclid(256);
        if clamp == Clamp::HalfBorder || clamp == Clamp::MirrorOnceHalfBorder {
            number = number.min(size - 1);
        }
        return vec![(clamped(clamp, number, size), 1.0)];
    }
    let fixed = ((at - 0.5) * 256.0 + 0.5).floor() as i64;
    let (number, part) = (fixed.div_euclid(256), fixed.rem_euclid(256) as f64 / 256.0);
    vec![
        (clamped(clamp, number, size), 1.0 - part),
        (clamped(clamp, number + 1, size), part),
    ]
}

#[test]
fn samples_are_the_models() {
    on(ALL, |m| {
        let mut chance = Chance(7);
        for round in 0..160 {
            let size = [1 + chance.below(9) as u32, 1 + chance.below(7) as u32, 1];
            let format = (IMG_DATA_FORMAT_8_8_8_8, IMG_NUM_FORMAT_UNORM);
            let image = Image::new(m, ImageKind::D2, format, size);
            let is_linear = chance.below(2) == 0;
            let is_unnormalized = chance.below(2) == 0;
            let filter = if is_linear {
                TexelFilter::Linear
            } else {
                TexelFilter::Point
            };
            let colors = [
                BorderColor::TransparentBlack,
                BorderColor::OpaqueBlack,
                BorderColor::OpaqueWhite,
            ];
            let border = colors[chance.below(3) as usize];
            let clamp = [
                CLAMPS[round % 8],
                CLAMPS[chance.below(8) as usize],
                Clamp::Wrap,
            ];
            let sampler = SamplerDescriptor {
                clamp,
                unnormalized: is_unnormalized,
                mag_filter: filter,
                min_filter: filter,
                border,
                ..SamplerDescriptor::default()
            };
            bind_sampler(m, &sampler);
            let scales =
                [size[0] as f32, size[1] as f32].map(|s| if is_unnormalized { s } else { 1.0 });
            let coordinates: Vec<[f32; 2]> = (0..LANES)
                .map(|_| {
                    [
                        chance.coordinate() * scales[0],
                        chance.coordinate() * scales[1],
                    ]
                })
                .collect();
            m.set(0, |l| coordinates[l][0].to_bits());
            m.set(1, |l| coordinates[l][1].to_bits());
            let [lz, l] = [
                "image_sample_lz v[4:7], v[0:1]",
                "image_sample_l v[4:7], v[0:2]",
            ];
            m.set(2, |_| 0);
            let name = if round % 2 == 0 { lz } else { l };
            m.run(&format!("{name}, s[8:15], s[16:19] dmask:0xf"));
            for (lane, at) in coordinates.iter().enumerate() {
                let mut expected = [0.0; 4];
                let whole = |n: usize| {
                    f64::from(at[n])
                        * if is_unnormalized {
                            1.0
                        } else {
                            f64::from(size[n])
                        }
                };
                for (y, weight_y) in taken(clamp[1], whole(1), size[1].into(), is_linear) {
                    for (x, weight_x) in taken(clamp[0], whole(0), size[0].into(), is_linear) {
                        let color = match (x, y) {
                            (Some(x), Some(y)) => {
                                let texel = image.texel(m, 0, [x as u32, y as u32, 0]);
                                [0, 1, 2, 3].map(|n| f64::from(texel[n]) / 255.0)
                            }
                            _ => match border {
                                BorderColor::OpaqueWhite => [1.0; 4],
                                BorderColor::OpaqueBlack => [0.0, 0.0, 0.0, 1.0],
                                _ => [0.0; 4],
                            },
                        };
                        for (sum, value) in expected.iter_mut().zip(color) {
                            *sum += value * weight_x * weight_y;
                        }
                    }
                }
                for (n, expected) in expected.iter().enumerate() {
                    let sampled = f64::from(f32::from_bits(m.v(4 + n, lane)));
                    assert!(
                        (sampled - expected).abs() < 1e-6,
                        "{} round {round} lane {lane} {at:?} of {size:?}: {sampled} for {expected}, {sampler:?}",
                        m.target.name
                    );
                }
            }
        }
        assert!(!m.violated());
    });
}

/// Sampler with texel coordinates and linear filters.
fn linear() -> SamplerDescriptor {
    SamplerDescriptor {
        clamp: [Clamp::LastTexel; 3],
        unnormalized: true,
        mag_filter: TexelFilter::Linear,
        min_filter: TexelFilter::Linear,
        ..SamplerDescriptor::default()
    }
}

const FLOATS: (u8, u8) = (IMG_DATA_FORMAT_32, IMG_NUM_FORMAT_FLOAT);

/// Image of one component, whose value is the texel's number in its layer plus 100 times the layer.
fn numbered(m: &mut Machine, kind: ImageKind, size: [u32; 3]) -> Image {
    let image = Image::new(m, kind, FLOATS, size);
    let layout = image.descriptor.layout(m.target.isa).expect("a layout");
    for z in 0..size[2] {
        for y in 0..size[1] {
            for x in 0..size[0] {
                let value = (x + y * size[0] + 100 * z) as f32;
                let address = image.descriptor.address + layout.offset(x, y, z);
                m.device
                    .memory
                    .store_u32(address, value.to_bits())
                    .expect("it is mapped");
            }
        }
    }
    image
}

fn sampled(m: &mut Machine, text: &str, registers: &[f32]) -> f32 {
    for (n, value) in registers.iter().enumerate() {
        m.set(n, |_| value.to_bits());
    }
    m.run(&format!("{text}, s[8:15], s[16:19] dmask:0x1"));
    f32::from_bits(m.v(12, 17))
}

fn sampled_layer(m: &mut Machine, text: &str, registers: &[f32]) -> f32 {
    for (n, value) in registers.iter().enumerate() {
        m.set(n, |_| value.to_bits());
    }
    m.run(&format!("{text}, s[8:15], s[16:19] dmask:0x1 da"));
    f32::from_bits(m.v(12, 17))
}

#[test]
fn depth_is_filtered_and_layers_are_rounded() {
    on(ALL, |m| {
        bind_sampler(m, &linear());
        numbered(m, ImageKind::D3, [4, 4, 3]);
        assert_eq!(
            sampled(m, "image_sample_lz v12, v[0:2]", &[1.5, 2.5, 1.0]),
            9.0 + 50.0
        );
        assert_eq!(
            sampled(m, "image_sample_lz v12, v[0:2]", &[2.0, 2.5, 1.5]),
            9.5 + 100.0
        );
        numbered(m, ImageKind::D2Array, [4, 4, 3]);
        assert_eq!(
            sampled_layer(m, "image_sample_lz v12, v[0:2]", &[1.5, 2.5, 1.4]),
            109.0
        );
        // The layer is rounded to nearest even, and limited to the last one.
        assert_eq!(
            sampled_layer(m, "image_sample_lz v12, v[0:2]", &[1.5, 2.5, 0.5]),
            9.0
        );
        assert_eq!(
            sampled_layer(m, "image_sample_lz v12, v[0:2]", &[1.5, 2.5, 7.0]),
            209.0
        );
        assert_eq!(
            sampled_layer(m, "image_sample_lz v12, v[0:2]", &[1.5, 2.5, -7.0]),
            9.0
        );
        numbered(m, ImageKind::D1Array, [4, 1, 3]);
        assert_eq!(
            sampled_layer(m, "image_sample_lz v12, v[0:1]", &[1.0, 2.0]),
            200.5
        );
    });
}

#[test]
fn faces_of_cubes_are_layers() {
    on(ALL, |m| {
        let sampler = SamplerDescriptor {
            mag_filter: TexelFilter::Point,
            min_filter: TexelFilter::Point,
            unnormalized: false,
            ..linear()
        };
        bind_sampler(m, &sampler);
        numbered(m, ImageKind::Cube, [4, 4, 6]);
        // Coordinates within a face range from 1 to 2.
        assert_eq!(
            sampled_layer(m, "image_sample_lz v12, v[0:2]", &[1.3, 1.6, 5.0]),
            509.0
        );
        bind_sampler(m, &linear());
        let text = "image_sample_lz v12, v[0:2], s[8:15], s[16:19] dmask:0x1 da";
        assert_eq!(problem(m, text), ImageProblem::CubeEdges);
    });
}

#[test]
fn a_point_filter_rounds_coordinates_unless_the_sampler_truncates() {
    on(ALL, |m| {
        // Less than half of 1/256 below the third texel, and more than that.
        for (truncates, coordinate, expected) in [
            (false, 1.999, 2.0),
            (false, 1.99, 1.0),
            (true, 1.999, 1.0),
            (true, 2.0, 2.0),
        ] {
            let sampler = SamplerDescriptor {
                mag_filter: TexelFilter::Point,
                min_filter: TexelFilter::Point,
                truncates,
                ..linear()
            };
            bind_sampler(m, &sampler);
            numbered(m, ImageKind::D2, [4, 4, 1]);
            let texel = sampled(m, "image_sample_lz v12, v[0:1]", &[coordinate, 0.5]);
            assert_eq!(texel, expected);
        }
    });
}

#[test]
fn offsets_count_texels() {
    on(ALL, |m| {
        bind_sampler(
            m,
            &SamplerDescriptor {
                unnormalized: false,
                ..linear()
            },
        );
        numbered(m, ImageKind::D2, [4, 4, 1]);
        let offsets = f32::from_bits(1 | 0x3f << 8);
        let texel = sampled(m, "image_sample_lz_o v12, v[0:2]", &[offsets, 0.375, 0.625]);
        assert_eq!(texel, 4.0 + 2.0);
    });
}

#[test]
fn texels_are_compared_before_they_are_filtered() {
    on(ALL, |m| {
        // Texels 1 and 2, weighted equally.
        for (compare, reference, expected) in [
            (1, 1.5, 0.5),
            (0, 1.5, 0.0),
            (3, 1.0, 1.0),
            (4, 1.5, 0.5),
            (2, 2.0, 0.5),
            (5, 2.0, 0.5),
            (6, 2.0, 1.0),
            (7, 9.0, 1.0),
        ] {
            bind_sampler(
                m,
                &SamplerDescriptor {
                    compare,
                    ..linear()
                },
            );
            numbered(m, ImageKind::D1, [4, 1, 1]);
            let part = sampled(m, "image_sample_c_lz v12, v[0:1]", &[reference, 2.0]);
            assert_eq!(part, expected, "{compare}");
        }
    });
}

#[test]
fn the_smallest_and_the_largest_are_filters() {
    on(ALL, |m| {
        numbered(m, ImageKind::D1, [4, 1, 1]);
        for (reduction, expected) in [
            (Reduction::Blend, 1.5),
            (Reduction::Minimum, 1.0),
            (Reduction::Maximum, 2.0),
        ] {
            bind_sampler(
                m,
                &SamplerDescriptor {
                    reduction,
                    ..linear()
                },
            );
            assert_eq!(sampled(m, "image_sample_lz v12, v0", &[2.0]), expected);
        }
        bind_sampler(
            m,
            &SamplerDescriptor {
                reduction: Reduction::Reserved,
                ..linear()
            },
        );
        assert_eq!(
            problem(m, "image_sample_lz v12, v0, s[8:15], s[16:19] dmask:0x1"),
            ImageProblem::Reduction
        );
    });
}

#[test]
fn gathers_take_four_texels() {
    on(ALL, |m| {
        let sampler = SamplerDescriptor {
            mag_filter: TexelFilter::Point,
            min_filter: TexelFilter::Point,
            ..linear()
        };
        bind_sampler(m, &sampler);
        numbered(m, ImageKind::D2, [4, 4, 1]);
        for (n, value) in [1.2f32, 2.7].iter().enumerate() {
            m.set(n, |_| value.to_bits());
        }
        m.run("image_gather4_lz v[12:15], v[0:1], s[8:15], s[16:19] dmask:0x1");
        let gathered = [12, 13, 14, 15].map(|r| f32::from_bits(m.v(r, 40)));
        assert_eq!(gathered, [12.0, 13.0, 9.0, 8.0]);
        // Texels 8, 9, 12 and 13 are compared with a reference of 9.5.
        bind_sampler(
            m,
            &SamplerDescriptor {
                compare: 4,
                ..sampler
            },
        );
        for (n, value) in [9.5f32, 1.2, 2.7].iter().enumerate() {
            m.set(n, |_| value.to_bits());
        }
        m.run("image_gather4_c_lz v[12:15], v[0:2], s[8:15], s[16:19] dmask:0x1");
        let gathered = [12, 13, 14, 15].map(|r| f32::from_bits(m.v(r, 40)));
        assert_eq!(gathered, [0.0, 0.0, 1.0, 1.0]);
    });
}

#[test]
fn e331_integers_are_gathered_around_their_texel() {
    // Up to GCN 1.2, Mesa moves the coordinates of these gathers by half a texel.
    on(ALL, |m| {
        bind_sampler(m, &linear());
        let image = Image::new(
            m,
            ImageKind::D1,
            (IMG_DATA_FORMAT_32, IMG_NUM_FORMAT_UINT),
            [8, 1, 1],
        );
        m.set(0, |_| 2.2f32.to_bits());
        m.run("image_gather4_lz v[12:15], v0, s[8:15], s[16:19] dmask:0x1");
        let first = if BEFORE_GFX9.contains(&m.target.name) {
            2
        } else {
            1
        };
        assert_eq!(m.v(12, 3), dword(&image.texel(m, 0, [first, 0, 0])));
        assert_eq!(m.v(13, 3), dword(&image.texel(m, 0, [first + 1, 0, 0])));
    });
}

/// Binds an image with levels of 8, 4 and 2 texels. Each texel is the number of its level.
fn with_levels(m: &mut Machine) {
    let isa = m.target.isa;
    let plain = ImageDescriptor::linear(isa, ImageKind::D2, FLOATS, [8, 8, 1]).expect("a layout");
    let is_nine = NINE.contains(&m.target.name);
    let descriptor = ImageDescriptor {
        last_level: 2,
        max_level: 2,
        pow2_pad: !is_nine,
        pitch: if is_nine { 8 + 4 + 2 } else { plain.pitch },
        ..plain
    };
    let image = Image::with(m, descriptor, |_| 0);
    for level in 0..3u8 {
        let layout = image.descriptor.layout_of(isa, level).expect("a layout");
        for (x, y) in (0..8 >> level).flat_map(|x| (0..8 >> level).map(move |y| (x, y))) {
            let address = image.descriptor.address + layout.offset(x, y, 0);
            let value = f32::from(level).to_bits();
            m.device
                .memory
                .store_u32(address, value)
                .expect("it is mapped");
        }
    }
}

#[test]
fn levels_of_detail_choose_levels() {
    on(ALL, |m| {
        with_levels(m);
        let plain = SamplerDescriptor {
            clamp: [Clamp::LastTexel; 3],
            mip_filter: MipFilter::Linear,
            ..SamplerDescriptor::default()
        };
        bind_sampler(m, &plain);
        let l = "image_sample_l v12, v[0:2]";
        for (lod, expected) in [
            (0.0, 0.0),
            (0.25, 0.25),
            (1.5, 1.5),
            (9.0, 2.0),
            (-3.0, 0.0),
            (f32::NAN, 0.0),
        ] {
            assert_eq!(sampled(m, l, &[0.5, 0.5, lod]), expected, "{lod}");
        }
        bind_sampler(
            m,
            &SamplerDescriptor {
                mip_filter: MipFilter::Point,
                ..plain
            },
        );
        assert_eq!(sampled(m, l, &[0.5, 0.5, 0.75]), 1.0);
        bind_sampler(
            m,
            &SamplerDescriptor {
                mip_filter: MipFilter::None,
                ..plain
            },
        );
        assert_eq!(sampled(m, l, &[0.5, 0.5, 1.75]), 0.0);
        // LOD limits of the sampler.
        bind_sampler(
            m,
            &SamplerDescriptor {
                min_lod: 0x140,
                max_lod: 0x180,
                ..plain
            },
        );
        assert_eq!(sampled(m, l, &[0.5, 0.5, 0.0]), 1.25);
        assert_eq!(sampled(m, l, &[0.5, 0.5, 9.0]), 1.5);
        // Gradients of two texels in level 0 select level 1; the sampler's bias is added.
        bind_sampler(
            m,
            &SamplerDescriptor {
                lod_bias: 0x40,
                ..plain
            },
        );
        let d = "image_sample_d v12, v[0:5]";
        assert_eq!(sampled(m, d, &[0.25, 0.0, 0.0, 0.125, 0.5, 0.5]), 1.25);
        let d_cl = "image_sample_d_cl v12, v[0:6]";
        assert_eq!(
            sampled(m, d_cl, &[0.25, 0.0, 0.0, 0.125, 0.5, 0.5, 1.5]),
            1.5
        );
    });
}

#[test]
fn quads_have_levels_of_detail() {
    on(ALL, |m| {
        with_levels(m);
        let sampler = SamplerDescriptor {
            clamp: [Clamp::LastTexel; 3],
            mip_filter: MipFilter::Linear,
            ..SamplerDescriptor::default()
        };
        bind_sampler(m, &sampler);
        // From lane to lane of a quad: two texels of level 0 across, one down.
        m.set(1, |l| ((l & 1) as f32 / 4.0).to_bits());
        m.set(2, |l| ((l >> 1 & 1) as f32 / 8.0).to_bits());
        m.set(0, |_| 0.5f32.to_bits());
        m.run("image_sample v12, v[1:2], s[8:15], s[16:19] dmask:0x1");
        assert_eq!(f32::from_bits(m.v(12, 30)), 1.0);
        m.run("image_sample_b v12, v[0:2], s[8:15], s[16:19] dmask:0x1");
        assert_eq!(f32::from_bits(m.v(12, 30)), 1.5);
        m.run("image_get_lod v[12:13], v[1:2], s[8:15], s[16:19] dmask:0x3");
        assert_eq!(
            (f32::from_bits(m.v(12, 30)), f32::from_bits(m.v(13, 30))),
            (1.0, 1.0)
        );
    });
}

#[test]
fn unsupported_samples_fault() {
    on(ALL, |m| {
        numbered(m, ImageKind::D1, [4, 1, 1]);
        let text = "image_sample v12, v0, s[8:15], s[16:19] dmask:0x1";
        let anisotropic = SamplerDescriptor {
            min_filter: TexelFilter::AnisotropicLinear,
            max_aniso_ratio: 2,
            ..linear()
        };
        bind_sampler(m, &anisotropic);
        assert_eq!(problem(m, text), ImageProblem::Anisotropic);
        // A sample with an explicit level does not depend on the direction.
        assert_eq!(sampled(m, "image_sample_lz v12, v0", &[1.5]), 1.0);
        let table = SamplerDescriptor {
            clamp: [Clamp::Border; 3],
            border: BorderColor::Table,
            ..linear()
        };
        bind_sampler(m, &table);
        assert_eq!(problem(m, text), ImageProblem::BorderTable);
    });
}

#[test]
fn encoded_and_shared_floats_are_values() {
    on(ALL, |m| {
        bind_sampler(
            m,
            &SamplerDescriptor {
                mag_filter: TexelFilter::Point,
                ..linear()
            },
        );
        let encoded = (IMG_DATA_FORMAT_8_8_8_8, IMG_NUM_FORMAT_SRGB);
        let descriptor = ImageDescriptor::linear(m.target.isa, ImageKind::D1, encoded, [4, 1, 1])
            .expect("a layout");
        Image::with(m, descriptor, |n| [0, 188, 255, 128][n % 4]);
        m.set(0, |_| 0.5f32.to_bits());
        m.run("image_sample_lz v[12:15], v0, s[8:15], s[16:19] dmask:0xf");
        let values = [12, 13, 14, 15].map(|r| f32::from_bits(m.v(r, 9)));
        assert_eq!((values[0], values[2]), (0.0, 1.0));
        assert!((values[1] - 0.502_886).abs() < 1e-5, "{values:?}");
        assert_eq!(values[3], 128.0 / 255.0, "the fourth is none");
        // The components are 1.5 times 2^3, 2^1 and 2^0: 0x180 over 2^9 has exponent 1.
        let shared = (IMG_DATA_FORMAT_5_9_9_9, IMG_NUM_FORMAT_FLOAT);
        let descriptor = ImageDescriptor::linear(m.target.isa, ImageKind::D1, shared, [4, 1, 1])
            .expect("a layout");
        let word: u32 = 19 << 27 | 0x018 << 18 | 0x030 << 9 | 0x180;
        Image::with(m, descriptor, |n| word.to_le_bytes()[n % 4]);
        m.set(1, |_| 0)
            .run("image_load v[12:15], v1, s[8:15] dmask:0xf unorm");
        let values = [12, 13, 14, 15].map(|r| f32::from_bits(m.v(r, 9)));
        assert_eq!(values, [12.0, 1.5, 0.75, 1.0]);
    });
}

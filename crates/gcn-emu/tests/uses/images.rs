//! Valid images, samplers and addresses for image instructions.

use gcn_emu::wave::LANES;
use gcn_isa::effect::{AtomicOp, Half, ImageOp};
use gcn_isa::image::{
    AddressLayout, AddressPart, BorderColor, Clamp, ImageDescriptor, ImageKind, MipFilter,
    SamplerDescriptor, Select, TexelFilter, number_format, texel_format,
};
use gcn_isa::{Does, Field, Inst, Isa, Ty};

use super::sample::dword;
use super::stage::Noise;
use super::state::State;

/// Registers of an image instruction.
pub struct Registers {
    /// First scalar register of the image descriptor.
    pub image: u8,
    /// First scalar register of the sampler descriptor.
    pub sampler: Option<u8>,
    /// First vector register of the address.
    pub address: usize,
}

fn one_of<T: Copy>(noise: &mut Noise, all: &[T]) -> T {
    all[noise.below(all.len() as u64) as usize]
}

/// Sets the registers to valid values. The image is at `base`, where 2 KiB are available.
pub fn give(inst: &Inst, state: &mut State, noise: &mut Noise, base: u64, registers: &Registers) {
    let image = image(inst, noise).at(base);
    let sampler = sampler(&image, noise);
    let mut put = |code: u8, words: &[u32]| {
        for (code, word) in (usize::from(code)..).zip(words) {
            state.scalars[code] = *word;
        }
    };
    if let Some(code) = registers.sampler {
        put(code, &sampler.words());
    }
    let words = image.words(inst.isa);
    let count = if inst.flag(Field::R128) { 4 } else { 8 };
    put(registers.image, &words[..count]);
    address(inst, state, noise, (&image, &sampler), registers.address);
}

/// Random small image.
fn image(inst: &Inst, noise: &mut Noise) -> ImageDescriptor {
    use ImageKind::{Cube, D1, D1Array, D2, D2Array, D3};
    let isa = inst.isa;
    let format = match inst.does() {
        Does::Atomic(_, ty) => {
            let dwords = inst.get(Field::Dmask).count_ones();
            let compares = matches!(inst.does(), Does::Atomic(AtomicOp::CompareSwap, _));
            let is_wide = dwords > if compares { 2 } else { 1 };
            let numbers = if ty == Ty::F32 {
                number_format::IMG_NUM_FORMAT_FLOAT
            } else {
                number_format::IMG_NUM_FORMAT_UINT
            };
            let data = if is_wide {
                texel_format::IMG_DATA_FORMAT_32_32
            } else {
                texel_format::IMG_DATA_FORMAT_32
            };
            (data, numbers)
        }
        _ => {
            let numbers = [
                number_format::IMG_NUM_FORMAT_UINT,
                number_format::IMG_NUM_FORMAT_FLOAT,
            ];
            (
                texel_format::IMG_DATA_FORMAT_32_32_32_32,
                one_of(noise, &numbers),
            )
        }
    };
    let kinds: &[ImageKind] = if inst.flag(Field::R128) {
        &[D1, D2]
    } else if inst.flag(Field::Da) {
        &[D1Array, D2Array, Cube, D1Array, D2Array, D1, D3]
    } else {
        &[D1, D2, D3, D2, D3, D2Array]
    };
    let kind = one_of(noise, kinds);
    let size = match kind {
        D1 => [16, 1, 1],
        D1Array => [16, 1, 3],
        D2 if inst.flag(Field::R128) => [16, 3, 1],
        D2 => [6, 3, 1],
        _ => [4, 2, 2],
    };
    let plain = ImageDescriptor::linear(isa, kind, format, size).expect("a layout");
    let is_leveled = kind == D1 && !inst.flag(Field::R128) && noise.below(2) == 0;
    let plain = if is_leveled {
        ImageDescriptor {
            last_level: 1,
            max_level: 1,
            pow2_pad: isa < Isa::Gfx9,
            pitch: if isa < Isa::Gfx9 { plain.pitch } else { 2 },
            ..plain
        }
    } else {
        plain
    };
    let selects = [
        Select::XYZW,
        [Select::Y, Select::X, Select::W, Select::Z],
        [Select::X, Select::One, Select::Zero, Select::W],
    ];
    plain.selecting(one_of(noise, &selects))
}

fn sampler(image: &ImageDescriptor, noise: &mut Noise) -> SamplerDescriptor {
    let clamps = [
        Clamp::Wrap,
        Clamp::Mirror,
        Clamp::LastTexel,
        Clamp::Border,
        Clamp::HalfBorder,
    ];
    let filters = [TexelFilter::Point, TexelFilter::Linear];
    let levels = [MipFilter::None, MipFilter::Point, MipFilter::Linear];
    SamplerDescriptor {
        clamp: [0; 3].map(|_: i32| one_of(noise, &clamps)),
        compare: noise.below(8) as u8,
        unnormalized: noise.below(2) == 0,
        no_cube_wrap: image.kind == ImageKind::Cube as u8,
        min_lod: one_of(noise, &[0, 0, 0x80, 0x100]),
        lod_bias: one_of(noise, &[0, 0x40, -0x40]),
        mag_filter: one_of(noise, &filters),
        min_filter: one_of(noise, &filters),
        mip_filter: one_of(noise, &levels),
        border: one_of(
            noise,
            &[BorderColor::OpaqueWhite, BorderColor::TransparentBlack],
        ),
        ..SamplerDescriptor::default()
    }
}

/// Half-precision numbers 0, 0.25, 0.5, 0.75, 1, 1.5, 2.5.
const HALVES: [u32; 7] = [0, 0x3400, 0x3800, 0x3a00, 0x3c00, 0x3e00, 0x4100];

fn address(
    inst: &Inst,
    state: &mut State,
    noise: &mut Noise,
    (image, sampler): (&ImageDescriptor, &SamplerDescriptor),
    first: usize,
) {
    let kind = image.kind().expect("a kind");
    let (has_layer, is_short) = (inst.flag(Field::Da), inst.flag(Field::A16));
    let layout = AddressLayout::of(inst.does(), kind, has_layer, is_short);
    let is_sampled = matches!(
        inst.does(),
        Does::Image(ImageOp::Sample(_) | ImageOp::Gather(_) | ImageOp::LevelOfDetail)
    );
    let is_unnormalized = sampler.unnormalized || inst.flag(Field::Unorm);
    let sizes = [image.width, image.height, image.depth];
    let mut set = |part: Option<AddressPart>, lane: usize, bits: u32| {
        let Some(part) = part else { return };
        let register = &mut state.vgprs[first + usize::from(part.register)].0[lane];
        *register = match part.half {
            None => bits,
            Some(Half::Low) => *register & 0xffff_0000 | bits & 0xffff,
            Some(Half::High) => *register & 0xffff | bits << 16,
        };
    };
    let number = |noise: &mut Noise, part: Option<AddressPart>, limit: f32| match part
        .and_then(|part| part.half)
    {
        Some(_) => one_of(noise, &HALVES),
        None => (noise.below(64) as f32 / 48.0 * limit - limit / 8.0).to_bits(),
    };
    for lane in 0..LANES {
        for (n, part) in layout.coordinates.into_iter().enumerate() {
            let bits = if is_sampled {
                let limit = if is_unnormalized {
                    sizes[n] as f32
                } else {
                    1.0
                };
                number(noise, part, limit)
            } else {
                noise.below(u64::from(sizes[n])) as u32 + noise.below(12).saturating_sub(10) as u32
            };
            set(part, lane, bits);
        }
        let layer = if is_sampled {
            number(noise, layout.layer, 3.0)
        } else {
            noise.below(3) as u32
        };
        set(layout.layer, lane, layer);
        let level = if is_sampled {
            number(noise, layout.level, 1.5)
        } else {
            noise.below(3) as u32
        };
        set(layout.level, lane, level);
        let bias = number(noise, layout.bias, 1.0);
        set(layout.bias, lane, bias);
        set(layout.offsets, lane, noise.next() as u32);
        let reference = dword(noise);
        set(layout.reference, lane, reference);
        for part in layout.gradients.into_iter().flatten() {
            let bits = number(noise, part, 0.2);
            set(part, lane, bits);
        }
    }
}

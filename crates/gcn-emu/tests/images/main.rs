//! Tests of images: loads, stores, atomics, sizes and samples with descriptors of each generation.

#[path = "../common/mod.rs"]
mod common;

mod atomics;
mod loads;
mod sampling;
mod stores;

use gcn_emu::fault::{FaultKind, ImageProblem};
use gcn_isa::image::{ImageDescriptor, ImageKind, SamplerDescriptor};

use common::*;

/// First scalar register of the image descriptor.
pub const IMAGE: u8 = 8;
/// First scalar register of the sampler descriptor.
pub const SAMPLER: u8 = 16;

/// Linear image filled with a pattern, with its descriptor in s[8:15].
pub struct Image {
    /// Values of s[8:15].
    pub descriptor: ImageDescriptor,
    /// Initial contents.
    pub bytes: Vec<u8>,
}

/// Byte of a pattern of varying bytes that are not zero.
pub fn pattern(n: usize) -> u8 {
    (n as u32).wrapping_mul(0x9e37_79b1).rotate_left(9) as u8 | 1
}

impl Image {
    /// Creates an image filled with the pattern.
    pub fn new(m: &mut Machine, kind: ImageKind, format: (u8, u8), size: [u32; 3]) -> Image {
        let descriptor = ImageDescriptor::linear(m.target.isa, kind, format, size);
        Image::with(m, descriptor.expect("a layout"), pattern)
    }

    /// Creates an image with this descriptor, except for the address, filled by a function.
    pub fn with(m: &mut Machine, descriptor: ImageDescriptor, byte: impl Fn(usize) -> u8) -> Image {
        let len = descriptor.bytes(m.target.isa).expect("a layout");
        let bytes: Vec<u8> = (0..len as usize).map(byte).collect();
        let base = m.device.memory.allocate("image", len + 256);
        let base = base.expect("there is memory").next_multiple_of(256);
        assert!(m.device.memory.write(base, &bytes));
        let image = Image {
            descriptor: descriptor.at(base),
            bytes,
        };
        image.bind(m);
        image
    }

    /// Puts the descriptor into its registers.
    pub fn bind(&self, m: &mut Machine) {
        for (code, word) in (IMAGE..).zip(self.descriptor.words(m.target.isa)) {
            m.s(code, word);
        }
    }

    /// Bytes of a texel in a level.
    pub fn texel(&self, m: &Machine, level: u8, [x, y, z]: [u32; 3]) -> Vec<u8> {
        let layout = self.descriptor.layout_of(m.target.isa, level);
        let layout = layout.expect("a layout");
        let mut bytes = vec![0; layout.texel as usize];
        let address = self.descriptor.address + layout.offset(x, y, z);
        assert!(m.device.memory.read(address, &mut bytes));
        bytes
    }
}

/// Puts a sampler's descriptor into its registers.
pub fn bind_sampler(m: &mut Machine, sampler: &SamplerDescriptor) {
    for (code, word) in (SAMPLER..).zip(sampler.words()) {
        m.s(code, word);
    }
}

/// Reason why an image instruction is refused.
pub fn problem(m: &mut Machine, text: &str) -> ImageProblem {
    match m.try_run(text) {
        Err((FaultKind::Image(problem), _)) => problem,
        other => panic!("{}: {text}: {other:?}", m.target.name),
    }
}

/// Converts four bytes to a little-endian dword.
pub fn dword(bytes: &[u8]) -> u32 {
    u32::from_le_bytes(bytes.try_into().expect("four bytes"))
}

//! Image instructions and the images they access: coordinates, mip levels and texel addresses.

use gcn_isa::effect::{Half, ImageOp, TexelForm};
use gcn_isa::image::{
    AddressLayout, AddressPart, ImageDescriptor, ImageKind, ImageLayout, number_format,
    number_format_name, texel_format,
};
use gcn_isa::{Does, Isa};

use super::super::element::HALF_BITS;
use crate::exec::alu::float::F16;
use crate::fault::ImageProblem;
use crate::step::{COMPONENTS, ElementFormat, ImagePlan, MemoryPlan};
use crate::wave::Wave;

/// Maximum number of mip levels.
const LEVELS: usize = 16;

/// Image instruction with the image described by its registers.
pub(super) struct BoundImage<'a> {
    pub(super) isa: Isa,
    pub(super) plan: &'a MemoryPlan,
    pub(super) image_plan: &'a ImagePlan,
    pub(super) image: ImageDescriptor,
    pub(super) kind: ImageKind,
    pub(super) format: ElementFormat,
    pub(super) address: AddressLayout,
    /// Layouts of the accessible levels, starting at BASE_LEVEL. An image without a format has no levels, so all its
    /// texels are out of range.
    levels: [Option<ImageLayout>; LEVELS],
    bytes: u8,
}

impl<'a> BoundImage<'a> {
    /// Decodes the descriptor.
    pub(super) fn new(wave: &Wave, plan: &'a MemoryPlan) -> Result<BoundImage<'a>, ImageProblem> {
        let image_plan = plan.image.as_ref();
        let image_plan = image_plan.ok_or(ImageProblem::NoImage)?;
        let isa = wave.isa;
        let image = if image_plan.is_short {
            ImageDescriptor::from_short_words(isa, wave.scalars_from(plan.sbase))
        } else {
            ImageDescriptor::from_words(isa, wave.scalars_from(plan.sbase))
        };
        let kind = image.kind()?;
        let mut levels = [None; LEVELS];
        let mut bytes = 0;
        let is_bound = image.data_format != texel_format::IMG_DATA_FORMAT_INVALID;
        if is_bound && plan.does != Does::Image(ImageOp::Size) {
            let last = image.last_level.max(image.base_level);
            let wanted = image.base_level..=last;
            for (place, level) in levels.iter_mut().zip(wanted) {
                let layout = image.layout_of(isa, level)?;
                bytes = layout.texel as u8;
                *place = Some(layout);
            }
        }
        let bound = BoundImage {
            isa,
            plan,
            image_plan,
            image,
            kind,
            format: ElementFormat::of_image(isa, &image),
            address: image_plan.address(kind),
            levels,
            bytes,
        };
        bound.check_data()?;
        if is_bound {
            bound.check_numbers()?;
        }
        Ok(bound)
    }

    /// Checks that DMASK has one bit for each dword of an atomic's data (errata E330).
    fn check_data(&self) -> Result<(), ImageProblem> {
        let Does::Atomic(op, ty) = self.plan.does else {
            return Ok(());
        };
        let mask = self.image_plan.mask;
        let needed = ty.dwords() * op.values();
        if mask.max(1).count_ones() == u32::from(needed) {
            Ok(())
        } else {
            Err(ImageProblem::AtomicData { mask, needed })
        }
    }

    /// Checks that the number format is valid for the data format.
    fn check_numbers(&self) -> Result<(), ImageProblem> {
        use number_format::{IMG_NUM_FORMAT_FLOAT as FLOAT, IMG_NUM_FORMAT_SRGB as SRGB};
        use texel_format::IMG_DATA_FORMAT_5_9_9_9 as SHARED;
        let (number, data) = (self.image.number_format, self.image.data_format);
        #[expect(
            clippy::wildcard_enum_match_arm,
            reason = "`perform` refuses what else memory instructions do"
        )]
        let (is_raw, is_store) = match self.plan.does {
            Does::Image(ImageOp::Load(form, _)) => (form != TexelForm::Converted, false),
            Does::Image(ImageOp::Store(form, _)) => (form != TexelForm::Converted, true),
            Does::Image(ImageOp::Size) => (true, false),
            Does::Atomic(_, ty) => {
                let (atomic, texel) = (ty.bytes(), self.bytes);
                if atomic != texel {
                    return Err(ImageProblem::AtomicSize { atomic, texel });
                }
                (true, false)
            }
            _ => (false, false),
        };
        if is_raw {
            return Ok(());
        }
        let has_only = |widths: &[u8]| {
            let mut present = self.format.widths.iter().filter(|width| **width != 0);
            present.all(|width| widths.contains(width))
        };
        let is_known = match number {
            SRGB => has_only(&[8]),
            FLOAT => data == SHARED || has_only(&[10, 11, 16, 32]) || self.has_depth(),
            _ => data != SHARED && number_format_name(self.isa, number).is_some(),
        };
        if !is_known {
            return Err(ImageProblem::Numbers { number, data });
        }
        if is_store && (data == SHARED || number == SRGB) {
            return Err(ImageProblem::StoredNumbers { number, data });
        }
        Ok(())
    }

    /// True if the image has a format.
    pub(super) fn has_format(&self) -> bool {
        self.image.data_format != texel_format::IMG_DATA_FORMAT_INVALID
    }

    /// Returns which components the format has.
    pub(super) fn present(&self) -> [bool; COMPONENTS] {
        if self.image.data_format == texel_format::IMG_DATA_FORMAT_5_9_9_9 {
            return [true, true, true, false];
        }
        self.format.widths.map(|width| width != 0)
    }

    /// True for UNORM formats, whose texels are in the range 0 to 1.
    pub(super) fn is_normalized(&self) -> bool {
        self.image.number_format == number_format::IMG_NUM_FORMAT_UNORM
    }

    /// True for formats that combine a float depth with a stencil.
    fn has_depth(&self) -> bool {
        self.image.data_format == texel_format::IMG_DATA_FORMAT_X24_8_32
    }

    /// Returns the number of bytes per texel.
    pub(super) fn bytes(&self) -> u8 {
        self.bytes
    }

    /// Returns the layout of a level, counted from BASE_LEVEL.
    pub(super) fn level(&self, level: u32) -> Option<&ImageLayout> {
        self.levels.get(level as usize)?.as_ref()
    }

    /// Returns the last level, counted from BASE_LEVEL.
    pub(super) fn last_level(&self) -> u32 {
        u32::from(self.image.last_level.saturating_sub(self.image.base_level))
    }

    /// Returns the number of layers that coordinates can select.
    pub(super) fn layers(&self) -> u32 {
        if self.kind.has_layers() {
            (self.image.last_layer + 1).saturating_sub(self.image.first_layer)
        } else {
            1
        }
    }

    /// Returns the bits of a part of a lane's address; 0 if the part is absent.
    pub(super) fn part(&self, wave: &Wave, part: Option<AddressPart>, lane: usize) -> u32 {
        let (Some(part), Some(first)) = (part, self.plan.vaddr) else {
            return 0;
        };
        let dword = wave.vgpr(first.wrapping_add(part.register)).0[lane];
        match part.half {
            None => dword,
            Some(Half::Low) => dword & 0xffff,
            Some(Half::High) => dword >> HALF_BITS,
        }
    }

    /// Returns the floating-point value of a part of a lane's address.
    pub(super) fn number(&self, wave: &Wave, part: Option<AddressPart>, lane: usize) -> f64 {
        let bits = self.part(wave, part, lane);
        match part.and_then(|part| part.half) {
            None => f32::from_bits(bits).into(),
            Some(_) => F16(bits as u16).to_f32().into(),
        }
    }

    /// Returns the address of the texel at integer coordinates of a level; `None` if out of range.
    pub(super) fn at(&self, level: u32, [x, y, z]: [u32; 3], layer: u32) -> Option<u64> {
        let layout = self.level(level)?;
        let z = if self.kind == ImageKind::D3 {
            (z < layout.depth).then_some(z)?
        } else if self.kind.has_layers() {
            (layer < self.layers()).then_some(layer + self.image.first_layer)?
        } else {
            0
        };
        let is_inside = x < layout.width && y < layout.height;
        is_inside.then(|| self.image.address.wrapping_add(layout.offset(x, y, z)))
    }

    /// Returns the address of the texel that a load, store or atomic accesses in a lane; `None` if out of range (errata
    /// E324).
    pub(super) fn own_texel(&self, wave: &Wave, lane: usize) -> Option<u64> {
        let coordinate = |n: usize| self.part(wave, self.address.coordinates[n], lane);
        let level = self.part(wave, self.address.level, lane);
        let layer = self.part(wave, self.address.layer, lane);
        self.at(level, [0, 1, 2].map(coordinate), layer)
    }

    /// Returns the width, height and depth of a level, counted from BASE_LEVEL, and the number of levels, in the order
    /// of IMAGE_GET_RESINFO (errata E325).
    pub(super) fn sizes(&self, level: u32) -> [u32; 4] {
        let levels = self.last_level() + 1;
        if level >= levels {
            return [0, 0, 0, levels];
        }
        let shift = level + u32::from(self.image.base_level);
        let minified = |size: u32| (size >> shift).max(1);
        let (width, height) = (minified(self.image.width), minified(self.image.height));
        let layers = self.layers();
        let [width, height, depth] = match self.kind {
            ImageKind::D1 => [width, 0, 0],
            ImageKind::D1Array => [width, layers, 0],
            ImageKind::D2 | ImageKind::D2Msaa => [width, height, 0],
            ImageKind::D2Array | ImageKind::D2MsaaArray | ImageKind::Cube => {
                [width, height, layers]
            }
            ImageKind::D3 => [width, height, minified(self.image.depth)],
        };
        [width, height, depth, levels]
    }
}

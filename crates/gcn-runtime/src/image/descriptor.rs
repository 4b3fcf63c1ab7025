//! Image descriptors in memory, whose addresses are passed to kernels.
//!
//! A descriptor starts with the T# for image instructions (for a buffer image, the V# for buffer instructions). The dwords
//! read by the device library's queries follow: see `ockl/src/image.cl` in ROCm-Device-Libs.

use gcn_isa::Isa;
use gcn_isa::image::{ImageDescriptor, ImageKind, LayoutError};

use super::layout::{Geometry, Image};

/// Size of an image or sampler descriptor in memory, in bytes.
pub const DESCRIPTOR_BYTES: usize = 64;
/// Number of dwords used in an image descriptor.
pub const DESCRIPTOR_DWORDS: usize = 12;
/// Indices of the dwords that queries read for channel type, channel order and width.
const KIND_DWORD: usize = 8;
const ORDER_DWORD: usize = 9;
const WIDTH_DWORD: usize = 10;

/// Fields of a typed buffer descriptor (V#).
const STRIDE_SHIFT: u32 = 16;
const SELECT_BITS: usize = 3;
const NUMBER_FORMAT_SHIFT: u32 = 12;
const DATA_FORMAT_SHIFT: u32 = 15;

impl Image {
    /// Builds a descriptor for the image at an address, for devices with the given instruction set.
    ///
    /// # Errors
    /// Returns a [`LayoutError`] if these devices do not support the row pitch or the size.
    ///
    /// # Examples
    /// ```
    /// use gcn_isa::Isa;
    /// use gcn_runtime::image::{ChannelOrder, ChannelType, DeviceFormat, Geometry, Image};
    /// let format = DeviceFormat::new(ChannelOrder::R, ChannelType::Float).expect("a format");
    /// let image = Image::new(format, Geometry::D2, [100, 50, 1])?;
    /// let words = image.descriptor(Isa::Gfx9, 0x1000)?;
    /// assert_eq!(words[8..11], [15, 1, 100], "channel type, channel order, width");
    /// // Rows of 400 bytes are not aligned as hardware requires.
    /// assert!(image.with_row(400)?.descriptor(Isa::Gfx9, 0x1000).is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn descriptor(
        &self,
        isa: Isa,
        address: u64,
    ) -> Result<[u32; DESCRIPTOR_DWORDS], LayoutError> {
        let mut words = [0; DESCRIPTOR_DWORDS];
        match self.geometry {
            Geometry::D1 => self.put_image(isa, ImageKind::D1, address, &mut words)?,
            Geometry::D1Array => self.put_image(isa, ImageKind::D1Array, address, &mut words)?,
            Geometry::D1Buffer => self.put_buffer(isa, address, &mut words),
            Geometry::D2 => self.put_image(isa, ImageKind::D2, address, &mut words)?,
            Geometry::D2Array => self.put_image(isa, ImageKind::D2Array, address, &mut words)?,
            Geometry::D3 => self.put_image(isa, ImageKind::D3, address, &mut words)?,
        }
        words[KIND_DWORD] = self.format.kind() as u32;
        words[ORDER_DWORD] = self.format.order() as u32;
        words[WIDTH_DWORD] = self.size[0] as u32;
        Ok(words)
    }

    fn put_image(
        &self,
        isa: Isa,
        kind: ImageKind,
        address: u64,
        words: &mut [u32],
    ) -> Result<(), LayoutError> {
        let size = self.size.map(|n| n as u32);
        let image = ImageDescriptor::linear(isa, kind, self.format.numbers(), size)?;
        let image = ImageDescriptor {
            pitch: (self.pitches.row / self.format.bytes()) as u32,
            ..image.selecting(self.format.order().select()).at(address)
        };
        let all = image.words(isa);
        // `words` truncates a pitch that does not fit its field.
        let layout = ImageDescriptor::from_words(isa, all).layout(isa)?;
        let distances = (layout.row, layout.layer);
        if distances != (self.pitches.row as u64, self.pitches.slice as u64) {
            return Err(LayoutError::Size);
        }
        words[..all.len()].copy_from_slice(&all);
        Ok(())
    }

    fn put_buffer(&self, isa: Isa, address: u64, words: &mut [u32]) {
        let bytes = self.format.bytes() as u32;
        let texels = self.size[0] as u32;
        let (data, number) = self.format.numbers();
        let selects = self.format.order().select().into_iter().enumerate();
        let selects = selects.fold(0, |all, (index, select)| {
            all | (select as u32) << (index * SELECT_BITS)
        });
        words[0] = address as u32;
        words[1] = (address >> u32::BITS) as u32 & 0xffff | bytes << STRIDE_SHIFT;
        // NUM_RECORDS counts bytes on GCN 1.2, and texels on other generations.
        words[2] = match isa {
            Isa::Vi | Isa::Stoney => texels * bytes,
            Isa::Si | Isa::Ci | Isa::Gfx9 | Isa::Vega12 | Isa::Vega20 => texels,
        };
        words[3] = selects
            | u32::from(number) << NUMBER_FORMAT_SHIFT
            | u32::from(data) << DATA_FORMAT_SHIFT;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::image::{ChannelOrder, ChannelType, DeviceFormat};

    fn image(geometry: Geometry, order: ChannelOrder, size: [usize; 3]) -> Image {
        let format = DeviceFormat::new(order, ChannelType::UnormInt8).expect("a format");
        Image::new(format, geometry, size).expect("an image")
    }

    #[test]
    fn every_generation_takes_the_same_rows() {
        for isa in Isa::ALL {
            for (geometry, order, size) in [
                (Geometry::D1, ChannelOrder::R, [16384, 1, 1]),
                (Geometry::D2, ChannelOrder::Rgba, [16384, 16384, 1]),
                (Geometry::D3, ChannelOrder::Rg, [33, 7, 5]),
                (Geometry::D1Array, ChannelOrder::A, [1, 1, 3]),
                (Geometry::D2Array, ChannelOrder::Ra, [65, 3, 8192]),
            ] {
                let image = image(geometry, order, size);
                let words = image.descriptor(isa, 0x7000_0000_0100).expect("words");
                let mut first = [0; 8];
                first.copy_from_slice(&words[..8]);
                let read = ImageDescriptor::from_words(isa, first);
                let layout = read.layout(isa).expect("a layout");
                assert_eq!(
                    layout.row, image.pitches.row as u64,
                    "{geometry:?} on {isa:?}"
                );
                assert_eq!(
                    layout.layer, image.pitches.slice as u64,
                    "{geometry:?} on {isa:?}"
                );
                assert_eq!(
                    (read.address, words[WIDTH_DWORD]),
                    (0x7000_0000_0100, size[0] as u32)
                );
            }
        }
    }

    #[test]
    fn an_image_of_a_buffer_has_the_words_of_buffers() {
        let image = image(Geometry::D1Buffer, ChannelOrder::Bgra, [100, 1, 1]);
        let words = image
            .descriptor(Isa::Gfx9, 0x1234_5678_9abc)
            .expect("words");
        assert_eq!(words[..3], [0x5678_9abc, 0x0004_1234, 100]);
        // Z, Y, X, W; UNORM; 8_8_8_8.
        assert_eq!(words[3], 0o7456 | 10 << 15);
        let words = image.descriptor(Isa::Vi, 0).expect("words");
        assert_eq!(words[2], 400);
    }
}

//! Reasons why an image instruction is not supported.

use gcn_isa::image::LayoutError;

/// Reason why the emulator cannot execute an image instruction with its descriptors.
#[non_exhaustive]
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ImageProblem {
    /// Instruction without an image.
    #[error("the instruction names no image")]
    NoImage,
    /// Unsupported image layout.
    #[error("{0}")]
    Layout(LayoutError),
    /// Number format that is reserved or undefined for the data format.
    #[error("texels of number format {number} and data format {data} are not executed")]
    Numbers {
        /// Number format.
        number: u8,
        /// Data format.
        data: u8,
    },
    /// Format that stores cannot convert to.
    #[error("stores to texels of number format {number} and data format {data} are not executed")]
    StoredNumbers {
        /// Number format.
        number: u8,
        /// Data format.
        data: u8,
    },
    /// Atomic whose size differs from the texel size.
    #[error("an atomic of {atomic} bytes on texels of {texel} bytes")]
    AtomicSize {
        /// Size of the atomic in bytes.
        atomic: u8,
        /// Size of a texel in bytes.
        texel: u8,
    },
    /// Atomic whose DMASK selects a different number of dwords than its data has.
    #[error("an atomic whose DMASK is {mask:#x} and whose data have {needed} dword{}", if *needed == 1 { "" } else { "s" })]
    AtomicData {
        /// DMASK.
        mask: u8,
        /// Number of dwords of the data.
        needed: u8,
    },
    /// Anisotropic filter.
    #[error("anisotropic filters are not executed")]
    Anisotropic,
    /// Border color from a table in memory.
    #[error("border colours of a table are not executed")]
    BorderTable,
    /// Filter across the edges of cube faces.
    #[error("filters across the edges of a cube's faces are not executed")]
    CubeEdges,
    /// Reserved FILTER_MODE.
    #[error("FILTER_MODE 3 is reserved")]
    Reduction,
}

impl From<LayoutError> for ImageProblem {
    fn from(error: LayoutError) -> ImageProblem {
        ImageProblem::Layout(error)
    }
}

//! Reasons for which an image instruction is not executed.

use gcn_isa::image::LayoutError;

/// Reason for which an image instruction is not executed with its descriptors.
#[non_exhaustive]
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ImageProblem {
    /// An instruction that names no image.
    #[error("the instruction names no image")]
    NoImage,
    /// The image's arrangement.
    #[error("{0}")]
    Layout(LayoutError),
    /// A number format that is reserved, or unknown with the data format.
    #[error("texels of number format {number} and data format {data} are not executed")]
    Numbers {
        /// The number format.
        number: u8,
        /// The data format.
        data: u8,
    },
    /// A format that stores do not convert to.
    #[error("stores to texels of number format {number} and data format {data} are not executed")]
    StoredNumbers {
        /// The number format.
        number: u8,
        /// The data format.
        data: u8,
    },
    /// An atomic of another size than a texel.
    #[error("an atomic of {atomic} bytes on texels of {texel} bytes")]
    AtomicSize {
        /// Bytes of the atomic.
        atomic: u8,
        /// Bytes of a texel.
        texel: u8,
    },
    /// An atomic whose DMASK names another number of dwords than its data have.
    #[error("an atomic whose DMASK is {mask:#x} and whose data have {needed} dword{}", if *needed == 1 { "" } else { "s" })]
    AtomicData {
        /// DMASK.
        mask: u8,
        /// Dwords of the data.
        needed: u8,
    },
    /// An anisotropic filter.
    #[error("anisotropic filters are not executed")]
    Anisotropic,
    /// A colour of a table in memory.
    #[error("border colours of a table are not executed")]
    BorderTable,
    /// A filter across the edges of a cube's faces.
    #[error("filters across the edges of a cube's faces are not executed")]
    CubeEdges,
    /// A reserved FILTER_MODE.
    #[error("FILTER_MODE 3 is reserved")]
    Reduction,
}

impl From<LayoutError> for ImageProblem {
    fn from(error: LayoutError) -> ImageProblem {
        ImageProblem::Layout(error)
    }
}

//! Checks for contradictions in metadata.

use thiserror::Error;

use super::types::{ArgumentMetadata, KernelMetadata};

/// Contradiction in kernel metadata.
///
/// # Examples
/// ```
/// use gcn_object::MetadataProblem;
/// let problem = MetadataProblem::ArgumentOutside { argument: 2, offset: 16, size: 8, segment: 20 };
/// assert_eq!(problem.to_string(), "argument 2 at offset 16 with 8 bytes is outside the 20 bytes of arguments");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum MetadataProblem {
    /// An argument is partly or completely outside the argument segment.
    #[error(
        "argument {argument} at offset {offset} with {size} bytes is outside the {segment} bytes of arguments"
    )]
    ArgumentOutside {
        /// Index of the argument, from 0.
        argument: usize,
        /// Offset of the argument in bytes.
        offset: u64,
        /// Size of the argument in bytes.
        size: u64,
        /// Size of the argument segment in bytes.
        segment: u64,
    },
    /// Two arguments share bytes.
    #[error("arguments {first} and {second} overlap")]
    ArgumentsOverlap {
        /// Index of one argument, from 0.
        first: usize,
        /// Index of the other argument, from 0.
        second: usize,
    },
    /// The argument segment exceeds [`MAX_KERNARG_BYTES`].
    #[error("the argument segment has {bytes} bytes; the limit is {MAX_KERNARG_BYTES}")]
    KernargTooLarge {
        /// Size of the argument segment in bytes.
        bytes: u64,
    },
    /// The alignment of the argument segment is not a power of two.
    #[error("the argument segment's alignment is {align}, which is not a power of two")]
    KernargAlign {
        /// Alignment in the metadata.
        align: u64,
    },
    /// The required workgroup size is not between 1 and 1024 work-items, the limits of all processors.
    #[error("invalid required workgroup size {size:?}")]
    WorkgroupSize {
        /// Workgroup size in x, y and z.
        size: [u64; 3],
    },
}

/// Maximum size of the argument segment in bytes. Compilers and runtimes support only 4 KiB, but hand-written kernels
/// may use more.
pub const MAX_KERNARG_BYTES: u64 = 1 << 20;
const MAX_WORKGROUP: u64 = 1024;

impl KernelMetadata {
    /// Returns the contradictions in the sizes. Arguments without a problem can be stored at their offsets.
    ///
    /// # Examples
    /// ```
    /// use gcn_object::{MetadataProblem, read};
    /// let object = read(std::fs::read("tests/fixtures/scale-gfx803-v3.co")?)?;
    /// let mut metadata = object.kernels[0].metadata.clone().expect("compilers write metadata");
    /// assert_eq!(metadata.problems(), []);
    /// metadata.args[1].offset = 4;
    /// assert_eq!(metadata.problems(), [MetadataProblem::ArgumentsOverlap { first: 0, second: 1 }]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn problems(&self) -> Vec<MetadataProblem> {
        let segment = self.kernarg_segment_size;
        let mut problems = Vec::new();
        if segment > MAX_KERNARG_BYTES {
            problems.push(MetadataProblem::KernargTooLarge { bytes: segment });
        }
        if self.kernarg_segment_align != 0 && !self.kernarg_segment_align.is_power_of_two() {
            problems.push(MetadataProblem::KernargAlign {
                align: self.kernarg_segment_align,
            });
        }
        if let Some(size @ [x, y, z]) = self.reqd_workgroup_size {
            let items = x.checked_mul(y).and_then(|xy| xy.checked_mul(z));
            if !matches!(items, Some(1..=MAX_WORKGROUP)) {
                problems.push(MetadataProblem::WorkgroupSize { size });
            }
        }
        let mut placed = Vec::new();
        for (argument, &ArgumentMetadata { offset, size, .. }) in self.args.iter().enumerate() {
            match offset.checked_add(size) {
                Some(end) if end <= segment => placed.push((offset, end, argument)),
                _ => problems.push(MetadataProblem::ArgumentOutside {
                    argument,
                    offset,
                    size,
                    segment,
                }),
            }
        }
        placed.sort_unstable();
        // End and index of the argument so far that ends last.
        let mut last: Option<(u64, usize)> = None;
        for (start, end, second) in placed {
            if let Some((last_end, first)) = last
                && start < last_end
            {
                problems.push(MetadataProblem::ArgumentsOverlap { first, second });
            }
            last = last.max(Some((end, second)));
        }
        problems
    }
}

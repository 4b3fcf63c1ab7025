//! Compressed bundles: a header in one of three versions, followed by a zlib or zstd stream.

use std::io::Read;

use object::elf::{CompressionType, ELFCOMPRESS_ZLIB, ELFCOMPRESS_ZSTD};

use super::error::{BundleError, MAX_UNCOMPRESSED, MAX_WINDOW};
use super::table::number;

/// Magic bytes of a compressed bundle.
pub(super) const MAGIC: &[u8] = b"CCOB";

/// Expansion ratio assumed when memory is reserved; zlib cannot exceed a ratio of 1032.
const EXPECTED_RATIO: u64 = 1032;

/// Layout of the size fields in a header version. They follow the magic, version and method.
pub(super) struct CompressedSizes {
    /// Width of a size field in bytes.
    pub width: usize,
    /// True if the compressed file size precedes the uncompressed size.
    pub has_total: bool,
}

/// Size fields of header versions 1 to 3.
pub(super) const VERSIONS: [CompressedSizes; 3] = [
    CompressedSizes {
        width: 4,
        has_total: false,
    },
    CompressedSizes {
        width: 4,
        has_total: true,
    },
    CompressedSizes {
        width: 8,
        has_total: true,
    },
];
/// Size in bytes of the uncompressed bundle's hash, which serves only as an identifier.
pub(super) const HASH_BYTES: usize = 8;
/// Compression method number for zlib.
pub(super) const ZLIB: u16 = 0;
/// Compression method number for zstd.
pub(super) const ZSTD: u16 = 1;

/// Decompresses a bundle. Also returns its compressed size in bytes, including the header. The decompressed size must
/// not exceed `budget` or [`MAX_UNCOMPRESSED`].
pub(super) fn decompress(bytes: &[u8], budget: u64) -> Result<(Vec<u8>, usize), BundleError> {
    let mut rest = bytes.strip_prefix(MAGIC).ok_or(BundleError::NotABundle)?;
    let version = number(&mut rest, 2)? as u16;
    let method = number(&mut rest, 2)? as u16;
    let sizes = usize::from(version)
        .checked_sub(1)
        .and_then(|index| VERSIONS.get(index))
        .ok_or(BundleError::CompressedVersion { version })?;
    let total = match sizes.has_total {
        true => Some(number(&mut rest, sizes.width)?),
        false => None,
    };
    let size = number(&mut rest, sizes.width)?;
    let limit = budget.min(MAX_UNCOMPRESSED);
    if size > limit {
        return Err(BundleError::TooLarge { size, limit });
    }
    let stream = rest.get(HASH_BYTES..).ok_or(BundleError::Truncated)?;
    let header = bytes.len() - stream.len();
    // Version 1 does not state the compressed size; the stream extends to the end of the file.
    let length = match total {
        None => bytes.len(),
        Some(total) => usize::try_from(total)
            .ok()
            .filter(|&total| (header..=bytes.len()).contains(&total))
            .ok_or(BundleError::Truncated)?,
    };
    let stream = stream.get(..length - header).unwrap_or_default();
    let uncompressed = decode(stream, method, size)?;
    if uncompressed.len() as u64 != size {
        let reason = format!("it does not have the {size} bytes that it states");
        return Err(BundleError::Decompression { reason });
    }
    Ok((uncompressed, length))
}

/// Decompresses an ELF section; `kind` is its `ch_type`. The error is a message for the user.
pub(crate) fn decompress_section(stream: &[u8], kind: u32, size: u64) -> Result<Vec<u8>, String> {
    if size > MAX_UNCOMPRESSED {
        return Err(format!(
            "it would have {size} bytes, more than {MAX_UNCOMPRESSED}"
        ));
    }
    let method = match CompressionType(kind) {
        ELFCOMPRESS_ZLIB => ZLIB,
        ELFCOMPRESS_ZSTD => ZSTD,
        _ => {
            return Err(format!(
                "its method {kind} is neither zlib (1) nor zstd (2)"
            ));
        }
    };
    let bytes = decode(stream, method, size).map_err(|error| match error {
        BundleError::Decompression { reason } => reason,
        other => other.to_string(),
    })?;
    if bytes.len() as u64 != size {
        return Err(format!("it does not have the {size} bytes that it states"));
    }
    Ok(bytes)
}

/// Decompresses at most `size + 1` bytes of a stream. The extra byte shows that the stated size is too small.
fn decode(stream: &[u8], method: u16, size: u64) -> Result<Vec<u8>, BundleError> {
    let broken = |reason: String| BundleError::Decompression { reason };
    // Reserve memory up front, since growing copies the data. The stated size may be wrong, so limit the reservation to
    // the assumed ratio, which few streams exceed.
    let expected = (stream.len() as u64 + size_of::<u64>() as u64)
        .saturating_mul(EXPECTED_RATIO)
        .min(size + 1);
    let mut uncompressed = Vec::new();
    uncompressed
        .try_reserve_exact(usize::try_from(expected).unwrap_or(0))
        .map_err(|error| broken(error.to_string()))?;
    let result = match method {
        ZLIB => flate2::read::ZlibDecoder::new(stream)
            .take(size + 1)
            .read_to_end(&mut uncompressed),
        ZSTD => {
            let window = window(stream).unwrap_or(0);
            if window > MAX_WINDOW {
                return Err(BundleError::Window { window });
            }
            // The decoder panics if it cannot allocate its window, so try first, with room for growing it by copying.
            let needed = 4 * window.min(size) as usize;
            Vec::<u8>::new()
                .try_reserve_exact(needed)
                .map_err(|error| broken(error.to_string()))?;
            let decoder = ruzstd::decoding::StreamingDecoder::new(stream)
                .map_err(|error| broken(error.to_string()))?;
            Chunked(decoder)
                .take(size + 1)
                .read_to_end(&mut uncompressed)
        }
        _ => return Err(BundleError::CompressionMethod { method }),
    };
    result.map_err(|error| broken(error.to_string()))?;
    Ok(uncompressed)
}

/// Reader that requests at most [`CHUNK`] bytes at once, because the zstd decoder buffers everything that is requested.
struct Chunked<R>(R);

/// Maximum number of bytes that [`Chunked`] requests at once.
const CHUNK: usize = 1 << 16;

impl<R: Read> Read for Chunked<R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let length = buffer.len().min(CHUNK);
        self.0.read(buffer.get_mut(..length).unwrap_or_default())
    }
}

/// Returns the window size of the first frame in a zstd stream, in bytes; `None` if the frame header is truncated. The
/// decoder reports other header errors ("Frame_Header" in RFC 8878).
fn window(stream: &[u8]) -> Option<u64> {
    /// Size of the magic number in bytes.
    const MAGIC_BYTES: usize = 4;
    /// Flag of frames without a window size field; the window size is then the content size.
    const SINGLE_SEGMENT: u8 = 1 << 5;
    let (&flags, mut rest) = stream.get(MAGIC_BYTES..)?.split_first()?;
    if flags & SINGLE_SEGMENT == 0 {
        let &window = rest.first()?;
        let base = 1u64 << (10 + (window >> 3));
        return Some(base + base / 8 * u64::from(window & 7));
    }
    let dictionary = [0, 1, 2, 4][usize::from(flags & 3)];
    rest = rest.get(dictionary..)?;
    let width = 1 << (flags >> 6);
    let size = number(&mut rest, width).ok()?;
    // Two-byte sizes have a bias of 256.
    Some(if width == 2 { size + 256 } else { size })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_truncated_header_of_zstd_has_no_window() {
        assert_eq!(window(&[0x28, 0xb5, 0x2f, 0xfd, 0]), None);
    }

    #[test]
    fn a_window_may_be_the_content_size() {
        let in_two = [0x28, 0xb5, 0x2f, 0xfd, 0x60, 0x10, 0];
        assert_eq!(window(&in_two), Some(0x110));
        let in_one = [0x28, 0xb5, 0x2f, 0xfd, 0x20, 0x10];
        assert_eq!(window(&in_one), Some(0x10));
    }

    #[test]
    fn a_chunked_reader_asks_for_no_more_than_a_chunk() {
        struct Largest(usize);
        impl Read for Largest {
            fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
                self.0 = self.0.max(buffer.len());
                Ok(buffer.len())
            }
        }
        let mut chunked = Chunked(Largest(0));
        let mut all = Vec::with_capacity(8 * CHUNK);
        let read = chunked
            .by_ref()
            .take(8 * CHUNK as u64)
            .read_to_end(&mut all);
        assert_eq!(read.ok(), Some(8 * CHUNK));
        assert_eq!(chunked.0.0, CHUNK);
    }
}

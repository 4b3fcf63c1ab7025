//! Buffer formats: numbers, names, and LLVM's syntax.
//!
//! Source: AMD's Southern Islands, Sea Islands, GCN3 and Vega manuals, section "Vector Memory Buffer Instructions".

use crate::target::{Isa, Numbering};
use crate::text::Text;

/// Default format: one byte, normalized to 0..=1.
pub const DEFAULT_FORMAT: u8 = 1;
/// Width in bits of the data format, which is the low part of a format; the number format is the high part.
pub const DATA_FORMAT_BITS: u32 = 4;

/// Data formats by number: how a buffer element is divided into components.
pub const DATA_FORMATS: [&str; 16] = [
    "BUF_DATA_FORMAT_INVALID",
    "BUF_DATA_FORMAT_8",
    "BUF_DATA_FORMAT_16",
    "BUF_DATA_FORMAT_8_8",
    "BUF_DATA_FORMAT_32",
    "BUF_DATA_FORMAT_16_16",
    "BUF_DATA_FORMAT_10_11_11",
    "BUF_DATA_FORMAT_11_11_10",
    "BUF_DATA_FORMAT_10_10_10_2",
    "BUF_DATA_FORMAT_2_10_10_10",
    "BUF_DATA_FORMAT_8_8_8_8",
    "BUF_DATA_FORMAT_32_32",
    "BUF_DATA_FORMAT_16_16_16_16",
    "BUF_DATA_FORMAT_32_32_32",
    "BUF_DATA_FORMAT_32_32_32_32",
    "BUF_DATA_FORMAT_RESERVED_15",
];

/// Number formats of `isa` by number: how a component is interpreted.
///
/// # Examples
/// ```
/// use gcn_isa::Isa;
/// use gcn_isa::mtbuf::{DATA_FORMAT_BITS, DATA_FORMATS, number_formats};
/// let format = 0x74;
/// assert_eq!(DATA_FORMATS[format & ((1 << DATA_FORMAT_BITS) - 1)], "BUF_DATA_FORMAT_32");
/// assert_eq!(number_formats(Isa::Vi)[format >> DATA_FORMAT_BITS], "BUF_NUM_FORMAT_FLOAT");
/// ```
pub const fn number_formats(isa: Isa) -> [&'static str; 8] {
    [
        "BUF_NUM_FORMAT_UNORM",
        "BUF_NUM_FORMAT_SNORM",
        "BUF_NUM_FORMAT_USCALED",
        "BUF_NUM_FORMAT_SSCALED",
        "BUF_NUM_FORMAT_UINT",
        "BUF_NUM_FORMAT_SINT",
        if matches!(isa.numbering(), Numbering::Vi9) {
            "BUF_NUM_FORMAT_RESERVED_6"
        } else {
            "BUF_NUM_FORMAT_SNORM_OGL"
        },
        "BUF_NUM_FORMAT_FLOAT",
    ]
}

/// Writes a format in LLVM's syntax: names in brackets, omitting defaults; or a number if the format has no names.
pub(crate) fn write_format(out: &mut Text, isa: Isa, format: u8) {
    let data = format & ((1 << DATA_FORMAT_BITS) - 1);
    let number = format >> DATA_FORMAT_BITS;
    let names = (
        DATA_FORMATS.get(usize::from(data)),
        number_formats(isa).get(usize::from(number)).copied(),
    );
    let (Some(data_name), Some(number_name)) = names else {
        return out.push_decimal(format.into());
    };
    out.push('[');
    if data != DEFAULT_FORMAT {
        out.push_str(data_name);
        if number != 0 {
            out.push(',');
        }
    }
    if number != 0 {
        out.push_str(number_name);
    }
    out.push(']');
}

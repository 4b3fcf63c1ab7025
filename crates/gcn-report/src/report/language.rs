//! Source languages of kernels.

use gcn_object::{KernelMetadata, SourceLanguage};

/// Source language of a kernel, which determines the terms used in advice.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum KernelLanguage {
    /// Assembly or unknown. Advice uses hardware terms.
    Assembly,
    /// OpenCL C or C++ for OpenCL.
    OpenCl,
    /// HIP.
    Hip,
}

/// Language in the metadata of OpenCL kernels, and of HIP kernels that are linked with the device libraries.
const OPENCL_C: &str = "OpenCL C";

impl KernelLanguage {
    /// Determines the language of code that a kernel executes, given the kernel's symbol and metadata. `unit` is the
    /// language of the compilation unit, if known.
    pub(super) fn new(
        unit: Option<SourceLanguage>,
        symbol: &str,
        metadata: Option<&KernelMetadata>,
    ) -> KernelLanguage {
        // Clang emits argument types only for OpenCL.
        let has_types = metadata.is_some_and(|it| it.args.iter().any(|it| it.type_name.is_some()));
        match unit {
            Some(SourceLanguage::OpenClC) => KernelLanguage::OpenCl,
            Some(SourceLanguage::Cpp) if has_types => KernelLanguage::OpenCl,
            Some(SourceLanguage::Cpp) => KernelLanguage::Hip,
            Some(_) => KernelLanguage::Assembly,
            None if has_types => KernelLanguage::OpenCl,
            None if gcn_object::source_name(symbol).is_some() => KernelLanguage::Hip,
            None => {
                let language = metadata.and_then(|it| it.language.as_deref());
                let takes_arguments =
                    metadata.is_some_and(|it| it.args.iter().any(|it| !it.value_kind.is_hidden()));
                match language {
                    Some(OPENCL_C) if !takes_arguments => KernelLanguage::OpenCl,
                    _ => KernelLanguage::Assembly,
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use gcn_object::ArgumentMetadata;

    use super::*;

    #[test]
    fn units_and_metadata_tell_the_language() {
        let opencl = KernelMetadata {
            language: Some(OPENCL_C.to_owned()),
            args: vec![ArgumentMetadata {
                type_name: Some("int*".to_owned()),
                ..ArgumentMetadata::default()
            }],
            ..KernelMetadata::default()
        };
        let hip = KernelMetadata {
            args: vec![ArgumentMetadata::default()],
            ..opencl.clone()
        };
        let (opencl, hip) = (Some(&opencl), Some(&hip));
        let cpp = Some(SourceLanguage::Cpp);
        for (unit, symbol, metadata, expected) in [
            (
                Some(SourceLanguage::OpenClC),
                "k",
                None,
                KernelLanguage::OpenCl,
            ),
            (cpp, "k", opencl, KernelLanguage::OpenCl),
            (cpp, "_Z1kPf", hip, KernelLanguage::Hip),
            (cpp, "k", None, KernelLanguage::Hip),
            (
                Some(SourceLanguage::Assembly),
                "k",
                opencl,
                KernelLanguage::Assembly,
            ),
            (
                Some(SourceLanguage::Other),
                "k",
                None,
                KernelLanguage::Assembly,
            ),
            (None, "k", opencl, KernelLanguage::OpenCl),
            (None, "_Z1kPf", hip, KernelLanguage::Hip),
            (None, "k", hip, KernelLanguage::Assembly),
            (None, "k", None, KernelLanguage::Assembly),
        ] {
            let language = KernelLanguage::new(unit, symbol, metadata);
            assert_eq!(language, expected, "{unit:?}, {symbol}");
        }
    }
}

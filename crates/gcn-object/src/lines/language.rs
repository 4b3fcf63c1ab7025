//! Source languages stated in debug information.

use gimli::DwLang;

/// A source language.
///
/// # Examples
/// ```
/// use gcn_object::SourceLanguage;
/// let object = gcn_object::read(std::fs::read("tests/fixtures/lines-gfx906.co")?)?;
/// let lines = object.source_lines()?.expect("compiled with -g");
/// assert_eq!(lines.language(0x1868)?, Some(SourceLanguage::OpenClC));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SourceLanguage {
    /// Assembly, in which each instruction has its own line.
    Assembly,
    /// OpenCL C.
    OpenClC,
    /// C++, including HIP and C++ for OpenCL.
    Cpp,
    /// Another language.
    Other,
}

impl SourceLanguage {
    pub(super) fn of(language: DwLang) -> SourceLanguage {
        match language {
            gimli::DW_LANG_Mips_Assembler => SourceLanguage::Assembly,
            gimli::DW_LANG_OpenCL => SourceLanguage::OpenClC,
            gimli::DW_LANG_C_plus_plus
            | gimli::DW_LANG_C_plus_plus_03
            | gimli::DW_LANG_C_plus_plus_11
            | gimli::DW_LANG_C_plus_plus_14
            | gimli::DW_LANG_C_plus_plus_17
            | gimli::DW_LANG_C_plus_plus_20 => SourceLanguage::Cpp,
            _ => SourceLanguage::Other,
        }
    }
}

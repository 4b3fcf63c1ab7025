//! Compilation requests.

use std::ffi::OsString;
use std::path::Path;

/// Default target for requests that do not name one.
pub const DEFAULT_TARGET: &str = "gfx906";

/// Source language.
///
/// # Examples
/// ```
/// use gcn_runtime::compile::Language;
/// let languages = ["a.cl", "a.clcpp", "a.hip", "a.ll", "a.bc"].map(|file| Language::of_file(file.as_ref()));
/// assert_eq!(languages[1..3], [Some(Language::OpenClCpp), Some(Language::Hip)]);
/// assert_eq!(languages[3], languages[4]);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Language {
    /// OpenCL C, version 2.0 unless an option specifies another.
    OpenClC,
    /// C++ for OpenCL.
    OpenClCpp,
    /// HIP.
    Hip,
    /// LLVM IR, as text or bitcode.
    Ir,
}

impl Language {
    /// Returns the language of a file according to its extension.
    ///
    /// # Examples
    /// ```
    /// use gcn_runtime::compile::Language;
    /// assert_eq!(Language::of_file("scale.cl".as_ref()), Some(Language::OpenClC));
    /// assert_eq!(Language::of_file("scale.cpp".as_ref()), None, "the file may or may not be HIP");
    /// ```
    pub fn of_file(path: &Path) -> Option<Language> {
        match path.extension()?.to_str()? {
            "cl" => Some(Language::OpenClC),
            "clcpp" => Some(Language::OpenClCpp),
            "hip" => Some(Language::Hip),
            "ll" | "bc" => Some(Language::Ir),
            _ => None,
        }
    }
}

/// Input of a compilation.
///
/// # Examples
/// ```
/// use gcn_runtime::compile::{CompilerInput, Language, Request};
/// let text = Request::new(CompilerInput::Text("kernel void nothing() {}"), Language::OpenClC);
/// let file = Request::new(CompilerInput::File("nothing.cl".as_ref()), text.language);
/// assert!(text.target.is_none() && file.options.is_empty());
/// ```
#[derive(Clone, Copy, Debug)]
pub enum CompilerInput<'a> {
    /// Source file.
    File(&'a Path),
    /// Source text. Included files are looked up relative to the working directory. With `-g` or `-gline-tables-only`,
    /// debug information embeds the text.
    Text(&'a str),
    /// One or more bitcode modules ([`Product::Bitcode`]) to link. The language must be [`Language::Ir`].
    Bitcode(&'a [&'a [u8]]),
}

/// Product of a compilation.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
#[non_exhaustive]
pub enum Product {
    /// Code object.
    #[default]
    Code,
    /// Bitcode without device libraries, to be linked later through [`CompilerInput::Bitcode`].
    ///
    /// # Examples
    /// ```no_run
    /// // It needs a Clang and the device libraries.
    /// use gcn_runtime::compile::{CompilerInput, Language, Product, Request, compile};
    ///
    /// let bitcode = |text| {
    ///     let request = Request::new(CompilerInput::Text(text), Language::OpenClC);
    ///     compile(&Request { product: Product::Bitcode, ..request })
    /// };
    /// let kernel = bitcode("int f(int); kernel void k(global int *x) { *x = f(*x); }")?;
    /// let function = bitcode("int f(int x) { return x + 1; }")?;
    /// let both = [&*kernel.code, &function.code];
    /// let linked = compile(&Request::new(CompilerInput::Bitcode(&both), Language::Ir))?;
    /// assert_eq!(gcn_object::read(&linked.code)?.kernels.len(), 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    Bitcode,
}

/// Input to compile, with the target, options and product.
///
/// # Examples
/// ```
/// use gcn_runtime::compile::{CompilerInput, Language, Product, Request};
/// let options = ["-O3".into(), "-DN=4".into()];
/// let request = Request {
///     target: Some("gfx906:xnack-"),
///     options: &options,
///     product: Product::Bitcode,
///     ..Request::new(CompilerInput::Text("kernel void nothing() {}"), Language::OpenClC)
/// };
/// assert!(!request.colour && request.options.len() == 2);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// Input to compile.
    pub source: CompilerInput<'a>,
    /// Source language.
    pub language: Language,
    /// LLVM target, optionally with features, such as `gfx900` or `gfx906:xnack-`. `None` for [`DEFAULT_TARGET`].
    pub target: Option<&'a str>,
    /// Clang to use: a path, or a name to look up in `PATH`. `None` for the one that
    /// [`Toolchain::find`](super::Toolchain::find) returns. Functions that take a toolchain ignore this field.
    pub clang: Option<&'a Path>,
    /// Additional Clang options, such as `-O3`, `-DN=4`, `-Iinclude`. The default optimization level is `-O2`.
    pub options: &'a [OsString],
    /// True to request coloured diagnostics.
    pub colour: bool,
    /// Product to build.
    pub product: Product,
}

impl<'a> Request<'a> {
    /// Creates a request without options, for the default target.
    ///
    /// # Examples
    /// ```
    /// use gcn_runtime::compile::{CompilerInput, Language, Product, Request};
    /// let request = Request::new(CompilerInput::File("scale.hip".as_ref()), Language::Hip);
    /// assert_eq!((request.target, request.product), (None, Product::Code));
    /// ```
    pub fn new(source: CompilerInput<'a>, language: Language) -> Request<'a> {
        Request {
            source,
            language,
            target: None,
            clang: None,
            options: &[],
            colour: false,
            product: Product::Code,
        }
    }

    /// Returns the target to compile for.
    pub(super) fn target(&self) -> &'a str {
        self.target.unwrap_or(DEFAULT_TARGET)
    }
}

/// Option for line tables without other debug information. This option does not change the generated code, whereas `-g`
/// does for some kernels with Clang 19 (including their waits, in 33 of 127 builds of tests/kernels).
pub(super) const LINE_TABLES: &str = "-gline-tables-only";

/// Adds `-gline-tables-only` unless another option controls debug information.
///
/// # Examples
/// ```
/// use gcn_runtime::compile::add_line_tables;
/// let mut options = vec!["-O3".into()];
/// add_line_tables(&mut options);
/// assert_eq!(options, ["-O3", "-gline-tables-only"]);
/// add_line_tables(&mut options);
/// assert_eq!(options.len(), 2);
/// ```
pub fn add_line_tables(options: &mut Vec<OsString>) {
    let is_about_it = |option: &OsString| option.as_encoded_bytes().starts_with(b"-g");
    if !options.iter().any(is_about_it) {
        options.push(LINE_TABLES.into());
    }
}

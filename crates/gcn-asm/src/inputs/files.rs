//! Interface for reading included files.

/// A file read for `.include` or `.incbin`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct File {
    /// File name for messages, passed as `from` for files that this one includes.
    pub name: String,
    /// File contents.
    pub bytes: Vec<u8>,
}

/// Reads files for `.include` and `.incbin`. The library itself does no file I/O.
///
/// # Examples
/// ```
/// use gcn_asm::{File, Files, NoFiles};
/// struct Directory(&'static str);
/// impl Files for Directory {
///     fn read(&self, name: &str, _: &str) -> Result<File, String> {
///         let path = std::path::Path::new(self.0).join(name);
///         let bytes = std::fs::read(&path).map_err(|error| error.to_string())?;
///         Ok(File { name: path.display().to_string(), bytes })
///     }
/// }
/// assert!(Directory("src").read("lib.rs", "a.s").is_ok_and(|file| file.name == "src/lib.rs"));
/// assert!(NoFiles.read("lib.rs", "a.s").is_err());
/// ```
pub trait Files {
    /// Reads the file `name`, included by the file `from`.
    ///
    /// # Errors
    /// The reason, phrased to follow the file name in a message.
    fn read(&self, name: &str, from: &str) -> Result<File, String>;

    /// Reports that the source has been read up to this byte. Earlier text must stay accessible, because messages,
    /// macros and loops may refer to it, but is unlikely to be needed, so its memory may be released if it can be read
    /// again on demand.
    fn passed(&self, _position: usize) {}
}

/// [`Files`] implementation that has no files.
///
/// # Examples
/// ```
/// use gcn_asm::{NoFiles, Options, Source, assemble_with};
/// let target = gcn_isa::Target::named("gfx900").expect("a target");
/// let source = Source { name: "a.s", text: ".include \"macros.s\"\n" };
/// let assembly = assemble_with(&source, &Options::new(target), &NoFiles);
/// assert_eq!(assembly.diagnostics[0].name(), "unreadable-file");
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct NoFiles;

impl Files for NoFiles {
    fn read(&self, _: &str, _: &str) -> Result<File, String> {
        Err("this source may not read files".to_owned())
    }
}

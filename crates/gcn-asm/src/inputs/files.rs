//! Interface through which a source includes files.

/// A file that a source includes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct File {
    /// Name in messages, and `from` for files that it includes in turn.
    pub name: String,
    /// The contents.
    pub bytes: Vec<u8>,
}

/// Provider of files for `.include` and `.incbin`. The library itself reads none.
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
    /// Reads the file `name`, included from the source `from`.
    ///
    /// # Errors
    /// The reason, as a message to follow the name.
    fn read(&self, name: &str, from: &str) -> Result<File, String>;

    /// Reports that the source has been read up to this byte. Earlier text must stay readable, because messages,
    /// macros and loops may refer to it, but is unlikely to be needed: its memory may be released and read again on
    /// demand.
    fn passed(&self, _position: usize) {}
}

/// Provider without any files.
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

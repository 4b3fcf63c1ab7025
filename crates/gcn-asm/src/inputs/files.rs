//! Files that a source includes, as the caller provides them.

/// A file that a source asks for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct File {
    /// Name in messages, and `from` of the files that it includes.
    pub name: String,
    /// The contents.
    pub bytes: Vec<u8>,
}

/// Files of `.include` and `.incbin`, as the caller finds them. The library itself reads none.
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
    /// The file called `name` in the source called `from`.
    ///
    /// # Errors
    /// The reason, as a message to follow the name.
    fn read(&self, name: &str, from: &str) -> Result<File, String>;

    /// The source has been read up to this byte. What is before it must stay readable, for messages, macros and loops
    /// may go back, but most of it has had its use: who holds it in memory may let it go until then.
    fn passed(&self, _position: usize) {}
}

/// No files at all.
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

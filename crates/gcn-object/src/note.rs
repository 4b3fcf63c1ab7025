//! ELF notes: encoding, decoding, and the note types in code objects.
//!
//! The types follow "Note Records" in LLVM's "User Guide for AMDGPU Backend".

/// Owner of version 2 notes.
pub const AMD: &[u8] = b"AMD";
/// Owner of notes in version 3 and later.
pub const AMDGPU: &[u8] = b"AMDGPU";
/// [`AMD`]: major and minor version of the code object format, 32 bits each.
pub const CODE_OBJECT_VERSION: u32 = 1;
/// [`AMD`]: processor. The note contains two 16-bit name sizes, the major version, minor version and stepping, then the
/// vendor and architecture names.
pub const ISA_VERSION: u32 = 3;
/// [`AMD`]: YAML metadata.
pub const HSA_METADATA: u32 = 10;
/// [`AMD`]: target ID.
pub const ISA_NAME: u32 = 11;
/// [`AMD`]: metadata for AMD's Platform Abstraction Library (PAL), as pairs of register number and value.
pub const PAL_METADATA: u32 = 12;
/// [`AMDGPU`]: MessagePack metadata.
pub const METADATA: u32 = 32;
/// Alignment in bytes of notes and their parts.
pub const ALIGN: u64 = 4;

/// An ELF note.
///
/// # Examples
/// ```
/// use gcn_object::note::{AMDGPU, METADATA, Note};
/// let note = Note { owner: AMDGPU, kind: METADATA, description: &[0x80] };
/// let bytes = note.encode();
/// assert_eq!(bytes.len(), 12 + 8 + 4, "its parts are padded");
/// assert_eq!(Note::all(&bytes.repeat(2)).collect::<Vec<_>>(), [note, note]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Note<'a> {
    /// Owner, which defines the type numbers, without the terminating zero.
    pub owner: &'a [u8],
    /// Note type number.
    pub kind: u32,
    /// Note contents.
    pub description: &'a [u8],
}

impl Note<'_> {
    /// Encodes the note for a section, padded to a multiple of [`ALIGN`] bytes.
    pub fn encode(&self) -> Vec<u8> {
        let mut note = Vec::new();
        let sizes = [self.owner.len() + 1, self.description.len()];
        for number in [sizes[0] as u32, sizes[1] as u32, self.kind] {
            note.extend(number.to_le_bytes());
        }
        note.extend(self.owner);
        note.push(0);
        pad(&mut note);
        note.extend(self.description);
        pad(&mut note);
        note
    }

    /// Iterates over the notes in a section, up to the first one that extends past its end.
    ///
    /// # Examples
    /// ```
    /// use gcn_object::note::{AMD, ISA_NAME, Note};
    /// let object = gcn_object::read(std::fs::read("tests/fixtures/scale-gfx803-v2.co")?)?;
    /// let section = object.sections.iter().find(|section| section.name == ".note").expect("the object has notes");
    /// let mut notes = Note::all(object.section_bytes(section));
    /// let name = notes.find(|note| note.owner == AMD && note.kind == ISA_NAME).expect("version 2 has the note");
    /// assert_eq!(name.description, b"amdgcn-amd-amdhsa--gfx803");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn all(section: &[u8]) -> impl Iterator<Item = Note<'_>> {
        let mut rest = section;
        std::iter::from_fn(move || {
            let (numbers, names) = rest.split_first_chunk::<12>()?;
            let number = |at: usize| {
                let bytes = numbers.get(at..)?.first_chunk()?;
                Some(u32::from_le_bytes(*bytes))
            };
            let (owner, contents) = part(names, number(0)?)?;
            let (description, tail) = part(contents, number(4)?)?;
            rest = tail;
            Some(Note {
                owner: owner.strip_suffix(b"\0").unwrap_or(owner),
                kind: number(8)?,
                description,
            })
        })
    }
}

fn pad(note: &mut Vec<u8>) {
    note.resize(note.len().next_multiple_of(ALIGN as usize), 0);
}

/// Splits off `size` bytes and the padding after them.
fn part(bytes: &[u8], size: u32) -> Option<(&[u8], &[u8])> {
    let size = usize::try_from(size).ok()?;
    let part = bytes.get(..size)?;
    let end = size.checked_next_multiple_of(ALIGN as usize)?;
    Some((part, bytes.get(end..).unwrap_or_default()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_are_read_as_they_are_written() {
        let notes = [
            Note {
                owner: AMD,
                kind: ISA_NAME,
                description: b"gfx803",
            },
            Note {
                owner: AMDGPU,
                kind: METADATA,
                description: b"",
            },
        ];
        let section: Vec<u8> = notes.iter().flat_map(Note::encode).collect();
        assert_eq!(section.len() % ALIGN as usize, 0);
        assert_eq!(Note::all(&section).collect::<Vec<_>>(), notes);
        let cut = &section[..30];
        assert_eq!(Note::all(cut).collect::<Vec<_>>(), notes[..1]);
    }
}

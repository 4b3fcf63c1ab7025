//! Reads notes: version 2's processor, and the metadata.

use object::read::elf::{
    FileHeader as _, NoteIterator, ProgramHeader as _, SectionHeader as _, SectionTable,
};

use super::header::{Header, LE, malformed};
use super::state::ObjectReader;
use crate::error::{ReadError, Warning};
use crate::metadata::Metadata;
use crate::note;
use crate::target::IsaVersion;
use object::elf;

impl<'a> ObjectReader<'a> {
    pub(super) fn read_notes(&mut self, table: &SectionTable<'a, Header>) -> Result<(), ReadError> {
        let mut found = false;
        if self.linked {
            let headers = self
                .header
                .program_headers(LE, self.bytes)
                .map_err(malformed("program headers"))?;
            for header in headers {
                if header.p_type(LE) != elf::PT_NOTE {
                    continue;
                }
                let outside = || Warning::Notes("they lie outside the file".to_owned());
                match header.data(LE, self.bytes) {
                    Ok(notes) => {
                        found = true;
                        self.read_note_list(notes)?;
                    }
                    Err(()) => self.warnings.push(outside()),
                }
            }
        }
        if found {
            return Ok(());
        }
        for header in table.iter() {
            if header.sh_type(LE) != elf::SHT_NOTE {
                continue;
            }
            match header.data(LE, self.bytes) {
                Ok(notes) => self.read_note_list(notes)?,
                Err(error) => self.warnings.push(Warning::Notes(error.to_string())),
            }
        }
        Ok(())
    }

    /// Reads the notes in a section or segment. They are aligned to four bytes, even if the section's stated alignment
    /// is eight, as with AMD's OpenCL compiler.
    fn read_note_list(&mut self, notes: &'a [u8]) -> Result<(), ReadError> {
        let broken = |error: object::Error| Warning::Notes(error.to_string());
        let align = (note::ALIGN as u32).into();
        let mut notes = match NoteIterator::<Header>::new(LE, align, notes) {
            Ok(notes) => notes,
            Err(error) => {
                self.warnings.push(broken(error));
                return Ok(());
            }
        };
        loop {
            let found = match notes.next() {
                Ok(Some(found)) => found,
                Ok(None) => return Ok(()),
                Err(error) => {
                    self.warnings.push(Warning::Notes(error.to_string()));
                    return Ok(());
                }
            };
            self.spend_record("notes")?;
            let size = found.desc().len();
            let metadata = match (found.name(), found.n_type(LE).0) {
                (note::AMD, note::ISA_VERSION) => {
                    self.isa_note = self.isa_note.or_else(|| isa_version(found.desc()));
                    continue;
                }
                // The first valid metadata note counts. Notes may share bytes, so the size of all that are read is limited.
                _ if self.metadata.is_some() || size > self.note_bytes => continue,
                (note::AMD, note::HSA_METADATA) => Metadata::from_yaml_v2(found.desc()),
                (note::AMDGPU, note::METADATA) => Metadata::from_msgpack(found.desc()),
                _ => continue,
            };
            self.note_bytes -= size;
            match metadata {
                Ok(metadata) => self.metadata = Some(metadata),
                Err(error) => self.warnings.push(error.into()),
            }
        }
    }
}

fn isa_version(note: &[u8]) -> Option<IsaVersion> {
    // The note contains two 16-bit name sizes, then the numbers, then the names.
    let (numbers, _) = note.get(4..)?.as_chunks::<4>();
    let number = |index: usize| numbers.get(index).map(|bytes| u32::from_le_bytes(*bytes));
    Some(IsaVersion {
        major: number(0)?,
        minor: number(1)?,
        stepping: number(2)?,
    })
}

//! Writes the file: headers, section contents, and link-time relocations.

use object::elf;

use super::encode::*;
use super::error::{RelocationProblem, WriteError};
use super::input::Builder;
use super::layout::{FileLayout, HeaderSegment};
use crate::elf::{ELFOSABI_AMDGPU_HSA, PAGE};
use crate::target::{Flags, Version};

impl Builder<'_> {
    /// Builds the code object and returns the file contents.
    ///
    /// # Errors
    /// Lists all errors of the first step that fails: checks of the input, dynamic relocations, layout, or fields.
    ///
    /// # Examples
    /// ```
    /// use gcn_object::write::Builder;
    /// use gcn_object::{Flags, Version, read};
    /// let file = Builder::new(Version::V4, Flags { mach: 0x2c, ..Flags::default() }).build();
    /// assert_eq!(read(file.expect("an empty object is valid"))?.processor(), Some("gfx900"));
    /// # Ok::<(), gcn_object::ReadError>(())
    /// ```
    pub fn build(mut self) -> Result<Vec<u8>, Vec<WriteError>> {
        let errors = self.input_errors();
        if !errors.is_empty() {
            return Err(errors);
        }
        self.make_got();
        let mut errors = Vec::new();
        let dynamic = self.dynamic_relocations(&mut errors);
        if !errors.is_empty() {
            return Err(errors);
        }
        let mut layout = FileLayout::new(&self, dynamic).map_err(|error| vec![error])?;
        layout.fill_tables(&self);
        let mut file = layout.write(self.version, self.flags);
        layout.relocate(&self, &mut file)?;
        Ok(file)
    }
}

impl FileLayout<'_> {
    /// Applies all relocations except the dynamic ones, which the loader applies.
    fn relocate(&self, builder: &Builder<'_>, file: &mut [u8]) -> Result<(), Vec<WriteError>> {
        let mut errors = Vec::new();
        for (index, relocation) in builder.relocations.iter().enumerate() {
            let Some(width) = relocation
                .kind
                .width()
                .filter(|_| !self.dynamic.contains(&index))
            else {
                continue;
            };
            let mut value = self
                .address(builder, relocation.target)
                .wrapping_add_signed(relocation.addend);
            let Some(output) = self.output(relocation.section) else {
                continue;
            };
            if relocation.kind.is_pc_relative() {
                value = value.wrapping_sub(output.address.wrapping_add(relocation.offset));
            }
            // The field lies within the section, and the section within the file.
            let start = (output.offset + relocation.offset) as usize;
            let Some(field) = file.get_mut(start..start + width as usize) else {
                continue;
            };
            if relocation.kind.store(value, field).is_err() {
                let problem = RelocationProblem::Overflow { value };
                errors.push(WriteError::Relocation { index, problem });
            }
        }
        if errors.is_empty() {
            Ok(())
        } else {
            Err(errors)
        }
    }

    fn write(&self, version: Version, flags: Flags) -> Vec<u8> {
        let end = self.headers_at + SECTION_HEADER * self.outputs.len() as u64;
        let mut file = ByteWriter(Vec::with_capacity(end as usize));
        file.0.extend(elf::ELFMAG);
        file.u8(elf::ELFCLASS64.0);
        file.u8(elf::ELFDATA2LSB.0);
        file.u8(elf::EV_CURRENT.0);
        file.u8(ELFOSABI_AMDGPU_HSA);
        file.u8(version.abi_version());
        file.pad(16);
        file.u16(elf::ET_DYN.0);
        file.u16(elf::EM_AMDGPU.0);
        file.u32(elf::EV_CURRENT.0.into());
        file.u64(0);
        file.u64(FILE_HEADER);
        file.u64(self.headers_at);
        file.u32(flags.encode(version));
        file.u16(FILE_HEADER as u16);
        file.u16(PROGRAM_HEADER as u16);
        file.u16(self.program_header_count() as u16);
        file.u16(SECTION_HEADER as u16);
        file.u16(self.outputs.len() as u16);
        file.u16(self.index(SHSTRTAB) as u16);
        self.program_headers(&mut file);
        for output in self
            .outputs
            .iter()
            .skip(1)
            .filter(|output| output.in_file())
        {
            file.pad(output.offset);
            file.0.extend_from_slice(&output.bytes);
        }
        file.pad(self.headers_at);
        for output in &self.outputs {
            file.u32(self.section_names.offset(output.name));
            file.u32(output.kind);
            file.u64(output.flags);
            file.u64(output.address);
            file.u64(output.offset);
            file.u64(output.size);
            file.u32(output.link);
            file.u32(output.info);
            file.u64(output.align);
            file.u64(output.entry);
        }
        file.0
    }

    fn program_headers(&self, file: &mut ByteWriter) {
        let (read, write, execute) = (elf::PF_R.0, elf::PF_W.0, elf::PF_X.0);
        let mut header = |kind: elf::ProgramType,
                          flags: u32,
                          offset: u64,
                          address: u64,
                          sizes: [u64; 2],
                          align: u64| {
            file.u32(kind.0);
            file.u32(flags);
            file.u64(offset);
            file.u64(address);
            file.u64(address);
            file.u64(sizes[0]);
            file.u64(sizes[1]);
            file.u64(align);
        };
        if self.headers != HeaderSegment::NotLoaded {
            let own = PROGRAM_HEADER * self.program_header_count();
            header(
                elf::PT_PHDR,
                read,
                FILE_HEADER,
                FILE_HEADER,
                [own; 2],
                WORD_ALIGN,
            );
        }
        if self.headers == HeaderSegment::Alone {
            let size = self.headers_size();
            header(elf::PT_LOAD, read, 0, 0, [size; 2], PAGE);
        }
        for (index, load) in self.loads.iter().enumerate() {
            let outputs = self.outputs.get(load.first..load.end).unwrap_or_default();
            let Some((first, last)) = outputs.first().zip(outputs.last()) else {
                continue;
            };
            // The first segment includes the file's headers.
            let (offset, address) = if index == 0 && self.headers == HeaderSegment::WithFirst {
                (0, 0)
            } else {
                (first.offset, first.address)
            };
            let bytes = outputs.iter().rfind(|output| output.in_file());
            let in_file = bytes.map_or(offset, |output| output.offset + output.size) - offset;
            let in_memory = last.address + last.size - address;
            let flags = read
                | if first.has(elf::SHF_WRITE) { write } else { 0 }
                | if first.has(elf::SHF_EXECINSTR) {
                    execute
                } else {
                    0
                };
            header(
                elf::PT_LOAD,
                flags,
                offset,
                address,
                [in_file, in_memory],
                load.align,
            );
        }
        if let Some(dynamic) = self.find(DYNAMIC_NAME) {
            header(
                elf::PT_DYNAMIC,
                read | write,
                dynamic.offset,
                dynamic.address,
                [dynamic.size; 2],
                WORD_ALIGN,
            );
        }
        header(elf::PT_GNU_STACK, read | write, 0, 0, [0; 2], 0);
        for note in self.notes() {
            header(
                elf::PT_NOTE,
                read,
                note.offset,
                note.address,
                [note.size; 2],
                note.align,
            );
        }
    }
}

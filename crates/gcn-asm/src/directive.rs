//! Directives: sections, data, symbols, and what says which GPU a source is for.

use std::ops::Range;

use gcn_isa::Target;
use gcn_object::{Binding, RelocationKind, SymbolKind, Visibility};

use crate::assembler::{Assembler, Stated};
use crate::clrx;
use crate::data;
use crate::diagnostic::{Diagnostic, Fail, Helped, fail};
use crate::expand;
use crate::explain;
use crate::expr::{Parsed, Value};
use crate::features::Features;
use crate::ids;
use crate::kernel_code;
use crate::operand::{Delayed, lower_case};
use crate::program::{Metadata, SectionFlags, SectionKind};
use crate::symbols::{Defined, SymbolId};

const CODE: SectionFlags = SectionFlags {
    alloc: true,
    write: false,
    exec: true,
    merge: false,
    strings: false,
};
const READ_ONLY: SectionFlags = SectionFlags {
    exec: false,
    ..CODE
};
const DATA: SectionFlags = SectionFlags {
    write: true,
    ..READ_ONLY
};

/// What a section is if nothing is said but its name.
pub(crate) const SECTION_DEFAULTS: &[(&str, SectionKind, SectionFlags)] = &[
    (".text", SectionKind::ProgBits, CODE),
    (".data", SectionKind::ProgBits, DATA),
    (".bss", SectionKind::NoBits, DATA),
    (".rodata", SectionKind::ProgBits, READ_ONLY),
    (".note", SectionKind::Note, READ_ONLY),
];

/// Section types of ELF for tables of functions that a loader calls, with their numbers.
pub(crate) const OTHER_SECTION_TYPES: &[(&str, u32)] = &[
    ("init_array", 14),
    ("fini_array", 15),
    ("preinit_array", 16),
];

/// The most sections that `.pushsection` may stack.
const MAX_SECTION_STACK: usize = 1024;
/// The largest alignment, in bytes.
pub(crate) const MAX_ALIGN: i64 = 1 << 16;
/// The code object versions that can be assembled.
const CODE_OBJECT_VERSIONS: std::ops::RangeInclusive<i64> = 2..=6;

/// Names for messages; what is tried when a directive is unknown, with those of [`data`] and [`expand`].
#[rustfmt::skip]
const NAMES: &[&str] = &[
    ".text", ".data", ".bss", ".rodata", ".section", ".pushsection", ".popsection", ".previous", ".globl",
    ".global", ".weak", ".hidden", ".protected", ".internal", ".local", ".type", ".size", ".comm", ".lcomm", ".set",
    ".equ", ".equiv", ".eqv", ".gcn_address", ".reloc", ".amdgcn_target", ".amdhsa_code_object_version",
    ".hsa_code_object_version", ".hsa_code_object_isa", ".amd_amdgpu_isa", ".amd_amdgpu_hsa_metadata",
    ".amdgpu_hsa_kernel", ".amd_kernel_code_t", ".end_amd_kernel_code_t", ".amdhsa_kernel", ".end_amdhsa_kernel",
    ".amdgpu_metadata", ".amd_amdgpu_pal_metadata", ".amdgpu_pal_metadata", ".ident",
];

/// The processor of a target triple: `gfx906:xnack-` of `amdgcn-amd-amdhsa--gfx906:xnack-`.
pub(crate) fn processor(triple: &str) -> &str {
    triple.splitn(5, '-').nth(4).unwrap_or("")
}

impl Assembler<'_> {
    /// A directive; the cursor is behind its name.
    pub(crate) fn directive(&mut self, word: &str, span: Range<usize>) -> Result<(), Fail> {
        let mut buffer = [0; 64];
        let name = lower_case(word, &mut buffer).unwrap_or(word);
        if let Some(kernel) = &self.open_kernel
            && !name.starts_with(".amdhsa_")
            && name != ".end_amdhsa_kernel"
            && !expand::NAMES.contains(&name)
        {
            let message = format!(
                "`{name}` cannot stand between `.amdhsa_kernel {}` and `.end_amdhsa_kernel`",
                kernel.name
            );
            return Err(fail(&ids::MISPLACED_DIRECTIVE, span, message));
        }
        if let Some(result) = self.data_directive(name, &span) {
            return result;
        }
        if let Some(result) = self.clrx_directive(name, &span) {
            return result;
        }
        match name {
            ".text" | ".data" | ".bss" | ".rodata" => {
                let section = self.section_named(name);
                self.enter(section);
                Ok(())
            }
            ".section" => self.section_directive(false),
            ".pushsection" => self.section_directive(true),
            ".popsection" => match self.section_stack.pop() {
                Some((current, previous)) => {
                    (self.current, self.previous) = (current, previous);
                    Ok(())
                }
                None => Err(fail(
                    &ids::UNOPENED_BLOCK,
                    span,
                    "`.popsection` without `.pushsection`",
                )),
            },
            ".previous" => {
                std::mem::swap(&mut self.current, &mut self.previous);
                Ok(())
            }
            ".reloc" => self.relocation(),
            ".gcn_address" => self.section_address(span),
            ".globl" | ".global" => self.each_symbol(|entry| entry.binding = Some(Binding::Global)),
            ".weak" => self.each_symbol(|entry| entry.binding = Some(Binding::Weak)),
            ".local" => self.each_symbol(|entry| entry.binding = Some(Binding::Local)),
            ".hidden" => self.each_symbol(|entry| entry.visibility = Visibility::Hidden),
            ".protected" => self.each_symbol(|entry| entry.visibility = Visibility::Protected),
            ".internal" => self.each_symbol(|entry| entry.visibility = Visibility::Internal),
            ".type" => self.symbol_type(),
            ".size" => self.symbol_size(),
            ".comm" => self.common(),
            ".lcomm" => self.local_common(&span),
            ".set" | ".equ" => self.set(false),
            ".equiv" => self.set(true),
            ".eqv" => self.set_lazily(),
            ".amdgcn_target" => self.target_directive(),
            ".amdhsa_code_object_version" => {
                let version = self.absolute_within(
                    "the code object version",
                    *CODE_OBJECT_VERSIONS.start(),
                    *CODE_OBJECT_VERSIONS.end(),
                )?;
                self.code_object_version = Some(version as u8);
                Ok(())
            }
            ".amdhsa_kernel" => self.begin_kernel(span),
            ".end_amdhsa_kernel" => self.end_kernel(span),
            ".amdgpu_metadata" => self.metadata(span),
            ".ident" => {
                let text = self.cursor.string()?;
                self.identifications
                    .push(String::from_utf8_lossy(&text).into_owned());
                Ok(())
            }
            // Of no meaning for a program that is assembled and linked at once, or for a debugger only.
            ".file" | ".line" | ".loc" | ".version" | ".addrsig" | ".addrsig_sym" | ".extern"
            | ".no_dead_strip" | ".weakref" | ".lto_discard" | ".cg_profile" => {
                self.cursor.skip_line_content();
                Ok(())
            }
            kernel_code::BEGIN => self.begin_kernel_code(span),
            kernel_code::END => self.end_kernel_code(span),
            ".hsa_code_object_version" => self.hsa_version(),
            ".hsa_code_object_isa" => self.hsa_isa(),
            ".amd_amdgpu_isa" => self.hsa_isa_name(),
            ".amd_amdgpu_hsa_metadata" => self.hsa_metadata(span),
            ".amd_amdgpu_pal_metadata" => self.pal_registers(span),
            ".amdgpu_pal_metadata" => self.pal_metadata(span),
            ".amdgpu_hsa_kernel" => {
                self.vgprs.begin_kernel();
                self.sgprs.begin_kernel();
                self.each_symbol(|entry| entry.kind = SymbolKind::HsaKernel)
            }
            ".amdgpu_lds" => self.lds_symbol(),
            _ if name.starts_with(".cfi_") => {
                self.cursor.skip_line_content();
                Ok(())
            }
            _ if name.starts_with(".amdhsa_") => self.kernel_key(name, span),
            _ => {
                if let Some(result) = self.expansion_directive(name, &span) {
                    return result;
                }
                self.suggestions += 1;
                let similar = if self.suggestions <= explain::MAX_SUGGESTIONS {
                    explain::closest(
                        name,
                        NAMES
                            .iter()
                            .chain(data::NAMES)
                            .chain(clrx::NAMES)
                            .chain(expand::NAMES)
                            .copied(),
                    )
                } else {
                    None
                };
                self.cursor.skip_line_content();
                let error = fail(
                    &ids::UNKNOWN_DIRECTIVE,
                    span,
                    format!("there is no directive `{word}`"),
                );
                Err(match similar {
                    Some(similar) => error.helped(format!("did you mean `{similar}`?")),
                    None => error,
                })
            }
        }
    }

    /// Steps over the lines up to one that begins with `end`; yields where they stand.
    pub(crate) fn skip_to(&mut self, end: &str) -> Option<Range<usize>> {
        self.cursor.skip_line();
        let start = self.cursor.pos();
        while !self.cursor.at_end() {
            let line = self.cursor.pos();
            self.cursor.skip_blanks();
            if self
                .cursor
                .word()
                .is_some_and(|word| word.eq_ignore_ascii_case(end))
            {
                return Some(start..line);
            }
            self.cursor.skip_line();
        }
        None
    }

    /// `name, "flags", @type, size`
    fn section_directive(&mut self, push: bool) -> Result<(), Fail> {
        self.cursor.skip_blanks();
        let start = self.cursor.pos();
        let name = self.section_name()?;
        let section = if self.cursor.eat_after_blanks(b',') {
            let (kind, flags) = self.section_attributes(&name)?;
            match self.sections.iter().position(|s| s.name == name) {
                Some(index) => index as u32,
                None => self.add_section(&name, kind, flags),
            }
        } else {
            self.section_named(&name)
        };
        if self
            .sections
            .get(section as usize)
            .is_none_or(|s| s.name != name)
        {
            return Err(fail(
                &ids::SECTION_LIMIT,
                start..self.cursor.pos(),
                "too many sections",
            ));
        }
        if push {
            if self.section_stack.len() >= MAX_SECTION_STACK {
                return Err(fail(
                    &ids::SECTION_LIMIT,
                    start..self.cursor.pos(),
                    "too many sections on the stack",
                ));
            }
            self.section_stack.push((self.current, self.previous));
        }
        self.enter(section);
        Ok(())
    }

    /// The address that the current section is linked for.
    fn section_address(&mut self, span: Range<usize>) -> Result<(), Fail> {
        let address = self
            .absolute_within("the address", 0, i64::MAX)?
            .cast_unsigned();
        let Some(section) = self.sections.get_mut(self.current as usize) else {
            return Ok(());
        };
        match section.address.replace(address) {
            Some(other) if other != address => Err(fail(
                &ids::SECTION_ADDRESS,
                span,
                format!("section `{}` is at {other:#x} already", section.name),
            )),
            _ => Ok(()),
        }
    }

    /// A section's name may have dashes, for example `.note.GNU-stack`.
    fn section_name(&mut self) -> Result<String, Fail> {
        self.cursor.skip_blanks();
        if self.cursor.peek() == b'"' {
            return Ok(self.cursor.name()?.into_owned());
        }
        let start = self.cursor.pos();
        loop {
            let word = self.cursor.word().is_some() || self.cursor.digits().is_some();
            if !word && !self.cursor.eat(b'-') {
                break;
            }
        }
        let name = self.cursor.slice(start..self.cursor.pos());
        if name.is_empty() {
            return Err(self.cursor.expected("the section's name"));
        }
        Ok(name.to_owned())
    }

    /// Flags as older compilers write them: `#alloc,#write,#execinstr`.
    fn named_flags(&mut self) -> Result<SectionFlags, Fail> {
        let mut flags = SectionFlags::default();
        loop {
            self.cursor.skip_blanks();
            let start = self.cursor.pos();
            if !self.cursor.eat(b'#') {
                return Err(self.cursor.expected("`#` and a flag"));
            }
            match &*self.cursor.name()? {
                "alloc" => flags.alloc = true,
                "write" => flags.write = true,
                "execinstr" => flags.exec = true,
                name => {
                    let message = format!("there is no section flag `#{}`", name.escape_debug());
                    return Err(
                        fail(&ids::SECTION_ATTRIBUTE, start..self.cursor.pos(), message)
                            .helped("the flags are #alloc, #write and #execinstr"),
                    );
                }
            }
            if !self.cursor.eat_after_blanks(b',') {
                return Ok(flags);
            }
        }
    }

    fn section_attributes(&mut self, name: &str) -> Result<(SectionKind, SectionFlags), Fail> {
        self.cursor.skip_blanks();
        let start = self.cursor.pos();
        if self.cursor.peek() == b'#' {
            let kind = if is_zeros(name) {
                SectionKind::NoBits
            } else {
                SectionKind::ProgBits
            };
            return Ok((kind, self.named_flags()?));
        }
        let letters = self.cursor.string()?;
        let mut flags = SectionFlags::default();
        let (mut names_group, mut names_section) = (false, false);
        for letter in letters {
            match letter {
                b'a' => flags.alloc = true,
                b'w' => flags.write = true,
                b'x' => flags.exec = true,
                b'M' => flags.merge = true,
                b'S' => flags.strings = true,
                b'e' | b'R' => {}
                b'o' => names_section = true,
                b'G' => names_group = true,
                _ => {
                    return Err(fail(
                        &ids::SECTION_ATTRIBUTE,
                        start..self.cursor.pos(),
                        format!(
                            "there is no section flag `{}`",
                            char::from(letter).escape_debug()
                        ),
                    )
                    .helped(
                        "the flags are a (loaded), w (written), x (code), M (merged), S (strings)",
                    ));
                }
            }
        }
        let mut kind = match name {
            _ if is_zeros(name) => SectionKind::NoBits,
            _ if name.starts_with(".note") && name != ".note.GNU-stack" => SectionKind::Note,
            _ => SectionKind::ProgBits,
        };
        if self.cursor.eat_after_blanks(b',') {
            self.cursor.skip_blanks();
            let start = self.cursor.pos();
            let _ = self.cursor.eat(b'@') || self.cursor.eat(b'%');
            let word = self.cursor.name()?;
            kind = match &*word {
                "progbits" => SectionKind::ProgBits,
                "nobits" => SectionKind::NoBits,
                "note" => SectionKind::Note,
                _ => match OTHER_SECTION_TYPES.iter().find(|(name, _)| *name == word) {
                    Some(&(_, number)) => SectionKind::Other(number),
                    None => {
                        let message = format!("there is no section type `{word}`");
                        return Err(fail(&ids::SECTION_ATTRIBUTE, start..self.cursor.pos(), message)
                            .helped("the types are @progbits, @nobits, @note, @init_array, @fini_array and @preinit_array"));
                    }
                },
            };
            if !names_group && !names_section || flags.merge {
                self.optional_absolute("the size of an element")?;
            }
        }
        // A program of one source has each group once, so that nothing is to be left out; nor does it matter here
        // what section another one belongs to.
        for is_named in [names_group, names_section] {
            if is_named {
                self.comma("the name of a group or a section")?;
                self.cursor.name()?;
            }
        }
        if names_group && self.cursor.eat_after_blanks(b',') {
            self.cursor.skip_blanks();
            let start = self.cursor.pos();
            if &*self.cursor.name()? != "comdat" {
                let here = start..self.cursor.pos();
                return Err(fail(
                    &ids::SECTION_ATTRIBUTE,
                    here,
                    "behind the name of a group may stand `comdat`",
                ));
            }
        }
        Ok((kind, flags))
    }

    fn symbol(&mut self) -> Result<SymbolId, Fail> {
        self.cursor.skip_blanks();
        let start = self.cursor.pos();
        let name = self.cursor.name()?;
        Ok(self.symbols.used(&name, start..self.cursor.pos()))
    }

    /// Names separated by commas.
    fn each_symbol(&mut self, change: impl Fn(&mut crate::symbols::Entry)) -> Result<(), Fail> {
        loop {
            let id = self.symbol()?;
            if let Some(entry) = self.symbols.get_mut(id) {
                change(entry);
            }
            if !self.cursor.eat_after_blanks(b',') {
                return Ok(());
            }
        }
    }

    pub(crate) fn comma(&mut self, what: &str) -> Result<(), Fail> {
        if self.cursor.eat_after_blanks(b',') {
            Ok(())
        } else {
            Err(self.cursor.expected(&format!("`,` and {what}")))
        }
    }

    /// `name, @function`
    fn symbol_type(&mut self) -> Result<(), Fail> {
        let id = self.symbol()?;
        let _ = self.cursor.eat_after_blanks(b',');
        self.cursor.skip_blanks();
        let start = self.cursor.pos();
        let _ = self.cursor.eat(b'@') || self.cursor.eat(b'%') || self.cursor.eat(b'#');
        let word = self.cursor.name()?;
        let kind = match &*word {
            "function" | "STT_FUNC" => SymbolKind::Function,
            "object" | "STT_OBJECT" => SymbolKind::Object,
            "notype" | "STT_NOTYPE" => SymbolKind::NoType,
            "amdgpu_hsa_kernel" => SymbolKind::HsaKernel,
            _ => {
                let message = format!("there is no symbol type `{word}`");
                return Err(fail(&ids::SYMBOL_TYPE, start..self.cursor.pos(), message)
                    .helped("the types are @function, @object and @notype"));
            }
        };
        if let Some(entry) = self.symbols.get_mut(id) {
            entry.kind = kind;
        }
        Ok(())
    }

    /// `name, expression`
    fn symbol_size(&mut self) -> Result<(), Fail> {
        let id = self.symbol()?;
        self.comma("the size")?;
        self.cursor.skip_blanks();
        let start = self.cursor.pos();
        let size = match self.parse_expr()? {
            Parsed::Known(value) => Defined::Value(value),
            Parsed::Later(id) => Defined::Expr(id),
            Parsed::Float(_) | Parsed::Suffixed(..) => {
                return Err(fail(
                    &ids::FLOAT_VALUE,
                    start..self.cursor.pos(),
                    "a size is an integer",
                ));
            }
        };
        if let Some(entry) = self.symbols.get_mut(id) {
            entry.size = size;
        }
        Ok(())
    }

    /// `name, size`: the symbol, where it stands, and the bytes that it has.
    fn symbol_and_size(&mut self) -> Result<(SymbolId, Range<usize>, i64), Fail> {
        self.cursor.skip_blanks();
        let start = self.cursor.pos();
        let id = self.symbol()?;
        let name = start..self.cursor.pos();
        self.comma("the size")?;
        let size = self.absolute_within("the size", 0, i64::from(u32::MAX))?;
        Ok((id, name, size))
    }

    /// `name, size, alignment`
    fn common(&mut self) -> Result<(), Fail> {
        let (id, span, size) = self.symbol_and_size()?;
        // LLVM has the alignment's exponent here for AMD GPUs, unlike GNU as for others.
        let exponent = self.optional_absolute("the alignment")?.unwrap_or(0);
        let align = u32::try_from(exponent)
            .ok()
            .and_then(|exponent| 1_i64.checked_shl(exponent))
            .filter(|align| (1..=MAX_ALIGN).contains(align));
        let Some(align) = align else {
            return Err(fail(
                &ids::INVALID_ALIGNMENT,
                span.start..self.cursor.pos(),
                format!(
                    "the alignment is 2 to the power of {exponent}, but may be {MAX_ALIGN} at most"
                ),
            ));
        };
        if let Some(entry) = self.symbols.get_mut(id) {
            if entry.defined != Defined::No {
                return Err(fail(
                    &ids::REDEFINED_SYMBOL,
                    span,
                    format!("symbol `{}` is already defined", entry.name),
                ));
            }
            entry.defined = Defined::Common {
                align: align.cast_unsigned(),
            };
            entry.size = Defined::Value(Value::absolute(size));
        }
        Ok(())
    }

    /// `name, size`: room in `.bss`, behind what is there.
    fn local_common(&mut self, span: &Range<usize>) -> Result<(), Fail> {
        let (id, name, size) = self.symbol_and_size()?;
        self.cursor.skip_blanks();
        if self.cursor.peek() == b',' {
            return Err(self.cursor.expected("the end of the line").helped(
                "the room is not aligned; write `.bss`, `.p2align`, the label and `.skip`",
            ));
        }
        let current = self.current;
        self.current = self.section_named(".bss");
        let room = self.define_label(id, name).and_then(|()| {
            if let Some(entry) = self.symbols.get_mut(id) {
                entry.kind = SymbolKind::Object;
                entry.size = Defined::Value(Value::absolute(size));
            }
            self.emit_zeros(size.cast_unsigned(), span)
        });
        self.current = current;
        room
    }

    /// `name, expression`
    fn set(&mut self, once: bool) -> Result<(), Fail> {
        self.cursor.skip_blanks();
        let start = self.cursor.pos();
        let name = self.cursor.name()?.into_owned();
        let span = start..self.cursor.pos();
        if once {
            self.is_new(&name, &span)?;
        }
        self.comma("the value")?;
        self.assign(&name, span)
    }

    /// `name, expression`, which is evaluated anew wherever the name is used.
    fn set_lazily(&mut self) -> Result<(), Fail> {
        self.cursor.skip_blanks();
        let start = self.cursor.pos();
        let name = self.cursor.name()?.into_owned();
        let span = start..self.cursor.pos();
        self.is_new(&name, &span)?;
        self.comma("the value")?;
        self.assign_lazily(&name, span)
    }

    /// `offset, kind, expression`: a field for the linker, whatever stands there.
    fn relocation(&mut self) -> Result<(), Fail> {
        let place = self.delayed("an offset is an integer or a label")?;
        self.comma("the kind")?;
        self.cursor.skip_blanks();
        let start = self.cursor.pos();
        let name = self.cursor.name()?;
        let Some(kind) = RelocationKind::from_name(&name) else {
            let message = format!("there is no relocation `{}`", name.escape_debug());
            return Err(
                fail(&ids::UNKNOWN_RELOCATION, start..self.cursor.pos(), message)
                    .helped("for example R_AMDGPU_REL32_LO or R_AMDGPU_ABS64"),
            );
        };
        let value = if self.cursor.eat_after_blanks(b',') {
            self.delayed("an address is an integer or a symbol")?
        } else {
            Delayed::Value(Value::absolute(0))
        };
        let (section, _) = self.here();
        self.stated.push(Stated {
            section,
            place,
            kind,
            value,
            span: self.expansion.in_source(start..self.cursor.pos()),
        });
        Ok(())
    }

    /// An integer or an address that may become known later.
    pub(crate) fn delayed(&mut self, complaint: &str) -> Result<Delayed, Fail> {
        self.cursor.skip_blanks();
        let start = self.cursor.pos();
        match self.parse_expr()? {
            Parsed::Known(value) => Ok(Delayed::Value(value)),
            Parsed::Later(id) => Ok(Delayed::Expr(id)),
            Parsed::Float(_) | Parsed::Suffixed(..) => {
                Err(fail(&ids::FLOAT_VALUE, start..self.cursor.pos(), complaint))
            }
        }
    }

    /// `"amdgcn-amd-amdhsa--gfx906:sramecc+:xnack-"`
    fn target_directive(&mut self) -> Result<(), Fail> {
        self.cursor.skip_blanks();
        let start = self.cursor.pos();
        let text = self.cursor.string()?;
        let span = start..self.cursor.pos();
        let triple = String::from_utf8_lossy(&text).into_owned();
        let name = processor(&triple);
        if !triple.starts_with("amdgcn-") || name.is_empty() {
            return Err(fail(
                &ids::UNKNOWN_TARGET,
                span,
                format!("`{}` is not a target", triple.escape_debug()),
            )
            .helped(format!(
                "for example \"amdgcn-amd-amdhsa--{}\"",
                self.target.name
            )));
        }
        let Some(target) = Target::named(name) else {
            return Err(fail(&ids::UNKNOWN_TARGET, span, format!("there is no GPU `{}`, or not of these generations", name.escape_debug()))
                .helped("the targets are gfx600 to gfx602, gfx700 to gfx705, gfx801 to gfx810, gfx900 to gfx90c"));
        };
        if target.name != self.target.name {
            return Err(fail(
                &ids::TARGET_MISMATCH,
                span,
                format!(
                    "the source is for {target}, but is assembled for {}",
                    self.target
                ),
            )
            .helped(format!(
                "assemble it with `--target {}`, or change the directive",
                target.name
            )));
        }
        let said = match Features::said(target, name) {
            Ok(said) => said,
            Err(error) => {
                let wrong = fail(&ids::TARGET_FEATURE, span, error.to_string());
                return Err(match error.help() {
                    Some(help) => wrong.helped(help),
                    None => wrong,
                });
            }
        };
        self.features = self.features.joined(said).ok_or_else(|| {
            let message = "the source is assembled for other features of this target";
            fail(&ids::TARGET_FEATURE, span, message).helped(format!(
                "assemble it with `--target {}`, or change the directive",
                name.escape_debug()
            ))
        })?;
        Ok(())
    }

    /// YAML up to `.end_amdgpu_metadata`.
    fn metadata(&mut self, span: Range<usize>) -> Result<(), Fail> {
        match self.skip_to(".end_amdgpu_metadata") {
            Some(place) => {
                if self.metadata.is_some() {
                    self.diagnostics.push(Diagnostic::warning(
                        &ids::DUPLICATE_METADATA,
                        span,
                        "metadata is written twice; the last one counts",
                    ));
                }
                let in_source = self.expansion.in_source(place.clone());
                self.metadata = Some(Metadata {
                    yaml: self.cursor.slice(place.clone()).to_owned(),
                    span: in_source,
                });
                Ok(())
            }
            None => Err(
                fail(&ids::UNCLOSED_BLOCK, span, "`.amdgpu_metadata` has no end")
                    .helped("end it with `.end_amdgpu_metadata`"),
            ),
        }
    }
}

/// Whether a section of this name holds zeros that take no room in the file.
fn is_zeros(name: &str) -> bool {
    name == ".bss" || name.starts_with(".bss.")
}

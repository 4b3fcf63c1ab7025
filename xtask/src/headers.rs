//! Extracts enumerator values and structure layouts from the HSA headers of several ROCm releases, using the debug
//! information that a C compiler generates.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};
use gimli::{AttributeValue, EndianSlice, LittleEndian, constants as dw};
use object::{Object, ObjectSection};

use crate::run;

type Reader<'a> = EndianSlice<'a, LittleEndian>;
type Dwarf<'a> = gimli::Dwarf<Reader<'a>>;
type Entry<'a> = gimli::DebuggingInformationEntry<Reader<'a>>;

const HEADERS: [&str; 6] = [
    "hsa.h",
    "hsa_ext_amd.h",
    "hsa_ext_image.h",
    "hsa_ven_amd_loader.h",
    "amd_hsa_queue.h",
    "amd_hsa_signal.h",
];

/// Name prefixes of unneeded types: types for processors other than GPUs, or for functions listed in
/// `api/unsupported.rs`.
const OTHERS: [&str; 4] = [
    "hsa_amd_aie_",
    "hsa_amd_svm_",
    "hsa_code_",
    "hsa_ven_amd_pcs_",
];

fn is_fact(name: &str) -> bool {
    let is_of_hsa = name.starts_with("hsa_") || name.starts_with("amd_");
    is_of_hsa && !OTHERS.iter().any(|other| name.starts_with(other))
}

/// True for an enumerator that only marks the end of an enumeration, or gives the bit position or width of an
/// `amd_queue_t` flag.
fn is_bound(name: &str) -> bool {
    let is_place =
        name.starts_with("AMD_") && (name.ends_with("_SHIFT") || name.ends_with("_WIDTH"));
    is_place || name.contains("_LAST_") || name.ends_with("_LAST")
}

fn text(
    dwarf: &Dwarf<'_>,
    unit: &gimli::Unit<Reader<'_>>,
    entry: &Entry<'_>,
) -> Result<Option<String>> {
    let name = entry.attr_value(dw::DW_AT_name);
    let name = name.map(|name| dwarf.attr_string(unit, name)).transpose()?;
    Ok(name.map(|name| name.to_string_lossy().into_owned()))
}

/// Finds the structure or union type of a field.
fn structure(
    unit: &gimli::Unit<Reader<'_>>,
    field: &Entry<'_>,
) -> Result<Option<gimli::UnitOffset>> {
    let mut of = field.attr_value(dw::DW_AT_type);
    while let Some(AttributeValue::UnitRef(offset)) = of {
        let entry = unit.entry(offset)?;
        match entry.tag() {
            dw::DW_TAG_structure_type | dw::DW_TAG_union_type => return Ok(Some(offset)),
            dw::DW_TAG_typedef => of = entry.attr_value(dw::DW_AT_type),
            _ => return Ok(None),
        }
    }
    Ok(None)
}

/// Facts, each with the releases that it applies to.
type Releases<T> = BTreeMap<T, BTreeSet<String>>;

#[derive(Default)]
struct Facts {
    /// Enumerator values and names, by enumeration.
    enums: BTreeMap<String, Releases<(u64, String)>>,
    /// Structure sizes and field offsets in bytes, by names such as `hsa_queue_t.type`.
    layouts: BTreeMap<String, Releases<u64>>,
}

/// Writes the facts for releases given as `6.4=INCLUDE`, where the directory INCLUDE contains `hsa`.
///
/// # Errors
/// Fails if a header does not compile, an enumerator has different values in two releases, or a file cannot be written.
pub(crate) fn write(releases: &[&str]) -> Result<()> {
    let mut facts = Facts::default();
    let mut all = BTreeSet::new();
    for release in releases {
        let (name, include) = release.split_once('=').with_context(|| {
            format!("`{release}` is not a release and a directory, as in 6.4=/usr/include")
        })?;
        facts
            .read(name, Path::new(include))
            .with_context(|| format!("cannot read the headers of {name} in {include}"))?;
        all.insert(name.to_owned());
    }
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates/gcn-hsa");
    fs::write(crates.join("src/numbers.rs"), facts.numbers(&all)?)?;
    fs::write(crates.join("tests/layouts.txt"), facts.layouts(&all))?;
    Ok(())
}

impl Facts {
    fn read(&mut self, release: &str, include: &Path) -> Result<()> {
        let directory = std::env::temp_dir().join(format!("gcn-headers-{}", std::process::id()));
        fs::create_dir_all(&directory)?;
        let (source, compiled) = (directory.join("hsa.c"), directory.join("hsa.so"));
        let lines = HEADERS.map(|header| format!("#include <hsa/{header}>\n"));
        fs::write(&source, lines.concat())?;
        run(Command::new("gcc")
            // Linking resolves the relocations in the debug information.
            .args(["-shared", "-nostdlib", "-g"])
            .args(["-fno-eliminate-unused-debug-types", "-I"])
            .arg(include)
            .arg("-o")
            .args([&compiled, &source]))?;
        let bytes = fs::read(&compiled)?;
        fs::remove_dir_all(&directory)?;
        let file = object::File::parse(&*bytes)?;
        let sections = gimli::DwarfSections::load(|id| {
            let section = file.section_by_name(id.name());
            Ok::<_, object::Error>(match section {
                Some(section) => section.uncompressed_data()?,
                None => Cow::Borrowed(&[][..]),
            })
        })?;
        let dwarf = sections.borrow(|bytes| EndianSlice::new(bytes, LittleEndian));
        let mut units = dwarf.units();
        while let Some(header) = units.next()? {
            let unit = dwarf.unit(header)?;
            let mut tree = unit.entries_tree(None)?;
            let mut children = tree.root()?.children();
            // Enumerations without a typedef extend other enumerations.
            let mut unnamed = BTreeSet::new();
            let mut named = BTreeSet::new();
            while let Some(child) = children.next()? {
                let entry = child.entry();
                match (entry.tag(), entry.attr_value(dw::DW_AT_type)) {
                    (dw::DW_TAG_typedef, Some(AttributeValue::UnitRef(of))) => {
                        named.insert(of);
                        let name = text(&dwarf, &unit, entry)?;
                        if let Some(name) = name.filter(|name| is_fact(name)) {
                            self.type_of((release, &name), (&dwarf, &unit), (of, None))?;
                        }
                    }
                    (dw::DW_TAG_enumeration_type, _) => {
                        unnamed.insert(entry.offset());
                    }
                    _ => {}
                }
            }
            for of in unnamed.difference(&named) {
                self.type_of((release, "Others"), (&dwarf, &unit), (*of, None))?;
            }
        }
        Ok(())
    }

    /// Adds the facts about the type at `of`: an enumeration, a structure, or with `base` the type of a member.
    fn type_of(
        &mut self,
        (release, name): (&str, &str),
        (dwarf, unit): (&Dwarf<'_>, &gimli::Unit<Reader<'_>>),
        (of, base): (gimli::UnitOffset, Option<u64>),
    ) -> Result<()> {
        let mut tree = unit.entries_tree(Some(of))?;
        let root = tree.root()?;
        let tag = root.entry().tag();
        let number = |entry: &Entry<'_>, at| entry.attr(at).and_then(|it| it.udata_value());
        if tag == dw::DW_TAG_structure_type && base.is_none() {
            let bytes = number(root.entry(), dw::DW_AT_byte_size).unwrap_or(0);
            self.layout(release, name.to_owned(), bytes);
        }
        let mut children = root.children();
        while let Some(child) = children.next()? {
            let entry = child.entry();
            let offset =
                base.unwrap_or(0) + number(entry, dw::DW_AT_data_member_location).unwrap_or(0);
            match (entry.tag(), text(dwarf, unit, entry)?) {
                (dw::DW_TAG_enumerator, Some(part)) => {
                    let value = entry.attr(dw::DW_AT_const_value);
                    // Enumerators have type `int`, but a flag in the highest bit is unsigned.
                    let signed = |value: i64| u64::from(value as u32);
                    let value =
                        value.and_then(|it| it.udata_value().or(it.sdata_value().map(signed)));
                    let value = value.with_context(|| format!("{part} has no value"))?;
                    let known = self.enums.entry(name.to_owned()).or_default();
                    known
                        .entry((value, part))
                        .or_default()
                        .insert(release.to_owned());
                }
                (dw::DW_TAG_member, part) => {
                    let inner = match part {
                        Some(part) => format!("{name}.{part}"),
                        None => name.to_owned(),
                    };
                    if inner != name {
                        self.layout(release, inner.clone(), offset);
                    }
                    if let Some(of) = structure(unit, entry)? {
                        self.type_of((release, &inner), (dwarf, unit), (of, Some(offset)))?;
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn layout(&mut self, release: &str, name: String, value: u64) {
        let values = self.layouts.entry(name).or_default();
        values.entry(value).or_default().insert(release.to_owned());
    }

    /// Formats the enumerators as Rust constants.
    fn numbers(&self, all: &BTreeSet<String>) -> Result<String> {
        let mut text = format!(
            "//! Constants of the HSA headers of ROCm {}; a comment names the releases if not all define the constant.\n\
             //! Written by `cargo xtask headers`.\n#![allow(missing_docs, non_upper_case_globals)]\n",
            join(all, ", ")
        );
        let mut known = BTreeMap::new();
        for (name, enumerators) in &self.enums {
            let _ = writeln!(text, "\n// {name}.");
            for ((value, name), releases) in enumerators {
                if is_bound(name) {
                    continue;
                }
                if let Some(other) = known.insert(name, value) {
                    bail!("{name} is {other} in one release and {value} in another");
                }
                let kind = if u32::try_from(*value).is_ok() {
                    "u32"
                } else {
                    "u64"
                };
                let of = if releases == all {
                    String::new()
                } else {
                    format!(" // {}", join(releases, ", "))
                };
                let _ = writeln!(text, "pub const {name}: {kind} = {value:#x};{of}");
            }
        }
        Ok(text)
    }

    /// Formats a line for each structure and field: name, size or offset, and the releases that share this value.
    fn layouts(&self, all: &BTreeSet<String>) -> String {
        let mut text = format!(
            "# Bytes of structures and offsets of their fields in the HSA headers of ROCm {}: name, number, releases.\n\
             # Written by `cargo xtask headers`.\n",
            join(all, ", ")
        );
        for (name, values) in &self.layouts {
            for (value, releases) in values {
                let _ = writeln!(text, "{name} {value} {}", join(releases, " "));
            }
        }
        text
    }
}

fn join(releases: &BTreeSet<String>, between: &str) -> String {
    let all: Vec<&str> = releases.iter().map(String::as_str).collect();
    all.join(between)
}

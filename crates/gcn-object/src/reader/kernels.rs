//! Finds kernels by their descriptor symbols, and joins them with metadata.

use std::collections::{HashMap, HashSet};

use super::state::ObjectReader;
use super::symbols::kernel_name;
use crate::descriptor::{DESCRIPTOR_SIZE, ENTRY_OFFSET_FIELD, KERNEL_CODE_SIZE, KernelDescriptor};
use crate::elf::{RelocationKind, SymbolKind};
use crate::error::Warning;
use crate::metadata::KernelMetadata;
use crate::object::{ObjectKernel, RelocationTarget, SymbolSection};
use crate::target::Version;

impl<'a> ObjectReader<'a> {
    pub(super) fn find_kernels(&mut self) -> Vec<ObjectKernel> {
        let claims = self
            .metadata
            .as_ref()
            .map(|metadata| metadata.kernels.as_slice())
            .unwrap_or_default();
        let mut by_symbol: HashMap<&str, &KernelMetadata> = HashMap::new();
        for claim in claims {
            let symbol = claim
                .symbol
                .strip_suffix(".kd")
                .or_else(|| claim.symbol.strip_suffix("@kd"));
            by_symbol
                .entry(symbol.unwrap_or(&claim.name))
                .or_insert(claim);
        }
        let mut entries = HashMap::new();
        if !self.linked {
            let fields = self
                .relocations
                .iter()
                .filter(|relocation| relocation.kind == RelocationKind::Rel64);
            entries.extend(fields.map(|relocation| (relocation.address, *relocation)));
        }
        let functions: HashMap<&str, u64> = self
            .symbols
            .iter()
            .filter(|symbol| symbol.kind == SymbolKind::Function)
            .map(|symbol| (symbol.name.as_str(), symbol.size))
            .collect();
        let mut seen = HashSet::new();
        let mut kernels = Vec::new();
        for symbol in &self.symbols {
            let address = symbol.value;
            let is_defined = matches!(symbol.section, SymbolSection::Section(_));
            let name = kernel_name(self.version, symbol.kind, is_defined, &symbol.name);
            let Some(name) = name.filter(|name| seen.insert(*name)) else {
                continue;
            };
            let (decoded, code_size) = if self.version == Version::V2 {
                let decoded = self
                    .bytes_at::<KERNEL_CODE_SIZE>(address)
                    .map(KernelDescriptor::decode_kernel_code);
                let entry = decoded
                    .as_ref()
                    .map_or(0, |descriptor| descriptor.kernel_code_entry_byte_offset);
                (
                    decoded,
                    symbol.size.saturating_sub(entry.max(0).cast_unsigned()),
                )
            } else {
                let decoded = self
                    .bytes_at::<DESCRIPTOR_SIZE>(address)
                    .map(KernelDescriptor::decode);
                (decoded, functions.get(name).copied().unwrap_or(0))
            };
            let metadata = by_symbol.remove(name).cloned();
            let Some(mut descriptor) = decoded else {
                self.warnings.push(Warning::Descriptor {
                    kernel: name.to_owned(),
                    address,
                });
                continue;
            };
            if let Some(relocation) = entries.get(&address.wrapping_add(ENTRY_OFFSET_FIELD))
                && let RelocationTarget::Symbol(target) = relocation.target
                && let Some(target) = self.symbols.get(target)
            {
                let value = target
                    .value
                    .wrapping_add_signed(relocation.addend)
                    .wrapping_sub(relocation.address);
                descriptor.kernel_code_entry_byte_offset = value.cast_signed();
            }
            let entry_address =
                address.wrapping_add_signed(descriptor.kernel_code_entry_byte_offset);
            if !self
                .segments
                .iter()
                .any(|segment| segment.execute && segment.contains(entry_address))
            {
                self.warnings.push(Warning::Entry {
                    kernel: name.to_owned(),
                    address: entry_address,
                });
            }
            kernels.push(ObjectKernel {
                name: name.to_owned(),
                descriptor_address: address,
                entry_address,
                code_size,
                descriptor,
                metadata,
            });
        }
        kernels.sort_by(|a, b| a.name.cmp(&b.name));
        let mut orphans: Vec<&str> = by_symbol.into_keys().collect();
        orphans.sort_unstable();
        let orphans = orphans.into_iter().map(|kernel| Warning::NoSymbol {
            kernel: kernel.to_owned(),
        });
        let problems = claims.iter().flat_map(|claim| {
            let of = move |problem| Warning::Claim {
                kernel: claim.name.clone(),
                problem,
            };
            claim.problems().into_iter().map(of)
        });
        self.warnings.extend(orphans.chain(problems));
        kernels
    }

    fn bytes_at<const N: usize>(&self, address: u64) -> Option<&'a [u8; N]> {
        let segment = self
            .segments
            .iter()
            .find(|segment| segment.contains(address))?;
        let offset = usize::try_from(address.checked_sub(segment.address)?).ok()?;
        self.bytes
            .get(segment.file.clone())?
            .get(offset..)?
            .first_chunk()
    }
}

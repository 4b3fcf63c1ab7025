//! Instruction families, and sets of instruction sets.

use gcn_isa::{Isa, IsaSet, Op, Row};

/// Instruction family in lower case, for example `ds`.
///
/// # Examples
/// ```
/// use gcn_isa::{Op, ds::Ds};
/// assert_eq!(gcn_asm::reference::family(Op::Ds(Ds::DS_ADD_U32)), "ds");
/// ```
pub fn family(op: Op) -> String {
    format!("{:?}", op.family_encoding()).to_ascii_lowercase()
}

/// Returns true if an instruction set has a row's instruction.
///
/// # Examples
/// ```
/// use gcn_asm::reference::exists;
/// use gcn_isa::{Isa, Op, smem::Smem};
/// let row = Op::Smem(Smem::S_STORE_DWORD).row();
/// assert!(exists(row, Isa::Vi) && !exists(row, Isa::Si));
/// ```
pub fn exists(row: &Row, isa: Isa) -> bool {
    !isa.tables().forms(row.op()).is_empty()
}

/// Instruction sets that have a row's instruction.
///
/// # Examples
/// ```
/// use gcn_asm::reference::sets;
/// use gcn_isa::{Isa, Op, smem::Smem};
/// assert!(!sets(Op::Smem(Smem::S_STORE_DWORD).row()).has(Isa::Si));
/// ```
pub fn sets(row: &Row) -> IsaSet {
    set_of(Isa::ALL.into_iter().filter(|&isa| exists(row, isa)))
}

/// Collects instruction sets into an [`IsaSet`].
///
/// # Examples
/// ```
/// use gcn_asm::reference::set_of;
/// use gcn_isa::Isa;
/// assert!(set_of([Isa::Si, Isa::Vi]).has(Isa::Vi));
/// ```
pub fn set_of(isas: impl IntoIterator<Item = Isa>) -> IsaSet {
    let isas = isas.into_iter();
    isas.fold(IsaSet::NONE, |set, isa| set.or(isa.only()))
}

/// GCN versions of the instruction sets in `set` that are also in `asked`. If `set` has only some instruction sets of a
/// version, adds a target for each: `GCN 1.2, 1.4 (gfx904)`.
///
/// # Examples
/// ```
/// use gcn_asm::reference::{set_of, versions};
/// use gcn_isa::Isa;
/// assert_eq!(versions(set_of([Isa::Si, Isa::Ci]), &Isa::ALL), "GCN 1.0, 1.1");
/// ```
pub fn versions(set: IsaSet, asked: &[Isa]) -> String {
    let number = |isa: Isa| isa.version().trim_start_matches("GCN ");
    let mut texts: Vec<String> = Vec::new();
    let mut known = "";
    for &isa in asked {
        let version = number(isa);
        if version == known {
            continue;
        }
        known = version;
        let all = asked.iter().copied();
        let all: Vec<Isa> = all.filter(|&isa| number(isa) == version).collect();
        let had: Vec<Isa> = all.iter().copied().filter(|&isa| set.has(isa)).collect();
        let names = had.iter().filter_map(|&isa| {
            let target = gcn_isa::TARGETS.iter().find(|target| target.isa == isa);
            target.map(|target| target.name)
        });
        match had.len() {
            0 => {}
            n if n == all.len() => texts.push(version.to_owned()),
            _ => texts.push(format!(
                "{version} ({})",
                names.collect::<Vec<_>>().join(", ")
            )),
        }
    }
    format!("GCN {}", texts.join(", "))
}

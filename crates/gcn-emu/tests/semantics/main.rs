//! Tests of the checklist in `docs/semantics.md`. Each item has a test whose name contains its number, in a module for
//! each part of a section. The last tests look for items without a test.

#[path = "../common/mod.rs"]
mod common;

mod buffers;
mod counters;
mod ds_addresses;
mod ds_atomics;
mod ds_lanes;
mod ds_moves;
mod ds_waves;
mod execution;
mod flat_addresses;
mod flat_atomics;
mod scalar;
mod vectors;

/// Numbered items of sections 1 to 5 and 7 of the checklist.
fn items(text: &str) -> Vec<(u32, u32)> {
    let mut items = Vec::new();
    let mut section = 0;
    for line in text.lines() {
        if let Some(title) = line.strip_prefix("## ") {
            section = title
                .split('.')
                .next()
                .and_then(|n| n.parse().ok())
                .unwrap_or(0);
        }
        let number = match line.strip_prefix("- [ ] ").or(line.strip_prefix("- [x] ")) {
            Some(item) => item
                .split_whitespace()
                .next()
                .and_then(|n| n.split('.').nth(1)),
            None if section == 7 => line.split_once(". ").map(|(number, _)| number),
            None => None,
        };
        if let Some(number) = number.and_then(|n| n.parse().ok()) {
            items.push((section, number));
        }
    }
    items
}

#[test]
fn every_item_of_the_checklist_has_a_test() {
    let items = items(include_str!("../../../../docs/semantics.md"));
    assert!(items.len() > 100, "the checklist is read: {}", items.len());
    let sources = [
        include_str!("execution.rs"),
        include_str!("ds_addresses.rs"),
        include_str!("ds_atomics.rs"),
        include_str!("ds_moves.rs"),
        include_str!("ds_waves.rs"),
        include_str!("ds_lanes.rs"),
        include_str!("flat_addresses.rs"),
        include_str!("flat_atomics.rs"),
        include_str!("scalar.rs"),
        include_str!("counters.rs"),
        include_str!("buffers.rs"),
        include_str!("vectors.rs"),
    ];
    let missing: Vec<String> = items
        .into_iter()
        // Section 6 is for checkers, and not modelled here. From section 8 on, items name their tests.
        .filter(|(section, _)| *section != 6 && *section < 8)
        .filter(|(section, number)| {
            let name = format!("fn s{section}_{number}_");
            !sources.iter().any(|source| source.contains(&name))
        })
        .map(|(section, number)| format!("{section}.{number}"))
        .collect();
    assert!(missing.is_empty(), "without a test: {missing:?}");
}

#[test]
fn items_of_the_checklist_name_tests_that_exist() {
    let sources = [
        include_str!("../alu/edges.rs"),
        include_str!("../alu/modes.rs"),
        include_str!("../alu/nan.rs"),
        include_str!("../alu/division.rs"),
        include_str!("../alu/vector.rs"),
        include_str!("../alu/control.rs"),
        include_str!("../alu/signs.rs"),
        include_str!("../alu/single.rs"),
        include_str!("../indexing.rs"),
        include_str!("../formats.rs"),
        include_str!("../images/atomics.rs"),
        include_str!("../images/loads.rs"),
        include_str!("../images/sampling.rs"),
        include_str!("../images/stores.rs"),
        include_str!("../differential.rs"),
        include_str!("../model/hardware.rs"),
    ];
    let files = ["rounding.rs", "many.rs", "indexing.rs"];
    let mut items = 0;
    for line in include_str!("../../../../docs/semantics.md").lines() {
        let section = line.strip_prefix("- [ ] ").and_then(|item| {
            let (section, _) = item.split_once('.')?;
            section.parse::<u32>().ok()
        });
        if section.is_none_or(|section| section < 8) {
            continue;
        }
        items += 1;
        let names: Vec<&str> = line.split('`').skip(1).step_by(2).collect();
        assert!(!names.is_empty(), "{line}");
        for name in names {
            let is_test = |source: &&str| source.contains(&format!("fn {name}("));
            assert!(
                files.contains(&name) || sources.iter().any(is_test),
                "{name}: {line}"
            );
        }
    }
    assert!(items > 15, "{items}");
}

//! Buffers to print, save and compare after a run, and instructions to trace.

use std::ops::Range;
use std::path::{Path, PathBuf};

use anyhow::Result;
use gcn_args::bind::BufferView;
use gcn_args::spec::Spec;
use gcn_observe::TraceFilter;
use gcn_runtime::hsa::Loaded;

use super::expect::{self, Expectation};
use super::output::{ElementSelector, MemoryView};
use super::request::RunRequest;
use super::save::{self, Save};
use super::trace_filter;
use crate::failure::Problems;
use crate::input;
use crate::problem::{INVALID_FILTER, OUTPUT_CONFLICT, Problem};

/// Uses of memory after a run, and the trace filter.
pub struct MemoryUses {
    /// Elements to print.
    pub print: Vec<MemoryView>,
    /// Buffers to save.
    pub save: Vec<Save>,
    /// Elements to compare.
    pub expect: Vec<Expectation>,
    /// Instructions to trace.
    pub trace: TraceFilter,
}

/// Files of a run that are not in its request.
pub struct OtherFiles<'a> {
    /// Included files and suppression files.
    pub inputs: Vec<PathBuf>,
    /// Output file of the findings.
    pub findings: Option<&'a Path>,
    /// True if standard output contains only findings.
    pub findings_on_stdout: bool,
}

/// Files that a run reads by name.
fn inputs(run: &RunRequest) -> Vec<PathBuf> {
    let launches = run.launches.iter();
    let values = launches.flat_map(|launch| launch.args.iter().chain(&launch.kernarg));
    let data = values
        .chain(&run.buffers)
        .filter_map(|given| match Spec::parse(&given.value) {
            Ok(Spec::File { path, .. }) => Some(given.path(&path)),
            _ => None,
        });
    let program = [run.launch_file.clone(), Some(run.program.file.clone())];
    let expected = run.expect.iter().filter_map(expect::file);
    let named = program.into_iter().flatten();
    named.chain(data).chain(expected).collect()
}

/// Problems for outputs that cannot share standard output. Results as text may share it with a trace, a profile or host
/// code, but not with a saved buffer.
fn conflicts_on_stdout(run: &RunRequest, saves: &[Save], findings: bool) -> Vec<Problem> {
    let owner = if run.json {
        Some("--json")
    } else {
        findings.then_some("the findings")
    };
    // If standard output has an owner, no text results are written to it.
    let for_people = owner.is_none();
    let saves = saves.iter().filter(|save| save.is_for_stdout());
    let saves: Vec<String> = saves.map(|it| format!("--save {}", it.name())).collect();
    let has_texts = for_people && !saves.is_empty();
    let others = [
        ("--trace", for_people && run.trace.is_for_stdout()),
        ("--profile", run.profile.is_for_stdout()),
        (
            "--dump-code",
            run.dump_code.as_deref() == Some(Path::new(input::STDIN)),
        ),
        ("--print", has_texts && !run.print.is_empty()),
        ("--expect", has_texts && !run.expect.is_empty()),
        ("--fidelity", has_texts && run.fidelity),
    ];
    let others = others.into_iter().filter(|(_, is_there)| *is_there);
    let others = others.map(|(name, _)| name.to_owned());
    let owner = owner.map(str::to_owned);
    let mut all = owner.into_iter().chain(saves).chain(others);
    let Some(first) = all.next() else {
        return Vec::new();
    };
    let conflict = |other| {
        let message = format!("{other} cannot use standard output, which is for {first}");
        Problem::new(OUTPUT_CONFLICT, message)
    };
    all.map(conflict).collect()
}

impl MemoryUses {
    /// Resolves the selectors and filters of a run.
    ///
    /// # Errors
    /// Returns [`Problems`] with all invalid selectors, expectations and filters, and all conflicts between outputs.
    pub fn new(
        run: &RunRequest,
        files: &OtherFiles<'_>,
        buffers: &[BufferView],
        loaded: &Loaded,
    ) -> Result<MemoryUses> {
        let mut problems = Vec::new();
        fn keep<T>(
            result: Result<T>,
            what: &str,
            name: &str,
            problems: &mut Vec<Problem>,
        ) -> Option<T> {
            result
                .map_err(|error| {
                    problems.push(Problem::of(&error).with_prefix(&format!("{what} {name}: ")))
                })
                .ok()
        }
        let view = |name: &str| ElementSelector::parse(name)?.find(buffers, loaded);
        let print = run
            .print
            .iter()
            .filter_map(|given| keep(view(&given.name), "print", &given.name, &mut problems))
            .collect();
        let save: Vec<Save> = run
            .save
            .iter()
            .filter_map(|given| {
                keep(
                    Save::new(given, buffers, loaded),
                    "save",
                    &given.name,
                    &mut problems,
                )
            })
            .collect();
        let expect = run
            .expect
            .iter()
            .filter_map(|given| {
                keep(
                    Expectation::new(given, buffers, loaded),
                    "expect",
                    &given.name,
                    &mut problems,
                )
            })
            .collect();
        problems.extend(save::conflicts(
            &save,
            &[
                ("trace", run.trace.file.as_deref()),
                ("profile", run.profile.file.as_deref()),
                ("host code", run.dump_code.as_deref()),
                ("findings", files.findings),
            ],
            &[inputs(run), files.inputs.clone()].concat(),
        ));
        problems.extend(conflicts_on_stdout(run, &save, files.findings_on_stdout));
        let mut trace = TraceFilter::default();
        for only in &run.trace.only {
            let added = trace_filter::add(&mut trace, only, buffers, loaded);
            let added = added.map_err(|message| Problem::new(INVALID_FILTER, message).into());
            keep(added, "trace only", only, &mut problems);
        }
        Problems::check(problems, || None)?;
        Ok(MemoryUses {
            print,
            save,
            expect,
            trace,
        })
    }

    /// Address ranges of the elements to print, save or compare, sorted and merged.
    pub fn results(&self) -> Vec<Range<u64>> {
        let saved = self.save.iter().map(Save::view);
        let compared = self.expect.iter().filter_map(Expectation::view);
        let views = self.print.iter().chain(saved).chain(compared);
        let mut all: Vec<Range<u64>> = views.map(MemoryView::addresses).collect();
        all.sort_by_key(|it| it.start);
        all.dedup_by(|next, last| {
            let overlaps = next.start <= last.end;
            if overlaps {
                last.end = last.end.max(next.end);
            }
            overlaps
        });
        all
    }
}

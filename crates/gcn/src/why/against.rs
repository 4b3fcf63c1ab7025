//! `gcn why --against`: compares two runs, and finds where they diverge.
//!
//! Each execution has its own device, created after the previous one is dropped, so that buffers have the same
//! addresses in all executions. If a difference in code size moves the buffers, one run is repeated with padding
//! before them.

use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use anyhow::{Context, Result, bail};
use clap::builder::{OsStringValueParser, TypedValueParser as _};
use clap::{Arg, Parser};
use gcn_args::bind::BufferView;
use gcn_args::compare::{Comparison, Tolerance};
use gcn_args::value::{Type, Value};
use gcn_debug::{
    AccessChoice, AccessPlace, Parting, Question, QuestionPlace, ValueGraph, WhyError, part,
    part_addresses,
};
use gcn_runtime::error_names::HOST_LIMIT;
use gcn_runtime::fault::FaultKind;
use gcn_runtime::fault::names::INTERRUPTED;
use gcn_runtime::observe::Observers;

use super::options::{Args, COMMAND};
use super::parting::{
    BufferCounts, ComparedElement, Difference, Report, Subject, write, write_json,
};
use super::runs::{FaultedAccess, RunEnd, RunFault, Runs, element, run_names};
use crate::problem::{HISTORY_TOO_LARGE, Problem};
use crate::run::debugged::{DebuggedRun, prepared};
use crate::run::{self, RunRequest, StopHandle};
use crate::status::RunOutcome;
use crate::{Status, UsageError, failure, render};
use gcn_console::why::RunNames;

/// Options of the other run.
#[derive(Parser)]
#[command(no_binary_name = true, name = "--against")]
#[command(mut_arg("input", optional))]
struct OtherRun {
    #[command(flatten)]
    run: run::Args,
}

/// Makes the program argument optional. If it is omitted, the path is empty.
fn optional(input: Arg) -> Arg {
    input
        .required(false)
        .default_value("")
        .value_parser(OsStringValueParser::new().map(PathBuf::from))
}

/// Executes both runs and writes where they diverge.
///
/// # Errors
/// Fails if an option does not apply, a launch or the selector is invalid, the runs share no buffers, or the output
/// cannot be written.
pub fn compare(args: &Args, out: &mut dyn Write) -> Result<Status> {
    let other = OtherRun::try_parse_from(&args.against);
    let other = other.map_err(|error| {
        let text = error.to_string();
        let text = text.lines().next().unwrap_or_default();
        let text = text.strip_prefix("error: ").unwrap_or(text);
        UsageError(format!("--against: {text}"))
    })?;
    args.run.refuse_results(COMMAND)?;
    other.run.refuse_results(COMMAND)?;
    let json = args.run.json || other.run.json;
    let requests = [
        run::read(&args.run, false, json)?,
        run::read_other(&args.run, &other.run, json)?,
    ];
    let refused = |message| move || Problem::new(HOST_LIMIT, message);
    let stopped = Arc::<AtomicBool>::default();
    let timeout = requests[0].timeout.max(requests[1].timeout);
    let stop =
        StopHandle::listen(&stopped, timeout).with_context(refused("cannot handle signals"))?;
    let runs = TwoRuns {
        requests,
        stop: stopped,
        padding: [0, 0],
    };
    let compared = stop
        .run_with_timeout(|| runs.compare(args))
        .with_context(refused("cannot watch the timeout"))?;
    let cause = stop.cause();
    let report = match compared {
        Ok(report) => report,
        Err(RunEnd::Error(error)) => return Err(error),
        Err(RunEnd::Stopped) => {
            let outcome = RunOutcome::of_fault(&FaultKind::Interrupted, cause);
            let problem = Problem::new(INTERRUPTED, cause.to_string());
            return failure::report_end(outcome, problem, json, out);
        }
    };
    stop.ended();
    if json {
        write_json(&report, out)?;
    } else {
        write(&report, out)?;
        out.flush()?;
        for note in &report.notes {
            render::tell(format_args!("note: {note}\n"));
        }
    }
    Ok(match report.difference {
        None => Status::Success,
        Some(_) => Status::Difference,
    })
}

/// Results of a run.
struct Outputs {
    /// Buffers with their final contents.
    buffers: Vec<(BufferView, Vec<u8>)>,
    /// True for each buffer that the launches have changed.
    changed: Vec<bool>,
    /// Type and bytes of the requested element.
    place: Option<(Type, Vec<u8>)>,
    fault: Option<RunFault>,
}

impl Outputs {
    /// Lowest buffer address.
    fn begin(&self) -> Option<u64> {
        self.buffers.iter().map(|(view, _)| view.address).min()
    }
}

/// Element that differs.
struct Different {
    /// Selector for messages.
    label: String,
    /// Selector that resolves to the element in both runs.
    selector: String,
    ty: Type,
    bytes: [Vec<u8>; 2],
    /// All buffers that differ, with the element's buffer first; empty for a requested element.
    buffers: Vec<BufferCounts>,
}

impl Different {
    /// Offset and size of the first aligned dword in which the values differ.
    fn dword(&self) -> (u64, u64) {
        let [a, b] = &self.bytes;
        let first = a.iter().zip(b).position(|(a, b)| a != b).unwrap_or(0);
        let begin = first / 4 * 4;
        (begin as u64, (a.len() - begin).min(4) as u64)
    }

    fn value(&self, side: usize) -> Option<Value> {
        Value::all(self.ty, &self.bytes[side]).next()
    }
}

/// Root of a value graph.
#[derive(Clone, Copy)]
enum GraphPlace<'a> {
    /// Element that differs.
    Element(&'a Different),
    /// Access whose address is explained.
    Access(AccessPlace),
}

struct TwoRuns {
    requests: [RunRequest; 2],
    stop: Arc<AtomicBool>,
    /// Number of bytes by which padding moves the buffers of each run.
    padding: [u64; 2],
}

impl TwoRuns {
    /// Executes both runs and finds where they diverge.
    fn compare(mut self, args: &Args) -> Result<Report, RunEnd> {
        let place = args.place.as_deref();
        let mut outputs = [self.outputs(0, place)?, self.outputs(1, place)?];
        if let (Some(first), Some(other)) = (outputs[0].begin(), outputs[1].begin())
            && first != other
        {
            let side = usize::from(first > other);
            self.padding[side] = first.abs_diff(other);
            outputs[side] = self.outputs(side, place)?;
        }
        let mut notes: Vec<String> = Vec::new();
        for (name, outputs) in ["first", "other"].iter().zip(&outputs) {
            let fault = outputs.fault.iter();
            let note = fault.map(|it| format!("the {name} run ended with a fault: {}", it.note));
            notes.extend(note);
        }
        if outputs[0].begin() != outputs[1].begin() {
            let note = "the buffers have different addresses in the two runs, so values that depend on them count as different";
            notes.push(note.to_owned());
        }
        // An access that faults counts as the difference, unless an element is named or both runs have the same fault.
        let faults = [0, 1].map(|side| outputs[side].fault.as_ref());
        let faults = faults.map(|it| it.and_then(|it| it.access.as_ref()));
        let side = faults.iter().position(Option::is_some);
        if let Some(side) = side.filter(|_| place.is_none() && faults[0] != faults[1])
            && let Some(fault) = faults[side]
        {
            let difference = self.fault(side, fault, args.executions)?;
            return Ok(Report {
                difference,
                compared: 0,
                notes,
            });
        }
        let tolerance = args.tolerance.unwrap_or(Tolerance::EQUAL);
        let (different, compared) = self
            .different(place, &outputs, tolerance)
            .map_err(RunEnd::Error)?;
        let Some(different) = different else {
            return Ok(Report {
                difference: None,
                compared,
                notes,
            });
        };
        let place = GraphPlace::Element(&different);
        let (other, other_names) = self.graph(1, place, args.executions)?;
        let (first, names) = self.graph(0, place, args.executions)?;
        let (parting, stray) = self.parting([&first, &other], args.executions)?;
        let Some(parting) = parting else {
            notes.push(
                "the runs are not reproducible: the second time, the element is equal".to_owned(),
            );
            return Ok(Report {
                difference: None,
                compared,
                notes,
            });
        };
        let values = [0, 1].map(|side| {
            let value = different.value(side);
            value.map_or_else(Default::default, |it| (it.to_string(), run::json(it)))
        });
        Ok(Report {
            difference: Some(Difference {
                subject: Subject::Element(ComparedElement {
                    label: different.label,
                    ty: different.ty,
                    values,
                    buffers: different.buffers,
                    stray,
                }),
                parting,
                names: [names, other_names],
            }),
            compared,
            notes,
        })
    }

    /// Finds where two graphs diverge. If only one run wrote the element, compares its store with the last store by the
    /// same lane of the other run, and also returns the index of that other run.
    fn parting(
        &self,
        graphs: [&ValueGraph; 2],
        executions: usize,
    ) -> Result<(Option<Parting>, Option<usize>), RunEnd> {
        let [first, other] = graphs;
        let stores = [first.other_store(other), other.other_store(first)];
        for (side, store) in stores.into_iter().enumerate() {
            let Some(store) = store else { continue };
            let (graph, _) = self.graph(side, GraphPlace::Access(store), executions)?;
            let mut graphs = graphs;
            graphs[side] = &graph;
            if graph.access().is_some() {
                let [first, other] = graphs;
                return Ok((part_addresses(first, other), Some(side)));
            }
        }
        Ok((part(first, other), None))
    }

    /// Finds where the runs diverge in the address of an access that faulted in one of them.
    fn fault(
        &self,
        side: usize,
        fault: &FaultedAccess,
        executions: usize,
    ) -> Result<Option<Difference>, RunEnd> {
        let (own, own_names) = self.graph(side, GraphPlace::Access(fault.place), executions)?;
        let access = own.access().map_or(fault.place.access, AccessChoice::Like);
        let place = AccessPlace {
            access,
            ..fault.place
        };
        let (other, other_names) = self.graph(1 - side, GraphPlace::Access(place), executions)?;
        let (graphs, names) = match side {
            0 => ([&own, &other], [own_names, other_names]),
            _ => ([&other, &own], [other_names, own_names]),
        };
        let parting = part_addresses(graphs[0], graphs[1]);
        Ok(parting.map(|parting| Difference {
            subject: Subject::Fault {
                side,
                message: fault.message.clone(),
            },
            parting,
            names,
        }))
    }

    fn prepare(&self, side: usize) -> Result<DebuggedRun, RunEnd> {
        let request = self.requests[side].clone();
        let run = prepared(request, None, self.stop.clone(), self.padding[side]);
        let name = ["first", "other"][side];
        run.with_context(|| format!("the {name} run"))
            .map_err(RunEnd::Error)
    }

    /// Executes the launches of one run up to the first fault, and collects its results.
    fn outputs(&self, side: usize, place: Option<&str>) -> Result<Outputs, RunEnd> {
        use gcn_debug::Launches as _;

        let debugged = self.prepare(side)?;
        let view = place.map(|it| element(&debugged, it)).transpose();
        let view = view.map_err(RunEnd::Error)?;
        let memory = debugged.module().device().memory();
        let contents = || {
            let buffers = debugged.buffers().iter().map(|view| {
                let mut bytes = vec![0; view.bytes as usize];
                memory.read(view.address, &mut bytes);
                bytes
            });
            buffers.collect::<Vec<_>>()
        };
        let before = contents();
        let runs = Runs::new(&debugged);
        for run in 0..runs.runs() {
            if !runs.run(run, &Observers::none())? {
                break;
            }
        }
        let after = contents();
        Ok(Outputs {
            changed: before.iter().zip(&after).map(|(a, b)| a != b).collect(),
            buffers: debugged.buffers().iter().cloned().zip(after).collect(),
            place: view.map(|view| (view.ty, view.pieces(memory).flatten().collect())),
            fault: runs.fault.take(),
        })
    }

    /// Finds the requested element if it differs, or if none is requested, the first element that differs. Also returns
    /// the number of elements compared.
    fn different(
        &self,
        place: Option<&str>,
        outputs: &[Outputs; 2],
        tolerance: Tolerance,
    ) -> Result<(Option<Different>, u64)> {
        if let (Some(place), [Some((ty, first)), Some((_, other))]) =
            (place, [&outputs[0].place, &outputs[1].place])
        {
            let pairs = Value::all(*ty, first).zip(Value::all(*ty, other));
            let comparison = Comparison::new(0, pairs, tolerance);
            let different = (!comparison.holds()).then(|| Different {
                label: place.to_owned(),
                selector: place.to_owned(),
                ty: *ty,
                bytes: [first.clone(), other.clone()],
                buffers: Vec::new(),
            });
            return Ok((different, comparison.compared));
        }
        let mut compared = 0;
        let mut has_common = false;
        let mut different: Option<Different> = None;
        for (number, (view, first)) in outputs[0].buffers.iter().enumerate() {
            let mut others = outputs[1].buffers.iter();
            let Some(place) = others.position(|(it, _)| it.name == view.name) else {
                continue;
            };
            has_common = true;
            // Skip buffers that no launch changed: they are not results.
            if !outputs[0].changed[number] && !outputs[1].changed[place] {
                continue;
            }
            let (_, other) = &outputs[1].buffers[place];
            let pairs = Value::all(view.ty, first).zip(Value::all(view.ty, other));
            let comparison = Comparison::new(0, pairs, tolerance);
            compared += comparison.compared;
            let Some(difference) = comparison.first.first() else {
                continue;
            };
            let counts = BufferCounts {
                name: view.name.clone(),
                elements: comparison.compared,
                different: comparison.different,
            };
            let size = view.ty.size();
            let range = difference.index as usize * size..(difference.index as usize + 1) * size;
            let bytes = [first, other].map(|it| it.get(range.clone()).unwrap_or_default().to_vec());
            let found = different.get_or_insert_with(|| Different {
                label: format!("{}[{}]", view.name, difference.index),
                selector: format!("{}:{}[{}]", view.name, view.ty, difference.index),
                ty: view.ty,
                bytes,
                buffers: Vec::new(),
            });
            found.buffers.push(counts);
        }
        if !has_common {
            bail!(UsageError(
                "the two runs have no buffer of the same name to compare: name buffers with --buffer".to_owned()
            ));
        }
        Ok((different, compared))
    }

    /// Builds the value graph of an element or an access in a run.
    fn graph(
        &self,
        side: usize,
        place: GraphPlace<'_>,
        executions: usize,
    ) -> Result<(ValueGraph, RunNames), RunEnd> {
        let debugged = self.prepare(side)?;
        let place = match place {
            GraphPlace::Element(different) => {
                let view = element(&debugged, &different.selector).map_err(RunEnd::Error)?;
                let (offset, bytes) = different.dword();
                QuestionPlace::Memory {
                    address: view.addresses().start + offset,
                    bytes,
                }
            }
            GraphPlace::Access(place) => QuestionPlace::Access(place),
        };
        let program = debugged.code();
        let buffers = debugged.named_buffers();
        let memory = debugged.module().device().memory().clone();
        let question = Question {
            program: &program,
            memory: &memory,
            buffers: &buffers,
            undefined: debugged.undefined(),
            place,
            until: None,
            executions,
            log: None,
        };
        let graph = ValueGraph::of(&Runs::new(&debugged), question);
        let graph = graph.map_err(|error| match error {
            WhyError::Launch(end) => end,
            WhyError::TooLarge | WhyError::TooLong => {
                RunEnd::Error(Problem::new(HISTORY_TOO_LARGE, error.to_string()).into())
            }
        })?;
        Ok((graph, run_names(&debugged)))
    }
}

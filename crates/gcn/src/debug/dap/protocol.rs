//! Messages of the protocol: what requests ask for, and the parts of answers.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// A request.
#[derive(Deserialize, Debug)]
pub struct Request {
    /// Number, which the response repeats.
    pub seq: i64,
    /// Name.
    pub command: String,
    /// Arguments, of a form that the name decides.
    #[serde(default)]
    pub arguments: Value,
}

/// Reason for which a request is refused, for the user.
pub type Refusal = String;

impl Request {
    /// Arguments of the request.
    ///
    /// # Errors
    /// They are not of this form.
    pub fn arguments<T: DeserializeOwned>(&self) -> Result<T, Refusal> {
        // Arguments that are all optional may be left out.
        let none = if self.arguments.is_null() {
            json!({})
        } else {
            Value::Null
        };
        let arguments = if none.is_null() {
            &self.arguments
        } else {
            &none
        };
        T::deserialize(arguments).map_err(|error| format!("{}: {error}", self.command))
    }
}

/// Features of the adapter. Each is implemented.
pub fn capabilities(checks: &[&str]) -> Value {
    let filter = |name: &str, label: String, description: String| json!({"filter": name, "label": label, "description": description, "default": true});
    let fault = filter(
        FAULT_FILTER,
        "Faults".to_owned(),
        "Invalid accesses and instructions, limits and deadlocks.".to_owned(),
    );
    let finding = |name: &&str| {
        let description = format!("Findings of this checker, if the launch has `check`: {name}.");
        filter(name, format!("Findings: {name}"), description)
    };
    let filters: Vec<Value> = [fault]
        .into_iter()
        .chain(checks.iter().map(finding))
        .collect();
    json!({
        "supportsConfigurationDoneRequest": true,
        "supportsFunctionBreakpoints": true,
        "supportsConditionalBreakpoints": true,
        "supportsHitConditionalBreakpoints": true,
        "supportsEvaluateForHovers": true,
        "exceptionBreakpointFilters": filters,
        "supportsStepBack": true,
        "supportsSetVariable": true,
        "supportsSetExpression": true,
        "supportsRestartRequest": true,
        "supportsValueFormattingOptions": true,
        "supportsExceptionInfoRequest": true,
        "supportsLoadedSourcesRequest": true,
        "supportsTerminateRequest": true,
        "supportsDataBreakpoints": true,
        "supportsReadMemoryRequest": true,
        "supportsWriteMemoryRequest": true,
        "supportsDisassembleRequest": true,
        "supportsBreakpointLocationsRequest": true,
        "supportsSteppingGranularity": true,
        "supportsInstructionBreakpoints": true,
        "supportsSingleThreadExecutionRequests": true,
    })
}

/// Name of the filter of faults.
pub const FAULT_FILTER: &str = "fault";

/// A source file.
#[derive(Serialize, Deserialize, Clone, Default, Debug)]
#[serde(rename_all = "camelCase")]
pub struct Source {
    /// Last part of the path.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Path on the disk.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Number of a source that the adapter has the text of; 0 for one on the disk.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source_reference: Option<i64>,
}

/// A breakpoint as the adapter has set it.
#[derive(Serialize, Clone, Default, Debug)]
#[serde(rename_all = "camelCase")]
pub struct Breakpoint {
    /// Number, which stops name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<u32>,
    /// True if it can stop.
    pub verified: bool,
    /// Reason why it cannot.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// Source that it is in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<Source>,
    /// Line that it is at.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// Address that it is at.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub instruction_reference: Option<String>,
}

/// A function that a wave is in.
#[derive(Serialize, Debug)]
#[serde(rename_all = "camelCase")]
pub struct StackFrame {
    /// Number for requests.
    pub id: i64,
    /// Name of the function.
    pub name: String,
    /// Source, if it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<Source>,
    /// Line, or 0.
    pub line: u32,
    /// Column, which is not known.
    pub column: u32,
    /// Address of the instruction.
    pub instruction_pointer_reference: String,
}

/// A group of values.
#[derive(Serialize, Debug)]
#[serde(rename_all = "camelCase")]
pub struct Scope {
    /// Name.
    pub name: &'static str,
    /// Hint on the kind of values.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub presentation_hint: Option<&'static str>,
    /// Number for requests.
    pub variables_reference: i64,
    /// Number of values with names.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub named_variables: Option<usize>,
    /// Number of values with indices.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub indexed_variables: Option<u64>,
    /// True if a client should wait for the user before it asks for the values.
    pub expensive: bool,
}

/// A value.
#[derive(Serialize, Default, Debug)]
#[serde(rename_all = "camelCase")]
pub struct Variable {
    /// Name.
    pub name: String,
    /// Value as text.
    pub value: String,
    /// Type.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub ty: Option<String>,
    /// Expression that has this value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub evaluate_name: Option<String>,
    /// Number for requests of its parts; 0 if it has none.
    pub variables_reference: i64,
    /// Number of parts with indices.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub indexed_variables: Option<u64>,
    /// Place in memory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory_reference: Option<String>,
}

/// Notation of values.
#[derive(Deserialize, Clone, Copy, Default, Debug)]
pub struct ValueFormat {
    /// True for hexadecimal.
    #[serde(default)]
    pub hex: bool,
}

/// Arguments of `initialize`.
#[derive(Deserialize, Clone, Copy, Debug)]
#[serde(rename_all = "camelCase")]
pub struct ClientFeatures {
    /// True if the client counts lines from 1.
    #[serde(default = "truth")]
    pub lines_start_at1: bool,
}

impl Default for ClientFeatures {
    fn default() -> ClientFeatures {
        ClientFeatures {
            lines_start_at1: true,
        }
    }
}

fn truth() -> bool {
    true
}

/// Arguments of `launch`.
#[derive(Deserialize, Default, Debug)]
#[serde(rename_all = "camelCase", default)]
pub struct LaunchArguments {
    /// Launch file, source or code object; that of the command line without.
    pub program: Option<String>,
    /// Further arguments, as the command line has them.
    pub args: Vec<String>,
    /// Directory that paths of the program and of arguments are relative to.
    pub cwd: Option<String>,
    /// True to stop before the first instruction.
    pub stop_on_entry: bool,
    /// True to run the checkers of `gcn check`.
    pub check: bool,
    /// True to run without stops.
    pub no_debug: bool,
}

/// Arguments of requests about a wave.
#[derive(Deserialize, Debug)]
#[serde(rename_all = "camelCase")]
pub struct ThreadArguments {
    /// The wave.
    pub thread_id: i64,
    /// True if no other wave runs.
    #[serde(default)]
    pub single_thread: bool,
    /// Unit of steps.
    #[serde(default)]
    pub granularity: Granularity,
}

/// Unit of steps.
#[derive(Deserialize, Clone, Copy, PartialEq, Eq, Default, Debug)]
#[serde(rename_all = "lowercase")]
pub enum Granularity {
    /// A statement, taken as a line.
    #[default]
    Statement,
    /// A line.
    Line,
    /// An instruction.
    Instruction,
}

/// A breakpoint to set; each request has some of these places.
#[derive(Deserialize, Clone, PartialEq, Default, Debug)]
#[serde(rename_all = "camelCase", default)]
pub struct WantedBreakpoint {
    /// Line.
    pub line: i64,
    /// Name of a function.
    pub name: String,
    /// Address.
    pub instruction_reference: String,
    /// Bytes behind the address.
    pub offset: i64,
    /// Value, as `dataBreakpointInfo` has named it.
    pub data_id: String,
    /// Kind of access.
    pub access_type: Option<String>,
    /// Expression that must be true.
    pub condition: Option<String>,
    /// Number of the first hit that stops.
    pub hit_condition: Option<String>,
}

/// Arguments of requests that set breakpoints.
#[derive(Deserialize, Debug)]
pub struct SetBreakpoints {
    /// Source of lines.
    #[serde(default)]
    pub source: Source,
    /// Breakpoints that replace earlier ones.
    #[serde(default)]
    pub breakpoints: Vec<WantedBreakpoint>,
}

/// Arguments of `breakpointLocations`.
#[derive(Deserialize, Debug)]
#[serde(rename_all = "camelCase")]
pub struct LocationsArguments {
    /// Source.
    pub source: Source,
    /// First line.
    pub line: i64,
    /// Last line.
    pub end_line: Option<i64>,
}

/// Arguments of `dataBreakpointInfo`.
#[derive(Deserialize, Debug)]
#[serde(rename_all = "camelCase")]
pub struct DataInfoArguments {
    /// Group that the name is of.
    pub variables_reference: Option<i64>,
    /// Name of a value, or an expression.
    pub name: String,
    /// Frame that the expression is about.
    pub frame_id: Option<i64>,
}

/// Arguments of `setExceptionBreakpoints`.
#[derive(Deserialize, Debug)]
pub struct ExceptionArguments {
    /// Filters that are on.
    #[serde(default)]
    pub filters: Vec<String>,
}

/// Arguments of `stackTrace`.
#[derive(Deserialize, Debug)]
#[serde(rename_all = "camelCase")]
pub struct StackArguments {
    /// The wave.
    pub thread_id: i64,
    /// First frame.
    #[serde(default)]
    pub start_frame: usize,
    /// Number of frames; 0 for all.
    #[serde(default)]
    pub levels: usize,
}

/// Arguments of `scopes`.
#[derive(Deserialize, Debug)]
#[serde(rename_all = "camelCase")]
pub struct ScopesArguments {
    /// The frame.
    pub frame_id: i64,
}

/// Arguments of `variables`.
#[derive(Deserialize, Debug)]
#[serde(rename_all = "camelCase")]
pub struct VariablesArguments {
    /// Group of values.
    pub variables_reference: i64,
    /// First of the values with indices.
    #[serde(default)]
    pub start: u64,
    /// Number of them; 0 for all.
    #[serde(default)]
    pub count: u64,
    /// Notation.
    #[serde(default)]
    pub format: ValueFormat,
}

/// Arguments of `setVariable`.
#[derive(Deserialize, Debug)]
#[serde(rename_all = "camelCase")]
pub struct SetVariableArguments {
    /// Group of values.
    pub variables_reference: i64,
    /// Name in it.
    pub name: String,
    /// Expression.
    pub value: String,
    /// Notation.
    #[serde(default)]
    pub format: ValueFormat,
}

/// Arguments of `evaluate` and `setExpression`.
#[derive(Deserialize, Debug)]
#[serde(rename_all = "camelCase")]
pub struct ExpressionArguments {
    /// Expression.
    pub expression: String,
    /// Expression of the new value.
    #[serde(default)]
    pub value: String,
    /// Frame that it is about.
    pub frame_id: Option<i64>,
    /// Place that it was written in.
    #[serde(default)]
    pub context: String,
    /// Notation.
    #[serde(default)]
    pub format: ValueFormat,
}

/// Arguments of `source`.
#[derive(Deserialize, Debug)]
#[serde(rename_all = "camelCase")]
pub struct SourceArguments {
    /// Source.
    #[serde(default)]
    pub source: Source,
    /// Its number, for clients that leave `source` out.
    #[serde(default)]
    pub source_reference: i64,
}

/// Arguments of `disassemble`.
#[derive(Deserialize, Debug)]
#[serde(rename_all = "camelCase")]
pub struct DisassembleArguments {
    /// Address.
    pub memory_reference: String,
    /// Bytes behind the address.
    #[serde(default)]
    pub offset: i64,
    /// Instructions behind that.
    #[serde(default)]
    pub instruction_offset: i64,
    /// Number of instructions.
    pub instruction_count: i64,
}

/// Arguments of `readMemory` and `writeMemory`.
#[derive(Deserialize, Debug)]
#[serde(rename_all = "camelCase")]
pub struct MemoryArguments {
    /// Address.
    pub memory_reference: String,
    /// Bytes behind the address.
    #[serde(default)]
    pub offset: i64,
    /// Number of bytes to read.
    #[serde(default)]
    pub count: u64,
    /// Bytes to write, in base64.
    #[serde(default)]
    pub data: String,
}

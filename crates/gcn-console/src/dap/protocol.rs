//! Message types of the protocol: request arguments and response bodies.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// Request from the client.
#[derive(Deserialize, Debug)]
pub struct Request {
    /// Sequence number, repeated in the response.
    pub seq: i64,
    /// Name of the command.
    pub command: String,
    /// Arguments; the command determines their type.
    #[serde(default)]
    pub arguments: Value,
}

/// Reason for refusing a request, shown to the user.
pub type Refusal = String;

impl Request {
    /// Parses the arguments of the request.
    ///
    /// # Errors
    /// Fails if the arguments do not have the expected type.
    pub fn arguments<T: DeserializeOwned>(&self) -> Result<T, Refusal> {
        // Arguments may be omitted if all of them are optional.
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

/// Returns the capabilities of the adapter. Programs cannot restart: the client must start the command again.
pub fn capabilities(checks: &[&str], is_program: bool) -> Value {
    let filter = |name: &str, label: String, description: String| {
        json!({
            "filter": name,
            "label": label,
            "description": description,
            "default": name != LAUNCH_FILTER,
        })
    };
    let fault = filter(
        FAULT_FILTER,
        "Faults".to_owned(),
        "Invalid accesses and instructions, limits and deadlocks.".to_owned(),
    );
    let launch = filter(
        LAUNCH_FILTER,
        "Launches".to_owned(),
        "Before the first instruction of each launch.".to_owned(),
    );
    let finding = |name: &&str| {
        let description = format!("Findings of this checker, if the launch has `check`: {name}.");
        filter(name, format!("Findings: {name}"), description)
    };
    let filters: Vec<Value> = [fault]
        .into_iter()
        .chain(checks.iter().map(finding))
        .chain([launch])
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
        "supportsRestartRequest": !is_program,
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

/// Name of the exception filter for faults.
pub const FAULT_FILTER: &str = "fault";

/// Name of the exception filter for launch starts.
pub const LAUNCH_FILTER: &str = "launch";

/// Source file.
#[derive(Serialize, Deserialize, Clone, Default, Debug)]
#[serde(rename_all = "camelCase")]
pub struct Source {
    /// Last component of the path.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Path on disk.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Reference to a source whose text the adapter provides; 0 for a file on disk.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source_reference: Option<i64>,
}

/// Breakpoint in a response or event.
#[derive(Serialize, Clone, Default, Debug)]
#[serde(rename_all = "camelCase")]
pub struct Breakpoint {
    /// Number that identifies the breakpoint in `stopped` events.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<u32>,
    /// True if the breakpoint can be hit.
    pub verified: bool,
    /// Reason why the breakpoint cannot be hit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// Source that contains the breakpoint.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<Source>,
    /// Line of the breakpoint.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// Address of the breakpoint.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub instruction_reference: Option<String>,
}

impl Breakpoint {
    /// Returns the breakpoint with its line number counted from `base` instead of 1.
    pub fn numbered_from(self, base: u32) -> Breakpoint {
        Breakpoint {
            line: self.line.map(|line| line - 1 + base),
            ..self
        }
    }
}

/// Frame on a wave's inline stack.
#[derive(Serialize, Debug)]
#[serde(rename_all = "camelCase")]
pub struct StackFrame {
    /// Frame ID for use in requests.
    pub id: i64,
    /// Name of the function.
    pub name: String,
    /// Source, if known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<Source>,
    /// Line, or 0 if unknown.
    pub line: u32,
    /// First column of the line, because columns are unknown; 0 without a line.
    pub column: u32,
    /// Address of the instruction.
    pub instruction_pointer_reference: String,
}

/// Group of values of a frame, such as its scalar registers.
#[derive(Serialize, Debug)]
#[serde(rename_all = "camelCase")]
pub struct Scope {
    /// Name of the group.
    pub name: &'static str,
    /// Hint that tells the client how to present the scope.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub presentation_hint: Option<&'static str>,
    /// Reference to the scope for use in requests.
    pub variables_reference: i64,
    /// Number of named values.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub named_variables: Option<usize>,
    /// Number of indexed values.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub indexed_variables: Option<u64>,
    /// True if the client should fetch the values only when the user asks for them.
    pub expensive: bool,
}

/// Value with its name, type and children.
#[derive(Serialize, Default, Debug)]
#[serde(rename_all = "camelCase")]
pub struct Variable {
    /// Name of the value.
    pub name: String,
    /// Value as text.
    pub value: String,
    /// Type of the value.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub ty: Option<String>,
    /// Expression that evaluates to this value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub evaluate_name: Option<String>,
    /// Reference for requests about the value's children; 0 without children.
    pub variables_reference: i64,
    /// Number of indexed children.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub indexed_variables: Option<u64>,
    /// Reference to the memory that holds the value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory_reference: Option<String>,
}

/// Number format of values.
#[derive(Deserialize, Clone, Copy, Default, Debug)]
pub struct ValueFormat {
    /// True for hexadecimal.
    #[serde(default)]
    pub hex: bool,
}

/// Arguments of `initialize`.
#[derive(Serialize, Deserialize, Clone, Copy, PartialEq, Eq, Debug)]
#[serde(rename_all = "camelCase")]
pub struct ClientFeatures {
    /// True if the client counts lines from 1.
    #[serde(default = "truth")]
    pub lines_start_at1: bool,
    /// True if the client counts columns from 1.
    #[serde(default = "truth")]
    pub columns_start_at1: bool,
}

impl Default for ClientFeatures {
    fn default() -> ClientFeatures {
        ClientFeatures {
            lines_start_at1: true,
            columns_start_at1: true,
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
    /// Launch file, source or code object; defaults to the one on the command line.
    pub program: Option<String>,
    /// Additional command line arguments.
    pub args: Vec<String>,
    /// Base directory for relative paths in `program` and `args`.
    pub cwd: Option<String>,
    /// True to stop before the first instruction.
    pub stop_on_entry: bool,
    /// True to run the checkers of `gcn check`.
    pub check: bool,
    /// True to run without stopping.
    pub no_debug: bool,
}

/// Arguments of requests that refer to a wave.
#[derive(Deserialize, Debug)]
#[serde(rename_all = "camelCase")]
pub struct ThreadArguments {
    /// Thread ID of the wave.
    pub thread_id: i64,
    /// True to keep other waves stopped.
    #[serde(default)]
    pub single_thread: bool,
    /// Unit of a step.
    #[serde(default)]
    pub granularity: Granularity,
}

/// Unit of a step.
#[derive(Deserialize, Clone, Copy, PartialEq, Eq, Default, Debug)]
#[serde(rename_all = "lowercase")]
pub enum Granularity {
    /// Statement, which is treated as a source line.
    #[default]
    Statement,
    /// Source line.
    Line,
    /// Single instruction.
    Instruction,
}

/// Requested breakpoint; each kind of request uses some of the location fields.
#[derive(Deserialize, Clone, PartialEq, Default, Debug)]
#[serde(rename_all = "camelCase", default)]
pub struct WantedBreakpoint {
    /// Line in the source.
    pub line: i64,
    /// Name of a function.
    pub name: String,
    /// Address of an instruction.
    pub instruction_reference: String,
    /// Byte offset from the address.
    pub offset: i64,
    /// Data ID returned by `dataBreakpointInfo`.
    pub data_id: String,
    /// Access that triggers a data breakpoint; only `write` is supported.
    pub access_type: Option<String>,
    /// Expression that must be true for a stop.
    pub condition: Option<String>,
    /// Condition on the number of hits, such as `>= 3`.
    pub hit_condition: Option<String>,
}

/// Arguments of requests that set breakpoints.
#[derive(Deserialize, Debug)]
pub struct SetBreakpoints {
    /// Source that contains the lines.
    #[serde(default)]
    pub source: Source,
    /// Breakpoints that replace the previous ones.
    #[serde(default)]
    pub breakpoints: Vec<WantedBreakpoint>,
}

/// Arguments of `breakpointLocations`.
#[derive(Deserialize, Debug)]
#[serde(rename_all = "camelCase")]
pub struct LocationsArguments {
    /// Source that contains the lines.
    pub source: Source,
    /// First line.
    pub line: i64,
    /// Last line; defaults to the first line.
    pub end_line: Option<i64>,
}

/// Arguments of `dataBreakpointInfo`.
#[derive(Deserialize, Debug)]
#[serde(rename_all = "camelCase")]
pub struct DataInfoArguments {
    /// Reference to the group that contains the value.
    pub variables_reference: Option<i64>,
    /// Name of a value, or an expression.
    pub name: String,
    /// Frame in which the expression is evaluated.
    pub frame_id: Option<i64>,
}

/// Arguments of `setExceptionBreakpoints`.
#[derive(Deserialize, Debug)]
pub struct ExceptionArguments {
    /// Active filters.
    #[serde(default)]
    pub filters: Vec<String>,
}

/// Arguments of `stackTrace`.
#[derive(Deserialize, Debug)]
#[serde(rename_all = "camelCase")]
pub struct StackArguments {
    /// Thread ID of the wave.
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
    /// Frame number.
    pub frame_id: i64,
}

/// Arguments of `variables`.
#[derive(Deserialize, Debug)]
#[serde(rename_all = "camelCase")]
pub struct VariablesArguments {
    /// Reference to the group of values.
    pub variables_reference: i64,
    /// Index of the first value.
    #[serde(default)]
    pub start: u64,
    /// Number of indexed values; 0 for all.
    #[serde(default)]
    pub count: u64,
    /// Number format.
    #[serde(default)]
    pub format: ValueFormat,
}

/// Arguments of `setVariable`.
#[derive(Deserialize, Debug)]
#[serde(rename_all = "camelCase")]
pub struct SetVariableArguments {
    /// Reference to the group of values.
    pub variables_reference: i64,
    /// Name of the value within the group.
    pub name: String,
    /// Expression for the new value.
    pub value: String,
    /// Number format.
    #[serde(default)]
    pub format: ValueFormat,
}

/// Arguments of `evaluate` and `setExpression`.
#[derive(Deserialize, Debug)]
#[serde(rename_all = "camelCase")]
pub struct ExpressionArguments {
    /// Expression to evaluate or to assign to.
    pub expression: String,
    /// Expression for the new value.
    #[serde(default)]
    pub value: String,
    /// Frame in which the expression is evaluated.
    pub frame_id: Option<i64>,
    /// Context of the evaluation, such as `hover` or `repl`.
    #[serde(default)]
    pub context: String,
    /// Number format.
    #[serde(default)]
    pub format: ValueFormat,
}

/// Arguments of `source`.
#[derive(Deserialize, Debug)]
#[serde(rename_all = "camelCase")]
pub struct SourceArguments {
    /// Requested source.
    #[serde(default)]
    pub source: Source,
    /// Reference of the source, for clients that omit `source`.
    #[serde(default)]
    pub source_reference: i64,
}

/// Arguments of `disassemble`.
#[derive(Deserialize, Debug)]
#[serde(rename_all = "camelCase")]
pub struct DisassembleArguments {
    /// Address to start from.
    pub memory_reference: String,
    /// Byte offset from the address.
    #[serde(default)]
    pub offset: i64,
    /// Number of instructions to skip after `offset`; negative to go backwards.
    #[serde(default)]
    pub instruction_offset: i64,
    /// Number of instructions to disassemble.
    pub instruction_count: i64,
}

/// Arguments of `readMemory` and `writeMemory`.
#[derive(Deserialize, Debug)]
#[serde(rename_all = "camelCase")]
pub struct MemoryArguments {
    /// Address of the first byte, before `offset` is added.
    pub memory_reference: String,
    /// Byte offset from the address.
    #[serde(default)]
    pub offset: i64,
    /// Number of bytes to read.
    #[serde(default)]
    pub count: u64,
    /// Bytes to write, in Base64.
    #[serde(default)]
    pub data: String,
}

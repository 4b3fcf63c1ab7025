//! Errors from evaluating expressions.

use gcn_object::LocationError;

use crate::expr::Space;

/// Reason why an expression cannot be evaluated.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[allow(missing_docs)]
pub enum EvalError {
    #[error(
        "no wave is running: registers and LDS have values only from the first stop in a launch"
    )]
    NoWave,
    #[error("{name} is out of range: the wave has {count} {class} registers")]
    NoRegister {
        name: String,
        count: usize,
        class: &'static str,
    },
    #[error("lane {0} does not exist: lanes are 0 to 63")]
    NoLane(i128),
    #[error("{}", outside(*.space, *.address, *.bytes))]
    Outside {
        space: Space,
        address: u64,
        bytes: u64,
    },
    #[error("there is no variable, buffer or symbol `{name}`{}", nearest(.names))]
    NoName { name: String, names: Vec<String> },
    #[error("{name}[{index}] is out of range: {name} has {elements} elements")]
    NoElement {
        name: String,
        index: i128,
        elements: u64,
    },
    #[error("{name} is not available: {reason}")]
    Unavailable { name: String, reason: LocationError },
    #[error("the debug information states no type for {name}")]
    Untyped { name: String },
    #[error("the debug information cannot be read: {0}")]
    Type(String),
    #[error("{ty} has no field `{name}`{}", fields(.names))]
    NoField {
        ty: String,
        name: String,
        names: Vec<String>,
    },
    #[error("only variables of the source have fields")]
    NoStructure,
    #[error("the variable has no address: it is not in memory")]
    NoAddress,
    #[error("a value of type {ty} is not a pointer or an array")]
    NotPointer { ty: String },
    #[error("a value of type {ty} is not a number: name a field or an element")]
    Aggregate { ty: String },
    #[error("there is no element {index}: {ty} has {elements} elements")]
    NoArrayElement {
        ty: String,
        index: i128,
        elements: u64,
    },
    #[error("`{0}` is a whole buffer: name an element, as {0}[0]")]
    WholeBuffer(String),
    #[error("division by zero")]
    DivisionByZero,
    #[error("the operands of this operator must be integers")]
    NotInteger,
    #[error("as_{ty} needs {wanted} bytes, not {given}")]
    OtherSize {
        ty: &'static str,
        wanted: u64,
        given: u64,
    },
    #[error(
        "only registers, memory, elements of buffers and variables with a single location can be changed"
    )]
    NotAPlace,
    #[error("{0:#x} is not the address of an instruction of the program")]
    NotCode(u64),
}

impl EvalError {
    /// Returns the text to show in place of the value, such as `<optimized out>`.
    pub fn placeholder(&self) -> String {
        match self {
            EvalError::Unavailable { reason, .. } => format!("<{reason}>"),
            EvalError::Aggregate { ty } => format!("<{ty}>"),
            error => format!("<{error}>"),
        }
    }
}

fn outside(space: Space, address: u64, bytes: u64) -> String {
    match space {
        Space::Global => format!("{bytes} bytes at {address:#x} are outside of memory"),
        Space::Lds => format!("{bytes} bytes at {address:#x} are outside of the workgroup's LDS"),
        Space::Scratch => {
            format!("{bytes} bytes at {address:#x} are outside of the lane's scratch")
        }
    }
}

fn nearest(names: &[String]) -> String {
    match names {
        [] => String::new(),
        names => format!("; buffers are {}", names.join(", ")),
    }
}

fn fields(names: &[String]) -> String {
    match names {
        [] => String::new(),
        names => format!("; fields are {}", names.join(", ")),
    }
}

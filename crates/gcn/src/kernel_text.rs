//! Text about kernels that `gcn info` prints for both code objects and driver programs.

use crate::render::printable;

/// Range of SGPRs in assembly syntax.
pub fn sgprs(first: u32, count: u32) -> String {
    match u64::from(count) {
        0 => "no SGPR".to_owned(),
        1 => format!("s{first}"),
        count => format!("s[{first}:{}]", u64::from(first) + count - 1),
    }
}

/// Heading of the list of arguments.
pub const ARGUMENTS: &str = "    offset   size  kind                      name: type";

/// Formats an argument as a line of the list. `named` contains its name and type, if known.
pub fn argument_line(offset: &str, size: &str, kind: &str, named: [Option<&str>; 2]) -> String {
    let named = match named {
        [Some(name), Some(r#type)] => format!("{name}: {type}"),
        [one, other] => one.or(other).unwrap_or_default().to_owned(),
    };
    let (kind, named) = (printable(kind), printable(&named));
    let line = format!("    {offset:>6} {size:>6}  {kind:25} {named}");
    line.trim_end().to_owned()
}

//! Combined SARIF log of all launch files.

use std::io::{self, Write};

use gcn_report::{FileFailure, write_merged_sarif};

use super::row::{Row, RowOutcome};

/// Writes all findings, and a result for each launch file that failed for another reason.
///
/// # Errors
/// Fails if the file cannot be written.
pub fn write(rows: &[Row], file: &mut dyn Write) -> io::Result<()> {
    let has_result = |row: &&Row| !row.outcome.passed() && row.outcome != RowOutcome::Finding;
    let failures: Vec<FileFailure> = rows
        .iter()
        .filter(has_result)
        .map(|row| FileFailure {
            file: row.path.clone(),
            message: row.reason(),
        })
        .collect();
    let logs: Vec<_> = rows.iter().filter_map(|row| row.log.as_ref()).collect();
    write_merged_sarif(&logs, &failures, file)
}

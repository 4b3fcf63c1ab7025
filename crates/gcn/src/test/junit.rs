//! Results of launch files as JUnit XML, for CI servers.

use std::io::{self, Write};
use std::time::Duration;

use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};

use super::row::Row;

/// Name of the report and its test suite.
const NAME: &str = "gcn test";

/// Writes the rows as one test suite, with the wall-clock time of the whole run.
///
/// # Errors
/// Fails if the file cannot be written.
pub fn write(rows: &[Row], seconds: f64, file: &mut dyn Write) -> io::Result<()> {
    let mut suite = TestSuite::new(NAME);
    suite.set_time(Duration::from_secs_f64(seconds));
    suite.add_test_cases(rows.iter().map(case));
    let mut report = Report::new(NAME);
    report.set_time(Duration::from_secs_f64(seconds));
    report.add_test_suite(suite);
    report.serialize(file).map_err(io::Error::other)
}

fn case(row: &Row) -> TestCase {
    let status = if row.outcome.passed() {
        TestCaseStatus::success()
    } else {
        let kind = if row.outcome.is_error() {
            NonSuccessKind::Error
        } else {
            NonSuccessKind::Failure
        };
        let mut status = TestCaseStatus::non_success(kind);
        status
            .set_type(row.outcome.name())
            .set_message(row.reason())
            .set_description(row.report.as_str());
        status
    };
    let mut case = TestCase::new(row.path.as_str(), status);
    case.set_classname(NAME);
    case.set_time(Duration::from_secs_f64(row.seconds));
    if row.outcome.passed() && !row.report.is_empty() {
        case.set_system_out(row.report.as_str());
    }
    case
}

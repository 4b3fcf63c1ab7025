//! Faults and findings of checkers, and which of them stop the run.

/// Checker finding.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Finding {
    /// Checker that reported it, such as `races`.
    pub check: &'static str,
    /// Name of the kind of finding, such as `race`.
    pub name: &'static str,
    /// Description.
    pub message: String,
}

/// Findings of checkers that watch the run.
pub trait Findings: Send {
    /// Findings since the last call.
    fn fresh(&mut self) -> Vec<Finding>;

    /// Names of the checkers.
    fn checks(&self) -> Vec<&'static str>;
}

/// Faults and findings that stop the run. All others are shown, and the run goes on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Catches {
    /// True if faults stop.
    pub faults: bool,
    /// Checkers whose findings stop.
    pub checks: Vec<&'static str>,
}

impl Catches {
    /// Everything that the checkers of a run can find, and faults.
    pub(crate) fn all(findings: Option<&dyn Findings>) -> Catches {
        Catches {
            faults: true,
            checks: findings.map(Findings::checks).unwrap_or_default(),
        }
    }

    /// Divides findings into those that stop and those that do not.
    pub(crate) fn divide(&self, found: Vec<Finding>) -> (Vec<Finding>, Vec<Finding>) {
        let stops = |it: &Finding| self.checks.contains(&it.check);
        found.into_iter().partition(stops)
    }
}

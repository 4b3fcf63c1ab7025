//! Selection of the events that stop a run: faults, checker findings, starts and ends of launches.

/// Checker finding.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Finding {
    /// Checker that reported the finding, such as `races`.
    pub check: &'static str,
    /// Kind of finding, such as `lds-race`.
    pub name: &'static str,
    /// Message to show.
    pub message: String,
    /// Descriptions of the reported instruction, and then of the other instructions involved.
    pub places: Vec<String>,
}

/// Source of findings from the checkers that watch the run.
pub trait Findings: Send {
    /// Returns the findings reported since the last call.
    fn fresh(&mut self) -> Vec<Finding>;

    /// Returns the names of the checkers.
    fn checks(&self) -> Vec<&'static str>;
}

/// Events that stop the run. Other faults and findings are shown without stopping.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Catches {
    /// True if faults stop the run.
    pub faults: bool,
    /// Checkers whose findings stop the run.
    pub checks: Vec<&'static str>,
    /// True if every launch stops before its first instruction.
    pub launches: bool,
    /// True if the run stops after every launch ([`Engine::between_launches`](crate::Engine::between_launches)).
    pub ends: bool,
}

impl Catches {
    /// Selects faults and the findings of all checkers.
    pub(crate) fn all(findings: Option<&dyn Findings>) -> Catches {
        Catches {
            faults: true,
            checks: findings.map(Findings::checks).unwrap_or_default(),
            ..Catches::default()
        }
    }

    /// Splits findings into those that stop the run and those that do not.
    pub(crate) fn divide(&self, found: Vec<Finding>) -> (Vec<Finding>, Vec<Finding>) {
        let stops = |it: &Finding| self.checks.contains(&it.check);
        found.into_iter().partition(stops)
    }
}

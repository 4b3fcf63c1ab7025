//! Suggested fixes for findings.

/// A suggested fix, in terms of instructions and of kernel languages.
///
/// # Examples
/// ```
/// use gcn_observe::finding::Help;
/// let help = Help::new("`s_barrier` between the accesses")
///     .opencl("`barrier(CLK_LOCAL_MEM_FENCE)` between the accesses")
///     .hip("`__syncthreads()` between the accesses");
/// assert!(help.machine.starts_with("`s_barrier`") && help.hip.starts_with("`__syncthreads()`"));
/// let same = Help::from("one barrier after both paths");
/// assert_eq!((&same.opencl, &same.hip), (&same.machine, &same.machine));
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Help {
    /// Fix in terms of instructions.
    pub machine: String,
    /// Fix in terms of OpenCL C.
    pub opencl: String,
    /// Fix in terms of HIP.
    pub hip: String,
}

impl Help {
    /// Creates a fix with the same text for instructions and all languages.
    pub fn new(text: impl Into<String>) -> Help {
        let text = text.into();
        Help {
            opencl: text.clone(),
            hip: text.clone(),
            machine: text,
        }
    }

    /// Sets the text in terms of OpenCL C.
    #[must_use]
    pub fn opencl(self, text: impl Into<String>) -> Help {
        Help {
            opencl: text.into(),
            ..self
        }
    }

    /// Sets the text in terms of HIP.
    #[must_use]
    pub fn hip(self, text: impl Into<String>) -> Help {
        Help {
            hip: text.into(),
            ..self
        }
    }

    /// Appends `more` to the text in terms of instructions.
    #[must_use]
    pub fn and_machine(self, more: &str) -> Help {
        Help {
            machine: self.machine + more,
            ..self
        }
    }

    /// Appends `more` to all texts.
    #[must_use]
    pub fn and(self, more: &str) -> Help {
        let with = |text: String| text + more;
        Help {
            machine: with(self.machine),
            opencl: with(self.opencl),
            hip: with(self.hip),
        }
    }
}

impl<T: Into<String>> From<T> for Help {
    fn from(text: T) -> Help {
        Help::new(text)
    }
}

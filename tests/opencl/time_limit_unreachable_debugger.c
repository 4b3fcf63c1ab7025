//! # The time limit also holds for kernels that run without a debugger because it cannot be reached.
//! variables = { GCN_DEBUG = "/nonexistent/debugger", GCN_TIMEOUT = "0.3" }
//! stderr = ["gcn: kernels run without a debugger", "gcn: error: kernel endless"]
#include "time_limit.c"

//! # Kernels of two streams store the same array, the second one behind an event of the first.
//! variables = { GCN_CHECK = "races" }
//! findings = []
#define ORDER CHECK(hipStreamWaitEvent(second, end, 0))
#define IS_ORDERED true
#include "two_streams.h"

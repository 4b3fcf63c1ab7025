//! # Kernels of two streams store the same array at the same time.
//! variables = { GCN_CHECK = "races" }
//! findings = ["global-race"]
#define ORDER (void)0
#define IS_ORDERED false
#include "two_streams.h"

//! # A kernel loads memory that a copy writes while it runs, and nothing orders the two.
//! variables = { GCN_CHECK = "races" }
//! findings = ["global-race"]
#define ORDER __ATOMIC_RELAXED
#include "wait_for_copy.h"

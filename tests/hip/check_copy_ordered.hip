//! # A kernel loads memory that a copy writes while it runs, behind an acquire of a flag that the host sets after the copy.
//! variables = { GCN_CHECK = "races" }
//! findings = []
#define ORDER __ATOMIC_ACQUIRE
#include "wait_for_copy.h"

//! Post-dominators in a control flow graph.
//!
//! Node `a` post-dominates node `b` if all paths from `b` to the exit contain `a`. The first post-dominator after `b`
//! is the immediate post-dominator of `b`; if `b` is a branch, its paths meet there. The algorithm is by Cooper, Harvey
//! and Kennedy (A simple, fast dominance algorithm, 2001).

/// Number of the exit node.
pub const EXIT: usize = 0;

/// Post-dominators of a graph's nodes.
///
/// # Examples
/// ```
/// use gcn_emu::post_dominators::{EXIT, PostDominators};
/// // Node 1 branches to 2 and 3, which meet at 4. Node 4 is the end of a loop, node 5 of the program.
/// let post = PostDominators::new(&[vec![2, 3], vec![4], vec![4], vec![1, 5], vec![EXIT]]);
/// assert_eq!([1, 2, 4, 5].map(|node| post.immediate(node)), [4, 4, 5, EXIT].map(Some));
/// assert!(post.position(1) < post.position(4));
/// ```
#[derive(Clone, Debug)]
pub struct PostDominators {
    immediate: Vec<Option<usize>>,
    /// Position of each node in a postorder of the reversed graph, from the exit.
    positions: Vec<usize>,
}

impl PostDominators {
    /// Computes the post-dominators of a graph. The successors of node `n + 1` are at index `n`.
    ///
    /// # Panics
    /// Panics if a successor is not a node.
    pub fn new(successors: &[Vec<usize>]) -> PostDominators {
        let count = successors.len() + 1;
        let mut predecessors = vec![Vec::new(); count];
        for (place, next) in successors.iter().enumerate() {
            for successor in next {
                predecessors[*successor].push(place + 1);
            }
        }
        let mut positions = vec![usize::MAX; count];
        let mut sequence = Vec::new();
        let mut is_seen = vec![false; count];
        let mut stack = vec![(EXIT, 0)];
        is_seen[EXIT] = true;
        while let Some((node, child)) = stack.pop() {
            match predecessors[node].get(child) {
                Some(&next) => {
                    stack.push((node, child + 1));
                    if !is_seen[next] {
                        is_seen[next] = true;
                        stack.push((next, 0));
                    }
                }
                None => {
                    positions[node] = sequence.len();
                    sequence.push(node);
                }
            }
        }
        let mut immediate: Vec<Option<usize>> = vec![None; count];
        immediate[EXIT] = Some(EXIT);
        let mut changed = true;
        while changed {
            changed = false;
            for &node in sequence.iter().rev().skip(1) {
                let mut new: Option<usize> = None;
                for &successor in &successors[node - 1] {
                    if immediate[successor].is_none() {
                        continue;
                    }
                    new = Some(match new {
                        None => successor,
                        Some(other) => common(successor, other, &positions, &immediate),
                    });
                }
                if new != immediate[node] {
                    immediate[node] = new;
                    changed = true;
                }
            }
        }
        PostDominators {
            immediate,
            positions,
        }
    }

    /// Returns a node's immediate post-dominator; `None` if the node cannot reach the exit.
    pub fn immediate(&self, node: usize) -> Option<usize> {
        self.immediate[node]
    }

    /// Returns a node's position in an order in which post-dominators follow the nodes that they post-dominate. The
    /// exit is last. Nodes that cannot reach the exit have position `usize::MAX`.
    pub fn position(&self, node: usize) -> usize {
        self.positions[node]
    }
}

/// Returns the nearest common post-dominator.
fn common(mut a: usize, mut b: usize, positions: &[usize], immediate: &[Option<usize>]) -> usize {
    while a != b {
        while positions[a] < positions[b] {
            a = immediate[a].unwrap_or(EXIT);
        }
        while positions[b] < positions[a] {
            b = immediate[b].unwrap_or(EXIT);
        }
    }
    a
}

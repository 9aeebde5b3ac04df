//! reqwest by hand, and truston, a client of Triton that is built upon it.
//! Usage: rest_client ADDRESS [https]
mod by_hand;
mod with_truston;

use std::fmt::Debug;
use std::sync::atomic::{AtomicUsize, Ordering};

static CHECKS: AtomicUsize = AtomicUsize::new(0);
static FAILED: AtomicUsize = AtomicUsize::new(0);

/// Lengths of three rows of four.
pub const LENS: [i64; 3] = [4, 0, 3];

pub fn equal<T: PartialEq + Debug>(what: &str, expected: T, got: T) {
    CHECKS.fetch_add(1, Ordering::Relaxed);
    if expected != got {
        FAILED.fetch_add(1, Ordering::Relaxed);
        println!("  FAILED: {what}: expected <{expected:?}>, got <{got:?}>");
    }
}

/// The oracle: each row of four up to its length in reverse order.
pub fn reversed<T: Clone>(x: &[T]) -> Vec<T> {
    x.chunks(4)
        .zip(LENS)
        .flat_map(|(row, len)| {
            let (head, tail) = row.split_at(len as usize);
            head.iter().rev().chain(tail).cloned().collect::<Vec<T>>()
        })
        .collect()
}

#[tokio::main]
async fn main() {
    let address = std::env::args().nth(1).expect("usage: rest_client ADDRESS [https]");
    let scheme = std::env::args().nth(2).unwrap_or("http".into());
    let url = format!("{scheme}://{address}");
    by_hand::run(&url).await.expect("reqwest");
    with_truston::run(&url).await;
    let (checks, failed) = (CHECKS.load(Ordering::Relaxed), FAILED.load(Ordering::Relaxed));
    println!("  {checks} checks, {failed} failed");
    std::process::exit((failed > 0) as i32);
}

//! Counts the work of parsing in tests: twice the text must be about twice the work.
//!
//! Each pass says how many bytes or tokens it looks at. Outside tests that is nothing.

#[cfg(test)]
thread_local! {
    static DONE: std::cell::Cell<u64> = const { std::cell::Cell::new(0) };
}

/// Says that so many bytes or tokens were looked at.
#[inline]
pub(crate) fn spend(amount: usize) {
    #[cfg(test)]
    DONE.with(|done| done.set(done.get() + amount as u64));
    #[cfg(not(test))]
    let _ = amount;
}

/// The work that `run` does on this thread.
#[cfg(test)]
pub(crate) fn measure(run: impl FnOnce()) -> u64 {
    let before = DONE.with(std::cell::Cell::get);
    run();
    DONE.with(std::cell::Cell::get) - before
}

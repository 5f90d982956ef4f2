//! Counts the work of parsing in tests, which must grow linearly with the text.
//!
//! Each pass reports the number of bytes or tokens that it examines. Outside tests, reporting does
//! nothing.

#[cfg(test)]
thread_local! {
    static DONE: std::cell::Cell<u64> = const { std::cell::Cell::new(0) };
}

/// Reports that `amount` bytes or tokens were examined.
#[inline]
pub(crate) fn spend(amount: usize) {
    #[cfg(test)]
    DONE.with(|done| done.set(done.get() + amount as u64));
    #[cfg(not(test))]
    let _ = amount;
}

/// Returns the work that `run` does on this thread.
#[cfg(test)]
pub(crate) fn measure(run: impl FnOnce()) -> u64 {
    let before = DONE.with(std::cell::Cell::get);
    run();
    DONE.with(std::cell::Cell::get) - before
}

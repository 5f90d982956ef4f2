//! The HTML that readers get: no script comes through, whatever is written, and each construct
//! looks as it is known to look.

mod attacks;
mod constructs;

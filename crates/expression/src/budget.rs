//! Limits on the cost of evaluating expressions.

use std::cell::Cell;

use super::error::EvalErrorKind;

/// Limits for one expression. The longest conditions in practice take some tens of steps.
const STEP_LIMIT: u64 = 20_000;
const UNIT_LIMIT: u64 = 256 * 1_024;
/// Limits for all expressions of one page together.
const PAGE_STEP_LIMIT: u64 = 2_000_000;
const PAGE_UNIT_LIMIT: u64 = 4 << 20;
/// Number of units of text processed in one step.
const UNITS_PER_STEP: u64 = 32;

/// The remaining steps and memory.
///
/// Memory is counted in UTF-16 code units of text and elements of lists, when they are created.
/// Freed memory is not returned to the budget.
#[derive(Debug)]
pub(super) struct Budget<'p> {
    steps: Cell<u64>,
    units: Cell<u64>,
    /// The budget of the page, which is charged as well.
    page: Option<&'p Budget<'p>>,
}

impl Budget<'_> {
    pub(super) fn for_one() -> Self {
        Self { steps: Cell::new(STEP_LIMIT), units: Cell::new(UNIT_LIMIT), page: None }
    }

    pub(super) fn for_page() -> Self {
        Self { steps: Cell::new(PAGE_STEP_LIMIT), units: Cell::new(PAGE_UNIT_LIMIT), page: None }
    }

    /// Creates the budget for the next expression of a page.
    pub(super) fn for_next(&self) -> Budget<'_> {
        Budget { page: Some(self), ..Budget::for_one() }
    }

    /// Charges one step.
    pub(super) fn charge_step(&self) -> Result<(), EvalErrorKind> {
        self.take_steps(1)
    }

    /// Charges for reading `units` code units of text or list elements.
    pub(super) fn charge_read(&self, units: usize) -> Result<(), EvalErrorKind> {
        self.take_steps(1 + as_u64(units) / UNITS_PER_STEP)
    }

    /// Charges for creating `units` code units of text or list elements.
    pub(super) fn charge_new(&self, units: usize) -> Result<(), EvalErrorKind> {
        self.charge_read(units)?;
        self.take_units(as_u64(units))
    }

    fn take_steps(&self, steps: u64) -> Result<(), EvalErrorKind> {
        let left = self.steps.get().checked_sub(steps).ok_or(EvalErrorKind::TooManySteps)?;
        self.steps.set(left);
        self.page.map_or(Ok(()), |page| page.take_steps(steps))
    }

    fn take_units(&self, units: u64) -> Result<(), EvalErrorKind> {
        let left = self.units.get().checked_sub(units).ok_or(EvalErrorKind::TooMuchMemory)?;
        self.units.set(left);
        self.page.map_or(Ok(()), |page| page.take_units(units))
    }
}

fn as_u64(units: usize) -> u64 {
    u64::try_from(units).unwrap_or(u64::MAX)
}

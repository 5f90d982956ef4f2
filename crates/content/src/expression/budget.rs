//! Bounds on what evaluation may cost.

use std::cell::Cell;

use super::error::Problem;

/// What one expression may take. The longest real conditions take some tens of steps.
const STEPS: u64 = 20_000;
const UNITS: u64 = 256 * 1_024;
/// What all expressions of one page may take together.
const PAGE_STEPS: u64 = 2_000_000;
const PAGE_UNITS: u64 = 4 << 20;
/// Work on text is done so many units at a time.
const UNITS_IN_A_STEP: u64 = 32;

/// What is left of the steps and of the memory.
///
/// Memory is counted in UTF-16 units of text and elements of lists, as they are made; what was
/// let go is not given back.
#[derive(Debug)]
pub(super) struct Budget<'p> {
    steps: Cell<u64>,
    units: Cell<u64>,
    /// What this is a part of.
    whole: Option<&'p Budget<'p>>,
}

impl Budget<'_> {
    pub(super) fn for_one() -> Self {
        Self { steps: Cell::new(STEPS), units: Cell::new(UNITS), whole: None }
    }

    pub(super) fn for_page() -> Self {
        Self { steps: Cell::new(PAGE_STEPS), units: Cell::new(PAGE_UNITS), whole: None }
    }

    /// For the next expression of a page.
    pub(super) fn for_next(&self) -> Budget<'_> {
        Budget { whole: Some(self), ..Budget::for_one() }
    }

    /// Takes a step.
    pub(super) fn step(&self) -> Result<(), Problem> {
        self.take_steps(1)
    }

    /// Looks at so many units of text or elements.
    pub(super) fn read(&self, units: usize) -> Result<(), Problem> {
        self.take_steps(1 + as_u64(units) / UNITS_IN_A_STEP)
    }

    /// Makes so many units of text or elements.
    pub(super) fn make(&self, units: usize) -> Result<(), Problem> {
        self.read(units)?;
        self.take_units(as_u64(units))
    }

    fn take_steps(&self, steps: u64) -> Result<(), Problem> {
        let left = self.steps.get().checked_sub(steps).ok_or(Problem::TooManySteps)?;
        self.steps.set(left);
        self.whole.map_or(Ok(()), |whole| whole.take_steps(steps))
    }

    fn take_units(&self, units: u64) -> Result<(), Problem> {
        let left = self.units.get().checked_sub(units).ok_or(Problem::TooMuchMemory)?;
        self.units.set(left);
        self.whole.map_or(Ok(()), |whole| whole.take_units(units))
    }
}

fn as_u64(units: usize) -> u64 {
    u64::try_from(units).unwrap_or(u64::MAX)
}

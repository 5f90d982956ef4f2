//! The interface texts that occur within pages.

/// The interface texts within pages in one language. `{}` stands for a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Labels {
    /// The link of a heading to itself.
    pub heading_link: &'static str,
    /// The label of a task's checkbox.
    pub done: &'static str,
    /// The button that expands collapsed code; the value is the number of lines.
    pub show_lines: &'static str,
    /// A tab without a title; the value is its number.
    pub tab: &'static str,
    /// The label of a table that scrolls.
    pub table: &'static str,
    /// A drawing.
    pub drawing: &'static str,
    /// The title of a section that can be collapsed, if it has none.
    pub details: &'static str,
    /// The link of a card without text.
    pub open: &'static str,
    /// The mark of a note; the value is the note's number.
    pub note: &'static str,
    /// The label of an informational hint.
    pub info: &'static str,
    /// The label of a success hint.
    pub success: &'static str,
    /// The label of a warning hint.
    pub warning: &'static str,
    /// The label of a danger hint.
    pub danger: &'static str,
    /// The label of a prompt for an AI assistant.
    pub prompt: &'static str,
    /// A person whose name is unknown.
    pub person: &'static str,
    /// The link to an OpenAPI specification.
    pub specification: &'static str,
    /// A file size in bytes.
    pub bytes: &'static str,
    /// A file size in kilobytes.
    pub kilobytes: &'static str,
    /// A file size in megabytes.
    pub megabytes: &'static str,
    /// A file size in gigabytes.
    pub gigabytes: &'static str,
    /// The notice at the end of a page that is not shown in full.
    pub truncated: &'static str,
    /// A rating; the values are the rating and the maximum, in this order.
    pub rating: &'static str,
    /// The choice of all updates of a changelog, whatever their tags.
    pub all: &'static str,
    /// The label of the choice of a tag.
    pub filter_by_tag: &'static str,
    /// The names of the months as used in dates, separated by spaces.
    pub months: &'static str,
    /// A date: `{d}` is the day of the month, `{m}` the name of the month, `{y}` the year.
    pub date: &'static str,
}

impl Labels {
    /// The English texts.
    pub const ENGLISH: Self = Self {
        heading_link: "Link to this heading",
        done: "Done",
        show_lines: "Show all {} lines",
        tab: "Tab {}",
        table: "Table",
        drawing: "Drawing",
        details: "Details",
        open: "Open",
        note: "Note {}",
        info: "Info",
        success: "Success",
        warning: "Warning",
        danger: "Danger",
        prompt: "Prompt",
        person: "Someone",
        specification: "OpenAPI specification",
        bytes: "{} bytes",
        kilobytes: "{} KB",
        megabytes: "{} MB",
        gigabytes: "{} GB",
        truncated: "This page is too large to be shown in full.",
        rating: "{} of {}",
        all: "All",
        filter_by_tag: "Filter by tag",
        months: "January February March April May June July August September October November December",
        date: "{d} {m} {y}",
    };

    /// Formats a date. Returns `None` if the month does not exist.
    #[must_use]
    pub fn day(&self, year: i16, month: u8, day: u8) -> Option<String> {
        let name = self.months.split(' ').nth(usize::from(month).checked_sub(1)?)?;
        let date = self.date.replace("{d}", &day.to_string()).replace("{m}", name);
        Some(date.replace("{y}", &year.to_string()))
    }
}

/// Replaces the first `{}` by a value.
#[must_use]
pub fn fill(pattern: &str, value: impl std::fmt::Display) -> String {
    pattern.replacen("{}", &value.to_string(), 1)
}

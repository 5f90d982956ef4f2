//! The words of the interface that stand within the text of a page.

/// What the interface says within a text, in one language. `{}` stands for a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Words {
    /// The link of a heading to itself.
    pub heading_link: &'static str,
    /// The box of a task.
    pub done: &'static str,
    /// The switch below folded code; the value is the number of all lines.
    pub show_lines: &'static str,
    /// A tab without a title; the value is its number.
    pub tab: &'static str,
    /// A table, where it can be scrolled.
    pub table: &'static str,
    /// A drawing.
    pub drawing: &'static str,
    /// The link of a card that has no text.
    pub open: &'static str,
    /// The mark of a note; the value is its number.
    pub note: &'static str,
    /// A hint that informs.
    pub info: &'static str,
    /// A hint about what went well.
    pub success: &'static str,
    /// A hint that warns.
    pub warning: &'static str,
    /// A hint about what may do harm.
    pub danger: &'static str,
    /// A prompt for an assistant.
    pub prompt: &'static str,
    /// A person whose name is not known.
    pub person: &'static str,
    /// The link to a specification.
    pub specification: &'static str,
    /// The size of a file in bytes.
    pub bytes: &'static str,
    /// In thousands of bytes.
    pub kilobytes: &'static str,
    /// In millions of bytes.
    pub megabytes: &'static str,
    /// In thousands of millions of bytes.
    pub gigabytes: &'static str,
    /// The notice at the end of a page that is not shown in full.
    pub truncated: &'static str,
    /// A rating and the highest one, in this order.
    pub rating: &'static str,
    /// The names of the months as dates have them, divided by spaces.
    pub months: &'static str,
    /// A day: `{d}` of the month, `{m}` the month's name, `{y}` the year.
    pub date: &'static str,
}

impl Words {
    /// The words in English.
    pub const ENGLISH: Self = Self {
        heading_link: "Link to this heading",
        done: "Done",
        show_lines: "Show all {} lines",
        tab: "Tab {}",
        table: "Table",
        drawing: "Drawing",
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
        months: "January February March April May June July August September October November December",
        date: "{d} {m} {y}",
    };

    /// A day as readers write it. `None` where there is no such month.
    #[must_use]
    pub fn day(&self, year: i16, month: u8, day: u8) -> Option<String> {
        let name = self.months.split(' ').nth(usize::from(month).checked_sub(1)?)?;
        let date = self.date.replace("{d}", &day.to_string()).replace("{m}", name);
        Some(date.replace("{y}", &year.to_string()))
    }
}

/// Puts a value in the place of the first `{}`.
#[must_use]
pub fn fill(pattern: &str, value: impl std::fmt::Display) -> String {
    pattern.replacen("{}", &value.to_string(), 1)
}

//! Writes lines within containers, with the prefixes that the containers require.

/// Collects lines.
#[derive(Default)]
pub(super) struct Writer {
    pub(super) out: String,
    /// The prefix of each line.
    prefix: String,
    /// The prefix of the next line instead, if that line begins a list item.
    first: Option<String>,
}

impl Writer {
    /// Writes a text of one or more lines.
    pub(super) fn lines(&mut self, text: &str) {
        for line in text.split('\n') {
            let prefix = self.first.take();
            let prefix = prefix.as_deref().unwrap_or(&self.prefix);
            if line.is_empty() {
                self.out.push_str(prefix.trim_end());
            } else {
                self.out.push_str(prefix);
                self.out.push_str(line);
            }
            self.out.push('\n');
        }
    }

    /// Writes an empty line. At the start of an item, this writes the item's marker.
    pub(super) fn blank(&mut self) {
        self.lines("");
    }

    /// Writes the marker of an empty item.
    pub(super) fn flush_marker(&mut self) {
        if self.first.is_some() {
            self.blank();
        }
    }

    /// Calls `write` within a container that prefixes its first line with `first` and all others
    /// with `rest`.
    pub(super) fn within(&mut self, first: &str, rest: &str, write: impl FnOnce(&mut Self)) {
        let before = self.prefix.len();
        let base = self.first.take().unwrap_or_else(|| self.prefix.clone());
        self.first = Some(base + first);
        self.prefix.push_str(rest);
        write(self);
        self.flush_marker();
        self.prefix.truncate(before);
    }
}

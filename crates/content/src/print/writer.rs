//! Lines within containers: each gets what its containers put before it.

/// Collects lines.
#[derive(Default)]
pub(super) struct Writer {
    pub(super) out: String,
    /// What stands before each line.
    prefix: String,
    /// What stands before the next line instead, where that begins a list item.
    first: Option<String>,
}

impl Writer {
    /// Writes a text of one or several lines.
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

    /// Writes a line without text. Where an item begins, its marker is written first.
    pub(super) fn blank(&mut self) {
        self.lines("");
    }

    /// Writes the marker of an item that holds nothing.
    pub(super) fn flush_marker(&mut self) {
        if self.first.is_some() {
            self.blank();
        }
    }

    /// Writes what `write` does within a container that puts `first` before its first line and
    /// `rest` before all others.
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

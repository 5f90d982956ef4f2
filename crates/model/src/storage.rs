//! The kinds of uploaded files.

crate::closed_set! {
    /// The purpose of a file that is uploaded to an organization apart from its spaces.
    StorageKind {
        /// A file of a font.
        CustomizationFont = "customization_font",
        /// A file to import.
        ImportFile = "import_file",
    }
}

//! The kinds of uploaded files.

crate::closed_set! {
    /// The purpose of a file that is uploaded to an organization apart from its spaces.
    StorageKind {
        /// A file of a font.
        CustomizationFont = "customization_font",
        /// An image of the look of a site.
        SiteImage = "site_image",
        /// A file to import.
        ImportFile = "import_file",
    }
}

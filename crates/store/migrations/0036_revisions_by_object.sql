-- An export and an import look for the revision of the history that has the content of an agreement.
CREATE INDEX revisions_by_object ON revisions (space, object);

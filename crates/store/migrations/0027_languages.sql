-- The language that replaces that of the space on a site.
ALTER TABLE site_spaces ADD COLUMN language TEXT;
-- Languages are tags in their canonical form.
UPDATE spaces SET language = 'pt-BR' WHERE language = 'pt-br';
-- The folders of languages in the repository that a job imported, as a JSON array.
ALTER TABLE jobs ADD COLUMN languages TEXT;

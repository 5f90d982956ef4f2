-- Links whose anchors differ from those of a page in letter case or punctuation are no longer
-- broken, so the link indexes of all spaces are out of date.
UPDATE spaces SET links_behind = 0;

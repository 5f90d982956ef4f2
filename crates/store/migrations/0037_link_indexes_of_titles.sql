-- Links to the heading that is the title of a page are no longer broken, so the link indexes of all
-- spaces are out of date.
UPDATE spaces SET links_behind = 0;

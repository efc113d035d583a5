// Opened as files, pages may not read one another: results of a search come without excerpts, and without errors.
if (location.protocol === "file:") DOCUMENTATION_OPTIONS.SHOW_SEARCH_SUMMARY = false;

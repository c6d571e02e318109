"""Is a timing script valid? Two views, from its source and from a virtual run, and one verdict."""

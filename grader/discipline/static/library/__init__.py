"""What the libraries of a timing script mean to the source view, by dotted name."""

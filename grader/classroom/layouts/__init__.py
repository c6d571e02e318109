"""One module for each shape in which a class comes from an LMS."""

"""Read prose for claims: sentences, clauses, what is denied and what is only quoted."""

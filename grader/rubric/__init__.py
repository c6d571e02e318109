"""A rubric: what an exercise asks, what each outcome earns, and what to say about it."""

"""Is a result right? A float64 reference, a derived bound, and contents nobody can foresee."""

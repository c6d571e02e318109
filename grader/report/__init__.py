"""What people read: terminal, HTML page, JSON and CI output, all from one report record."""

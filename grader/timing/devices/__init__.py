"""The devices that the strict protocol runs on."""

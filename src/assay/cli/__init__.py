"""One module a verb, loaded lazily."""

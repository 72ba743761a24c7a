"""AMD GPUs: what only they have, beyond the checks for every maker."""

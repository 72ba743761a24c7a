"""Where evidence comes from: this machine, a recording, later whole clusters."""

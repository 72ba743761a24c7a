"""What breaks, how it shows in the kernel log, and what it means."""

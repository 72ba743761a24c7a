"""The accelerators of the tests here are shared: ``from gpu_sample import node``."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

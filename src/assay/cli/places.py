"""Where Assay keeps runs: the XDG state folder, private to the user."""

import os
import re
from pathlib import Path

import click

from assay.model.report import Run


def state() -> Path:
    """The folder for what Assay keeps: ``$XDG_STATE_HOME/assay``."""
    named = os.environ.get("XDG_STATE_HOME", "")
    if named.startswith("/"):
        return Path(named) / "assay"
    try:
        return Path.home() / ".local" / "state" / "assay"
    except RuntimeError as error:
        raise click.UsageError(
            "this user has no home folder: set XDG_STATE_HOME, or say --out FILE or --no-bundle"
        ) from error


def runs() -> Path:
    """The folder for bundles."""
    return state() / "runs"


def bundle(run: Run) -> Path:
    """The bundle of *run*: when, of what, and its id."""
    stamp = re.sub(r"[^0-9T]", "", run.started.partition("+")[0])
    target = re.sub(r"[^A-Za-z0-9.-]+", "-", run.target).strip("-.")[:40] or "target"
    return runs() / f"{stamp}Z-{target}-{run.id}.assay"


def newest() -> Path | None:
    """The bundle of the latest run, for verbs that are given none."""
    found = sorted(runs().glob("*.assay")) if runs().is_dir() else []
    return found[-1] if found else None

"""The command ``assay``: one module a verb, imported only when that verb is called."""

import gc
import importlib
import os
import signal
import sys
from collections.abc import Sequence

import click

from assay import __version__
from assay.cli import exits

# verb -> what `assay --help` says of it; the module is assay.cli.<verb>
VERBS = {
    "audit": "Audit this machine, or a recording of others.",
    "cve": "Say whether a version, a node or an SBOM is vulnerable.",
    "db": "Show, verify, update, export or import the advisory database.",
    "bundle": "Show, verify, export or compare recorded runs.",
    "checks": "List every check.",
    "demo": "Audit a small bundled cluster: a real report without a GPU.",
    "explain": "Say what a check asks, why it matters and how to fix it.",
    "plan": "Print everything that an audit would do, and do nothing.",
    "probes": "List what can be read on a node; parse one saved tool output.",
    "recheck": "Judge a recorded run by today's rules.",
    "schema": "Print the JSON schema of a report.",
    "selftest": "Prove on this machine that every check can fail.",
}


class Verbs(click.Group):
    """A group that knows its verbs by name and imports them when they are called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """All verbs, in order."""
        return sorted(VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import the module of one verb."""
        if cmd_name not in VERBS:
            return None
        found = getattr(importlib.import_module(f"assay.cli.{cmd_name}"), cmd_name)
        return found if isinstance(found, click.Command) else None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The list of verbs, without importing any."""
        with formatter.section("Verbs"):
            formatter.write_dl(sorted(VERBS.items()))

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Suggest the nearest verb for a mistyped one."""
        if args and args[0] not in VERBS and not args[0].startswith("-"):
            from difflib import get_close_matches

            near = get_close_matches(args[0], VERBS, n=1)
            hint = f" Did you mean {near[0]!r}?" if near else ""
            ctx.fail(f"No such verb {args[0]!r}.{hint}")
        return super().resolve_command(ctx, args)


@click.group(
    cls=Verbs,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Exit codes: 0 clean, 1 findings, 2 usage, 3 incomplete, 4 unreachable, 70 our bug,"
    " 130 interrupted.",
)
@click.version_option(__version__, prog_name="assay")
@click.option("--debug", is_flag=True, help="Print tracebacks.")
@click.pass_context
def assay(ctx: click.Context, debug: bool) -> None:
    """Find out, with evidence, how good a GPU cluster really is.

    Start with:  assay audit     (this machine, read-only, about a second)
    """
    ctx.obj = {"debug": debug}


def main(argv: Sequence[str] | None = None) -> None:
    """Run one verb and exit with its code; whatever goes wrong ends in one clear sentence."""
    args = list(sys.argv[1:] if argv is None else argv)
    os.umask(0o077)
    gc.set_threshold(100_000, 50, 50)  # a short life that makes no garbage: 5 % of its processor
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _interrupt)  # ends like Ctrl-C: what was read is kept
    _streams()
    try:
        code = assay.main(args=args, prog_name="assay", standalone_mode=False)
    except (click.exceptions.Abort, KeyboardInterrupt):
        print("assay: interrupted", file=sys.stderr)
        code = exits.INTERRUPTED
    except click.ClickException as error:
        error.show()
        code = error.exit_code
    except BrokenPipeError:
        # the reader of our output has gone: nothing left to say, and no traceback at exit either
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = exits.CLEAN
    except Exception as error:  # noqa: BLE001 - the last place where an exception can be told
        code = _told(error, debug="--debug" in args)
    sys.exit(code if isinstance(code, int) else exits.CLEAN)


def _streams() -> None:
    """Whatever the terminal's encoding, and closed or not: text is escaped, never refused."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115, PTH123
        elif hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    columns = os.environ.get("COLUMNS", "")
    if columns and not (columns.isdigit() and int(columns) > 0):
        del os.environ["COLUMNS"]


def _interrupt(number: int, frame: object) -> None:
    raise KeyboardInterrupt


def _told(error: Exception, *, debug: bool) -> int:
    """One sentence for the world's faults; an apology for our own."""
    from assay.engine.target import Unreachable
    from assay.store.format import BundleError, CannotWrite

    if debug:
        import traceback

        traceback.print_exception(error)
    if isinstance(error, Unreachable | BundleError):
        print(f"assay: {error}", file=sys.stderr)
        return exits.USAGE if isinstance(error, CannotWrite) else exits.UNREACHABLE
    if isinstance(error, OSError):
        where = error.filename or "cannot write the output"
        print(f"assay: {where}: {error.strerror or error}", file=sys.stderr)
        return exits.USAGE
    print(
        f"assay: this is a bug in Assay ({type(error).__name__}: {error})."
        " Run again with `assay --debug ...` and report what it prints.",
        file=sys.stderr,
    )
    return exits.BUG

"""One audit of a Slurm cluster: look, submit, listen, and account for every node."""

import secrets
import socket
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from assay.engine.target import Event, Options, Unreachable
from assay.kit.reading import Reading
from assay.model.report import NodeRow, NodeState
from assay.targets.local import Local
from assay.targets.slurm_controller import Controller, ControllerError, configuration
from assay.targets.slurm_nodes import configured
from assay.targets.slurm_pass import LAST, LEAST, Pass
from assay.targets.slurm_view import LOOKING, Terms, View, look

AGAIN = 2.0  # seconds between looks at nodes that are busy


class Run:
    """One audit; ``events`` may be called once."""

    def __init__(
        self,
        controller: Controller,
        terms: Terms,
        inside: str,
        readings: Sequence[Reading],
        options: Options,
        notes: list[str],
    ) -> None:
        self._controller = controller
        self._terms = terms
        self._inside = inside
        self._options = replace(options, salt=options.salt or secrets.token_hex(16))
        self._notes = notes
        self._end = time.monotonic() + options.deadline
        self._once = [r for r in readings if r.per_cluster]
        self._each = [r for r in readings if not r.per_cluster]

    @property
    def _left(self) -> float:
        return self._end - LAST - time.monotonic()

    def events(self) -> Iterator[Event]:
        """Answers as they come, and in the end one row for every node."""
        view, why = None, ""
        try:
            view = look(self._controller, self._terms, self._inside, self._patience())
        except (ControllerError, ValueError) as error:
            why = str(error)
        names = list(view.nodes) if view else self._configured()
        if not names:
            raise Unreachable(f"{why}; and no slurm.conf tells the names of its nodes")
        head = None
        for event in self._head():
            if isinstance(event, NodeRow):
                head = event
            else:
                yield event
        if view is None:
            yield from (NodeRow(name, NodeState.UNREAD, why) for name in names)
        else:
            yield from self._passes(view)
        if head and head.name not in names:
            yield replace(head, head=True)

    def _patience(self) -> float:
        return min(LOOKING, self._options.deadline / 3)

    def _configured(self) -> list[str]:
        path = configuration(self._controller.environment)
        try:
            return configured(path.read_text("utf-8", "replace")) if path else []
        except OSError:
            return []

    def _head(self) -> Iterator[Event]:
        """What is asked once for the whole cluster, by a process on this machine."""
        if not self._once:
            return
        limit = max(1.0, min(self._left / 3, max(r.deadline for r in self._once)))
        try:
            yield from Local().collect(self._once, replace(self._options, deadline=limit))
        except Unreachable as error:
            yield NodeRow(socket.gethostname(), NodeState.UNREAD, str(error))

    def _passes(self, view: View) -> Iterator[Event]:
        for name, why in view.closed.items():
            yield NodeRow(name, NodeState.UNREAD, why, view.word(name))
        busy: Mapping[str, str] = view.full
        for number in range(self._terms.passes):
            if number:
                view = self._later(view, busy)
            if view.asked:
                one = Pass(
                    self._controller, self._terms, view, self._each, self._options, self._end
                )
                yield from one.events()
                self._notes.extend(one.notes)
                busy = {n: w for n, w in busy.items() if n not in one.asked} | one.missed
            if not busy or self._left < LEAST:
                break
        for name, why in busy.items():
            yield NodeRow(name, NodeState.UNREAD, why, view.word(name))

    def _later(self, view: View, busy: Mapping[str, str]) -> View:
        """The view when one of the *busy* nodes has become free, or time is nearly over."""
        while True:
            time.sleep(max(0.0, min(AGAIN, self._left - LEAST)))
            try:
                now = look(self._controller, self._terms, "", max(1.0, self._left / 2))
            except (ControllerError, ValueError) as error:
                self._notes.append(f"the second pass: {error}")
                return replace(view, asked=())
            asked = tuple(node for node in now.asked if node.name in busy)
            if asked or self._left < LEAST + AGAIN:
                others = [node.name for node in now.asked if node.name not in busy]
                return replace(now, asked=asked, avoid=[*now.avoid, *others])

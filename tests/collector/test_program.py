import ast
import importlib
import re
import subprocess
import sys
from importlib.resources import files
from pathlib import Path

import pytest

from assay.collector import agent, commands
from assay.collector.commands import Answer
from assay.collector.stream import PROTOCOL, program, request
from assay.engine.target import Options
from assay.kit.reading import command, saved
from assay.model.evidence import Status

PARTS = re.findall(r"^# --- assay/collector/(\w+)\.py$", program(), re.MULTILINE)
# No socket, http, urllib, ssl, ctypes, tempfile, shutil, pathlib: what it cannot import it cannot
# do, and every import costs CPU time on every node.
ALLOWED = {
    "collections", "errno", "hashlib", "json", "os", "re", "resource", "select", "signal", "stat",
    "subprocess", "sys", "threading", "time", "traceback",
}  # fmt: skip


def test_the_program_is_all_parts_and_imports_nothing_of_ours():
    assert PARTS[-1] == "agent"
    assert set(PARTS) >= {"commands", "files", "credentials", "addresses", "hashes", "identities"}
    assert "from assay" not in program()
    assert "import assay" not in program()


def test_the_program_imports_only_what_it_may():
    found = set()
    for node in ast.walk(ast.parse(program())):
        if isinstance(node, ast.Import):
            found |= {name.name.partition(".")[0] for name in node.names}
        elif isinstance(node, ast.ImportFrom):
            found.add(node.module.partition(".")[0])
    assert found - {"typing"} <= ALLOWED  # typing only behind TYPE_CHECKING


def test_the_program_never_opens_for_writing():
    for node in ast.walk(ast.parse(program())):
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "open":
            assert isinstance(node.args[1], ast.Constant)
            assert node.args[1].value == "rb"
        name = getattr(node, "attr", getattr(node, "id", ""))
        assert name not in {"O_WRONLY", "O_RDWR", "O_CREAT", "eval", "exec", "__import__", "system"}
        assert getattr(node, "arg", "") != "shell"


def test_no_name_is_defined_in_two_parts():
    owner = {}
    for part in PARTS:
        module = ast.parse(files("assay.collector").joinpath(f"{part}.py").read_text())
        for node in module.body:
            names = []
            if isinstance(node, ast.FunctionDef | ast.ClassDef):
                names = [node.name]
            elif isinstance(node, ast.Assign):
                names = [n.id for t in node.targets for n in ast.walk(t) if isinstance(n, ast.Name)]
            for name in set(names) - {"TYPE_CHECKING"}:
                assert owner.setdefault(name, part) == part, name


def test_parts_and_whole_run_on_python_3_6():
    vermin = Path(sys.executable).with_name("vermin")
    if not vermin.exists():
        pytest.skip("vermin is not installed")
    paths = [str(files("assay.collector").joinpath(f"{part}.py")) for part in PARTS]
    done = subprocess.run(
        [vermin, "-t=3.6-", "--no-tips", *paths], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout


def test_the_stream_is_ascii_and_keeps_secrets_of_nobody():
    reading = command("echo", "ü{'\"\\n")
    stream = request([reading, reading, saved("x", looks_like="y")], Options(salt="s"))
    stream.decode("ascii")
    last = stream.decode().splitlines()[-1]
    assert last.startswith("main('{")
    assert last.count('"source"') == 1  # each once, and nothing that is only ever saved


def test_an_empty_salt_is_replaced_by_a_random_one():
    one, two = (request([], Options()) for _ in range(2))
    assert one != two


def test_words_and_versions_agree_with_the_model():
    assert agent.PROTOCOL == PROTOCOL
    words = {commands.ANSWERED, commands.ABSENT, commands.DENIED, commands.TIMEOUT}
    words |= {commands.TRUNCATED, commands.FAILED}
    assert words == {str(status) for status in Status}
    assert Answer(commands.ABSENT).body == b""


def test_every_part_is_importable_by_itself():
    for part in PARTS:
        importlib.import_module(f"assay.collector.{part}")

"""The package that is tested is the installed one. $RAVINE is the program, $SOURCE the sources."""
import json
import os
import subprocess
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def program():
    """Runs the program with these words and gives its JSON, one object a line."""

    def run(*words):
        out = subprocess.run(
            [os.environ["RAVINE"], "--json", *words], check=True, capture_output=True, text=True
        )
        return [json.loads(line) for line in out.stdout.splitlines()]

    return run


@pytest.fixture(scope="session")
def source():
    return Path(os.environ["SOURCE"])


@pytest.fixture(autouse=True)
def own_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

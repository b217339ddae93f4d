"""The add-on for Blender as it is packed: what Blender 4.2 and later ask of an extension, and what
3.4 reads of an add-on without running it."""
import ast
import os
import re
import subprocess
import sys
import zipfile

import pytest
import ravine

tomllib = pytest.importorskip("tomllib")


@pytest.fixture
def packed(source, tmp_path):
    subprocess.run(
        [
            sys.executable,
            source / "blender" / "make_addon.py",
            "addon.zip",
            os.path.dirname(ravine.__file__),
        ],
        check=True,
    )
    with zipfile.ZipFile(tmp_path / "addon.zip") as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def test_everything_is_in_one_folder(packed):
    assert {name.split("/")[0] for name in packed} == {"ravine_terrain"}
    for name in (
        "__init__.py",
        "blender_manifest.toml",
        "LICENSE",
        "ravine/__init__.py",
        "ravine/libravine.so",
    ):
        assert f"ravine_terrain/{name}" in packed
    for name, data in packed.items():
        if name.endswith(".py"):
            compile(data, name, "exec")
            assert b"@" + b"version" not in data


def test_the_manifest_is_what_blender_asks_for(packed):
    text = packed["ravine_terrain/blender_manifest.toml"].decode()
    manifest = tomllib.loads(text)
    for key in (
        "schema_version",
        "id",
        "version",
        "name",
        "tagline",
        "maintainer",
        "type",
        "license",
    ):
        assert manifest[key], key
    assert manifest["schema_version"] == "1.0.0" and manifest["type"] == "add-on"
    assert manifest["version"] == ravine.__version__ and re.fullmatch(
        r"\d+\.\d+\.\d+", manifest["version"]
    )
    assert manifest["blender_version_min"] >= "4.2.0" and manifest["id"] == "ravine_terrain"
    assert all(license.startswith("SPDX:") for license in manifest["license"])
    assert manifest["platforms"] and "@" not in text
    for sentence in (manifest["tagline"], *manifest["permissions"].values()):
        assert len(sentence) <= 64 and sentence[-1].isalnum(), sentence


def test_older_ones_read_its_description(packed):
    tree = ast.parse(packed["ravine_terrain/__init__.py"])
    found = [
        ast.literal_eval(node.value)
        for node in tree.body
        if isinstance(node, ast.Assign) and node.targets[0].id == "bl_info"
    ]
    assert found[0]["blender"] == (3, 4, 0)
    assert ".".join(map(str, found[0]["version"])) == ravine.__version__

"""The structs of the package are those of the header: a C compiler says the size and the place of
each member."""
import ctypes
import re
import shutil
import subprocess

import pytest
import ravine
from ravine import _library, _table

PAIRS = {
    "rv_progress": "Progress",
    "rv_allocator": "Allocator",
    "rv_context_desc": "ContextDesc",
    "rv_terrain_desc": "TerrainDesc",
    "rv_layer_desc": "LayerDesc",
    "rv_ledger": "Ledger",
    "rv_water": "Water",
    "rv_option_info": "OptionInfo",
    "rv_param_info": "ParamInfo",
    "rv_word_info": "WordInfo",
    "rv_step_info": "StepInfo",
    "rv_field_info": "FieldInfo",
    "rv_report": "Report",
    "rv_figure": "Figure",
    "rv_plan": "Plan",
    "rv_watch": "Watch",
    "rv_frame": "Frame",
    "rv_particles": "Particles",
    "rv_scene_watch": "SceneWatch",
    "rv_device_info": "DeviceInfo",
    "rv_sheet_entry": "SheetEntry",
    "rv_scene_plan": "ScenePlan",
    "rv_fault": "Fault",
}
RENAMED = {("ParamInfo", "default"): "def"}


@pytest.mark.skipif(shutil.which("cc") is None, reason="needs a C compiler")
def test_every_struct_fits(source, tmp_path):
    lines = ["#include <ravine/ravine.h>", "#include <stdio.h>", "int main(void) {"]
    expected = []
    for name, mine in PAIRS.items():
        struct = getattr(_library, mine)
        lines.append(f'printf("%zu\\n", sizeof({name}));')
        expected.append(ctypes.sizeof(struct))
        for member, *_ in struct._fields_:
            lines.append(
                f'printf("%zu\\n", offsetof({name}, {RENAMED.get((mine, member), member)}));'
            )
            expected.append(getattr(struct, member).offset)
    for number, status in enumerate(
        (
            "OK",
            "CANCELLED",
            "ERROR_USAGE",
            "ERROR_INPUT",
            "ERROR_OUTPUT",
            "ERROR_MEMORY",
            "ERROR_UNMET",
            "ERROR_VERSION",
            "ERROR_INTERNAL",
            "ERROR_DEVICE",
            "STATUS_COUNT",
        )
    ):
        lines.append(f'printf("%d\\n", RV_{status});')
        expected.append(number)
    lines.append('printf("%lu\\n", (unsigned long)rv_abi());')
    expected.append(_table.abi)
    (tmp_path / "layout.c").write_text("\n".join([*lines, "return 0; }"]))
    subprocess.run(["cc", "-I", source / "include", "layout.c", "-o", "layout"], check=True)
    found = subprocess.run(["./layout"], check=True, capture_output=True, text=True).stdout.split()
    assert [int(number) for number in found] == expected
    structs = [
        name
        for name, value in vars(_library).items()
        if isinstance(value, type)
        and issubclass(value, ctypes.Structure)
        and value is not ctypes.Structure
    ]
    assert set(structs) - set(PAIRS.values()) == {"FrameTimes"}  # which has no name in C


def test_every_function_takes_what_the_header_says(source):
    header = (source / "include" / "ravine" / "ravine.h").read_text()
    for name, (_, *arguments) in _library._functions.items():
        found = re.search(rf"^RV_API [^;]*\b{name}\(([^)]*)\)", header, re.M)
        assert found, f"the header has no {name}"
        words = found.group(1).strip()
        count = 0 if words == "void" else len(words.split(","))
        assert count == len(arguments), name


def test_a_library_of_another_version_is_refused(monkeypatch):
    monkeypatch.setattr("ravine._context.abi", _table.abi ^ 1)
    with pytest.raises(ravine.InternalError, match="another version"):
        ravine.terrain(size=8)

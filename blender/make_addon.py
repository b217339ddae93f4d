"""make_addon.py ZIP [PACKAGE]: packs the add-on for Blender. With PACKAGE, the folder of an
installed Python package ravine, the add-on brings the library along."""
import platform
import re
import sys
import zipfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ADDON = "ravine_terrain"
# In the sources every file name is unique; Blender wants the first file to be called __init__.py.
FILES = {
    "addon.py": "__init__.py",
    "ravine_jobs.py": "ravine_jobs.py",
    "ravine_meshes.py": "ravine_meshes.py",
    "ravine_panel.py": "ravine_panel.py",
    "ravine_settings.py": "ravine_settings.py",
    "blender_manifest.toml": "blender_manifest.toml",
}


def version():
    header = (HERE.parent / "include/ravine/ravine.h").read_text()
    return re.search(r'#define RV_VERSION "([^"]+)"', header).group(1)


def platform_name():
    """This system, as Blender calls it: linux-x64."""
    machine = {"x86_64": "x64", "AMD64": "x64", "aarch64": "arm64"}.get(platform.machine())
    return f"{platform.system().lower()}-{machine or platform.machine()}"


def main(target, package=None):
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for source, name in FILES.items():
            text = (HERE / source).read_text().replace("@version@", version())
            text = text.replace('"@version tuple@"', str(tuple(map(int, version().split(".")))))
            if package:  # it holds a library for this system
                text = text.replace("# @platforms@", f'platforms = ["{platform_name()}"]')
            archive.writestr(f"{ADDON}/{name}", text)
        archive.write(HERE.parent / "LICENSE", f"{ADDON}/LICENSE")
        for file in sorted(Path(package).iterdir()) if package else []:
            if file.is_file():
                archive.write(file, f"{ADDON}/ravine/{file.name}")


if __name__ == "__main__":
    main(*sys.argv[1:])

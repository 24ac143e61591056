"""In a released addon: finds the modules in its archive, and extension modules, which an archive cannot hold, in one folder.

The archive stores modules as they are. Python's own `zipimport` would find them too, but it opens the archive anew for each of
hundreds of modules and takes three times as long.
"""

import _thread
import importlib.machinery
import marshal
import os
import sys
import zipimport

_HEADER, _LENGTHS = 30, 26  # bytes of a local header in an archive before the name; where it has the lengths of what follows
_PYC_HEADER = 16


class _Archive:
    """A finder and loader of the modules in an archive. Any thread may use it."""

    def __init__(self, path):
        importer = zipimport.zipimporter(path)
        self.get_data = importer.get_data
        self._path, self._entries = path, importer._files
        self._file, self._lock = open(path, "rb", 0), _thread.allocate_lock()

    def find_spec(self, name, path=None, target=None):
        place = name.replace(".", os.sep)
        is_package = f"{place}{os.sep}__init__.pyc" in self._entries
        entry = f"{place}{os.sep}__init__.pyc" if is_package else f"{place}.pyc"
        if entry not in self._entries:
            return None
        spec = importlib.machinery.ModuleSpec(name, self, origin=os.path.join(self._path, entry), loader_state=entry)
        spec.has_location = True  # modules have a `__file__`
        if is_package:
            spec.submodule_search_locations = [os.path.join(self._path, place)]
        return spec

    def create_module(self, spec):
        return None

    def exec_module(self, module):
        exec(self._code(module.__spec__.loader_state), module.__dict__)

    def code_of(self, name):
        """The code of a module that is in the archive."""
        return self._code(self.find_spec(name).loader_state)

    def _code(self, entry):
        _, method, size, _, begin, *_ = self._entries[entry]
        if method:
            return marshal.loads(self.get_data(os.path.join(self._path, entry))[_PYC_HEADER:])
        with self._lock:
            self._file.seek(begin)
            content = memoryview(self._file.read(_HEADER + len(entry.encode()) + size))
        lengths = content[_LENGTHS:_HEADER]
        skipped = _HEADER + int.from_bytes(lengths[:2], "little") + int.from_bytes(lengths[2:], "little")
        return marshal.loads(content[skipped + _PYC_HEADER :])


class _Folder:
    """A finder of extension modules in a folder: `numpy.linalg._umath_linalg` is the file `numpy.linalg._umath_linalg.so`."""

    def __init__(self, folder):
        self._files = {os.path.splitext(name)[0]: os.path.join(folder, name) for name in os.listdir(folder)}

    def find_spec(self, name, path=None, target=None):
        file = self._files.get(name)
        if file is None:
            return None
        spec = importlib.machinery.ModuleSpec(name, importlib.machinery.ExtensionFileLoader(name, file), origin=file)
        spec.has_location = True
        return spec


def find_in(archive, folder, is_guest):
    """Find modules in an archive and extension modules in a folder from now on. `is_guest`: another program's modules come
    first."""
    finders = [_Archive(archive), _Folder(folder)]
    place = len(sys.meta_path) if is_guest else sys.meta_path.index(importlib.machinery.PathFinder)
    sys.meta_path[place:place] = finders

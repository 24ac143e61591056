"""In the archive of a released addon: finds extension modules, also those inside of packages, by their full names in one folder.
An archive cannot hold them."""

import importlib.machinery
import importlib.util
import os
import sys


class _Folder:
    """A finder of extension modules in a folder: `numpy.linalg._umath_linalg` is the file `numpy.linalg._umath_linalg.so`."""

    def __init__(self, folder):
        self.folder = folder

    def find_spec(self, name, path=None, target=None):
        for suffix in (".so", ".pyd"):
            file = os.path.join(self.folder, name + suffix)
            if os.path.isfile(file):
                loader = importlib.machinery.ExtensionFileLoader(name, file)
                return importlib.util.spec_from_file_location(name, file, loader=loader)
        return None


def find_in(folder):
    """Find extension modules in a folder from now on."""
    sys.meta_path.append(_Folder(folder))

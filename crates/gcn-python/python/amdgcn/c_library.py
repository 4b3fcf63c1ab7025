"""Places of the C library that the wheel holds."""

from __future__ import annotations

import os

__all__ = ["get_include", "get_library_dir"]


def _directory(name: str, file: str) -> str:
    directory = os.path.join(os.path.dirname(os.path.abspath(__file__)), name)
    if not os.path.exists(os.path.join(directory, file)):
        raise FileNotFoundError(
            f"{file} is not in this installation of amdgcn: the wheel of `cargo xtask wheel` has it"
        )
    return directory


def get_include() -> str:
    """Directory of the header ``gcn.h`` of the C library, for the option ``-I`` of compilers.

    Raises ``FileNotFoundError`` if the package was built without the C library, as ``pip install crates/gcn-python`` does.

    >>> import amdgcn, os
    >>> try:
    ...     assert os.path.exists(os.path.join(amdgcn.get_include(), "gcn.h"))
    ... except FileNotFoundError as error:
    ...     assert "gcn.h is not in this installation" in str(error)
    """
    return _directory("include", "gcn.h")


def get_library_dir() -> str:
    """Directory of the C library ``libgcn.so.0``, for the options ``-L`` and ``-Wl,-rpath,`` of compilers; below it is
    ``pkgconfig/gcn.pc``.

    Raises ``FileNotFoundError`` as :func:`get_include` does.

    >>> import amdgcn, os
    >>> try:
    ...     assert os.path.exists(os.path.join(amdgcn.get_library_dir(), "pkgconfig", "gcn.pc"))
    ... except FileNotFoundError as error:
    ...     assert "libgcn.so.0 is not in this installation" in str(error)
    """
    return _directory("lib", "libgcn.so.0")

"""What pyproject.toml cannot say: the part that is compiled, and the README as package indexes show it."""

import re
from glob import glob
from pathlib import Path

from setuptools import Extension, setup


def readme() -> str:
    """Without links and pictures that lead into the repository: an index has no files beside the text."""
    text = Path("README.md").read_text(encoding="utf-8")
    return re.sub(r"!?\[([^\]]*)\]\((?!https?:)[^)]*\)", r"\1", text)


def parser() -> str:
    """The version of selectolax, whose trees the compiled part reads; it steps aside for any other."""
    try:
        from selectolax import __version__
    except ImportError:
        return ""
    return str(__version__)


setup(
    long_description=readme(),
    long_description_content_type="text/markdown",
    # Optional: where it cannot be built, the same is done in Python, more slowly.
    ext_modules=[
        Extension(
            "opilio._native",
            sorted(glob("src/native/*.c")),
            depends=sorted(glob("src/native/*.h")),
            define_macros=[("SELECTOLAX", f'"{parser()}"')],
            extra_compile_args=["-O3"],
            optional=True,
        )
    ],
)

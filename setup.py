"""The part that is compiled; all else is in pyproject.toml."""

from glob import glob

from setuptools import Extension, setup

# Optional: where it cannot be built, the same is done in Python, more slowly.
setup(
    ext_modules=[
        Extension(
            "opilio._native",
            sorted(glob("src/native/*.c")),
            depends=sorted(glob("src/native/*.h")),
            extra_compile_args=["-O3"],
            optional=True,
        )
    ]
)

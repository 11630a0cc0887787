"""The part that is compiled; all else is in pyproject.toml."""

from glob import glob

from setuptools import Extension, setup

# Optional: where it cannot be built, the same is done in Python, more slowly.
setup(
    ext_modules=[
        Extension(
            "opilio._compiled",
            sorted(glob("src/compiled/*.c")),
            depends=sorted(glob("src/compiled/*.h")),
            extra_compile_args=["-O3"],
            optional=True,
        )
    ]
)

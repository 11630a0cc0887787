"""The Dockerfile and the manifest for Kubernetes do what they say."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sysconfig
import venv
from pathlib import Path

import pytest
from typer.testing import CliRunner

from opilio.cli.commands import app

yaml = pytest.importorskip("yaml")
ROOT = Path(__file__).parents[1]
DOCKERFILE = (ROOT / "deploy" / "Dockerfile").read_text(encoding="utf-8")


def test_the_manifest_is_a_ray_job_whose_command_is_understood() -> None:
    """The fields that KubeRay's RayJob (ray.io/v1) requires, with the types that it has."""
    (job,) = yaml.safe_load_all((ROOT / "deploy" / "rayjob.yaml").read_text(encoding="utf-8"))
    assert (job["apiVersion"], job["kind"]) == ("ray.io/v1", "RayJob")
    assert re.fullmatch(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?", job["metadata"]["name"])
    spec = job["spec"]
    known = {"entrypoint", "shutdownAfterJobFinishes", "backoffLimit", "rayClusterSpec"}
    assert set(spec) == known
    head, (workers,) = spec["rayClusterSpec"]["headGroupSpec"], spec["rayClusterSpec"]["workerGroupSpecs"]
    assert workers["minReplicas"] <= workers["replicas"] <= workers["maxReplicas"]
    for group in (head, workers):
        assert all(isinstance(value, str) for value in group["rayStartParams"].values())
        (container,) = group["template"]["spec"]["containers"]
        assert container["image"] == "opilio"
        assert container["resources"]["requests"] == container["resources"]["limits"]
        assert set(container) == {"name", "image", "envFrom", "resources"}
    assert head["rayStartParams"]["dashboard-host"] == "0.0.0.0"  # else no job can be handed in
    assert json.loads(json.loads(workers["rayStartParams"]["resources"])) == {"shard": 8}
    program, *words = shlex.split(spec["entrypoint"])
    assert program == "opilio"
    told = CliRunner().invoke(app, [*words, "--address", "nowhere:1", "-s", "shards=0", "-s", "no_such=1"])
    assert "no_such" in str(told.exception)  # all the rest was understood


def test_what_the_image_copies_is_there() -> None:
    copied = [name for line in re.findall(r"^COPY (.+)$", DOCKERFILE, re.MULTILINE) for name in line.split()[:-1]]
    assert {"pyproject.toml", "setup.py", "src"} <= set(copied)
    assert [name for name in copied if not (ROOT / name).exists()] == []


STEPS = re.findall(r"^(COPY|RUN|CMD) (.+)$", DOCKERFILE, re.MULTILINE)


@pytest.mark.slow
def test_the_steps_of_the_image_make_a_program_that_runs(tmp_path: Path) -> None:
    """Without docker: what is copied is copied, what pip installs is installed beside what is here already."""
    work, place = tmp_path / "work", tmp_path / "venv"
    work.mkdir()
    venv.create(place, with_pip=True)
    here = next((place / "lib").glob("python*")) / "site-packages" / "here.pth"
    here.write_text(f"{sysconfig.get_path('purelib')}\n")
    around = {**os.environ, "PATH": f"{place / 'bin'}:{os.environ['PATH']}", "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
    for kind, told in STEPS:
        if kind == "COPY":
            *names, target = told.split()
            for name in names:
                source, goal = ROOT / name, work / target
                shutil.copytree(source, goal, ignore=shutil.ignore_patterns("*.so", "*.egg-info", "__pycache__")) if (
                    source.is_dir()
                ) else shutil.copy(source, goal)
        elif kind == "RUN" and told.startswith("pip "):
            words = [word for word in shlex.split(told) if word != "ray[default]"]  # its dashboard is not needed here
            made = subprocess.run(words, cwd=work, env=around, capture_output=True, text=True, check=False)
            assert made.returncode == 0, made.stderr[-2000:]
        elif kind == "CMD":
            (tmp_path / "home").mkdir()
            shown = subprocess.run(
                json.loads(told), cwd=tmp_path / "home", env=around, capture_output=True, text=True, check=True
            )
            assert "crawl" in shown.stdout
    found = "import opilio, opilio.native; print(opilio.__file__)"
    where = subprocess.run(
        [place / "bin" / "python", "-c", found], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert where.stdout.startswith(str(place))


def test_every_step_of_the_image_is_known() -> None:
    """What the test above leaves out: packages of the system and a user of its own."""
    others = [told.split()[0] for kind, told in STEPS if kind == "RUN" and not told.startswith("pip ")]
    assert others == ["apt-get", "useradd"]
    assert 'pip install --no-cache-dir ".[cluster]" "ray[default]"' in DOCKERFILE

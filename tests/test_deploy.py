"""The Dockerfile and the manifest for Kubernetes do what they say."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

from opilio.cli.front import app

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
    program, *words = shlex.split(spec["entrypoint"])
    assert program == "opilio"
    told = CliRunner().invoke(app, [*words, "--address", "nowhere:1", "-s", "shards=0", "-s", "no_such=1"])
    assert "no_such" in str(told.exception)  # all the rest was understood


def test_what_the_image_copies_is_there() -> None:
    copied = [name for line in re.findall(r"^COPY (.+)$", DOCKERFILE, re.MULTILINE) for name in line.split()[:-1]]
    assert {"pyproject.toml", "setup.py", "src"} <= set(copied)
    assert [name for name in copied if not (ROOT / name).exists()] == []
    assert 'pip install --no-cache-dir ".[cluster]"' in DOCKERFILE

"""Draws docs/pictures/cluster.svg, a crawl on a cluster: `python docs/pictures/cluster.py`."""

from pathlib import Path

SHARDS = [
    ("shard 0", "machine 1", 40),
    ("shard 1", "machine 1", 240),
    ("shard 2", "machine 2", 440),
    ("shard 3", "machine 3", 640),
]
STYLE = (
    "rect{fill:#eef3f8;stroke:#4a6785}path{stroke:#4a6785;fill:none;stroke-width:1.5}"
    "text{font:600 15px sans-serif;text-anchor:middle;fill:#1d2b3a}.s{font:12px sans-serif;fill:#33475b}"
)
HEAD = (
    '<marker id="a" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8" orient="auto-start-reverse">'
    '<path d="M0 0L8 4L0 8z" style="fill:#4a6785"/></marker>'
)


def box(name: str, about: str, x: int, y: int, width: int) -> str:
    middle = x + width / 2
    return (
        f'<rect x="{x}" y="{y}" width="{width}" height="56" rx="8"/><text x="{middle}" y="{y + 23}">{name}</text>'
        f'<text x="{middle}" y="{y + 43}" class="s">{about}</text>'
    )


def arrow(x1: int, y1: int, x2: int, y2: int, both: bool = False) -> str:
    start = ' marker-start="url(#a)"' if both else ""
    return f'<path d="M{x1} {y1} L{x2} {y2}" marker-end="url(#a)"{start}/>'


def draw() -> str:
    parts = [box("driver", "topic, budget, turns of price, the end; no state", 250, 24, 380)]
    parts.append(
        box("state: s3://bucket/run", "for each shard a log of numbered objects, its base, its archive", 150, 268, 580)
    )
    for name, where, x in SHARDS:
        parts += [
            box(name, where, x, 146, 160),
            arrow(x + 80, 146, 440, 80, both=True),
            arrow(x + 80, 202, x + 80, 268),
        ]
    parts += [arrow(x + 160, 174, x + 200, 174, both=True) for _, _, x in SHARDS[:-1]]
    parts.append('<text x="780" y="120" class="s">reports, caps</text>')
    parts.append('<text x="440" y="222" class="s">letters from shard to shard</text>')
    parts.append('<text x="790" y="240" class="s">commits</text>')
    frame = '<rect x="4" y="4" width="862" height="342" rx="12" style="fill:#fff;stroke:#c9d4df"/>'
    inside = "\n".join(parts)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 870 350" width="870"><style>{STYLE}</style>'
        f"<defs>{HEAD}</defs>\n{frame}\n{inside}\n</svg>\n"
    )


if __name__ == "__main__":
    Path(__file__).with_suffix(".svg").write_text(draw(), encoding="utf-8")

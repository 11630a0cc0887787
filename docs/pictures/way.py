"""Draws docs/pictures/way.svg, the way of the data: `python docs/pictures/way.py`."""

from pathlib import Path

BOXES = [
    ("Frontier", "the highest-priced offers on hosts that may be visited", 40, 40),
    ("Fetcher", "offer in, page out: a recording, the synthetic web", 330, 40),
    ("Store", "WARC records and page rows", 620, 40),
    ("Strategy", "observes the page, makes offers", 620, 200),
    ("Topic", "text in, probability out", 330, 200),
    ("Other shards", "letters: offers and news", 40, 200),
]
ARROWS = [
    ("leases", 250, 75, 330, 75),
    ("pages", 540, 75, 620, 75),
    ("the same pages", 725, 110, 725, 200),
    ("relevance", 540, 235, 620, 235),
    ("offers, weights", 660, 200, 160, 112),
    ("offers for their sites", 660, 270, 145, 270),
]


def box(name: str, about: str, x: int, y: int) -> str:
    words, lines = about.split(), [""]
    for word in words:
        if len(lines[-1]) + len(word) > 29:
            lines.append("")
        lines[-1] = f"{lines[-1]} {word}".strip()
    text = "".join(f'<text x="{x + 105}" y="{y + 42 + 15 * i}" class="s">{line}</text>' for i, line in enumerate(lines))
    return f'<rect x="{x}" y="{y}" width="210" height="70" rx="8"/><text x="{x + 105}" y="{y + 23}">{name}</text>{text}'


def arrow(name: str, x1: int, y1: int, x2: int, y2: int) -> str:
    if y1 == y2 == 270:
        line = f'<path d="M{x1} {y1} V300 H{x2} V272" marker-end="url(#a)"/>'
        return line + f'<text x="{(x1 + x2) / 2}" y="295" class="s">{name}</text>'
    x, y = (x1 + x2) / 2, (y1 + y2) / 2 - 7
    return f'<path d="M{x1} {y1} L{x2} {y2}" marker-end="url(#a)"/><text x="{x}" y="{y}" class="s">{name}</text>'


def draw() -> str:
    style = (
        "rect{fill:#eef3f8;stroke:#4a6785}path{stroke:#4a6785;fill:none;stroke-width:1.5}"
        "text{font:600 15px sans-serif;text-anchor:middle;fill:#1d2b3a}.s{font:12px sans-serif;fill:#33475b}"
    )
    head = (
        '<marker id="a" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8" orient="auto">'
        '<path d="M0 0L8 4L0 8z" style="fill:#4a6785"/></marker>'
    )
    inside = "\n".join([*(arrow(*a) for a in ARROWS), *(box(*b) for b in BOXES)])
    frame = '<rect x="4" y="4" width="862" height="312" rx="12" style="fill:#fff;stroke:#c9d4df"/>'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 870 320" width="870"><style>{style}</style>'
        f"<defs>{head}</defs>\n{frame}\n{inside}\n</svg>\n"
    )


if __name__ == "__main__":
    Path(__file__).with_suffix(".svg").write_text(draw(), encoding="utf-8")

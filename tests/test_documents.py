"""PDF, DOCX and plain text: read, judged and followed; a hostile one costs its page and nothing else."""

from __future__ import annotations

import asyncio
import io
import zipfile
import zlib
from pathlib import Path
from types import SimpleNamespace

import pytest

from opilio.content.extract import extracted
from opilio.documents import to_html
from opilio.documents.to_html import Rendering, kind_of_document, rendered
from opilio.fetchers.document_queue import DocumentQueue
from opilio.fetchers.http.client import Answer
from opilio.fetchers.to_page import answered
from opilio.html import Document
from opilio.nouns import Link, Offer
from opilio.system.sandbox import Sandbox, SandboxTimeoutError

from .doc_page import run_page
from .local_site import LocalSite, Reply

PDF, WORD = "application/pdf", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
URL = "http://a.example/paper.pdf"


def pdf(*lines: str, link: str = "", title: str = "", stream: bytes | None = None, filters: str = "") -> bytes:
    """A real PDF file of one page, with a table of its objects."""
    text = "".join(f"({line}) Tj 0 -20 Td " for line in lines)
    stream = f"BT /F1 12 Tf 50 700 Td {text}ET".encode() if stream is None else stream
    action = f"<< /Type /Annot /Subtype /Link /Rect [40 690 400 715] /A << /S /URI /URI ({link}) >> >>"
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents 4 0 R /Annots [{action if link else ''}] "
        "/Resources << /Font << /F1 << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >> >> >>".encode(),
        f"<< /Length {len(stream)} {filters} >>\nstream\n".encode() + stream + b"\nendstream",
        f"<< /Title ({title}) >>".encode(),
    ]
    made, places = bytearray(b"%PDF-1.4\n"), []
    for number, content in enumerate(objects, 1):
        places.append(len(made))
        made += b"%d 0 obj\n%b\nendobj\n" % (number, content)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    table, start = b"".join(b"%010d 00000 n \n" % place for place in places), len(made)
    made += b"xref\n0 6\n0000000000 65535 f \n%btrailer\n<< /Size 6 /Root 1 0 R /Info 5 0 R >>\n" % table
    return bytes(made + b"startxref\n%d\n%%%%EOF\n" % start)


def docx(document: str, link: str = "http://a.example/next.html", title: str = "On bees") -> bytes:
    space = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
    space += ' xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"'
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        relation = f'<Relationship Id="r1" TargetMode="External" Target="{link}"/>'
        core = f'<c xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>{title}</dc:title></c>'
        archive.writestr("word/document.xml", f"<w:document {space}><w:body>{document}</w:body></w:document>")
        archive.writestr("word/_rels/document.xml.rels", f"<Relationships>{relation}</Relationships>")
        archive.writestr("docProps/core.xml", core)
    return made.getvalue()


PAPER = pdf("Bees and their honey", "A paper on hives", link="http://a.example/data.html", title="On bees")
LETTER = docx(
    "<w:p><w:r><w:t>Bees make </w:t></w:r><w:r><w:t>honey</w:t></w:r>"
    '<w:hyperlink r:id="r1"><w:r><w:t>as it says here</w:t></w:r></w:hyperlink></w:p><w:p><w:r><w:t>Second</w:t></w:r></w:p>'
)


def test_a_pdf_has_title_text_and_links() -> None:
    found = Document(PAPER, URL, PDF)
    assert found.title == "On bees"
    assert found.main == found.text
    assert "Bees and their honey\nA paper on hives" in found.text
    (link,) = found.links
    assert (link.url, link.anchor) == ("http://a.example/data.html", "Bees and their honey")


def test_a_docx_has_title_text_and_links() -> None:
    found = Document(LETTER, URL, WORD)
    assert found.title == "On bees"
    assert found.text == "Bees make honey as it says here\nSecond"
    assert [(link.url, link.anchor) for link in found.links] == [("http://a.example/next.html", "as it says here")]


def test_urls_in_plain_text_are_links() -> None:
    text = "Bees: see http://a.example/bees.html, and\n(https://b.example/x?y=1). Again http://a.example/bees.html\nnot ftp://c.example/"
    found = Document(text.encode(), "http://t.example/readme.txt", "text/plain")
    assert [link.url for link in found.links] == ["http://a.example/bees.html", "https://b.example/x?y=1"]
    assert "Bees" in found.links[0].context


@pytest.mark.parametrize(
    ("body", "media_type", "kind"),
    [
        (PAPER, PDF, "pdf"), (PAPER, "", "pdf"), (PAPER, "application/octet-stream", "pdf"), (PAPER, "text/html", ""),
        (LETTER, WORD, "docx"), (LETTER, "application/octet-stream", "docx"), (b"PK\x03\x04zip", "", ""), (b"<html>", "", ""),
    ],
)  # fmt: skip
def test_a_document_is_known_by_its_type_or_its_first_bytes(body: bytes, media_type: str, kind: str) -> None:
    assert kind_of_document(body, media_type) == kind


LAUGHS = "<!DOCTYPE x [<!ENTITY a 'haha'>" + "".join(
    f"<!ENTITY {name} '{f'&{before};' * 20}'>" for before, name in zip("abcdefghi", "bcdefghij", strict=True)
)

TWICE = zlib.compress(zlib.compress(bytes(1 << 28), 9), 9)
HOSTILE = {
    "not a pdf": (b"%PDF-1.7 and nothing else", "pdf"),
    "not a docx": (b"PK\x03\x04word/", "docx"),
    "nested filters": (pdf(stream=TWICE, filters="/Filter [/FlateDecode /FlateDecode]"), "pdf"),
    "page tree in a circle": (PAPER.replace(b"/Kids [3 0 R] /Count 1", b"/Kids [2 0 R] /Count 9"), "pdf"),
    "long part": (docx(f"<w:p><w:r><w:t>{'bees ' * 8_000_000}</w:t></w:r></w:p>"), "docx"),
    "deep nesting": (docx("<w:p>" * 3_000 + "</w:p>" * 3_000), "docx"),
}  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_document_is_an_error_or_empty_and_the_next_is_read(name: str) -> None:
    body, kind = HOSTILE[name]
    found = rendered(body, kind)
    assert found.error.startswith(f"unreadable {kind}: ") or len(found.html) < 1000
    assert Document(body, URL, PDF if kind == "pdf" else WORD).links == ()
    assert b"honey" in rendered(PAPER if kind == "pdf" else LETTER, kind).html


def test_entities_cannot_blow_up() -> None:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        archive.writestr("word/document.xml", f"{LAUGHS}]><x>&j;</x>")
    assert rendered(made.getvalue(), "docx").error.startswith("unreadable docx")


def test_without_the_extra_a_pdf_is_stored_and_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(to_html, "find_spec", lambda name: None)
    assert rendered(PAPER, "pdf") == Rendering()
    assert Document(PAPER, URL, PDF).text == ""


def test_the_content_of_a_document_is_its_text() -> None:
    page = answered(Offer(Link(URL)), 200, {"content-type": PDF}, PAPER)
    assert "A paper on hives" in extracted(page).markdown


def test_a_crawl_follows_documents_and_outlives_hostile_ones(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    slow = Sandbox("time:sleep", seconds=0.3, megabytes=500)
    usual = to_html._reader
    monkeypatch.setattr(to_html, "_reader", lambda kind: slow if kind == "docx" else usual(kind))
    with LocalSite({}) as site:
        site.pages = {
            "/": b'<p>Bees <a href="/paper.pdf">a paper</a> <a href="/loop.docx">a letter</a> <a href="/bad.pdf">another</a>',
            "/paper.pdf": Reply(pdf("On bees", link=f"{site.url}/data.txt", title="Bees"), PDF),
            "/bad.pdf": Reply(b"%PDF-1.4 broken", PDF),
            "/loop.docx": Reply(LETTER, WORD),
            "/data.txt": Reply(f"see {site.url}/last.html".encode(), "text/plain"),
            "/last.html": b"<p>the end",
        }
        run = site.crawl(tmp_path / "run", topic="bees")
    slow.close()
    pages = {page.url.removeprefix(site.url): page for page in run.pages()}
    assert pages.keys() == site.pages.keys()
    assert pages["/paper.pdf"].title == "Bees"
    assert pages["/paper.pdf"].relevance is not None
    assert pages["/data.txt"].relevance is not None
    assert {error.partition(":")[0] for error in run.summary["errors"]} == {"unreadable pdf", "unreadable docx"}


def test_a_site_of_slow_documents_keeps_others_waiting_three_times(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[bytes] = []

    def ask(body: bytes) -> tuple[str, list[object]]:
        read.append(body)
        if body == b"slow":
            raise SandboxTimeoutError("took longer than 10 s")
        return "", []

    monkeypatch.setattr(to_html, "_reader", lambda kind: SimpleNamespace(ask=ask))
    sites = ["http://www.slow.example/"] * 3 + ["http://docs.slow.example/"] * 3 + ["http://other.example/"]
    answers = [Answer(url, 200, {"content-type": WORD}, b"slow" if "slow" in url else b"quick") for url in sites]

    async def errors() -> list[str]:
        queue = DocumentQueue()
        found = await asyncio.gather(*map(queue.read, answers))
        return [rendering.error for rendering in found if rendering]

    late, spared = "unreadable docx: took longer than 10 s", "unreadable docx: 3 documents of its site took too long"
    assert asyncio.run(errors()) == [late] * 3 + [spared] * 3 + [""]
    assert read == [b"slow"] * 3 + [b"quick"]


def test_the_page_of_the_docs_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    run_page("documents.md", tmp_path, monkeypatch)
    printed = capsys.readouterr().out
    assert "/talk.txt A talk about bees." in printed
    assert "/paper.docx All about bees, in a file of a word processor." in printed
    assert "/hidden.html No page links to this one." in printed

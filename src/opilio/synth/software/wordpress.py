"""After WordPress: posts by date and name, the same posts in many lists, a reply address for each comment, attachments."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import ClassVar

from .world import ON_A_PAGE, Made, Software, Thread, a, chunks, pager

IN_A_BLOG = 8  # posts in a list


class WordPress(Software):
    """?replytocom= shows the post again; months, categories, tags and authors list the posts, with the beginning of each."""

    target, second, content = "post", "attachment", ("post",)
    same: ClassVar[Mapping[str, str]] = {
        "reply": "post",
        "category": "list",
        "month": "list",
        "author": "list",
        "tag": "list",
        "index": "list",
    }

    def frame(self, title: str, body: str) -> str:
        world = self.world
        newest = "".join(f"<li>{a(self.post(t), t.title)}</li>" for t in world.threads[-5:])
        months = "".join(f"<li>{a(f'/2019/{n:02}/', n)}</li>" for n in range(1, 13))
        topics = "".join(f'<li class="cat-item">{a(f"/category/{n}/", t)}</li>' for n, t in enumerate(world.titles))
        return (
            f'<header class="site-header">{a("/", "Blog")}<nav><ul class="menu"><li>{a("/about/", "About")}</li>'
            f"<li>{a('/contact/', 'Contact')}</li></ul></nav></header>"
            f'<div class="content-area"><main class="site-main"><h1>{title}</h1>{body}</main></div>'
            f'<aside class="widget-area"><section class="widget"><ul>{newest}</ul></section>'
            f'<section class="widget"><ul>{months}</ul></section><section class="widget"><ul>{topics}</ul></section>'
            f"<section class='widget'><ul><li>{a('/wp-login.php', 'Log in')}</li></ul></section></aside>"
        )

    def post(self, thread: Thread, part: int = 0) -> str:
        return f"/2019/{1 + thread.number % 12:02}/{thread.slug}-{thread.number}/" + (
            f"comment-page-{part + 1}/" if part else ""
        )

    def teaser(self, thread: Thread) -> str:
        writer = thread.posts[0] % 12
        tags = "".join(a(f"/tag/{word}/", word) for word in thread.slug.split("-")[:2])
        return (
            f'<article class="post"><header><h2 class="entry-title">{a(self.post(thread), thread.title)}</h2>'
            f'<span class="posted-on">{a(self.post(thread), "3 May")}</span>'
            f'<span class="byline">{a(f"/author/{writer}/", writer)}</span></header>'
            f'<div class="entry-summary">{self.world.body(thread.number)}{a(self.post(thread), "more", "more-link")}</div>'
            f'<footer>{a(f"/category/{thread.board}/", "in")} <span class="tags">{tags}</span></footer></article>'
        )

    def pages(self) -> Iterator[Made]:
        world = self.world
        lists: list[tuple[str, str, str, list[Thread]]] = [("/", "index", "Blog", world.threads[::-1])]
        lists += [(f"/category/{n}/", "category", title, world.by_board[n]) for n, title in enumerate(world.titles)]
        lists += [
            (f"/2019/{month:02}/", "month", str(month), [t for t in world.threads if 1 + t.number % 12 == month])
            for month in range(1, 13)
        ]
        lists += [
            (f"/author/{writer}/", "author", str(writer), [t for t in world.threads if t.posts[0] % 12 == writer])
            for writer in range(12)
        ]
        tagged: dict[str, list[Thread]] = {}
        for thread in world.threads:
            for word in dict.fromkeys(thread.slug.split("-")[:2]):
                tagged.setdefault(word, []).append(thread)
        lists += [(f"/tag/{word}/", "tag", word, rows) for word, rows in tagged.items()]
        for path, kind, title, rows in lists:
            parts = chunks(rows, IN_A_BLOG)
            paths = [path + (f"page/{n + 1}/" if n else "") for n in range(len(parts))]
            for n, part in enumerate(parts):
                turn = f'<nav class="pagination">{pager(paths, n, "page-numbers")}</nav>'
                yield self.page(paths[n], kind, title, *map(self.teaser, part), turn)
        for thread in world.threads:
            yield from self._post(thread)
        for path in ("/about/", "/contact/"):
            yield self.page(path, "text", path, world.body(path), world.body(path, 2))
        yield from self.refusals(["/wp-login.php"])

    def _post(self, thread: Thread) -> Iterator[Made]:
        world, number = self.world, thread.number
        pictures = [f"{self.post(thread)}image-{n}/" for n in range(number % 3)]
        shown = "".join(f"<figure>{a(path, '<img src=/x.jpg>')}</figure>" for path in pictures)
        near = [world.threads[n] for n in (number - 2, number) if 0 <= n < len(world.threads)]
        around = "".join(f'<div class="nav-links">{a(self.post(t), t.title)}</div>' for t in near)
        tags = "".join(a(f"/tag/{word}/", word) for word in thread.slug.split("-")[:2])
        text = (
            f'<article class="post"><div class="entry-meta">{a(f"/author/{thread.posts[0] % 12}/", "by")}</div>'
            f'<div class="entry-content">{world.body(number)}{world.body(number, "more")}{shown}</div>'
            f'<footer class="entry-footer">{a(f"/category/{thread.board}/", "in")} {tags}</footer></article>'
            f'<nav class="post-navigation">{around}</nav>'
        )
        replies = thread.posts[1:]
        parts = max(1, -(-len(replies) // ON_A_PAGE))
        paths = [self.post(thread, n) for n in range(parts)]
        for n in range(parts):
            places = range(n * ON_A_PAGE, min((n + 1) * ON_A_PAGE, len(replies)))
            comments = "".join(self._comment(thread, place) for place in places)
            body = (
                f'{text}<ol class="comment-list">{comments}</ol><nav class="comment-navigation">{pager(paths, n)}</nav>'
            )
            yield self.page(paths[n], "post", thread.title, body)
            for place in places:
                yield self.page(f"{paths[0]}?replytocom={number * 100 + place}", "reply", thread.title, body)
        for path in pictures:
            picture = f'<div class="attachment"><img src="/x.jpg"></div><p>{a(self.post(thread), "back")}</p>'
            yield self.page(path, "attachment", f"image of {thread.title}", picture)

    def _comment(self, thread: Thread, place: int) -> str:
        return (
            f'<li class="comment"><div class="comment-author">{self.world.names[thread.posts[place + 1]]}</div>'
            f'<div class="comment-content">{self.world.body(thread.number, place + 1)}</div><div class="reply">'
            f"{a(f'{self.post(thread)}?replytocom={thread.number * 100 + place}', 'Reply', 'comment-reply-link')}</div></li>"
        )

"""After a web shop: products in several categories, sorted and filtered lists, baskets, reviews by customers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import ClassVar

from .world import Made, Software, Thread, a, chunks, pager

SORTS = ("price", "name", "rating")


class Shop(Software):
    """Products are the target; reviews of them have pages of their own."""

    target, second, content = "product", "review", ("product", "review")
    same: ClassVar[Mapping[str, str]] = {"sorted": "category"}

    def frame(self, title: str, body: str) -> str:
        menu = "".join(
            f'<li class="nav-item">{a(self.category(n, 0), t, "nav-link")}</li>'
            for n, t in enumerate(self.world.titles)
        )
        return (
            f'<header><a class="brand" href="/">Shop</a><a class="basket" href="/basket">0</a></header><nav><ul>{menu}</ul></nav>'
            f"<main><h1>{title}</h1>{body}</main><footer><a href='/terms'>Terms</a> <a href='/returns'>Returns</a></footer>"
        )

    def category(self, number: int, part: int, sort: str = "") -> str:
        query = "&".join([f"sort={sort}"] * bool(sort) + [f"page={part + 1}"] * bool(part))
        return f"/c/{number + 1}-{self.world.titles[number].lower().replace(' ', '-')}" + (f"?{query}" if query else "")

    def product(self, thread: Thread) -> str:
        return f"/p/{thread.slug}-{thread.number}"

    def tile(self, thread: Thread) -> str:
        return (
            f'<div class="tile"><a href="{self.product(thread)}"><img src="/i/{thread.number}.jpg"></a>'
            f"<div>{a(self.product(thread), thread.title)}</div><div>{a(f'/basket?add={thread.number}', 'Buy')}</div>"
            f"<div>{a(f'/compare?id={thread.number}', 'Compare')}</div></div>"
        )

    def pages(self) -> Iterator[Made]:
        world = self.world
        yield self.page("/", "index", "Welcome", '<div class="grid">', *map(self.tile, world.threads[-12:]), "</div>")
        for number, products in enumerate(world.by_board):
            for sort in ("", *SORTS):
                parts = chunks(sorted(products, key=lambda product: product.title) if sort else products)
                paths = [self.category(number, n, sort) for n in range(len(parts))]
                for n, part in enumerate(parts):
                    sorts = " ".join(a(self.category(number, 0, word), word) for word in SORTS)
                    body = (
                        f'<p>{sorts}</p><div class="grid">{"".join(map(self.tile, part))}</div><p>{pager(paths, n)}</p>'
                    )
                    yield self.page(paths[n], "sorted" if sort else "category", world.titles[number], body)
        for product in world.threads:
            yield from self._product(product)
        yield self.page("/basket", "basket", "Basket", "<form><p>Nothing yet.</p></form>")
        yield self.page("/terms", "text", "Terms", world.body("terms"), world.body("more"))
        yield self.page("/returns", "text", "Returns", world.body("returns"))

    def _product(self, product: Thread) -> Iterator[Made]:
        world, number = self.world, product.number
        like = world.by_board[product.board][number % 20 : number % 20 + 4]
        facts = "".join(
            f"<tr><th>{word}</th><td>{number % 17}</td></tr>" for word in ("Weight", "Size", "Colour")[: 2 + number % 2]
        )
        reviews = f"/p/{product.slug}-{number}/reviews"
        body = (
            f'<div class="gallery">{"<img src=/b.jpg>" * (1 + number % 3)}</div><div class="buy"><b>{number % 90}</b>'
            f"{a(f'/basket?add={number}', 'Buy')}</div>{world.body(number)}<table>{facts}</table>"
            f"<div>{a(reviews, f'{len(product.posts)} reviews')}</div>"
        )
        yield self.page(
            self.product(product), "product", product.title, body, '<div class="grid">', *map(self.tile, like), "</div>"
        )
        reviews_html = "".join(
            f'<div class="review"><b>{world.names[user]}</b>{world.body(number, user)}</div>'
            for user in product.posts[:20]
        )
        yield self.page(reviews, "review", product.title, f"<p>{a(self.product(product), 'Back')}</p>{reviews_html}")
        yield Made(f"/basket?add={number}", "redirect", target="/basket")
        yield self.page(
            f"/compare?id={number}",
            "compare",
            "Compare",
            f"<table><tr><td>{a(self.product(product), product.title)}</td></tr></table>",
        )

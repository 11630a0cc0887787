"""What a site itself calls its pages: in schema.org and og:type, in the words of its addresses, in the classes of <body>."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection

LIST = "list"
MANY = 5  # things of one kind on a page, from which it is a list of them
LONGEST = 1 << 20  # bytes of a page that are looked at
LEAST_KEY = 4  # letters of a name in a query: t= says what a page is about, not what it is
LEAST_LETTERS = 5  # of a word that is known inside another, as in showthread

# What words in addresses mean, in several languages. A word with a name or a number after it is one thing, else a list of such.
WORDS = {
    "profile": """u user users member members profile profiles people person author authors benutzer mitglied mitglieder
        nutzer profil utilisateur utilisateurs membre membres auteur usuario usuarios miembro miembros perfil
        autor utente utenti profilo gebruiker gebruikers leden anvandare uzytkownik kullanici viewprofile""",
    "thread": """t thread threads topic topics discussion discussions talk thema themen diskussion sujet sujets hilo hilos
        tema temas discussione discussioni onderwerp topico topicos konu tema""",
    "question": "q question questions frage fragen pregunta preguntas domanda domande vraag",
    "product": "product products produkt produkte produit produits producto productos prodotto prodotti produto produtos",
    "article": """article articles blog news story stories wiki nachrichten noticia noticias actualites articolo articoli
        artigo nieuws nyheter""",
    "post": "post posts beitrag beitraege",
    "item": "item items",
    "review": "review reviews bewertung bewertungen avis recensione recensioni resena resenas",
    "picture": "photo photos image images picture pictures attachment foto fotos bild bilder",
    "video": "video videos watch",
    "event": "event events veranstaltung veranstaltungen evento eventos evenement",
    "job": "job jobs stellenangebote emploi empleo",
    "recipe": "recipe recipes rezept rezepte recette receta ricetta",
    "form": """login signin signup register registration reply newreply newthread edit contact password lostpassword
        compose anmelden registrieren kontakt connexion inscription registro accedi entrar""",
    "print view": "print printable printthread printer drucken druckansicht imprimer imprimir stampa",
    "search page": "search suche suchen recherche buscar busqueda cerca ricerca zoeken sok",
    "calendar": "calendar kalender calendrier calendario",
    "history": "history revisions revision versionen historique historial",
    "comparison": "compare comparison vergleich comparer comparar",
    LIST: """c forum forums board boards category categories tag tags tagged archive archives list memberlist userlist
        section kategorie kategorien categorie categoria categorias etiqueta rubrik rubrique seccion taxonomy""",
}
KINDS = {word: kind for kind, words in WORDS.items() for word in words.split()}
WITHIN = sorted((word for word in KINDS if len(word) >= LEAST_LETTERS), key=len, reverse=True)

# schema.org, the more telling first: people are named on pages of all kinds.
SCHEMA = {
    "QAPage": "question", "DiscussionForumPosting": "thread", "SearchResultsPage": "search page", "CollectionPage": LIST,
    "Product": "product", "Recipe": "recipe", "JobPosting": "job", "Event": "event", "NewsArticle": "article",
    "BlogPosting": "article", "TechArticle": "article", "ScholarlyArticle": "article", "Article": "article",
    "ProfilePage": "profile", "Person": "profile",
}  # fmt: skip
OPEN_GRAPH = {"profile": "profile", "product": "product", "video": "video"}  # "article" is said of pages of all kinds
TYPE = re.compile(r'"@type"\s*:\s*"(\w+)"|itemtype\s*=\s*["\']?https?://schema\.org/(\w+)', re.IGNORECASE)
META, BODY = (re.compile(rf"<{name}\b([^<>]*)", re.IGNORECASE) for name in ("meta", "body"))
CONTENT = re.compile(r"content\s*=\s*[\"'](?:og:)?(\w+)", re.IGNORECASE)
CLASSES = re.compile(r"\bclass\s*=\s*[\"']([^\"']*)", re.IGNORECASE)
NUMBER = re.compile(r"\d+")
WORD = re.compile(r"[a-z]+(?:-[a-z]+)*")
NAME = re.compile(r"[a-z#%]")
MADE = re.compile(r"\.(?:html?|php\d?|aspx?|jsp|cgi)\b")  # by which program or in which format: no name
LATER = re.compile(
    r"[^/?&]{0,40}(?:page|start|offset|seite|pagina)[^/?&#]{0,20}[=/_-]?#[^/?&]*"
)  # later pages of anything
PART = re.compile(r"[*#][^/]*/[a-z]{3,}[^*#]*$")
DATES = re.compile(r"(?:^|/)#/#/(?:#/)?[a-z]")  # year and month, then a name: as blogs have it


def declared(body: bytes) -> str:
    """The kind of page that schema.org or og:type says it is; "" if they are silent."""
    source = body[:LONGEST].decode("latin-1")
    types = Counter(one or other for one, other in TYPE.findall(source))
    for name, kind in SCHEMA.items():
        if name in types:
            return LIST if types[name] >= MANY and kind != "thread" else kind
    found = next((CONTENT.search(rest) for rest in META.findall(source) if "og:type" in rest), None)
    return OPEN_GRAPH.get(found[1], "") if found else ""


def of_body(body: bytes) -> str:
    """The kind that the classes of <body> speak of, if they speak of one only."""
    tag = BODY.search(body[:LONGEST].decode("latin-1"))
    found = CLASSES.search(tag[1]) if tag else None
    words = re.findall(r"[a-z]+", found[1].lower()) if found else []
    kinds = {KINDS[word] for word in words if len(word) >= LEAST_LETTERS and word in KINDS}
    return kinds.pop() if len(kinds) == 1 else ""


def addressed(url: str, usual: Collection[str] = ()) -> tuple[str, bool]:
    """The kind that an address speaks of ("" if none), and whether it is about one of them, not a list.

    The last word that is known counts, names in queries if there is no other; `usual` are words that all of the site has.
    """
    path, _, query = LATER.sub("", NUMBER.sub("#", url.partition("://")[2].partition("/")[2].lower())).partition("?")
    pairs = [part.partition("=") for part in query.split("&")] if query else []
    values = "/".join(value for *_, value in pairs)
    keys = "/".join(key for key, *_ in pairs if len(key) >= LEAST_KEY)
    for text, named in ((f"{path}/{values}", ""), (keys, values)):
        known = [found for found in WORD.finditer(text) if found[0] not in usual and _kind(found[0])]
        if known:
            after = MADE.sub("", text[known[-1].end() :]) + named
            return _kind(known[-1][0]), NAME.search(after) is not None
    return ("article", True) if DATES.search(path) else ("", False)


def _kind(word: str) -> str:
    inner = word if word.count("-") <= 1 else ""  # names of more words are titles
    return KINDS.get(word) or next((KINDS[known] for known in WITHIN if known in inner), "")


def part_of_one(rule: str) -> bool:
    """Whether a rule of URLs has a word after the name, as in user/#/posts: a part of what is about one thing, maybe a list."""
    return PART.search(MADE.sub("", rule.partition("/")[2].partition("?")[0])) is not None

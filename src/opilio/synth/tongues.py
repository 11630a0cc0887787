"""Languages of the synthetic web: real function words and menu words, and syllables to make up all other words from."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Tongue:
    """How words of one language are made and put together."""

    code: str
    stops: tuple[str, ...]
    heads: tuple[str, ...]  # syllables: first, middle, last
    cores: tuple[str, ...]
    tails: tuple[str, ...]
    common: tuple[str, ...]  # real words that any page may hold
    menu: tuple[str, ...]  # home, about, archive, next, previous, click here, read more, comments, by
    genre: tuple[str, ...]  # news, blog, image, video
    charsets: tuple[str, ...]  # older ones that some sites still use
    glue: str = " "  # between words
    full_stop: str = ". "
    comma: str = ", "
    most: int = 3  # syllables of an invented word


def _tongue(
    code: str,
    stops: str,
    syllables: tuple[str, str, str],
    common: str,
    menu: str,
    genre: str,
    charsets: str,
    spaced: bool = True,
    most: int = 3,
) -> Tongue:
    heads, cores, tails = (tuple(part.split()) for part in syllables)
    phrases = tuple(part.strip() for part in menu.split(","))
    words = (tuple(stops.split()), heads, cores, tails, tuple(common.split()), phrases, tuple(genre.split()))
    marks = (" ", ". ", ", ") if spaced else ("", "。", "、")
    return Tongue(code, *words, tuple(charsets.split()), *marks, most=most)


_ENGLISH = _tongue(
    "en",
    "the of and to in a is that it was for on are with as at be this have from or by not but what all were when"
    " we there"
    " can an your which their if will each about how up out them then some would into has more two so no only"
    " than other",
    (
        "bar cor dal fen gar hol kin lam mor nor pel quil ran sel tor ver wen thor bran cress stan whit",
        "a er ing en o ath il ow and est ab om ick ell ur",
        "ton ley ing er ness worth ment ling ish dale ware sby ham et ock ry ster",
    ),
    "time people year way day thing world life hand part place week case point company number group problem"
    " fact water"
    " house home side area story money month book eye job word business issue night name line end city member"
    " law car team"
    " minute idea kid body information back parent face level office door person art war history party result change",
    "Home, About, Archive, next, previous, click here, read more, Comments, by",
    "news blog image video",
    "windows-1252",
)
_GERMAN = _tongue(
    "de",
    "der die und in den von zu das mit sich des auf für ist im dem nicht ein eine als auch es an werden aus er"
    " hat dass sie"
    " nach wird bei einer um am sind noch wie einem über einen so zum war haben nur oder aber vor zur bis mehr"
    " durch man",
    (
        "schw ber kr ver ge trau stein wald br fl gr zw hof mül berg schl küh dorf ent pf",
        "a ei eu ü au e ie ö ä o u",
        "ung heit keit lich chen bach tal haus stück werk ler schaft nis ker feld zeug",
    ),
    "Zeit Jahr Mensch Tag Land Haus Stadt Frage Leben Kind Welt Arbeit Teil Wasser Weg Seite Wort Bild Ende Geschichte",
    "Startseite, Über uns, Archiv, weiter, zurück, hier klicken, mehr lesen, Kommentare, von",
    "Nachrichten Blog Bild Video",
    "windows-1252 iso-8859-15",
)
_FRENCH = _tongue(
    "fr",
    "de la le et les des en un du une que est pour qui dans a par plus pas au sur ne se ce il sont la avec ont"
    " aux d'un ses"
    " cette son mais comme nous ou si leur y dont elle deux ces même aussi bien peut tout fait sans entre être"
    " lui après",
    (
        "bou chan mar vil bel fon gra lu mou pré roi sau tré cha dou fleu gen jar mé pon",
        "a ai é eau ou in on è oi an ille",
        "ment tion eur ette age ière ois ard elle ence ille aux eux ain ique",
    ),
    "temps jour année homme femme monde vie main chose pays ville eau maison mot histoire nuit lettre place"
    " point travail",
    "Accueil, À propos, Archives, suivant, précédent, cliquez ici, lire la suite, Commentaires, par",
    "actualités blog image vidéo",
    "windows-1252 iso-8859-1",
)
_SPANISH = _tongue(
    "es",
    "de la que el en y los del se las por un para con no una su al lo como más pero sus le ya este sí porque esta"
    " entre cuando muy sin sobre también hasta hay donde quien desde todo nos durante ellos uno les ni contra ese eso"
    " es está fue son había ser tiene hacer ella nosotros mismo años después aquí",
    (
        "cal ber mon cue lle man pie que ras señ tier vie gua her jue llan mar nue pal niñ",
        "a e i o ie ue en an ar er",
        "ción dad ero illo ada dores iento ura ista ito aje eza ones anza iendo",
    ),
    "tiempo año día vida hombre mundo casa parte agua lugar mano ciudad historia noche palabra trabajo gobierno"
    " pueblo caso",
    "Inicio, Acerca de, Archivo, siguiente, anterior, haga clic aquí, leer más, Comentarios, por",
    "noticias blog imagen vídeo",
    "windows-1252 iso-8859-1",
)
_JAPANESE = _tongue(
    "ja",
    "の は に を が と で も から まで より この その という です ます した ない ある いる こと もの ため よう"
    " へ や など また",
    (
        "山 川 森 雪 火 水 木 金 石 海 空 花 鳥 風 月 星 光 音 色 道 町 村 島 橋 門 船 車 糸 紙 布",
        "ら り る れ ろ か き く け こ 田 野 原 谷 沢 本 中 上 下",
        "さ し す せ そ ま み む め も 手 目 口 人 子 物 所 場 方 者 家",
    ),
    "時間 人々 今年 世界 生活 場所 問題 会社 歴史 言葉 仕事 都市 大学 研究 情報 結果 方法 自分",
    "ホーム, このサイトについて, 過去の記事, 次へ, 前へ, こちら, 続きを読む, コメント, 著者",
    "ニュース ブログ 画像 動画",
    "shift_jis euc-jp",
    spaced=False,
    most=2,
)
_CHINESE = _tongue(
    "zh",
    "的 是 在 了 和 有 我 不 这 他 也 就 人 都 一个 上 们 到 说 要 去 你 会 着 没有 看 自己 那 它 而 与 及 对 等 中",
    (
        "山 河 林 雪 火 水 木 金 石 海 天 花 鸟 风 月 星 光 声 色 路 镇 村 岛 桥 门 船 车 丝 纸 布",
        "大 小 高 长 新 老 红 白 青 黑 东 西 南 北 心",
        "手 目 口 子 物 所 场 方 者 家 学 器 品 力 法 度 性 化 员 机",
    ),
    "时间 人们 今年 世界 生活 地方 问题 公司 历史 语言 工作 城市 大学 研究 信息 结果 方法",
    "首页, 关于我们, 归档, 下一页, 上一页, 点击这里, 阅读更多, 评论, 作者",
    "新闻 博客 图片 视频",
    "gb18030 gbk",
    spaced=False,
    most=2,
)
_VIETNAMESE = _tongue(
    "vi",
    "và của là có trong được cho một các không với những này đã người để khi về đó từ như tôi cũng ra vào lại"
    " nhưng rất sẽ"
    " phải nhiều đến thì trên nên theo còn bị vì hay nếu mà ở sau chỉ cùng",
    (
        "nướ đườ trư thà bệ ngh kh ph tr qu gi ch nh l m b đ",
        "ư ơ ê â ă o ô a i u",
        "ng nh c t n m p i u y ờng ước ạnh ổi ấy",
    ),
    "thời gian năm ngày nhà nước thành phố công việc con người thế giới cuộc sống lịch sử trường học bạn tay nghề",
    "Trang chủ, Giới thiệu, Lưu trữ, tiếp theo, trước, bấm vào đây, đọc thêm, Bình luận, bởi",
    "tin-tức blog hình-ảnh video",
    "utf-8",
    most=1,
)

TONGUES: tuple[Tongue, ...] = (_ENGLISH, _GERMAN, _FRENCH, _SPANISH, _JAPANESE, _CHINESE, _VIETNAMESE)
GENRES = ("news", "blog", "image", "video")  # in the order of Tongue.genre; "other" has no word of its own

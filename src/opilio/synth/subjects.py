"""What the synthetic web is about: areas, their topics, and real words that occur on the pages of each topic."""

from __future__ import annotations

_TREE = {
    "nature": {
        "beekeeping": "honey hive bees swarm queen nectar pollen apiary drone comb smoker wax",
        "glaciers": "ice moraine crevasse icefield meltwater snowline firn calving fjord moulin glacial ablation",
        "volcanoes": "lava magma crater eruption ash caldera basalt tephra vent plume pumice lahar",
        "mushrooms": "spores fungi mycelium chanterelle gills truffle porcini cap stem forage amanita bolete",
    },
    "technology": {
        "robotics": "robot actuator gripper servo sensor kinematics manipulator gear automation controller joint drone",
        "telescopes": "lens mirror aperture eyepiece refractor galaxy nebula mount observatory focal star reflector",
        "batteries": "lithium cathode anode cell charge electrolyte voltage charger capacity energy cycle separator",
        "compilers": "parser syntax token grammar optimizer bytecode register linker code compiler lexer backend",
    },
    "arts": {
        "pottery": "clay kiln glaze wheel ceramic stoneware potter slip porcelain firing bowl earthenware",
        "opera": "aria soprano tenor libretto orchestra overture stage baritone conductor singer chorus score",
        "calligraphy": "brush ink nib script stroke letter paper pen flourish serif manuscript alphabet",
        "puppetry": "puppet marionette string stage theatre glove shadow puppeteer mask rod costume show",
    },
    "sports": {
        "rowing": "oar boat scull regatta cox stroke eight crew river blade rower catch",
        "climbing": "rope crag boulder harness belay route summit grip chalk carabiner rock climber",
        "fencing": "foil epee sabre parry lunge riposte blade mask piste duel touch fencer",
        "cycling": "bike wheel saddle peloton pedal gear race helmet sprint rider tyre climb",
    },
    "food": {
        "cheese": "milk rennet curd cheddar rind brie whey goat cellar dairy wheel blue",
        "bread": "flour yeast dough sourdough loaf oven crust bake rye baker starter wheat",
        "coffee": "espresso roast bean grinder barista brew crema filter arabica cup latte aroma",
        "chocolate": "cocoa cacao praline truffle ganache bean butter sugar bitter bar conching dark",
    },
    "history": {
        "vikings": "longship norse saga rune raid fjord chieftain axe shield settlement jarl burial",
        "castles": "moat tower keep drawbridge siege knight wall fortress dungeon gate lord rampart",
        "railways": "locomotive steam track station signal engine carriage train gauge freight boiler tunnel",
        "lighthouses": "lamp lens beacon keeper tower coast shipwreck fog reef harbour lantern sailor",
    },
}

AREAS: tuple[str, ...] = tuple(_TREE)
TOPICS: tuple[str, ...] = tuple(f"{area}/{name}" for area, names in _TREE.items() for name in names)
NAMES: tuple[str, ...] = tuple(topic.split("/")[1] for topic in TOPICS)
WORDS: tuple[tuple[str, ...], ...] = tuple(
    (name, *words.split()) for names in _TREE.values() for name, words in names.items()
)
NONE = -1  # the number of "no topic at all"; topics are numbered from 0 in the order of TOPICS
PER_AREA = len(TOPICS) // len(AREAS)


def area_of(topic: int) -> int:
    return topic // PER_AREA


def siblings(topic: int) -> range:
    """The topics of the same area, itself among them."""
    first = area_of(topic) * PER_AREA
    return range(first, first + PER_AREA)


def label(topic: int) -> str:
    """ "area/topic", or "" for none."""
    return TOPICS[topic] if topic >= 0 else ""

import AtriumKit

enum MockEntityData {
    /// Forty-six household items in eight categories, two without one; created an hour apart.
    static let usual = entities([
        ("Blue lamp", "lighting", "Stands by the reading chair."),
        ("Desk lamp", "lighting", "Needs a new bulb (E14)."),
        ("Paper lantern", "lighting", nil),
        ("Candle holder", "lighting", "Brass, a pair."),
        ("Floor lamp", "lighting", "Three levels of light."),
        ("String lights", "lighting", "For the balcony."),
        ("Red chair", "seats", "The leg on the left is loose."),
        ("Rocking chair", "seats", nil),
        ("Bar stool", "seats", "One of two."),
        ("Sofa", "seats", "Three seats, grey."),
        ("Footstool", "seats", nil),
        ("Garden bench", "seats", "Oil it every spring."),
        ("Oak table", "tables", "Seats six."),
        ("Coffee table", "tables", nil),
        ("Writing desk", "tables", "Drawer key is in the drawer."),
        ("Side table", "tables", nil),
        ("Workbench", "tables", "Bolted to the wall."),
        ("Bookshelf", "storage", "Five shelves, full."),
        ("Wardrobe", "storage", nil),
        ("Chest of drawers", "storage", "From the flea market."),
        ("Shoe rack", "storage", nil),
        ("Spice rack", "storage", "Alphabetical."),
        ("Filing cabinet", "storage", "Taxes since 2014."),
        ("Persian rug", "textiles", "2 m by 3 m."),
        ("Wool blanket", "textiles", nil),
        ("Linen curtains", "textiles", "Wash at 30 °C."),
        ("Cushion", "textiles", "Green velvet."),
        ("Table cloth", "textiles", nil),
        ("Espresso machine", "kitchen", "Descale in March."),
        ("Kettle", "kitchen", nil),
        ("Cast-iron pan", "kitchen", "Never soap."),
        ("Chef's knife", "kitchen", "Sharpened last week."),
        ("Cutting board", "kitchen", nil),
        ("Toaster", "kitchen", "Level 3 is right."),
        ("Mixing bowl", "kitchen", "Set of three."),
        ("Monstera", "plants", "Water on Sundays."),
        ("Cactus", "plants", nil),
        ("Olive tree", "plants", "Indoors below 0 °C."),
        ("Basil", "plants", "On the window sill."),
        ("Fern", "plants", "Likes shade."),
        ("Record player", "electronics", "33 and 45."),
        ("Radio", "electronics", nil),
        ("Projector", "electronics", "Lamp: 1,200 hours left."),
        ("Loudspeaker", "electronics", "One of two."),
        ("Umbrella", nil, "Lost twice, found twice."),
        ("Box of cables", nil, nil),
    ])

    /// The entities of scenario `edge`: longest values, none, other scripts, texts that look like syntax.
    static let edge = entities([
        (
            String(repeating: "W", count: 200),
            String(repeating: "w", count: 100),
            String(repeating: "lorem ipsum ", count: 800)
        ),
        ("x", nil, nil),
        ("青いランプ", "照明", "机の上にあります。"),
        ("蓝色的灯", "照明", nil),
        ("Żółta Łódź", "ŁODZIE", "zażółć gęślą jaźń"),
        ("żółta łódź", "łodzie", nil),
        ("מנורה כחולה", "תאורה", "نص من اليمين إلى اليسار"),
        ("👩‍👩‍👧‍👦 family 🏳️‍🌈", "🪑", "🔦🔦🔦"),
        ("e\u{301} decomposed", "caf\u{e9}", "é composed"),
        ("100% of_everything", "a/b?c=d&e#f", "'; DROP TABLE entities; --"),
        ("\"quoted\" \\ 'twice'", "{\"json\": [1]}", "one line\nanother line\ta tab"),
        ("İstanbul ıstakoz ß ẞ", nil, "Σίσυφος"),
    ])

    private static func entities(_ texts: [(name: String, category: String?, notes: String?)]) -> [Entity] {
        texts.enumerated().map { index, text in
            let moment = Timestamp(microseconds: 1_767_258_000_000_000).adding(seconds: 3_600 * index)
            return Entity(
                name: text.name, category: text.category, notes: text.notes, createdAt: moment,
                updatedAt: moment)
        }
    }
}

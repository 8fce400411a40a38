import AtriumKit

/// An item that users keep track of.
struct Item: Record {
    var id = 0
    var name = ""
    var category: String?
    var quantity = 1
    var archived = false

    static let link = "__LINK__"

    /// To change the table of a released version, add `.added(in: 2)` to a new field, see the page "Records".
    static let fields: Fields<Item> = [
        RecordField("name", "Its name", \.name, .length(1...100), .searched, .sorted),
        RecordField("category", "Its category", \.category, .length(0...50), .searched, .filtered),
        RecordField("quantity", "The number in stock", \.quantity, .range(0...9_999), .sorted),
        RecordField("archived", "True if it can't be edited", \.archived, .readOnly),
    ]
}

import AtriumKit

/// A guest who was greeted.
struct Guest: Record {
    var id = 0
    var name = ""

    static let link = "__LINK__/guests"
    static let fields: Fields<Guest> = [RecordField("name", "The guest's name", \.name, .length(1...20))]
}

import AtriumKit

/// Links of places: for people one after the other, for programs a list.
struct LinkList: Displayable {
    let links: [String]

    var displayText: String { links.joined(separator: ", ") }
    var json: JSONValue { .array(links.map { .string($0) }) }
}

internal import AtriumKit

/// Names as a list: with commas for people, as an array for programs.
struct NameList: Displayable {
    let names: [String]

    init(_ names: [String]) {
        self.names = names
    }

    var displayText: String { names.joined(separator: ", ") }
    var json: JSONValue { .array(names.map { .string($0) }) }
}

import AtriumKit

extension Item {
    /// The items of environment mock.
    static let samples = [
        Item(name: "Blue lamp", category: "Lighting", quantity: 2),
        Item(name: "Desk", category: "Furniture"),
        Item(name: "Old chair", category: "Furniture", quantity: 4, archived: true),
    ]
}

import AtriumKit

/// The settings in `modules.json`.
struct NumberSettings: Hashable, Sendable {
    var firstNumber = 1

    init() {}

    /// - Throws: ``ServiceError`` if a value has the right type but is not allowed.
    init(_ configuration: Configuration) throws {
        firstNumber = configuration.int("firstNumber") ?? firstNumber
        guard (0...1_000_000).contains(firstNumber) else {
            throw ServiceError(
                "badConfiguration", "__NAME__ can't begin with the number \(firstNumber).",
                hint: "Set \"firstNumber\" of module __NAME__ in modules.json to 0 to 1000000.")
        }
    }
}

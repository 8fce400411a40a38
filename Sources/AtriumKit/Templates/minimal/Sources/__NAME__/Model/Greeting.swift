import AtriumKit

/// A greeting for one name.
struct Greeting: Hashable, Sendable {
    let text: String
}

extension ServiceError {
    static let noName = ServiceError(
        .validation, "A name is needed to greet somebody.", category: .validation)
}

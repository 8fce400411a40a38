import AtriumKit

extension ServiceError {
    static func noItem(_ id: Int) -> ServiceError {
        ServiceError(.notFound, "There is no item \(id).", hint: "__LINK__")
    }

    static func noCategory(_ name: String, nearest: String?) -> ServiceError {
        ServiceError(
            .notFound, "No item is in a category '\(name)'.", hint: nearest.map { "Did you mean '\($0)'?" })
    }

    static let itemIsBeingSaved = ServiceError("isBeingSaved", "The item is being saved already.")
}

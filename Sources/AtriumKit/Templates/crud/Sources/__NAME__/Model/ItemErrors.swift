import AtriumKit

extension ServiceError {
    static func noItem(_ id: Int) -> ServiceError {
        ServiceError(.notFound, "There is no item \(id).", hint: "__LINK__")
    }

    static func noCategory(_ name: String, nearest: String?) -> ServiceError {
        ServiceError(
            .notFound, "No item is in a category '\(name.excerpt)'.",
            hint: nearest.map { "Did you mean '\($0)'?" })
    }

    static func archived(_ item: Item) -> ServiceError {
        ServiceError("archived", "'\(item.name)' is archived.", hint: "__LINK__/\(item.id) restore")
    }

    static let itemIsBeingSaved = ServiceError("isBeingSaved", "The item is being saved already.")
}

import AtriumKit

extension RecordRules<Item> {
    /// An archived item is neither edited nor deleted until it is restored.
    static let items = RecordRules {
        $0.beforeUpdate = { item, former in
            if former.archived, item.archived { throw ServiceError.archived(item) }
        }
        $0.beforeDelete = { item in
            if item.archived { throw ServiceError.archived(item) }
        }
    }
}

extension ServiceError {
    static func archived(_ item: Item) -> ServiceError {
        ServiceError("archived", "'\(item.name)' is archived.", hint: "__LINK__/\(item.id) restore")
    }
}

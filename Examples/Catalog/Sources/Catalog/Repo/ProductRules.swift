import AtriumKit

extension RecordRules<Product> {
    /// What can be bought is not deleted: another module may be selling it.
    static let products = RecordRules {
        $0.beforeDelete = { product in
            if product.availability == .available { throw ServiceError.onSale(product) }
        }
    }
}

extension ServiceError {
    static func onSale(_ product: Product) -> ServiceError {
        ServiceError(
            "onSale", "'\(product.name)' is not sold out.", hint: "catalog mark \(product.id) sold-out")
    }
}

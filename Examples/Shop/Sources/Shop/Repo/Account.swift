import AtriumKit

extension SessionWriter {
    /// The account that has the wallet and the orders.
    var account: String {
        get throws {
            guard let user else { throw ServiceError.notAuthenticated }
            return user.id
        }
    }
}

extension RecordService {
    /// Returns all records of an account, in order of id.
    func records(of account: String) async throws -> [Item] {
        var query = RecordQuery<Item>()
        (query.filters["account"], query.sort, query.size) = (account, nil, 500)
        var found: [Item] = []
        while true {
            let page = try await page(query)
            found += page.rows
            if page.rows.isEmpty || found.count >= page.total { return found }
            query.page += 1
        }
    }
}

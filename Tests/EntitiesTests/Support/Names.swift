import AtriumTesting

@testable import AtriumKit
@testable import Entities

// Records of entities, under short names.

typealias EntityChanges = RecordChanges<Entity>
typealias EntityDraft = Entity
typealias EntityFile = RecordFile<Entity>
typealias EntityListing = RecordListing<Entity>
typealias EntityModel = RecordModel<Entity>
typealias EntityPage = RecordPage<Entity>
typealias EntityQuery = RecordQuery<Entity>
typealias EntityRepository = RecordRepository<Entity>
typealias EntityRow = RecordRow<Entity>
typealias EntitySort = RecordSort
typealias EntityWindow = RecordWindow<Entity>
typealias CategoryList = RecordValues
typealias CategorySort = RecordValuesSort
typealias CategoryQuery = RecordValuesQuery
typealias EntityCategory = RecordFieldValue

extension RecordSort {
    static let name = RecordSort(field: "name")
    static let nameDescending = RecordSort(field: "name", isDescending: true)
    static let newest = RecordSort(field: "createdAt", isDescending: true)
    static let oldest = RecordSort(field: "createdAt")
    static let allCases = [name, nameDescending, newest, oldest]

    var rawValue: String { text(of: Entity.self) }
}

extension RecordQuery<Entity> {
    init(
        page: Int = 1, size: Int = 20, sort: RecordSort = .name, category: String? = nil,
        search: String? = nil
    ) {
        self.init()
        (self.page, self.size, self.sort) = (page, size, sort)
        self.search = search
        filters["category"] = category
    }

    var category: String? { filters["category"] }
}

extension RecordValuesQuery {
    init(sort: RecordValuesSort = .name, limit: Int = 50) {
        self.init(field: "category", sort: sort, limit: limit)
    }
}

extension RecordChanges<Entity> {
    /// Changes without a check; an empty text removes a value.
    init(name: String? = nil, category: String? = nil, notes: String? = nil) {
        let record = Entity(
            name: name ?? "", category: category?.nilIfEmpty, notes: notes?.nilIfEmpty)
        let names = [name.map { _ in "name" }, category.map { _ in "category" }, notes.map { _ in "notes" }]
        self.init(record, fields: Set(names.compactMap(\.self)))
    }
}

extension RecordListDestination<Entity> {
    init(
        page: Int? = nil, size: Int? = nil, sort: RecordSort? = nil, category: String? = nil,
        search: String? = nil
    ) {
        self.init()
        (self.page, self.size, self.sort, self.search) = (page, size, sort?.rawValue, search)
        filters["category"] = category
    }
}

extension ServiceError {
    static let unavailable: ServiceError = .unavailable("The entity service", mock: "EntityService")

    static func notFound(_ id: Int) -> ServiceError { .noRecord(Entity.self, id) }
}

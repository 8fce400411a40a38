import AtriumKit
import Observation

/// A list of entities: which page of which list is shown, and creating one more.
@MainActor
@Observable
final class EntityListViewModel: ViewModel {
    /// What is listed; kept with the stack entry.
    private(set) var query: EntityQuery
    private(set) var state = EntityListState.loading

    private let repository: EntityRepository

    init(query: EntityQuery, repository: EntityRepository) {
        self.query = query
        self.repository = repository
    }

    /// The entities of the page.
    var rows: [Entity] {
        guard case .content(let page) = state else { return [] }
        return page.rows
    }

    /// How many entities the whole list has.
    var total: Int {
        switch state {
        case .content(let page): page.total
        case .empty(.pastEnd(_, let total)): total
        default: 0
        }
    }

    /// Whether there are entities after the page.
    var hasMore: Bool {
        guard case .content(let page) = state else { return false }
        return page.hasMore
    }

    func load() async throws {
        try await show(query)
    }

    /// Shows another list.
    ///
    /// - Throws: ``ValidationError`` where the query breaks a rule; the list stays as it is.
    func list(_ query: EntityQuery) async throws -> ActionResult {
        try await show(query)
        return .updated
    }

    /// Shows the page after this one.
    func next() async throws -> ActionResult {
        guard hasMore else { throw EntityError.noPageAfter(query.page) }
        return try await list(query.onPage(query.page + 1))
    }

    /// Shows the page before this one; past the end, the last page that there is.
    func previous() async throws -> ActionResult {
        guard query.page > 1 else { throw EntityError.noPageBeforeFirst }
        if case .empty(.pastEnd(let pages, _)) = state { return try await list(query.onPage(pages)) }
        return try await list(query.onPage(query.page - 1))
    }

    /// Creates an entity and shows it.
    ///
    /// - Throws: ``ValidationError`` with every rule that is broken; nothing is created.
    func create(name: String, category: String?, notes: String?) async throws -> ActionResult {
        let draft = EntityDraft(name: name, category: category, notes: notes)
        try ValidationError.check(draft.validate())
        let entity = try await repository.create(draft)
        return .show(EntityDetail(id: entity.id), "Created '\(entity.name)'.")
    }

    private func show(_ query: EntityQuery) async throws {
        do {
            let page = try await repository.page(query)
            self.query = query
            state = EntityListState(page)
        } catch {
            if case .loading = state { state = .failed(Self.reason(error)) }
            throw error
        }
    }

    private static func reason(_ error: any Error) -> String {
        (error as? any ExplainedError)?.message ?? "The entities could not be read."
    }
}

extension EntityListViewModel {
    var savedState: EntityQuery { query }

    func restore(_ state: EntityQuery) {
        query = state
    }
}

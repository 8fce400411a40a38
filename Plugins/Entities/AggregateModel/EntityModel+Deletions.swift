import AtriumKit

extension EntityModel {
    /// How many deletions are asked for at the same time.
    private static let width = 8

    /// Deletes entities, some at a time; each is shown as deleted from when it is asked for.
    ///
    /// One that fails comes back, and keeps no other from being deleted, unless the reason is everybody's: the
    /// service can't be asked, or nobody is signed in. Where the calling task is cancelled, no more are asked
    /// for, and nobody waits for those that are under way.
    ///
    /// - Parameters:
    ///   - ids: Which, each once.
    ///   - progress: Told how many are deleted.
    /// - Returns: What became of each.
    func delete(_ ids: [Int], progress: @Sendable (Int) -> Void) async -> EntityDeletions {
        var deletions = EntityDeletions(ids)
        await withTaskGroup(of: (Int, EntityDeletions.Outcome).self) { group in
            var (count, goesOn) = (0, true)
            func note(_ ended: (place: Int, outcome: EntityDeletions.Outcome)) {
                deletions[ended.place] = ended.outcome
                switch ended.outcome {
                case .deleted: count += 1
                case .failed(let error) where error.concernsEverything: goesOn = false
                default: break
                }
                progress(count)
            }
            for (place, id) in ids.enumerated() {
                if place >= Self.width, let ended = await group.next() { note(ended) }
                guard goesOn, !Task.isCancelled else { break }
                group.addTask { (place, await self.deletion(of: id)) }
            }
            while let ended = await group.next() { note(ended) }
        }
        deletions.isCancelled = Task.isCancelled
        return deletions
    }

    private func deletion(of id: Int) async -> EntityDeletions.Outcome {
        do {
            return .deleted(try await delete(id))
        } catch is CancellationError {
            return .underWay
        } catch {
            return .failed(error)
        }
    }

    /// The ids of all entities that pass the filter of a list, as the service has them now.
    ///
    /// - Throws: ``EntityError/unavailable(_:)`` where it can't be asked: a copy may name what is wanted again.
    func ids(of list: EntityQuery) async throws -> [Int] {
        var ids: [Int] = []
        var query = EntityQuery(
            size: EntityQuery.sizes.upperBound, sort: .oldest, category: list.category, search: list.search)
        while true {
            let page = try await repository.page(query, reloads: true)
            guard page.asOf == nil else { throw EntityError.unavailable }
            ids += page.value.rows.map(\.id)
            guard page.value.hasMore else { return ids }
            query = query.onPage(query.page + 1)
        }
    }
}

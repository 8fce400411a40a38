@_spi(Host) package import AtriumKit

extension APIManager {
    package nonisolated func batch<Answer: Decodable & Sendable>(
        _ endpoints: [Endpoint<Answer>], width: Int
    ) async throws -> [Result<Answer, any Error>] {
        var outcomes = [Result<Answer, any Error>?](repeating: nil, count: endpoints.count)
        await withTaskGroup(of: (Int, Result<Answer, any Error>).self) { group in
            var next = 0
            while next < min(max(1, width), endpoints.count) {
                add(endpoints[next], next, to: &group)
                next += 1
            }
            for await (index, outcome) in group {
                outcomes[index] = outcome
                guard next < endpoints.count, !Task.isCancelled else { continue }
                add(endpoints[next], next, to: &group)
                next += 1
            }
        }
        // A cancelled task cancels those of the group with it; what some of them still got is nobody's.
        try Task.checkCancellation()
        return outcomes.compactMap { $0 }
    }

    private nonisolated func add<Answer: Decodable & Sendable>(
        _ endpoint: Endpoint<Answer>, _ index: Int,
        to group: inout TaskGroup<(Int, Result<Answer, any Error>)>
    ) {
        group.addTask {
            do {
                return (index, .success(try await self.request(endpoint)))
            } catch {
                return (index, .failure(error))
            }
        }
    }
}

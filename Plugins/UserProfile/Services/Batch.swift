/// Does the same for many elements, several of them at a time.
enum Batch {
    /// How many elements are worked on at a time.
    static let width = 8

    /// Works on each element.
    ///
    /// - Parameters:
    ///   - elements: The elements.
    ///   - width: How many are worked on at a time, at least one.
    ///   - work: What is done with each; one failure ends nothing else.
    /// - Returns: What became of each element, in their order, whichever ended first.
    /// - Throws: `CancellationError` where the calling task is cancelled; nothing else.
    static func outcomes<Element: Sendable, Value: Sendable>(
        of elements: [Element], width: Int, work: @escaping @Sendable (Element) async throws -> Value
    ) async throws -> [Result<Value, any Error>] {
        let outcomes = await withTaskGroup(of: (Int, Result<Value, any Error>).self) { group in
            var outcomes: [Result<Value, any Error>?] = Array(repeating: nil, count: elements.count)
            for (index, element) in elements.enumerated() {
                if index >= max(1, width), let (ended, outcome) = await group.next() {
                    outcomes[ended] = outcome
                }
                group.addTask { (index, await outcome(of: element, work)) }
            }
            for await (ended, outcome) in group { outcomes[ended] = outcome }
            return outcomes
        }
        try Task.checkCancellation()
        return outcomes.compactMap { $0 }
    }

    private static func outcome<Element: Sendable, Value: Sendable>(
        of element: Element, _ work: @Sendable (Element) async throws -> Value
    ) async -> Result<Value, any Error> {
        do {
            try Task.checkCancellation()
            return .success(try await work(element))
        } catch {
            return .failure(error)
        }
    }
}

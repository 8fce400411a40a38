@_spi(Host) internal import AtriumKit

/// The work that is under way in the host: commands that have begun and not ended.
///
/// A change of the modules lets each go on in the state in which it began.
@MainActor
package final class RunningWork {
    private var held: [Int: Container?] = [:]
    private var nextNumber = 0

    /// How many pieces of work are under way.
    package var count: Int { held.count }

    /// Does a piece of work.
    package func run<Result>(_ body: () async throws -> Result) async rethrows -> Result {
        let number = begin()
        defer { end(number) }
        return try await body()
    }

    /// Begins a piece of work that ends elsewhere.
    ///
    /// - Returns: Its number, for ``end(_:)``.
    package func begin() -> Int {
        nextNumber += 1
        held.updateValue(nil, forKey: nextNumber)
        return nextNumber
    }

    /// Ends a piece of work.
    package func end(_ number: Int) {
        held.removeValue(forKey: number)
    }

    /// Keeps the present state for everything that has begun in it; a state keeps those that came after it.
    func hold(_ container: Container) {
        let began = held.filter { $0.value == nil }.keys
        guard !began.isEmpty else { return }
        let state = container.hold()
        for number in began { held.updateValue(state, forKey: number) }
    }
}

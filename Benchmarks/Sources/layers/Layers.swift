import Observation

// The empty layers of a module.

@MainActor
@Observable
final class ObservedModel {
    var count = 0

    @inline(never)
    func add() {
        count += 1
    }
}

/// The same model without observation.
@MainActor
final class PlainModel {
    var count = 0

    @inline(never)
    func add() {
        count += 1
    }
}

protocol NumberService: Sendable {
    func next(after number: Int) async throws -> Int
}

struct CountingService: NumberService {
    @inline(never)
    func next(after number: Int) async throws -> Int { number + 1 }
}

@MainActor
final class NumberRepository {
    private let service: any NumberService

    init(service: any NumberService) {
        self.service = service
    }

    @inline(never)
    func next(after number: Int) async throws -> Int {
        try await service.next(after: number)
    }
}

/// A service with isolated state.
actor NumberActor: NumberService {
    func next(after number: Int) async throws -> Int { number + 1 }
}

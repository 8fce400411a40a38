import AtriumKit

protocol PriceService: Sendable {
    func cents() async throws -> Int
    func names() async throws -> [String]
    func set(_ cents: Int) async throws
}

struct MockPriceService: PriceService {
    let behavior: MockBehavior

    func cents() async throws -> Int {
        try await behavior.play("cents", failingWith: CancellationError())
        return 100
    }

    func names() async throws -> [String] {
        try await play("names")
        return await helper()
    }

    // error: [mock-calls] 'set' of a mock plays no scenario, so it never fails and is not recorded;
    //        begin with 'behavior.play'
    func set(_ cents: Int) {}

    private func play(_ call: String) async throws {
        try await behavior.play(call, failingWith: CancellationError())
    }

    private func helper() async -> [String] { [] }
}

// Without scenarios there is nothing to play.
struct SilentPriceService: PriceService {
    func cents() -> Int { 100 }
    func names() -> [String] { [] }
    func set(_ cents: Int) {}
}

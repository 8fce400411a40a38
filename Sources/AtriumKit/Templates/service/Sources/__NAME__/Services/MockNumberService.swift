import AtriumKit

/// Numbers that begin again when the host ends.
actor MockNumberService: NumberService {
    private let behavior: MockBehavior
    private let settings: NumberSettings
    private var last: [String: Int] = [:]

    init(behavior: MockBehavior, settings: NumberSettings) {
        self.behavior = behavior
        self.settings = settings
    }

    func next(in series: String) async throws -> Int {
        try await play("next", ["series": series])
        let number = last[series].map { $0 + 1 } ?? settings.firstNumber
        last[series] = number
        return number
    }

    func series() async throws -> [Series] {
        try await play("series")
        return last.map { Series(name: $0.key, last: $0.value) }.sorted { $0.name < $1.name }
    }

    private func play(_ call: String, _ arguments: [String: String] = [:]) async throws {
        try await behavior.play(
            call, arguments,
            failingWith: ServiceError.unavailable("The number service", mock: "NumberService"))
    }
}

import AtriumKit

/// Numbers that restart when the host ends; in scenario edge one series has long been in use.
actor MockNumberService: NumberService {
    private let behavior: MockBehavior
    private let settings: NumberSettings
    private var last: [String: Int] = [:]

    init(behavior: MockBehavior, settings: NumberSettings) {
        self.behavior = behavior
        self.settings = settings
    }

    func next(in series: String) async throws -> Int {
        try await behavior.play("next", ["series": series])
        let number = numbers[series].map { $0 + 1 } ?? settings.firstNumber
        last[series] = number
        return number
    }

    func series() async throws -> [Series] {
        try await behavior.play("series")
        return numbers.map { Series(name: $0.key, last: $0.value) }.sorted { $0.name < $1.name }
    }

    private var numbers: [String: Int] {
        guard behavior.scenario.kind == .edge else { return last }
        return last.merging(["Zażółć gęślą jaźń": 999_999]) { now, _ in now }
    }
}

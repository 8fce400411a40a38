import Testing

@_spi(Host) @testable import AtriumKit

private struct EmptyView: View { var body: Content { Title("Empty") } }

private struct Malformed: Destination {
    static let pattern: LinkPattern = "a//:id"
    let id: Int
}
private struct Misnamed: Destination {
    static let pattern: LinkPattern = "a/:number"
    let id: Int
}
private struct Propertyless: Destination { static let pattern: LinkPattern = "a/:id" }
private struct NotOptional: Destination {
    static let pattern: LinkPattern = "a/:id?"
    let id: Int
}
private struct ListInSegment: Destination {
    static let pattern: LinkPattern = "a/:tags?"
    let tags: [String]
}
private struct NumberAsTail: Destination {
    static let pattern: LinkPattern = "a/:number*"
    let number: Int
}
private enum Color: String, Codable { case red }
private struct Sound: Destination {
    static let pattern: LinkPattern = "sound/:color/:id?"
    let color: Color
    let id: Int?
    let tags: [String]
}
private struct SoundTail: Destination {
    static let pattern: LinkPattern = "sound-tail/:parts*"
    let parts: [Int]
}
private struct Renamed: Destination {
    static let pattern: LinkPattern = "renamed/:id"
    enum CodingKeys: String, CodingKey { case number = "id" }
    let number: Int
}
private struct TwoKeys: Destination {
    static let pattern: LinkPattern = "two/:a/:b"
    enum First: String, CodingKey { case a }
    enum Second: String, CodingKey { case b }
    let a: Int
    let b: Int
    init(from decoder: any Decoder) throws {
        a = try decoder.container(keyedBy: First.self).decode(Int.self, forKey: .a)
        b = try decoder.container(keyedBy: Second.self).decode(Int.self, forKey: .b)
    }
    func encode(to encoder: any Encoder) throws {
        var first = encoder.container(keyedBy: First.self)
        try first.encode(a, forKey: .a)
        var second = encoder.container(keyedBy: Second.self)
        try second.encode(b, forKey: .b)
    }
}

@Suite("Checks of patterns at registration")
@MainActor
struct PatternRegistrationTests {
    private func registry(_ types: [any Destination.Type]) -> ModuleRegistry {
        let registry = ModuleRegistry(scope: .named("Catalog"))
        for type in types { register(type, in: registry) }
        return registry
    }

    private func register(_ type: (some Destination).Type, in registry: ModuleRegistry) {
        registry.screen(type) { _ in EmptyView() }
    }

    @Test(
        "A malformed or unsuitable pattern is a finding that names module, pattern and problem",
        arguments: [
            (Malformed.self, "segment 2 is empty"),
            (Misnamed.self, "the destination has no property 'number'"),
            (Propertyless.self, "the destination has no property 'id'"),
            (NotOptional.self, "':id?' may be absent, and the property 'id' is not optional"),
            (ListInSegment.self, "'tags' is a list, which only ':tags*' at the end can be"),
            (
                NumberAsTail.self,
                "':number*' is any number of segments, and the property 'number' neither text nor a list"
            ),
        ] as [(any Destination.Type, String)])
    func findings(_ type: any Destination.Type, _ problem: String) {
        let registry = registry([type])

        #expect(registry.findings.map(\.code) == [.badPattern])
        #expect(
            registry.findings.first?.message
                == "Module 'Catalog' can't register the screen '\(type.pattern)': \(problem).")
        #expect(registry.screens.isEmpty)
    }

    @Test("Suitable patterns have no findings, also for destinations with custom coding")
    func sound() {
        let registry = registry([Sound.self, SoundTail.self, Renamed.self, TwoKeys.self])

        #expect(registry.findings.map(\.message) == [])
        #expect(registry.screens.count == 4)
    }

    @Test("A pattern that is registered twice is a finding")
    func twice() {
        let registry = registry([Sound.self, Sound.self])

        #expect(registry.findings.first?.message.hasSuffix("twice.") == true)
        #expect(registry.screens.count == 1)
    }
}

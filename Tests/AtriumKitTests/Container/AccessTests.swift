import Testing

@_spi(Host) @testable import AtriumKit

private final class Stamp {
    let issuer: String

    init(_ issuer: String) {
        self.issuer = issuer
    }
}

private final class Letter {
    let stamp: Stamp

    init(stamp: Stamp) {
        self.stamp = stamp
    }
}

private final class LetterModel: ViewModel {
    let letter: Letter

    init(letter: Letter) {
        self.letter = letter
    }
}

private struct LetterView: View {
    let viewModel: LetterModel
    var body: Content { Title("Letter") }
}

private struct LetterPlace: Destination {
    static let pattern: LinkPattern = "letter"
}

@Suite("Access between modules")
@MainActor
struct AccessTests {
    private let container = Container(environment: .mock)

    @discardableResult
    private func addStamps(_ module: String, generation: Int = 1) throws -> ModuleScope {
        try container.add(module: module, generation: generation) { registry in
            registry.repository(Stamp.self) { _ in Stamp(module) }
        }.scope
    }

    private func addLetters(requires: Set<String>, lifetime: Lifetime = .transient) throws
        -> ScreenRegistration
    {
        let registry = try container.add(module: "Mail", requires: requires) { registry in
            registry.useCase(Letter.self, lifetime: lifetime) { Letter(stamp: try $0.repository()) }
            registry.viewModel(LetterModel.self) { LetterModel(letter: try $0.useCase()) }
            registry.screen(LetterPlace.self) { LetterView(viewModel: try $0.viewModel()) }
        }.registry
        return try #require(registry.screens.first)
    }

    private func stamp(of letters: ScreenRegistration) throws -> Stamp? {
        (try letters.build(LetterPlace(), in: container).view as? LetterView)?.viewModel.letter.stamp
    }

    @Test("Access to a module that is not required is refused, with the manifest entry to add")
    func notAllowed() throws {
        try addStamps("Post")
        let letters = try addLetters(requires: ["Courier"])

        let error = #expect(throws: ResolutionError.self) { try stamp(of: letters) }

        #expect(error?.code == .notAllowed)
        #expect(
            error?.message
                == "Module 'Mail' can't reach Stamp of module 'Post', which it does not require: "
                + "letter → LetterModel → Letter → Stamp.")
        #expect(error?.hint == "Add \"Post\" to \"requires\" in the module.json of Mail.")
        #expect(error?.path == ["letter", "LetterModel", "Letter", "Stamp"])
        #expect(error?.cause == nil)
    }

    @Test("A refused request builds nothing, and a value that exists already is refused too")
    func alreadyBuilt() throws {
        try addStamps("Post")
        let stranger = ModuleScope.named("Mail")

        let unbuilt = #expect(throws: ResolutionError.self) {
            try container.resolve(Stamp.self, .repository, as: stranger)
        }
        let isBuilt = container.graph.nodes.contains { $0.isBuilt }
        _ = try container.resolve(Stamp.self, .repository)
        let built = #expect(throws: ResolutionError.self) {
            try container.resolve(Stamp.self, .repository, as: stranger)
        }

        #expect(unbuilt?.code == .notAllowed && !isBuilt)
        #expect(built?.code == .notAllowed)
    }

    @Test("A module reaches the modules that it requires, and its own other generations")
    func allowed() throws {
        try addStamps("Post")
        let letters = try addLetters(requires: ["Post"])

        let stamps = try (0..<3).map { _ in try stamp(of: letters)?.issuer }
        let own = try container.resolve(
            Stamp.self, .repository, as: .named("Post", generation: 2))

        #expect(stamps == ["Post", "Post", "Post"])
        #expect(own.issuer == "Post")
    }

    @Test("Requirements are not transitive")
    func notTransitive() throws {
        try addStamps("Post")
        try container.add(module: "Courier", requires: ["Post"]) { registry in
            registry.useCase(Letter.self) { Letter(stamp: try $0.repository()) }
        }
        let requester = ModuleScope.named("Mail", requires: ["Courier"])

        let letter = try container.resolve(Letter.self, .useCase, as: requester)
        let error = #expect(throws: ResolutionError.self) {
            try container.resolve(Stamp.self, .repository, as: requester)
        }

        #expect(letter.stamp.issuer == "Post")
        #expect(error?.code == .notAllowed)
    }

    @Test("A key that moves to a module that is not required is refused, even after many uses")
    func wanderingKey() throws {
        let post = try addStamps("Post")
        let letters = try addLetters(requires: ["Post"])
        let before = try (0..<5).map { _ in try stamp(of: letters)?.issuer }

        container.remove(post)
        let courier = try addStamps("Courier")
        _ = try container.resolve(Stamp.self, .repository)
        let error = #expect(throws: ResolutionError.self) { try stamp(of: letters) }
        container.remove(courier)
        try addStamps("Post", generation: 2)

        #expect(before.allSatisfy { $0 == "Post" })
        #expect(error?.code == .notAllowed)
        #expect(
            error?.message
                == "Module 'Mail' can't reach Stamp of module 'Courier', which it does not require: "
                + "letter → LetterModel → Letter → Stamp.")
        #expect(try stamp(of: letters)?.issuer == "Post")
    }

    @Test("A key that a published change moves to a module that is not required is refused")
    func wanderingKeyInOneStep() throws {
        let post = try addStamps("Post")
        let letters = try addLetters(requires: ["Post"])
        for _ in 0..<5 { _ = try stamp(of: letters) }

        let change = StagedChange(of: container)
        change.remove(post)
        try change.add(.of("Courier") { $0.repository(Stamp.self) { _ in Stamp("Courier") } })
        try change.publish()
        _ = try container.resolve(Stamp.self, .repository)
        let error = #expect(throws: ResolutionError.self) { try stamp(of: letters) }

        #expect(error?.code == .notAllowed)
    }
}

import Testing

@_spi(Host) @testable import AtriumKit

/// An element that modules contribute.
private final class Exporter {
    let format: String

    init(_ format: String) {
        self.format = format
    }
}

private final class ExportMenu {
    let entries: [Contribution<Exporter>]

    init(entries: [Contribution<Exporter>]) {
        self.entries = entries
    }
}

private let exporters = ContributionPoint<Exporter>("exporters")
private let importers = ContributionPoint<Exporter>("importers")

@Suite("Contributions")
@MainActor
struct ContributionTests {
    private let container = Container(environment: .mock)

    private func addMenu(_ lifetime: Lifetime = .shared) throws {
        try container.add(module: "Menu") { registry in
            registry.useCase(ExportMenu.self, lifetime: lifetime) {
                ExportMenu(entries: try $0.contributions(to: exporters))
            }
        }
    }

    @discardableResult
    private func add(_ module: String, generation: Int = 1, _ formats: [(Int, String)]) throws -> ModuleScope
    {
        try container.add(module: module, generation: generation) { registry in
            for (order, format) in formats {
                registry.contribute(to: exporters, order: order) { _ in Exporter(format) }
            }
        }.scope
    }

    private var menu: ExportMenu {
        get throws { try container.resolve(ExportMenu.self, .useCase) }
    }

    @Test("5,000 contributions of a module are added, listed and removed")
    func many() throws {
        try addMenu(.transient)
        let formats = (0..<5_000).map { ($0 % 2, "\($0)") }

        let scope = try add("Office", formats)
        let entries = try menu.entries
        container.remove(scope)

        #expect(
            entries.map(\.value.format) == formats.filter { $0.0 == 0 }.map(\.1)
                + formats.filter { $0.0 == 1 }.map(\.1))
        #expect(try menu.entries.isEmpty)
    }

    @Test("A staged change replaces 5,000 contributions of a module by those of its next generation")
    func manyReplaced() throws {
        try addMenu(.transient)
        let scope = try add("Office", (0..<5_000).map { (0, "\($0)") })
        let next = ModuleScope.named("Office", generation: 2)
        let registry = ModuleRegistry(scope: next)
        for number in 0..<5_000 {
            registry.contribute(to: exporters, order: number % 2) { _ in Exporter("new \(number)") }
        }
        registry.close()

        let change = StagedChange(of: container)
        change.remove(scope)
        try change.add(registry)
        #expect(try menu.entries.map(\.value.format) == (0..<5_000).map { "\($0)" })
        try change.publish()

        let numbers = Array(stride(from: 0, to: 5_000, by: 2)) + Array(stride(from: 1, to: 5_000, by: 2))
        #expect(try menu.entries.map(\.value.format) == numbers.map { "new \($0)" })
    }

    @Test("Contributions are sorted by order, module and registration, and name their module")
    func order() throws {
        try addMenu()
        try add("Office", [(0, "doc"), (-1, "odt"), (0, "csv")])
        try add("Archive", [(5, "zip"), (0, "tar")])

        let entries = try menu.entries

        #expect(entries.map(\.value.format) == ["odt", "tar", "doc", "csv", "zip"])
        #expect(entries.map(\.module) == ["Office", "Archive", "Office", "Office", "Archive"])
        #expect(entries.map(\.order) == [-1, 0, 0, 0, 5])
    }

    @Test("A contribution point without contributions is empty; points with other names are separate")
    func apart() throws {
        try addMenu()
        try container.add(module: "Office") { registry in
            registry.contribute(to: importers) { _ in Exporter("pdf") }
        }

        #expect(try menu.entries.isEmpty)
    }

    @Test("A contribution is built once unless it is transient")
    func lifetimes() throws {
        try addMenu(.transient)
        try container.add(module: "Office") { registry in
            registry.contribute(to: exporters) { _ in Exporter("shared") }
            registry.contribute(to: exporters, lifetime: .transient) { _ in Exporter("transient") }
        }

        let menus = [try menu, try menu]

        #expect(menus[0].entries[0].value === menus[1].entries[0].value)
        #expect(menus[0].entries[1].value !== menus[1].entries[1].value)
    }

    @Test("A value that read a list is released when the list's contributions change, and not otherwise")
    func affected() throws {
        try addMenu()
        let empty = try menu

        let scope = ModuleScope.named("Office")
        let registry = ModuleRegistry(scope: scope)
        registry.contribute(to: exporters) { _ in Exporter("doc") }
        let arrival = try container.add(registry)
        let one = try menu
        let other = try container.add(ModuleRegistry.of("Books", Shop.register))
        let same = try menu
        let leave = container.remove(scope)

        #expect(arrival.affected.map(\.name) == ["ExportMenu"])
        #expect(empty !== one && one.entries.count == 1)
        #expect(other.affected.isEmpty && one === same)
        #expect(leave.affected.map(\.name) == ["ExportMenu"])
        #expect(try menu.entries.isEmpty)
    }

    @Test("A contribution is removed with its generation; the next generation builds its own")
    func update() throws {
        try addMenu()
        try add("Archive", [(0, "tar")])
        let first = try add("Office", [(0, "doc"), (0, "odt")])
        let before = try menu.entries

        container.remove(first)
        let between = try menu.entries
        try add("Office", generation: 2, [(0, "docx")])
        let after = try menu.entries

        #expect(before.map(\.value.format) == ["tar", "doc", "odt"])
        #expect(between.map(\.value.format) == ["tar"])
        #expect(after.map(\.value.format) == ["tar", "docx"])
        #expect(before[0].value === after[0].value)
    }

    @Test("Contributions of modules that the reader does not require are included")
    func foreign() throws {
        try addMenu()
        try add("Office", [(0, "doc")])

        let scope = ModuleScope.named("Menu")

        #expect(try container.resolve(ExportMenu.self, .useCase, as: scope).entries.count == 1)
    }

    @Test("A contribution that depends on a reader of its list is a cycle")
    func cycle() throws {
        try addMenu()
        try container.add(module: "Office", requires: ["Menu"]) { registry in
            registry.contribute(to: exporters) { _ in Exporter("doc") }
            registry.contribute(to: exporters) { context in
                Exporter("\(try context.useCase(ExportMenu.self).entries.count)")
            }
        }

        let error = #expect(throws: ResolutionError.self) { try menu }

        #expect(error?.code == .cycle)
        #expect(
            error?.message
                == "Dependency cycle: ExportMenu → Exporter 'exporters, Office 2' → ExportMenu.")
        #expect(error?.path == ["ExportMenu", "Exporter 'exporters, Office 2'", "ExportMenu"])
    }
}

import Foundation
import Testing

/// Compiles code outside of a view model that reads or changes its state, against the built modules.
@Suite struct ViewModelStateTests {
    /// A view model of a module, a readable property, and a property of its state with a value.
    struct Model: Sendable, CustomTestStringConvertible {
        let module: String
        let type: String
        let readable: String
        let state: String
        let value: String

        var testDescription: String { type }

        /// A file that executes `statement` with the view model as `model`.
        func source(_ statement: String, isolation: String = "@MainActor") -> String {
            """
            @testable import \(module)
            import AtriumKit

            \(isolation) func use(model: \(type)) {
                \(statement)
            }
            """
        }
    }

    static let models = [
        Model(
            module: "Session", type: "SessionViewModel", readable: "isSignedIn", state: "isSignedIn",
            value: "true"),
        Model(
            module: "UserProfile", type: "NotificationsViewModel", readable: "notifications",
            state: "notifications", value: "[]"),
        Model(
            module: "Entities", type: "RecordList<Entity>", readable: "total", state: "query",
            value: "model.query"),
        Model(
            module: "Entities", type: "RecordListViewModel<Entity>", readable: "transfer",
            state: "transfer", value: "nil"),
        Model(
            module: "Entities", type: "RecordViewModel<Entity>", readable: "record", state: "record",
            value: "nil"),
    ]

    @Test("The main actor can read a view model's state", arguments: models)
    func control(_ model: Model) throws {
        let run = try Self.compile(model.source("_ = model.\(model.readable)"))

        #expect(run.status == 0, "\(run.output)")
    }

    @Test("Code off the main actor can't read a view model's state", arguments: models)
    func isolated(_ model: Model) throws {
        let run = try Self.compile(
            model.source("_ = model.\(model.readable)", isolation: "nonisolated"))

        #expect(run.status != 0)
        #expect(
            run.output.contains(
                "error: main actor-isolated property '\(model.readable)' can not be referenced from a "
                    + "nonisolated context"), "\(run.output)")
    }

    @Test("Only a view model can change its state", arguments: models)
    func written(_ model: Model) throws {
        let run = try Self.compile(model.source("model.\(model.state) = \(model.value)"))

        #expect(run.status != 0)
        let sentences = [
            "error: cannot assign to property: '\(model.state)' setter is inaccessible",
            "error: cannot assign to property: '\(model.state)' is a get-only property",
        ]
        #expect(sentences.contains { run.output.contains($0) }, "\(run.output)")
    }

    private static func compile(_ source: String) throws -> ProgramRun {
        let folder = try Project.temporaryFolder()
        defer { Project.remove(folder) }
        let file = folder.appending(path: "Use.swift")
        try source.write(to: file, atomically: true, encoding: .utf8)
        return try ProgramRun.run(
            "/usr/bin/env",
            [
                "swiftc", "-typecheck", "-swift-version", "6", "-parse-as-library", "-I",
                Project.debug.appending(path: "Modules").path, "-I",
                Project.root.appending(path: "Sources/CSodium").path, file.path,
            ])
    }
}

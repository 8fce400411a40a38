import Foundation
import Testing

/// The build writes a proxy for each protocol that a module registers as a service.
@Suite("Proxies of services at build time") struct ServiceProxyTests {
    private static func module(_ declarations: String, _ services: String...) -> String {
        let registrations = services.map {
            "registry.service((any \($0)).self, live: .unavailable, local: { _ in fatalError() }, "
                + "mock: { _ in fatalError() })"
        }
        return """
            import AtriumKit

            \(declarations)

            final class BooksModule: FeatureModule {
                func register(in registry: ModuleRegistry) {
                    \(registrations.joined(separator: "\n        "))
                }
            }
            """
    }

    private func run(_ source: String) throws -> ManifestRun {
        try ManifestRun([source], keys: #""screens": {}"#)
    }

    @Test(
        "Every kind of method compiles, with both meanings of an asynchronous method",
        arguments: [[], ["-enable-upcoming-feature", "NonisolatedNonsendingByDefault"]])
    func compiles(_ options: [String]) throws {
        let source = Self.module(Self.everyKind, "Odd", "Plain", "OnMain")
        let run = try run(source)
        let folder = try Project.temporaryFolder()
        defer { Project.remove(folder) }
        let files = try ["Books.swift": source, "ModuleEntry.swift": run.generated].map { name, text in
            let file = folder.appending(path: name)
            try text.write(to: file, atomically: true, encoding: .utf8)
            return file.path
        }

        let compiled = try ProgramRun.run(
            "/usr/bin/env",
            [
                "swiftc", "-typecheck", "-parse-as-library", "-module-name", "Books", "-swift-version", "6",
                "-warnings-as-errors", "-enable-upcoming-feature", "ExistentialAny", "-I",
                Project.release.appending(path: "Modules").path,
            ] + options + files)

        #expect(compiled.status == 0, "\(compiled.output)")
        for name in ["Odd", "Plain", "OnMain"] { #expect(run.generated.contains("\(name)Proxy.proxy")) }
    }

    private static let everyKind = """
        final class Box { var value = 0 }
        enum Fault: Error { case one }
        typealias Handler = (Int) -> Void
        protocol Base: Sendable { var name: String { get }; func ping() }
        protocol Odd: Base, AnyObject {
            func a(_ x: String, y z: Int?) async throws -> [Box]
            func b(_ x: inout Int) async
            func c<T: Sequence>(_ x: T, f: (Int) -> Int) throws -> T.Element?
            func d() async throws(Fault) -> Int
            @MainActor func e(_ x: Box) -> Box
            @discardableResult func f(_: Int, x _: String) async throws -> Int
            func g(_ h: Handler, _ o: Handler?, _ l: @escaping @Sendable (Int) async -> Void) async
            func h(_ x: sending Box) async
            func i(_ x: consuming String) -> String
            var later: Int { get async throws }
            func `repeat`(in x: Int)
            func j(_ other: any Base, _ more: some Base) async
            func k(_ a: (Int, String), d: [String: Int]) async throws
            func page(_ a: Int) async throws -> Int
            func page(_ a: Int, after b: Int) async throws -> Int
        }
        protocol Plain { func a(_ x: Box) async throws -> Box; func now() -> Int }
        @MainActor protocol OnMain { func a(_ x: Box) async throws -> Box; func now(_ a: Int) -> Int }
        """

    @Test(
        "What can't be forwarded is left out with the reason, and is no error",
        arguments: [
            ("protocol P { associatedtype T }", "it has associated types"),
            ("protocol P { func f() -> Self }", "it has requirements with 'Self'"),
            ("protocol P { static func f() }", "the method 'f' is static"),
            ("protocol P { mutating func f() }", "the method 'f' is mutating"),
            ("protocol P { init() }", "it requires an initializer"),
            ("protocol P { subscript(_ a: Int) -> Int { get } }", "it requires a subscript"),
            ("protocol P { var x: Int { get set } }", "it has a property that can be set"),
            ("protocol P { func f(_ x: Int...) }", "the method 'f' takes any number of values"),
            (
                "protocol P: Identifiable { func f() }",
                "it inherits 'Identifiable', which the module's sources do not declare"
            ),
            ("private protocol P { func f() }", "P is private"),
            ("", "the module's sources do not declare P, at the top of a file"),
        ])
    func obstacles(_ declaration: String, _ reason: String) throws {
        let run = try run(Self.module(declaration, "P"))

        #expect(run.generated.contains(##"ServiceProxy("P", without: #"\##(reason)"#)"##), "\(run.generated)")
        #expect(run.messages.isEmpty)
    }

    @Test("A module whose services are types, or that has none, has no proxies")
    func none() throws {
        let none = try run("final class BooksModule: FeatureModule {}")
        let types = try run("func f(r: ModuleRegistry) { r.service(Books.self, live: .unavailable) }")

        #expect(!none.generated.contains("Proxy") && !types.generated.contains("Proxy"))
    }
}

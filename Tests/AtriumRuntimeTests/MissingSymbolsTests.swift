@_spi(Host) import AtriumKit
import AtriumManifest
import Foundation
import TestSupport
import Testing

@testable import AtriumLibraries
@testable import AtriumModules

/// Uses libraries built against an AtriumKit with more declarations than the one in this process.
@Suite("Declarations that a library needs and this host's AtriumKit lacks")
struct MissingSymbolsTests {
    private let folder = TemporaryFolder()

    /// Compiles an AtriumKit with these declarations, and a library that uses it.
    private func library(using source: String, of kit: String) throws -> ELFFile {
        try compile(kit, "AtriumKit", "-enable-library-evolution")
        try compile("import AtriumKit\n" + source, "Future", "-I", ".", "-L", ".", "-lAtriumKit")
        return try ELFFile(RandomAccessFile(folder.path("libFuture.so")))
    }

    private func compile(_ source: String, _ name: String, _ options: String...) throws {
        folder.write(source.utf8, to: "\(name).swift")
        _ = try run(
            ["swiftc", "-emit-library", "-emit-module", "-parse-as-library", "-swift-version", "6"]
                + ["-module-name", name, "\(name).swift"] + options)
    }

    /// Runs a program in the folder; returns its output.
    private func run(_ words: [String]) throws -> String {
        let process = Process()
        let pipe = Pipe()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.currentDirectoryURL = URL(filePath: folder.path)
        process.arguments = words
        process.standardOutput = pipe
        process.standardError = pipe
        try process.run()
        let output = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        try #require(process.terminationStatus == 0, "\(output)")
        return output
    }

    @Test("A new method is named; existing ones and symbols of other libraries are not")
    func method() throws {
        let library = try library(
            using: """
                @MainActor public func show(_ navigator: any Navigator, _ link: any Destination) async throws {
                    try await navigator.back()
                    try await navigator.present(link)
                }
                public struct Target: Destination {}
                """,
            of: """
                public protocol Destination: Codable, Hashable, Sendable {}
                @MainActor public protocol Navigator: AnyObject {
                    func back() async throws
                    func present(_ destination: any Destination) async throws
                }
                """)

        let error = #expect(throws: ModuleError.self) {
            try Compatibility.checkSymbols(of: library, "Module 'Future'")
        }

        #expect(error?.code == .incompatible)
        #expect(
            error?.message
                == "Module 'Future' needs 'AtriumKit.Navigator.present(AtriumKit.Destination) async throws -> ()', "
                + "which AtriumKit \(SDKVersion.current) of this host does not have.")
        #expect(error?.hint == "Build it against this host's AtriumKit.")
    }

    @Test("The first five missing declarations are named, types without their members; the rest are counted")
    func many() throws {
        let library = try library(
            using: """
                public final class Mine: Gauging {
                    public func measure(_ gauge: Gauge) -> Int { gauge.value + gauge.limit + Gauge.shared.value }
                }
                public func use(_ level: Level) -> [Any] {
                    let box = Box<Int>(1, named: "one")
                    return [level == .high, box[0], box.name, "text".gauged, first(), second, third(of: 3) as Any]
                }
                """,
            of: """
                public struct Gauge: Sendable { public static let shared = Gauge(); public var value = 1; public var limit = 2 }
                public protocol Gauging { func measure(_ gauge: Gauge) -> Int }
                public enum Level { case low, high }
                public struct Box<Value> {
                    public let name: String
                    public init(_ value: Value, named name: String) { self.name = name }
                    public subscript(_ index: Int) -> Int { index }
                }
                extension String { public var gauged: Gauge { Gauge() } }
                public func first() -> Int { 1 }
                public var second: Int { 2 }
                public func third<Value>(of value: Value) -> Value? { value }
                """)

        let missing = Compatibility.missingDeclarations(try library.undefinedSymbols())
        let error = #expect(throws: ModuleError.self) {
            try Compatibility.checkSymbols(of: library, "Module 'Future'")
        }

        #expect(
            missing == [
                "AtriumKit.Box", "AtriumKit.Gauge", "AtriumKit.Gauging", "AtriumKit.Level",
                "AtriumKit.first() -> Swift.Int", "AtriumKit.second.getter : Swift.Int",
                "AtriumKit.third<A>(of: A) -> Swift.Optional<A>",
                "Swift.String.gauged.getter : AtriumKit.Gauge",
            ])
        #expect(
            error?.message
                == "Module 'Future' needs 'AtriumKit.Box', 'AtriumKit.Gauge', 'AtriumKit.Gauging', "
                + "'AtriumKit.Level', 'AtriumKit.first() -> Swift.Int' and 3 more, which AtriumKit "
                + "\(SDKVersion.current) of this host does not have.")
    }

    @Test("A library is accepted if nothing is missing, or if it doesn't use AtriumKit")
    func nothingMissing() throws {
        let library = try library(
            using: """
                @MainActor public func show(_ navigator: any Navigator) async throws { try await navigator.back() }
                """,
            of: """
                @MainActor public protocol Navigator: AnyObject { func back() async throws }
                """)

        #expect(try library.undefinedSymbols().contains { $0.contains("9AtriumKit") })
        #expect(throws: Never.self) { try Compatibility.checkSymbols(of: library, "Module 'Future'") }
        let system = try ELFFile(RandomAccessFile(try SystemLibrary.path()))
        #expect(throws: Never.self) { try Compatibility.checkSymbols(of: system, "Module 'Future'") }
    }

    @Test("Symbols of other libraries, and malformed names, are left to the loader")
    func others() {
        let symbols = [
            "$s8Contract3FooV9AtriumKit4ViewAAMc", "$s9AtriumKit4ViewP8ContractE3fooyyF", "$s9AtriumKit",
            "9AtriumKit", "$s9AtriumKit9", "cos", "",
        ]

        #expect(Compatibility.missingDeclarations(symbols) == [])
        #expect(!symbols.dropLast(2).contains(where: LoadedSymbols.contains))
    }

    @Test("A mangled Swift name is demangled; any other name gives nil")
    func demangled() {
        #expect(
            LoadedSymbols.demangled("$s9Clockwork6ChimesC6strikeyyF") == "Clockwork.Chimes.strike() -> ()")
        #expect(LoadedSymbols.demangled("qsort") == nil)
    }

    @Test("Every symbol that AtriumKit exports is found in this process and recognized as AtriumKit's")
    func allKinds() throws {
        let maps = String(decoding: contents("/proc/self/maps"), as: UTF8.self)
        let line = try #require(maps.split(separator: "\n").first { $0.hasSuffix("/libAtriumKit.so") })
        let path = String(line[try #require(line.firstIndex(of: "/"))...])

        let lines = try run(["nm", "--dynamic", "--defined-only", "--format=just-symbols", path])
        let symbols = lines.split(separator: "\n").map(String.init).filter { $0.contains("9AtriumKit") }

        #expect(symbols.count > 1000)
        #expect(symbols.filter { !LoadedSymbols.contains($0) } == [])
        #expect(
            symbols.filter { Compatibility.declaration($0) == nil }.compactMap(LoadedSymbols.demangled) == [])
    }
}

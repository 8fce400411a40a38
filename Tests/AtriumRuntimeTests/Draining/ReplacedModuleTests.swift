import Foundation
import Testing

@testable import AtriumRuntime

@Suite("What is left of a module that was replaced")
struct ReplacedModuleTests {
    @Test("Two generations of one library are counted apart, each with its holders")
    func generations() async {
        await #expect(processExitsWith: .success) {
            let folder = FileManager.default.temporaryDirectory.appending(path: "census-\(UUID())").path
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(atPath: folder) }
            let paths = try Self.generations(in: folder)
            let makers = try paths.map(Self.maker)
            var images = try paths.map { try #require(MappedImage(path: $0)) }
            images[0].name = "Catalog 1"
            images[1].name = "Catalog 2"
            var tests = try CensusSubjects.image()
            tests.name = "the host"

            CensusSubjects.held = (CensusSubjects.Generic(makers[0]()), makers[1](), makers[1]())
            let both = HeapCensus(of: images, naming: [tests])
            CensusSubjects.held = nil
            let neither = HeapCensus(of: images, naming: [tests])

            #expect(both.isComplete)
            #expect(both.rows.first { $0.type == "Model" && $0.image == images[0] }?.count == 1)
            #expect(both.rows.first { $0.type == "Model" && $0.image == images[1] }?.count == 2)
            // A class of its own for each generation: the metadata is made when it is first used.
            #expect(both.rows.first { $0.type == "Page<Item>" && $0.image == images[0] }?.count == 1)
            #expect(both.paths("Page<Item>").contains { $0.hasPrefix("Model of Catalog 1 < ") })
            #expect(both.paths("Page<Item>").contains { $0.hasPrefix("Model of Catalog 2 < ") })
            #expect(both.paths("Model").contains { $0.hasPrefix("Generic<AnyObject> of the host") })
            #expect(neither.rows == [])
        }
    }

    /// Compiles a library and copies it: the loader takes two paths for two libraries.
    static func generations(in folder: String) throws -> [String] {
        let source = """
            struct Item { var name = "an item" }
            class Page<Element> {
                var elements: [Element]
                init(_ elements: [Element]) { self.elements = elements }
            }
            final class Model { let page = Page([Item()]) }
            @c(make) public func make() -> UnsafeMutableRawPointer { Unmanaged.passRetained(Model()).toOpaque() }
            """
        try source.write(toFile: folder + "/catalog.swift", atomically: true, encoding: .utf8)
        let compiler = Process()
        compiler.executableURL = URL(filePath: "/usr/bin/env")
        compiler.arguments = [
            "swiftc", "-emit-library", "-parse-as-library", "-module-name", "Catalog",
            folder + "/catalog.swift",
            "-o", folder + "/first.so",
        ]
        try compiler.run()
        compiler.waitUntilExit()
        try #require(compiler.terminationStatus == 0)
        try FileManager.default.copyItem(atPath: folder + "/first.so", toPath: folder + "/second.so")
        return [folder + "/first.so", folder + "/second.so"]
    }

    /// Loads a library as the host does.
    static func maker(_ path: String) throws -> () -> AnyObject {
        let library = try #require(dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE))
        let symbol = try #require(dlsym(library, "make"))
        let make = unsafeBitCast(symbol, to: (@convention(c) () -> UnsafeMutableRawPointer).self)
        return { Unmanaged<AnyObject>.fromOpaque(make()).takeRetainedValue() }
    }
}

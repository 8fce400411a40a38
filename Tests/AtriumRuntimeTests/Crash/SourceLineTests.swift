import AtriumKit
import Foundation
import TestSupport
import Testing

@testable import AtriumCrash

@Suite("Lines of the source in crash reports")
struct SourceLineTests {
    private let folder = TemporaryFolder()

    private static let source = """
        int first(int value) {
            return value + 1;
        }

        int second(int value) {
            value *= first(value);
            return value;
        }
        """

    /// A library of C with debug information, its source beside it, and the offset of its second function.
    private func library() throws -> (path: String, offset: UInt64) {
        folder.write(Self.source.utf8, to: "code.c")
        let path = folder.path("libcode.so")
        try run("gcc", "-g", "-O0", "-shared", "-fPIC", "-Wl,--build-id", "-o", path, folder.path("code.c"))
        let symbols = try run("nm", path).split(separator: "\n").map { $0.split(separator: " ") }
        let second = try #require(symbols.first { $0.last == "second" }?.first)
        return (path, try #require(UInt64(second, radix: 16)))
    }

    /// Moves the debug information of a library to a folder, under its build id.
    private func strip(_ library: String, to debug: String) throws {
        let notes = try run("readelf", "--notes", library)
        let id = try #require(notes.split(separator: "Build ID: ").last?.prefix { $0.isHexDigit })
        let file = folder.path("\(debug)/.build-id/\(id.prefix(2))/\(id.dropFirst(2)).debug")
        try FileManager.default.createDirectory(
            at: URL(filePath: file).deletingLastPathComponent(), withIntermediateDirectories: true)
        try run("objcopy", "--only-keep-debug", library, file)
        try run("strip", library)
    }

    @discardableResult
    private func run(_ words: String...) throws -> String {
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = words
        process.standardOutput = output
        try process.run()
        let bytes = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0, "\(words)")
        return String(decoding: bytes, as: UTF8.self)
    }

    private var finder: SourceLine { SourceLine(debugFolders: [folder.path("none"), folder.path("debug")]) }

    @Test("The line is found in the library, or in the file that its build id names")
    func line() async throws {
        let (path, offset) = try library()
        let expected = folder.path("code.c") + ":5"

        #expect(await finder.find(offset, in: path) == expected)
        try strip(path, to: "debug")
        #expect(await finder.find(offset, in: path) == expected)
    }

    @Test("Without debug information, addr2line, or a library there is no line")
    func nothing() async throws {
        let (path, offset) = try library()

        #expect(await finder.find(1 << 40, in: path) == nil)
        #expect(await finder.find(offset, in: folder.path("code.c")) == nil)
        #expect(await finder.find(offset, in: folder.path("missing.so")) == nil)
        #expect(await SourceLine(debugFolders: [], path: folder.path("none")).find(offset, in: path) == nil)
        try strip(path, to: "elsewhere")
        #expect(await finder.find(offset, in: path) == nil)
    }

    @Test(
        "An addr2line that never ends is stopped, and one that fails is ignored",
        arguments: ["sleep 100000", "exit 1"])
    func badProgram(_ body: String) async throws {
        let (path, offset) = try library()
        let program = folder.write("#!/bin/sh\necho /a.c:7\n\(body)\n".utf8, to: "addr2line")
        #expect(chmod(program, 0o700) == 0)
        let finder = SourceLine(debugFolders: [], path: folder.path("."), limit: .milliseconds(50))

        #expect(await finder.find(offset, in: path) == nil)
    }

    @Test(
        "What addr2line prints is read",
        arguments: [
            ("/src/a.swift:22", "/src/a.swift:22"), ("/src/a.c:7 (discriminator 3)", "/src/a.c:7"),
            ("??:0", nil),
            ("??:?", nil), ("/src/a.swift:0", nil), ("/src/a.swift:?", nil), ("", nil), (":", nil),
        ])
    func output(text: String, line: String?) {
        #expect(SourceLine.read(text) == line)
    }

    @Test("A report ends with the line of its function")
    func sentence() async throws {
        let (path, offset) = try library()
        let text = """
            crash 1
            kind signal
            signal 11
            pid 7
            time 0
            call 0x10 0x1 2 libc.so
            pc 0x7f00 0x\(String(offset + 1, radix: 16)) 1 Code
            image 1 1 - Code \(path)

            """
        let record = try #require(CrashRecord(text: text)).symbolicated()

        #expect(record.sentence.hasSuffix(". Function: second"))
        let complete = await record.withSourceLine(finder)
        #expect(complete.sentence.hasSuffix(". Function: second. Line: \(folder.path("code.c")):5"))
    }
}

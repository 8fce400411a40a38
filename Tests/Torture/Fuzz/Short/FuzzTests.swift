import Foundation
import TestSupport
import Testing

/// The short form of `make torture`: every kept input, and a few hundred made from each target's inputs.
@Suite("Hostile input")
struct FuzzTests {
    private static let folder = URL(filePath: #filePath)
        .deletingLastPathComponent().appending(path: "../Corpus").standardizedFileURL
    /// How many inputs are made; each of commands starts a host.
    private static func made(_ name: String) -> Int { name == "commands" ? 50 : 300 }

    @Test(
        "Every rule holds for the kept inputs, and for inputs made from them",
        arguments: FuzzTarget.all.map(\.name))
    func inputs(of name: String) async throws {
        let target = try #require(FuzzTarget.all.first { $0.name == name })
        let kept = try Self.kept(name)
        try #require(!kept.isEmpty)
        var generator = SeededGenerator(seed: 1)
        let telling = (Array("{}[]\",:;\\'0-9eE.\n/%=?&#@$_".utf8) + [0, 1, 0x7F, 0x80, 0xC3, 0xFF]).map {
            [$0]
        }
        let made = (0..<Self.made(name)).map { _ in generator.input(from: kept, telling) }

        let broken = await Self.inThread { (kept + made).compactMap { Self.broken(by: $0, in: target) } }

        #expect(broken.isEmpty, "\(broken.joined(separator: "\n"))")
    }

    private static func broken(by input: [UInt8], in target: FuzzTarget) -> String? {
        do {
            try target.read(input)
            return nil
        } catch {
            return "\(error), by \(Data(input).base64EncodedString())"
        }
    }

    private static func kept(_ name: String) throws -> [[UInt8]] {
        let folder = folder.appending(path: name)
        return try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted().map {
            try Array(Data(contentsOf: folder.appending(path: $0)))
        }
    }

    /// Targets wait for the main actor, and for tasks, so they block neither its thread nor one of theirs.
    private static func inThread<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
        await withCheckedContinuation { continuation in
            let thread = Thread { continuation.resume(returning: body()) }
            thread.stackSize = 16 << 20
            thread.start()
        }
    }
}

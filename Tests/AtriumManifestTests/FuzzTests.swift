import Testing

@testable import AtriumManifest

/// A small generator with a fixed seed (SplitMix64), so that a failure can be repeated.
private struct SeededGenerator: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }
}

@Suite("Hostile input")
struct FuzzTests {
    /// Bytes that are more likely than random ones to change the meaning of a document.
    private static let telling =
        Array("{}[]\",:\\0-9eE.utf \n/^~<>=*x|+".utf8) + [0x00, 0x80, 0xC3, 0xED, 0xF4, 0xFF]

    private func mutate(_ bytes: [UInt8], with generator: inout SeededGenerator) -> [UInt8] {
        var bytes = bytes
        for _ in 0..<Int.random(in: 1...6, using: &generator) where !bytes.isEmpty {
            let offset = Int.random(in: 0..<bytes.count, using: &generator)
            let byte = Self.telling.randomElement(using: &generator) ?? 0
            switch Int.random(in: 0..<5, using: &generator) {
            case 0: bytes[offset] = UInt8.random(in: 0...255, using: &generator)
            case 1: bytes[offset] = byte
            case 2: bytes.insert(byte, at: offset)
            case 3: bytes.remove(at: offset)
            default: bytes.removeSubrange(offset..<min(bytes.count, offset + 20))
            }
        }
        return bytes
    }

    @Test("A mutated manifest is read, or refused with findings inside the file", arguments: 0..<4)
    func mutations(seed: UInt64) throws {
        var generator = SeededGenerator(state: seed)
        let valid = Array(completeManifest.utf8)

        for _ in 0..<1500 {
            let bytes = mutate(valid, with: &generator)
            let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            do {
                let manifest = try ModuleManifest(json: bytes, file: "m", form: .authored)
                #expect(!manifest.name.isEmpty)
            } catch {
                #expect(!error.findings.isEmpty)
                for finding in error.findings {
                    try #require(finding.position.line >= 1 && finding.position.line <= lines.count)
                    let length = lines[finding.position.line - 1].count
                    try #require((1...length + 1).contains(finding.position.column))
                    #expect(!finding.message.contains("\n"))
                }
                #expect(error.findings.map(\.position) == error.findings.map(\.position).sorted())
            }
            _ = try? HostConfiguration(json: bytes, file: "m")
        }
    }

    @Test("A parsed value prints as JSON that parses to the same value")
    func roundTrip() throws {
        var generator = SeededGenerator(state: 99)
        let document = Array(#"{"a": [1, -2.5e3, "é\n\u0001\"", true, null, {"b": {}}], "😀": 1e300}"#.utf8)
        var parsed = 0

        for _ in 0..<5000 {
            guard let value = try? LocatedJSON(parsing: mutate(document, with: &generator)) else { continue }
            let plain = value.plain
            let again = try LocatedJSON(parsing: Array(plain.json.utf8))
            #expect(again.plain == plain)
            parsed += 1
        }

        #expect(parsed > 100)
    }

    @Test("Mutated versions and ranges never crash the process")
    func versions() {
        var generator = SeededGenerator(state: 7)
        for text in ["1.20.3-beta.1+build.5", "^1.2.3-alpha.1 >=9007199254740991.x <2.0 ~0.0.1", "*"] {
            for _ in 0..<3000 {
                let mutated = String(decoding: mutate(Array(text.utf8), with: &generator), as: UTF8.self)
                let range = try? VersionRange(parsing: mutated)
                _ = range?.contains(SemanticVersion(1, 2, 3))
                if let version = try? SemanticVersion(parsing: mutated) {
                    #expect(version.description == mutated)
                }
            }
        }
    }
}

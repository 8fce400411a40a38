import AtriumManifest
import Foundation
import Testing

@Suite("Schemas")
struct EmbeddedSchemaTests {
    /// The folder of the schema files.
    private static let folder = URL(filePath: #filePath)
        .deletingLastPathComponent()
        .appending(path: "../../Sources/AtriumKit/Schemas")

    @Test(
        "The embedded text is that of the file",
        arguments: [
            ("module.schema.json", JSONSchema.moduleText), ("modules.schema.json", JSONSchema.hostText),
        ])
    func embeddedText(file: String, text: String) throws {
        let written = try String(contentsOf: Self.folder.appending(path: file), encoding: .utf8)

        #expect(written == text)
    }

    @Test("Both compile", arguments: [JSONSchema.moduleText, JSONSchema.hostText])
    func compile(text: String) throws {
        _ = try JSONSchema(text: text)
    }
}

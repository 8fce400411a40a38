internal import AtriumLibraries
package import AtriumManifest
internal import CSodium

/// The contents of a repository: the `index.json` in a folder of libraries.
///
/// ```json
/// {
///   "version": 1,
///   "modules": [
///     { "name": "Notes", "version": "1.0.0", "summary": "Keeps notes", "requires": { "Session": "^1.0.0" },
///       "sdk": "0.5.0", "inlinedLayout": 2, "compiler": "6.3.1",
///       "file": "libNotes.so", "size": 204800, "sha256": "<64 hexadecimal digits>" }
///   ]
/// }
/// ```
package struct RepositoryIndex: Sendable, Hashable {
    package struct Entry: Sendable, Hashable {
        package let name: String
        package let version: SemanticVersion
        package let summary: String
        package let requires: [Requirement]
        /// The library's build stamps; see ``ModuleManifest``.
        package let sdk: SemanticVersion
        let inlinedLayout: Int
        let compiler: String
        /// The library's name in the folder.
        package let file: String
        let size: Int
        /// The SHA-256 digest of the library, as `sha256sum` prints it.
        let digest: String
    }

    static let fileName = "index.json"
    static let formatVersion = 1
    /// The largest index that is read, in bytes.
    static let sizeLimit = 4_000_000
    static let entryLimit = 10_000

    package let entries: [Entry]

    init(_ entries: [Entry]) {
        self.entries = entries.sorted { ($0.name, $0.version) < ($1.name, $1.version) }
    }

    /// Reads the text of an index.
    ///
    /// - Throws: ``ManifestError`` with all errors at once.
    init(json: [UInt8]) throws(ManifestError) {
        var reader = try DocumentReader(json, file: Self.fileName)
        let root = reader.root
        if let version = root["version"], version.value.plain != .integer(Int64(Self.formatVersion)) {
            // Another format may differ in any way, so nothing else is reported.
            reader.report(version, "This host reads version \(Self.formatVersion) of the format.")
            try reader.finish()
        }
        reader.checkObject(root, keys: ["version", "modules"], required: ["version", "modules"])
        let items = reader.items(root["modules"])
        if let modules = root["modules"], items.count > Self.entryLimit {
            reader.report(modules, "Found \(items.count) items; allowed: \(Self.entryLimit) or less.")
            try reader.finish()
        }
        var entries: [Entry] = []
        var known: Set<Release> = []
        for item in items {
            let entry = Self.entry(item, &reader)
            if !known.insert(Release(entry)).inserted {
                reader.report(item, "\(entry.name) \(entry.version) appears twice.")
            }
            entries.append(entry)
        }
        try reader.finish()
        self.init(entries)
    }

    /// A version of a module.
    struct Release: Hashable {
        let name: String
        let version: SemanticVersion

        init(_ entry: Entry) { (name, version) = (entry.name, entry.version) }
    }

    private static func entry(_ item: DocumentReader.Field, _ reader: inout DocumentReader) -> Entry {
        let keys = [
            "name", "version", "summary", "requires", "sdk", "inlinedLayout", "compiler", "file", "size",
            "sha256",
        ]
        reader.checkObject(item, keys: keys, required: keys)
        let name = reader.text(item["name"], .moduleName) ?? ""
        let (least, most) = (0.0, Double(RandomAccessFile.sizeLimit))
        return Entry(
            name: name, version: reader.version(item["version"]),
            summary: reader.text(item["summary"], .line) ?? "",
            requires: reader.requirements(item["requires"], of: name), sdk: reader.version(item["sdk"]),
            inlinedLayout: Int(reader.number(item["inlinedLayout"], in: 0...1_000_000, isWhole: true) ?? 0),
            compiler: reader.text(item["compiler"], .line) ?? "",
            file: reader.text(item["file"], libraryName) ?? "",
            size: Int(reader.number(item["size"], in: least...most, isWhole: true) ?? 0),
            digest: reader.text(item["sha256"], sha256) ?? "")
    }

    /// A file directly in the folder, so that nothing outside of it is read.
    private static let libraryName = TextFormat(
        name: "file name of a library", allowed: "a name in the folder itself, from 'lib' to '.so'",
        example: "libNotes.so"
    ) { text in
        text.hasPrefix("lib") && text.hasSuffix(".so") && text.utf8.count <= 255
            && text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F && $0 != UInt8(ascii: "/") }
    }

    private static let sha256 = TextFormat(
        name: "SHA-256 digest", allowed: "64 of the digits 0-9 and a-f, as 'sha256sum' prints them"
    ) { text in
        text.utf8.count == 64 && text.utf8.allSatisfy { "0123456789abcdef".utf8.contains($0) }
    }

    static func digest(of content: [UInt8]) -> String {
        var digest = [UInt8](repeating: 0, count: Int(crypto_hash_sha256_BYTES))
        crypto_hash_sha256(&digest, content, UInt64(content.count))
        return digest.hexadecimal
    }

    /// The file's text, one line per library, sorted: equal folders have equal files.
    var text: String {
        let lines = entries.map { "\n    \($0.json)" }
        let modules = lines.isEmpty ? "[]" : "[\(lines.joined(separator: ","))\n  ]"
        return "{\n  \"version\": \(Self.formatVersion),\n  \"modules\": \(modules)\n}\n"
    }
}

extension RepositoryIndex.Entry {
    /// The entry of a library with this manifest; nil if the manifest lacks build stamps.
    init?(_ manifest: ModuleManifest, file: String, content: [UInt8]) {
        guard let sdk = manifest.sdk, let compiler = manifest.compiler else { return nil }
        self.init(
            name: manifest.name, version: manifest.version, summary: manifest.summary,
            requires: manifest.requires, sdk: sdk, inlinedLayout: manifest.inlinedLayout ?? 0,
            compiler: compiler, file: file, size: content.count,
            digest: RepositoryIndex.digest(of: content))
    }

    fileprivate var json: String {
        let requires = requires.map {
            ManifestValue.Member(key: $0.name, value: .string($0.range.description))
        }
        return ManifestValue.object([
            .init(key: "name", value: .string(name)),
            .init(key: "version", value: .string(version.description)),
            .init(key: "summary", value: .string(summary)),
            .init(key: "requires", value: .object(requires)),
            .init(key: "sdk", value: .string(sdk.description)),
            .init(key: "inlinedLayout", value: .integer(Int64(inlinedLayout))),
            .init(key: "compiler", value: .string(compiler)),
            .init(key: "file", value: .string(file)),
            .init(key: "size", value: .integer(Int64(size))),
            .init(key: "sha256", value: .string(digest)),
        ]).json
    }
}

@testable import AtriumLibraries
@testable import AtriumManifest

extension FuzzTarget {
    /// Manifests, `modules.json`, `modules.lock`, versions and URLs.
    static let manifest = FuzzTarget(name: "manifest") { bytes in
        try readManifest(bytes)
        let lines = bytes.split(separator: 10, omittingEmptySubsequences: false).count
        do throws(ManifestError) {
            _ = try HostConfiguration(json: bytes, file: "modules.json")
        } catch { try check(error, lines: lines) }
        do {
            let lock = try LockFile(json: bytes, file: "modules.lock")
            let again = try LockFile(json: Array(lock.text.utf8), file: "modules.lock")
            try require(lock == again, "a written lock differs: \(lock.text)")
        } catch let error as ManifestError { try check(error, lines: lines) }
        let text = String(decoding: bytes, as: UTF8.self)
        try readVersions(text)
        if let url = try? ServerURL(text) {
            try require((try? ServerURL(url.text)) == url, "a URL is read differently: \(url)")
        }
        if let members = try? ManifestValue.members(json: text) {
            let written = ManifestValue.object(members)
            try require(
                (try? ManifestValue.members(json: written.json))
                    .map { ManifestValue.object($0).canonical } == written.canonical,
                "written JSON differs: \(written.json)")
        }
    }

    private static func readManifest(_ bytes: [UInt8]) throws {
        let lines = bytes.split(separator: 10, omittingEmptySubsequences: false).count
        do {
            let (manifest, embedded) = try ModuleManifest.stamped(
                bytes, file: "module.json", compiler: "6.3.1")
            let again = try ModuleManifest(json: Array(embedded.utf8), file: "library")
            try require(
                again.name == manifest.name && again.screens == manifest.screens
                    && again.configuration == manifest.configuration && again.requires == manifest.requires,
                "the embedded manifest differs: \(embedded)")
        } catch let error as ManifestError { try check(error, lines: lines) }
        do throws(ManifestError) {
            _ = try ModuleManifest(json: bytes, file: "library")
        } catch { try check(error, lines: lines) }
    }

    private static func check(_ error: ManifestError, lines: Int) throws {
        try require(!error.findings.isEmpty, "an error has no finding")
        for finding in error.findings {
            try require(
                (1...max(lines, 1)).contains(finding.position.line), "a finding is outside of the file")
            try require(finding.position.column >= 1, "a finding is outside of its line")
        }
        try require(!error.sentence.isEmpty, "an error says nothing")
    }

    private static func readVersions(_ text: String) throws {
        let parts = text.split(separator: "\n", maxSplits: 1).map(String.init)
        let version = parts.first.flatMap { try? SemanticVersion(parsing: $0) }
        if let version {
            try require(
                (try? SemanticVersion(parsing: version.description)) == version,
                "a version differs: \(version)")
        }
        guard let range = parts.last.flatMap({ try? VersionRange(parsing: $0) }) else { return }
        if let version { _ = range.contains(version) }
    }
}

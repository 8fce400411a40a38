internal import AtriumCommands
internal import AtriumConformance
public import AtriumKit
internal import Glibc
public import Testing

/// The checks that every module must pass.
///
/// ```swift
/// @Test func conforms() async throws { try await ModuleConformance.run(NotesModule.self) }
/// ```
///
/// - It starts, and registers what its manifest declares; everything that it registers can be built.
/// - Links print and parse, and the destinations of stack entries can be kept.
/// - Each screen has a body from 20 to 200 columns and as JSON: before and after its load, in scenarios
///   success,
///   error and edge, for a guest and for a signed-in user.
/// - The state of view models survives saving and restoring; nothing of a screen stays alive after it is
///   left.
/// - Stories show their screens at 40, 80 and 120 columns, as accepted in `Stories/MODULE/NAME.txt` of the
///   package; `ATRIUM_UPDATE_STORIES=1 swift test` accepts them.
/// - Actions and their arguments have help and completion.
/// - Mock services use the behavior of their context, and screens show when it is error or edge.
/// - Migrations run from each version, over a row in each table.
/// - It works without the modules that it uses.
/// - An update to itself keeps stack and state; nothing stays alive after the module's removal.
///
/// `atrium verify --module PATH` checks a library in the same way.
public enum ModuleConformance {
    /// Checks a module, with those that it requires; each problem fails the test.
    ///
    /// `configuration` has the values that `modules.json` would configure, by module.
    ///
    /// - Throws: The reason that it can't be checked.
    @MainActor
    public static func run(
        _ module: any FeatureModule.Type, with required: any FeatureModule.Type...,
        configuration: [String: JSONObject] = [:], sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let host = try await TestHost(modules: required + [module], configuration: configuration)
        for finding in try await host.conformance(ofTestIn: sourceLocation.filePath).findings {
            let hint = finding.hint.map { " (\($0))" } ?? ""
            Issue.record(
                "\(finding.check.rawValue): \(finding.message)\(hint)", sourceLocation: sourceLocation)
        }
    }
}

extension TestHost {
    /// Checks the last of its modules, and removes it; the test is in a source file of its package.
    func conformance(
        ofTestIn file: String? = nil, updates: Bool = getenv("ATRIUM_UPDATE_STORIES") != nil
    ) async throws -> ConformanceReport {
        let last = libraries.count - 1
        let accepted = file.flatMap(Self.package).flatMap {
            AcceptedStories(of: libraries[last].name, in: $0, updates: updates)
        }
        var conformance = Conformance(libraries[last].name, in: scene, folder: folder, accepted: accepted) {
            [self] in try libraries[last].write(to: folder)
        }
        return try await conformance.run()
    }

    /// The folder of the package that has a file.
    private static func package(of file: String) -> String? {
        var folder = file[...]
        while let end = folder.lastIndex(of: "/") {
            folder = folder[..<end]
            if access("\(folder)/Package.swift", R_OK) == 0 { return String(folder) }
        }
        return nil
    }
}

import Foundation
import Testing

/// A module that is compiled with an index and checked by the architecture check.
///
/// A folder with a `module.json` is a feature module; any other is compiled as the SDK.
final class CheckedModule {
    /// The tool that `swift package check-architecture` runs.
    static let tool = Project.debug.appending(path: "ArchitectureTool").path

    /// How many rules there are, with the one about exceptions.
    static let ruleCount = 27
    /// What the check prints of a module that follows them all.
    static let nothingFound = "1 target, \(ruleCount) rules, nothing found\n"

    let folder: URL
    private let root: URL

    /// - Parameter folder: The sources, which are not changed.
    /// - Throws: If the sources do not compile.
    init(_ folder: URL) throws {
        self.folder = folder
        root = try Project.temporaryFolder()
        try compile()
    }

    deinit {
        Project.remove(root)
    }

    var store: URL { root.appending(path: "store") }

    /// Runs the check over the module.
    func check(_ options: String...) throws -> ProgramRun {
        try ProgramRun.run(
            Self.tool, ["--store", store.path, isModule ? "--module" : "--sdk", folder.path] + options)
    }

    /// Compiles the module as a debug build does, with an index unit for each file.
    func compile() throws {
        let sources = try sources().map { folder.appending(path: $0).path }
        let run = try ProgramRun.run(
            "/usr/bin/env",
            [
                "swiftc", "-c", "-wmo", "-num-threads", "1", "-swift-version", "6", "-parse-as-library",
                "-suppress-warnings", "-module-name", isModule ? folder.lastPathComponent : "AtriumKit",
                "-index-store-path", store.path,
            ] + (isModule ? ["-I", Project.debug.appending(path: "Modules").path] : []) + sources, in: root)
        try #require(run.status == 0, "\(run.output)")
    }

    /// The Swift files, as paths relative to the folder.
    func sources() throws -> [String] {
        let names = FileManager.default.enumerator(atPath: folder.path)?.compactMap { $0 as? String }
        return try #require(names).filter { $0.hasSuffix(".swift") }.sorted()
    }

    private var isModule: Bool {
        FileManager.default.fileExists(atPath: folder.appending(path: "module.json").path)
    }
}

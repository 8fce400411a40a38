package import AtriumKit
internal import AtriumStorage
internal import Glibc

/// Builds the modules of a SwiftPM package with the installed toolchain.
///
/// Loaded modules are not touched: the host loads private copies of build products.
package struct PackageBuild: Sendable {
    private let folder: String
    private let swift: String
    private let configuration: Configuration

    package enum Configuration: String { case debug, release }

    /// - Throws: ``ModuleError`` if there is no `swift`.
    package init(_ folder: String, _ configuration: Configuration = .release, path: String? = nil) throws {
        guard let swift = Self.find("swift", in: path) else { throw ModuleError.noToolchain(folder) }
        self.folder = folder
        self.swift = swift
        self.configuration = configuration
    }

    /// The path of a program in the first folder that contains it, as a shell finds it; nil if none does.
    ///
    /// Searches the folders of `path`, or of this process's `PATH` if it is nil.
    package static func find(_ name: String, in path: String? = nil) -> String? {
        let folders = path ?? getenv("PATH").map { String(cString: $0) } ?? ""
        // An empty part means the working folder (POSIX, 8.3); programs there are not run.
        return folders.split(separator: ":").lazy.map { "\($0)/\(name)" }.first {
            FileStatus(of: $0)?.kind == .file && access($0, X_OK) == 0
        }
    }

    /// Builds the package and finds the libraries of its modules.
    ///
    /// - Parameter line: Receives each line of the build's output and errors, in order; ``waitingLine`` while
    ///   another build of the package runs.
    /// - Returns: The paths, sorted by name; including former products, which SwiftPM leaves in place.
    /// - Throws: ``ModuleError`` if the build fails, or builds no module; `CancellationError` if the caller
    ///   is cancelled, after all started processes have ended.
    @MainActor
    package func run(_ line: @MainActor (String) -> Void) async throws -> [String] {
        try await compile(line)
        return try modules(in: await products())
    }

    /// Builds the package; `line` and errors are as for ``run(_:)``.
    @MainActor
    package func compile(_ line: @MainActor (String) -> Void) async throws {
        var errors = CompilerErrors()
        let built = try await build([], .joined) {
            errors.add($0)
            line($0)
        }
        guard built.isSuccess else { throw ModuleError.buildFailed(command, built, errors.last, folder) }
    }

    /// Makes the next build compile all files of the package.
    ///
    /// The compiler of Swift 6.3 compares times in whole seconds: if a file changes twice within one second,
    /// once before and once after a build, the second change would be missed until the next one.
    package func forgetFormer() {
        let products = "\(folder)/.build/\(configuration.rawValue)"
        for target in Folder.names(in: products) ?? [] where target.hasSuffix(".build") {
            for name in Folder.names(in: "\(products)/\(target)") ?? [] where name.hasSuffix(".priors") {
                unlink("\(products)/\(target)/\(name)")
            }
        }
    }

    /// The folder of the products, which does not change.
    @MainActor
    package func products() async throws -> String {
        // Warnings about the manifest have already been shown.
        var products: String?
        let answered = try await build(["--show-bin-path"], .output) { products = $0 }
        guard answered.isSuccess, let products else {
            throw ModuleError.buildFailed(command, answered, [], folder)
        }
        return products
    }

    /// The libraries of the built modules, sorted by name.
    package func modules(in products: String) throws -> [String] {
        let modules = try ModuleLibraries.libraries(in: products).filter(ModuleLibraries.isModule)
        guard !modules.isEmpty else { throw ModuleError.noModulesBuilt(folder) }
        return modules
    }

    /// The command that shows the user the whole build.
    package var command: String {
        configuration == .release
            ? "swift build -c release --package-path \(folder)" : "swift build --package-path \(folder)"
    }

    /// The line for the user while SwiftPM waits for another process that uses the package's `.build`.
    package var waitingLine: String { "Another build of '\(folder)' is running; waiting for it." }

    /// SwiftPM 6.3 writes this without a line feed.
    private static let waitingWords = "waiting until that process has finished execution..."

    /// Runs `swift build`; cancelling the caller ends it.
    @MainActor
    private func build(
        _ options: [String], _ output: ChildProcess.Output, _ line: @MainActor (String) -> Void
    ) async throws -> ExitReason {
        let child = try ChildProcess(
            swift, ["build", "-c", configuration.rawValue, "--package-path", folder] + options, output,
            lastWords: Self.waitingWords)
        if let output = child.output {
            for await text in output { line(text.hasSuffix(Self.waitingWords) ? waitingLine : text) }
        }
        let reason = await child.wait()
        try Task.checkCancellation()
        return reason
    }
}

/// The errors in the output of a build.
package struct CompilerErrors {
    private static let limit = 3
    package private(set) var first: String?
    /// The number of different errors; only repeats of the first and latest ones are detected.
    package private(set) var count = 0
    /// The latest errors, in order, each once.
    private(set) var last: [String] = []

    package init() {}

    /// Adds a line of output; a line without an error is ignored.
    ///
    /// The compiler prints "FILE:LINE:COLUMN: error: TEXT", SwiftPM and linkers "error: TEXT".
    package mutating func add(_ line: String) {
        guard line.hasPrefix("error: ") || line.contains(": error: ") else { return }
        // SwiftPM ends with an error that adds nothing to the previous ones.
        if line == "error: fatalError", !last.isEmpty { return }
        if !last.contains(line), first != line { count += 1 }
        if first == nil { first = line }
        last.removeAll { $0 == line }
        last = (last + [line]).suffix(Self.limit)
    }
}

extension ModuleError {
    static func noToolchain(_ folder: String) -> ModuleError {
        ModuleError(
            "noToolchain", "There is no 'swift' in PATH to build the package '\(folder)' with.",
            hint:
                "Install the toolchain from https://www.swift.org/install/linux/, or add a library that is built."
        )
    }

    static func buildFailed(
        _ command: String, _ reason: ExitReason, _ errors: [String], _ folder: String
    ) -> ModuleError {
        let what = errors.isEmpty ? "'swift build' \(reason)." : errors.joined(separator: "; ")
        return ModuleError(
            "buildFailed", "The package '\(folder)' can't be built: \(what)",
            hint: "Run '\(command)' to see all of it.")
    }

    static func noModulesBuilt(_ folder: String) -> ModuleError {
        ModuleError(
            .noModules, "The package '\(folder)' was built, but no module is among its libraries.",
            hint:
                "A module is a library product of type .dynamic whose target has a module.json and the build "
                + "plugin EmbedManifest.")
    }
}

extension ErrorCode {
    package static let noModules: ErrorCode = "noModules"
}

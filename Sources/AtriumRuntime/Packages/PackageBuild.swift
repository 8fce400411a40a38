/// Builds the modules of a SwiftPM package, in release mode, with the toolchain that is installed.
///
/// What is loaded is not touched: the host loads private copies of build products.
package struct PackageBuild: Sendable {
    private let folder: String
    private let swift: String

    /// - Parameters:
    ///   - folder: The folder of the package.
    ///   - path: The folders in which `swift` is looked up; nil takes `PATH`.
    /// - Throws: ``ModuleError`` where there is no `swift`.
    package init(_ folder: String, path: String? = nil) throws {
        guard let swift = ProgramSearch.find("swift", in: path) else {
            throw ModuleError.noToolchain(folder)
        }
        self.folder = folder
        self.swift = swift
    }

    /// Builds a package and finds the libraries of its modules.
    ///
    /// - Parameters:
    ///   - folder: The folder of the package.
    ///   - line: Is told each line of the build's output and errors, in order, as it comes.
    /// - Returns: Their paths, by name. In a package with several modules that is all of them, and also those
    ///   of products that it had once: SwiftPM leaves their libraries where they are.
    /// - Throws: ``ModuleError`` where there is no toolchain, the build fails, or there is no module in what
    ///   was built; `CancellationError` where the caller is cancelled, when all that was started has ended.
    @MainActor
    package static func run(
        _ folder: String, _ line: @MainActor (String) -> Void
    ) async throws -> [String] {
        try await PackageBuild(folder).run(line)
    }

    /// Builds the package and finds the libraries of its modules, as ``run(_:_:)`` does.
    @MainActor
    package func run(_ line: @MainActor (String) -> Void) async throws -> [String] {
        var errors = CompilerErrors()
        let built = try await build {
            errors.add($0)
            line($0)
        }
        guard built.isSuccess else { throw ModuleError.buildFailed(folder, built, errors.last) }
        // The warnings about the manifest have been told.
        var products: String?
        let answered = try await build(["--show-bin-path"], errors: .nothing) { products = $0 }
        guard answered.isSuccess, let products else {
            throw ModuleError.buildFailed(folder, answered, [])
        }
        let modules = try ModuleLibraries.inFolder(products)
        guard !modules.isEmpty else { throw ModuleError.noModulesBuilt(folder) }
        return modules
    }

    /// Whether a file is a whole library, so that it can be loaded: header and sections are in it.
    package static func isCompleteLibrary(_ path: String) -> Bool {
        (try? ELFFile(RandomAccessFile(path))) != nil
    }

    /// Runs `swift build`; a caller that is cancelled ends it.
    @MainActor
    private func build(
        _ options: [String] = [], errors: Program.Errors = .sameAsOutput,
        _ line: @MainActor (String) -> Void
    ) async throws -> ExitReason {
        var program = Program(swift, ["build", "-c", "release", "--package-path", folder] + options)
        program.output = .pipe
        program.errors = errors
        let child = try await ChildProcess.start(program)
        if let output = child.output {
            for await text in output.lines { line(text) }
        }
        let reason = await child.wait()
        try Task.checkCancellation()
        return reason
    }
}

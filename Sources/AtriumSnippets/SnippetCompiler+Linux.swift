internal import AtriumCrash
@_spi(Host) package import AtriumKit
package import AtriumLibraries
internal import AtriumStorage
internal import Glibc

/// Compiles Swift code that was typed at a prompt against the running modules, and loads it.
///
/// Definitions stay for later code; everything is in a scratch folder that ends with the host.
@MainActor
package final class SnippetCompiler {
    let kit: String
    let scratch: ScratchFolder
    /// The host's, which is run to use the toolchain's SourceKit.
    let executable: String
    private let swiftc: String
    private var foundToolchain: SwiftToolchain?
    private var count = 0
    private(set) var kept = KeptDefinitions()
    /// Lines that import modules of the system, for all later code.
    private var imports: [String] = []
    /// The modules of the host that were imported, for all later code.
    package private(set) var imported: Set<String> = []
    /// The libraries that were built without -enable-testing: only public declarations can be used.
    private var closed: Set<String> = []

    private static let limit = Duration.seconds(60)
    private static let largestLibrary = 1 << 30

    /// - Throws: ``SnippetError`` if there is no compiler or no interface of AtriumKit.
    package init(
        _ installation: Installation = .current, swiftc: String? = PackageBuild.find("swiftc")
    ) throws {
        guard let swiftc else { throw SnippetError.noToolchain }
        self.swiftc = swiftc
        executable = installation.executable
        kit = try Self.kit(of: installation)
        scratch = try ScratchFolder()
    }

    /// The toolchain of the compiler, which is asked before the first use.
    ///
    /// - Throws: ``SnippetError`` if the host was built by another one.
    func toolchain() async throws -> SwiftToolchain {
        if let foundToolchain { return foundToolchain }
        // The driver alone would leave a folder in TMPDIR.
        let answer = try await Self.output([swiftc, "-frontend", "-print-target-info"]).text
        guard let found = SwiftToolchain(answer) else { throw SnippetError.noToolchain }
        let host = String(Compatibility.compiler.prefix { !$0.isWhitespace })
        guard found.version == host else { throw SnippetError.otherToolchain(found.version, host: host) }
        foundToolchain = found
        return found
    }

    private static func kit(of installation: Installation) throws -> String {
        let built = "\(FileSystem.folder(of: installation.executable))/Modules"
        let folders = [built] + (installation.sdk.map { ["\($0)/modules"] } ?? [])
        guard let folder = folders.first(where: { FileSystem.exists("\($0)/AtriumKit.swiftmodule") }) else {
            throw SnippetError.noInterface("AtriumKit", built)
        }
        return folder
    }

    /// Compiles the code, which names these modules, and loads it; `aliases` name types that have another
    /// name in code.
    ///
    /// - Throws: ``SnippetError`` with the first error of the compiler, or if a file of these modules is not
    ///   that of an active generation by then; `CancellationError` if the caller is cancelled.
    package func compile(
        _ code: String, naming modules: [Module], aliases: [(name: String, type: String)],
        isActive: (String) -> Bool
    ) async throws -> Snippet.Body {
        for module in modules { try check(module) }
        count += 1
        return try await compile(code, modules, aliases, isActive)
    }

    private func compile(
        _ code: String, _ modules: [Module], _ aliases: [(name: String, type: String)],
        _ isActive: (String) -> Bool
    ) async throws -> Snippet.Body {
        let source = try SnippetSource(
            code, module: "Snippet\(count)", imports: lines(importing: modules), aliases: aliases,
            known: kept.definitions)
        let library = scratch.path("\(source.module).so")
        let used = kept.used(naming: modules)
        defer { if source.definition == nil { remove(source.module) } }
        do {
            try await compile(source, code, used, to: library)
        } catch {
            remove(source.module)
            guard let refused = (error as? SnippetError)?.refusedModule,
                let module = modules.first(where: { $0.name == refused }),
                closed.insert(module.loaded).inserted
            else { throw error }
            return try await compile(code, modules, aliases, isActive)
        }
        guard used.map(\.loaded).allSatisfy(isActive) else {
            remove(source.module)
            throw SnippetError.updated
        }
        if let imported = source.imported { keep(imported, modules) }
        let body = try SnippetLibrary.open(library)
        if let definition = source.definition { kept.keep(definition, in: library, using: used) }
        return body
    }

    /// The imports of code that names these modules.
    func lines(importing modules: [Module]) -> [String] {
        imports + modules.map { "\(closed.contains($0.loaded) ? "" : "@testable ")import \($0.name)" }
    }

    private func keep(_ new: SnippetSource.Import, _ modules: [Module]) {
        if modules.contains(where: { $0.name == new.module }) {
            imported.insert(new.module)
        } else if !imports.contains(new.line) {
            imports.append(new.line)
        }
    }

    /// Forgets the definitions that use a generation which was replaced, and returns their names.
    package func forgetOutdated(isActive: (String) -> Bool) -> [String] {
        kept.forgetOutdated(isActive: isActive).map { $0.name ?? "an extension" }
    }

    private func compile(
        _ source: SnippetSource, _ code: String, _ modules: [Module], to library: String
    ) async throws {
        let toolchain = try await toolchain()
        let file = scratch.path("\(source.module).swift")
        try AtomicFile.write(Array(source.text.utf8), to: file, synchronizing: false)
        let object = scratch.path("\(source.module).o")
        defer { for path in [object, object + ".autolink"] { unlink(path) } }
        var options = options(modules) + ["-Onone", "-suppress-warnings", "-diagnostic-style", "llvm"]
        if source.definition != nil {
            options += [
                "-emit-module", "-emit-module-path", scratch.path("\(source.module).swiftmodule"),
                "-enable-testing",
            ]
        }
        let compiled = try await Self.output(
            toolchain.frontend(file, module: source.module, to: object, options))
        guard compiled.isSuccess else { throw failure(error(in: compiled.text, of: source, code)) }
        let importsMore = !imports.isEmpty || source.imported != nil
        let others = modules.map(\.loaded) + kept.libraries
        for words in toolchain.linker(object, to: library, others, importsMore: importsMore) {
            let linked = try await Self.output(words)
            guard linked.isSuccess else {
                throw failure(.compilerFailed(String(linked.text.prefix { !$0.isNewline })))
            }
        }
    }

    /// The error, or that of a full disk: what the compiler says then is about files that it could not write.
    private func failure(_ error: SnippetError) -> SnippetError {
        guard error.code == "compilerFailed", FileSystem.freeSpace(in: scratch.path) < 1 << 20 else {
            return error
        }
        return .noSpace(FileSystem.folder(of: scratch.path))
    }

    /// How a file that uses these modules is read.
    func options(_ modules: [Module]) -> [String] {
        ["-parse-as-library", "-swift-version", "5", "-default-isolation", "MainActor"]
            + ["-I", kit, "-I", scratch.path] + modules.searchOptions
    }

    /// The compiler's first error, at the position that was typed.
    private func error(in output: String, of source: SnippetSource, _ code: String) -> SnippetError {
        let lines = output.split(separator: "\n")
        guard let line = lines.first(where: { $0.contains(": error: ") }),
            let sign = line.firstRange(of: ": error: ")
        else { return .compilerFailed(String(lines.last ?? "it printed nothing")) }
        let message = String(line[sign.upperBound...])
        if message.contains("was not compiled for testing") { return .notTestable(message) }
        let numbers = line[..<sign.lowerBound].split(separator: ":").suffix(2).compactMap { Int($0) }
        guard numbers.count == 2,
            let position = source.position(inLine: numbers[0], at: numbers[1], of: code)
        else { return .compilerFailed(message) }
        return .notCompiled(
            message, line: position.line, column: position.column, lines: code.count { $0 == "\n" } + 1)
    }

    private func check(_ module: Module) throws {
        let path = "\(module.interfaces)/\(module.name).swiftmodule"
        guard FileSystem.exists(path) else { throw SnippetError.noInterface(module.name, path) }
        if FileSystem.identity(of: module.source) == module.identity { return }
        // The same build, written again.
        let bytes = try? FileContents.read(module.source, limit: Self.largestLibrary)
        guard bytes.map({ ContentDigest(of: $0).description }) == module.digest else {
            throw SnippetError.outdatedInterface(module.name)
        }
    }

    private func remove(_ module: String) {
        for ending in ["swift", "so", "swiftmodule", "swiftdoc", "swiftsourceinfo", "abi.json"] {
            unlink(scratch.path("\(module).\(ending)"))
        }
    }

    static func output(_ words: [String]) async throws -> (text: String, isSuccess: Bool) {
        let process = try BatchProcess(words)
        do {
            let hasEnded = try await process.finish(within: limit)
            await process.end()
            guard hasEnded else { throw SnippetError.timedOut(limit) }
        } catch {
            await process.end()
            throw error
        }
        return (String(decoding: process.output, as: UTF8.self), process.status == 0)
    }
}

/// The compiled code.
@MainActor
enum SnippetLibrary {
    /// The function that hands over the code.
    nonisolated static let entry = "atrium_snippet"
    private typealias Entry = @convention(c) (UnsafeMutableRawPointer) -> Void

    static func open(_ path: String) throws -> Snippet.Body {
        guard let handle = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE),
            let symbol = dlsym(handle, entry)
        else {
            if let folder = FileSystem.folderWithoutExecution(of: path) {
                throw SnippetError.noExecution(folder)
            }
            throw SnippetError.notLoaded(
                dlerror().map { String(cString: $0) } ?? "the loader gives no reason")
        }
        CrashHandler.add(codeAt: symbol, of: "swift")
        var body: Snippet.Body?
        withUnsafeMutablePointer(to: &body) {
            unsafeBitCast(symbol, to: Entry.self)(UnsafeMutableRawPointer($0))
        }
        guard let body else { throw SnippetError.notLoaded("it has no entry") }
        return body
    }
}

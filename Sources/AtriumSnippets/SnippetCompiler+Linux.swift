@_spi(Host) package import AtriumKit
package import AtriumLibraries
internal import AtriumStorage
internal import Glibc

/// Compiles Swift code that was typed at a prompt against the running modules, and loads it.
///
/// Definitions stay for later code; everything is in a scratch folder that ends with the host.
@MainActor
package final class SnippetCompiler {
    /// A module that the code may name.
    package struct Module {
        package let name: String
        /// The file that is loaded, to which the code is linked.
        let loaded: String
        /// The folder with its interface, beside the original file.
        let interfaces: String
        /// The original file, and its identity when it was loaded.
        let (source, identity): (String, String)

        package init(_ library: CheckedLibrary) {
            (name, loaded, source) = (library.name, library.copy.path, library.source)
            identity = library.identity
            interfaces = "\(FileSystem.folder(of: source))/Modules"
        }
    }

    private let scratch: ScratchFolder
    private let swiftc: String
    private let kit: String
    private var count = 0
    private var definitions: [SnippetSource.Definition] = []
    /// Lines that import other modules, for all later code.
    private var imports: [String] = []
    /// The libraries of the definitions.
    private var libraries: [String: String] = [:]

    private static let limit = Duration.seconds(60)

    /// - Throws: ``SnippetError`` if there is no compiler, or another one, or no interface of AtriumKit.
    package init(_ installation: Installation = .current) async throws {
        guard let swiftc = PackageBuild.find("swiftc") else { throw SnippetError.noToolchain }
        self.swiftc = swiftc
        kit = try Self.kit(of: installation)
        scratch = try ScratchFolder()
        let version = try await Self.output([swiftc, "-version"]).text
        let found = version.firstRange(of: "Swift version ").map { version[$0.upperBound...] } ?? ""
        let host = Compatibility.compiler
        guard found.prefix(while: { !$0.isWhitespace }) == host.prefix(while: { !$0.isWhitespace }) else {
            throw SnippetError.otherToolchain(String(found.prefix { !$0.isNewline }), host: host)
        }
    }

    private static func kit(of installation: Installation) throws -> String {
        let built = "\(FileSystem.folder(of: installation.executable))/Modules"
        let folders = [built] + (installation.sdk.map { ["\($0)/modules"] } ?? [])
        guard let folder = folders.first(where: { FileSystem.exists("\($0)/AtriumKit.swiftmodule") }) else {
            throw SnippetError.noInterface("AtriumKit", built)
        }
        return folder
    }

    /// Compiles the code, which names these modules, and loads it; `aliases` name types that have another name in
    /// code.
    ///
    /// - Throws: ``SnippetError`` with the first error of the compiler; `CancellationError` if the caller is
    ///   cancelled.
    package func compile(
        _ code: String, naming modules: [Module], aliases: [(name: String, type: String)]
    ) async throws -> Snippet.Body {
        for module in modules { try check(module) }
        count += 1
        let source = try SnippetSource(
            code, module: "Snippet\(count)",
            imports: imports + modules.map { "@testable import \($0.name)" }, aliases: aliases,
            known: definitions)
        let library = scratch.path("\(source.module).so")
        defer { if source.definition == nil { remove(source.module) } }
        do {
            try await compile(source, code, modules, to: library)
        } catch {
            remove(source.module)
            throw error
        }
        if source.isImport { imports.append(code) }
        let body = try SnippetLibrary.open(library)
        if let definition = source.definition {
            if let name = definition.name { definitions.removeAll { $0.name == name } }
            definitions.append(definition)
            libraries[definition.module] = library
        }
        return body
    }

    private func compile(
        _ source: SnippetSource, _ code: String, _ modules: [Module], to library: String
    ) async throws {
        let file = scratch.path("\(source.module).swift")
        try AtomicFile.write(Array(source.text.utf8), to: file, synchronizing: false)
        var words = [
            swiftc, "-Onone", "-parse-as-library", "-module-name", source.module, "-emit-library", "-o",
            library,
            file, "-swift-version", "5", "-default-isolation", "MainActor", "-suppress-warnings",
            "-diagnostic-style", "llvm", "-module-cache-path", scratch.path("cache"), "-I", kit, "-I",
            scratch.path,
        ]
        words += modules.flatMap { ["-I", $0.interfaces, "-Xlinker", $0.loaded] }
        words += definitions.compactMap { libraries[$0.module] }.flatMap { ["-Xlinker", $0] }
        if source.definition != nil {
            words += [
                "-emit-module", "-emit-module-path", scratch.path("\(source.module).swiftmodule"),
                "-enable-testing",
            ]
        }
        let compiled = try await Self.output(words)
        guard compiled.isSuccess else { throw error(in: compiled.text, of: source, code) }
    }

    /// The compiler's first error, at the position that was typed.
    private func error(in output: String, of source: SnippetSource, _ code: String) -> SnippetError {
        let lines = output.split(separator: "\n")
        guard let line = lines.first(where: { $0.contains(": error: ") }),
            let sign = line.firstRange(of: ": error: ")
        else { return .compilerFailed(String(lines.last ?? "it printed nothing")) }
        let message = String(line[sign.upperBound...])
        let position = line[..<sign.lowerBound].split(separator: ":").suffix(2).compactMap { Int($0) }
        guard position.count == 2, let own = source.line(position[0], of: code) else {
            return .compilerFailed(message)
        }
        return .notCompiled(message, line: own, column: position[1], lines: code.count { $0 == "\n" } + 1)
    }

    private func check(_ module: Module) throws {
        let path = "\(module.interfaces)/\(module.name).swiftmodule"
        guard FileSystem.exists(path) else { throw SnippetError.noInterface(module.name, path) }
        guard FileSystem.identity(of: module.source) == module.identity else {
            throw SnippetError.outdatedInterface(module.name)
        }
    }

    private func remove(_ module: String) {
        for ending in ["swift", "so", "swiftmodule", "swiftdoc", "swiftsourceinfo", "abi.json"] {
            unlink(scratch.path("\(module).\(ending)"))
        }
    }

    private static func output(_ words: [String]) async throws -> (text: String, isSuccess: Bool) {
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
        var body: Snippet.Body?
        withUnsafeMutablePointer(to: &body) {
            unsafeBitCast(symbol, to: Entry.self)(UnsafeMutableRawPointer($0))
        }
        guard let body else { throw SnippetError.notLoaded("it has no entry") }
        return body
    }
}

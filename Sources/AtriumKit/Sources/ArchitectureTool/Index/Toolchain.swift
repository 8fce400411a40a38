import Foundation

/// Where the toolchain is that is used from this shell.
enum Toolchain {
    /// The index library beside the compiler.
    ///
    /// - Throws: ``CheckError`` where no compiler is found.
    static func indexLibrary() throws -> String {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        let compiler = folders.map { "\($0)/swiftc" }.first(where: FileManager.default.isExecutableFile)
        guard let compiler else { throw CheckError.noCompiler("swiftc") }
        return indexLibrary(besideCompiler: compiler)
    }

    private static func indexLibrary(besideCompiler compiler: String) -> String {
        let folder = URL(filePath: compiler).resolvingSymlinksInPath()
            .deletingLastPathComponent().deletingLastPathComponent().appending(path: "lib")
        #if canImport(Darwin)
            return folder.appending(path: "libIndexStore.dylib").path
        #else
            return folder.appending(path: "libIndexStore.so").path
        #endif
    }
}

package import AtriumManifest

/// Functions of the system that a library calls itself, beside the contexts of its module.
///
/// Found among the symbols that it needs; a library can hide them, as by asking the loader for them at run
/// time.
package struct SystemCalls: Sendable, Hashable {
    /// The capability that the functions are used for; nil if no capability covers them.
    package let capability: Capability?
    /// Their effect, as the words after the subject: `starts programs`.
    package let phrase: String
    /// Their names, sorted.
    package let functions: [String]

    private static let kinds: [(Capability?, String, Set<String>)] = [
        (
            .network(Capability.api), "opens connections",
            ["accept", "accept4", "bind", "connect", "getaddrinfo", "listen", "socket"]
        ),
        (
            .programs, "starts programs",
            [
                "clone", "execl", "execle", "execlp", "execv", "execve", "execvp", "execvpe", "fexecve",
                "fork",
                "popen", "posix_spawn", "posix_spawnp", "system", "vfork",
            ]
        ),
        (
            nil, "reaches other processes or code",
            [
                "dlmopen", "dlopen", "dlsym", "mprotect", "process_vm_readv", "process_vm_writev", "ptrace",
                "syscall",
            ]
        ),
    ]

    /// The calls of a library, by kind; none of its code runs.
    ///
    /// - Throws: ``ModuleError`` if a table of the file is damaged.
    package static func calls(of library: CheckedLibrary) throws -> [SystemCalls] {
        let symbols = try ELFFile(RandomAccessFile(library.copy.path, copiedFrom: library.source))
            .undefinedSymbols()
        return kinds.compactMap { capability, phrase, names in
            let found = symbols.filter(names.contains).sorted()
            return found.isEmpty
                ? nil : SystemCalls(capability: capability, phrase: phrase, functions: found)
        }
    }
}

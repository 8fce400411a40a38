package import AtriumManifest
internal import Glibc

/// The locations of this host's parts: below `PREFIX` if it is installed, else beside its executable.
package struct Installation: Sendable, Hashable {
    package static let current = Installation(executable: HostExecutable.path)

    package let executable: String
    /// The folder of `bin/atrium`, `lib/atrium` and `share/atrium`; nil if the host is not installed.
    package let prefix: String?

    package init(executable: String) {
        self.executable = executable
        let folder = FileSystem.folder(of: executable)
        let prefix = FileSystem.folder(of: folder)
        let isInstalled = folder.hasSuffix("/bin") && FileSystem.exists("\(prefix)/share/atrium/modules.json")
        self.prefix = isInstalled ? prefix : nil
    }

    /// The folder of the modules that come with the host.
    package var modules: String {
        prefix.map { "\($0)/lib/atrium/modules" } ?? FileSystem.folder(of: executable)
    }

    /// The folder with the interfaces of these modules, for 'swift' at the prompt: those of a build are beside its
    /// libraries.
    package var interfaces: String {
        prefix.map { "\($0)/share/atrium/sdk/interfaces" } ?? "\(modules)/Modules"
    }

    /// The folders for debug information by build id: of the installed host, and of Debian's packages.
    package var debugFolders: [String] {
        (prefix.map { ["\($0)/lib/atrium/debug"] } ?? []) + ["/usr/lib/debug"]
    }

    /// The manifests of the modules that come with the host.
    package var manifests: [ModuleManifest] {
        let libraries = (try? ModuleLibraries.libraries(in: modules)) ?? []
        return libraries.compactMap { try? DiscoveredLibrary(RandomAccessFile($0)).manifest }
    }

    package var configuration: String {
        "\(prefix.map { "\($0)/share/atrium" } ?? FileSystem.folder(of: executable))/modules.json"
    }

    /// The package that modules are built with: `ATRIUM_SDK`, else the installed one, else the one beside the
    /// build; nil if there is none.
    package var sdk: String? {
        if let chosen = getenv("ATRIUM_SDK").map({ String(cString: $0) }), !chosen.isEmpty {
            return FileSystem.absolute(chosen)
        }
        var candidates = prefix.map { ["\($0)/share/atrium/sdk"] } ?? []
        if prefix == nil {
            // .build/TRIPLE/release/atrium
            var folder = FileSystem.folder(of: executable)
            for _ in 0..<3 {
                candidates.append("\(folder)/sdk")
                folder = FileSystem.folder(of: folder)
            }
        }
        return candidates.first { FileSystem.exists("\($0)/Package.swift") }
    }
}

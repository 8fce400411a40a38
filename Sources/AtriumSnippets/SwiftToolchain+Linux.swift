@_spi(Host) internal import AtriumKit
internal import AtriumLibraries

/// The parts of the toolchain in `PATH` that compile snippets, run without their driver, which would take as
/// long again.
struct SwiftToolchain: Sendable {
    let version: String
    private let programs: String
    private let runtime: String
    let target: String

    /// What is read of `swiftc -frontend -print-target-info`.
    private struct Information: Decodable {
        struct Target: Decodable { let triple: String }
        struct Paths: Decodable {
            let runtimeLibraryPaths: [String]
            let runtimeResourcePath: String
        }
        let compilerVersion: String
        let target: Target
        let paths: Paths
    }

    /// Reads the compiler's answer; nil if it says something else.
    init?(_ text: String) {
        guard let information = try? StateCoding.decode(Information.self, from: text),
            let runtime = information.paths.runtimeLibraryPaths.first,
            let start = information.compilerVersion.firstRange(of: "Swift version ")?.upperBound
        else { return nil }
        version = String(information.compilerVersion[start...].prefix { !$0.isWhitespace })
        (self.runtime, target) = (runtime, information.target.triple)
        // TOOLCHAIN/lib/swift
        let root = FileSystem.folder(of: FileSystem.folder(of: information.paths.runtimeResourcePath))
        programs = "\(root)/bin"
    }

    /// The library that completes code; not every toolchain has it.
    var sourceKit: String { "\(programs)/../lib/libsourcekitdInProc.so" }

    /// The command that compiles a file.
    func frontend(_ file: String, module: String, to object: String, _ options: [String]) -> [String] {
        [
            "\(programs)/swift-frontend", "-frontend", "-c", "-primary-file", file, "-target", target,
            "-disable-objc-interop", "-module-name", module, "-o", object, "-in-process-plugin-server-path",
            "\(programs)/../lib/swift/host/libSwiftInProcPluginServer.so", "-plugin-path",
            "\(programs)/../lib/swift/host/plugins",
        ] + options
    }

    /// The commands that make a library of an object.
    ///
    /// The symbols of AtriumKit and of the runtime are in the process. Modules of the system that the code
    /// imports may not be: their libraries are linked by the C compiler, which knows where the system's are.
    func linker(_ object: String, to library: String, _ others: [String], importsMore: Bool) -> [[String]] {
        let objects =
            ["\(runtime)/\(SharedLibrary.machine)/swiftrt.o", object, "-L", runtime] + others
            + ["-lswiftSwiftOnoneSupport"]
        // Two segments, not four: each takes pages of memory as long as the host runs.
        let options = ["--as-needed", "-rpath", runtime, "--no-rosegment", "-z", "norelro"]
        guard importsMore else {
            return [["\(programs)/ld.lld", "-shared", "-o", library] + options + objects]
        }
        let list = object + ".autolink"
        return [
            ["\(programs)/swift-autolink-extract", object, "-o", list],
            ["\(programs)/clang", "-shared", "-fuse-ld=lld", "-o", library]
                + options.flatMap { ["-Xlinker", $0] } + objects + ["@\(list)"],
        ]
    }

    /// The command that writes the declarations of a module as `NAME.symbols.json` into a folder.
    func symbolGraph(of module: String, _ search: [String], in folder: String) -> [String] {
        [
            "\(programs)/swift-symbolgraph-extract", "-module-name", module, "-target", target, "-output-dir",
            folder, "-minimum-access-level", "internal", "-skip-synthesized-members",
        ] + search
    }
}

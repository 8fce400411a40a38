import Foundation
import Testing

/// Loads three libraries, as the host loads modules, each with a flow of its own.
@Suite struct FlowsInModulesTests {
    /// A module that begins a flow, returns the address of its FlowManager, and releases the flow on request.
    private static func module(_ name: String) -> String {
        """
        import AtriumKit

        enum Step: String, FlowStep { case first, second }

        @MainActor var flow: FlowModel<Step>?

        @c(begin_flow) public func beginFlow() -> UInt {
            MainActor.assumeIsolated {
                flow = FlowModel("\(name)") { $0 == .first ? .open : .requirement {} }
                return UInt(bitPattern: Unmanaged.passUnretained(FlowManager.shared).toOpaque())
            }
        }

        @c(end_flow) public func endFlow() {
            MainActor.assumeIsolated { flow = nil }
        }
        """
    }

    private static let host = """
        import AtriumKit
        import Glibc

        typealias Begin = @convention(c) () -> UInt
        typealias End = @convention(c) () -> Void
        let own = UInt(bitPattern: Unmanaged.passUnretained(FlowManager.shared).toOpaque())
        var ends: [End] = []
        for path in CommandLine.arguments.dropFirst() {
            guard let library = dlopen(path, RTLD_NOW | RTLD_LOCAL),
                let begin = dlsym(library, "begin_flow"), let end = dlsym(library, "end_flow")
            else { fatalError(String(cString: dlerror())) }
            print(unsafeBitCast(begin, to: Begin.self)() == own ? "same" : "another")
            ends.append(unsafeBitCast(end, to: End.self))
        }
        for flow in FlowManager.shared.flows { print(flow.displayText) }
        for end in ends {
            end()
            print(FlowManager.shared.flows.count)
        }
        """

    @Test("The host lists the flows of three separately loaded modules until they are released")
    func list() throws {
        let folder = try Project.temporaryFolder()
        defer { Project.remove(folder) }
        let modules = ["One", "Two", "Three"]
        for name in modules {
            try Self.compile(
                Self.module(name), as: name, ["-emit-library", "-o", "lib\(name).so"], in: folder)
        }
        try Self.compile(Self.host, as: "main", ["-o", "host"], in: folder)

        let run = try ProgramRun.run(
            folder.appending(path: "host").path, modules.map { folder.appending(path: "lib\($0).so").path },
            environment: ["LD_LIBRARY_PATH": Project.debug.path])

        let begun = "One: step 1 of 2, first\nTwo: step 1 of 2, first\nThree: step 1 of 2, first\n"
        #expect(run.output == "same\nsame\nsame\n" + begun + "2\n1\n0\n")
        #expect(run.status == 0)
    }

    private static func compile(
        _ source: String, as name: String, _ options: [String], in folder: URL
    ) throws {
        let file = folder.appending(path: "\(name).swift")
        try source.write(to: file, atomically: true, encoding: .utf8)
        let run = try ProgramRun.run(
            "/usr/bin/env",
            [
                "swiftc", "-swift-version", "6", "-module-name", name == "main" ? "Probe" : name, "-I",
                Project.debug.appending(path: "Modules").path, "-L", Project.debug.path, "-lAtriumKit",
            ] + options + [file.path], in: folder)
        try #require(run.status == 0, "\(run.output)")
    }
}

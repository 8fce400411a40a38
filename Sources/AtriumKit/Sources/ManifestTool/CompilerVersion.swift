import Foundation

/// Finds out which compiler builds a module.
enum CompilerVersion {
    /// Runs `swiftc --version` and returns the number in it, such as `6.3.1`.
    static func ask(_ compiler: String) throws(ToolError) -> String {
        let output = try run(compiler)
        guard let marker = output.range(of: "Swift version ") else {
            throw ToolError("\(compiler): error: '--version' prints no Swift version: \(output)")
        }
        return String(output[marker.upperBound...].prefix { !$0.isWhitespace })
    }

    private static func run(_ compiler: String) throws(ToolError) -> String {
        let process = Process()
        let pipe = Pipe()
        process.executableURL = URL(fileURLWithPath: compiler)
        process.arguments = ["--version"]
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = pipe
        process.standardError = FileHandle.nullDevice
        do {
            try process.run()
        } catch {
            throw ToolError("\(compiler): error: can't be run: \(error.localizedDescription)")
        }
        let output = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw ToolError("\(compiler): error: '--version' ended with status \(process.terminationStatus)")
        }
        return String(decoding: output, as: UTF8.self)
    }
}

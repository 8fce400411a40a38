import Glibc

/// A run of `swiftc --version`, which takes longer than everything else here: the code is read meanwhile.
struct CompilerRun: ~Copyable {
    private let compiler: String
    private let pipe: UnsafeMutablePointer<FILE>

    init(_ compiler: String) throws {
        let quoted = "'" + compiler.replacing("'", with: "'\\''") + "'"
        guard let pipe = popen("\(quoted) --version </dev/null 2>/dev/null", "r") else {
            throw ToolError("\(compiler): error: can't be run: \(String(cString: strerror(errno)))")
        }
        self.compiler = compiler
        self.pipe = pipe
    }

    /// Waits for the run, and returns the version number, such as `6.3.1`.
    consuming func version() throws -> String {
        var bytes: [UInt8] = []
        while case let byte = getc(pipe), byte != EOF { bytes.append(UInt8(truncatingIfNeeded: byte)) }
        let status = pclose(pipe)
        guard status == 0 else {
            throw ToolError("\(compiler): error: '--version' ended with status \(status >> 8 & 0xff)")
        }
        let output = String(decoding: bytes, as: UTF8.self)
        guard let marker = output.firstRange(of: "Swift version ") else {
            throw ToolError("\(compiler): error: '--version' prints no Swift version: \(output)")
        }
        return String(output[marker.upperBound...].prefix { !$0.isWhitespace })
    }
}

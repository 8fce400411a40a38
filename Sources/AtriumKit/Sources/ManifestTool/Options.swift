/// The command line of the tool.
struct Options {
    /// The `module.json` to check and embed; nil where only the compiler is stamped.
    let manifest: String?

    /// The Swift file to write.
    let output: String

    /// The compiler that builds the module.
    let compiler: String

    private static let usage =
        "usage: ManifestTool (<module.json> | --stamp-compiler) --output <File.swift> --swiftc <path>"

    /// Reads the words behind the tool's name.
    init(_ arguments: [String]) throws(ToolError) {
        guard arguments.count == 5, arguments[1] == "--output", arguments[3] == "--swiftc" else {
            throw ToolError(Self.usage)
        }
        manifest = arguments[0] == "--stamp-compiler" ? nil : arguments[0]
        output = arguments[2]
        compiler = arguments[4]
    }
}

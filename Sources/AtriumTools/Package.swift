// swift-tools-version: 6.2
import PackageDescription

/// The tools that build and check modules, and the manifest reader that they share with the host.
///
/// A package beside the SDK, whose plugins run the tools: no module sees or links any part of them
/// (Docs/decisions/0024-tools-beside-the-sdk.md).
let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

/// The C function that finds the library of an address.
@_silgen_name("dladdr")
func findLibrary(_ address: UnsafeRawPointer, _ found: UnsafeMutablePointer<UnsafePointer<CChar>?>) -> CInt

/// The folder of SwiftSyntax and SwiftParser in the toolchain that reads this manifest with its library
/// `lib/swift/pm/ManifestAPI/libPackageDescription.so`.
let swiftParser: String = {
    var library = [UnsafePointer<CChar>?](repeating: nil, count: 4)
    _ = findLibrary(unsafeBitCast(Package.self as AnyClass, to: UnsafeRawPointer.self), &library)
    let path = library[0].map { String(cString: $0) } ?? ""
    return path.split(separator: "/").dropLast(3).map { "/\($0)" }.joined() + "/host"
}()

/// Settings of the tools that read Swift code.
let parserSettings: [SwiftSetting] = [.unsafeFlags(["-I", swiftParser])]
let parserLinkage: [LinkerSetting] = [
    .unsafeFlags(["-L", swiftParser, "-Xlinker", "-rpath", "-Xlinker", swiftParser])
]

let package = Package(
    name: "AtriumTools",
    products: [
        .library(name: "AtriumManifest", type: .static, targets: ["AtriumManifest"]),
        .executable(name: "ManifestTool", targets: ["ManifestTool"]),
        .executable(name: "ArchitectureTool", targets: ["ArchitectureTool"]),
    ],
    targets: [
        .target(name: "AtriumManifest", path: "AtriumManifest", swiftSettings: settings),
        .executableTarget(
            name: "ManifestTool", dependencies: ["AtriumManifest"], path: "ManifestTool",
            swiftSettings: settings + parserSettings, linkerSettings: parserLinkage),
        .target(name: "CIndexStore", path: "CIndexStore"),
        .executableTarget(
            name: "ArchitectureTool", dependencies: ["CIndexStore"], path: "ArchitectureTool",
            swiftSettings: settings + parserSettings, linkerSettings: parserLinkage),
    ],
    swiftLanguageModes: [.v6]
)

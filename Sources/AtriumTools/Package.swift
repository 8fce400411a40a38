// swift-tools-version: 6.2
import PackageDescription

/// The tool that builds manifests into modules, and the reader of manifests that it shares with the host.
///
/// A package beside the SDK, whose plugins run the tool: no module sees or links any part of it
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

let package = Package(
    name: "AtriumTools",
    products: [
        .library(name: "AtriumManifest", type: .static, targets: ["AtriumManifest"]),
        .executable(name: "ManifestTool", targets: ["ManifestTool"]),
    ],
    targets: [
        .target(name: "AtriumManifest", path: "AtriumManifest", swiftSettings: settings),
        .executableTarget(
            name: "ManifestTool", dependencies: ["AtriumManifest"], path: "ManifestTool",
            swiftSettings: settings + [.unsafeFlags(["-I", swiftParser])],
            linkerSettings: [
                .unsafeFlags(["-L", swiftParser, "-Xlinker", "-rpath", "-Xlinker", swiftParser])
            ]),
    ],
    swiftLanguageModes: [.v6]
)

// swift-tools-version: 6.2
import PackageDescription

/// The architecture check, which `swift package check-architecture` of the SDK runs
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
    name: "ArchitectureTool",
    products: [.executable(name: "ArchitectureTool", targets: ["ArchitectureTool"])],
    targets: [
        .target(name: "CIndexStore", path: "CIndexStore"),
        .executableTarget(
            name: "ArchitectureTool", dependencies: ["CIndexStore"], path: "ArchitectureTool",
            swiftSettings: settings + [.unsafeFlags(["-I", swiftParser])],
            linkerSettings: [
                .unsafeFlags(["-L", swiftParser, "-Xlinker", "-rpath", "-Xlinker", swiftParser])
            ]),
    ],
    swiftLanguageModes: [.v6]
)

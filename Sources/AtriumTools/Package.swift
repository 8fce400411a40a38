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
            swiftSettings: settings),
        .target(name: "CIndexStore", path: "CIndexStore"),
        .executableTarget(
            name: "ArchitectureTool", dependencies: ["CIndexStore"], path: "ArchitectureTool",
            swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6]
)

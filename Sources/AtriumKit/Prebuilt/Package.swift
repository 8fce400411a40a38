// swift-tools-version: 6.2
import PackageDescription

/// The SDK as installed, on which the packages of modules depend.
///
/// AtriumKit and AtriumTesting are compiled (`modules`, `lib`), and so are the tools of the plugins
/// (`tools`). Made by `assemble`; the SDK from sources is the package one folder up.
let package = Package(
    name: "AtriumKit",
    products: [
        .plugin(name: "EmbedManifest", targets: ["EmbedManifest"]),
        .plugin(name: "CheckArchitecture", targets: ["CheckArchitecture"]),
    ],
    targets: [
        .plugin(name: "EmbedManifest", capability: .buildTool(), dependencies: ["ManifestTool"]),
        .plugin(
            name: "CheckArchitecture",
            capability: .command(
                intent: .custom(
                    verb: "check-architecture",
                    description: "Checks modules by the rules of the architecture that types cannot hold")),
            dependencies: ["ArchitectureTool"]),
        .binaryTarget(name: "ManifestTool", path: "tools/ManifestTool.artifactbundle"),
        .binaryTarget(name: "ArchitectureTool", path: "tools/ArchitectureTool.artifactbundle"),
    ],
    swiftLanguageModes: [.v6]
)

// swift-tools-version: 6.2
import PackageDescription

/// The SDK: everything that a feature module may see, in one dynamic library.
///
/// A separate package, because two products of one package that share a target each get a static copy of it:
/// types would then differ between the host and its modules (Docs/decisions/0001).
let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

let manifestTool = Target.Dependency.product(name: "ManifestTool", package: "AtriumTools")

let package = Package(
    name: "AtriumKit",
    products: [
        .library(name: "AtriumKit", type: .dynamic, targets: ["AtriumKit"]),
        .plugin(name: "EmbedManifest", targets: ["EmbedManifest"]),
        .plugin(name: "StampCompiler", targets: ["StampCompiler"]),
        .plugin(name: "CheckArchitecture", targets: ["CheckArchitecture"]),
    ],
    dependencies: [.package(path: "../ArchitectureTool"), .package(path: "../AtriumTools")],
    targets: [
        .target(
            name: "AtriumKit",
            exclude: ["Container/Contexts/README.md", "Container/Inlined/README.md", "Networking/README.md"],
            swiftSettings: settings + [
                .unsafeFlags(["-enable-library-evolution"]),
                // As in the host's package.
                .unsafeFlags(
                    ["-Xfrontend", "-disable-concrete-type-metadata-mangled-name-accessors"],
                    .when(configuration: .release)),
            ],
            // Crash reports name functions, so release builds keep the symbols.
            // Its own symbols are not looked up by name at each start.
            linkerSettings: [
                .unsafeFlags(
                    ["-Xlinker", "--strip-debug", "-Xlinker", "-Bsymbolic"], .when(configuration: .release))
            ]),
        .plugin(name: "EmbedManifest", capability: .buildTool(), dependencies: [manifestTool]),
        .plugin(name: "StampCompiler", capability: .buildTool(), dependencies: [manifestTool]),
        // Nothing depends on the check: it is built when it is run.
        .plugin(
            name: "CheckArchitecture",
            capability: .command(
                intent: .custom(
                    verb: "check-architecture",
                    description: "Checks modules by the rules of the architecture that types cannot hold")),
            dependencies: [.product(name: "ArchitectureTool", package: "ArchitectureTool")]),
    ],
    swiftLanguageModes: [.v6]
)

// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

let kit = Target.Dependency.product(name: "AtriumKit", package: "AtriumKit")
let manifest = Target.Dependency.product(name: "AtriumManifest", package: "AtriumKit")
let testing = Target.Dependency.product(name: "AtriumTesting", package: "AtriumKit")

/// A feature module: a dynamic library that links the SDK and nothing else of ours.
func featureModule(
    _ name: String, path: String? = nil, systemLibraries: [Target.Dependency] = []
) -> Target {
    .target(
        name: name,
        dependencies: [kit] + systemLibraries,
        path: path ?? "Plugins/\(name)",
        exclude: ["module.json"],
        // A service runs where its caller does until it has to wait: no change of threads for a short read.
        swiftSettings: settings + [.enableUpcomingFeature("NonisolatedNonsendingByDefault")],
        plugins: [.plugin(name: "EmbedManifest", package: "AtriumKit")])
}

/// A part of the host; only the executable and the tests link it.
func hostTarget(
    _ name: String, _ dependencies: [Target.Dependency], plugins: [Target.PluginUsage] = []
) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: settings, plugins: plugins)
}

func testTarget(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .testTarget(name: name, dependencies: dependencies, swiftSettings: settings)
}

/// The tests of a feature module whose services are tried in every environment.
func moduleTests(_ name: String) -> Target {
    testTarget(
        "\(name)Tests",
        [
            kit, testing, .init(stringLiteral: name), "AtriumNetworking", "AtriumStorage",
            "URLSessionTransport", "TestSupport", "LiveTestSupport",
        ])
}

let package = Package(
    name: "Atrium",
    products: [
        .executable(name: "atrium", targets: ["atrium"]),
        .library(name: "Session", type: .dynamic, targets: ["Session"]),
        .library(name: "UserProfile", type: .dynamic, targets: ["UserProfile"]),
        .library(name: "Entities", type: .dynamic, targets: ["Entities"]),
        .library(name: "URLSessionTransport", type: .dynamic, targets: ["URLSessionTransport"]),
        .library(name: "Faulty", type: .dynamic, targets: ["Faulty"]),
        .library(name: "Clockwork", type: .dynamic, targets: ["Clockwork"]),
        .library(name: "Wrecker", type: .dynamic, targets: ["Wrecker"]),
    ],
    dependencies: [.package(path: "Sources/AtriumKit")],
    targets: [
        .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
        .systemLibrary(name: "CSodium", pkgConfig: "libsodium", providers: [.apt(["libsodium-dev"])]),
        .target(name: "CEditline", linkerSettings: [.linkedLibrary("dl")]),
        .target(name: "CCrash"),
        .target(name: "CProcess"),

        hostTarget(
            "AtriumRuntime", [kit, manifest, "AtriumStorage", "CCrash", "CProcess", "CSodium"],
            plugins: [.plugin(name: "StampCompiler", package: "AtriumKit")]),
        hostTarget("AtriumNavigation", [kit]),
        hostTarget("AtriumStorage", [kit, "CSQLite"]),
        hostTarget("AtriumNetworking", [kit, manifest]),
        hostTarget(
            "AtriumShell",
            [
                kit, manifest, "AtriumNavigation", "AtriumNetworking", "AtriumRuntime", "AtriumStorage",
                "CEditline",
            ]),
        .executableTarget(
            name: "atrium",
            dependencies: [
                kit, manifest, "AtriumRuntime", "AtriumNavigation", "AtriumStorage", "AtriumNetworking",
                "AtriumShell",
            ],
            swiftSettings: settings),

        featureModule("Session", systemLibraries: ["CSodium"]),
        featureModule("UserProfile"),
        featureModule("Entities"),
        featureModule("URLSessionTransport"),
        // Modules for the tests of the built host; a release does not ship them.
        featureModule("Faulty", path: "Tests/Modules/Faulty"),
        featureModule("Clockwork", path: "Tests/Modules/Clockwork"),

        // A small host and a library for it, to be crashed by Tests/Crash/crash.py.
        .executableTarget(
            name: "crasher", dependencies: ["AtriumRuntime"], path: "Tests/Crash/Host",
            swiftSettings: settings),
        .target(name: "Wrecker", path: "Tests/Crash/Wrecker", swiftSettings: settings),

        .target(
            name: "TestSupport", dependencies: [kit, "AtriumStorage"], path: "Tests/TestSupport",
            swiftSettings: settings),
        // The API over the real transport and the reference server, for the tests of modules.
        .target(
            name: "LiveTestSupport",
            dependencies: [kit, "AtriumNetworking", "URLSessionTransport", "TestSupport"],
            path: "Tests/LiveTestSupport", swiftSettings: settings),
        testTarget("AtriumKitTests", [kit, testing, "TestSupport"]),
        testTarget("AtriumManifestTests", [manifest]),
        testTarget("AtriumRuntimeTests", [kit, manifest, "AtriumRuntime", "TestSupport"]),
        testTarget("AtriumNavigationTests", [kit, testing, "AtriumNavigation", "TestSupport"]),
        testTarget("AtriumStorageTests", [kit, "AtriumStorage", "CSQLite", "TestSupport"]),
        testTarget("AtriumNetworkingTests", [kit, testing, "AtriumNetworking", "TestSupport"]),
        testTarget("AtriumShellTests", [kit, "AtriumShell", "TestSupport"]),
        moduleTests("Session"),
        moduleTests("UserProfile"),
        moduleTests("Entities"),
        testTarget("URLSessionTransportTests", [kit, "URLSessionTransport", "TestSupport"]),
        // All screens of the modules, laid out as the host does it.
        testTarget(
            "ScreenTests",
            [
                kit, testing, "AtriumNavigation", "AtriumShell", "Session", "UserProfile", "Entities",
                "TestSupport",
            ]),
        // Drives what was built, so it links nothing of it; the tool is only built for it.
        .testTarget(
            name: "HostTests", dependencies: [.product(name: "ArchitectureTool", package: "AtriumKit")],
            swiftSettings: settings,
            linkerSettings: [
                // All test targets become one executable, and each module in it has an entry of the same name.
                .unsafeFlags(["-Xlinker", "--allow-multiple-definition"])
            ]),
    ],
    swiftLanguageModes: [.v6]
)

// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

let moduleSettings: [SwiftSetting] = [.enableUpcomingFeature("NonisolatedNonsendingByDefault")]

/// Generic types are made from the conformances that the compiler knows; by their mangled names, the runtime would
/// search every library for each of them, which was a tenth of a start.
let directMetadata: [SwiftSetting] = [
    .unsafeFlags(
        ["-Xfrontend", "-disable-concrete-type-metadata-mangled-name-accessors"],
        .when(configuration: .release))
]

let kit = Target.Dependency.product(name: "AtriumKit", package: "AtriumKit")
let manifest = Target.Dependency.product(name: "AtriumManifest", package: "AtriumTools")
let testing = Target.Dependency.target(name: "AtriumTesting")

/// For 'swift' at the prompt, which imports a module with its internal types.
let testable: [SwiftSetting] = [.unsafeFlags(["-enable-testing"], .when(configuration: .release))]

/// Crash reports name functions, so release builds keep the symbols and leave out what a debugger needs.
let withoutDebugInformation: [LinkerSetting] = [
    .unsafeFlags(["-Xlinker", "--strip-debug"], .when(configuration: .release))
]

/// What a library uses of its own is not looked up by name when it is opened; a testable one exports all of it.
let ownSymbols: [LinkerSetting] = [
    .unsafeFlags(["-Xlinker", "-Bsymbolic"], .when(configuration: .release))
]

/// A feature module: a dynamic library that links the SDK and nothing else of ours.
func featureModule(
    _ name: String, path: String? = nil, systemLibraries: [Target.Dependency] = []
) -> Target {
    .target(
        name: name,
        dependencies: [kit] + systemLibraries,
        path: path ?? "Plugins/\(name)",
        exclude: ["module.json"],
        // A service runs on its caller's executor until it has to wait: a short read changes no thread.
        swiftSettings: settings + moduleSettings + directMetadata + testable,
        linkerSettings: withoutDebugInformation + ownSymbols,
        plugins: [.plugin(name: "EmbedManifest", package: "AtriumKit")])
}

/// Leaves out Swift's own optimizer, half of the time of a compilation; LLVM's still runs.
///
/// For parts of the host that no start, line, page or update runs: Docs/decisions/0095-parts-that-are-not-hot.md.
let withoutSwiftOptimizer: [SwiftSetting] = [
    .unsafeFlags(["-Xfrontend", "-disable-sil-perf-optzns"], .when(configuration: .release))
]

/// A part of the host; only the executable and the tests link it.
func hostTarget(
    _ name: String, _ dependencies: [Target.Dependency], isHot: Bool = true,
    plugins: [Target.PluginUsage] = []
) -> Target {
    .target(
        name: name, dependencies: dependencies,
        swiftSettings: settings + directMetadata + (isHot ? [] : withoutSwiftOptimizer), plugins: plugins)
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
            "HTTPTransport", "PostgreSQL", "TestSupport", "LiveTestSupport",
        ])
}

func library(_ name: String) -> Product {
    .library(name: name, type: .dynamic, targets: [name])
}

let testModules = ["Faulty", "Clockwork", "Wrecker"]
let testTargets: [Target] = [
    // Modules that the built host loads in tests.
    featureModule("Faulty", path: "Tests/Modules/Faulty"),
    featureModule("Clockwork", path: "Tests/Modules/Clockwork"),

    // A small host and a library for it, to be crashed by Tests/Crash/crash.py.
    .executableTarget(
        name: "crasher", dependencies: ["AtriumCrash", "MainQueue"], path: "Tests/Crash/Host",
        swiftSettings: settings),
    .target(name: "Wrecker", path: "Tests/Crash/Wrecker", swiftSettings: settings),

    .target(
        name: "TestSupport", dependencies: [kit, "AtriumStorage"], path: "Tests/TestSupport",
        swiftSettings: settings),
    // A server that answers with any bytes, and bytes that servers have answered with.
    .target(name: "RawServer", path: "Tests/RawServer", swiftSettings: settings),
    // The API over the real transport and the reference server, for the tests of modules.
    .target(
        name: "LiveTestSupport",
        dependencies: [kit, "AtriumNetworking", "HTTPTransport", "TestSupport"],
        path: "Tests/LiveTestSupport", swiftSettings: settings),
    testTarget("AtriumKitTests", [kit, testing, "TestSupport"]),
    .testTarget(
        name: "AtriumManifestTests", dependencies: [manifest], exclude: ["Corpus", "validate.py"],
        swiftSettings: settings),
    testTarget(
        "AtriumRuntimeTests",
        [
            kit, manifest, testing, "AtriumBackup", "AtriumCrash", "AtriumHosts", "AtriumLibraries",
            "AtriumModules", "AtriumRepositories", "AtriumStorage", "PostgreSQL", "TestSupport",
        ]),
    testTarget("AtriumNavigationTests", [kit, testing, "AtriumNavigation", "TestSupport"]),
    testTarget(
        "AtriumTestingTests",
        [kit, testing, "AtriumConformance", "Session", "UserProfile", "Entities"]),
    testTarget("AtriumStorageTests", [kit, "AtriumStorage", "CSQLite", "TestSupport"]),
    testTarget("AtriumNetworkingTests", [kit, manifest, testing, "AtriumNetworking", "TestSupport"]),
    testTarget(
        "AtriumShellTests",
        [
            kit, manifest, "AtriumCommands", "AtriumLanguage", "AtriumLibraries", "AtriumLineEditor",
            "AtriumMCP", "AtriumModules", "AtriumNavigation", "AtriumNetworking", "AtriumPrompt",
            "AtriumRedirection", "AtriumRepositories", "AtriumServing", "AtriumSession", "AtriumSnippets",
            "AtriumStorage", "AtriumText", "AtriumTranscripts", "AtriumViews", "MainQueue", "TestSupport",
        ]),
    moduleTests("Session"),
    moduleTests("UserProfile"),
    moduleTests("Entities"),
    testTarget("HTTPTransportTests", [kit, "HTTPTransport", "RawServer", "TestSupport"]),
    testTarget("PostgreSQLTests", [kit, "PostgreSQL", "TestSupport"]),
    testTarget(
        "RecordsTests", [kit, testing, "AtriumStorage", "PostgreSQL", "LiveTestSupport", "TestSupport"]),
    // The targets of the fuzzer, with their kept inputs (Tests/Torture).
    .testTarget(
        name: "TortureTests",
        dependencies: [
            kit, manifest, "AtriumCommands", "AtriumCrash", "AtriumHosts", "AtriumLanguage",
            "AtriumLibraries", "AtriumLineEditor", "AtriumMCP", "AtriumModules", "AtriumNavigation",
            "AtriumNetworking", "AtriumPrompt", "AtriumServing", "AtriumSession", "AtriumStorage",
            "AtriumText", "TestSupport",
        ],
        path: "Tests/Torture/Fuzz", exclude: ["Corpus", "Driver", "Selection.swift"],
        sources: ["Targets", "Short"], swiftSettings: settings),
    // All screens of the modules, laid out as the host does it.
    testTarget(
        "ScreenTests",
        [
            kit, testing, "AtriumCommands", "AtriumNavigation", "AtriumText", "Session", "UserProfile",
            "Entities", "TestSupport",
        ]),
    // Drives what was built, so it links nothing of it; the tool is only built for it.
    .testTarget(
        name: "HostTests",
        dependencies: [.product(name: "ArchitectureTool", package: "ArchitectureTool"), "RawServer"],
        swiftSettings: settings,
        linkerSettings: [
            // All test targets become one executable, and each module in it has an entry of the same name.
            .unsafeFlags(["-Xlinker", "--allow-multiple-definition"])
        ]),
]

/// A program in Benchmarks/Sources; it is of this package, so that it may use the host's package declarations.
func benchmark(
    _ name: String, _ path: String, _ dependencies: [Target.Dependency], settings: [SwiftSetting] = settings
) -> Target {
    .executableTarget(
        name: name, dependencies: dependencies, path: "Benchmarks/Sources/\(path)", swiftSettings: settings)
}

let benchmarkModules = [
    "BenchBase", "BenchCalls", "BenchDependent", "BenchEager", "BenchFiller", "BenchPulse",
]
let benchmarkTargets: [Target] =
    benchmarkModules.map { featureModule($0, path: "Benchmarks/Modules/\($0)") } + [
        benchmark("BenchBare", "bare", []),
        .executableTarget(name: "BenchLaunch", path: "Benchmarks/Sources/launch"),
        .executableTarget(
            name: "BenchReference", path: "Benchmarks/Sources/reference",
            linkerSettings: [.linkedLibrary("sqlite3")]),

        .executableTarget(
            name: "BenchLibpq", path: "Benchmarks/Sources/libpq", linkerSettings: [.linkedLibrary("pq")]),
        .systemLibrary(name: "MallocStatistics", path: "Benchmarks/Sources/malloc"),
        .target(
            name: "BenchSupport", dependencies: [kit], path: "Benchmarks/Sources/support",
            swiftSettings: settings),
        benchmark(
            "BenchContainer", "container",
            [
                kit, "BenchSupport", "MallocStatistics",
                .product(name: "ContainerModule", package: "ContainerModule"),
            ]),
        benchmark("BenchNavigation", "navigation", [kit, "AtriumNavigation", "BenchSupport", "MainQueue"]),
        benchmark("BenchRender", "render", [kit, "AtriumText", "BenchSupport"]),
        benchmark(
            "BenchLayers", "layers", [kit, "BenchSupport", "MainQueue", "MallocStatistics"],
            settings: settings + moduleSettings),
        benchmark(
            "BenchAPI", "api", [kit, "AtriumNetworking", "BenchSupport", "MainQueue", "HTTPTransport"],
            settings: settings + moduleSettings),
        // Links libcurl, as a program that uses it does; the transport opens the same library.
        .target(
            name: "CurlEasy", path: "Benchmarks/Sources/curl", linkerSettings: [.linkedLibrary("curl")]),
        benchmark(
            "BenchTransport", "transport", [kit, "BenchSupport", "CurlEasy", "HTTPTransport", "MainQueue"],
            settings: settings + moduleSettings),
        // Has the sources of the module's services by symbolic links, since a module shows nobody its own types.
        benchmark(
            "BenchService", "service", [kit, "AtriumStorage", "BenchSupport", "MainQueue", "PostgreSQL"],
            settings: settings + moduleSettings),
    ]

let package = Package(
    name: "Atrium",
    products: [
        .executable(name: "atrium", targets: ["atrium"]),
        library("Session"),
        library("UserProfile"),
        library("Entities"),
        library("HTTPTransport"),
        library("PostgreSQL"),
        library("AtriumTesting"),
    ],
    dependencies: [
        .package(path: "Sources/ArchitectureTool"), .package(path: "Sources/AtriumKit"),
        .package(path: "Sources/AtriumTools"),
    ],
    targets: [
        // Opens libsqlite3 with the first database: nothing links it.
        .target(name: "CSQLite", linkerSettings: [.linkedLibrary("dl")]),
        .systemLibrary(name: "CPostgreSQL", pkgConfig: "libpq", providers: [.apt(["libpq-dev"])]),
        .systemLibrary(name: "CSodium", pkgConfig: "libsodium", providers: [.apt(["libsodium-dev"])]),
        .systemLibrary(name: "CSourceKit"),
        .target(name: "CTerminal", dependencies: ["CCrash"]),
        .target(name: "CCrash"),
        // Opens libcurl with the first request: nothing links it.
        .target(name: "CCurl", linkerSettings: [.linkedLibrary("dl")]),

        hostTarget("MainQueue", ["CCrash"]),
        hostTarget(
            "AtriumLibraries", [kit, manifest, "AtriumStorage", "CCrash", "CSodium"],
            plugins: [.plugin(name: "StampCompiler", package: "AtriumKit")]),
        hostTarget("AtriumCrash", [kit, "AtriumLibraries", "AtriumStorage", "CCrash", "MainQueue"]),
        hostTarget(
            "AtriumRepositories", [kit, manifest, "AtriumLibraries", "AtriumStorage", "CSodium"], isHot: false
        ),
        hostTarget(
            "AtriumModules",
            [
                kit, manifest, "AtriumCrash", "AtriumLibraries", "AtriumRepositories", "AtriumStorage",
                "CCrash",
            ]),
        hostTarget(
            "AtriumHosts",
            [kit, manifest, "AtriumLibraries", "AtriumModules", "AtriumRepositories", "AtriumStorage"],
            isHot: false),
        hostTarget(
            "AtriumBackup", [kit, manifest, "AtriumLibraries", "AtriumModules", "AtriumStorage", "CSodium"]),
        hostTarget(
            "AtriumSnippets", [kit, "AtriumCrash", "AtriumLibraries", "AtriumStorage", "CSourceKit"],
            isHot: false),
        hostTarget("AtriumNavigation", [kit]),
        hostTarget("AtriumStorage", [kit, manifest, "CSQLite"]),
        hostTarget("AtriumNetworking", [kit, manifest]),
        hostTarget("AtriumText", [kit, "CCrash", "CTerminal"]),
        hostTarget("AtriumLanguage", [kit, "AtriumText"]),
        hostTarget(
            "AtriumLineEditor",
            [kit, "AtriumLanguage", "AtriumLibraries", "AtriumStorage", "AtriumText"]),
        hostTarget(
            "AtriumRedirection", [kit, "AtriumLanguage", "AtriumLibraries", "AtriumStorage", "AtriumText"]),
        hostTarget(
            "AtriumViews",
            [
                kit, manifest, "AtriumBackup", "AtriumHosts", "AtriumLibraries", "AtriumModules",
                "AtriumNavigation", "AtriumNetworking", "AtriumRepositories", "AtriumSnippets", "AtriumText",
                "MainQueue",
            ]),
        hostTarget(
            "AtriumCommands",
            [
                kit, manifest, "AtriumBackup", "AtriumCrash", "AtriumHosts", "AtriumLanguage",
                "AtriumLibraries", "AtriumLineEditor", "AtriumModules", "AtriumNavigation",
                "AtriumNetworking", "AtriumRedirection", "AtriumRepositories", "AtriumSnippets",
                "AtriumStorage", "AtriumText", "AtriumViews", "MainQueue",
            ]),
        hostTarget(
            "AtriumSession",
            [
                kit, manifest, "AtriumCommands", "AtriumLanguage", "AtriumModules", "AtriumNavigation",
                "AtriumRedirection", "AtriumStorage", "AtriumText", "CCrash",
            ]),
        hostTarget(
            "AtriumServing",
            [
                kit, "AtriumCommands", "AtriumLanguage", "AtriumNavigation", "AtriumRedirection",
                "AtriumSession", "AtriumStorage",
                "AtriumText",
            ]),
        hostTarget(
            "AtriumPrompt",
            [
                kit, manifest, "AtriumCommands", "AtriumCrash", "AtriumLanguage", "AtriumLibraries",
                "AtriumLineEditor", "AtriumModules", "AtriumNavigation", "AtriumRedirection", "AtriumServing",
                "AtriumSession",
                "AtriumStorage", "AtriumText",
            ]),
        hostTarget(
            "AtriumMCP",
            [
                kit, manifest, "AtriumCommands", "AtriumLanguage", "AtriumLibraries", "AtriumModules",
                "AtriumNavigation", "AtriumRedirection", "AtriumServing", "AtriumSession", "AtriumStorage",
                "AtriumText", "AtriumViews",
            ]),
        hostTarget(
            "AtriumTranscripts",
            [
                kit, manifest, "AtriumCommands", "AtriumLanguage", "AtriumLibraries", "AtriumLineEditor",
                "AtriumModules", "AtriumPrompt", "AtriumRedirection", "AtriumSession", "AtriumStorage",
                "AtriumText",
            ], isHot: false),
        hostTarget(
            "AtriumConformance",
            [
                kit, manifest, "AtriumCommands", "AtriumLanguage", "AtriumLibraries", "AtriumModules",
                "AtriumNavigation", "AtriumStorage", "AtriumText",
            ], isHot: false),
        // A host for the tests of module authors; the SDK has it as a library, with an interface of its own.
        .target(
            name: "AtriumTesting",
            dependencies: [
                kit, manifest, "AtriumCommands", "AtriumConformance", "AtriumLibraries", "AtriumModules",
                "AtriumNavigation", "AtriumSession", "AtriumStorage", "AtriumText",
            ],
            swiftSettings: settings + [.unsafeFlags(["-enable-library-evolution"])],
            linkerSettings: [
                .unsafeFlags(
                    ["-Xlinker", "--strip-all", "-no-toolchain-stdlib-rpath"], .when(configuration: .release))
            ]),
        .executableTarget(
            name: "atrium",
            dependencies: [
                kit, manifest, "AtriumBackup", "AtriumCommands", "AtriumConformance", "AtriumCrash",
                "AtriumHosts", "AtriumLibraries", "AtriumMCP", "AtriumModules", "AtriumNavigation",
                "AtriumNetworking", "AtriumPrompt", "AtriumRedirection", "AtriumRepositories",
                "AtriumServing",
                "AtriumSession", "AtriumSnippets", "AtriumStorage", "AtriumText", "AtriumTranscripts",
                "AtriumViews", "MainQueue",
            ],
            exclude: ["Installed"], swiftSettings: settings, linkerSettings: withoutDebugInformation),

        featureModule("Session", systemLibraries: ["CSodium"]),
        featureModule("UserProfile"),
        featureModule("Entities"),
        featureModule("HTTPTransport", systemLibraries: ["CCurl"]),
        featureModule("PostgreSQL", systemLibraries: ["CPostgreSQL"]),
    ],
    swiftLanguageModes: [.v6]
)

// `make bench` alone builds the benchmarks' programs, and then no tests.
if Context.environment["ATRIUM_BENCHMARKS"] == "1" {
    package.dependencies.append(.package(path: "Benchmarks/ContainerModule"))
    package.products += benchmarkModules.map(library)
    package.targets += benchmarkTargets
} else {
    package.products += testModules.map(library)
    package.targets += testTargets
}

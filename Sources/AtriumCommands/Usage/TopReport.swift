@_spi(Host) internal import AtriumKit
internal import AtriumModules
internal import AtriumNavigation
internal import AtriumNetworking
internal import AtriumText
internal import AtriumViews
internal import Glibc

/// A snapshot of a host's activity: its process, modules, screens, endpoints and scenes.
@MainActor
struct TopReport {
    private let host: ShellHost
    private let present: Scene
    private let usage = ProcessUsage()
    private let uptime: Duration
    private let screens: [ScreenRow]
    private let endpoints: [APIMetrics.Endpoint]
    /// The processor load since the previous report; nil for the first.
    private let load: Double?

    /// Takes a report of a host; `former` is the previous one.
    init(_ host: ShellHost, at scene: Scene, since former: TopReport? = nil) async {
        self.host = host
        present = scene
        uptime = host.began.duration(to: .now)
        let names = Dictionary(
            host.screens.all.map {
                (ScreenUsage.Key(module: $0.module, destination: $0.name), $0.pattern.description)
            }
        ) { first, _ in first }
        screens = host.usage.screens.map { key, times in
            ScreenRow(module: key.module, link: names[key] ?? key.destination, times: times)
        }.sorted { ($1.times.calls, $0.link) < ($0.times.calls, $1.link) }
        let (computed, time) = (usage.computed, uptime)
        load = former.map { former in
            time > former.uptime ? (computed - former.usage.computed) / (time - former.uptime) : 0
        }
        var endpoints: [APIMetrics.Endpoint] = []
        let named = host.apis.named().sorted { $0.key < $1.key }.map(\.value)
        for client in [host.apis.standard].compactMap({ $0 }) + named {
            endpoints += await client.metrics.endpoints
        }
        self.endpoints = endpoints
    }

    private struct ScreenRow {
        let module: String
        let link: String
        let times: ScreenUsage.Times
    }

    // MARK: - Content

    var content: Content {
        Content {
            Field(
                "process",
                Worded(
                    "\(getpid()), Atrium \(HostVersion.current), environment \(host.environment.rawValue)",
                    .integer(Int64(getpid()))))
            Field("uptimeSeconds", label: "Uptime", Worded(uptime.words, .number(uptime / .seconds(1))))
            Field(
                "memoryBytes", label: "Memory",
                Worded(
                    "\(Self.megabytes(usage.memory)), at most \(Self.megabytes(usage.peak))",
                    .integer(Int64(usage.memory))))
            Field(
                "cpuSeconds", label: "CPU",
                Worded(
                    usage.computed.words + (load.map { ", now \(Int(($0 * 100).rounded())) %" } ?? ""),
                    .number(usage.computed / .seconds(1))))
            database
            modules
            ModuleViews.times(of: host.runtime.modules.filter { $0.current != nil })
            screenTable
            endpointTable
            scenes
        }
    }

    private var database: Content {
        Content {
            if let usage = host.databaseUsage() {
                Table([usage], key: "database") {
                    Column("connections") { $0.connections }
                    Column("busy") { $0.busy }
                    Column("limit") { $0.limit }
                    Column("waiting") { $0.waiting }
                    Column("transactions") { $0.transactions }
                    Column("conflicts") { $0.conflicts }
                    Column("hearsOthers", label: "Hears others") { _ in host.feedLoss() == nil }
                }
            }
        }
    }

    private var modules: Content {
        let entries = host.scenes.flatMap(\.coordinator.state.entries)
        return Content {
            Table(host.runtime.modules) {
                Column("module") { $0.name }
                Column("state") { $0.state.name }
                Column("generation") { $0.current?.number }
                Column("calls") { module in
                    screens.filter { $0.module == module.name }.reduce(0) { $0 + $1.times.calls }
                }
                Column("entries", label: "On stacks") { module in
                    entries.count { $0.module == module.name }
                }
                Column("tasks") { $0.current?.tasksRunning.count }
                Column("draining") { $0.retired.count { !$0.isDrained } }
            }
        }
    }

    private var screenTable: Content {
        Content {
            if screens.isEmpty {
                Verbatim("screens", [], value: .array([]))
            } else {
                Table(screens, key: "screens") {
                    Column("link", label: "Screen") { $0.link }
                    Column("module", isHidden: true) { $0.module }
                    Column("calls") { $0.times.calls }
                    Column("errors") { $0.times.errors }
                    Column("medianMicroseconds", label: "Median") { Self.latency($0.times.latency, 0.5) }
                    Column("worstMicroseconds", label: "Worst") { Self.latency($0.times.latency, 1) }
                }
            }
        }
    }

    private var endpointTable: Content {
        Content {
            if endpoints.isEmpty {
                Verbatim("endpoints", [], value: .array([]))
            } else {
                Table(endpoints, key: "endpoints") {
                    Column("endpoint") { "\($0.name)" }
                    Column("calls") { $0.calls }
                    Column("errors") { $0.errors }
                    Column("medianMicroseconds", label: "Median") { Self.latency($0.latency, 0.5) }
                    Column("worstMicroseconds", label: "Worst") { Self.latency($0.latency, 1) }
                }
            }
        }
    }

    private var scenes: Content {
        Content {
            Table(host.scenes, key: "scenes") {
                Column("scene") { $0.name }
                Column("link") { $0.currentLink }
                Column("client") { $0.client?.name ?? "the host" }
                Column("jobs") { scene in
                    // Without this command itself.
                    scene.display.jobs.all.count - (scene === present ? 1 : 0)
                }
            }
        }
    }

    /// The duration that a given share of the latest calls did not exceed.
    private static func latency(_ latencies: Latencies, _ share: Double) -> Worded {
        guard let time = latencies.percentile(share) else { return Worded("", .null) }
        return Worded(APIViews.milliseconds(time), .integer(Int64(time / .microseconds(1))))
    }

    private static func megabytes(_ bytes: Int) -> String {
        let tenths = (bytes + 50_000) / 100_000
        return "\(tenths / 10).\(tenths % 10) MB"
    }
}

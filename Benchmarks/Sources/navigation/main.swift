@_spi(Host) import AtriumKit
import AtriumNavigation
import BenchSupport
import Glibc
import MainQueue

/// Times the coordinator. Usage: navigation [WORDS]; without arguments it reads lines of words, separated by
/// tabs:
/// - `move CASE DEPTH TIMES` pushes a screen and goes back, above `DEPTH` entries; CASE is `plain`,
///   `guarded`, `saving`, or `alone` to only build and load the screen
/// - `restore COUNT SIDE` decodes a stack of `COUNT` entries and shows the top; SIDE is `shown`, or `decoded`
///   to only decode it
/// - `archive COUNT SIDE` archives such a stack with all screens built; SIDE is `live`, or `encoded` to only
///   encode it
/// - `find PATTERNS TIMES` parses links and finds their screens among `PATTERNS` patterns; `parse` only
///   parses them
///
/// The result is wall-clock and processor time in nanoseconds.
var stands: [Int: Stand] = [:]
var kept: [Int: String] = [:]
var tables: [Int: Stand] = [:]

@MainActor
func timed(_ body: @MainActor () async throws -> Void) async rethrows -> String {
    let start = Stopwatch()
    try await body()
    return start.elapsed
}

@MainActor
func stand(_ depth: Int) async throws -> Stand {
    if let stand = stands[depth] { return stand }
    let stand = try Stand()
    try await stand.fill(depth)
    stands[depth] = stand
    return stand
}

@MainActor
func move(_ name: String, _ depth: Int, _ times: Int) async throws -> String {
    let stand = try await stand(depth)
    let coordinator = stand.coordinator
    func both(_ destination: some Destination) async throws -> String {
        try await timed {
            for _ in 0..<times {
                try await coordinator.push(destination)
                try await coordinator.back()
            }
        }
    }
    switch name {
    case "plain": return try await both(PlainDestination(id: 7))
    case "guarded": return try await both(GuardedDestination(id: 7))
    case "saving": return try await both(SaleDestination(id: 7))
    case "tasks":
        return try await timed {
            for _ in 0..<2 * times { try await Task { try Task.checkCancellation() }.value }
        }
    default:
        var built = 0
        let answer = try await timed {
            for _ in 0..<times { built += try stand.build(PlainDestination(id: 7)) }
        }
        precondition(built == times)
        return answer
    }
}

@MainActor
func text(_ count: Int) async throws -> String {
    if let text = kept[count] { return text }
    let text = try StateCoding.encode(await stand(count).coordinator.archive())
    kept[count] = text
    return text
}

@MainActor
func restore(_ count: Int, _ side: String) async throws -> String {
    let text = try await text(count)
    let next = try Stand()
    return try await timed {
        let state = try StateCoding.decode(NavigationState.self, from: text)
        guard side == "shown" else { return }
        let coordinator = Coordinator(container: next.container, screens: next.screens, state: state)
        guard try await coordinator.evaluateCurrentGuards() == nil,
            try await coordinator.loadedScreen() != nil
        else {
            preconditionFailure("The top is shown.")
        }
    }
}

@MainActor
func archive(_ count: Int, _ side: String) async throws -> String {
    let coordinator = try await stand(count).coordinator
    let state = coordinator.archive()
    return try await timed {
        _ = try StateCoding.encode(side == "live" ? coordinator.archive() : state)
    }
}

@MainActor
func find(_ patterns: Int, _ times: Int, onlyParsed: Bool) throws -> String {
    if tables[patterns] == nil { tables[patterns] = try Stand(patterns: patterns) }
    let screens = tables[patterns]!.screens
    let links = (0..<100).map { "fillers\($0 * 7_919 % patterns)/12/parts/lid" }
    var found = 0
    let start = Stopwatch()
    for number in 0..<times {
        let link = try Link(links[number % links.count])
        if onlyParsed {
            found += 1
        } else if try screens.screen(for: link)?.destination(link) != nil {
            found += 1
        }
    }
    let elapsed = start.elapsed
    precondition(found == times)
    return elapsed
}

@MainActor
func answer(_ words: [String]) async throws -> String {
    switch words[0] {
    case "restore": try await restore(Int(words[1])!, words[2])
    case "archive": try await archive(Int(words[1])!, words[2])
    case "find": try find(Int(words[1])!, Int(words[2])!, onlyParsed: false)
    case "parse": try find(Int(words[1])!, Int(words[2])!, onlyParsed: true)
    default: try await move(words[1], Int(words[2])!, Int(words[3])!)
    }
}

Task { @MainActor in
    if CommandLine.arguments.count > 1 {
        print(try await answer(Array(CommandLine.arguments.dropFirst())))
    } else {
        while let line = readLine() {
            print(try await answer(line.split(separator: "\t").map(String.init)))
            fflush(nil)
        }
    }
    exit(0)
}
MainQueue.run()

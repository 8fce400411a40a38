@_spi(Host) import AtriumKit
import ContainerModule
import Glibc
import MallocStatistics

/// Times the container's work for the module in ContainerModule; the loops run there, as a module's code
/// does.
///
/// Usage: container [CASE SIDE OTHERS TIMES]; without arguments it reads lines of these words, separated by
/// tabs:
/// - `loop CASE SIDE OTHERS TIMES`, SIDE being `container`, `plain`, `constant` or `locked`
/// - `fill SIDE COUNT` fills a new container and resolves everything twice
/// - `remove SIDE OTHERS TIMES` removes a module of a hundred registrations
/// - `memory SIDE COUNT`
///
/// The result is wall-clock and processor time in nanoseconds (`memory`: bytes).
var stands: [Int: Stand] = [:]

/// Disables optimizations for single-threaded processes.
func startSecondThread() {
    var thread = pthread_t()
    pthread_create(&thread, nil, { _ in while true { pause() } }, nil)
}

@MainActor
func stand(_ others: Int) throws -> Stand {
    if let stand = stands[others] { return stand }
    let stand = try Stand(with: FillerModule.all(others))
    for _ in 0..<3 { try stand.show(WalkDestination()) }
    try stand.warmUp()
    stands[others] = stand
    return stand
}

@MainActor
func loop(_ name: String, _ side: String, others: Int, times: Int) throws -> String {
    let what = Case(rawValue: name)!
    let stand = side == "container" ? try stand(others) : nil
    LoopWatch.times = times
    switch side {
    case "container": try stand!.run(what)
    case "plain": Baselines.plain(what)
    case "constant": Baselines.constant(what)
    default: Baselines.locked(what)
    }
    return elapsed()
}

@MainActor
func elapsed() -> String { "\(LoopWatch.elapsed.wall) \(LoopWatch.elapsed.processor)" }

@MainActor
func timed(_ body: @MainActor () throws -> Void) rethrows -> String {
    let start = LoopWatch.start()
    try body()
    LoopWatch.stop(start)
    return elapsed()
}

@MainActor
func fill(_ side: String, _ count: Int) throws -> String {
    let modules = FillerModule.all(count)
    var answers: [String] = []
    if side == "container" {
        let stand = try Stand()
        answers.append(try timed { for module in modules { try stand.add(module, .transient) } })
        try stand.addWalk(of: modules)
        for _ in 0..<4 {
            try stand.show(WalkDestination())
            answers.append(elapsed())
        }
    } else {
        let dictionary = FillerModule.Dictionary()
        answers.append(timed { for module in modules { module.fill(dictionary) } })
        for _ in 0..<4 {
            FillerModule.walk(modules, dictionary)
            answers.append(elapsed())
        }
    }
    return [answers[0], answers[1], answers[4]].joined(separator: " ")
}

@MainActor
func remove(_ side: String, others: Int, times: Int) throws -> String {
    let modules = FillerModule.all(others + FillerModule.size)
    let last = modules.last!
    var sum = (wall: 0, processor: 0)
    func add() { sum = (sum.wall + LoopWatch.elapsed.wall, sum.processor + LoopWatch.elapsed.processor) }
    if side == "container" {
        let stand = try Stand()
        for module in modules.dropLast() { try stand.add(module, .shared) }
        try stand.addWalk(of: modules.dropLast())
        try stand.show(WalkDestination())
        try stand.addWalk(of: [last])
        for _ in 0..<times {
            let scope = try stand.add(last, .shared)
            try stand.show(WalkDestination())
            _ = timed { stand.container.remove(scope) }
            add()
        }
    } else {
        let dictionary = FillerModule.Dictionary()
        for module in modules { module.fill(dictionary) }
        for _ in 0..<times {
            last.fill(dictionary)
            FillerModule.walk([last], dictionary)
            _ = timed { last.remove(from: dictionary) }
            add()
        }
    }
    return "\(sum.wall) \(sum.processor)"
}

/// Bytes that malloc has allocated.
func allocated() -> Int {
    let info = mallinfo2()
    return Int(info.uordblks + info.hblkhd)
}

@MainActor
func memory(_ side: String, _ count: Int) throws -> String {
    let modules = FillerModule.all(count)
    // A first run creates metadata, which is never freed.
    _ = try fill("container", count)
    _ = try fill("dictionary", count)
    let before = allocated()
    if side == "container" {
        let stand = try Stand()
        let empty = allocated()
        for module in modules { try stand.add(module, .transient) }
        let filled = allocated()
        try stand.addWalk(of: modules)
        for _ in 0..<3 { try stand.show(WalkDestination()) }
        let walked = allocated()
        return withExtendedLifetime((modules, stand)) { "\(filled - empty) \(walked - empty)" }
    }
    let dictionary = FillerModule.Dictionary()
    for module in modules { module.fill(dictionary) }
    let filled = allocated()
    FillerModule.walk(modules, dictionary)
    let walked = allocated()
    return withExtendedLifetime((modules, dictionary)) { "\(filled - before) \(walked - before)" }
}

@MainActor
func answer(_ words: [String]) throws -> String {
    switch words[0] {
    case "fill": try fill(words[1], Int(words[2])!)
    case "remove": try remove(words[1], others: Int(words[2])!, times: Int(words[3])!)
    case "memory": try memory(words[1], Int(words[2])!)
    default: try loop(words[1], words[2], others: Int(words[3])!, times: Int(words[4])!)
    }
}

startSecondThread()
if CommandLine.arguments.count > 1 {
    print(try answer(Array(CommandLine.arguments.dropFirst())))
} else {
    while let line = readLine() {
        print(try answer(line.split(separator: "\t").map(String.init)))
        fflush(nil)
    }
}

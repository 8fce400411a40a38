@_spi(Host) import AtriumKit
import TestSupport
import Testing

@MainActor
@Suite("Changes of data")
struct ChangeFeedTests {
    private final class Listener {
        var changes: [DataChange] = []
    }

    @Test("The announcements of a transaction are told once each; many of a topic become one of everything")
    func merged() {
        func announcement(_ topic: String, _ key: String?) -> Announcement {
            Announcement(topic: topic, key: key)
        }
        let few = ["2", "1", "2"].map { announcement("notes", $0) } + [announcement("tags", "a")]

        #expect(
            Announcement.merged(few) == [
                announcement("notes", "1"), announcement("notes", "2"), announcement("tags", "a"),
            ])
        #expect(Announcement.merged(few + [announcement("notes", nil)]).first == announcement("notes", nil))
        let many = (0..<101).map { announcement("notes", "\($0)") }
        #expect(Announcement.merged(many) == [announcement("notes", nil)])
        #expect(Announcement.merged(Array(many.dropLast())).count == 100)
    }

    @Test("A listener hears of its topic alone, and which changes are this host's")
    func topics() async {
        let feed = ChangeFeed()
        let listener = Listener()
        feed.changes(of: "notes").add(listener) { $0.changes.append($1) }

        feed.send([Announcement(topic: "tags", key: "a")], isOwn: false)
        feed.send([Announcement(topic: "notes", key: "1")], isOwn: true)
        feed.send(
            [Announcement(topic: "notes", key: "2"), Announcement(topic: "notes", key: "3")], isOwn: false)
        await eventually("both are heard") { listener.changes.count == 2 }

        #expect(
            Set(listener.changes) == [
                DataChange(keys: ["2", "3"], isOwn: false), DataChange(keys: ["1"], isOwn: true),
            ])
        #expect(listener.changes.allSatisfy { !$0.concerns("4") })
    }

    @Test("Changes that come fast are told together")
    func bursts() async {
        let feed = ChangeFeed()
        let listener = Listener()
        feed.changes(of: "notes").add(listener) { $0.changes.append($1) }

        for key in 0..<1_000 { feed.send([Announcement(topic: "notes", key: "\(key)")], isOwn: false) }
        await eventually("all are heard") {
            listener.changes.reduce(0) { $0 + ($1.keys?.count ?? 0) } == 1_000
        }
        #expect(listener.changes.count < 10)
    }

    @Test("After a lost connection, and if another host says so, everything may have changed")
    func everything() async {
        let feed = ChangeFeed()
        let listener = Listener()
        feed.changes(of: "notes").add(listener) { $0.changes.append($1) }

        feed.send(Announcement.merged([.everything, Announcement(topic: "tags", key: "a")]), isOwn: false)
        await eventually("it is heard") { !listener.changes.isEmpty }

        #expect(listener.changes == [DataChange(keys: nil, isOwn: false)])
        #expect(listener.changes.last?.concerns("4") == true)
    }

    @Test("The loads of an observer can be waited for, also those of changes that arrive meanwhile")
    func finished() async {
        let feed = ObserverList<DataChange>()
        @MainActor final class Screen {
            let (gate, opening) = AsyncStream.makeStream(of: Void.self)
            var finished = 0
        }
        let (screen, other) = (Screen(), Screen())
        feed.reload(screen) { screen in
            for await _ in screen.gate { break }
            screen.finished += 1
        }
        await feed.finishReloading(screen)
        #expect(screen.finished == 0)
        for _ in 0..<2 { feed.send(DataChange(keys: nil, isOwn: false)) }

        let wait = Task.immediate { await feed.finishReloading(screen) }
        await feed.finishReloading(other)
        for _ in 0..<2 { screen.opening.yield() }
        await wait.value

        #expect(screen.finished == 2)
    }

    @Test("What is shown is loaded again one load at a time, and once more for what came meanwhile")
    func reload() async {
        let feed = ObserverList<DataChange>()
        @MainActor final class Screen {
            var loads = 0
            var gate = Gate()
        }
        @MainActor final class Gate {
            var waiting: [CheckedContinuation<Void, Never>] = []
            func open() {
                for caller in waiting { caller.resume() }
                waiting = []
            }
        }
        let screen = Screen()
        feed.reload(screen, where: { $1.concerns("1") }) { screen in
            screen.loads += 1
            await withCheckedContinuation { screen.gate.waiting.append($0) }
        }

        feed.send(DataChange(keys: ["2"], isOwn: false))
        #expect(screen.loads == 0)
        for _ in 0..<5 { feed.send(DataChange(keys: ["1"], isOwn: false)) }
        #expect(screen.loads == 1)
        screen.gate.open()
        await eventually("it loads once more") { screen.loads == 2 }
        screen.gate.open()
        for _ in 0..<100 { await Task.yield() }
        #expect(screen.loads == 2)
    }
}

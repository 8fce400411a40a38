/// Those who want to be told of something, none of them kept alive by it.
@MainActor
public final class ObserverList<Event> {
    private struct Entry {
        weak var observer: AnyObject?
        let type: any AnyObject.Type
        let notify: @MainActor (AnyObject, Event) -> Void
    }

    private var entries: [Entry] = []

    public init() {}

    /// The types of those who are told, in the order in which they came; who is gone is forgotten.
    public var names: [String] {
        prune()
        return entries.map { "\($0.type)" }
    }

    /// How many are told; who is gone is forgotten.
    public var count: Int {
        prune()
        return entries.count
    }

    /// Tells `observer` of every event from now on, for as long as it lives.
    ///
    /// - Parameters:
    ///   - observer: Held weakly; it is an argument of `notify`, which must not capture it.
    ///   - notify: Called on the main actor, in the order in which observers came.
    public func add<Observer: AnyObject>(
        _ observer: Observer, _ notify: @escaping @MainActor (Observer, Event) -> Void
    ) {
        prune()
        entries.append(
            Entry(observer: observer, type: Observer.self) { observer, event in
                // Only this observer is ever passed.
                notify(unsafeDowncast(observer, to: Observer.self), event)
            })
    }

    /// Stops telling `observer`.
    public func remove(_ observer: AnyObject) {
        entries.removeAll { $0.observer === observer || $0.observer == nil }
    }

    /// Tells everybody who is there now; who is added meanwhile is told of the next.
    public func send(_ event: Event) {
        prune()
        for entry in entries {
            if let observer = entry.observer { entry.notify(observer, event) }
        }
    }

    private func prune() {
        entries.removeAll { $0.observer == nil }
    }
}

/// The observers of an event, held weakly.
@MainActor
public final class ObserverList<Event> {
    private struct Entry {
        weak var observer: AnyObject?
        let type: any AnyObject.Type
        let notify: @MainActor (AnyObject, Event) -> Void
        let loads: Loads?
    }

    private var entries: [Entry] = []

    public init() {}

    /// The types of the observers that are still alive, in order of registration.
    public var names: [String] {
        prune()
        return entries.map { RegistrationKey.name(of: $0.type) }
    }

    /// The number of observers that are still alive.
    public var count: Int {
        prune()
        return entries.count
    }

    /// Notifies `observer`, held weakly, of every later event; `notify` must not capture it.
    public func add<Observer: AnyObject>(
        _ observer: Observer, _ notify: @escaping @MainActor (Observer, Event) -> Void
    ) {
        add(observer, loads: nil, notify)
    }

    func add<Observer: AnyObject>(
        _ observer: Observer, loads: Loads?, _ notify: @escaping @MainActor (Observer, Event) -> Void
    ) {
        prune()
        let notifyObserver = { @MainActor (observer: AnyObject, event: Event) in
            // Only this observer is ever passed.
            notify(unsafeDowncast(observer, to: Observer.self), event)
        }
        entries.append(
            Entry(observer: observer, type: Observer.self, notify: notifyObserver, loads: loads))
    }

    /// Stops notifying `observer`.
    public func remove(_ observer: AnyObject) {
        entries.removeAll { $0.observer === observer || $0.observer == nil }
    }

    /// Notifies the current observers in order; one added meanwhile gets the next event.
    public func send(_ event: Event) {
        prune()
        for entry in entries {
            if let observer = entry.observer { entry.notify(observer, event) }
        }
    }

    /// Waits until no load of `observer` is in progress, if its events cause any.
    func finishLoads(of observer: AnyObject) async {
        for entry in entries where entry.observer === observer { try? await entry.loads?.running?.value() }
    }

    private func prune() { entries.removeAll { $0.observer == nil } }
}

internal import Observation

/// A part of the state of a generic class, observed by a signal of its own.
///
/// A property of a generic `@Observable` class makes its key path anew at each use, which takes longer than most of
/// what a screen does with the value. The key path of the signal is made once.
@MainActor
@propertyWrapper
struct Signalled<Value> {
    private let signal = StateSignal()
    private var value: Value

    init(wrappedValue: Value) { value = wrappedValue }

    var wrappedValue: Value {
        get {
            signal.read()
            return value
        }
        set {
            value = newValue
            signal.write()
        }
    }
}

@MainActor
@Observable
private final class StateSignal {
    private var version = 0

    func read() { _ = version }
    func write() { version &+= 1 }
}

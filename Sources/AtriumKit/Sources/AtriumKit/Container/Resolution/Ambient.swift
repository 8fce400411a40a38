/// What a container and its children share while something is built.
@MainActor
final class Ambient {
    /// The stack entry whose screen is being built; never set across an `await`.
    var entry: EntryScope?
    /// Receives what is built while tracing is on.
    var trace: BuildTrace?
}

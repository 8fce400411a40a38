import Glibc

/// Runs `body` in several system threads at once and waits for all of them.
///
/// Only their start and end are ordered, so that a race is one however they are scheduled.
func inThreads(_ count: Int, _ body: @escaping @Sendable () -> Void) {
    let threads = (0..<count).map { _ in
        var thread = pthread_t()
        let context = Unmanaged.passRetained(Body(run: body)).toOpaque()
        let status = pthread_create(
            &thread, nil,
            { context in
                Unmanaged<Body>.fromOpaque(context!).takeRetainedValue().run()
                return nil
            }, context)
        precondition(status == 0, "The thread can't be created.")
        return thread
    }
    for thread in threads { pthread_join(thread, nil) }
}

private final class Body {
    let run: @Sendable () -> Void

    init(run: @escaping @Sendable () -> Void) {
        self.run = run
    }
}

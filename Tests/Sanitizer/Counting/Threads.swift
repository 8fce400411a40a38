import Glibc

/// Runs `body` in several threads of the system at once, and waits for all of them.
///
/// Nothing but their beginning and their end orders what they do, so that a race is one however they run.
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
        precondition(status == 0, "There is no thread to be had.")
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

import Synchronization
import Testing

@testable import AtriumStorage

@Suite struct DatabaseJobTests {
    @Test("A job returns the value of its closure")
    func returns() async throws {
        let job = DatabaseJob<Int>()

        let value = try await withCheckedThrowingContinuation { continuation in
            #expect(job.wait(continuation))
            job.run { _ in 7 }
        }

        #expect(value == 7)
    }

    @Test("A job that is cancelled before it waits is not queued")
    func cancelledFirst() async {
        let job = DatabaseJob<Int>()
        job.cancel()

        await #expect(throws: CancellationError.self) {
            try await withCheckedThrowingContinuation { continuation in
                #expect(!job.wait(continuation))
            }
        }
    }

    @Test("A cancelled job in the queue ends at once and does not run")
    func cancelledInQueue() async {
        let job = DatabaseJob<Int>()
        let hasRun = Mutex(false)

        await #expect(throws: CancellationError.self) {
            try await withCheckedThrowingContinuation { continuation in
                #expect(job.wait(continuation))
                job.cancel()
                job.cancel()
            }
        }
        job.run { _ in
            hasRun.withLock { $0 = true }
            return 7
        }

        #expect(hasRun.withLock { !$0 })
    }

    @Test("For a job cancelled while it runs, the closure decides the result")
    func cancelledRunning() async throws {
        let job = DatabaseJob<Bool>()

        let wasTold = try await withCheckedThrowingContinuation { continuation in
            #expect(job.wait(continuation))
            job.run { cancellation in
                job.cancel()
                return cancellation.isCancelled
            }
        }

        #expect(wasTold)
    }
}

import Synchronization
import Testing

@testable import AtriumStorage

@Suite struct DatabaseJobTests {
    @Test("A job answers with what its closure returns")
    func returns() async throws {
        let job = DatabaseJob<Int>()

        let value = try await withCheckedThrowingContinuation { continuation in
            #expect(job.await(continuation))
            job.run { _ in 7 }
        }

        #expect(value == 7)
    }

    @Test("A job that is cancelled before anybody waits is not queued")
    func cancelledFirst() async {
        let job = DatabaseJob<Int>()
        job.cancel()

        await #expect(throws: CancellationError.self) {
            try await withCheckedThrowingContinuation { continuation in
                #expect(!job.await(continuation))
            }
        }
    }

    @Test("A job that is cancelled while it waits answers before its turn, and then does not run")
    func cancelledInQueue() async {
        let job = DatabaseJob<Int>()
        let hasRun = Mutex(false)

        await #expect(throws: CancellationError.self) {
            try await withCheckedThrowingContinuation { continuation in
                #expect(job.await(continuation))
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

    @Test("A job that is cancelled while it runs is told, and answers as its closure decides")
    func cancelledRunning() async throws {
        let job = DatabaseJob<Bool>()

        let wasTold = try await withCheckedThrowingContinuation { continuation in
            #expect(job.await(continuation))
            job.run { cancellation in
                job.cancel()
                return cancellation.isCancelled
            }
        }

        #expect(wasTold)
    }
}

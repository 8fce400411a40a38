import Testing

/// The sanitizer must report the tests of `Races` and no others.
///
/// `sanitize.py` runs each test by itself.
enum PlantedTests {
    @Suite struct Races {
        @Test("Threads without a lock race")
        func threads() {
            let counts = UnguardedCounts()

            inThreads(4) { for _ in 0..<100 { counts.hit() } }

            #expect(counts.hits > 0)
        }

        @Test("Tasks without an actor race")
        func tasks() async {
            let counts = UnguardedCounts()
            let meeting = Meeting(of: 2)

            await withTaskGroup { group in
                for _ in 0..<2 {
                    group.addTask {
                        meeting.wait()
                        for _ in 0..<100 { counts.hit() }
                    }
                }
            }

            #expect(counts.hits > 0)
        }

        @Test("Threads that take different locks race")
        func otherLock() {
            let counts = WronglyGuardedCounts()

            inThreads(4) { for _ in 0..<1_000 { counts.hit() } }

            #expect(counts.hits > 0)
        }
    }

    @Suite struct NoRaces {
        @Test("Threads that wait for a lock do not race")
        func lock() {
            let counts = GuardedCounts()

            inThreads(4) { for _ in 0..<1_000 { counts.hit() } }

            #expect(counts.hits == 4_000)
        }

        @Test("Threads that take a lock only if it is free do not race")
        func lockIfFree() {
            let counts = GuardedCounts()

            // Many attempts, because the lock rarely becomes free while a thread tries it.
            inThreads(8) { for _ in 0..<50_000 { counts.hitIfFree() } }

            #expect(counts.hits > 0)
        }

        @Test("Tasks that use an actor do not race")
        func actor() async {
            let counts = IsolatedCounts()

            await withTaskGroup { group in
                for _ in 0..<1_000 { group.addTask { await counts.hit() } }
            }

            #expect(await counts.hits == 1_000)
        }
    }
}

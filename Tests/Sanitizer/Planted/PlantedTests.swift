import Testing

/// `sanitize.py` runs each alone: the sanitizer has to report those of `Races` and no other.
enum PlantedTests {
    @Suite struct Races {
        @Test("threads without a lock")
        func threads() {
            let counts = UnguardedCounts()

            inThreads(4) { for _ in 0..<100 { counts.hit() } }

            #expect(counts.hits > 0)
        }

        @Test("tasks without an actor")
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

        @Test("threads under a lock that not all of them take")
        func otherLock() {
            let counts = WronglyGuardedCounts()

            inThreads(4) { for _ in 0..<1_000 { counts.hit() } }

            #expect(counts.hits > 0)
        }
    }

    @Suite struct NoRaces {
        @Test("threads that wait for a lock")
        func lock() {
            let counts = GuardedCounts()

            inThreads(4) { for _ in 0..<1_000 { counts.hit() } }

            #expect(counts.hits == 4_000)
        }

        @Test("threads that take a lock where it is free")
        func lockIfFree() {
            let counts = GuardedCounts()

            // That it becomes free while a thread looks at it is seldom.
            inThreads(8) { for _ in 0..<50_000 { counts.hitIfFree() } }

            #expect(counts.hits > 0)
        }

        @Test("tasks that use an actor")
        func actor() async {
            let counts = IsolatedCounts()

            await withTaskGroup { group in
                for _ in 0..<1_000 { group.addTask { await counts.hit() } }
            }

            #expect(await counts.hits == 1_000)
        }
    }
}

// What it reads is hidden in a closure.
struct ReadPrices {
    let read: () async throws -> Int
}

// A provider called off the main actor.
// error: call to main actor-isolated instance method 'callAsFunction()' in a synchronous nonisolated context
import AtriumKit

final class PriceRepository {}

nonisolated func make(_ provider: Provider<PriceRepository>) throws {
    _ = try provider()
}

// Public because of the conformance below.
@_spi(Host) public import AtriumKit

extension MockScenario.Kind: @retroactive ArgumentValue {}

/// A duration, typed as a number of seconds, or with a unit: `90`, `1.5s`, `10m`, `2h`.
package struct Seconds: ArgumentValue {
    package let duration: Duration
    /// The text as typed, for messages.
    package let argumentText: String

    private static let units: [Character: Int128] = ["s": 1, "m": 60, "h": 3_600]
    package static let argumentTypeName = "a number of seconds, or a duration such as 10m or 2h"

    package init?(argument: String) {
        let unit = argument.last.flatMap { Self.units[$0] }
        guard let number = Duration(seconds: unit == nil ? argument : String(argument.dropLast())) else {
            return nil
        }
        let (attoseconds, overflows) = number.attoseconds.multipliedReportingOverflow(by: unit ?? 1)
        guard !overflows else { return nil }
        (duration, argumentText) = (Duration(attoseconds: attoseconds), argument.excerpt)
    }
}

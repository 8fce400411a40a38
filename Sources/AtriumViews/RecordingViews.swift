@_spi(Host) package import AtriumKit
package import AtriumNetworking

/// The content of `mock record` and `mock play`.
@MainActor
package enum RecordingViews {
    package static func running(_ recorder: CallFileRecorder?) -> Content {
        guard let recorder else {
            return Content { Notice(.information, "No calls are being recorded.", hint: "mock record FILE") }
        }
        return recorded(recorder)
    }

    /// The calls so far, and the methods whose calls are left out.
    package static func recorded(_ recorder: CallFileRecorder) -> Content {
        let skipped = recorder.skipped
        return Content {
            Field("file", recorder.path)
            Field("calls", recorder.calls)
            if !skipped.isEmpty {
                Table(skipped, key: "notRecorded") {
                    Column("method") { $0.target }
                    Column("reason", label: "Not recorded, because") { $0.reason }
                }
            }
        }
    }

    /// A recording that has ended, in a sentence.
    package static func summary(of recorder: CallFileRecorder) -> String {
        "Recorded \(RecordNoun("call").counted(recorder.calls)); 'mock play \(recorder.path)' answers them."
    }

    /// A recording that its host has ended, in sentences.
    package static func ending(of recorder: CallFileRecorder) -> String {
        let skipped = recorder.skipped.map(\.target).joined(separator: ", ")
        return summary(of: recorder) + (skipped.isEmpty ? "" : " Not recorded: \(skipped).")
    }

    package static func playing(_ play: CallReplay?, _ warnings: [String] = []) -> Content {
        Content {
            if play == nil {
                Notice(.information, "No recording is being played.", hint: "mock play FILE")
            }
            for warning in warnings { Notice(.warning, warning) }
            Table(play?.services ?? []) {
                Column("service") { $0.key.service }
                Column("module") { $0.key.module }
                Column("recorded") { $0.recorded }
                Column("answered") { $0.answered }
                Column("passed", label: "Passed on") { $0.passed }
            }
        }
    }
}

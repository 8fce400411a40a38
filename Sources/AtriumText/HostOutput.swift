internal import CCrash

/// The host's own output: descriptors 1 and 2 as they were when the process began.
package enum HostOutput {
    package static var standardOutput: CInt { descriptor(1) }
    package static var standardError: CInt { descriptor(2) }

    package static func descriptor(_ number: CInt) -> CInt { ccrash_output(number) }
}

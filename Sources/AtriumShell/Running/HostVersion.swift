/// The version of the host.
package enum HostVersion {
    package static let current = "0.3.0"
}

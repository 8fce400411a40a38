/// The version of the `atrium` program.
package enum HostVersion { package static let current = "0.6.0" }

/// Appends a random suffix to a name, so that no other test has it.
package func unique(_ name: String) -> String {
    "\(name)-\(String(UInt64.random(in: .min ... .max), radix: 36))"
}

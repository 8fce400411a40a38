/// A text that no other test of this process has.
package func unique(_ name: String) -> String {
    "\(name)-\(String(UInt64.random(in: .min ... .max), radix: 36))"
}

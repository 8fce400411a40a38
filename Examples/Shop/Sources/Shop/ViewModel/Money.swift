/// Money as every screen shows it: with two decimals behind a point, in every locale.
func formatted(cents: Int) -> String {
    "\(cents / 100).\(cents % 100 < 10 ? "0" : "")\(cents % 100) €"
}

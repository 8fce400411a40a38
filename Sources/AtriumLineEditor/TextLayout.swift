internal import CEditline

/// Computes the cursor's position on a terminal, wrapping as libedit does.
package struct TextLayout {
    struct Position: Equatable {
        var row = 0
        var column = 0
    }

    let columns: Int

    func end(of text: some Sequence<Unicode.Scalar>) -> Position {
        var position = Position()
        for scalar in text { advance(&position, over: scalar) }
        return position
    }

    private func advance(_ position: inout Position, over scalar: Unicode.Scalar) {
        switch scalar {
        case "\n": position = Position(row: position.row + 1)
        case "\t": repeat { step(&position, by: 1) } while position.column % 8 != 0
        default:
            let width = Self.width(of: scalar)
            // A wide character never straddles the edge.
            if width == 2, scalar.value > 0xff, position.column + width > columns {
                position = Position(row: position.row + 1)
            }
            step(&position, by: width)
        }
    }

    private func step(_ position: inout Position, by width: Int) {
        position.column += width
        if position.column >= columns {
            position = Position(row: position.row + 1, column: position.column - columns)
        }
    }

    /// The cells that libedit gives a character: two for the `^A` of a control character.
    private static func width(of scalar: Unicode.Scalar) -> Int {
        if scalar.value < 0x20 || scalar.value == 0x7f { return 2 }
        let width = Int(ceditline_width(scalar.value))
        if width >= 0 { return width }
        return scalar.value > 0xffff ? 8 : 7  // it shows \U+XXXX for what cannot be printed
    }
}

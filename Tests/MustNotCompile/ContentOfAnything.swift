// A view that shows what is no element.
// error: 'buildExpression' is unavailable: Only elements such as Text, Field and Table are shown, and views.
import AtriumKit

struct PriceView: View {
    let price: Int

    var body: Content { price }
}

import { parseDeclarations } from '../declarations.ts'

/**
 * Resource quantities: parsing, comparison and sums (since 1.28):
 * `quantity(self.limit).isGreaterThan(quantity('1Gi'))`. Amounts are exact in every notation, except in
 * `asApproximateFloat`. Source: kubernetes/apiserver, pkg/cel/library/quantity.go.
 */
export const QUANTITY = parseDeclarations(`
  quantity_add: .add(kubernetes.Quantity, kubernetes.Quantity) -> kubernetes.Quantity
  quantity_add_int: .add(kubernetes.Quantity, int) -> kubernetes.Quantity
  quantity_get_float: .asApproximateFloat(kubernetes.Quantity) -> double
  quantity_get_int: .asInteger(kubernetes.Quantity) -> int
  quantity_compare_to: .compareTo(kubernetes.Quantity, kubernetes.Quantity) -> int
  quantity_is_greater_than: .isGreaterThan(kubernetes.Quantity, kubernetes.Quantity) -> bool
  quantity_is_integer: .isInteger(kubernetes.Quantity) -> bool
  quantity_is_less_than: .isLessThan(kubernetes.Quantity, kubernetes.Quantity) -> bool
  is_quantity_string: isQuantity(string) -> bool
  string_to_quantity: quantity(string) -> kubernetes.Quantity
  quantity_sign: sign(kubernetes.Quantity) -> int
  quantity_sub: .sub(kubernetes.Quantity, kubernetes.Quantity) -> kubernetes.Quantity
  quantity_sub_int: .sub(kubernetes.Quantity, int) -> kubernetes.Quantity
`)

import type { FieldPath } from '../../meta/field-path.ts'
import { quantityMilliValue, roundUpQuantity } from '../../meta/quantity.ts'

const WHOLE = /^(0|[1-9][0-9]{0,15})$/

/** Rounds every quantity of a ResourceList up to whole thousandths, in place: finer ones are never stored. */
export function roundResources(list: Record<string, string> | undefined): void {
  if (!list) return
  for (const name of Object.keys(list)) {
    const quantity = list[name] ?? ''
    // What most quantities are, and needs no reading: a list may hold as many as a body.
    if (WHOLE.test(quantity)) continue
    const rounded = roundUpQuantity(quantity, -3)
    if (rounded !== quantity) list[name] = rounded
  }
}

/** Warnings of resources that are counted in whole bytes, and are given in fractions. `path`: of the list. */
export const fractionalByteWarnings = (list: Readonly<Record<string, string>> | undefined, names: readonly string[], path: FieldPath): string[] =>
  names.flatMap(name => {
    const quantity = list?.[name]
    if (quantity === undefined || quantityMilliValue(quantity) % 1000n === 0n) return []
    return [`${path.key(name)}: fractional byte value ${JSON.stringify(quantity)} is invalid, must be an integer`]
  })

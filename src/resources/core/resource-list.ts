import type { FieldPath } from '../../meta/field-path.ts'
import { quantityMilliValue, roundUpQuantity } from '../../meta/quantity.ts'

const WHOLE = /^(0|[1-9][0-9]{0,15})$/

/** What most sizes are, which need no arithmetic. */
const WHOLE_BYTES = /^[0-9]{1,15}([KMGTPE]i|[kMGTPE])?$/

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
  list === undefined
    ? []
    : names
        .filter(name => isFractional(list[name]))
        .map(name => `${path.key(name)}: fractional byte value ${JSON.stringify(list[name])} is invalid, must be an integer`)

const isFractional = (quantity: string | undefined): boolean =>
  quantity !== undefined && !WHOLE_BYTES.test(quantity) && quantityMilliValue(quantity) % 1000n !== 0n

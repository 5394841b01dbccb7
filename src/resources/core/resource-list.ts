import { isStepDone, runAtOnce, type Steps } from '../../lib/steps.ts'
import { memberNames } from '../../lib/wide-objects.ts'
import type { FieldPath } from '../../meta/field-path.ts'
import { quantityMilliValue, roundUpQuantity } from '../../meta/quantity.ts'

const WHOLE = /^(0|[1-9][0-9]{0,15})$/

/** Matches sizes in whole bytes without parsing them. Most sizes have this form. */
const WHOLE_BYTES = /^[0-9]{1,15}([KMGTPE]i|[kMGTPE])?$/

/** Rounds every quantity of a ResourceList up to thousandths, in place. Finer quantities are never stored. */
export function roundResources(list: Record<string, string> | undefined): void {
  if (list) runAtOnce(roundResourcesInSteps(list))
}

/** `roundResources` in steps, for lists that may be long. */
export function* roundResourcesInSteps(list: Record<string, string>): Steps<void> {
  for (const name of yield* memberNames(list)) {
    if (isStepDone()) yield
    const quantity = list[name] ?? ''
    // Most quantities are integers and need no parsing. A list may hold as many of them as a request body has room for.
    if (WHOLE.test(quantity)) continue
    const rounded = roundUpQuantity(quantity, -3)
    if (rounded !== quantity) list[name] = rounded
  }
}

/** Warnings for quantities of byte-counted resources that have a fraction. `path` is the path of the list. */
export const fractionalByteWarnings = (
  list: Readonly<Record<string, string>> | undefined,
  names: readonly string[],
  path: FieldPath,
): string[] =>
  list === undefined
    ? []
    : names
        .filter(name => isFractional(list[name]))
        .map(name => `${path.key(name)}: fractional byte value ${JSON.stringify(list[name])} is invalid, must be an integer`)

const isFractional = (quantity: string | undefined): boolean =>
  quantity !== undefined && !WHOLE_BYTES.test(quantity) && quantityMilliValue(quantity) % 1000n !== 0n

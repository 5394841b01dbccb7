import { roundUpQuantity } from '../../meta/quantity.ts'

const WHOLE = /^(0|[1-9][0-9]{0,15})$/

/** Rounds every quantity of a ResourceList up to whole thousandths, in place: finer ones are never stored. */
export function roundResources(list: Record<string, string> | undefined): void {
  if (!list) return
  for (const [name, quantity] of Object.entries(list)) {
    // What most quantities are, and needs no reading: a list may hold as many as a body.
    if (WHOLE.test(quantity)) continue
    const rounded = roundUpQuantity(quantity, -3)
    if (rounded !== quantity) list[name] = rounded
  }
}

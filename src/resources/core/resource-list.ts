import { roundUpQuantity } from '../../meta/quantity.ts'

/** Rounds every quantity of a ResourceList up to whole thousandths, in place: finer ones are never stored. */
export function roundResources(list: Record<string, string> | undefined): void {
  for (const name in list) {
    const quantity = list[name] as string
    const rounded = roundUpQuantity(quantity, -3)
    if (rounded !== quantity) list[name] = rounded
  }
}

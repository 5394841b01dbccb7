import { quantityMilliValue, quantityValue } from '../../meta/quantity.ts'

/**
 * Returns an amount of a resource as a number, rounded up: thousandths of a core for cpu, the base unit for any other.
 */
export const amountOf = (resource: string, quantity: string): number =>
  Number(resource === 'cpu' ? quantityMilliValue(quantity) : quantityValue(quantity))

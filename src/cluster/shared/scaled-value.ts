import type { IntOrString } from '../../api/meta/object.ts'

/** Resolves a number or a percentage of a total. Throws a RangeError if the text is no percentage. */
export function scaledValue(value: IntOrString, total: number, round: 'up' | 'down'): number {
  if (typeof value === 'number') return value
  if (!/^[0-9]{1,9}%$/.test(value)) throw new RangeError('invalid value for IntOrString: invalid type: string is not a percentage')
  const scaled = (Number(value.slice(0, -1)) * total) / 100
  return round === 'up' ? Math.ceil(scaled) : Math.floor(scaled)
}

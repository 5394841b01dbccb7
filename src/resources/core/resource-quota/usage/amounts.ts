import { isStepDone, runAtOnce, type Steps } from '../../../../lib/steps.ts'
import { memberNames, noteMembers } from '../../../../lib/wide-objects.ts'
import { setMember } from '../../../../meta/equal.ts'
import { hasFewValues } from '../../../../meta/few-values.ts'
import { addParsed, compareParsed, parseQuantity, type Quantity } from '../../../../meta/quantity.ts'

/**
 * Quantities by resource name. Source of the operations: staging/src/k8s.io/apiserver/pkg/quota/v1/resources.go in
 * k8s.io/kubernetes.
 */
export type Amounts = ReadonlyMap<string, Quantity>

/** Shared empty map for objects without the field. */
export const NOTHING: Amounts = new Map()

/** Shared: quantities are immutable. */
export const ZERO: Quantity = parseQuantity('0')
/** Amount of one counted object. */
export const ONE: Quantity = parseQuantity('1')

/** Parses a ResourceList of an object, whose quantities are canonical. */
export const amountsOf = (list: Readonly<Record<string, string>> | undefined): Amounts =>
  list === undefined ? NOTHING : (kept.get(list) ?? runAtOnce(amountsInSteps(list)))

/** Amounts of long lists, as long as those exist. */
const kept = new WeakMap<object, Amounts>()

/** Parses a list in steps if it is long, so that `amountsOf` returns what is kept. The list must not change. */
export function* keepAmounts(list: Readonly<Record<string, string>> | undefined): Steps<void> {
  if (list !== undefined && !hasFewValues(list) && !kept.has(list)) kept.set(list, yield* amountsInSteps(list))
}

/** `amountsOf` in steps, for lists that may be long. */
export function* amountsInSteps(list: Readonly<Record<string, string>> = {}): Steps<Amounts> {
  const amounts = new Map<string, Quantity>()
  for (const name of yield* memberNames(list)) {
    if (isStepDone()) yield
    amounts.set(name, parseQuantity(list[name] ?? ''))
  }
  return amounts
}

/** Converts amounts back to a ResourceList. */
export const resourceListOf = (amounts: Amounts): Record<string, string> => runAtOnce(resourceListInSteps(amounts))

/** `resourceListOf` in steps. */
export function* resourceListInSteps(amounts: Amounts): Steps<Record<string, string>> {
  const list: Record<string, string> = noteMembers({}, amounts.size)
  for (const [name, { canonical }] of amounts) {
    if (isStepDone()) yield
    setMember(list, name, canonical)
  }
  return list
}

/** Adds the amounts of both. A name that only one of them has keeps its amount. */
export function added(a: Amounts, b: Amounts): Amounts {
  const sum = new Map(a)
  for (const [name, quantity] of b) addTo(sum, name, quantity)
  return sum
}

/** Adds to one amount of a map that the caller owns. */
export function addTo(sum: Map<string, Quantity>, name: string, quantity: Quantity): void {
  const before = sum.get(name)
  sum.set(name, before ? addParsed(before, quantity, false) : quantity)
}

/** Computes `a - b` for the names in `a`, never below zero. Names that only `b` has are 0. */
export function lessened(a: Amounts, b: Amounts): Amounts {
  const rest = new Map<string, Quantity>()
  for (const [name, quantity] of a) {
    const taken = b.get(name)
    const left = taken ? addParsed(quantity, taken, true) : quantity
    rest.set(name, left.value > 0n ? left : ZERO)
  }
  for (const name of b.keys()) if (!rest.has(name)) rest.set(name, ZERO)
  return rest
}

/** Returns the amounts whose names match `keep`. */
export const masked = (amounts: Amounts, keep: (name: string) => boolean): Amounts => new Map([...amounts].filter(([name]) => keep(name)))

/** Returns the amounts of some names, as far as there are. */
export function amountsFor(names: Iterable<string>, amounts: Amounts): Amounts {
  const found = new Map<string, Quantity>()
  for (const name of names) {
    const quantity = amounts.get(name)
    if (quantity !== undefined) found.set(name, quantity)
  }
  return found
}

/** Returns by how much amounts exceed earlier ones, in steps. Names whose amount has not grown are left out. */
export function* growth(amounts: Amounts, before: Amounts): Steps<Amounts> {
  const grown = new Map<string, Quantity>()
  for (const [name, quantity] of amounts) {
    if (isStepDone()) yield
    const earlier = before.get(name)
    if (earlier?.canonical === quantity.canonical) continue
    const more = earlier ? addParsed(quantity, earlier, true) : quantity
    if (more.value > 0n) grown.set(name, more)
  }
  return grown
}

/** Leaves out amounts of 0. Negative ones are kept. */
export const withoutZeros = (amounts: Amounts): Amounts => new Map([...amounts].filter(([, { value }]) => value !== 0n))

/** Returns the names of negative amounts. */
export const negatives = (amounts: Amounts): string[] => [...amounts].filter(([, { value }]) => value < 0n).map(([name]) => name)

/** Returns the names whose amount in `a` exceeds that in `b`. Names that only one of them has are ignored. */
export const exceeding = (a: Amounts, b: Amounts): string[] =>
  [...a]
    .filter(([name, quantity]) => {
      const most = b.get(name)
      return most !== undefined && compareParsed(quantity, most) > 0
    })
    .map(([name]) => name)

/** Reports whether both have the same names and equal amounts, compared by value. */
export function sameAmounts(a: Amounts, b: Amounts): boolean {
  if (a.size !== b.size) return false
  for (const [name, quantity] of a) {
    const other = b.get(name)
    if (other === undefined || compareParsed(quantity, other) !== 0) return false
  }
  return true
}

/** Prints amounts as messages do, sorted: `cpu=1,pods=2`. */
export const printAmounts = (amounts: Amounts): string =>
  [...amounts.keys()]
    .sort()
    .map(name => `${name}=${amounts.get(name)?.canonical}`)
    .join(',')

/** Prints names as messages do, sorted: `cpu,pods`. */
export const printNames = (names: Iterable<string>): string => [...names].sort().join(',')

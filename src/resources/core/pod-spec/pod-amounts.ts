import type { Container, PodSpec } from '../../../api/core/v1.types.ts'
import type { Steps } from '../../../lib/steps.ts'
import { ownMember, setMember } from '../../../meta/equal.ts'
import { addParsed, compareParsed, compareQuantity, parseQuantity, type Quantity } from '../../../meta/quantity.ts'
import { isHugePages } from './resources.ts'
import { isSidecar } from './visit.ts'

/** Quantities by resource name. */
export type Amounts = Readonly<Record<string, string>>

/**
 * Reports whether a resource may be set at pod level:
 * https://kubernetes.io/docs/tasks/configure-pod-container/assign-pod-level-resources/
 */
export const isPodLevelResource = (name: string): boolean => name === 'cpu' || name === 'memory' || isHugePages(name)

type AmountList = 'requests' | 'limits'

/** Returns the requests or limits of a container. */
export type ContainerAmounts = (container: Container, list: AmountList) => Amounts | undefined

const asWritten: ContainerAmounts = ({ resources }, list) => resources[list]

/**
 * Computes the most that the containers of a pod use at one time: containers and sidecars together, or an init
 * container with the sidecars that start before it. Yields after each container. `amountsOf` overrides the resources of
 * the spec. Source: AggregateContainerRequests and AggregateContainerLimits in k8s.io/component-helpers.
 */
export function* containerAmounts(spec: PodSpec, list: AmountList, amountsOf = asWritten): Steps<Amounts> {
  const total = new Map<string, Quantity>()
  const sidecars = new Map<string, Quantity>()
  const starting = new Map<string, Quantity>()
  const parsed = (container: Container): [string, Quantity][] =>
    Object.entries(amountsOf(container, list) ?? {}).map(([name, amount]) => [name, parseQuantity(amount)])
  for (const container of spec.containers ?? []) {
    yield
    for (const [name, amount] of parsed(container)) addAmount(total, name, amount)
  }
  for (const container of spec.initContainers ?? []) {
    yield
    const isInit = !isSidecar(container)
    for (const [name, amount] of parsed(container)) {
      const beside = sidecars.get(name)
      // A sum is printed in the format of its first summand.
      if (isInit) raise(starting, name, beside ? addParsed(amount, beside, false) : amount)
      else {
        addAmount(total, name, amount)
        raise(starting, name, addAmount(sidecars, name, amount))
      }
    }
  }
  for (const [name, amount] of starting) raise(total, name, amount)
  return amountTexts(total)
}

/** Computes the most that a pod uses: its pod-level resources, or else those of its containers. */
export function* podAmounts(spec: PodSpec, list: AmountList, amountsOf = asWritten): Steps<Amounts> {
  const ofContainers = yield* containerAmounts(spec, list, amountsOf)
  const own = Object.entries(spec.resources?.[list] ?? {}).filter(([name]) => isPodLevelResource(name))
  return own.length === 0 ? ofContainers : { ...ofContainers, ...Object.fromEntries(own) }
}

function addAmount(to: Map<string, Quantity>, name: string, amount: Quantity): Quantity {
  const known = to.get(name)
  const sum = known ? addParsed(known, amount, false) : amount
  to.set(name, sum)
  return sum
}

function raise(to: Map<string, Quantity>, name: string, amount: Quantity): void {
  const known = to.get(name)
  if (known === undefined || compareParsed(amount, known) > 0) to.set(name, amount)
}

function amountTexts(amounts: ReadonlyMap<string, Quantity>): Amounts {
  const texts: Record<string, string> = {}
  for (const [name, { canonical }] of amounts) setMember(texts, name, canonical)
  return texts
}

/** Returns the maximum of each resource over all lists. */
export function mostOf(...lists: readonly (Amounts | undefined)[]): Amounts {
  const most: Record<string, string> = {}
  for (const list of lists)
    for (const [name, amount] of Object.entries(list ?? {})) {
      const known = ownMember(most, name)
      if (known === undefined || compareQuantity(amount, known) > 0) setMember(most, name, amount)
    }
  return most
}

import type { Steps } from '../../../lib/steps.ts'
import { ownMember, setMember } from '../../../meta/equal.ts'
import { addParsed, compareParsed, compareQuantity, parseQuantity, type Quantity } from '../../../meta/quantity.ts'
import type { Container, PodSpec } from '../v1.types.ts'
import { isHugePages } from './resources.ts'
import { isSidecar } from './visit.ts'

/** Quantities by the names of resources. */
export type Amounts = Readonly<Record<string, string>>

/** Whether a resource may be said of the pod as a whole: https://kubernetes.io/docs/tasks/configure-pod-container/assign-pod-level-resources/ */
export const isPodLevelResource = (name: string): boolean => name === 'cpu' || name === 'memory' || isHugePages(name)

type List = 'requests' | 'limits'

/** What a container uses. */
export type ContainerAmounts = (container: Container, list: List) => Amounts | undefined

const asWritten: ContainerAmounts = ({ resources }, list) => resources[list]

/**
 * What the containers of a pod use at the most at one time: containers and sidecars together, or an init container beside the sidecars that run before it. A step a container.
 * `amountsOf`: what each of them uses, where that is not what its spec says. Source: AggregateContainerRequests and AggregateContainerLimits in k8s.io/component-helpers.
 */
export function* containerAmounts(spec: PodSpec, list: List, amountsOf = asWritten): Steps<Amounts> {
  const total = new Map<string, Quantity>()
  const sidecars = new Map<string, Quantity>()
  const starting = new Map<string, Quantity>()
  const parsed = (container: Container): [string, Quantity][] =>
    Object.entries(amountsOf(container, list) ?? {}).map(([name, amount]) => [name, parseQuantity(amount)])
  for (const container of spec.containers ?? []) {
    yield
    for (const [name, amount] of parsed(container)) add(total, name, amount)
  }
  for (const container of spec.initContainers ?? []) {
    yield
    const isInit = !isSidecar(container)
    for (const [name, amount] of parsed(container)) {
      const beside = sidecars.get(name)
      // A sum is written in the form of its first part.
      if (isInit) raise(starting, name, beside ? addParsed(amount, beside, false) : amount)
      else {
        add(total, name, amount)
        raise(starting, name, add(sidecars, name, amount))
      }
    }
  }
  for (const [name, amount] of starting) raise(total, name, amount)
  return textsOf(total)
}

/** What a pod uses at the most: what it says of itself as a whole, and else what its containers use. */
export function* podAmounts(spec: PodSpec, list: List, amountsOf = asWritten): Steps<Amounts> {
  const ofContainers = yield* containerAmounts(spec, list, amountsOf)
  const own = Object.entries(spec.resources?.[list] ?? {}).filter(([name]) => isPodLevelResource(name))
  return own.length === 0 ? ofContainers : { ...ofContainers, ...Object.fromEntries(own) }
}

function add(to: Map<string, Quantity>, name: string, amount: Quantity): Quantity {
  const known = to.get(name)
  const sum = known ? addParsed(known, amount, false) : amount
  to.set(name, sum)
  return sum
}

function raise(to: Map<string, Quantity>, name: string, amount: Quantity): void {
  const known = to.get(name)
  if (known === undefined || compareParsed(amount, known) > 0) to.set(name, amount)
}

function textsOf(amounts: ReadonlyMap<string, Quantity>): Amounts {
  const texts: Record<string, string> = {}
  for (const [name, { canonical }] of amounts) setMember(texts, name, canonical)
  return texts
}

/** The greatest amount of each resource that one of the lists has. */
export function mostOf(...lists: readonly (Amounts | undefined)[]): Amounts {
  const most: Record<string, string> = {}
  for (const list of lists)
    for (const [name, amount] of Object.entries(list ?? {})) {
      const known = ownMember(most, name)
      if (known === undefined || compareQuantity(amount, known) > 0) setMember(most, name, amount)
    }
  return most
}

import type { Steps } from '../../../lib/steps.ts'
import { ownMember, setMember } from '../../../meta/equal.ts'
import { addQuantity, compareQuantity } from '../../../meta/quantity.ts'
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
  const total: Record<string, string> = {}
  const sidecars: Record<string, string> = {}
  const starting: Record<string, string> = {}
  for (const container of spec.containers ?? []) {
    yield
    for (const [name, amount] of Object.entries(amountsOf(container, list) ?? {})) add(total, name, amount)
  }
  for (const container of spec.initContainers ?? []) {
    yield
    for (const [name, amount] of Object.entries(amountsOf(container, list) ?? {})) {
      raise(starting, name, addQuantity(ownMember(sidecars, name), amount))
      if (!isSidecar(container)) continue
      add(total, name, amount)
      add(sidecars, name, amount)
    }
  }
  for (const [name, amount] of Object.entries(starting)) raise(total, name, amount)
  return total
}

/** What a pod uses at the most: what it says of itself as a whole, and else what its containers use. */
export function* podAmounts(spec: PodSpec, list: List, amountsOf = asWritten): Steps<Amounts> {
  const ofContainers = yield* containerAmounts(spec, list, amountsOf)
  const own = Object.entries(spec.resources?.[list] ?? {}).filter(([name]) => isPodLevelResource(name))
  return own.length === 0 ? ofContainers : { ...ofContainers, ...Object.fromEntries(own) }
}

const add = (to: Record<string, string>, name: string, amount: string): void => setMember(to, name, addQuantity(ownMember(to, name), amount))

/** The greatest amount of each resource that one of the lists has. */
export function mostOf(...lists: readonly (Amounts | undefined)[]): Amounts {
  const most: Record<string, string> = {}
  for (const list of lists) for (const [name, amount] of Object.entries(list ?? {})) raise(most, name, amount)
  return most
}

function raise(to: Record<string, string>, name: string, amount: string): void {
  const known = ownMember(to, name)
  if (known === undefined || compareQuantity(amount, known) > 0) setMember(to, name, amount)
}

import type { Endpoint, EndpointPort, EndpointSlice } from '../../api/discovery/v1.types.ts'
import { compareUnits } from '../../lib/compare-text.ts'
import { isStepDone, type Steps, sortInSteps } from '../../lib/steps.ts'
import { nameIsDnsSubdomain } from '../../meta/names.ts'

/** Label with the name of the service of a slice. */
export const SERVICE_NAME = 'kubernetes.io/service-name'
/** Label with the controller that keeps a slice. */
export const MANAGED_BY = 'endpointslice.kubernetes.io/managed-by'

/** Slices that a pass over a service creates, updates and deletes. */
export interface SliceChanges {
  readonly create: EndpointSlice[]
  readonly update: EndpointSlice[]
  readonly remove: EndpointSlice[]
}

/** Returns the key of the service of a slice. Its name is empty if the slice has no label with it. */
export const sliceOwnerKey = ({ metadata: { namespace = '', labels } }: EndpointSlice): string =>
  `${namespace}/${labels?.[SERVICE_NAME] ?? ''}`

/** Returns the prefix of the names of slices. It has no dash if the name is too long for one. */
export const slicePrefix = (name: string): string => (nameIsDnsSubdomain(`${name}-`, true).length === 0 ? `${name}-` : name)

/** Identifies a set of ports, in any order. Very many take several steps. */
export function* portsKey(ports: readonly EndpointPort[] | null): Steps<string> {
  const texts: string[] = []
  for (const { name, port, protocol, appProtocol } of ports ?? []) {
    if (isStepDone()) yield
    texts.push(JSON.stringify([name, port, protocol, appProtocol]))
  }
  return (texts.length < 2 ? texts : yield* sortInSteps(texts, compareUnits)).join()
}

/** Identifies an endpoint in a set by what makes it another endpoint. Changes of other members are changes in place. */
export function endpointKey({ addresses, hostname = '', targetRef }: Endpoint): string {
  const list = addresses ?? []
  // No part has a blank.
  return `${list.length > 1 ? list.toSorted().join() : (list[0] ?? '')} ${hostname} ${targetRef?.namespace ?? ''} ${targetRef?.name ?? ''}`
}

/** Whether two endpoints with the same key are equal. Hints do not count: they are set at the end of each pass. */
export const isSameEndpoint = (a: Endpoint, b: Endpoint): boolean =>
  a.nodeName === b.nodeName &&
  a.zone === b.zone &&
  a.conditions.ready === b.conditions.ready &&
  a.conditions.serving === b.conditions.serving &&
  a.conditions.terminating === b.conditions.terminating &&
  isSameReference(a.targetRef, b.targetRef)

/** The resource version of the object does not count. */
const isSameReference = (a: Endpoint['targetRef'], b: Endpoint['targetRef']): boolean =>
  a?.uid === b?.uid &&
  a?.name === b?.name &&
  a?.namespace === b?.namespace &&
  a?.kind === b?.kind &&
  a?.apiVersion === b?.apiVersion &&
  a?.fieldPath === b?.fieldPath

/** Groups slices or other items by a key, in the order of their first items. */
export function groupBy<T>(items: Iterable<T>, keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>()
  for (const item of items) addToGroup(groups, keyOf(item), item)
  return groups
}

/** `groupBy` with keys that take steps. */
export function* groupInSteps<T>(items: Iterable<T>, keyOf: (item: T) => Steps<string>): Steps<Map<string, T[]>> {
  const groups = new Map<string, T[]>()
  for (const item of items) addToGroup(groups, yield* keyOf(item), item)
  return groups
}

function addToGroup<T>(groups: Map<string, T[]>, key: string, item: T): void {
  const group = groups.get(key)
  if (group) group.push(item)
  else groups.set(key, [item])
}

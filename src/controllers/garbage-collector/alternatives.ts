import type { OwnerReference } from '../../meta/object.ts'
import type { Coordinates } from './coordinates.ts'
import { keyOf, referredTo, refersTo } from './coordinates.ts'

/** Dependents disagree about where an owner is: some may have a wrong kind, name or namespace beside its uid. */

/** An object that refers to an owner by coordinates. */
export interface Dependent extends Coordinates {
  readonly owners: readonly OwnerReference[]
}

/** Those that refer to the owner by these coordinates, and those that refer to its uid by others. One with several references to the uid can be in both. */
export function partition<T extends Dependent>(dependents: Iterable<T>, owner: Coordinates): { readonly agreeing: T[]; readonly disagreeing: T[] } {
  const agreeing: T[] = []
  const disagreeing: T[] = []
  for (const dependent of dependents) {
    if (owner.namespace !== '' && owner.namespace !== dependent.namespace) {
      disagreeing.push(dependent)
      continue
    }
    const references = dependent.owners.filter(({ uid }) => uid === owner.uid)
    if (references.some(reference => refersTo(reference, owner))) agreeing.push(dependent)
    if (references.some(reference => !refersTo(reference, owner))) disagreeing.push(dependent)
  }
  return { agreeing, disagreeing }
}

/** Other coordinates that dependents have of an owner that is not at these: the next in a fixed order, after the last one the first again. */
export function alternativeTo(absent: Coordinates, dependents: Iterable<Dependent>): Coordinates | undefined {
  const found = new Map<string, Coordinates>()
  const isOfCluster = absent.namespace === ''
  for (const dependent of dependents) {
    for (const reference of dependent.owners) {
      if (reference.uid !== absent.uid) continue
      if (refersTo(reference, absent) && (isOfCluster || dependent.namespace === absent.namespace)) continue
      const sameKind = reference.apiVersion === absent.apiVersion && reference.kind === absent.kind
      const other = referredTo(reference, isOfCluster && sameKind ? '' : dependent.namespace)
      found.set(keyOf(other), other)
    }
  }
  found.delete(keyOf(absent))
  const inOrder = [...found.values()].sort(compare)
  return inOrder.find(other => compare(absent, other) < 0) ?? inOrder[0]
}

const ORDER = ['kind', 'apiVersion', 'namespace', 'name', 'uid'] as const

function compare(a: Coordinates, b: Coordinates): number {
  for (const part of ORDER) if (a[part] !== b[part]) return a[part] < b[part] ? -1 : 1
  return 0
}

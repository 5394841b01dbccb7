import type { OwnerReference } from '../../api/meta/object.ts'
import { isStepDone, type Steps, sortInSteps } from '../../lib/steps.ts'
import type { Coordinates } from './coordinates.ts'
import { coordinatesKey, referredTo, refersTo } from './coordinates.ts'

/**
 * An object that refers to an owner by coordinates. Dependents may disagree about the coordinates of a UID: some can
 * have a wrong kind, name or namespace.
 */
export interface Dependent extends Coordinates {
  readonly owners: readonly OwnerReference[]
}

/**
 * Splits dependents into those that refer to the owner by these coordinates and those that refer to its UID by others.
 * A dependent with several references to the UID can be in both.
 */
export function* partition<T extends Dependent>(
  dependents: Iterable<T>,
  owner: Coordinates,
): Steps<{ readonly agreeing: T[]; readonly disagreeing: T[] }> {
  const agreeing: T[] = []
  const disagreeing: T[] = []
  for (const dependent of dependents) {
    if (isStepDone()) yield
    if (owner.namespace !== '' && owner.namespace !== dependent.namespace) {
      disagreeing.push(dependent)
      continue
    }
    let [agrees, disagrees] = [false, false]
    for (const reference of dependent.owners) {
      if (isStepDone()) yield
      if (reference.uid !== owner.uid) continue
      if (refersTo(reference, owner)) agrees = true
      else disagrees = true
    }
    if (agrees) agreeing.push(dependent)
    if (disagrees) disagreeing.push(dependent)
  }
  return { agreeing, disagreeing }
}

/**
 * Returns other coordinates that dependents have for an owner that does not exist at these. Cycles through the
 * candidates in a fixed order.
 */
export function* alternativeTo(absent: Coordinates, dependents: Iterable<Dependent>): Steps<Coordinates | undefined> {
  const found = new Map<string, Coordinates>()
  const isOfCluster = absent.namespace === ''
  for (const dependent of dependents) {
    for (const reference of dependent.owners) {
      if (isStepDone()) yield
      if (reference.uid !== absent.uid) continue
      if (refersTo(reference, absent) && (isOfCluster || dependent.namespace === absent.namespace)) continue
      const sameKind = reference.apiVersion === absent.apiVersion && reference.kind === absent.kind
      const other = referredTo(reference, isOfCluster && sameKind ? '' : dependent.namespace)
      found.set(coordinatesKey(other), other)
    }
  }
  found.delete(coordinatesKey(absent))
  const inOrder = yield* sortInSteps([...found.values()], compareCoordinates)
  return inOrder.find(other => compareCoordinates(absent, other) < 0) ?? inOrder[0]
}

const ORDER = ['kind', 'apiVersion', 'namespace', 'name', 'uid'] as const

function compareCoordinates(a: Coordinates, b: Coordinates): number {
  for (const part of ORDER) if (a[part] !== b[part]) return a[part] < b[part] ? -1 : 1
  return 0
}

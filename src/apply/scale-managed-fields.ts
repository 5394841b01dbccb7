import type { ManagedFieldsEntry } from '../api/meta/object.ts'
import { difference, fieldSetOf, hasPath, setAtOnce } from './field-set.ts'
import { decodeManaged, encodeManaged, type Managed } from './managed.ts'
import { fieldElement } from './path-element.ts'
import { isEmptySet } from './set-node.ts'

const SCALE_VERSION = 'autoscaling/v1'
const SCALE_REPLICAS = ['spec', 'replicas']

/**
 * Path of the replicas in the objects of each apiVersion, as member names. Undefined for a version without a scale
 * subresource.
 */
export type ReplicasPaths = ReadonlyMap<string, readonly string[] | undefined>

/** Returns the managed fields of a Scale: the managers of the parent's replicas. */
export function toScaleManagedFields(parent: readonly ManagedFieldsEntry[] | undefined, paths: ReplicasPaths): ManagedFieldsEntry[] {
  const scale: Managed = new Map()
  for (const [identity, manager] of decodeManaged(parent) ?? []) {
    const path = paths.get(manager.apiVersion)
    if (path && hasPath(manager.set, path.map(fieldElement)))
      scale.set(identity, { ...manager, apiVersion: SCALE_VERSION, set: fieldSetOf([SCALE_REPLICAS]) })
  }
  return encodeManaged(scale)
}

/**
 * Returns the managed fields of a parent, of `apiVersion`, after a write of its Scale. As upstream, only appliers of
 * the Scale match managers of the parent: an updater becomes a new entry without a time, and updaters of the parent
 * lose the replicas to it.
 */
export function fromScaleManagedFields(
  parent: readonly ManagedFieldsEntry[] | undefined,
  scale: readonly ManagedFieldsEntry[] | undefined,
  apiVersion: string,
  paths: ReplicasPaths,
): ManagedFieldsEntry[] {
  const managed: Managed = new Map()
  const before: Managed = decodeManaged(parent) ?? new Map()
  const scaled: Managed = decodeManaged(scale) ?? new Map()
  for (const [identity, manager] of before) {
    if (!paths.has(manager.apiVersion)) continue
    const path = paths.get(manager.apiVersion)
    if (path === undefined || !hasPath(manager.set, path.map(fieldElement)) || scaled.delete(identity)) managed.set(identity, manager)
    else {
      const set = setAtOnce(difference(manager.set, fieldSetOf([path])))
      if (!isEmptySet(set)) managed.set(identity, { ...manager, set })
    }
  }
  const replicas = paths.get(apiVersion)
  for (const [identity, manager] of scaled)
    if (replicas && hasPath(manager.set, SCALE_REPLICAS.map(fieldElement)))
      managed.set(identity, { ...manager, apiVersion, set: fieldSetOf([replicas]), time: before.get(identity)?.time })
  return encodeManaged(managed)
}

import type { ManagedFieldsEntry } from '../api/meta/object.ts'
import { compareText } from '../lib/compare-text.ts'
import { isStepDone, isSteps, runAtOnce, type Steps } from '../lib/steps.ts'
import { fromFieldsV1, toFieldsV1 } from './read-field-set.ts'
import { type FieldSet, isEmptySet } from './set-node.ts'

/** Fields that a manager owns by one operation, in one version, through one subresource. */
export interface Manager {
  readonly manager: string
  readonly operation: 'Apply' | 'Update'
  /** Version of the paths in `set`. */
  readonly apiVersion: string
  readonly subresource: string
  readonly set: FieldSet
  /** Time of the last change of the set: RFC 3339 in whole seconds. */
  readonly time: string | undefined
}

/** Managers by `managerIdentity`. */
export type Managed = Map<string, Manager>

/**
 * Returns the key of a manager: the JSON text of its names. It includes the version only for updaters, as an applier is
 * the same in all versions. Keys order managers of the same second when the oldest are merged.
 */
export function managerIdentity({ manager, operation, apiVersion, subresource }: Omit<Manager, 'set' | 'time'>): string {
  const name = manager === '' ? '' : `"manager":${JSON.stringify(manager)},`
  const version = operation === 'Update' ? `,"apiVersion":${JSON.stringify(apiVersion)}` : ''
  const part = subresource === '' ? '' : `,"subresource":${JSON.stringify(subresource)}`
  return `{${name}"operation":"${operation}"${version}${part}}`
}

/** Decodes the managed fields of an object. Returns undefined if an entry is malformed. */
export const decodeManaged = (entries: readonly ManagedFieldsEntry[] | undefined): Managed | undefined =>
  runAtOnce(decodeManagedInSteps(entries))

/** `decodeManaged` in steps, for entries that may be many or large. */
export function* decodeManagedInSteps(entries: readonly ManagedFieldsEntry[] | undefined): Steps<Managed | undefined> {
  const managed: Managed = new Map()
  for (const entry of entries ?? []) {
    if (isStepDone()) yield
    const { operation, apiVersion } = entry
    if ((operation !== 'Apply' && operation !== 'Update') || !apiVersion || entry.fieldsType !== 'FieldsV1') return undefined
    let set: FieldSet
    try {
      const read = fromFieldsV1(entry.fieldsV1)
      set = isSteps(read) ? yield* read : read
    } catch {
      return undefined
    }
    const manager: Manager = {
      manager: entry.manager ?? '',
      operation,
      apiVersion,
      subresource: entry.subresource ?? '',
      set,
      time: entry.time ?? undefined,
    }
    managed.set(managerIdentity(manager), manager)
  }
  return managed
}

/** Encodes the managed fields of an object: Apply entries first, then by time, name, version and subresource. */
export function encodeManaged(managed: Managed): ManagedFieldsEntry[] {
  return [...managed.values()].sort(inEntryOrder).map(encodeManager)
}

const inEntryOrder = (a: Manager, b: Manager): number =>
  compareText(a.operation, b.operation) ||
  compareText(a.time ?? '', b.time ?? '') ||
  compareText(a.manager, b.manager) ||
  compareText(a.apiVersion, b.apiVersion) ||
  compareText(a.subresource, b.subresource)

function encodeManager({ manager, operation, apiVersion, subresource, set, time }: Manager): ManagedFieldsEntry {
  const entry: ManagedFieldsEntry = {}
  if (manager !== '') entry.manager = manager
  entry.operation = operation
  entry.apiVersion = apiVersion
  if (time !== undefined) entry.time = time
  entry.fieldsType = 'FieldsV1'
  entry.fieldsV1 = toFieldsV1(set)
  if (subresource !== '') entry.subresource = subresource
  return entry
}

/** Replaces the set of a manager. Removes the manager if the set is empty. */
export function setFields(managed: Managed, identity: string, manager: Manager, set: FieldSet): void {
  if (isEmptySet(set)) managed.delete(identity)
  else if (set !== manager.set) managed.set(identity, { ...manager, set })
}

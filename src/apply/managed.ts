import { compareText } from '../lib/compare-text.ts'
import { isStepDone, isSteps, runAtOnce, type Steps } from '../lib/steps.ts'
import type { ManagedFieldsEntry } from '../meta/object.ts'
import { fromFieldsV1, toFieldsV1 } from './read-field-set.ts'
import { type FieldSet, isEmpty } from './set-node.ts'

/** What one manager owns by one operation, in one version, through one subresource. */
export interface Manager {
  readonly manager: string
  readonly operation: 'Apply' | 'Update'
  /** The version that the set's paths are of. */
  readonly apiVersion: string
  readonly subresource: string
  readonly set: FieldSet
  /** RFC 3339; of the last change of the set. */
  readonly time: string | undefined
}

/** Managers by identity. */
export type Managed = Map<string, Manager>

/** Who a manager is: an applier is the same in every version. The text orders managers of one second when the oldest are merged. */
export function identityOf({ manager, operation, apiVersion, subresource }: Omit<Manager, 'set' | 'time'>): string {
  return JSON.stringify({
    ...(manager !== '' && { manager }),
    operation,
    ...(operation === 'Update' && { apiVersion }),
    ...(subresource !== '' && { subresource }),
  })
}

/** The managers that an object's entries name; undefined where an entry is malformed. */
export const decodeManaged = (entries: readonly ManagedFieldsEntry[] | undefined): Managed | undefined => runAtOnce(decodeManagedInSteps(entries))

/** The same in steps, for entries that may be many or large. */
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
    const manager: Manager = { manager: entry.manager ?? '', operation, apiVersion, subresource: entry.subresource ?? '', set, time: entry.time ?? undefined }
    managed.set(identityOf(manager), manager)
  }
  return managed
}

/** The entries of an object: appliers first, then by time, name, version and subresource. */
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

/** Puts a manager's new set in the place of the old one; without paths there is no manager. */
export function setFields(managed: Managed, identity: string, manager: Manager, set: FieldSet): void {
  if (isEmpty(set)) managed.delete(identity)
  else if (set !== manager.set) managed.set(identity, { ...manager, set })
}

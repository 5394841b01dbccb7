import type { Strategy } from '../catalog/definition.ts'
import { fieldPath } from '../meta/field-path.ts'
import type { GroupResource } from '../meta/gvk.ts'
import type { KubeObject, ObjectMeta } from '../meta/object.ts'
import { conflictError, invalidError, OPTIMISTIC_LOCK, type StatusError } from '../meta/status.ts'
import type { Key } from '../storage/revision.ts'
import type { Preconditions } from './deletion-step.ts'
import { checkRevisionText } from './object-meta.ts'
import { groupKindOf, groupResourceOf, type WriteTarget } from './types.ts'

/*
 * What a request demands of the present object: its uid, its resourceVersion. Upstream checks them at several places, each in its own words. All functions throw 409 Conflict.
 */

const storageFault = (key: string, what: string): string =>
  `StorageError: invalid object, Code: 4, Key: ${key}, ResourceVersion: 0, AdditionalErrorMsg: ${what}`

const otherUid = (wanted: string, found: string | undefined): string =>
  `Precondition failed: UID in precondition: ${wanted}, UID in object meta: ${found ?? ''}`

const otherVersion = (wanted: string, found: string | undefined): string =>
  `Precondition failed: ResourceVersion in precondition: ${wanted}, ResourceVersion in object meta: ${found ?? ''}`

/** Checks the uid that the body of an update names, if it names one. Without a present object no uid matches. In a dry run upstream checks it above the store, and names the key without the prefix of the store. */
export function checkUid(
  target: WriteTarget,
  { key, prefix }: { readonly key: Key; readonly prefix: string },
  wanted: string | undefined,
  old: KubeObject | undefined,
): void {
  if (wanted === undefined || wanted === '' || wanted === old?.metadata.uid) return
  const named = target.dryRun ? key.slice(prefix.length) : key
  throw conflictError(groupResourceOf(target.served), target.name, storageFault(named, otherUid(wanted, old?.metadata.uid)))
}

/** Of an update that creates: the object names no uid. */
export function checkNoUid(target: WriteTarget, { metadata }: KubeObject): void {
  if (!metadata.uid) return
  const message = `uid mismatch: the provided object specified uid ${metadata.uid}, and no existing object was found`
  throw conflictError(groupResourceOf(target.served), target.name, message)
}

/** Of an update: one without a resourceVersion takes the present one, where the kind allows that; any other must name the present one. */
export function checkResourceVersion(target: WriteTarget, strategy: Strategy, next: KubeObject, old: KubeObject): void {
  const gr = groupResourceOf(target.served)
  const wanted = next.metadata.resourceVersion ?? ''
  checkRevisionText(wanted)
  if (isZero(wanted)) {
    if (strategy.allowUnconditionalUpdate === false)
      throw invalidError({ group: gr.group, kind: gr.resource }, target.name, [
        { reason: 'FieldValueInvalid', field: fieldPath('metadata', 'resourceVersion').text, body: 'Invalid value: 0x0: must be specified for an update' },
      ])
    if (old.metadata.resourceVersion !== undefined) next.metadata.resourceVersion = old.metadata.resourceVersion
  } else {
    if (!isSameRevision(wanted, old)) throw conflictError(gr, target.name, OPTIMISTIC_LOCK)
    next.metadata.resourceVersion = old.metadata.resourceVersion ?? ''
  }
}

/** By their numbers: zeros in front do not count. */
const isSameRevision = (wanted: string, { metadata }: KubeObject): boolean => wanted.replace(/^0+/, '') === metadata.resourceVersion

/** Whether a resourceVersion that can be parsed is 0, in any number of digits, or absent. */
const isZero = (wanted: string): boolean => !/[1-9]/.test(wanted)

/** Of a write of a view (scale): what the view names. A resourceVersion of 0 is left to the update of the parent. `part`: the resource with the subresource. */
export function checkView(gr: GroupResource, part: GroupResource, name: string, view: KubeObject, parent: KubeObject): void {
  const { uid = '', resourceVersion = '' } = view.metadata
  checkRevisionText(resourceVersion)
  if (uid !== '' && uid !== parent.metadata.uid) throw conflictError(part, name, otherUid(uid, parent.metadata.uid))
  if (!isZero(resourceVersion) && !isSameRevision(resourceVersion, parent)) throw conflictError(gr, name, OPTIMISTIC_LOCK)
}

function storageFaultOf({ uid, resourceVersion }: Preconditions, found: ObjectMeta): string | undefined {
  if (uid !== undefined && uid !== found.uid) return otherUid(uid, found.uid)
  if (resourceVersion !== undefined && resourceVersion !== found.resourceVersion) return otherVersion(resourceVersion, found.resourceVersion)
}

/** Of a deletion: what its options name. */
export function checkDeletion(target: WriteTarget, preconditions: Preconditions | undefined, { metadata }: KubeObject): void {
  if (preconditions === undefined) return
  const { uid, resourceVersion } = preconditions
  if (target.served.definition.strategy?.ownPreconditions) {
    const fault = storageFaultOf(preconditions, metadata)
    if (fault !== undefined) throw conflictError(groupResourceOf(target.served), target.name, fault)
    return
  }
  if (uid !== undefined && uid !== metadata.uid)
    throw recordConflict(
      target,
      `the UID in the precondition (${uid}) does not match the UID in record (${metadata.uid}). The object might have been deleted and then recreated`,
    )
  if (resourceVersion !== undefined && resourceVersion !== metadata.resourceVersion)
    throw recordConflict(
      target,
      `the ResourceVersion in the precondition (${resourceVersion}) does not match the ResourceVersion in record (${metadata.resourceVersion}). The object might have been modified`,
    )
}

/** 409 that names the kind where others name the resource, as upstream's deletion does. */
function recordConflict({ served, name }: WriteTarget, message: string): StatusError {
  const { group, kind } = groupKindOf(served)
  return conflictError({ group, resource: kind }, name, message)
}

/** Upstream loses the version that it was given where a deletion takes out the last finalizer, and then finds that it does not match. */
export const lostVersion = (target: WriteTarget, key: Key, { metadata }: KubeObject): StatusError =>
  conflictError(groupResourceOf(target.served), target.name, storageFault(key, otherVersion('', metadata.resourceVersion)))

import type { KubeObject, ObjectMeta } from '../api/meta/object.ts'
import type { GroupResource, Preconditions } from '../api/meta/v1.types.ts'
import type { Strategy } from '../catalog/strategy.ts'
import { invalid, verbatim } from '../meta/field-error.ts'
import { fieldPath } from '../meta/field-path.ts'
import { conflictError, invalidError, OPTIMISTIC_LOCK, type StatusError } from '../meta/status.ts'
import type { Key } from '../storage/revision.ts'
import { checkRevisionText } from './object-meta.ts'
import { groupKindOf, groupResourceOf, type WriteTarget } from './types.ts'

/*
 * Checks of the uid and the resourceVersion that a request requires of the existing object. Upstream has several, each with its own messages. All functions throw 409 Conflict unless noted otherwise.
 */

const storageFault = (key: string, what: string): string =>
  `StorageError: invalid object, Code: 4, Key: ${key}, ResourceVersion: 0, AdditionalErrorMsg: ${what}`

const otherUid = (wanted: string, found: string | undefined): string =>
  `Precondition failed: UID in precondition: ${wanted}, UID in object meta: ${found ?? ''}`

const otherVersion = (wanted: string, found: string | undefined): string =>
  `Precondition failed: ResourceVersion in precondition: ${wanted}, ResourceVersion in object meta: ${found ?? ''}`

/**
 * Checks the uid of an update's body, if it has one. No uid matches if the object does not exist. Upstream checks a dry
 * run above the store, so its message has the key without the store's prefix.
 */
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

/** Creates the error for an unsafe deletion of an object that can be read. */
export const readableError = (target: WriteTarget, key: Key): StatusError =>
  conflictError(
    groupResourceOf(target.served),
    target.name,
    storageFault(key, 'unsafe deletion is not allowed because the object is decodable from storage'),
  )

/** Rejects an update that creates an object if the body has a uid. */
export function checkNoUid(target: WriteTarget, { metadata }: KubeObject): void {
  if (!metadata.uid) return
  const message = `uid mismatch: the provided object specified uid ${metadata.uid}, and no existing object was found`
  throw conflictError(groupResourceOf(target.served), target.name, message)
}

/**
 * Checks the resourceVersion of an update against the existing object, and sets it to the existing one if it is absent
 * or 0. Throws 422 for those if the kind requires one, 500 if it is not a number.
 */
export function checkResourceVersion(target: WriteTarget, strategy: Strategy, next: KubeObject, old: KubeObject): void {
  const gr = groupResourceOf(target.served)
  const wanted = next.metadata.resourceVersion ?? ''
  checkRevisionText(wanted)
  if (isZeroVersion(wanted)) {
    if (strategy.allowUnconditionalUpdate === false)
      throw invalidError({ group: gr.group, kind: gr.resource }, target.name, [
        invalid(fieldPath('metadata', 'resourceVersion'), ZERO, 'must be specified for an update'),
      ])
    if (old.metadata.resourceVersion !== undefined) next.metadata.resourceVersion = old.metadata.resourceVersion
  } else {
    if (!isSameRevision(wanted, old)) throw conflictError(gr, target.name, OPTIMISTIC_LOCK)
    next.metadata.resourceVersion = old.metadata.resourceVersion ?? ''
  }
}

/** The version 0, a uint64, whose Go syntax is hexadecimal. */
const ZERO = verbatim('0x0', () => '0')

/** Compares numerically: leading zeros are ignored. */
const isSameRevision = (wanted: string, { metadata }: KubeObject): boolean => wanted.replace(/^0+/, '') === metadata.resourceVersion

/** Whether a resourceVersion that can be parsed is 0, in any number of digits, or absent. */
const isZeroVersion = (wanted: string): boolean => !/[1-9]/.test(wanted)

/**
 * Checks the uid and the resourceVersion of a view such as Scale against its parent. A resourceVersion of 0 is left to
 * the update of the parent. `part` names the resource with its subresource.
 */
export function checkView(gr: GroupResource, part: GroupResource, name: string, view: KubeObject, parent: KubeObject): void {
  const { uid = '', resourceVersion = '' } = view.metadata
  checkRevisionText(resourceVersion)
  if (uid !== '' && uid !== parent.metadata.uid) throw conflictError(part, name, otherUid(uid, parent.metadata.uid))
  if (!isZeroVersion(resourceVersion) && !isSameRevision(resourceVersion, parent)) throw conflictError(gr, name, OPTIMISTIC_LOCK)
}

function storageFaultOf({ uid, resourceVersion }: Preconditions, found: ObjectMeta): string | undefined {
  if (uid !== undefined && uid !== found.uid) return otherUid(uid, found.uid)
  if (resourceVersion !== undefined && resourceVersion !== found.resourceVersion)
    return otherVersion(resourceVersion, found.resourceVersion)
}

/** Checks the preconditions of a deletion. */
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

/** 409 that names the kind instead of the resource, as upstream's deletion does. */
function recordConflict({ served, name }: WriteTarget, message: string): StatusError {
  const { group, kind } = groupKindOf(served)
  return conflictError({ group, resource: kind }, name, message)
}

/**
 * The error of removing an object that has finalizers with a required resourceVersion. Upstream compares it as empty
 * there, so it never matches.
 */
export const lostVersion = (target: WriteTarget, key: Key, { metadata }: KubeObject): StatusError =>
  conflictError(groupResourceOf(target.served), target.name, storageFault(key, otherVersion('', metadata.resourceVersion)))

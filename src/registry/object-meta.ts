import type { KubeObject, ObjectMeta, OwnerReference } from '../api/meta/object.ts'
import { parseInteger } from '../lib/integer.ts'
import { isStepDone, runAtOnce, type Steps } from '../lib/steps.ts'
import { badRequestError, failure } from '../meta/status.ts'

/** Fields of ObjectMeta that some releases decode and none stores. `clusterName` was removed after 1.24. */
export interface LegacyFields {
  selfLink?: string
  clusterName?: string
}

/**
 * Clears the fields of a new object that only the server sets. `keepsDeletion`: those of a deletion remain, so that the
 * object is being deleted from the start.
 */
export function wipeSystemFields(meta: ObjectMeta & LegacyFields, keepsDeletion = false): void {
  delete meta.uid
  if (!keepsDeletion) {
    delete meta.deletionTimestamp
    delete meta.deletionGracePeriodSeconds
  }
  delete meta.selfLink
  delete meta.clusterName
  meta.creationTimestamp = null
}

/**
 * Returns why a non-empty text is not a resourceVersion, with the message of Go's strconv.ParseUint; undefined if it is
 * one. Cost is bounded for long texts.
 */
export function revisionFault(wanted: string): string | undefined {
  if (!/^\d+$/.test(wanted)) return 'invalid syntax'
  return parseInteger(wanted) > 18446744073709551615n ? 'value out of range' : undefined
}

/**
 * Throws 500 if the resourceVersion of a body is not a number. Upstream returns the parser's error without a Status.
 */
export function checkRevisionText(wanted: string): void {
  const fault = wanted === '' ? undefined : revisionFault(wanted)
  if (fault) throw failure(500, '', `strconv.ParseUint: parsing ${JSON.stringify(wanted)}: ${fault}`)
}

/**
 * Sets the namespace of the request in an object that has none. Throws 400 if the object names another. `namespace` is
 * empty for cluster-scoped resources, and the object's is then cleared.
 */
export function ensureNamespace(meta: ObjectMeta, namespace: string): void {
  const own = meta.namespace ?? ''
  if (own === namespace) return
  if (own === '') meta.namespace = namespace
  else if (namespace === '') delete meta.namespace
  else throw badRequestError('the namespace of the provided object does not match the namespace sent on the request')
}

/** Throws 400 if a body has another name or namespace than the path, or no name. */
export function checkName(object: KubeObject, name: string, namespace: string): void {
  const own = object.metadata.name ?? ''
  if (own === '') throw badRequestError(`the name of the object (${name} based on URL) was undeterminable: name must be provided`)
  if (own !== name) throw badRequestError(`the name of the object (${own}) does not match the name on the URL (${name})`)
  const ownNamespace = object.metadata.namespace ?? ''
  if (namespace !== '' && ownNamespace !== '' && ownNamespace !== namespace)
    throw badRequestError(`the namespace of the object (${ownNamespace}) does not match the namespace on the request (${namespace})`)
}

const DUPLICATE_OWNERS =
  '.metadata.ownerReferences contains duplicate entries; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: '
const DUPLICATE_OWNERS_AFTER_ADMISSION =
  '.metadata.ownerReferences contains duplicate entries after mutating admission happens; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: '

/** Removes duplicate owner references, with upstream's warning. `afterAdmission` selects its wording. */
export const dedupOwnerReferences = (meta: ObjectMeta, warn: (text: string) => void, afterAdmission: boolean): void =>
  runAtOnce(dedupOwnersInSteps(meta, warn, afterAdmission))

/** `dedupOwnerReferences` in steps, for objects that may have many. */
export function* dedupOwnersInSteps(meta: ObjectMeta, warn: (text: string) => void, afterAdmission: boolean): Steps<void> {
  const references = meta.ownerReferences
  if (references === undefined || references.length < 2) return
  const kept: OwnerReference[] = []
  const duplicates: string[] = []
  const seen = new Set<string>()
  for (const reference of references) {
    if (isStepDone()) yield
    // Decoding orders the members, so equal references have equal JSON.
    const identity = JSON.stringify(reference)
    if (seen.has(identity)) duplicates.push(reference.uid)
    else kept.push(reference)
    seen.add(identity)
  }
  if (duplicates.length === 0) return
  warn((afterAdmission ? DUPLICATE_OWNERS_AFTER_ADMISSION : DUPLICATE_OWNERS) + duplicates.join(', '))
  meta.ownerReferences = kept
}

/** Returns a name for generateName. The prefix is truncated so that the name has at most 63 characters. */
export const generatedName = (prefix: string, suffix: string): string => prefix.slice(0, 63 - suffix.length) + suffix

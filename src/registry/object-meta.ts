import { integerOf } from '../lib/integer.ts'
import type { KubeObject, ObjectMeta, OwnerReference } from '../meta/object.ts'
import { badRequestError, failure } from '../meta/status.ts'

/** What some releases read and none stores. `clusterName`: 1.24. */
export interface LegacyFields {
  selfLink?: string
  clusterName?: string
}

/** Removes what only the server may set, from an object that is to be created. */
export function wipeSystemFields(meta: ObjectMeta & LegacyFields): void {
  delete meta.uid
  delete meta.deletionTimestamp
  delete meta.deletionGracePeriodSeconds
  delete meta.selfLink
  delete meta.clusterName
  meta.creationTimestamp = null
}

/** Why a text, which is not empty, is no resourceVersion, as Go's parser of numbers says it. No very large number is made of a long text. */
export function revisionFault(wanted: string): string | undefined {
  if (!/^\d+$/.test(wanted)) return 'invalid syntax'
  return integerOf(wanted) > 18446744073709551615n ? 'value out of range' : undefined
}

/** Throws where a resourceVersion in a body is no number. Upstream has no Status for it: the parser's text in a 500. */
export function checkRevisionText(wanted: string): void {
  const fault = wanted === '' ? undefined : revisionFault(wanted)
  if (fault) throw failure(500, '', `strconv.ParseUint: parsing ${JSON.stringify(wanted)}: ${fault}`)
}

/** Puts the request's namespace into an object that has none; 400 where it names another. `namespace` is empty for cluster-scoped resources. */
export function ensureNamespace(meta: ObjectMeta, namespace: string): void {
  const own = meta.namespace ?? ''
  if (own === namespace) return
  if (own === '') meta.namespace = namespace
  else if (namespace === '') delete meta.namespace
  else throw badRequestError('the namespace of the provided object does not match the namespace sent on the request')
}

/** 400 where a body names another object than the path. */
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

/** Removes owner references that are there twice, with the warning that upstream gives. */
export function dedupOwnerReferences(meta: ObjectMeta, warn: (text: string) => void, afterAdmission: boolean): void {
  const references = meta.ownerReferences
  if (references === undefined || references.length < 2) return
  const kept: OwnerReference[] = []
  const duplicates: string[] = []
  const seen = new Set<string>()
  for (const reference of references) {
    // Decoded values have their members in one order, so equal ones have the same text.
    const identity = JSON.stringify(reference)
    if (seen.has(identity)) duplicates.push(reference.uid)
    else kept.push(reference)
    seen.add(identity)
  }
  if (duplicates.length === 0) return
  warn((afterAdmission ? DUPLICATE_OWNERS_AFTER_ADMISSION : DUPLICATE_OWNERS) + duplicates.join(', '))
  meta.ownerReferences = kept
}

/** A name from generateName: the prefix is cut to leave room for the suffix in 63 characters. */
export const generatedName = (prefix: string, suffix: string): string => prefix.slice(0, 63 - suffix.length) + suffix

import type { ControllerRevision } from '../../api/apps/v1.types.ts'
import type { PodTemplateSpec } from '../../api/core/v1.types.ts'
import type { Json, TypedObject } from '../../api/meta/object.ts'
import type { ApiClient, ResourceKind } from '../../clients/api-client.ts'
import { compareText } from '../../lib/compare-text.ts'
import { goJsonText } from '../../lib/go-json-text.ts'
import { isLongStepDone, isStepDone, runAtOnce, runIfSteps, runInTurns, type Steps, sortInSteps } from '../../lib/steps.ts'
import { memberNames, noteCopy } from '../../lib/wide-objects.ts'
import { isSince, type Release } from '../../lifecycle/release.ts'
import { deepEqual, deepEqualInSteps, hasMembers, setMember } from '../../meta/equal.ts'
import { hasFewValues, MOST_IN_A_STEP } from '../../meta/few-values.ts'
import { isStatusError, undefinedIfNotFound } from '../../meta/status.ts'
import { timeMillis } from '../../meta/time.ts'
import { CONTROLLER_REVISIONS } from './kinds.ts'
import { KnownComparisons } from './known-comparisons.ts'
import { controllerReference } from './owner.ts'
import { Fnv1, hashJson, safeEncode } from './template-hash.ts'
import { withMembers } from './with-members.ts'

/**
 * Label of a pod with the revision of its template: the name of the revision for a StatefulSet, its hash for a
 * DaemonSet.
 */
export const REVISION_LABEL = 'controller-revision-hash'
const HASH_LABEL = 'controller.kubernetes.io/hash'

/** Longest part of the owner's name in the name of a revision. */
const LONGEST_PREFIX = 223

/**
 * Returns the data of a revision: a strategic merge patch that restores the template. Its members are sorted, so that
 * equal templates have equal texts. Before 1.34 Go wrote the absent time of creation as null.
 */
export const templatePatch = (template: PodTemplateSpec, release: Release): Json => runAtOnce(templatePatchInSteps(template, release))

/** Patches of large templates, as long as those exist. A controller has one release. */
const patches = new WeakMap<PodTemplateSpec, Json>()

/** `templatePatch` in steps. The patch of a large template is kept. */
export function* templatePatchInSteps(template: PodTemplateSpec, release: Release): Steps<Json> {
  const known = patches.get(template)
  if (known !== undefined) return known
  const { metadata, spec } = template
  const complete = isSince(release, '1.34') ? metadata : { creationTimestamp: null, ...metadata }
  const patch = yield* sortedInSteps({ spec: { template: { $patch: 'replace', metadata: complete, spec } } })
  if (!hasFewValues(template)) patches.set(template, patch)
  return patch
}

function* sortedInSteps(value: unknown): Steps<Json> {
  if (hasFewValues(value, MOST_IN_A_STEP)) return sorted(value)
  if (Array.isArray(value)) {
    const items: Json[] = []
    for (const item of value) {
      if (isLongStepDone()) yield
      items.push(yield* sortedInSteps(item))
    }
    return items
  }
  if (!hasMembers(value)) return value as Json
  const copy: Record<string, Json> = {}
  for (const name of yield* sortInSteps(yield* memberNames(value), compareText)) {
    if (isStepDone()) yield
    if (value[name] !== undefined) setMember(copy, name, yield* sortedInSteps(value[name]))
  }
  return noteCopy(value, copy)
}

function sorted(value: unknown): Json {
  if (Array.isArray(value)) return value.map(sorted)
  if (!hasMembers(value)) return value as Json
  const names = Object.keys(value).filter(name => value[name] !== undefined)
  return Object.fromEntries(names.toSorted(compareText).map(name => [name, sorted(value[name])]))
}

/** Returns the template that a revision restores. Throws an Error if it has none. */
export function templateOf({ metadata, data }: ControllerRevision): PodTemplateSpec {
  const { spec } = data as { spec?: { template?: PodTemplateSpec & { $patch?: string } } }
  if (!spec?.template) throw new Error(`revision ${metadata.name ?? ''} has no template`)
  const { $patch: _patch, ...template } = spec.template
  return template
}

/** Whether the data of a revision are these. Absent members equal null and empty lists. */
export const hasData = (revision: ControllerRevision, data: Json): boolean => deepEqual(revision.data, data)

/** Results for large data, as long as both exist. */
const compared = new KnownComparisons<object>()

/** `hasData` in steps, for data that may be large. */
export function* hasDataInSteps(revision: ControllerRevision, data: Json): Steps<boolean> {
  const stored = revision.data
  if (!hasMembers(stored) || !hasMembers(data) || hasFewValues(data)) return hasData(revision, data)
  return yield* compared.of(stored, data, deepEqualInSteps(stored, data))
}

export const revisionNumber = ({ revision }: ControllerRevision): number => Number(revision)

/** Orders revisions by number, equal numbers by creation, equal times by name. */
export const byRevisionNumber = (a: ControllerRevision, b: ControllerRevision): number =>
  revisionNumber(a) - revisionNumber(b) ||
  (timeMillis(a.metadata.creationTimestamp) ?? 0) - (timeMillis(b.metadata.creationTimestamp) ?? 0) ||
  compareText(a.metadata.name ?? '', b.metadata.name ?? '')

/** Number of a new revision. */
export const nextRevision = (revisions: readonly ControllerRevision[]): number => Math.max(0, ...revisions.map(revisionNumber)) + 1

/** Hash of the data of a revision, as upstream's HashControllerRevision. */
export const revisionHash = (data: Json, collisionCount: number): string => runAtOnce(revisionHashInSteps(data, collisionCount))

/** `revisionHash` in steps. The members of the data must be sorted. */
export function* revisionHashInSteps(data: Json, collisionCount: number): Steps<string> {
  const hash = new Fnv1()
  yield* hashJson(data, hash, value => goJsonText(value as Json))
  hash.add(Buffer.from(String(collisionCount)))
  return safeEncode(String(hash.sum))
}

/** Name of a revision. */
export const revisionName = (owner: string, hash: string): string => `${owner.slice(0, LONGEST_PREFIX)}-${hash}`

/**
 * Returns a revision to create, in steps. @param labels of the revision, which it keeps; annotations of the owner are
 * copied.
 */
export function* newRevision<T extends TypedObject>(
  kind: ResourceKind<T>,
  owner: T,
  of: { readonly name: string; readonly labels: Record<string, string>; readonly data: Json; readonly revision: number },
): Steps<ControllerRevision> {
  const { namespace = '', annotations } = owner.metadata
  return {
    kind: 'ControllerRevision',
    apiVersion: 'apps/v1',
    metadata: {
      namespace,
      name: of.name,
      labels: of.labels,
      ...(annotations && { annotations: yield* runIfSteps(withMembers(annotations)) }),
      ownerReferences: [controllerReference(kind, owner)],
    },
    data: of.data,
    revision: of.revision,
  }
}

/** A revision with the number of collisions of its name so far. */
export interface CreatedRevision {
  readonly revision: ControllerRevision
  readonly collisionCount: number
}

/**
 * Creates a revision that is named by the hash of its data. If another one has the name, the hash counts one more
 * collision.
 */
export async function createRevision<T extends TypedObject>(
  client: ApiClient,
  kind: ResourceKind<T>,
  owner: T,
  of: {
    readonly labels: Readonly<Record<string, string>>
    readonly data: Json
    readonly revision: number
    readonly collisionCount: number
  },
): Promise<CreatedRevision> {
  const { namespace = '', name: ownerName = '' } = owner.metadata
  const hash = await runInTurns(revisionHashInSteps(of.data, of.collisionCount))
  const labels = await runInTurns(runIfSteps(withMembers(of.labels, { [HASH_LABEL]: hash })))
  for (let collisionCount = of.collisionCount; ; collisionCount++) {
    const name = revisionName(ownerName, await runInTurns(revisionHashInSteps(of.data, collisionCount)))
    try {
      const given = await runInTurns(newRevision(kind, owner, { ...of, name, labels }))
      return { revision: await client.create(CONTROLLER_REVISIONS, given), collisionCount }
    } catch (error) {
      if (!isStatusError(error, 'AlreadyExists')) throw error
      const present = await client.get(CONTROLLER_REVISIONS, namespace, name)
      if (await runInTurns(hasDataInSteps(present, of.data))) return { revision: present, collisionCount }
    }
  }
}

/** Sets the number of a revision. Reads it again if it has changed. */
export async function renumberRevision(client: ApiClient, given: ControllerRevision, revision: number): Promise<ControllerRevision> {
  const { namespace = '', name = '' } = given.metadata
  for (let current = given, retried = false; ; retried = true) {
    if (revisionNumber(current) === revision) return current
    try {
      return await client.update(CONTROLLER_REVISIONS, { ...current, revision })
    } catch (error) {
      if (retried || !isStatusError(error, 'Conflict')) throw error
    }
    current = await client.get(CONTROLLER_REVISIONS, namespace, name)
  }
}

/** Deletes revisions. A revision that is gone already is no failure. */
export async function deleteRevisions(client: ApiClient, revisions: readonly ControllerRevision[]): Promise<void> {
  for (const { metadata } of revisions)
    await client.delete(CONTROLLER_REVISIONS, metadata.namespace ?? '', metadata.name ?? '').catch(undefinedIfNotFound)
}

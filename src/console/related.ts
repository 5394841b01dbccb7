import type { Related } from './graph-layout.ts'
import { groupVersion, type Kind, resourcePath } from './kinds.ts'
import type { AnyObject, ObjectMeta, OwnerReference } from './objects.ts'
import { callJson } from './session.ts'

/** Objects related by ownership. */
export interface Relations {
  readonly objects: readonly Related[]
  /** Kinds of which not all objects could be read. */
  readonly unread: readonly string[]
}

const LIST = 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io'
const ONE = 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io'
/** Limit for the objects of one kind. */
const MOST_OF_KIND = 2_000
const AT_ONCE = 6
/** Limit for the levels of owners. */
const MOST_LEVELS = 8

/** Whether to search the kind for related objects. Events and metrics are not worth reading. */
const isWorth = ({ group, resource, preferred }: Kind): boolean => preferred && resource !== 'events' && group !== 'metrics.k8s.io'

/**
 * Returns all direct and indirect owners and dependents of an object. Reads the metadata of its namespace, or of all
 * namespaces for a cluster-scoped object.
 */
export async function relationsOf(object: AnyObject, kind: Kind, kinds: readonly Kind[], signal: AbortSignal): Promise<Relations> {
  const { namespace = '' } = object.metadata
  const found = new Map<string, Related>()
  const unread: string[] = []
  const note = (metadata: ObjectMeta, of: Kind): void => {
    const { uid = '', name, ownerReferences = [] } = metadata
    found.set(uid, { uid, kind: of.kind, name, namespace: metadata.namespace ?? '', of, owners: ownerReferences.map(owner => owner.uid) })
  }
  note(object.metadata, kind)
  await forEach(
    kinds.filter(each => isWorth(each) && (namespace === '' || each.namespaced)),
    async each => {
      try {
        const list = await callJson<{ readonly metadata?: { readonly continue?: string }; readonly items: readonly AnyObject[] | null }>(
          `${resourcePath(each, namespace)}?limit=${MOST_OF_KIND}`,
          { headers: { Accept: LIST }, signal },
        )
        for (const { metadata } of list.items ?? []) if (metadata.ownerReferences !== undefined) note(metadata, each)
        if (list.metadata?.continue) unread.push(`${each.resource} (beyond ${MOST_OF_KIND})`)
      } catch (error) {
        if (signal.aborted) throw error
        unread.push(each.resource)
      }
    },
  )
  await followOwners(object.metadata, kinds, { found, note, signal })
  return { objects: connected(object.metadata.uid ?? '', found), unread: unread.sort() }
}

interface Following {
  readonly found: Map<string, Related>
  note(metadata: ObjectMeta, of: Kind): void
  readonly signal: AbortSignal
}

async function followOwners(metadata: ObjectMeta, kinds: readonly Kind[], { found, note, signal }: Following): Promise<void> {
  let level: readonly { readonly owner: OwnerReference; readonly namespace: string }[] = ownersIn(metadata)
  for (let depth = 0; depth < MOST_LEVELS && level.length > 0; depth++) {
    const next: { owner: OwnerReference; namespace: string }[] = []
    for (const { owner, namespace } of level) {
      const of = kinds.find(each => each.kind === owner.kind && groupVersion(each) === owner.apiVersion)
      const read =
        of &&
        (await callJson<AnyObject>(resourcePath(of, of.namespaced ? namespace : '', owner.name), {
          headers: { Accept: ONE },
          signal,
        }).catch(() => undefined))
      if (of && read && read.metadata.uid === owner.uid) {
        note(read.metadata, of)
        next.push(...ownersIn(read.metadata))
      } else if (!found.has(owner.uid))
        found.set(owner.uid, {
          uid: owner.uid,
          kind: owner.kind,
          name: owner.name,
          namespace,
          ...(of && { of }),
          owners: [],
          isMissing: true,
        })
    }
    level = next
  }
}

const ownersIn = ({ ownerReferences = [], namespace = '' }: ObjectMeta) => ownerReferences.map(owner => ({ owner, namespace }))

/** Returns the objects that can be reached by going only up or only down. */
function connected(uid: string, found: ReadonlyMap<string, Related>): readonly Related[] {
  const dependents = new Map<string, string[]>()
  for (const { uid: child, owners } of found.values())
    for (const owner of owners) dependents.set(owner, [...(dependents.get(owner) ?? []), child])
  const reached = new Set<string>([uid])
  for (const next of [(id: string) => dependents.get(id) ?? [], (id: string) => found.get(id)?.owners ?? []]) {
    const queue = [uid]
    const seen = new Set(queue)
    for (let id = queue.pop(); id !== undefined; id = queue.pop())
      for (const each of next(id))
        if (!seen.has(each)) {
          seen.add(each)
          reached.add(each)
          queue.push(each)
        }
  }
  return [...reached].flatMap(id => found.get(id) ?? [])
}

async function forEach<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const rest = [...items]
  const worker = async (): Promise<void> => {
    for (let item = rest.shift(); item !== undefined; item = rest.shift()) await work(item)
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
}

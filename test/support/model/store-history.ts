import type { JsonObject } from '../../../src/meta/object.ts'
import type { AnyObject } from '../any-object.ts'
import { type Selected, type Selection, selects } from './selection.ts'

/** An object as one revision of the store has it. */
export interface StoredVersion extends Selected {
  /** `namespace/name` */
  readonly key: string
  /** Of the write that made it. */
  readonly revision: number
  /** As `contentOf`. */
  readonly content: string
  /** Of the metadata alone. */
  readonly metadataContent: string
  readonly object: AnyObject
}

/** What of a version is shown: all, or its metadata. */
export const shown = ({ content, metadataContent }: StoredVersion, metadataOnly: boolean): string => (metadataOnly ? metadataContent : content)

/** One object's change; absent states are undefined. */
export interface StoreChange {
  readonly key: string
  readonly revision: number
  readonly before: StoredVersion | undefined
  readonly after: StoredVersion | undefined
}

/** What is asked for: a namespace or all of them (empty), one object in it or all, and of those what is selected. */
export interface Extent {
  readonly namespace: string
  readonly name?: string
  readonly selection: Selection
}

/** An event as a watch has to show it. */
export interface ExpectedEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'
  readonly key: string
  readonly revision: number
  readonly version: StoredVersion
}

/**
 * All that a store has held of one resource, by revisions: the plain truth with which answers are compared. It is read from the store by another way than the servers' own,
 * and knows nothing of caches, connections or time.
 */
export class StoreHistory {
  readonly changes: StoreChange[] = []
  readonly #versions = new Map<string, (StoredVersion | { readonly revision: number; readonly key: string; readonly content: undefined })[]>()
  readonly #fields: Readonly<Record<string, (object: AnyObject) => string>>
  /** The newest revision of the store, whatever it changed. */
  revision = 1
  /** Why this is not the whole truth. */
  fault: string | undefined

  /** `fields`: selectable fields beyond name and namespace. */
  constructor(fields: Readonly<Record<string, (object: AnyObject) => string>> = {}) {
    this.#fields = fields
  }

  /** Revisions come in order. Without an object the key was deleted. */
  add(key: string, revision: number, object: AnyObject | undefined): void {
    const versions = this.#versions.get(key) ?? []
    this.#versions.set(key, versions)
    const before = stateOf(versions.at(-1))
    this.revision = Math.max(this.revision, revision)
    if (object === undefined && before === undefined) return
    const after = object && this.#version(key, revision, object)
    versions.push(after ?? { key, revision, content: undefined })
    this.changes.push({ key, revision, before, after })
  }

  #version(key: string, revision: number, object: AnyObject): StoredVersion {
    const { name = '', namespace = '', labels = {} } = object.metadata
    const fields: Record<string, string> = { 'metadata.name': name, 'metadata.namespace': namespace }
    for (const [field, read] of Object.entries(this.#fields)) fields[field] = read(object)
    return {
      key,
      revision,
      content: contentOf(object),
      get metadataContent() {
        return contentOf({ metadata: object.metadata } as AnyObject)
      },
      object,
      labels,
      fields,
    }
  }

  /** The object as of a revision. */
  at(key: string, revision: number): StoredVersion | undefined {
    return stateOf(this.#versions.get(key)?.findLast(version => version.revision <= revision))
  }

  /** Revisions at which the key had the state of `revision`: from, to (Infinity: still). */
  interval(key: string, revision: number): { from: number; to: number } {
    const versions = this.#versions.get(key) ?? []
    const next = versions.findIndex(version => version.revision > revision)
    const last = next < 0 ? versions.length : next
    return { from: versions[last - 1]?.revision ?? 0, to: next < 0 ? Number.POSITIVE_INFINITY : (versions[next]?.revision ?? 0) - 1 }
  }

  /** Revisions of `lo`…`hi` after which something of this resource is different, and `lo`: one for each state that there was. */
  moments(lo: number, hi: number): number[] {
    return [lo, ...new Set(this.changes.map(({ revision }) => revision).filter(revision => revision > lo && revision <= hi))]
  }

  /** All that the extent selects as of a revision, in the store's order. */
  state(extent: Extent, revision: number): StoredVersion[] {
    const found: StoredVersion[] = []
    for (const key of [...this.#versions.keys()].sort()) {
      if (!isWithin(extent, key)) continue
      const version = this.at(key, revision)
      if (version !== undefined && selects(extent.selection, version)) found.push(version)
    }
    return found
  }

  /** What a watch of the extent has to show of the changes after a revision. */
  eventsAfter(extent: Extent, revision: number): ExpectedEvent[] {
    const events: ExpectedEvent[] = []
    for (const change of this.changes) {
      if (change.revision <= revision || !isWithin(extent, change.key)) continue
      const { key, before, after } = change
      const was = before !== undefined && selects(extent.selection, before)
      const is = after !== undefined && selects(extent.selection, after)
      if (is) events.push({ type: was ? 'MODIFIED' : 'ADDED', key, revision: change.revision, version: after })
      else if (was) events.push({ type: 'DELETED', key, revision: change.revision, version: before })
    }
    return events
  }
}

const stateOf = (version: StoredVersion | { readonly content: undefined } | undefined): StoredVersion | undefined =>
  version === undefined || version.content === undefined ? undefined : version

export function isWithin({ namespace, name }: Extent, key: string): boolean {
  const slash = key.indexOf('/')
  return (namespace === '' || key.slice(0, slash) === namespace) && (name === undefined || key.slice(slash + 1) === name)
}

export const keyOf = ({ metadata }: AnyObject): string => `${metadata.namespace}/${metadata.name}`

/** All of an object but its type and version, members sorted: what two servings of one state have in common. */
export function contentOf(object: AnyObject): string {
  const { kind: _, apiVersion: __, metadata, ...rest } = object
  const { resourceVersion: ___, ...others } = metadata
  const text = JSON.stringify({ ...rest, metadata: others })
  let content = contents.get(text)
  if (content === undefined) {
    content = JSON.stringify(JSON.parse(text), sorted)
    if (contents.size === MOST_CONTENTS) contents.clear()
    contents.set(text, content)
  }
  return content
}

/** By their texts: most objects are met in the order in which they were met before. */
const contents = new Map<string, string>()
const MOST_CONTENTS = 10_000

function sorted(_: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  const object = value as JsonObject
  return Object.fromEntries(
    Object.keys(object)
      .sort()
      .map(name => [name, object[name]]),
  )
}

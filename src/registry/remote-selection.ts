import { invariant } from '../lib/invariant.ts'
import { nextTurn, turnIsSpent } from '../lib/turn.ts'
import type { FieldTerm } from '../meta/field-selector.ts'
import { keyAfter } from '../storage/key-range.ts'
import { type Key, type Revision, revision } from '../storage/revision.ts'
import type { Predicate, StorageEvent, StoredObject, Watcher } from '../storage/storage.ts'
import { encodeContinue } from './continue-token.ts'
import { atRevision } from './conversion/converted-object.ts'
import { mappedWatcher } from './mapped-watcher.ts'
import { type ListOptions, type ListResult, predicateOf } from './read.ts'
import type { RemoteView } from './remote-view.ts'

/**
 * Largest page that is read from the store. Pages double up to it while a selector matches few objects, as upstream's
 * do.
 */
const LARGEST_PAGE = 10_000

const isIdentity = ({ field }: FieldTerm): boolean => field === 'metadata.name' || field === 'metadata.namespace'

/** Whether a selector depends on labels, or on fields other than name and namespace, which a conversion may change. */
export const selectsByContent = ({ labels, fields }: ListOptions): boolean => labels.length > 0 || !fields.every(isIdentity)

/** Reduces a selector to the terms whose fields no conversion changes. */
export const withoutContentTerms = (options: ListOptions): ListOptions =>
  selectsByContent(options) ? { ...options, labels: [], fields: options.fields.filter(isIdentity) } : options

/**
 * Lists the objects that match a selector after conversion. Reads and converts pages of stored objects with `list`
 * until the limit is reached.
 */
export async function listSelected(
  view: RemoteView,
  prefix: Key,
  list: (options: ListOptions) => Promise<ListResult>,
  options: ListOptions,
): Promise<ListResult> {
  const predicate = predicateOf(options.labels, options.fields, options.shard)
  const limit = Math.max(0, options.limit)
  const items: StoredObject[] = []
  let query = withoutContentTerms(options)
  for (let size = limit; ; size = Math.min(2 * size, LARGEST_PAGE)) {
    const page = await list({ ...query, limit: size })
    // The cache ignores the limit of a list at resourceVersion 0 and returns all objects.
    const whole = limit === 0 || page.items.length > size
    for (const object of await view.objects(page.items)) {
      if (turnIsSpent()) await nextTurn()
      if (!predicate.matches(object.attributes())) continue
      items.push(object)
      if (whole || items.length < limit) continue
      const isLast = page.continue === '' && object.key === page.items.at(-1)?.key
      return {
        ...page,
        items,
        continue: isLast ? '' : encodeContinue(keyAfter(object.key), prefix, listRevision(page)),
        remainingItemCount: undefined,
      }
    }
    if (page.continue === '') return { ...page, items, remainingItemCount: undefined }
    const { resourceVersion: _, resourceVersionMatch: __, ...rest } = query
    query = { ...rest, resourceVersion: '', resourceVersionMatch: '', continue: page.continue }
  }
}

const listRevision = ({ resourceVersion }: ListResult): Revision => revision(Number(resourceVersion))

/**
 * Watches the objects that match a selector after conversion: an object that starts to match is `added`, one that no
 * longer matches is `deleted`. `watcher` delivers stored objects.
 */
export function watchSelected(view: RemoteView, watcher: Watcher, predicate: Predicate): Watcher {
  const isSelected = (object: StoredObject): boolean => predicate.matches(object.attributes())
  return mappedWatcher(watcher, async events => {
    const shown = (await view.objects(events.flatMap(eventObjects))).values()
    const next = (): StoredObject => {
      const { value } = shown.next()
      invariant(value, 'the view has as many objects as it was given')
      return value
    }
    return events.flatMap((event): readonly StorageEvent[] => {
      if (event.type === 'bookmark') return [event]
      const object = next()
      if (event.type !== 'modified') return isSelected(object) ? [{ ...event, object }] : []
      const previous = next()
      const before = isSelected(previous)
      if (isSelected(object)) return [before ? { ...event, object } : { type: 'added', object, revision: event.revision }]
      return before ? [{ type: 'deleted', object: atRevision(previous, view.version, event.revision), revision: event.revision }] : []
    })
  })
}

/** The objects of an event that are converted: for `modified` the new and the previous one. */
function eventObjects(event: StorageEvent): readonly StoredObject[] {
  if (event.type === 'bookmark') return []
  return event.type === 'modified' ? [event.object, event.previous] : [event.object]
}

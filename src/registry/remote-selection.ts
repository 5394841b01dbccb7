import { invariant } from '../lib/invariant.ts'
import type { FieldTerm } from '../meta/field-selector.ts'
import { keyAfter } from '../storage/key-range.ts'
import { type Key, type Revision, revision } from '../storage/revision.ts'
import type { Predicate, StorageEvent, StoredObject, Watcher } from '../storage/storage.ts'
import { encodeContinue } from './continue-token.ts'
import { atRevision } from './converted-object.ts'
import { mappedWatcher } from './mapped-watcher.ts'
import { type ListOptions, type ListResult, predicateOf } from './read.ts'
import type { RemoteView } from './remote-view.ts'

/** Where a selector leaves few, pages grow up to this, as those of the store do. */
const LARGEST_PAGE = 10_000

const isIdentity = ({ field }: FieldTerm): boolean => field === 'metadata.name' || field === 'metadata.namespace'

/** Whether a selection looks at what a conversion may change: labels, and fields other than names. */
export const selectsByContent = ({ labels, fields }: ListOptions): boolean => labels.length > 0 || !fields.every(isIdentity)

/** What of a selection is the same in all versions. */
export const withoutContentTerms = (options: ListOptions): ListOptions =>
  selectsByContent(options) ? { ...options, labels: [], fields: options.fields.filter(isIdentity) } : options

/** A list by what objects are once they are converted: pages are read and converted until the limit is filled. `list`: of what is stored. */
export async function listSelected(
  view: RemoteView,
  prefix: Key,
  list: (options: ListOptions) => Promise<ListResult>,
  options: ListOptions,
): Promise<ListResult> {
  const predicate = predicateOf(options.labels, options.fields)
  const limit = Math.max(0, options.limit)
  const items: StoredObject[] = []
  let query = withoutContentTerms(options)
  for (let size = limit; ; size = Math.min(2 * size, LARGEST_PAGE)) {
    const page = await list({ ...query, limit: size })
    // The cache gives all it has at once where any version will do, whatever the limit.
    const whole = limit === 0 || page.items.length > size
    for (const object of await view.objects(page.items)) {
      if (!predicate.matches(object.attributes())) continue
      items.push(object)
      if (whole || items.length < limit) continue
      const isLast = page.continue === '' && object.key === page.items.at(-1)?.key
      return { ...page, items, continue: isLast ? '' : encodeContinue(keyAfter(object.key), prefix, revisionOf(page)), remainingItemCount: undefined }
    }
    if (page.continue === '') return { ...page, items, remainingItemCount: undefined }
    const { resourceVersion: _, resourceVersionMatch: __, ...rest } = query
    query = { ...rest, resourceVersion: '', resourceVersionMatch: '', continue: page.continue }
  }
}

const revisionOf = ({ resourceVersion }: ListResult): Revision => revision(Number(resourceVersion))

/** A watch by what objects are once they are converted: one that starts to be selected is added, one that ceases to be is deleted. `watcher`: of what is stored. */
export function watchSelected(view: RemoteView, watcher: Watcher, predicate: Predicate): Watcher {
  const isSelected = (object: StoredObject): boolean => predicate.matches(object.attributes())
  return mappedWatcher(watcher, async events => {
    const shown = (await view.objects(events.flatMap(objectsOf))).values()
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

/** What of an event has to be converted. */
function objectsOf(event: StorageEvent): readonly StoredObject[] {
  if (event.type === 'bookmark') return []
  return event.type === 'modified' ? [event.object, event.previous] : [event.object]
}

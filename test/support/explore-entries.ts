import type { EventEntry, RequestEntry } from '../../src/explore/recording.ts'

/** A successful request of the controller for the object `shop/web`. */
export const requestEntry = (verb: string, more: Partial<RequestEntry> = {}): RequestEntry => ({
  kind: 'request',
  at: 0,
  isController: true,
  verb,
  resource: 'things',
  namespace: 'shop',
  name: 'web',
  revision: 1,
  isAnyVersion: false,
  status: 200,
  faults: [],
  ...more,
})

/** An event of the object `shop/web`. */
export const eventEntry = (type: EventEntry['type'], more: Partial<EventEntry> = {}): EventEntry => ({
  kind: 'event',
  at: 0,
  type,
  resource: 'things',
  namespace: 'shop',
  name: 'web',
  revision: 1,
  isDeleting: false,
  isOwned: false,
  generation: 1,
  ...more,
})

import type { AnyObject } from '../any-object.ts'
import type { Form } from './form.ts'
import type { Extent } from './store-history.ts'

/** A response, and the revisions of the store before and after. */
export interface Moment {
  readonly server: number
  /** A revision that the store had reached before the request was made. */
  readonly floor: number
  /** A revision that the store had not passed when the response arrived. Infinity if unknown. */
  readonly ceiling: number
}

/** A response. `status` is 0 if it is incomplete. */
export interface SeenAnswer {
  readonly status: number
  readonly body: AnyObject
}

/** Which state a read asks for. */
export type Wanted = 'latest' | 'any' | { readonly notOlderThan: number } | { readonly exactly: number }

export interface SeenGet extends Moment {
  readonly kind: 'get'
  readonly key: string
  readonly wanted: Wanted
  readonly form: Form
  readonly answer: SeenAnswer
}

/** A list, or one page of it. */
export interface SeenList extends Moment {
  readonly kind: 'list'
  readonly extent: Extent
  readonly wanted: Wanted
  /** Limit of the list. 0 for all. */
  readonly limit: number
  readonly form: Form
  /** Pages after the first: of the list of this revision (undefined: of a new one), after this key. */
  readonly continued?: { readonly revision: number | undefined; readonly after: string }
  readonly answer: SeenAnswer
}

export interface SeenEvent {
  readonly type: string
  readonly object: AnyObject
  /** As of a Moment, when the event came. */
  readonly ceiling: number
}

/** One stream of a watch. */
export interface SeenWatch extends Moment {
  readonly kind: 'watch'
  readonly extent: Extent
  readonly start:
    | { readonly after: number }
    | { readonly initial: Exclude<Wanted, { exactly: number }>; readonly endsWithBookmark: boolean }
  readonly bookmarks: boolean
  readonly form: Form
  /** Status and body of the response in place of a stream. */
  readonly refusal?: SeenAnswer
  readonly events: readonly SeenEvent[]
  /**
   * `client`: it went away, or was killed with its server. `server`: the stream ended well-formed. `open`: to the end
   * of all, long after the last change.
   */
  readonly end: 'client' | 'server' | 'open'
  /** A slow reader, or one that has a time limit: the server may end it. */
  readonly mayEnd: boolean
}

/** Maps the previous state to the state after a write. `absent` if the object is deleted. */
export type Effect = (before: Payload | undefined) => Payload | 'absent' | undefined

/** Content that the model writes: labels, annotations, and a selectable field. */
export interface Payload {
  readonly labels: Readonly<Record<string, string>>
  readonly annotations: Readonly<Record<string, string>>
  readonly color: string
}

export interface SeenWrite extends Moment {
  readonly kind: 'write'
  readonly verb: 'create' | 'update' | 'patch' | 'apply' | 'delete'
  readonly key: string
  /** Mark of this write in the object. Undefined for a deletion, and for a write without a change. */
  readonly token: string | undefined
  /** The resourceVersion on which it depends. */
  readonly guard: number | undefined
  /** The uid on which it depends. */
  readonly uid?: string
  /** `undefined`: it is refused there. */
  readonly effect: Effect
  readonly answer: SeenAnswer
}

export interface SeenCollectionDelete extends Moment {
  readonly kind: 'deletecollection'
  readonly extent: Extent
  readonly answer: SeenAnswer
}

export type Seen = SeenGet | SeenList | SeenWatch | SeenWrite | SeenCollectionDelete

/** Disturbances around the clients, which explain some of their responses. */
export interface Circumstances {
  /** Servers, connections or the store failed now and then. */
  readonly trouble: boolean
  /** Revisions before this one are compacted, in the end. */
  readonly compacted: number
}

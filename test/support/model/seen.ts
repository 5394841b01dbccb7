import type { AnyObject } from '../any-object.ts'
import type { Form } from './form.ts'
import type { Extent } from './store-history.ts'

/** What a client was told, and what the store was at before and after. */
export interface Moment {
  readonly server: number
  /** A revision that the store had reached before the request was made. */
  readonly floor: number
  /** A revision that the store had not passed when the answer was there; Infinity where that is not known. */
  readonly ceiling: number
}

/** `status` 0: no whole answer came. */
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
  /** 0: all. */
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
  readonly start: { readonly after: number } | { readonly initial: Exclude<Wanted, { exactly: number }>; readonly endsWithBookmark: boolean }
  readonly bookmarks: boolean
  readonly form: Form
  /** The status and body of the answer where there was no stream. */
  readonly refusal?: SeenAnswer
  readonly events: readonly SeenEvent[]
  /** `client`: it went away, or was killed with its server. `server`: the stream ended well-formed. `open`: to the end of all, long after the last change. */
  readonly end: 'client' | 'server' | 'open'
  /** A slow reader, or one that has a time limit: the server may end it. */
  readonly mayEnd: boolean
}

/** What a write makes of what is there; `absent`: nothing is there. */
export type Effect = (before: Payload | undefined) => Payload | 'absent' | undefined

/** What the writers of the model write: labels, annotations, and a field that can be selected. */
export interface Payload {
  readonly labels: Readonly<Record<string, string>>
  readonly annotations: Readonly<Record<string, string>>
  readonly color: string
}

export interface SeenWrite extends Moment {
  readonly kind: 'write'
  readonly verb: 'create' | 'update' | 'patch' | 'apply' | 'delete'
  readonly key: string
  /** The mark of this write in what it writes; none where it is a deletion, or writes what was there before. */
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

/** What went wrong around the clients, which explains some of their answers. */
export interface Circumstances {
  /** Servers, connections or the store failed now and then. */
  readonly trouble: boolean
  /** Revisions before this one are compacted, in the end. */
  readonly compacted: number
}

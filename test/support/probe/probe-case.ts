import type { Tree, TreeObject } from './tree.ts'

/** Expected response of a step. */
export interface Expectation {
  readonly status?: number | readonly number[]
  /** [reason, field] of each cause of a Status; nothing beside them. */
  readonly causes?: readonly (readonly [string, string])[]
  /** The same; others may stand beside them. */
  readonly causesInclude?: readonly (readonly [string, string])[]
  /** A part of the Status' message; a leading `~` is dropped. */
  readonly message?: string
  /** A part of each header; a leading `~` is dropped. */
  readonly header?: Readonly<Record<string, string>>
  /**
   * `null` requires an absent value. A list is compared element by element. An object requires at least these members.
   * "*" matches anything.
   */
  readonly body?: Tree
  /** Names of a Table's columns, and its cells. */
  readonly columns?: Tree
  readonly rows?: Tree
}

interface Asking {
  /** Name of the recorded row; default `s1`, `s2` … */
  readonly id?: string
  readonly headers?: Readonly<Record<string, string>>
  /** Impersonated user and groups. */
  readonly as?: string
  readonly groups?: readonly string[]
  readonly anonymous?: boolean
  /** Records only these paths, or all but these. */
  readonly keep?: readonly string[]
  readonly drop?: readonly string[]
}

export interface RequestStep extends Asking {
  /** `POST /path` */
  readonly do: string
  /** A value, sent as JSON; or a text as it stands; or bytes. */
  readonly body?: Tree
  readonly text?: string
  readonly base64?: string
  /** Variables from the body and headers of the response, for later use as `{name}`. */
  readonly save?: Readonly<Record<string, string>>
  readonly saveHeader?: Readonly<Record<string, string>>
  /** Not recorded. The response must be below 400, or one of `allow`. */
  readonly setup?: boolean
  readonly allow?: readonly number[]
  /** Reads "the latest": its collection's version may be later than the last one saved. */
  readonly loose?: boolean
  readonly expect?: Expectation
}

export interface WatchStep extends Asking {
  readonly watch: string
  /** Stops after so many events, or seconds (default 3). */
  readonly events?: number
  readonly seconds?: number
  /** Run while the watch is open; recorded after its events. */
  readonly then?: readonly Step[]
}

/** Asks every 100 ms until `status` (default 200) or `where` holds, for at most `seconds` (default 60). */
export interface UntilStep extends Asking {
  readonly until: string
  readonly status?: number
  readonly where?: { readonly path: string; readonly equals?: Tree; readonly exists?: boolean }
  readonly seconds?: number
  readonly save?: Readonly<Record<string, string>>
}

export interface SleepStep {
  /** Seconds. */
  readonly sleep: number
}

export type Step = RequestStep | WatchStep | UntilStep | SleepStep

/** One response: its id, status, headers, body or events. */
export type Row = TreeObject

/** How rows of one case are made comparable. */
export interface Comparing {
  /** Compares causes as a set. */
  readonly sortCauses?: boolean
  /** `saved` distinguishes only versions that the case saved (v0, v1 …). */
  readonly versions?: 'saved'
}

/** Requests in their order, and either the rows that they must give or expectations in the steps. */
export interface ProbeCase extends Comparing {
  readonly name: string
  readonly area: string
  readonly why: string
  /** Touches state of the whole server: never runs beside another case. */
  readonly serial?: boolean
  readonly vars?: Readonly<Record<string, string>>
  readonly steps: readonly Step[]
  readonly rows?: readonly Row[]
}

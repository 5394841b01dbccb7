/** One request of the table, in placeholders: `{older}` is a version by its name. */
export interface Request {
  readonly do: `${'GET' | 'WATCH'} ${string}`
  /** Decoded continue token for `{token}`. */
  readonly token?: string
}

/** Response to a client. Versions are replaced by names, objects are `namespace/name@version`. */
export interface Seen {
  readonly status: number
  /** A header. */
  readonly retryAfter?: string
  readonly object?: string
  /** The collection's version. */
  readonly version?: string
  readonly items?: readonly string[]
  readonly continue?: { readonly rv: string | number; readonly start: string }
  readonly remaining?: number
  /** Failure of a Status. */
  readonly failure?: Failure
  /** `ADDED one/c@older`, `BOOKMARK @current`, or a Status. */
  readonly events?: readonly (string | Failure)[]
  /** The server ended the watch. */
  readonly ended?: true
}

export interface Failure {
  readonly code?: number
  readonly reason?: string
  readonly message: string
  readonly details?: object
  /** The token of an expired one: for an inconsistent continuation. */
  readonly continue?: { readonly rv: string | number; readonly start: string }
}

/** A row of the table: the response of kube-apiserver, by default and under settings that change it. */
export interface Cell extends Request {
  readonly seen: Seen
  readonly where?: Readonly<Partial<Record<Setting, Seen>>>
  /** Response of this server if it differs, with the reason. `seen` is kept for comparison. */
  readonly here?: { readonly why: string; readonly seen: Seen; readonly where?: Readonly<Partial<Record<Setting, Seen>>> }
}

/** Flags beyond those of the default run. */
export const SETTINGS = ['watch-cache=false', 'ConsistentListFromCache=false', 'ListFromCacheSnapshot=false', 'WatchList=false'] as const
export type Setting = (typeof SETTINGS)[number]

/** Returns the response of kube-apiserver under a setting. Undefined is the default setting. */
export const seenUnder = ({ seen, where }: Cell, setting: Setting | undefined): Seen => (setting && where?.[setting]) || seen

/** Returns the expected response of this server. */
export function expectedUnder(cell: Cell, setting: Setting | undefined): Seen {
  const { here } = cell
  if (here === undefined) return seenUnder(cell, setting)
  return (setting && here.where?.[setting]) || here.seen
}

import { isJsonObject, type Json, type JsonObject, objectIn } from '../../api/meta/object.ts'
import { askedError, type ClusterClient, ClusterError } from '../../clients/cluster-client.ts'
import { ArgumentError, type Arguments, type Option, readArguments, type Streams } from '../../lib/arguments.ts'
import { objectsIn } from '../../meta/json-members.ts'
import { withServer } from '../with-server.ts'
import { findObject, type NamedObject, objectWords } from './named-object.ts'

/** A change of an object, as returned by the server. */
export interface ObjectChange {
  /** Revision of the store, as a decimal number. */
  readonly revision: string
  /** RFC 3339. Undefined if it was not recorded. */
  readonly time: string | undefined
  /** `created`, `updated` or `deleted`. */
  readonly type: string
  /** Undefined after a deletion, or if it cannot be read. */
  readonly object: JsonObject | undefined
  /** Message if the object cannot be read. */
  readonly error: string | undefined
}

/** Parsed arguments of a command about one object, with the object and its server. */
export interface ObjectContext {
  readonly given: Arguments
  /** Client of the server in the kubeconfig. */
  readonly client: ClusterClient
  /** The object that the arguments name. */
  readonly object: NamedObject
}

/** Flags that all commands about an object have. */
const COMMON = { object: 'values', namespace: 'value', kubeconfig: 'value', context: 'value', output: 'value', help: 'switch' } as const
/** Short forms of the common flags. */
const SHORT = { n: 'namespace', o: 'output', h: 'help' }

/** Help text for the common flags. */
export const COMMON_USAGE = `  -n, --namespace   namespace of the object (default: that of the context, or default)
      --kubeconfig  path of the kubeconfig (default: $KUBECONFIG, data/admin.kubeconfig if it exists, ~/.kube/config)
      --context     context of the kubeconfig (default: the current one)

KIND is a plural, singular or short name, optionally with a group: deploy/web, deployments.apps/web.
A moment is a duration (10m), a time (2030-05-01T12:00:00Z), a revision (the resourceVersion of an object), or now.
Requires a server with --history.
`

/** A command about one object. */
export interface ObjectCommand {
  /** Flags besides the common ones. */
  readonly options: Readonly<Record<string, Option>>
  /** Help text, which that of the common flags follows. */
  readonly usage: string
  /** Values of `--output`. */
  readonly outputs: readonly string[]
  /** Optional. Validates the arguments before the server is contacted. Throws ArgumentError. */
  check?(given: Arguments): void
}

/** Calls `run` for the object of the command line, or prints the help text. Throws ArgumentError and ClusterError. */
export async function runObjectCommand(
  argv: readonly string[],
  { options, usage, outputs, check }: ObjectCommand,
  { out }: Streams,
  run: (context: ObjectContext) => Promise<number>,
): Promise<number> {
  const given = readArguments(argv, { ...COMMON, ...options }, SHORT, 'object')
  if (given.isOn('help')) {
    out(`${usage}${COMMON_USAGE}`)
    return 0
  }
  const output = given.value('output')
  if (output !== undefined && !outputs.includes(output)) throw new ArgumentError(`--output ${output}: must be ${outputs.join(' or ')}`)
  const words = objectWords(given.values('object'))
  check?.(given)
  return withServer(given, async (client, { namespace = 'default' }) => {
    try {
      const object = await findObject(client, words, given.value('namespace') ?? namespace)
      return await run({ given, client, object })
    } catch (error) {
      throw askedError(error, noHistory(client))
    }
  })
}

const noHistory = ({ server }: ClusterClient): string => `${server.origin} keeps no history: start it with --history 24h`

/** A moment that the server has resolved to a revision. */
export interface ResolvedMoment {
  /** Revision of the store, as a decimal number. */
  readonly revision: string
  /** Time of the revision in RFC 3339. Undefined if it was not recorded. */
  readonly time: string | undefined
}

/** Resolves a moment to a revision. Throws ClusterError. */
export async function momentAt(client: ClusterClient, moment: string): Promise<ResolvedMoment> {
  const answer = await client.json(`/binnacle/v1/moments?${new URLSearchParams({ at: moment })}`).catch((error: unknown) => {
    throw askedError(error, noHistory(client))
  })
  const { revision, time } = objectIn(answer)
  return { revision: String(revision), time: typeof time === 'string' ? time : undefined }
}

/**
 * Yields the changes of an object, newest first, beginning with the last one at or before a revision. Throws
 * ClusterError.
 */
export async function* objectChanges(
  client: ClusterClient,
  { path }: NamedObject,
  { at, limit }: { readonly at?: string; readonly limit?: number } = {},
) {
  const query = new URLSearchParams({ ...(at !== undefined && { at }), ...(limit !== undefined && { limit: String(limit) }) })
  for (;;) {
    const page = objectIn(await client.json(`/binnacle/v1/history${path}?${query}`))
    for (const item of objectsIn(page.items)) yield parseObjectChange(item)
    const next = objectIn(page.metadata).continue
    if (typeof next !== 'string') return
    query.set('continue', next)
  }
}

const parseObjectChange = ({ revision, time, type, object, error }: JsonObject): ObjectChange => ({
  revision: String(revision),
  time: textOrNone(time),
  type: String(type),
  object: isJsonObject(object) ? object : undefined,
  error: textOrNone(error),
})

const textOrNone = (value: Json | undefined): string | undefined => (typeof value === 'string' ? value : undefined)

/** Returns the object as of a revision. Undefined if it did not exist. Throws ClusterError if it cannot be read. */
export async function objectAt(client: ClusterClient, object: NamedObject, at: string): Promise<JsonObject | undefined> {
  for await (const change of objectChanges(client, object, { at, limit: 1 })) return shownBy(object, change)
  return undefined
}

/** Returns the object after a change. Undefined after a deletion. Throws ClusterError if it cannot be read. */
export function shownBy({ label }: NamedObject, { object, error, revision }: ObjectChange): JsonObject | undefined {
  if (error !== undefined) throw new ClusterError(`${label} at revision ${revision} cannot be read: ${error}`)
  return object
}

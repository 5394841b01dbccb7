import type { JsonObject } from '../../meta/object.ts'

/** A parameter of an operation, other than a body. Descriptions are our own; names, locations and types are upstream's. */
export interface Parameter {
  readonly name: string
  readonly in: 'query' | 'path'
  readonly type: 'string' | 'integer' | 'boolean'
  readonly description: string
  readonly required?: true
}

/** An optional query parameter. */
const query = (name: string, type: Parameter['type'], description: string): Parameter => ({ name, in: 'query', type, description })

export const pretty = query('pretty', 'string', 'Whether JSON is indented for people to read. By default for browsers, curl and wget.')

const dryRun = query('dryRun', 'string', 'With All, the request goes through every stage and nothing is stored.')
const fieldValidation = query(
  'fieldValidation',
  'string',
  'What to do about unknown and repeated fields in the body: Ignore them, Warn of them (the default), or with Strict refuse the request.',
)
const fieldManager = query('fieldManager', 'string', 'A name for who makes the change, of at most 128 printable characters.')
/** The same parameter with another description: only apply requires it. */
const patchManager = query('fieldManager', 'string', 'A name for who makes the change, of at most 128 printable characters. Required for apply.')
const force = query('force', 'boolean', 'With apply: take over fields that others own.')
const gracePeriodSeconds = query(
  'gracePeriodSeconds',
  'integer',
  'Seconds until the object is removed; 0 removes it at once. By default what its type or the object says.',
)
const unsafe = query(
  'ignoreStoreReadErrorWithClusterBreakingPotential',
  'boolean',
  'Remove an object even though what is stored of it cannot be read, past finalizers and preconditions.',
)
const orphanDependents = query('orphanDependents', 'boolean', 'Deprecated in favour of propagationPolicy. Whether dependents are left alone.')
const propagationPolicy = query(
  'propagationPolicy',
  'string',
  'What becomes of dependents: Orphan leaves them alone, Background deletes them afterwards, Foreground before the object itself.',
)

const allowWatchBookmarks = query('allowWatchBookmarks', 'boolean', 'Whether a watch may send events of type BOOKMARK.')
const continueToken = query('continue', 'string', 'The token from the metadata of the previous part of a list, to get the next one.')
const fieldSelector = query('fieldSelector', 'string', 'Only objects whose fields are as given.')
const labelSelector = query('labelSelector', 'string', 'Only objects whose labels are as given.')
const limit = query('limit', 'integer', 'The most objects to answer with; the rest is got with the continue token of the answer.')
export const resourceVersion = query('resourceVersion', 'string', 'How recent the answer has to be, or where a watch begins.')
const resourceVersionMatch = query('resourceVersionMatch', 'string', 'How resourceVersion is meant: NotOlderThan or Exact.')
const sendInitialEvents = query('sendInitialEvents', 'boolean', 'Begin a watch with events for what is there, ended by a bookmark.')
const timeoutSeconds = query('timeoutSeconds', 'integer', 'The longest that a list or watch may take.')
const watch = query('watch', 'boolean', 'Answer with a stream of changes in place of a list.')

/** Parameters of each verb, from the options type of its query. */
export const listParameters = [
  allowWatchBookmarks,
  continueToken,
  fieldSelector,
  labelSelector,
  limit,
  resourceVersion,
  resourceVersionMatch,
  sendInitialEvents,
  timeoutSeconds,
  watch,
]
export const writeParameters = [dryRun, fieldManager, fieldValidation]
export const patchParameters = [dryRun, patchManager, fieldValidation, force]
export const deleteParameters = [dryRun, gracePeriodSeconds, unsafe, orphanDependents, propagationPolicy]
export const deleteCollectionParameters = [
  continueToken,
  dryRun,
  fieldSelector,
  gracePeriodSeconds,
  unsafe,
  labelSelector,
  limit,
  orphanDependents,
  propagationPolicy,
  resourceVersion,
  resourceVersionMatch,
  sendInitialEvents,
  timeoutSeconds,
]

/** Path parameters. Their descriptions say what they name. */
export const nameParameter = (kind: string): Parameter => ({ name: 'name', in: 'path', type: 'string', description: `name of the ${kind}`, required: true })
export const namespaceParameter: Parameter = { name: 'namespace', in: 'path', type: 'string', description: 'namespace of the object', required: true }

/** Order of parameters in kube-openapi. */
export const byName = (a: { name: string }, b: { name: string }): number => (a.name < b.name ? -1 : 1)

/** Converts a parameter to Swagger 2.0. Its type is a member of the parameter. */
export const parameterV2 = ({ name, in: place, type, description, required }: Parameter): JsonObject => ({
  uniqueItems: true,
  type,
  description,
  name,
  in: place,
  ...(required && { required }),
})

/** Converts a parameter to OpenAPI 3.0. Its type is in a schema. */
export const parameterV3 = ({ name, in: place, type, description, required }: Parameter): JsonObject => ({
  name,
  in: place,
  description,
  ...(required && { required }),
  schema: { type, uniqueItems: true },
})

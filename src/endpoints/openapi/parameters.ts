import type { JsonObject } from '../../api/meta/object.ts'
import type { Release } from '../../lifecycle/release.ts'

/**
 * A parameter of an operation, other than a body. Descriptions are our own; names, locations and types are upstream's.
 */
export interface Parameter {
  /** Name in the query, or in braces in the path. */
  readonly name: string
  readonly in: 'query' | 'path'
  readonly type: 'string' | 'integer' | 'boolean'
  /** Description in our own words. */
  readonly description: string
  /** Set for parameters of the path. */
  readonly required?: true
  /** First release that has the parameter. Optional: all have it. */
  readonly since?: Release
}

/** An optional query parameter. */
const query = (name: string, type: Parameter['type'], description: string): Parameter => ({ name, in: 'query', type, description })

/** An optional query parameter that releases before `since` do not have. */
const querySince = (since: Release, ...parameter: Parameters<typeof query>): Parameter => ({ ...query(...parameter), since })

export const pretty = query('pretty', 'string', 'Whether JSON is indented. Defaults to true for browsers, curl and wget.')

const dryRun = query('dryRun', 'string', 'With All, the request passes admission and validation, but nothing is stored.')
const fieldValidation = query(
  'fieldValidation',
  'string',
  'How unknown and duplicate fields in the body are treated: Ignore drops them, Warn (the default) drops them with a warning, Strict refuses the request.',
)
const fieldManager = query('fieldManager', 'string', 'Name of the field manager that makes the change: at most 128 printable characters.')
/** The same parameter with another description: only apply requires it. */
const patchManager = query(
  'fieldManager',
  'string',
  'Name of the field manager that makes the change: at most 128 printable characters. Required for apply.',
)
const force = query('force', 'boolean', 'Whether an apply takes over fields of other managers. Only allowed for apply.')
const gracePeriodSeconds = query(
  'gracePeriodSeconds',
  'integer',
  'Seconds before the object is deleted. 0 deletes it immediately. Defaults to a value of its type or of the object.',
)
const unsafe = querySince(
  '1.32',
  'ignoreStoreReadErrorWithClusterBreakingPotential',
  'boolean',
  'Whether an object is deleted that cannot be read from the store. Ignores finalizers and preconditions.',
)
const orphanDependents = query('orphanDependents', 'boolean', 'Deprecated: use propagationPolicy. Whether dependents are orphaned.')
const propagationPolicy = query(
  'propagationPolicy',
  'string',
  'Garbage collection of dependents: Orphan keeps them, Background deletes them after the object, Foreground before it.',
)

const allowWatchBookmarks = query('allowWatchBookmarks', 'boolean', 'Whether a watch may send events of type BOOKMARK.')
const continueToken = query('continue', 'string', 'Continue token of the previous page of a list. Requests the next page.')
const fieldSelector = query('fieldSelector', 'string', 'Selects objects by their fields. Defaults to everything.')
const labelSelector = query('labelSelector', 'string', 'Selects objects by their labels. Defaults to everything.')
const limit = query('limit', 'integer', 'Maximum number of objects in the response. The response has a continue token for the rest.')
export const resourceVersion = query('resourceVersion', 'string', 'Resource version that a read must include, or at which a watch starts.')
const resourceVersionMatch = query('resourceVersionMatch', 'string', 'How resourceVersion applies to a list: NotOlderThan or Exact.')
const sendInitialEvents = querySince(
  '1.27',
  'sendInitialEvents',
  'boolean',
  'Whether a watch begins with an event for each existing object, followed by a bookmark.',
)
const shardSelector = querySince(
  '1.36',
  'shardSelector',
  'string',
  'Selects objects whose uid or namespace has a hash in a range: shardRange(object.metadata.uid, start, end). Requires the feature gate ShardedListAndWatch.',
)
const timeoutSeconds = query('timeoutSeconds', 'integer', 'Timeout of a list or watch, in seconds.')
const watch = query('watch', 'boolean', 'Whether changes are streamed instead of a list.')

/** Parameters of each verb, from the options type of its query. */
export const LIST_PARAMETERS = [
  allowWatchBookmarks,
  continueToken,
  fieldSelector,
  labelSelector,
  limit,
  resourceVersion,
  resourceVersionMatch,
  sendInitialEvents,
  shardSelector,
  timeoutSeconds,
  watch,
]
export const WRITE_PARAMETERS = [dryRun, fieldManager, fieldValidation]
export const PATCH_PARAMETERS = [dryRun, patchManager, fieldValidation, force]
/** Parameters of deletions, besides the body with DeleteOptions. */
export const DELETE_PARAMETERS = [dryRun, gracePeriodSeconds, unsafe, orphanDependents, propagationPolicy]
/** Parameters of the deletion of a collection: those of a deletion and of a list. */
export const DELETE_COLLECTION_PARAMETERS = [
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
  shardSelector,
  timeoutSeconds,
]

/** Path parameters. Their descriptions say what they name. */
export const nameParameter = (kind: string): Parameter => ({
  name: 'name',
  in: 'path',
  type: 'string',
  description: `name of the ${kind}`,
  required: true,
})
export const namespaceParameter: Parameter = {
  name: 'namespace',
  in: 'path',
  type: 'string',
  description: 'namespace of the object',
  required: true,
}

/** Order of parameters in kube-openapi. */
export const compareParameters = (a: { name: string }, b: { name: string }): number => (a.name < b.name ? -1 : 1)

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

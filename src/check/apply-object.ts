import { type JsonObject, objectIn } from '../api/meta/object.ts'
import type { ServedResource } from '../catalog/catalog.ts'
import type { WhyStep } from '../meta/why.ts'
import { rawJson } from '../schema/json-text.ts'
import { nodeValue, type SourceNode } from '../upgrade/source/nodes.ts'
import { culpritOf } from './findings/culprit.ts'
import { managerIn, refusalFindings, wrongValue } from './findings/refusal.ts'
import { type ForkClient, type ForkResponse, resourcePath } from './fork/fork-client.ts'
import type { InputObject } from './input/input-object.ts'
import { migratedFields } from './migrated-fields.ts'
import type { CheckFinding } from './types.ts'

/** Number of values of the wrong type that are reported for one object. The server reports the first one only. */
const MOST_WRONG_TYPES = 20

/** Managers whose fields kubectl takes over: its own, and that of objects without recorded managers. */
const TAKEN_OVER: ReadonlySet<string> = new Set(['kubectl-client-side-apply', 'kubectl-create', 'kubectl-edit', 'before-first-apply'])

/** How objects are written. */
export interface ApplyOptions {
  /** Whether most objects may exist already, so that they are looked up first. */
  readonly mayExist: boolean
  readonly fieldManager: string
  /** Whether conflicts with other managers are no findings. */
  readonly forceConflicts: boolean
}

/** Result of writing an object to the fork. */
export interface AppliedObject {
  /** Response to the first request. It decides whether the object is refused. */
  readonly first: ForkResponse
  /** Response to the last request, in which refused values are left out. */
  readonly last: ForkResponse
  /** The object before. Undefined if it did not exist. */
  readonly before: JsonObject | undefined
  readonly findings: readonly CheckFinding[]
  readonly steps: readonly WhyStep[]
}

/** Resource and namespace of an object. */
interface ApplyTarget {
  readonly served: ServedResource
  readonly namespace: string
}

/** Clients of a fork. */
export interface ApplyClients {
  /** Sends requests as the user whose permissions count. */
  readonly client: ForkClient
  /** Sends requests as an administrator. */
  readonly admin: ForkClient
}

/** A write of an object that is repeated without the values that the server cannot decode. */
interface Attempt {
  readonly path: string
  readonly method: 'POST' | 'PATCH'
  readonly query: Readonly<Record<string, string>>
}

/**
 * Creates an object, or applies it if it exists. If the server refuses values of the wrong type or conflicts with other
 * managers, the write is repeated without these, so that later objects find it and further errors are found.
 */
export async function applyObject(
  clients: ApplyClients,
  object: InputObject,
  target: ApplyTarget,
  options: ApplyOptions,
): Promise<AppliedObject> {
  const read = async (): Promise<JsonObject | undefined> =>
    object.name === '' ? undefined : clients.admin.get(target.served, target.namespace, object.name)
  const before = options.mayExist ? await read() : undefined
  const result = await writeObject(clients, object, target, before, options)
  if (before || options.mayExist || result.last.error === undefined) return result
  const existing = await read()
  return existing ? writeObject(clients, object, target, existing, options) : result
}

async function writeObject(
  { client, admin }: ApplyClients,
  object: InputObject,
  { served, namespace }: ApplyTarget,
  before: JsonObject | undefined,
  { fieldManager, forceConflicts }: ApplyOptions,
): Promise<AppliedObject> {
  const query = { fieldManager, fieldValidation: 'Warn' }
  const attempt: Attempt = before
    ? { method: 'PATCH', path: resourcePath(served, namespace, object.name), query }
    : { method: 'POST', path: resourcePath(served, namespace), query }
  if (before) await migrateFields(admin, before, attempt)
  const findings: CheckFinding[] = []
  const without = new Set<SourceNode>()
  const removed = new Set<string>()
  const first = await send(client, object, attempt, without)
  let last = first
  let decisive = first
  let writer = client
  if (first.error && isUnauthorized(first)) {
    findings.push(...refusalFindings(object, first.error, first.steps, before !== undefined))
    writer = admin
    last = await send(admin, object, attempt, without)
  }
  for (let i = 0; last.error && i < MOST_WRONG_TYPES; i++) {
    const { error, steps } = last
    const named = wrongValue(object, error)
    const at = named && !named.isExact ? (culpritOf(object, served.version, without) ?? named) : named
    if (at?.isExact && at.node !== object.node && object.convertedFrom === undefined) {
      findings.push(...refusalFindings(object, error, steps, before !== undefined, at))
      without.add(at.node)
      removed.add(at.path)
      last = await send(writer, object, attempt, without)
    } else if (before && attempt.query.force === undefined && isConflict(last)) {
      const others = refusalFindings(object, error, steps, true).filter(({ by = '' }) => by !== fieldManager && !TAKEN_OVER.has(by))
      if (!forceConflicts) findings.push(...others)
      last = await send(writer, object, { ...attempt, query: { ...query, force: 'true' } }, without)
      if (without.size === 0 && (forceConflicts || others.length === 0)) decisive = last
      break
    } else break
  }
  // A value of the wrong type is left out, and may be required. The fields around it are invalid then.
  const isFollowUp = ({ field = '', message }: CheckFinding): boolean =>
    [...removed].some(path => isWithin(path, field)) || (removed.size > 0 && message.startsWith(`${field}: Not found: `))
  if (last.error)
    findings.push(...refusalFindings(object, last.error, last.steps, before !== undefined).filter(finding => !isFollowUp(finding)))
  return { first: await strictly(client, object, attempt, decisive), last, before, findings, steps: last.steps }
}

/** Moves the fields that the manager wrote before to its apply. Objects that cannot be updated are left as they are. */
async function migrateFields(admin: ForkClient, before: JsonObject, { path, query: { fieldManager = '' } }: Attempt): Promise<void> {
  const managedFields = migratedFields(before, fieldManager)
  if (managedFields === undefined) return
  await admin.send({
    method: 'PATCH',
    path,
    search: new URLSearchParams({ fieldManager }).toString(),
    contentType: 'application/merge-patch+json',
    body: Buffer.from(rawJson({ metadata: { managedFields } })),
  })
}

/** Reports whether a path is a field, or is inside of it. */
const isWithin = (path: string, field: string): boolean =>
  field !== '' && path.startsWith(field) && ['', '.', '['].includes(path.charAt(field.length))

const isUnauthorized = ({ steps }: ForkResponse): boolean => steps.some(step => step.step === 'authorized' && step.decision !== 'allow')

const isConflict = ({ error }: ForkResponse): boolean =>
  error?.reason === 'Conflict' && (error.details?.causes ?? []).some(({ message = '' }) => managerIn(message) !== '')

const STRICT = /^unknown field "/

/** Returns the response to strict validation, which kubectl requests, if it differs from a response with warnings. */
async function strictly(client: ForkClient, object: InputObject, attempt: Attempt, response: ForkResponse): Promise<ForkResponse> {
  // A value that cannot be decoded is reported before unknown fields, and everything else after them.
  if (response.code === 400 || isUnauthorized(response) || !response.warnings.some(text => STRICT.test(text))) return response
  const force = attempt.method === 'PATCH' ? { force: 'true' } : {}
  const strict = await send(
    client,
    object,
    { ...attempt, query: { ...attempt.query, ...force, fieldValidation: 'Strict', dryRun: 'All' } },
    new Set(),
  )
  return strict.code === 409 ? response : strict
}

function send(
  client: ForkClient,
  object: InputObject,
  { method, path, query }: Attempt,
  without: ReadonlySet<SourceNode>,
): Promise<ForkResponse> {
  return client.send({
    method,
    path,
    search: new URLSearchParams(query).toString(),
    contentType: method === 'POST' ? 'application/json' : 'application/apply-patch+yaml',
    body: Buffer.from(bodyOf(object, without)),
  })
}

/** JSON of an object, with the names that the list around it implies. */
function bodyOf({ node, value, apiVersion, kind, convertedFrom }: InputObject, without: ReadonlySet<SourceNode>): string {
  const content = convertedFrom === undefined ? nodeValue(node, { without }) : value
  return rawJson({ apiVersion, kind, ...objectIn(content) })
}

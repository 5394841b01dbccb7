import { type IncomingMessage, request as requestPlain } from 'node:http'
import { type Agent, type AgentOptions, request as requestTls } from 'node:https'
import { decodedObject, isJsonObject, type Json, type JsonObject, objectIn, type TypedObject } from '../api/meta/object.ts'
import type { GroupVersion } from '../api/meta/v1.types.ts'
import { parseJson } from '../codec/json.ts'
import { APPLY_PATCH } from '../codec/patch-types.ts'
import { errorMessage } from '../lib/error-message.ts'
import { TlsAgent } from '../lib/tls-agent.ts'
import { USER_AGENT } from '../lib/user-agent.ts'
import { apiVersionOf } from '../meta/gvk.ts'
import { objectsIn } from '../meta/json-members.ts'
import { failure, StatusError } from '../meta/status.ts'
import {
  type ApiClient,
  type ApplyOptions,
  appliedConfiguration,
  type DeletePreconditions,
  type ListQuery,
  type ObjectList,
  type ObjectName,
  PATCH_MEDIA_TYPES,
  type PatchBody,
  type PatchType,
  type ResourceKind,
  type Selection,
  type ServerAccess,
  type WatchedChange,
} from './api-client.ts'

/** Time without a response, in milliseconds. Watches may be quiet for longer. */
export const RESPONSE_TIMEOUT_MS = 60_000
/** Page size of lists. */
const PAGE = 500
/** Largest response, and largest event of a watch, in bytes. */
export const MAX_RESPONSE_BYTES = 256 * 1024 * 1024

interface OutgoingRequest {
  readonly method: string
  readonly path: string
  readonly body?: TypedObject | PatchBody
  readonly contentType?: string
  /** Optional. Ends the request, which has no time limit then. */
  readonly signal?: AbortSignal
}

/** Client of a server over HTTP/1.1, of this program or of kube-apiserver. Keeps connections until it is closed. */
export class HttpApiClient implements ApiClient {
  readonly #access: ServerAccess
  readonly #agent: Agent | undefined

  constructor(access: ServerAccess) {
    this.#access = access
    this.#agent = new URL(access.url).protocol === 'https:' ? new TlsAgent({ keepAlive: true, ...tlsOptions(access) }) : undefined
  }

  async get<T extends TypedObject>(kind: ResourceKind<T>, namespace: string, name: string, subresource = ''): Promise<T> {
    return this.#object(kind, { method: 'GET', path: objectPathOf(kind, { namespace, name, subresource }) })
  }

  async list<T extends TypedObject>(
    kind: ResourceKind<T>,
    { namespace = '', resourceVersion, ...query }: ListQuery = {},
  ): Promise<ObjectList<T>> {
    const items: T[] = []
    for (let rest = ''; ; ) {
      const page = rest === '' ? { ...(resourceVersion !== undefined && { resourceVersion }) } : { continue: rest }
      const path = `${pathOf(kind, { namespace, name: '' })}?${new URLSearchParams({ ...query, ...page, limit: String(PAGE) })}`
      const list = objectIn(await this.#json({ method: 'GET', path }))
      for (const item of objectsIn(list.items)) items.push(readObject(kind, item))
      const { resourceVersion: version = '', continue: next = '' } = objectIn(list.metadata)
      rest = typeof next === 'string' ? next : ''
      if (rest === '') return { items, resourceVersion: typeof version === 'string' ? version : '' }
    }
  }

  async watch<T extends TypedObject>(
    kind: ResourceKind<T>,
    { namespace = '', ...query }: Selection & { readonly resourceVersion: string },
    signal: AbortSignal,
    handle: (change: WatchedChange<T>) => undefined | Promise<void>,
  ): Promise<void> {
    const search = new URLSearchParams({ ...query, watch: 'true', allowWatchBookmarks: 'true' })
    try {
      const response = await this.#send({ method: 'GET', path: `${pathOf(kind, { namespace, name: '' })}?${search}`, signal })
      for await (const line of lines(response)) {
        if (signal.aborted) return
        const handling = handle(watchedChange(kind, line))
        if (handling) await handling
      }
    } catch (error) {
      if (!signal.aborted) throw error
    }
  }

  async create<T extends TypedObject>(kind: ResourceKind<T>, object: T): Promise<T> {
    const { namespace = '' } = object.metadata
    return this.#object(kind, { method: 'POST', path: pathOf(kind, { namespace, name: '' }), body: sent(kind, object) })
  }

  async update<T extends TypedObject>(kind: ResourceKind<T>, object: T, subresource = ''): Promise<T> {
    const { namespace = '', name = '' } = object.metadata
    return this.#object(kind, { method: 'PUT', path: objectPathOf(kind, { namespace, name, subresource }), body: sent(kind, object) })
  }

  async patch<T extends TypedObject>(kind: ResourceKind<T>, name: ObjectName, patch: PatchBody, type: PatchType = 'merge'): Promise<T> {
    return this.#object(kind, { method: 'PATCH', path: objectPathOf(kind, name), body: patch, contentType: PATCH_MEDIA_TYPES[type] })
  }

  async apply<T extends TypedObject>(
    kind: ResourceKind<T>,
    name: ObjectName,
    configuration: JsonObject,
    { fieldManager, force = false }: ApplyOptions,
  ): Promise<T> {
    const search = new URLSearchParams({ fieldManager, force: String(force) })
    const body = appliedConfiguration(kind, name, configuration)
    return this.#object(kind, { method: 'PATCH', path: `${objectPathOf(kind, name)}?${search}`, body, contentType: APPLY_PATCH })
  }

  async delete(kind: ResourceKind<TypedObject>, namespace: string, name: string, options: DeletePreconditions = {}): Promise<void> {
    const { uid, resourceVersion, ...rest } = options
    const preconditions = { ...(uid !== undefined && { uid }), ...(resourceVersion !== undefined && { resourceVersion }) }
    const body = { kind: 'DeleteOptions', apiVersion: 'v1', ...rest, ...(Object.keys(preconditions).length > 0 && { preconditions }) }
    await this.#json({ method: 'DELETE', path: objectPathOf(kind, { namespace, name }), body })
  }

  async post(kind: ResourceKind<TypedObject>, name: Required<ObjectName>, body: TypedObject): Promise<void> {
    await this.#json({ method: 'POST', path: objectPathOf(kind, name), body })
  }

  async kindsOf(group: string): Promise<readonly ResourceKind<TypedObject>[]> {
    const versions = await this.#versionsOf(group)
    const lists = await Promise.all(versions.map(version => this.#discovery(groupPathOf({ group, version }))))
    return lists.flatMap((list, i) =>
      objectsIn(list.resources).flatMap(resource => discoveredKind({ group, version: versions[i] ?? '' }, resource)),
    )
  }

  /** Versions of a group, the preferred one first. */
  async #versionsOf(group: string): Promise<string[]> {
    const found = await this.#discovery(group === '' ? '/api' : `/apis/${encodeURIComponent(group)}`)
    const { version: preferred } = objectIn(found.preferredVersion)
    const all =
      group === ''
        ? texts(found.versions)
        : objectsIn(found.versions).flatMap(({ version }) => (typeof version === 'string' ? [version] : []))
    return typeof preferred === 'string' ? [preferred, ...all.filter(version => version !== preferred)] : all
  }

  /** Reads a path of discovery. Empty if it is not served: the response has no Status then. */
  async #discovery(path: string): Promise<JsonObject> {
    return objectIn(
      await this.#json({ method: 'GET', path }).catch((error: unknown) => {
        if (error instanceof StatusError && error.code === 404) return null
        throw error
      }),
    )
  }

  close(): void {
    this.#agent?.destroy()
  }

  async #object<T extends TypedObject>(kind: ResourceKind<T>, outgoing: OutgoingRequest): Promise<T> {
    return readObject(kind, objectIn(await this.#json(outgoing)))
  }

  async #json(outgoing: OutgoingRequest): Promise<Json> {
    const response = await this.#send(outgoing)
    return parseJson(await bodyOf(response)).value
  }

  /**
   * Resolves to a successful response. Rejects with the StatusError of another one, or with an Error if there is no
   * response.
   */
  #send({ method, path, body, contentType = 'application/json', signal }: OutgoingRequest): Promise<IncomingMessage> {
    const { url: base, token, userAgent = USER_AGENT } = this.#access
    const bytes = body && Buffer.from(JSON.stringify(body))
    const url = new URL(base.replace(/\/$/, '') + path)
    const headers = {
      accept: 'application/json',
      'user-agent': userAgent,
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(bytes && { 'content-type': contentType, 'content-length': bytes.length }),
    }
    const options = { method, headers, ...(signal ? { signal } : { timeout: RESPONSE_TIMEOUT_MS }) }
    return new Promise((resolve, reject) => {
      const request = this.#agent ? requestTls(url, { ...options, agent: this.#agent }) : requestPlain(url, options)
      request.on('error', error => reject(new Error(`${method} ${path}: ${errorMessage(error)}`)))
      request.on('timeout', () => request.destroy(new Error('no response within a minute')))
      request.on('response', response => {
        const { statusCode = 0 } = response
        if (statusCode >= 200 && statusCode < 300) return resolve(response)
        bodyOf(response).then(text => reject(rejection(statusCode, text)), reject)
      })
      request.end(bytes)
    })
  }
}

const tlsOptions = ({
  certificateAuthority: ca,
  clientCertificate: cert,
  clientKey: key,
  tlsServerName,
  insecureSkipTlsVerify,
}: ServerAccess): AgentOptions => ({
  ...(ca !== undefined && { ca }),
  ...(cert !== undefined && { cert }),
  ...(key !== undefined && { key }),
  ...(tlsServerName !== undefined && { servername: tlsServerName }),
  ...(insecureSkipTlsVerify === true && { rejectUnauthorized: false }),
})

/** Path of one object. Throws an Error if the name would make it that of a collection. */
function objectPathOf(kind: ResourceKind<TypedObject>, of: ObjectName): string {
  if (of.name === '') throw new Error(`${kind.kind} without a name`)
  return pathOf(kind, of)
}

const groupPathOf = ({ group, version }: GroupVersion): string => (group === '' ? `/api/${version}` : `/apis/${group}/${version}`)

const texts = (value: Json | undefined): string[] => (Array.isArray(value) ? value.filter(each => typeof each === 'string') : [])

/** Verbs of kinds whose objects can be listed and patched. */
const CHANGEABLE = ['list', 'patch']

/**
 * Returns the kind of an entry of discovery. Empty for subresources, and if its objects cannot be listed and patched.
 */
function discoveredKind(of: GroupVersion, { name, kind, namespaced, verbs }: JsonObject): ResourceKind<TypedObject>[] {
  if (typeof name !== 'string' || typeof kind !== 'string' || name.includes('/')) return []
  const allowed = texts(verbs)
  return CHANGEABLE.every(verb => allowed.includes(verb)) ? [{ ...of, resource: name, kind, namespaced: namespaced === true }] : []
}

/**
 * Path of a collection if the name is empty, otherwise of an object or subresource. Throws an Error if a name would make
 * it another path when the URL is parsed.
 */
function pathOf(
  { group, version, resource, kind, namespaced }: ResourceKind<TypedObject>,
  { namespace, name, subresource = '' }: ObjectName,
): string {
  if ([namespace, name].some(part => part === '.' || part === '..')) throw new Error(`no ${kind} has the name ${namespace}/${name}`)
  const prefix = groupPathOf({ group, version })
  const scope = namespaced && namespace !== '' ? `/namespaces/${encodeURIComponent(namespace)}` : ''
  const object = name === '' ? '' : `/${encodeURIComponent(name)}`
  return `${prefix}${scope}/${resource}${object}${subresource === '' ? '' : `/${subresource}`}`
}

const sent = ({ group, version, kind }: ResourceKind<TypedObject>, object: TypedObject): TypedObject => ({
  ...object,
  kind,
  apiVersion: apiVersionOf({ group, version }),
})

/** Gives a response the type of its kind: the server has validated and encoded it by that kind's schema. */
const readObject = <T extends TypedObject>(_kind: ResourceKind<T>, json: JsonObject): T =>
  decodedObject({ metadata: {}, ...json }) as unknown as T

/** Throws the StatusError of an error event. */
function watchedChange<T extends TypedObject>(kind: ResourceKind<T>, line: Buffer): WatchedChange<T> {
  const { type, object } = objectIn(parseJson(line).value)
  const json = objectIn(object)
  if (type === 'ERROR') throw rejection(Number(json.code) || 500, Buffer.from(JSON.stringify(json)))
  const read = readObject(kind, json)
  const { resourceVersion = '' } = read.metadata
  switch (type) {
    case 'ADDED':
      return { type: 'added', object: read, resourceVersion }
    case 'MODIFIED':
      return { type: 'modified', object: read, resourceVersion }
    case 'DELETED':
      return { type: 'deleted', object: read, resourceVersion }
    case 'BOOKMARK':
      return { type: 'bookmark', resourceVersion }
    default:
      throw new Error(`unknown type of a watch event: ${JSON.stringify(type)}`)
  }
}

/** Returns the StatusError of a response that is not a success. */
export function rejection(code: number, body: Buffer): StatusError {
  let status: Json = null
  try {
    status = parseJson(body).value
  } catch {
    // A proxy may respond with a text.
  }
  if (!isJsonObject(status) || status.kind !== 'Status') return failure(code, '', body.toString().trim().slice(0, 200) || `status ${code}`)
  const { reason, message, details } = status
  return failure(code, String(reason ?? ''), String(message ?? ''), isJsonObject(details) ? details : undefined)
}

async function bodyOf(response: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of response) {
    chunks.push(chunk)
    size += chunk.length
    if (size > MAX_RESPONSE_BYTES) throw new Error('the response is too large')
  }
  return Buffer.concat(chunks)
}

const NEWLINE = 10

/** Yields the lines of a response without their newlines. */
async function* lines(response: IncomingMessage): AsyncGenerator<Buffer> {
  let pieces: Buffer[] = []
  let size = 0
  for await (const read of response) {
    let chunk: Buffer = read
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE)) {
      yield Buffer.concat([...pieces, chunk.subarray(0, end)])
      pieces = []
      size = 0
      chunk = chunk.subarray(end + 1)
    }
    if (chunk.length > 0) pieces.push(chunk)
    size += chunk.length
    if (size > MAX_RESPONSE_BYTES) throw new Error('an event is too large')
  }
}

import type { AnyObject } from '../any-object.ts'
import type { Chance } from './chance.ts'
import { payloadOf, TOKEN } from './check-write.ts'
import type { ModelRequest } from './model-server.ts'
import { anyKey, anyPayload, collectionPath, extentQuery, objectOf, objectPath, type Places, pathWith } from './objects.ts'
import type { Recorder } from './recorder.ts'
import type { Payload, SeenCollectionDelete, SeenWrite } from './seen.ts'
import { EVERYTHING } from './selection.ts'
import type { Extent } from './store-history.ts'

/** A client's share of a history. */
export interface ClientContext {
  readonly recorder: Recorder
  readonly chance: Chance
  readonly places: Places
  /** `c0` */
  readonly name: string
  /** The objects as the clients last saw them. */
  readonly known: Map<string, AnyObject>
  /** The number of a server that is there. */
  server(): number
  /** A moment for others. */
  pause(): Promise<void>
  /** Unique over all clients of the history. */
  token(): string
}

type Write = Omit<SeenWrite, 'kind' | 'server' | 'floor' | 'ceiling' | 'answer'>

/** One write of some kind, on some object, on some condition or none. */
export async function writeSomething(client: ClientContext): Promise<void> {
  const { chance, places, known, recorder } = client
  const key = anyKey(chance, places)
  const object = known.get(key)
  if (chance.is(0.03)) return deleteSome(client)
  const { request, write } = (() => {
    const dice = chance.random()
    if (object === undefined || dice < 0.2) return dice < 0.05 ? apply(client, key) : create(client, key)
    if (dice < 0.4) return update(client, key, object)
    if (dice < 0.45) return touch(client, key, object)
    if (dice < 0.65) return mergePatch(client, key, object)
    if (dice < 0.72) return jsonPatch(client, key, object)
    return dice < 0.8 ? apply(client, key) : remove(client, key, object)
  })()
  const { status, body } = await recorder.ask<SeenWrite>(client.server(), request, { kind: 'write', ...write })
  if ((status === 200 || status === 201) && body.kind !== 'Status') known.set(key, body)
  else if (status === 404 || body.kind === 'Status') known.delete(key)
}

type Asked = { request: ModelRequest; write: Write }

const revisionOf = (object: AnyObject): number => Number(object.metadata.resourceVersion)

const managed = ({ name }: ClientContext, path: string, query: readonly [string, string][] = []): string =>
  pathWith(path, [['fieldManager', name], ...query])

function create(client: ClientContext, key: string): Asked {
  const { places, chance, name } = client
  const token = client.token()
  const payload = anyPayload(chance, places, token, name)
  const path = managed(client, collectionPath(places.kind, key.split('/')[0] ?? ''))
  return {
    request: { method: 'POST', path, body: objectOf(places.kind, key, payload) },
    write: { verb: 'create', key, token, guard: undefined, effect: before => (before === undefined ? payload : undefined) },
  }
}

function update(client: ClientContext, key: string, object: AnyObject): Asked {
  const { places, chance, name } = client
  const token = client.token()
  const payload = anyPayload(chance, places, token, name)
  const guard = chance.is(0.6) ? revisionOf(object) : undefined
  return {
    request: { method: 'PUT', path: managed(client, objectPath(places.kind, key)), body: objectOf(places.kind, key, payload, guard) },
    write: { verb: 'update', key, token, guard, effect: before => before && payload },
  }
}

/** Writes what is there. */
function touch(client: ClientContext, key: string, object: AnyObject): Asked {
  const { kind } = client.places
  const payload = payloadOf(object)
  return {
    request: {
      method: 'PUT',
      path: managed(client, objectPath(kind, key)),
      body: { ...object, kind: kind.kind, apiVersion: kind.apiVersion },
    },
    write: { verb: 'update', key, token: undefined, guard: revisionOf(object), effect: () => payload },
  }
}

function mergePatch(client: ClientContext, key: string, object: AnyObject): Asked {
  const { places, chance, name } = client
  const token = client.token()
  const guard = chance.is(0.25) ? revisionOf(object) : undefined
  const tier = chance.is(0.5) ? chance.pick(['a', 'b', 'c', null]) : undefined
  const color = places.kind.hasColor && chance.is(0.4) ? chance.pick(['red', 'blue']) : undefined
  const metadata = {
    annotations: { [TOKEN]: token, [name]: token },
    ...(tier !== undefined && { labels: { tier } }),
    ...(guard !== undefined && { resourceVersion: String(guard) }),
  }
  const effect = (before: Payload | undefined): Payload | undefined =>
    before && {
      labels: tier === undefined ? before.labels : withMember(before.labels, 'tier', tier),
      annotations: { ...before.annotations, [TOKEN]: token, [name]: token },
      color: color ?? before.color,
    }
  return {
    request: {
      method: 'PATCH',
      path: managed(client, objectPath(places.kind, key)),
      contentType: 'application/merge-patch+json',
      body: { metadata, ...(color !== undefined && { spec: { color } }) },
    },
    write: { verb: 'patch', key, token, guard, effect },
  }
}

function withMember(members: Readonly<Record<string, string>>, name: string, value: string | null): Record<string, string> {
  const { [name]: _, ...others } = members
  return value === null ? others : { ...others, [name]: value }
}

function jsonPatch(client: ClientContext, key: string, object: AnyObject): Asked {
  const { places, chance, name } = client
  const token = client.token()
  const guard = chance.is(0.3) ? revisionOf(object) : undefined
  const body = [
    ...(guard === undefined ? [] : [{ op: 'replace', path: '/metadata/resourceVersion', value: String(guard) }]),
    { op: 'add', path: `/metadata/annotations/${TOKEN.replace('/', '~1')}`, value: token },
    { op: 'add', path: `/metadata/annotations/${name}`, value: token },
  ]
  return {
    request: { method: 'PATCH', path: managed(client, objectPath(places.kind, key)), contentType: 'application/json-patch+json', body },
    write: {
      verb: 'patch',
      key,
      token,
      guard,
      effect: before => before && { ...before, annotations: { ...before.annotations, [TOKEN]: token, [name]: token } },
    },
  }
}

function apply({ places, token: next }: ClientContext, key: string): Asked {
  const token = next()
  const payload = { labels: {}, annotations: { [TOKEN]: token }, color: '' }
  const { kind, apiVersion, metadata } = objectOf(places.kind, key, payload)
  const body = { kind, apiVersion, metadata: { name: metadata.name, namespace: metadata.namespace, annotations: metadata.annotations } }
  return {
    request: {
      method: 'PATCH',
      path: pathWith(objectPath(places.kind, key), [
        ['fieldManager', 'applier'],
        ['force', 'true'],
      ]),
      contentType: 'application/apply-patch+yaml',
      body,
    },
    write: {
      verb: 'apply',
      key,
      token,
      guard: undefined,
      effect: before => (before === undefined ? payload : { ...before, annotations: { ...before.annotations, [TOKEN]: token } }),
    },
  }
}

function remove({ places, chance }: ClientContext, key: string, object: AnyObject): Asked {
  const dice = chance.random()
  const guard = dice < 0.3 ? revisionOf(object) : undefined
  const uid = dice >= 0.3 && dice < 0.5 ? object.metadata.uid : undefined
  const preconditions = { ...(guard !== undefined && { resourceVersion: String(guard) }), ...(uid !== undefined && { uid }) }
  return {
    request: {
      method: 'DELETE',
      path: objectPath(places.kind, key),
      ...(dice < 0.5 && { body: { kind: 'DeleteOptions', apiVersion: 'meta.k8s.io/v1', preconditions } }),
    },
    write: { verb: 'delete', key, token: undefined, guard, ...(uid !== undefined && { uid }), effect: () => 'absent' },
  }
}

async function deleteSome({ recorder, chance, places, server }: ClientContext): Promise<void> {
  const selection = chance.is(0.7)
    ? { labels: [{ name: 'tier', op: '=' as const, values: [chance.pick(['a', 'b', 'c'])] }], fields: [] }
    : EVERYTHING
  const extent: Extent = { namespace: chance.pick(places.namespaces), selection }
  const path = pathWith(collectionPath(places.kind, extent.namespace), extentQuery(extent))
  await recorder.ask<SeenCollectionDelete>(server(), { method: 'DELETE', path }, { kind: 'deletecollection', extent })
}

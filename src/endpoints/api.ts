import { updateManagedFields } from '../apply/managed-fields.ts'
import { type CatalogSnapshot, type ServedResource, subresourceOf } from '../catalog/catalog.ts'
import { apiVersionOf, qualifiedResource } from '../meta/gvk.ts'
import type { KubeObject } from '../meta/object.ts'
import { failure, notFoundError, pathNotFoundError } from '../meta/status.ts'
import { formatTime } from '../meta/time.ts'
import { ensureNamespace } from '../registry/object-meta.ts'
import { groupResourceOf } from '../registry/types.ts'
import { type BodyTarget, bodyTarget, decodeBody } from './body.ts'
import { connect } from './connect/connect.ts'
import { create } from './create.ts'
import { deleteCollection, deleteOne } from './delete.ts'
import { tellDeprecation } from './deprecation.ts'
import type { Discovery } from './discovery/discovery.ts'
import type { Exchange, Handler } from './exchange.ts'
import { listOptions } from './list-options.ts'
import { negotiate, negotiateStream } from './negotiate.ts'
import type { OpenApiEndpoint } from './openapi/endpoint.ts'
import { patch } from './patch.ts'
import { stringParameter } from './query.ts'
import { type PlainList, respondList, respondObject, respondPlainList, respondStatus, respondTyped } from './respond.ts'
import type { EndpointEnvironment, Scope } from './scope.ts'
import { isNamespaced, MAX_BODY_BYTES, storeOf } from './scope.ts'
import { update } from './update.ts'
import { viewTarget } from './view.ts'
import { watch } from './watch.ts'
import { framingOf } from './watch-framing.ts'
import { writeOptions } from './write-options.ts'

/** 405 as upstream's router gives it: before it knows the resource. */
const methodNotAllowed = () => failure(405, 'MethodNotAllowed', 'the server does not allow this method on the requested resource', {})

/** Of a custom kind upstream names the object. */
const subresourceNotFound = (served: ServedResource, name: string): Error =>
  served.version.schema.freeForm ? notFoundError(groupResourceOf(served), name) : pathNotFoundError()

/** The kinds at this moment, or once the one that is asked for has come from another server. */
async function snapshotFor({ catalog, awaitKind }: EndpointEnvironment, { ctx }: Exchange): Promise<CatalogSnapshot> {
  const { info, signal } = ctx
  const snapshot = catalog.snapshot()
  if (!awaitKind || !info.isResource || snapshot.definition(info.group, info.resource) !== undefined) return snapshot
  await awaitKind(info.group, info.resource, signal)
  return catalog.snapshot()
}

/** Serves everything below /api, /apis and /openapi. */
export function createApi(env: EndpointEnvironment, discovery: Discovery, openApi: OpenApiEndpoint): Handler {
  return async exchange => {
    const { info } = exchange.ctx
    const snapshot = await snapshotFor(env, exchange)
    if (info.isResource) {
      const served = snapshot.find(info.group, info.version, info.resource)
      if (served) {
        const subresource = info.subresource === '' ? undefined : subresourceOf(served.version, info.subresource)
        if (info.subresource !== '' && subresource === undefined) throw subresourceNotFound(served, info.name)
        if (info.parts.length > 3 && !subresource?.connect?.subpath) throw pathNotFoundError()
        return serve({ exchange, env, snapshot, served, subresourceName: info.subresource, subresource, namespace: info.namespace, name: info.name })
      }
    }
    if (await discovery.serve(exchange, snapshot)) return
    if (await openApi.serve(exchange, snapshot)) return
    throw pathNotFoundError()
  }
}

async function serve(scope: Scope): Promise<void> {
  const { served, exchange, namespace, name } = scope
  const namespaced = served.definition.scope === 'Namespaced'
  const isNamespaces = served.version.group === '' && served.version.names.plural === 'namespaces'
  if (isCustom(scope) && !reachesCustom(scope, namespaced)) return plainNotFound(scope)
  if (!namespaced && namespace !== '' && !isNamespaces) throw pathNotFoundError()
  if (namespaced && namespace === '' && hasNameInPath(scope)) throw pathNotFoundError()
  tellDeprecation(scope)
  const at: Scope = isNamespaces ? { ...scope, namespace: '' } : scope
  if (scope.subresourceName !== '') return serveSubresource(at)
  const { verbs } = served.version
  if (name === '' || !hasNameInPath(scope)) return serveCollection(at, verbs, namespaced && namespace === '')
  switch (exchange.method) {
    case 'GET':
      // The deprecated path of a watch of one object, /watch/…/NAME; with `watch=true` alone an object is read all the same.
      if (exchange.ctx.info.verb === 'watch') return list(at)
      return allowed(verbs, 'get') ? get(at) : refuse(at)
    case 'PUT':
      return allowed(verbs, 'update') ? put(at) : refuse(at)
    case 'PATCH':
      return allowed(verbs, 'patch') ? patchOne(at) : refuse(at)
    case 'DELETE':
      return allowed(verbs, 'delete') ? remove(at) : refuse(at)
    default:
      return refuse(at)
  }
}

const isCustom = ({ served }: Scope): boolean => served.version.schema.freeForm !== undefined

/** What has no namespace is not found in one; what has one is listed and watched across all of them, and nothing else. */
const reachesCustom = ({ namespace, exchange }: Scope, namespaced: boolean): boolean =>
  namespaced ? namespace !== '' || ['list', 'watch'].includes(exchange.ctx.info.verb) : namespace === ''

/** Upstream hands such a request on to a handler that knows no Status. */
const plainNotFound = ({ exchange }: Scope): Promise<void> => exchange.sendBytes(404, 'text/plain; charset=utf-8', Buffer.from('404 page not found\n'))

/** A name may also come from a field selector; only the path makes a request one for an object. */
const hasNameInPath = (scope: Scope): boolean => (scope.exchange.ctx.info.parts[1] ?? '') !== ''

/** Upstream serves custom kinds past its router, and names the verb. */
function customVerbRefused({ served, exchange }: Scope): Error {
  const { group, resource } = groupResourceOf(served)
  const text = `${exchange.ctx.info.verb} is not supported on resources of kind ${JSON.stringify(qualifiedResource({ group, resource }))}`
  return failure(405, 'MethodNotAllowed', text, { group, kind: resource })
}

const allowed = (verbs: readonly string[], verb: string): boolean => verbs.includes(verb)
const refuse = (scope: Scope): never => {
  throw isCustom(scope) ? customVerbRefused(scope) : methodNotAllowed()
}

async function serveCollection(scope: Scope, verbs: readonly string[], allNamespaces: boolean): Promise<void> {
  switch (scope.exchange.method) {
    case 'GET':
      return allowed(verbs, 'list') ? list(scope) : refuse(scope)
    case 'POST':
      return allowed(verbs, 'create') && !allNamespaces ? post(scope) : refuse(scope)
    case 'DELETE': {
      if (!allowed(verbs, 'deletecollection') || allNamespaces) return refuse(scope)
      const output = negotiate(scope)
      return respondList(scope, output, await deleteCollection(scope))
    }
    default:
      return refuse(scope)
  }
}

async function get(scope: Scope): Promise<void> {
  const { exchange, served } = scope
  const output = negotiate(scope)
  if (served.definition.virtual) return callVirtual(scope, 'get')
  const resourceVersion = exchange.search === '' ? '' : stringParameter(exchange.query, 'resourceVersion')
  const stored = await storeOf(scope).get(served, scope.namespace, scope.name, resourceVersion, exchange.ctx.signal)
  await respondObject(scope, output, 200, { stored })
}

async function list(scope: Scope): Promise<void> {
  const { exchange, served } = scope
  const legacyWatch = exchange.ctx.info.verb === 'watch' && exchange.path.includes('/watch/')
  if (served.definition.virtual) return callVirtual(scope, 'list')
  const output = negotiate(scope)
  const options = listOptions(exchange, served.version, hasNameInPath(scope) ? scope.name : '', scope.env.watchList, isNamespaced(scope))
  if (options.watch || legacyWatch) {
    if (!allowed(served.version.verbs, 'watch')) return refuse(scope)
    // As upstream has it: the deprecated path alone says nothing of initial events.
    return watch(scope, options.watch ? options : { ...options, startAtHand: true }, () => framingOf(scope, negotiateStream(scope)))
  }
  await respondList(scope, output, await storeOf(scope).list(served, scope.namespace, options, exchange.ctx.signal))
}

async function post(scope: Scope): Promise<void> {
  const output = negotiate(scope)
  if (scope.served.definition.virtual) return callVirtual(scope, 'create')
  await respondObject(scope, output, 201, await create(scope))
}

async function put(scope: Scope): Promise<void> {
  const output = negotiate(scope)
  const { answer, created } = await update(scope)
  await respondObject(scope, output, created ? 201 : 200, answer)
}

async function patchOne(scope: Scope): Promise<void> {
  const output = negotiate(scope)
  const { answer, created } = await patch(scope)
  await respondObject(scope, output, created ? 201 : 200, answer)
}

async function remove(scope: Scope): Promise<void> {
  const output = negotiate(scope)
  const { code, result } = await deleteOne(scope)
  const { served } = scope
  // Upstream names the kind here, and the resource where it has seen the object.
  if (result === undefined)
    return respondStatus(scope, output, code, {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Success',
      details: { name: scope.name, kind: served.version.kind },
      code,
    })
  if (!result.deleted || result.blank || served.definition.strategy?.returnsDeleted) return respondObject(scope, output, code, { object: result.object })
  const { group, resource } = groupResourceOf(served)
  await respondStatus(scope, output, code, {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Success',
    details: { name: scope.name, ...(group !== '' && { group }), kind: resource, ...(result.object.metadata.uid && { uid: result.object.metadata.uid }) },
  })
}

async function serveSubresource(scope: Scope): Promise<void> {
  const { exchange, served } = scope
  const subresource = scope.subresource as NonNullable<Scope['subresource']>
  if (subresource.connect) return subresource.connect.methods.includes(exchange.method) ? connect(scope, subresource.connect) : refuse(scope)
  const verb = { GET: 'get', PUT: 'update', PATCH: 'patch', POST: 'create', DELETE: 'delete' }[exchange.method]
  if (verb === undefined || !subresource.verbs.includes(verb)) return refuse(scope)
  if (subresource.virtual) return callVirtual(scope, verb)
  const output = negotiate(scope)
  const { view } = subresource
  if (verb === 'get') {
    const stored = await storeOf(scope).get(served, scope.namespace, scope.name, stringParameter(exchange.query, 'resourceVersion'), exchange.ctx.signal)
    return view ? respondView(scope, output, 200, stored.object()) : respondObject(scope, output, 200, { stored })
  }
  if (verb !== 'update' && verb !== 'patch') return refuse(scope)
  const { answer } = verb === 'update' ? await update(scope) : await patch(scope)
  return view ? respondView(scope, output, 200, 'stored' in answer ? answer.stored.object() : answer.object) : respondObject(scope, output, 200, answer)
}

function respondView(scope: Scope, output: ReturnType<typeof negotiate>, code: number, parent: KubeObject): Promise<void> {
  const { view, kind } = scope.subresource as NonNullable<Scope['subresource']>
  return respondTyped(scope, output, code, (kind as NonNullable<typeof kind>).schema, (view as NonNullable<typeof view>).get(parent))
}

/** Bodies that are kept nowhere tell whose fields they are all the same, as upstream's do. */
function ownFields({ schema, group, version }: BodyTarget, subresource: string, manager: string, body: KubeObject, now: number): void {
  const entries = updateManagedFields({
    schema,
    old: undefined,
    next: body,
    manager,
    subresource,
    apiVersion: apiVersionOf({ group, version }),
    now: formatTime(now),
  })
  if (entries.length > 0) body.metadata.managedFields = entries
}

/** A resource that is not stored: its definition answers. */
async function callVirtual(scope: Scope, verb: string): Promise<void> {
  const { exchange, served, subresource } = scope
  const virtual = subresource?.virtual ?? served.definition.virtual
  if (!virtual) return refuse(scope)
  const output = negotiate(scope)
  let body: KubeObject | undefined
  let dryRun = false
  if (verb === 'create') {
    const bytes = await exchange.readBody(MAX_BODY_BYTES)
    const options = writeOptions(exchange, 'CreateOptions')
    dryRun = options.dryRun
    const target = viewTarget(subresource) ?? bodyTarget(served.version)
    body = decodeBody(scope, bytes, target, options.fieldValidation)()
    ensureNamespace(body.metadata, served.definition.scope === 'Namespaced' ? scope.namespace : '')
    ownFields(target, scope.subresourceName, options.manager, body, scope.env.clock.now())
    const { namespace, name, subresourceName } = scope
    const about = {
      ctx: exchange.ctx,
      served,
      subresource: subresourceName,
      namespace,
      name: name || (body.metadata.name ?? ''),
      dryRun,
      ...(options.stated && { options: options.stated }),
    }
    body = await scope.env.registry.admit({ ...about, operation: 'CREATE', object: body })
  }
  const { code, object } = await virtual.call({
    ctx: exchange.ctx,
    verb,
    namespace: scope.namespace,
    name: scope.name,
    ...(body && { body }),
    dryRun,
    api: scope.env.registry.access(exchange.ctx.signal, { nested: true }),
  })
  const { kind } = object as { kind?: string }
  const schema = subresource?.kind?.schema ?? served.version.schema
  if (kind === `${served.version.kind}List`) return respondPlainList(scope, output, object as unknown as PlainList)
  if (kind === (subresource?.kind?.kind ?? served.version.kind)) return respondTyped(scope, output, code, schema, object as KubeObject)
  await respondStatus(scope, output, code, object as unknown as Parameters<typeof respondStatus>[3])
}

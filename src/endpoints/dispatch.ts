import type { KubeObject } from '../api/meta/object.ts'
import type { SubresourceView } from '../catalog/definition.ts'
import { invariant } from '../lib/invariant.ts'
import type { Verb } from '../meta/context.ts'
import type { DeleteResult } from '../registry/delete.ts'
import { objectInTurns } from '../registry/ready-object.ts'
import { answerObject, groupResourceOf, type RequestResult } from '../registry/types.ts'
import { connect } from './connect/connect.ts'
import { create } from './create.ts'
import { deleteCollection, deleteOne } from './delete.ts'
import type { ApiFilter } from './filters/filter.ts'
import type { ResponseForm } from './forms/response-form.ts'
import { listOptions, type ReadOptions } from './list-options.ts'
import { negotiateStream, notAcceptable } from './negotiate.ts'
import { patch } from './patch.ts'
import { stringParameter } from './query.ts'
import { readStep } from './read-step.ts'
import { respondList, respondObject, respondStatus, respondTyped } from './respond.ts'
import { handlesSince, isNamespaced, type Scope, type ServedVerb, storeOf } from './scope.ts'
import { update } from './update.ts'
import { callVirtual } from './virtual.ts'
import { watch } from './watch.ts'

/** Handlers by verb. A handler only accepts the scope of its own verb. */
type Handlers = { readonly [V in ServedVerb]: (scope: Scope<V>, form: ResponseForm) => Promise<void> }

const HANDLERS: Handlers = {
  get,
  list: listResource,
  watch: openWatch,
  create: post,
  update: put,
  patch: patchOne,
  delete: remove,
  deletecollection: removeCollection,
  '': () => {
    throw new Error('a method without a verb is used only for requests that are passed on to another server')
  },
}

/** End of the handler chain: executes the verb that was authorized. */
export const serveResource: ApiFilter = ({ state: { scope, form } }) => {
  invariant(scope, 'the request has been resolved')
  return dispatch(scope, form)
}

function dispatch<V extends ServedVerb>(scope: Scope<V>, form: ResponseForm | undefined): Promise<void> {
  const { served, subresource } = scope
  if (subresource?.connect) return connect(scope, subresource.connect)
  invariant(form, 'the form of the response has been negotiated')
  const virtual = subresource ? subresource.virtual : served.definition.virtual
  if (virtual) return callVirtual(scope, form, virtual)
  return HANDLERS[scope.verb](scope, form)
}

async function get(scope: Scope<'get'>, form: ResponseForm): Promise<void> {
  const { exchange, served, subresource } = scope
  const resourceVersion = exchange.search === '' ? '' : stringParameter(exchange.query, 'resourceVersion')
  exchange.ctx.why?.note(readStep({ resourceVersion }, storeOf(scope).isCached))
  const stored = await storeOf(scope).get(served, scope.namespace, scope.name, resourceVersion, exchange.ctx.signal)
  if (subresource?.view) await respondView(scope, form, subresource.view, 200, await objectInTurns(stored))
  else await respondObject(scope, form, 200, { stored })
}

async function listResource(scope: Scope<'list'>, form: ResponseForm): Promise<void> {
  const { exchange, served } = scope
  const options = await listOptions(exchange, served.version, '', scope.env, isNamespaced(scope))
  exchange.ctx.why?.note(readStep(options, storeOf(scope).isCached))
  await respondList(scope, form, await storeOf(scope).list(served, scope.namespace, options, exchange.ctx.signal))
}

async function openWatch(scope: Scope<'watch'>): Promise<void> {
  const options = await listOptions(scope.exchange, scope.served.version, scope.name, scope.env, isNamespaced(scope))
  // Like upstream, a watch on the deprecated path alone sends no bookmark after its initial events.
  const opened = options.watch ? options : { startAtHand: true as const, ...options }
  return watch(scope, opened, () => {
    const form = negotiateStream(scope)
    if (form.withoutInitialEnd && !handlesSince(scope.env, '1.34') && endsInitialEvents(opened)) throw notAcceptable(scope)
    return form.framing(scope)
  })
}

/** Reports whether a bookmark ends the initial events. */
const endsInitialEvents = ({ allowWatchBookmarks, sendInitialEvents, resourceVersion, startAtHand }: ReadOptions): boolean =>
  allowWatchBookmarks && startAtHand !== true && (sendInitialEvents ?? (resourceVersion === '' || resourceVersion === '0'))

async function post(scope: Scope<'create'>, form: ResponseForm): Promise<void> {
  await respondObject(scope, form, 201, await create(scope))
}

async function put(scope: Scope<'update'>, form: ResponseForm): Promise<void> {
  await respondWritten(scope, form, await update(scope))
}

async function patchOne(scope: Scope<'patch'>, form: ResponseForm): Promise<void> {
  await respondWritten(scope, form, await patch(scope))
}

async function respondWritten(
  scope: Scope<Verb>,
  form: ResponseForm,
  { answer, created }: { answer: RequestResult; created: boolean },
): Promise<void> {
  const view = scope.subresource?.view
  if (view) await respondView(scope, form, { get: parent => (view.answer ?? view.get)(parent) }, 200, await answerObject(answer))
  else await respondObject(scope, form, created ? 201 : 200, answer)
}

function respondView(
  scope: Scope,
  form: ResponseForm,
  view: Pick<SubresourceView, 'get'>,
  code: number,
  parent: KubeObject,
): Promise<void> {
  const kind = scope.subresource?.kind
  invariant(kind, 'a view has a kind of its own')
  return respondTyped(scope, form, code, kind.schema, view.get(parent))
}

async function removeCollection(scope: Scope<'deletecollection'>, form: ResponseForm): Promise<void> {
  await respondList(scope, form, await deleteCollection(scope))
}

async function remove(scope: Scope<'delete'>, form: ResponseForm): Promise<void> {
  const { code, result } = await deleteOne(scope)
  const { served } = scope
  const showsObject = result !== undefined && (!result.deleted || result.blank || served.definition.strategy?.returnsDeleted)
  if (showsObject) return respondObject(scope, form, code, { object: result.object })
  // Since 1.38 the metadata has the revision of the deletion.
  const { resourceVersion = '' } = handlesSince(scope.env, '1.38') ? (result?.object.metadata ?? {}) : {}
  const metadata = resourceVersion === '' ? {} : { resourceVersion }
  await respondStatus(scope, form, code, {
    kind: 'Status',
    apiVersion: 'v1',
    metadata,
    status: 'Success',
    ...deletionDetails(scope, code, result),
  })
}

/**
 * Returns the details of a Status for a deletion. Like upstream's, they name the kind if the object was not read, and
 * the resource if it was.
 */
function deletionDetails(scope: Scope<'delete'>, code: number, result: DeleteResult | undefined): object {
  const { served, name } = scope
  if (result === undefined) return { details: { name, kind: served.version.kind }, code }
  const { group, resource } = groupResourceOf(served)
  const { uid } = result.object.metadata
  return { details: { name, ...(group !== '' && { group }), kind: resource, ...(uid && { uid }) } }
}

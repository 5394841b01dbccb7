import { decodedObject, type KubeObject } from '../api/meta/object.ts'
import { updateManagedInSteps } from '../apply/managed-fields.ts'
import type { VirtualResource } from '../catalog/definition.ts'
import { runInTurns } from '../lib/steps.ts'
import { apiVersionOf } from '../meta/gvk.ts'
import { formatTime } from '../meta/time.ts'
import { type BodyTarget, bodyTarget, viewTarget } from '../registry/change/body-target.ts'
import { ensureNamespace } from '../registry/object-meta.ts'
import { admissionRequest } from '../registry/types.ts'
import { decodeBody } from './body.ts'
import type { ResponseForm } from './forms/response-form.ts'
import { listOptions, type ReadOptions } from './list-options.ts'
import { respondPlainList, respondStatus, respondTyped } from './respond.ts'
import { isNamespaced, MAX_BODY_BYTES, type Scope, targetOfScope } from './scope.ts'
import { writeOptions } from './write-options.ts'

/** Serves a resource or subresource that is not stored, such as a review: its definition executes the verb. */
export async function callVirtual(scope: Scope, form: ResponseForm, virtual: VirtualResource): Promise<void> {
  const { exchange, served, subresource, verb, namespace, name } = scope
  const asked =
    verb === 'create' ? await readRequest(scope) : { dryRun: false, ...(verb === 'list' && { selection: await selectionOf(scope) }) }
  const api = scope.env.registry.access(exchange.ctx.signal, { nested: true })
  const answer = await virtual.call({ ctx: exchange.ctx, verb, namespace, name, ...asked, api })
  if ('items' in answer) return respondPlainList(scope, form, answer.items.map(decodedObject))
  if ('status' in answer) return respondStatus(scope, form, answer.code, answer.status)
  await respondTyped(scope, form, answer.code, subresource?.kind?.schema ?? served.version.schema, decodedObject(answer.object))
}

const selectionOf = (scope: Scope): Promise<ReadOptions> =>
  listOptions(scope.exchange, scope.served.version, '', scope.env, isNamespaced(scope))

/** Reads the body of a create and runs admission. */
async function readRequest(scope: Scope): Promise<{ body: KubeObject; dryRun: boolean }> {
  const { exchange, served, subresource, subresourceName, namespace, name } = scope
  const bytes = await exchange.readBody(MAX_BODY_BYTES)
  const { dryRun, fieldValidation, manager, stated } = writeOptions(exchange, 'CreateOptions', scope.env)
  const target = viewTarget(subresource) ?? bodyTarget(served.version)
  const object = (await decodeBody(scope, bytes, target, fieldValidation))()
  ensureNamespace(object.metadata, isNamespaced(scope) ? namespace : '')
  await ownFields(target, subresourceName, manager, object, scope.env.clock.now())
  const asked = { ...targetOfScope(scope), name: name || (object.metadata.name ?? ''), dryRun, ...(stated && { options: stated }) }
  const body = await scope.env.registry.admit(admissionRequest(asked, 'CREATE', { object }))
  return { body, dryRun }
}

/** Adds managed fields, which upstream adds to objects that are not stored as well. */
async function ownFields(
  { schema, group, version }: BodyTarget,
  subresource: string,
  manager: string,
  body: KubeObject,
  now: number,
): Promise<void> {
  const apiVersion = apiVersionOf({ group, version })
  const entries = await runInTurns(
    updateManagedInSteps({ schema, old: undefined, next: body, manager, subresource, apiVersion, now: formatTime(now) }),
  )
  if (entries.length > 0) body.metadata.managedFields = entries
}

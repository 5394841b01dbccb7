import type { KubeObject } from '../api/meta/object.ts'
import { startInTurns } from '../lib/steps.ts'
import { nextLongTurn, turnIsLong } from '../lib/turn.ts'
import { StatusError } from '../meta/status.ts'
import { bodyTarget, viewTarget } from '../registry/change/body-target.ts'
import { checkName, dedupOwnerReferences, dedupOwnersInSteps, ensureNamespace } from '../registry/object-meta.ts'
import type { RequestResult } from '../registry/types.ts'
import { decodeBody } from './body.ts'
import { dialectOf } from './dialect/dialect-of.ts'
import { MAX_BODY_BYTES, type Scope, storeOf, writeTarget } from './scope.ts'
import { writeOptions } from './write-options.ts'

/** PUT of one object, of a subresource of the same kind, or of a view (scale). */
export async function update(scope: Scope<'update'>): Promise<{ answer: RequestResult; created: boolean }> {
  const { exchange, served, subresource } = scope
  const body = await exchange.readBody(MAX_BODY_BYTES)
  const options = writeOptions(exchange, 'UpdateOptions', scope.env)
  const target = viewTarget(subresource) ?? bodyTarget(served.version)
  const { viewFault } = dialectOf(served.version.schema)
  const decoded = await decodeBody(scope, body, target, options.fieldValidation).catch((error: unknown) => {
    throw subresource?.view && error instanceof StatusError ? viewFault(target, error) : error
  })
  const fresh = (): KubeObject => {
    const object = decoded()
    ensureNamespace(object.metadata, scope.served.definition.scope === 'Namespaced' ? scope.namespace : '')
    checkName(object, scope.name, scope.namespace)
    return object
  }
  const warn = (text: string): void => exchange.ctx.warn(text)
  const first = fresh()
  if (turnIsLong()) await nextLongTurn()
  await startInTurns(dedupOwnersInSteps(first.metadata, warn, false))
  let spare: KubeObject | undefined = first
  const next = (): KubeObject => {
    if (spare === undefined) {
      const object = fresh()
      dedupOwnerReferences(object.metadata, warn, false)
      return object
    }
    const object = spare
    spare = undefined
    return object
  }
  return storeOf(scope).update(writeTarget(scope, options), {
    change: { kind: 'replace', next },
    ...(first.metadata.uid !== undefined && { uid: first.metadata.uid }),
  })
}

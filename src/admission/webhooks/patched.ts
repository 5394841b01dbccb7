import { PatchError } from '../../apply/patch/error.ts'
import { checkOperations, jsonPatchSteps } from '../../apply/patch/json.ts'
import { readForeignJson } from '../../codec/foreign-json.ts'
import { JsonSyntaxError } from '../../codec/json.ts'
import { TooManyValuesError } from '../../codec/json-exact.ts'
import { runInTurns } from '../../lib/steps.ts'
import { deepEqual } from '../../meta/equal.ts'
import { isJsonObject, type Json, type JsonObject, type KubeObject } from '../../meta/object.ts'
import { internalServerError } from '../../meta/status.ts'
import type { AdmissionRequest } from '../../registry/types.ts'
import type { About } from '../attributes.ts'
import { bodyOf, objectOf, schemaOfBody } from './bodies.ts'
import { WebhookCallError } from './call-error.ts'
import { bodyText } from './review.ts'
import type { Verdict } from './verdict.ts'
import type { Webhook } from './webhook.ts'

/** The object as a webhook has made it, and whether that is another than before. */
export interface PatchedObject {
  readonly object: KubeObject
  readonly changed: boolean
}

/** What a mutating webhook makes of the object; undefined where it leaves the object alone. Throws 500 for a patch that does not apply. */
export async function patchedObject(hook: Webhook, request: AdmissionRequest, about: About, { patch, patchType }: Verdict): Promise<PatchedObject | undefined> {
  if (patch.length === 0) return undefined
  // As upstream: a patch that is no list fails the request under either failure policy, whatever its type.
  const operations = await inWords(async () => checkOperations(await readForeignJson(patch, request.ctx.signal)))
  if (Array.isArray(operations) && operations.length === 0) return undefined
  const { object } = request
  if (!object)
    throw internalServerError(`admission webhook ${JSON.stringify(hook.name)} attempted to modify the object, which is not supported for this operation`)
  if (patchType !== 'JSONPatch') throw new WebhookCallError(`unsupported patch type ${JSON.stringify(patchType)}`)
  const before = bodyOf(request, about, object)
  const document: JsonObject = JSON.parse(bodyText(schemaOfBody(request, about), before))
  const patched = await inWords(() => runInTurns(jsonPatchSteps(document, operations), request.ctx.signal))
  // What is no object any more has no type either, which is refused.
  const next = objectOf(request, about, isJsonObject(patched) ? patched : {}, before)
  return { object: next, changed: !deepEqual(next, object) }
}

async function inWords<T extends Json>(run: () => T | Promise<T>): Promise<T> {
  try {
    return await run()
  } catch (error) {
    throw error instanceof PatchError || error instanceof JsonSyntaxError || error instanceof TooManyValuesError ? internalServerError(error.message) : error
  }
}

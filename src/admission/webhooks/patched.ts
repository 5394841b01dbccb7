import type { Json, JsonObject, KubeObject } from '../../api/meta/object.ts'
import { PatchError } from '../../apply/patch/error.ts'
import { checkOperations, jsonPatchSteps } from '../../apply/patch/json.ts'
import { parseTestedLiterals } from '../../apply/patch/tested-literals.ts'
import { readForeignJson } from '../../codec/foreign-json.ts'
import { JsonSyntaxError } from '../../codec/json.ts'
import { TooManyValuesError } from '../../codec/json-exact.ts'
import { runInTurns } from '../../lib/steps.ts'
import { deepEqual } from '../../meta/equal.ts'
import { internalServerError } from '../../meta/status.ts'
import type { BuiltIns } from '../../registry/other-type.ts'
import { decodeObjectFrom, encodeObject, schemaOfBody } from './bodies.ts'
import { WebhookCallError } from './call-error.ts'
import { bodyText } from './review.ts'
import type { WebhookVerdict } from './verdict.ts'
import type { WebhookCall } from './webhook-call.ts'

/** Object after the patch of a webhook, and whether it differs from the one before. */
export interface PatchedObject {
  readonly object: KubeObject
  readonly changed: boolean
}

/** Applies the patch of a webhook. Returns undefined if the patch is empty. Throws 500 if it cannot be applied. */
export async function patchedObject(
  { hook, request, about }: Pick<WebhookCall, 'hook' | 'request' | 'about'>,
  { patch, patchType }: WebhookVerdict,
  builtIns: BuiltIns,
): Promise<PatchedObject | undefined> {
  if (patch.length === 0) return undefined
  // As upstream: a patch that is not a list fails the request under either failurePolicy, whatever its type.
  const operations = await inWords(async () => checkOperations(await readForeignJson(patch, request.ctx.signal)))
  if (Array.isArray(operations) && operations.length === 0) return undefined
  const { object } = request
  if (!object)
    throw internalServerError(
      `admission webhook ${JSON.stringify(hook.name)} attempted to modify the object, which is not supported for this operation`,
    )
  if (patchType !== 'JSONPatch') throw new WebhookCallError(`unsupported patch type ${JSON.stringify(patchType)}`)
  const before = encodeObject(request, about, object)
  const document: JsonObject = JSON.parse(bodyText(schemaOfBody(request, about), before))
  const tested = await runInTurns(parseTestedLiterals(patch, operations), request.ctx.signal)
  const patched = await inWords(() =>
    runInTurns(jsonPatchSteps(document, tested?.value ?? operations, { literals: tested?.literals }), request.ctx.signal),
  )
  const next = decodeObjectFrom(request, about, patched, before, builtIns)
  return { object: next, changed: !deepEqual(next, object) }
}

/** Maps errors of patches and their JSON to a 500 with the same message. */
async function inWords<T extends Json>(run: () => T | Promise<T>): Promise<T> {
  try {
    return await run()
  } catch (error) {
    throw error instanceof PatchError || error instanceof JsonSyntaxError || error instanceof TooManyValuesError
      ? internalServerError(error.message)
      : error
  }
}

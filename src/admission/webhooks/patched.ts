import type { Json, JsonObject, KubeObject } from '../../api/meta/object.ts'
import { PatchError } from '../../apply/patch/error.ts'
import { checkOperations, jsonPatchSteps } from '../../apply/patch/json.ts'
import { parseTestedLiterals } from '../../apply/patch/tested-literals.ts'
import { readForeignJson } from '../../codec/foreign-json.ts'
import { encodeJsonInSteps, JsonSyntaxError, parseJsonInSteps } from '../../codec/json.ts'
import { TooManyValuesError } from '../../codec/json-exact.ts'
import { runInTurns, type Steps } from '../../lib/steps.ts'
import { deepEqualInSteps } from '../../meta/equal.ts'
import { internalServerError } from '../../meta/status.ts'
import type { BuiltIns } from '../../registry/other-type.ts'
import type { StructSchema } from '../../schema/schema.ts'
import { decodeObjectFrom, encodeObject, schemaOfBody } from './bodies.ts'
import { WebhookCallError } from './call-error.ts'
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
  const { signal } = request.ctx
  const before = await runInTurns(encodeObject(request, about, object), signal)
  const document = await runInTurns(patchedDocument(schemaOfBody(request, about), before), signal)
  const tested = await runInTurns(parseTestedLiterals(patch, operations), signal)
  const patched = await inWords(() =>
    runInTurns(jsonPatchSteps(document, tested?.value ?? operations, { literals: tested?.literals }), signal),
  )
  const next = await runInTurns(decodeObjectFrom(request, about, patched, before, builtIns), signal)
  return { object: next, changed: !(await runInTurns(deepEqualInSteps(next, object), signal)) }
}

/** Document that a patch applies to: the JSON of the object as the webhook received it. */
function* patchedDocument(schema: StructSchema, body: KubeObject): Steps<JsonObject> {
  const text = yield* encodeJsonInSteps(schema, body)
  yield
  return (yield* parseJsonInSteps(text)).value as JsonObject
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

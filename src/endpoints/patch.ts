import { CBOR_TYPE } from '../codec/accept-header.ts'
import { type ParsedJson, parseJsonInSteps } from '../codec/json.ts'
import { APPLY_CBOR_PATCH, APPLY_PATCH } from '../codec/patch-types.ts'
import { boundJsonInSteps } from '../codec/value-bound.ts'
import { runInTurns } from '../lib/steps.ts'
import { nextLongTurn, turnIsLong } from '../lib/turn.ts'
import { badRequestError, failure } from '../meta/status.ts'
import { builtInsOf } from '../registry/other-type.ts'
import type { RequestResult } from '../registry/types.ts'
import { parseCborConfiguration, parseConfiguration, TEXTS, TEXTS_SINCE_1_37 } from './apply-configuration.ts'
import { notePatch } from './audited-request.ts'
import { firstType } from './dialect/body-type.ts'
import { nameRequired } from './dialect/custom-route.ts'
import type { PatchTypes } from './dialect/dialect.ts'
import { UNROUTABLE_TYPE, unroutable } from './negotiate.ts'
import { handlesSince, MAX_BODY_BYTES, type Scope, storeOf, writeTarget } from './scope.ts'
import { writeOptions } from './write-options.ts'

const unsupported = (types: readonly string[]) =>
  failure(
    415,
    'UnsupportedMediaType',
    `the body of the request was in an unknown format - accepted media types include: ${types.join(', ')}`,
  )

/** Returns the patch types that are accepted for the kind. */
const patchTypes = ({ env, dialect }: Scope): PatchTypes => dialect.patchTypes(env.media.types.some(media => media.type === CBOR_TYPE))

/**
 * Checks that the Content-Type is accepted, before the response is negotiated. Upstream's router reads each type that
 * the header lists; the handler of custom resources reads the first one, and then requires a name. Throws 415, 406 if
 * the router finds an empty body, and 400.
 */
export function checkPatchRoute(scope: Scope): void {
  const { exchange, dialect, info } = scope
  const { taken, listed } = patchTypes(scope)
  if (!dialect.routeTakes(exchange.headers['content-type'], taken))
    throw dialect.patchRefusal(
      () => unroutablePatch(scope),
      () => unsupported(listed),
    )
  if (!info.namesObject) throw nameRequired()
}

/** Before 1.36 upstream's router looks at the body first. */
function unroutablePatch({ exchange, env }: Scope) {
  const hasBody = Number(exchange.headers['content-length'] ?? 0) > 0
  return hasBody || handlesSince(env, '1.36') ? failure(415, 'UnsupportedMediaType', UNROUTABLE_TYPE, {}) : unroutable(exchange, [], env)
}

/** PATCH of one object, of a subresource of the same kind, or of a view (scale). */
export async function patch(scope: Scope<'patch'>): Promise<{ answer: RequestResult; created: boolean }> {
  const { exchange } = scope
  const type = firstType(exchange.headers['content-type'])
  const { taken, listed } = patchTypes(scope)
  if (!taken.includes(type)) throw unsupported(listed)
  if (type === APPLY_PATCH || type === APPLY_CBOR_PATCH) return applyRequest(scope, type)
  const body = await exchange.readBody(MAX_BODY_BYTES)
  const options = writeOptions(exchange, 'PatchOptions', scope.env)
  const parsed = handlesSince(scope.env, '1.37') ? await parseFirst(body) : undefined
  if (exchange.ctx.audit?.showsRequest === true) await notePatch(exchange.ctx, body)
  const { fieldValidation } = options
  return storeOf(scope).update(writeTarget(scope, options), {
    change: { kind: 'patch', type, body, ...(parsed && { parsed }), fieldValidation, builtIns: builtInsOf(scope.snapshot) },
  })
}

/** Parses a patch before the object is read, as since 1.37. Throws 400 without the parser's message. */
async function parseFirst(body: Buffer): Promise<ParsedJson> {
  await runInTurns(boundJsonInSteps(body))
  try {
    return await runInTurns(parseJsonInSteps(body))
  } catch {
    throw badRequestError('invalid JSON patch')
  }
}

/** PATCH with an apply configuration, in YAML or CBOR. */
async function applyRequest(scope: Scope<'patch'>, type: string): Promise<{ answer: RequestResult; created: boolean }> {
  const { exchange, subresource } = scope
  const body = await exchange.readBody(MAX_BODY_BYTES)
  const options = writeOptions(exchange, 'PatchOptions', {
    apply: true,
    ...(scope.env.validatesFields === false && { validatesFields: false }),
  })
  const texts = handlesSince(scope.env, '1.37') ? TEXTS_SINCE_1_37 : TEXTS
  const configuration = await runInTurns(
    (type === APPLY_CBOR_PATCH ? parseCborConfiguration : parseConfiguration)(body, texts),
    exchange.ctx.signal,
  )
  if (exchange.ctx.audit?.showsRequest === true) await notePatch(exchange.ctx, body, configuration.config)
  if (turnIsLong()) await nextLongTurn()
  const { namedManager, force = false, fieldValidation } = options
  return storeOf(scope).update(writeTarget(scope, options), {
    change: { kind: 'apply', ...configuration, manager: namedManager, force, fieldValidation },
    forceCreate: subresource?.view === undefined,
  })
}

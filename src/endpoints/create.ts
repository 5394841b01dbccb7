import { nextLongTurn, turnIsLong } from '../lib/turn.ts'
import { bodyTarget } from '../registry/change/body-target.ts'
import type { RequestResult } from '../registry/types.ts'
import { decodeBody } from './body.ts'
import { bodyMediaType } from './negotiate.ts'
import { MAX_BODY_BYTES, type Scope, storeOf, writeTarget } from './scope.ts'
import { writeOptions } from './write-options.ts'

/** POST to a collection. */
export async function create(scope: Scope<'create'>): Promise<RequestResult> {
  const { exchange, served } = scope
  // Checked before the options. An update checks its options first.
  bodyMediaType(exchange.headers['content-type'], scope.env.media)
  const body = await exchange.readBody(MAX_BODY_BYTES)
  const options = writeOptions(exchange, 'CreateOptions', scope.env)
  const object = (await decodeBody(scope, body, bodyTarget(served.version), options.fieldValidation))()
  if (turnIsLong()) await nextLongTurn()
  return storeOf(scope).create(writeTarget(scope, options), object)
}

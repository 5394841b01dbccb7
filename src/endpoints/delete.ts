import type { FieldError } from '../meta/field-error.ts'
import { invalid, notSupported } from '../meta/field-error.ts'
import { fieldPath } from '../meta/field-path.ts'
import { failure, invalidError } from '../meta/status.ts'
import type { DeleteOptions, DeleteResult } from '../registry/delete.ts'
import type { ListResult } from '../registry/read.ts'
import { DecodeError, decode } from '../schema/decode.ts'
import { parseBody } from './body.ts'
import { listOptions } from './list-options.ts'
import { metaType } from './meta-type.ts'
import { booleanParameter, integerParameter } from './query.ts'
import type { Scope } from './scope.ts'
import { MAX_BODY_BYTES, storeOf } from './scope.ts'
import { dryRunErrors, META_GROUP } from './write-options.ts'

interface DecodedOptions {
  readonly options: DeleteOptions
  readonly dryRun: boolean
}

/** DELETE of one object. The answer is a Status where nothing of the object is left to show, unless the kind shows it all the same. */
export async function deleteOne(scope: Scope): Promise<{ code: number; result: DeleteResult }> {
  const { options, dryRun } = await deleteOptions(scope)
  const result = await storeOf(scope).delete({ ...targetOf(scope), dryRun }, options)
  return { code: !result.deleted && options.orphanDependents === false ? 202 : 200, result }
}

export async function deleteCollection(scope: Scope): Promise<ListResult> {
  const selection = listOptions(scope.exchange, scope.served.version, '')
  const { options, dryRun } = await deleteOptions(scope)
  return storeOf(scope).deleteCollection({ ...targetOf(scope), dryRun }, options, selection)
}

const targetOf = (scope: Scope) => ({
  ctx: scope.exchange.ctx,
  served: scope.served,
  subresource: '',
  namespace: scope.namespace,
  name: scope.name,
  manager: '',
})

/** From the body where there is one, otherwise from the query. Throws 400 and 422. The gate of the unsafe deletion is off, so that option is dropped, as upstream does. */
async function deleteOptions(scope: Scope): Promise<DecodedOptions> {
  const body = await scope.exchange.readBody(MAX_BODY_BYTES)
  const raw = body.length > 0 ? fromBody(scope, body) : fromQuery(scope)
  const errors = optionErrors(raw)
  if (errors.length > 0) throw invalidError({ group: META_GROUP, kind: 'DeleteOptions' }, '', errors)
  const { gracePeriodSeconds, preconditions, propagationPolicy, orphanDependents } = raw
  return {
    dryRun: (raw.dryRun ?? []).length > 0,
    options: {
      ...(gracePeriodSeconds !== undefined && { gracePeriodSeconds }),
      ...(preconditions !== undefined && { preconditions }),
      ...(orphanDependents !== undefined && { orphanDependents }),
      ...(propagationPolicy !== undefined && { propagationPolicy: propagationPolicy as NonNullable<DeleteOptions['propagationPolicy']> }),
    },
  }
}

interface RawOptions {
  gracePeriodSeconds?: number
  preconditions?: { uid?: string; resourceVersion?: string }
  orphanDependents?: boolean
  propagationPolicy?: string
  dryRun?: string[]
}

function fromBody(scope: Scope, body: Buffer): RawOptions {
  const parsed = parseBody(scope.env.media, scope.exchange.headers['content-type'], body, 'DeleteOptions', metaType('meta.DeleteOptions'), plain)
  const { value, claimed } = parsed
  if ('cbor' in parsed && parsed.fault) throw plain(parsed.fault.text)
  if (claimed.kind !== '' && claimed.kind !== 'DeleteOptions')
    throw plain(
      `no kind ${JSON.stringify(claimed.kind)} is registered for version ${JSON.stringify(claimed.apiVersion || 'meta.k8s.io/v1')} in scheme "pkg/runtime/scheme.go:110"`,
    )
  try {
    return decode(metaType('meta.DeleteOptions'), value) as RawOptions
  } catch (error) {
    if (error instanceof DecodeError) throw plain(error.message)
    throw error
  }
}

/** Upstream gives faults of this body no reason: the decoder's text in a 500. */
const plain = (text: string) => failure(500, '', text)

function fromQuery(scope: Scope): RawOptions {
  if (scope.exchange.search === '') return {}
  const { query } = scope.exchange
  const gracePeriodSeconds = integerParameter(query, 'gracePeriodSeconds')
  const orphanDependents = booleanParameter(query, 'orphanDependents')
  const propagationPolicy = query.get('propagationPolicy') ?? undefined
  return {
    ...(gracePeriodSeconds !== undefined && { gracePeriodSeconds }),
    ...(orphanDependents !== undefined && { orphanDependents }),
    dryRun: query.getAll('dryRun'),
    ...(propagationPolicy !== undefined && { propagationPolicy }),
  }
}

function optionErrors(raw: RawOptions): FieldError[] {
  const errors: FieldError[] = []
  const policy = fieldPath('propagationPolicy')
  if (raw.orphanDependents !== undefined && raw.propagationPolicy !== undefined)
    errors.push(invalid(policy, raw.propagationPolicy, 'orphanDependents and deletionPropagation cannot be both set'))
  if (raw.propagationPolicy !== undefined && !['Foreground', 'Background', 'Orphan'].includes(raw.propagationPolicy))
    errors.push(notSupported(policy, raw.propagationPolicy, ['Foreground', 'Background', 'Orphan', 'nil']))
  return [...errors, ...dryRunErrors(raw.dryRun ?? [])]
}

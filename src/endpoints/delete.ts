import type { FieldError } from '../meta/field-error.ts'
import { invalid, notSupported } from '../meta/field-error.ts'
import { fieldPath } from '../meta/field-path.ts'
import { badRequestError, failure, invalidError, notImplementedError } from '../meta/status.ts'
import type { DeleteOptions, DeleteResult } from '../registry/delete.ts'
import type { ListResult } from '../registry/read.ts'
import { decode, DecodeError } from '../schema/decode.ts'
import { metaType } from './meta-type.ts'
import { booleanParameter, integerParameter } from './query.ts'
import { parseBody } from './body.ts'
import { listOptions } from './list-options.ts'
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

const targetOf = (scope: Scope) => ({ ctx: scope.exchange.ctx, served: scope.served, subresource: '', namespace: scope.namespace, name: scope.name, manager: '' })

/** From the body where there is one, otherwise from the query. Throws 400 and 422; 501 for what is not built yet. */
async function deleteOptions(scope: Scope): Promise<DecodedOptions> {
  const body = await scope.exchange.readBody(MAX_BODY_BYTES)
  const raw = body.length > 0 ? fromBody(scope, body) : fromQuery(scope)
  const errors = optionErrors(raw)
  if (errors.length > 0) throw invalidError({ group: META_GROUP, kind: 'DeleteOptions' }, '', errors)
  if (raw.ignoreStoreReadErrorWithClusterBreakingPotential === true)
    throw notImplementedError('ignoreStoreReadErrorWithClusterBreakingPotential is not supported by this server')
  const { gracePeriodSeconds, preconditions, propagationPolicy, orphanDependents } = raw
  return {
    dryRun: (raw.dryRun ?? []).length > 0,
    options: {
      ...(gracePeriodSeconds !== undefined && { gracePeriodSeconds }), ...(preconditions !== undefined && { preconditions }), ...(orphanDependents !== undefined && { orphanDependents }),
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
  ignoreStoreReadErrorWithClusterBreakingPotential?: boolean
}

function fromBody(scope: Scope, body: Buffer): RawOptions {
  const { value } = parseBody(scope.exchange.headers['content-type'], body, 'DeleteOptions')
  const fields = value as { kind?: string; apiVersion?: string } | null
  if (fields !== null && typeof fields === 'object' && !Array.isArray(fields) && fields.kind !== undefined && fields.kind !== '' && fields.kind !== 'DeleteOptions')
    throw badRequestError('decoded object cannot be converted to DeleteOptions')
  try {
    return decode(metaType('meta.DeleteOptions'), value) as RawOptions
  } catch (error) {
    // Upstream gives this one no reason: the decoder's text in a 500.
    if (error instanceof DecodeError) throw failure(500, '', error.message)
    throw error
  }
}

function fromQuery(scope: Scope): RawOptions {
  if (scope.exchange.search === '') return {}
  const { query } = scope.exchange
  const gracePeriodSeconds = integerParameter(query, 'gracePeriodSeconds')
  const orphanDependents = booleanParameter(query, 'orphanDependents')
  const propagationPolicy = query.get('propagationPolicy') ?? undefined
  const ignore = booleanParameter(query, 'ignoreStoreReadErrorWithClusterBreakingPotential')
  return {
    ...(gracePeriodSeconds !== undefined && { gracePeriodSeconds }), ...(orphanDependents !== undefined && { orphanDependents }), dryRun: query.getAll('dryRun'),
    ...(propagationPolicy !== undefined && { propagationPolicy }), ...(ignore !== undefined && { ignoreStoreReadErrorWithClusterBreakingPotential: ignore }),
  }
}

function optionErrors(raw: RawOptions): FieldError[] {
  const errors: FieldError[] = []
  const policy = fieldPath('propagationPolicy')
  if (raw.orphanDependents !== undefined && raw.propagationPolicy !== undefined) errors.push(invalid(policy, raw.propagationPolicy, 'orphanDependents and deletionPropagation cannot be both set'))
  if (raw.propagationPolicy !== undefined && !['Foreground', 'Background', 'Orphan'].includes(raw.propagationPolicy))
    errors.push(notSupported(policy, raw.propagationPolicy, ['Foreground', 'Background', 'Orphan', 'nil']))
  return [...errors, ...dryRunErrors(raw.dryRun ?? [])]
}

import type { JsonObject } from '../api/meta/object.ts'
import { managerFromUserAgent } from '../apply/manager-name.ts'
import { boundedAtOnce } from '../meta/error-bound.ts'
import type { FieldError } from '../meta/field-error.ts'
import { forbidden, notSupported, required } from '../meta/field-error.ts'
import { fieldPath } from '../meta/field-path.ts'
import { validateFieldManager } from '../meta/object-meta-validation.ts'
import { invalidError } from '../meta/status.ts'
import type { FieldValidation } from '../registry/types.ts'
import type { Exchange } from './exchange.ts'
import { booleanParameter, stringParameter } from './query.ts'

const VALIDATIONS: readonly FieldValidation[] = ['Ignore', 'Warn', 'Strict']

/** Options common to CreateOptions, UpdateOptions and PatchOptions. */
export interface WriteOptions {
  readonly dryRun: boolean
  readonly fieldValidation: FieldValidation
  /** The request's field manager, or one derived from its user agent. */
  readonly manager: string
  /** The query's `fieldManager`, or empty. */
  readonly namedManager: string
  readonly force?: boolean
  /** The options of the query, as admission sees them. Omitted without a query. */
  readonly stated?: JsonObject
}

/** Group of the kinds of options in Statuses: `CreateOptions.meta.k8s.io`. */
export const META_GROUP = 'meta.k8s.io'

/** How the options of a write are decoded. */
interface OptionRules {
  /** Whether the request is an apply patch. */
  readonly apply?: boolean
  /**
   * Defaults to true. If false, unknown and repeated fields are dropped regardless of the query (the gate
   * ServerSideFieldValidation is off).
   */
  readonly validatesFields?: boolean
}

/** Decodes and validates the options of a write. Throws 400 and 422 (`CreateOptions.meta.k8s.io "" is invalid: …`). */
export function writeOptions(
  exchange: Exchange,
  kind: 'CreateOptions' | 'UpdateOptions' | 'PatchOptions',
  { apply = false, validatesFields = true }: OptionRules = {},
): WriteOptions {
  const preset = validatesFields ? 'Warn' : 'Ignore'
  if (exchange.search === '' && !apply)
    return { dryRun: false, fieldValidation: preset, manager: managerFromUserAgent(exchange.ctx.userAgent), namedManager: '' }
  const { query } = exchange
  const errors: FieldError[] = []
  const manager = stringParameter(query, 'fieldManager')
  const force = booleanParameter(query, 'force')
  if (kind === 'PatchOptions') {
    if (apply && manager === '') errors.push(required(fieldPath('fieldManager'), 'is required for apply patch'))
    if (!apply && force !== undefined) errors.push(forbidden(fieldPath('force'), 'may not be specified for non-apply patch'))
  }
  // The error of each invalid character quotes the whole name, and a URL may contain a long one.
  errors.push(...boundedAtOnce(() => validateFieldManager(manager, fieldPath('fieldManager'))))
  const dryRun = query.getAll('dryRun')
  errors.push(...dryRunErrors(dryRun))
  const fieldValidation = stringParameter(query, 'fieldValidation')
  const validation = fieldValidation === '' ? 'Warn' : VALIDATIONS.find(each => each === fieldValidation)
  if (validation === undefined) errors.push(notSupported(fieldPath('fieldValidation'), fieldValidation, ['', 'Ignore', 'Strict', 'Warn']))
  if (errors.length > 0 || validation === undefined) throw invalidError({ group: META_GROUP, kind }, '', errors)
  return {
    dryRun: dryRun.length > 0,
    fieldValidation: validatesFields ? validation : 'Ignore',
    namedManager: manager,
    manager: manager === '' ? managerFromUserAgent(exchange.ctx.userAgent) : manager,
    ...(force !== undefined && { force }),
    stated: {
      ...(dryRun.length > 0 && { dryRun }),
      ...(manager !== '' && { fieldManager: manager }),
      ...(fieldValidation !== '' && { fieldValidation }),
    },
  }
}

/** Validates the values of `dryRun`. The invalid value is the whole list. */
export const dryRunErrors = (values: readonly string[]): FieldError[] =>
  values.every(value => value === 'All') ? [] : [notSupported(fieldPath('dryRun'), values, ['All'])]

import type { Version } from '../catalog/definition.ts'
import { runInTurns, type Steps } from '../lib/steps.ts'
import type { FieldError } from '../meta/field-error.ts'
import { forbidden, notSupported } from '../meta/field-error.ts'
import { fieldPath } from '../meta/field-path.ts'
import type { FieldTerm } from '../meta/field-selector.ts'
import { fieldSelectorSteps, parseFieldSelector } from '../meta/field-selector.ts'
import { labelSelectorSteps, parseLabelSelector } from '../meta/label-selector.ts'
import { SelectorError } from '../meta/selector-error.ts'
import type { ShardSelector } from '../meta/shard-selector.ts'
import { badRequestError, failure, invalidError, StatusError } from '../meta/status.ts'
import { isWordedSince } from '../meta/wording.ts'
import type { ListOptions } from '../registry/read.ts'
import type { Exchange } from './exchange.ts'
import { booleanParameter, integerParameter, stringParameter } from './query.ts'
import { META_GROUP } from './write-options.ts'

/**
 * Validated options of a GET of a collection, or of a watch. They are those of a list in storage, and when and how long
 * to watch.
 */
export interface ReadOptions extends ListOptions {
  readonly watch: boolean
  /** Seconds. Undefined if the server chooses. */
  readonly timeoutSeconds: number | undefined
}

/** Gates that options depend on. */
export interface ListGates {
  /** WatchList. */
  readonly watchList: boolean
  /** ShardedListAndWatch. Defaults to false: shard selectors are ignored. */
  readonly shards?: boolean
}

/** Options before validation: `resourceVersionMatch` may be any text. */
type StatedOptions = Omit<ReadOptions, 'resourceVersionMatch'> & { readonly resourceVersionMatch: string }

const MATCHES: readonly string[] = ['', 'Exact', 'NotOlderThan'] satisfies ReadOptions['resourceVersionMatch'][]

const areKnown = (options: StatedOptions): options is ReadOptions => MATCHES.includes(options.resourceVersionMatch)

const NONE: ReadOptions = {
  labels: [],
  fields: [],
  resourceVersion: '',
  resourceVersionMatch: '',
  limit: 0,
  continue: '',
  allowWatchBookmarks: false,
  watch: false,
  timeoutSeconds: undefined,
}

/**
 * Decodes and validates metav1.ListOptions. A name in the path becomes a field selector (a watch of one object). Throws
 * 400, 422, and for an invalid shard selector 500, since 1.38 400.
 */
export async function listOptions(
  exchange: Exchange,
  version: Version,
  name: string,
  gates: ListGates,
  namespaced = true,
): Promise<ReadOptions> {
  if (exchange.search === '' && name === '') return NONE
  const options = await selectedOptions(exchange, version, name, { watchList: gates.watchList, namespaced })
  const shard = gates.shards === true ? await shardOf(exchange.ctx.signal, stringParameter(exchange.query, 'shardSelector')) : undefined
  return shard ? { ...options, shard } : options
}

/** Parses a shard selector. Undefined if it is empty. As upstream, an invalid one is 500 before 1.38. */
async function shardOf(signal: AbortSignal, text: string): Promise<ShardSelector | undefined> {
  if (text === '') return undefined
  const { ShardSelectorError, shardSelectorSteps } = await import('../cel/shard-selector.ts')
  try {
    return await runInTurns(shardSelectorSteps(text), signal)
  } catch (error) {
    if (!(error instanceof ShardSelectorError)) throw error
    const message = `invalid shard selector: ${error.message}`
    const [before, since] = [failure(500, '', message), badRequestError(message)]
    throw new StatusError(before.status, wording => (isWordedSince(wording, '1.38') ? since : before).status)
  }
}

interface SelectionRules {
  readonly watchList: boolean
  readonly namespaced: boolean
}

/**
 * Errors come in upstream's order: selectors that cannot be parsed (400), invalid options (422), fields that cannot be
 * selected, the name of the path.
 */
async function selectedOptions(
  exchange: Exchange,
  version: Version,
  name: string,
  { watchList, namespaced }: SelectionRules,
): Promise<ReadOptions> {
  const { query } = exchange
  const labelText = stringParameter(query, 'labelSelector')
  const fieldText = stringParameter(query, 'fieldSelector')
  const sendInitialEvents = booleanParameter(query, 'sendInitialEvents')
  const labels = await selector(exchange, labelText, parseLabelSelector, labelSelectorSteps)
  const parsed = await selector(exchange, fieldText, parseFieldSelector, fieldSelectorSteps)
  const options: StatedOptions = {
    labels,
    fields: parsed,
    resourceVersion: stringParameter(query, 'resourceVersion'),
    resourceVersionMatch: stringParameter(query, 'resourceVersionMatch'),
    limit: integerParameter(query, 'limit') ?? 0,
    continue: stringParameter(query, 'continue'),
    allowWatchBookmarks: booleanParameter(query, 'allowWatchBookmarks') ?? false,
    watch: booleanParameter(query, 'watch') ?? false,
    timeoutSeconds: integerParameter(query, 'timeoutSeconds'),
    ...(sendInitialEvents !== undefined && { sendInitialEvents }),
    ...(!watchList && { startAtHand: true }),
  }
  const errors = options.watch ? watchErrors(options, watchList) : listErrors(options)
  if (errors.length > 0 || !areKnown(options)) throw invalidError({ group: META_GROUP, kind: 'ListOptions' }, '', errors)
  checkFields(version, parsed, namespaced)
  if (name === '') return options
  if (parsed.length === 0) return { ...options, fields: [{ field: 'metadata.name', op: '=', value: name }] }
  if (!parsed.some(term => term.field === 'metadata.name' && term.op === '=' && term.value === name))
    throw badRequestError("fieldSelector metadata.name doesn't match requested name")
  return options
}

/** Selectors with at least this many characters are parsed in turns. */
const LONG = 4096

async function selector<T>({ ctx }: Exchange, text: string, parse: (text: string) => T, steps: (text: string) => Steps<T>): Promise<T> {
  try {
    return text.length < LONG ? parse(text) : await runInTurns(steps(text), ctx.signal)
  } catch (error) {
    if (!(error instanceof SelectorError)) throw error
    throw badRequestError(error.message, wording => error.worded(wording))
  }
}

const unselectable = (field: string): string => `field label not supported: ${field}`

/**
 * Throws 400 for fields that the kind cannot select. Upstream has different texts for kinds with and without selectable
 * fields, and only kinds without always accept `metadata.namespace`.
 */
function checkFields(version: Version, terms: readonly FieldTerm[], namespaced: boolean): void {
  for (const { field } of terms) {
    if (field === 'metadata.name') continue
    if (field === 'metadata.namespace' && (namespaced || version.selectableFields === undefined)) continue
    if (version.fieldAliases !== undefined && Object.hasOwn(version.fieldAliases, field)) continue
    if (version.selectableFields === undefined && version.fieldAliases === undefined)
      throw badRequestError(`"${field}" is not a known field selector: only "metadata.name", "metadata.namespace"`)
    if (!Object.hasOwn(version.selectableFields ?? {}, field)) throw badRequestError((version.unselectable ?? unselectable)(field))
  }
}

const MATCH_FIELD = fieldPath('resourceVersionMatch')
const INITIAL_FIELD = fieldPath('sendInitialEvents')

/** Validates the options of a list, as upstream's ValidateListOptions. */
function listErrors(options: StatedOptions): FieldError[] {
  const errors: FieldError[] = []
  if (options.resourceVersionMatch !== '') {
    if (options.resourceVersion === '')
      errors.push(forbidden(MATCH_FIELD, 'resourceVersionMatch is forbidden unless resourceVersion is provided'))
    if (options.continue !== '') errors.push(forbidden(MATCH_FIELD, 'resourceVersionMatch is forbidden when continue is provided'))
    if (options.resourceVersionMatch !== 'Exact' && options.resourceVersionMatch !== 'NotOlderThan')
      errors.push(notSupported(MATCH_FIELD, options.resourceVersionMatch, ['Exact', 'NotOlderThan', '']))
    if (options.resourceVersionMatch === 'Exact' && options.resourceVersion === '0')
      errors.push(forbidden(MATCH_FIELD, 'resourceVersionMatch "exact" is forbidden for resourceVersion "0"'))
  }
  if (options.sendInitialEvents !== undefined) errors.push(forbidden(INITIAL_FIELD, 'sendInitialEvents is forbidden for list'))
  return errors
}

/** Validates the options of a watch, as upstream's ValidateListOptions. */
function watchErrors(options: StatedOptions, watchList: boolean): FieldError[] {
  const errors: FieldError[] = []
  const { resourceVersionMatch } = options
  // With WatchList, a watch without a start and without options is treated as if it had requested initial events with
  // NotOlderThan.
  const fromPresent = options.resourceVersion === '' || options.resourceVersion === '0'
  if (watchList && options.sendInitialEvents === undefined && resourceVersionMatch === '' && fromPresent && options.continue !== '')
    errors.push(forbidden(MATCH_FIELD, 'resourceVersionMatch is forbidden when continue is provided'))
  if (options.sendInitialEvents !== undefined && resourceVersionMatch !== 'NotOlderThan')
    errors.push(forbidden(MATCH_FIELD, 'sendInitialEvents requires setting resourceVersionMatch to NotOlderThan'))
  if (options.sendInitialEvents !== undefined && !watchList)
    errors.push(forbidden(INITIAL_FIELD, 'sendInitialEvents is forbidden for watch unless the WatchList feature gate is enabled'))
  if (resourceVersionMatch !== '') {
    if (options.sendInitialEvents === undefined)
      errors.push(forbidden(MATCH_FIELD, 'resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided'))
    if (resourceVersionMatch !== 'NotOlderThan') errors.push(notSupported(MATCH_FIELD, resourceVersionMatch, ['NotOlderThan']))
    if (options.continue !== '') errors.push(forbidden(MATCH_FIELD, 'resourceVersionMatch is forbidden when continue is provided'))
  }
  return errors
}

import type { CatalogSnapshot } from '../catalog/catalog.ts'
import type { Version } from '../catalog/definition.ts'
import { decodeBody as decodeParsed, typeOfBody } from '../codec/body.ts'
import { asCborText, CborError, type ParsedCbor, parseCbor, typeOfCbor } from '../codec/cbor.ts'
import type { ParsedJson } from '../codec/json.ts'
import { parseJsonInSteps } from '../codec/json.ts'
import { formatOf, type MediaOffer, unsupportedMediaTypeText } from '../codec/negotiate.ts'
import { ProtobufError, unwrap } from '../codec/protobuf.ts'
import { decodeMessage } from '../codec/protobuf-decode.ts'
import { boundJsonValues, boundYamlValues, MOST_VALUES } from '../codec/value-bound.ts'
import { type ParsedYaml, parseYamlInSteps } from '../codec/yaml.ts'
import { runAtOnce, runInTurns, type Steps } from '../lib/steps.ts'
import { nextLongTurn, turnIsLong } from '../lib/turn.ts'
import { apiVersionOf, parseApiVersion } from '../meta/gvk.ts'
import type { KubeObject } from '../meta/object.ts'
import type { StatusError } from '../meta/status.ts'
import { badRequestError, failure } from '../meta/status.ts'
import { copyWholeFloats } from '../meta/whole-floats.ts'
import { applyKindDefaults, keepManagerReset } from '../registry/decode-object.ts'
import { DecodeError } from '../schema/decode.ts'
import type { StructSchema } from '../schema/schema.ts'
import { apiVersionOfTarget, checkCustomType, otherTypeFault, versionFault } from './body-type.ts'
import type { Exchange } from './exchange.ts'
import { bodyMediaType } from './negotiate.ts'
import type { FieldValidation } from './write-options.ts'

/** What a body is to become: a version of a resource, or the kind of a subresource. */
export interface BodyTarget {
  readonly group: string
  readonly version: string
  readonly kind: string
  readonly schema: StructSchema
  readonly setDefaults?: (object: KubeObject) => void
  /** Other apiVersions in which a body may call itself this kind. */
  readonly alsoTakes?: readonly string[]
}

/** What reading a body needs of a request. */
export interface BodyScope {
  readonly exchange: Exchange
  readonly snapshot: CatalogSnapshot
  readonly env: { readonly media: MediaOffer }
}

export const bodyTarget = (version: Version): BodyTarget => ({
  group: version.group,
  version: version.name,
  kind: version.kind,
  schema: version.schema,
  ...(version.setDefaults && { setDefaults: version.setDefaults }),
})

type ParsedBody = (ParsedJson | ParsedYaml | ParsedCbor) & { readonly claimed: { apiVersion: string; kind: string } }

/** Parses a body by its media type and reads its type, in steps. Throws 415, or 400 as upstream words it: `the object provided is unrecognized (must be of type K): …`. */
export function* parseBody(
  offer: MediaOffer,
  contentType: string | undefined,
  body: Buffer,
  kind: string,
  schema: StructSchema,
  refuse: (why: string) => StatusError = why => unrecognized(kind, why, body),
): Steps<ParsedBody> {
  const format = formatOf(bodyMediaType(contentType, offer))
  const yaml = format === 'yaml'
  if (format === 'protobuf' && schema.freeForm)
    throw failure(415, 'UnsupportedMediaType', unsupportedMediaTypeText(offer.types.filter(({ type }) => formatOf(type) !== 'protobuf')))
  if (format === 'protobuf') return parseProtobuf(body, kind, schema, refuse)
  if (format === 'cbor') return parseCborBody(body, refuse)
  if (yaml) boundYamlValues(body)
  else boundJsonValues(body)
  yield
  try {
    const parsed = yield* yaml ? parseYamlInSteps(body) : parseJsonInSteps(body)
    yield
    return { ...parsed, claimed: typeOfBody(parsed.value) }
  } catch (error) {
    if (error instanceof DecodeError || yaml) throw refuse((error as Error).message)
    throw refuse(`couldn't get version/kind; json parse error: ${(error as Error).message}`)
  }
}

/** The type comes first: a message of another kind is not read as this one. */
function parseProtobuf(body: Buffer, kind: string, schema: StructSchema, refuse: (why: string) => StatusError): ParsedBody {
  try {
    const envelope = unwrap(body)
    const claimed = { apiVersion: envelope.apiVersion, kind: envelope.kind }
    const mine = claimed.kind === '' || claimed.kind === kind
    return { value: mine ? decodeMessage(schema, envelope.message, MOST_VALUES) : {}, duplicates: [], claimed }
  } catch (error) {
    if (error instanceof ProtobufError) throw refuse(error.message)
    throw error
  }
}

function parseCborBody(body: Buffer, refuse: (why: string) => StatusError): ParsedBody {
  let parsed: ParsedCbor
  try {
    parsed = parseCbor(body)
  } catch (error) {
    if (error instanceof CborError) throw refuse(`unable to determine group/version/kind: ${error.message}`)
    throw error
  }
  try {
    return { ...parsed, claimed: typeOfCbor(parsed) }
  } catch (error) {
    if (error instanceof CborError) throw refuse(error.message)
    throw error
  }
}

const unrecognized = (kind: string, why: string, body: Buffer): StatusError =>
  badRequestError(`the object provided is unrecognized (must be of type ${kind}): ${why} (${summary(body)})`)

/** Decodes and defaults a body. Unknown and repeated fields are warned of, refused or dropped as asked. Each call of the result makes a fresh object. */
export async function decodeBody(scope: BodyScope, body: Buffer, target: BodyTarget, fieldValidation: FieldValidation): Promise<() => KubeObject> {
  const { exchange } = scope
  const parsed = await runInTurns(parseBody(scope.env.media, exchange.headers['content-type'], body, target.kind, target.schema), exchange.ctx.signal)
  if (turnIsLong()) await nextLongTurn()
  if (target.schema.freeForm && parsed.claimed.kind === '') throw kindMissing(target, body)
  const kind = parsed.claimed.kind || target.kind
  const claimed = parseApiVersion(parsed.claimed.apiVersion)
  if (!claimed) throw unrecognized(target.kind, `unexpected GroupVersion string: ${parsed.claimed.apiVersion}`, body)
  const apiVersion = apiVersionOf(claimed) || apiVersionOfTarget(target)
  const cannot = (why: string, as = target.kind) =>
    badRequestError(`${kind} in version "${parseApiVersion(apiVersion)?.version ?? ''}" cannot be handled as a ${as}: ${why}`)
  if (!target.schema.freeForm) {
    if (claimed.version === '' && claimed.group !== '') throw cannot(`Object 'apiVersion' is missing in '${body.toString()}'`)
    checkType(scope.snapshot, target, apiVersion, kind)
  }
  if ('cbor' in parsed && parsed.fault) throw cannot(parsed.fault.text)
  const run = function* (): Steps<{ object: KubeObject; strict: readonly string[]; strictText: string }> {
    const { object, strict, strictText } = decodeParsed(target.schema, parsed)
    yield
    const typed = copyWholeFloats(object, { kind: target.kind, apiVersion: apiVersionOfTarget(target), ...object } as unknown as KubeObject)
    if (!target.schema.freeForm) typed.apiVersion = apiVersionOfTarget(target)
    keepManagerReset(parsed.value, typed)
    return { object: applyKindDefaults(target, typed), strict, strictText }
  }
  let first: KubeObject | undefined
  try {
    const { object, strict, strictText } = await runInTurns(run())
    first = object
    if (strict.length > 0 && fieldValidation === 'Strict') throw cannot(`strict decoding error: ${strictText}`, target.schema.freeForm && kind)
    if (fieldValidation === 'Warn') for (const fault of strict) exchange.ctx.warn(fault)
  } catch (error) {
    throw error instanceof DecodeError ? cannot('cbor' in parsed ? asCborText(error.message) : error.message) : error
  }
  if (target.schema.freeForm) checkCustomVersion(target, apiVersionOf(claimed))
  if (target.schema.freeForm) checkCustomType(target, first)
  return () => {
    const object = first ?? runAtOnce(run()).object
    first = undefined
    return object
  }
}

const kindMissing = (target: BodyTarget, body: Buffer): StatusError => unrecognized(target.kind, `Object 'Kind' is missing in '${body.toString()}'`, body)

/** The body of a request for a custom kind says which version it is of. */
function checkCustomVersion(target: BodyTarget, apiVersion: string): void {
  if (apiVersion !== apiVersionOfTarget(target)) throw badRequestError(versionFault(target, apiVersion))
}

function checkType(snapshot: CatalogSnapshot, target: BodyTarget, apiVersion: string, kind: string): void {
  const expected = apiVersionOfTarget(target)
  if (kind === target.kind && (apiVersion === expected || target.alsoTakes?.includes(apiVersion))) return
  const fault = otherTypeFault(snapshot, target, apiVersion, kind)
  if (kind === target.kind && fault.isKnown) throw badRequestError(versionFault(target, apiVersion))
  throw badRequestError(`${kind} in version ${JSON.stringify(parseApiVersion(apiVersion)?.version)} cannot be handled as a ${target.kind}: ${fault.text}`)
}

/** The beginning of a body: as it stands where it looks like JSON, in hexadecimal otherwise. */
function summary(body: Buffer): string {
  if (body.length === 0) return '<empty>'
  const cut = body.subarray(0, 30)
  return `${body[0] === 0x7b ? cut.toString() : cut.toString('hex')}${body.length > 30 ? ' ...' : ''}`
}

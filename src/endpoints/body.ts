import { decodedObject, type KubeObject } from '../api/meta/object.ts'
import type { CatalogSnapshot } from '../catalog/catalog.ts'
import { formatOf, type MediaOffer, unsupportedMediaTypeText } from '../codec/accept-header.ts'
import { decodeBodyInSteps, typeOfBody } from '../codec/body.ts'
import { asCborText, CborError, type ParsedCbor, parseCborInSteps, typeOfCbor } from '../codec/cbor.ts'
import { goJson, type ParsedJson, parseJsonInSteps } from '../codec/json.ts'
import { ProtobufError, unwrap } from '../codec/protobuf.ts'
import { decodeMessageInSteps } from '../codec/protobuf-decode.ts'
import { boundJsonInSteps, boundYamlInSteps, MOST_VALUES } from '../codec/value-bound.ts'
import { type ParsedYaml, parseYamlBody } from '../codec/yaml.ts'
import { errorMessage } from '../lib/error-message.ts'
import { runAtOnce, runInTurns, type Steps } from '../lib/steps.ts'
import { nextLongTurn, turnIsLong } from '../lib/turn.ts'
import { copyGivenEmpty } from '../meta/empty-members.ts'
import { parseApiVersion } from '../meta/gvk.ts'
import { failure, isStatusError, type StatusError } from '../meta/status.ts'
import { copyWholeFloats } from '../meta/whole-floats.ts'
import type { Detail } from '../meta/wording.ts'
import { apiVersionOfTarget, type BodyTarget } from '../registry/change/body-target.ts'
import { applyDefaultsInSteps, keepManagerReset } from '../registry/decode-object.ts'
import { noteUnknown } from '../registry/note-changes.ts'
import { builtInsOf, type TypeClaim } from '../registry/other-type.ts'
import type { FieldValidation } from '../registry/types.ts'
import { DecodeError } from '../schema/decode.ts'
import type { StructSchema } from '../schema/schema.ts'
import { noteObject } from './audited-request.ts'
import { cannotHandle, unrecognized } from './dialect/body-type.ts'
import { dialectOf } from './dialect/dialect-of.ts'
import type { Exchange } from './exchange.ts'
import { bodyMediaType } from './negotiate.ts'

/** The part of a Scope that is used to decode a body. */
export interface BodyScope {
  readonly exchange: Exchange
  readonly snapshot: CatalogSnapshot
  readonly env: { readonly media: MediaOffer }
}

/** A parsed body, and the type that it claims. */
export type ParsedBody = (ParsedJson | ParsedYaml | ParsedCbor) & {
  readonly claimed: TypeClaim
  /** Error of a protobuf message whose envelope is valid. The value is empty then. */
  readonly messageFault?: string
}

/** Expected type of a body. */
interface Expected {
  readonly kind: string
  readonly schema: StructSchema
  /**
   * Error for a body that cannot be parsed or has no type. Defaults to 400 with upstream's text,
   * `the object provided is unrecognized (must be of type K): …`.
   */
  readonly refuse?: (why: string) => StatusError
}

/**
 * Parses a body by its media type and reads its apiVersion and kind, in steps. Throws 415, and the error of
 * `expected.refuse`.
 */
export function* parseBody(offer: MediaOffer, contentType: string | undefined, body: Buffer, expected: Expected): Steps<ParsedBody> {
  const { kind, schema, refuse = why => unrecognized(kind, why, body) } = expected
  const format = formatOf(bodyMediaType(contentType, offer))
  const yaml = format === 'yaml'
  const dialect = dialectOf(schema)
  if (!dialect.hasForm(format))
    throw failure(415, 'UnsupportedMediaType', unsupportedMediaTypeText(offer.types.filter(({ type }) => dialect.hasForm(formatOf(type)))))
  if (format === 'protobuf') return yield* parseProtobuf(body, kind, schema, refuse)
  if (format === 'cbor') return yield* parseCborBody(body, refuse)
  yield* yaml ? boundYamlInSteps(body) : boundJsonInSteps(body)
  yield
  try {
    const parsed = yield* yaml ? parseYamlBody(body) : parseJsonInSteps(body)
    yield
    return { claimed: typeOfBody(parsed.value), ...parsed }
  } catch (error) {
    if (isStatusError(error)) throw error
    if (error instanceof DecodeError || yaml) throw refuse(errorMessage(error))
    throw refuse(`couldn't get version/kind; json parse error: ${errorMessage(error)}`)
  }
}

/** Parses a protobuf body. Its type is checked first: a message of another kind is not decoded. */
function* parseProtobuf(body: Buffer, kind: string, schema: StructSchema, refuse: (why: string) => StatusError): Steps<ParsedBody> {
  let claimed: TypeClaim | undefined
  try {
    const envelope = unwrap(body)
    // Upstream treats an apiVersion that cannot be parsed as absent.
    claimed = { apiVersion: parseApiVersion(envelope.apiVersion) ? envelope.apiVersion : '', kind: envelope.kind }
    const mine = claimed.kind === '' || claimed.kind === kind
    return { value: mine ? yield* decodeMessageInSteps(schema, envelope.message, MOST_VALUES) : {}, duplicates: [], claimed }
  } catch (error) {
    if (!(error instanceof ProtobufError)) throw error
    if (claimed === undefined || claimed.kind === '') throw refuse(error.fault)
    return { value: {}, duplicates: [], claimed, messageFault: error.fault }
  }
}

/**
 * Parses a CBOR body. A fault of well-formed CBOR is returned with the value, and reported once the type is checked.
 */
function* parseCborBody(body: Buffer, refuse: (why: string) => StatusError): Steps<ParsedBody> {
  let parsed: ParsedCbor
  try {
    parsed = yield* parseCborInSteps(body)
  } catch (error) {
    if (error instanceof CborError) throw refuse(`unable to determine group/version/kind: ${error.message}`)
    throw error
  }
  try {
    return { claimed: typeOfCbor(parsed), ...parsed }
  } catch (error) {
    if (error instanceof CborError) throw refuse(error.message)
    throw error
  }
}

/**
 * Decodes and defaults a body. Unknown and repeated fields cause warnings, are refused or are dropped, by
 * `fieldValidation`. Each call of the returned function makes a fresh object.
 */
export async function decodeBody(
  scope: BodyScope,
  body: Buffer,
  target: BodyTarget,
  fieldValidation: FieldValidation,
): Promise<() => KubeObject> {
  const { exchange } = scope
  const parsed = await runInTurns(parseBody(scope.env.media, exchange.headers['content-type'], body, target), exchange.ctx.signal)
  if (turnIsLong()) await nextLongTurn()
  const dialect = dialectOf(target.schema)
  const { claimed } = parsed
  const lenient = () => ('yaml' in parsed ? goJson(parsed.value) : body.toString())
  const text = { body, value: parsed.value, ...(fieldValidation === 'Ignore' && { lenient }) }
  const claimedVersion = dialect.checkClaim(builtInsOf(scope.snapshot), target, claimed, text)
  const cannot = (why: Detail, as?: string) => cannotHandle(target, claimed, why, as, dialect.impliedVersion(target))
  if ('cbor' in parsed && parsed.fault) throw cannot(parsed.fault.text)
  if (parsed.messageFault !== undefined) throw cannot(parsed.messageFault)
  let first: KubeObject | undefined
  const { why } = exchange.ctx
  const run = function* (): Steps<{ object: KubeObject; strict: readonly string[]; strictText: string }> {
    const { object, strict, strictText } = yield* decodeBodyInSteps(target.schema, parsed)
    yield
    const typed = copyMarks(object, decodedObject({ kind: target.kind, apiVersion: apiVersionOfTarget(target), ...object }))
    dialect.setType(target, typed)
    keepManagerReset(target.schema, parsed.value, typed)
    const kept = why?.keep(typed, 'defaults')
    const defaulted = yield* applyDefaultsInSteps(target, typed)
    if (first === undefined) why?.note({ step: 'defaults', changes: why.changes(kept, defaulted) })
    return { object: defaulted, strict, strictText }
  }
  try {
    const { object, strict, strictText } = await runInTurns(run())
    first = object
    noteUnknown(why, strict)
    if (strict.length > 0 && fieldValidation === 'Strict')
      throw cannot(`strict decoding error: ${strictText}`, dialect.strictKind(target, claimed))
    if (fieldValidation === 'Warn') for (const fault of strict) exchange.ctx.warn(fault)
  } catch (error) {
    throw error instanceof DecodeError ? cannot('cbor' in parsed ? asCborText(error.message) : error.detail) : error
  }
  dialect.checkDecoded(target, claimedVersion, first)
  if (exchange.ctx.audit !== undefined) await noteObject(exchange.ctx.audit, target.schema, first)
  return () => {
    const object = first ?? runAtOnce(run()).object
    first = undefined
    return object
  }
}

/** Copies the marks of members (whole floats, empty values that were given) from one object to its copy. */
const copyMarks = <T extends object>(from: object, to: T): T => copyGivenEmpty(from, copyWholeFloats(from, to))

import { randomUUID } from 'node:crypto'
import type { WebhookClientConfig } from '../../api/admissionregistration/v1.types.ts'
import type { CustomResourceConversion } from '../../api/apiextensions/v1.types.ts'
import { decodedObject, isJsonObject, type Json, type JsonObject, type KubeObject } from '../../api/meta/object.ts'
import { jsonKind } from '../../apply/patch/go-print.ts'
import { apiVersionOfVersion } from '../../catalog/catalog.ts'
import type { RemoteConverter, Version } from '../../catalog/definition.ts'
import { errorMessage, prefixErrors } from '../../lib/error-message.ts'
import { mapInSlices } from '../../lib/slices.ts'
import { inSpan, type Spans } from '../../lib/spans.ts'
import type { RequestNotes } from '../../meta/request-notes.ts'
import { ConversionError } from '../../registry/errors.ts'
import { DecodeError, decode } from '../../schema/decode.ts'
import { checkIdentity, restoredMetadata } from './converted-metadata.ts'
import type { ConversionMetrics, FailureType } from './metrics.ts'
import { convertedObjects, printKind, readReview, reviewBody, reviewVersionOf } from './review.ts'

/** Timeout of a call, in milliseconds. */
const TIMEOUT_MS = 30_000

/** Dependencies of all conversion webhooks. */
export interface ConversionServices {
  /** Posts JSON and resolves with the body of the response. Throws an Error with client-go's message. */
  post(config: WebhookClientConfig, body: string, timeoutMs: number, traceparent?: string): Promise<Buffer>
  /** Metrics of calls and conversions. */
  readonly metrics: ConversionMetrics
  /** Optional. Records calls. Undefined if tracing is off. */
  readonly spans?: Spans | undefined
  /** Optional. Returns the notes of the current request, for `why`. */
  readonly notes?: (() => RequestNotes | undefined) | undefined
}

/** A kind with a conversion webhook. */
export interface ConvertedKind {
  /** Name of the definition: `widgets.example.com`. */
  readonly name: string
  /** Group of all versions. */
  readonly group: string
  /** Names of all versions, served or not. */
  readonly versions: readonly string[]
  /** Client configuration and review versions of the definition. */
  readonly webhook: NonNullable<CustomResourceConversion['webhook']>
}

/** Objects of one call. */
type Some = readonly [KubeObject, ...KubeObject[]]

/** A failed conversion, with its label in metrics. */
class Failure extends Error {
  /** Undefined for failures that are not counted as those of a webhook. */
  readonly type: FailureType | undefined

  constructor(message: string, type?: FailureType) {
    super(message)
    this.type = type
  }
}

/**
 * Converts objects with the webhook of a definition. All objects that are not in the wanted version are sent in one
 * call. The response must contain the same objects. Their metadata is restored except labels and annotations, and
 * unknown fields are pruned. Defaults are not applied.
 */
export function webhookConverter(kind: ConvertedKind, services: ConversionServices): RemoteConverter {
  return new WebhookConverter(kind, services)
}

class WebhookConverter implements RemoteConverter {
  readonly #kind: ConvertedKind
  readonly #services: ConversionServices
  readonly #apiVersions: ReadonlySet<string>
  readonly #config: WebhookClientConfig

  constructor(kind: ConvertedKind, services: ConversionServices) {
    const clientConfig = kind.webhook.clientConfig ?? {}
    this.#kind = kind
    this.#services = services
    this.#apiVersions = new Set(kind.versions.map(version => `${kind.group}/${version}`))
    this.#config = { ...clientConfig, ...(clientConfig.caBundle !== undefined && { caBundle: trimmed(clientConfig.caBundle) }) }
  }

  async convert(
    objects: readonly KubeObject[],
    to: Version,
    { prune = true }: { readonly prune?: boolean } = {},
  ): Promise<readonly KubeObject[]> {
    const apiVersion = apiVersionOfVersion(to)
    const others = objects.filter(object => object.apiVersion !== apiVersion)
    const unknown = others.find(object => !this.#apiVersions.has(object.apiVersion))
    if (unknown) throw new ConversionError(`request to convert CR from an invalid group/version: ${unknown.apiVersion}`)
    const [first, ...more] = others
    if (!first) return objects
    const answer = (await this.#timed([first, ...more], to, prune)).values()
    return objects.map(object => (object.apiVersion === apiVersion ? object : (answer.next().value ?? object)))
  }

  /** Observes the duration in seconds. A Failure becomes a ConversionError; other errors are bugs and propagate. */
  async #timed(objects: Some, to: Version, prune: boolean): Promise<KubeObject[]> {
    const { metrics } = this.#services
    const { name, group } = this.#kind
    const start = performance.now()
    const seconds = (): number => (performance.now() - start) / 1000
    const from = objects[0].apiVersion.slice(group.length + 1)
    try {
      const answer = await this.#converted(objects, to)
      metrics.called(seconds(), undefined)
      metrics.converted(name, from, to.name, seconds(), true)
      return prune ? await mapInSlices(answer, object => pruned(object, to)) : answer
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      if (error.type) metrics.called(seconds(), error.type)
      metrics.converted(name, from, to.name, seconds(), false)
      throw new ConversionError(error.message)
    }
  }

  /** Validates each converted object against the original. */
  async #converted(objects: Some, to: Version): Promise<KubeObject[]> {
    const answered = await this.#call(objects, to)
    let i = 0
    return mapInSlices(objects, object => {
      const at = i++
      try {
        return accepted(object, answered[at] ?? null, to, objects.length === 1 ? undefined : at)
      } catch (error) {
        throw error instanceof Failure ? error : new Failure(errorMessage(error), 'conversion_webhook_invalid_converted_object_failure')
      }
    })
  }

  /** Sends one request. The response must have as many objects, in the same order. */
  async #call(objects: Some, to: Version): Promise<readonly Json[]> {
    const version = reviewVersionOf(this.#kind.webhook.conversionReviewVersions ?? [])
    if (version === undefined) throw new Failure('no supported conversion review versions')
    const uid = randomUUID()
    const about = printKind(objects[0].apiVersion, objects[0].kind)
    const failing = async <T>(type: FailureType, run: () => T | Promise<T>): Promise<T> => {
      try {
        return await run()
      } catch (error) {
        throw new Failure(`conversion webhook for ${about} failed: ${errorMessage(error)}`, type)
      }
    }
    const call = { config: this.#config, version, uid, objects, to }
    const answer = await failing('conversion_webhook_call_failure', () => postReview(this.#services, this.#kind, call))
    const review = await failing('conversion_webhook_call_failure', () => readReview(version, answer, objects.length))
    const converted = await failing('conversion_webhook_malformed_response_failure', () => convertedObjects(version, uid, review))
    if (converted.length !== objects.length)
      throw new Failure(
        `conversion webhook for ${about} returned ${converted.length} objects, expected ${objects.length}`,
        'conversion_webhook_partial_response_failure',
      )
    return converted
  }
}

/** A call of a conversion webhook. */
interface ConversionCall {
  /** Client configuration, with a trimmed CA bundle. */
  readonly config: WebhookClientConfig
  /** Version of ConversionReview. */
  readonly version: NonNullable<ReturnType<typeof reviewVersionOf>>
  /** UID that the response must repeat. */
  readonly uid: string
  /** Objects to convert, none of which has the wanted version. */
  readonly objects: Some
  /** Wanted version. */
  readonly to: Version
}

/** Posts the review, in a span of its own if requests are recorded. */
function postReview(
  { post, spans, notes }: ConversionServices,
  { name }: ConvertedKind,
  { config, version, uid, objects, to }: ConversionCall,
): Promise<Buffer> {
  const wanted = apiVersionOfVersion(to)
  const why = notes?.()
  const begun = performance.now()
  const posting = inSpan(
    spans,
    'Call conversion webhook',
    () => ({ 'custom-resource-definition': name, 'desired-api-version': wanted, 'object-count': objects.length, UID: uid }),
    span => post(config, reviewBody(version, uid, wanted, objects), TIMEOUT_MS, span?.traceparent),
  )
  if (why === undefined) return posting
  const about = { step: 'conversion', definition: name, from: objects[0].apiVersion, to: wanted, objects: objects.length } as const
  const tell = (failed?: string): void =>
    why.note({ ...about, milliseconds: performance.now() - begun, ...(failed !== undefined && { failed }) })
  posting.then(
    () => tell(),
    (error: unknown) => tell(errorMessage(error)),
  )
  return posting
}

/** Treats a CA bundle of white space as empty, as upstream. */
const trimmed = (caBundle: string): string => (Buffer.from(caBundle, 'base64').toString().trim() === '' ? '' : caBundle)

/** Validates a converted object. @param index index of the object if the request has several. */
function accepted(original: KubeObject, value: Json, to: Version, index: number | undefined): KubeObject {
  const about = `conversion webhook for ${printKind(original.apiVersion, original.kind)} returned invalid`
  const what = index === undefined ? 'object at index 0' : `converted object at index ${index}`
  const object = index === undefined ? objectWithKind(value) : prefixErrors(`${about} ${what}`, () => objectWithKind(value))
  const expected = apiVersionOfVersion(to)
  if (object.apiVersion !== expected)
    throw new Error(`${about} ${what}: invalid groupVersion (expected ${expected}, received ${String(object.apiVersion ?? '')})`)
  if (object.kind !== original.kind)
    throw new Error(`${about} ${what}: invalid kind (expected ${original.kind}, received ${String(object.kind)})`)
  prefixErrors(`${about} ${index === undefined ? 'object' : what}`, () => checkIdentity(original, object))
  const metadata = prefixErrors(`${about} metadata${index === undefined ? '' : ` in object at index ${index}`}`, () =>
    restoredMetadata(original, object),
  )
  return decodedObject({ ...object, metadata })
}

/** Checks that the value is an object with a kind. Throws with the message of Go's JSON decoder. */
function objectWithKind(value: Json): JsonObject {
  if (value === null) throw new Error('unexpected end of JSON input')
  if (!isJsonObject(value)) throw new Error(`json: cannot unmarshal ${jsonKind(value)} into Go value of type map[string]interface {}`)
  if (typeof value.kind !== 'string' || value.kind === '')
    throw new Error(`Object 'Kind' is missing in '${JSON.stringify(value, asNumber)}'`)
  return value
}

const asNumber = (_: string, value: unknown): unknown => (typeof value === 'bigint' ? Number(value) : value)

/** Prunes unknown fields. Throws a ConversionError if metadata of the object or of an embedded object is malformed. */
function pruned(object: KubeObject, to: Version): KubeObject {
  try {
    const { kind, apiVersion } = object
    return decodedObject({ kind, apiVersion, ...decode(to.schema, object) })
  } catch (error) {
    throw error instanceof DecodeError ? new ConversionError(error.message) : error
  }
}

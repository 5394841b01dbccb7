import {
  negotiateStream as acceptStream,
  formatOf,
  JSON_TYPE,
  type MediaOffer,
  mediaOffer,
  type NegotiationRules,
  negotiateInput,
  negotiateOutput,
  notAcceptableText,
  offeredTypes,
  prefersPretty,
  resourceRules,
  routeAccepts,
  routeNotAcceptableText,
  type Transform,
  unsupportedMediaTypeText,
} from '../codec/accept-header.ts'
import { failure } from '../meta/status.ts'
import type { Dialect } from './dialect/dialect.ts'
import type { Exchange } from './exchange.ts'
import { formOf, type Output, PLAIN_FORM } from './forms/form-of.ts'
import type { ResponseForm } from './forms/response-form.ts'
import { type EndpointEnvironment, handlesSince, type Scope } from './scope.ts'

/** Negotiates the form of the response. Throws 406 if the client accepts none. */
export const negotiate = (scope: Scope): ResponseForm => (acceptsPlain(scope) ? PLAIN_FORM : formOf(acceptedOutput(scope)))

/** Returns the same view in compact JSON, regardless of the media type. */
export const jsonFormOf = (scope: Scope): ResponseForm =>
  acceptsPlain(scope) ? PLAIN_FORM : formOf({ ...acceptedOutput(scope), mediaType: JSON_TYPE, pretty: false })

/** Reports whether the client accepts JSON only, as most do. */
const acceptsPlain = ({ exchange }: Scope): boolean =>
  exchange.headers.accept === JSON_TYPE && exchange.search === '' && !prefersPretty(undefined, exchange.ctx.userAgent)

/** Negotiates the form of a watch. Throws 406. */
export const negotiateStream = (scope: Scope): ResponseForm => formOf(acceptedStream(scope))

/** Returns the media type of a request's body. Throws 415. */
export function bodyMediaType(contentType: string | undefined, { types }: MediaOffer): string {
  const type = negotiateInput(contentType, types)
  if (type === undefined) throw failure(415, 'UnsupportedMediaType', unsupportedMediaTypeText(types))
  return type
}

interface Prepared {
  /** Rules by dialect. Filled on demand. */
  readonly rules: Map<Dialect, NegotiationRules>
  /** Media types of the routes of an object and of a collection, as errors list them. */
  readonly objectTypes: readonly string[]
  readonly collectionTypes: readonly string[]
  readonly aliases: readonly string[]
}

const prepared = new WeakMap<MediaOffer, Prepared>()

/** Returns the cached data of an offer. */
function prepare(offer: MediaOffer): Prepared {
  let known = prepared.get(offer)
  if (!known) {
    const objectTypes = offeredTypes(offer.types)
    const aliases = offer.types.filter(media => media.alias === true).map(media => media.type)
    known = {
      rules: new Map(),
      objectTypes,
      collectionTypes: [...objectTypes, ...offeredTypes(offer.types, true)],
      aliases,
    }
    prepared.set(offer, known)
  }
  return known
}

/**
 * Returns the rules of a dialect. Objects are offered in the types that the dialect has; Statuses and Tables in all.
 */
function dialectRules(dialect: Dialect, offer: MediaOffer, { rules }: Prepared): NegotiationRules {
  let known = rules.get(dialect)
  if (known === undefined) {
    const types = new Set(offer.types.map(media => media.type).filter(type => dialect.hasForm(formatOf(type))))
    known = resourceRules(types, offer.groups)
    rules.set(dialect, known)
  }
  return known
}

/**
 * Negotiates media type and view. Throws 406, with the text of upstream's router if no clause names an offered type,
 * and with the text of its negotiation otherwise.
 */
export function acceptedOutput(scope: Scope): Output {
  const { exchange, info, dialect } = scope
  const accept = exchange.headers.accept
  const { media } = scope.env
  const offered = prepare(media)
  const routeTypes = info.method === 'GET' && !info.namesObject ? offered.collectionTypes : offered.objectTypes
  if (!dialect.routeAnswers(accept, routeTypes) && !dialect.routeAnswers(accept, offered.aliases))
    throw unroutable(exchange, routeTypes, scope.env)
  const accepted = negotiateOutput(accept, media.types, dialectRules(dialect, media, offered))
  if (!accepted) throw notAcceptable(scope)
  return { mediaType: accepted.mediaType, pretty: accepted.pretty || pretty(exchange), ...(accepted.as && { as: accepted.as }) }
}

/**
 * Media types of built-in kinds and of discovery. CBOR is never among them, whatever is offered for custom resources.
 */
const DISCOVERY_OFFER = mediaOffer()

/**
 * Negotiates the form of a discovery document. Throws 406 with the texts of `acceptedOutput`. `isRouted`: whether
 * upstream's router checks the header first.
 */
export function acceptedDocument(exchange: Exchange, isRouted: boolean): Output {
  const { accept } = exchange.headers
  const { objectTypes, aliases } = prepare(DISCOVERY_OFFER)
  if (isRouted && !routeAccepts(accept, [...objectTypes, ...aliases]))
    throw failure(406, 'NotAcceptable', routeNotAcceptableText(objectTypes), {})
  const accepted = negotiateOutput(accept, DISCOVERY_OFFER.types)
  if (!accepted) throw failure(406, 'NotAcceptable', notAcceptableText(DISCOVERY_OFFER.types))
  return { mediaType: accepted.mediaType, pretty: accepted.pretty || pretty(exchange) }
}

/**
 * Negotiates aggregated discovery in one of these versions. Undefined if no clause requests it. As upstream, clauses
 * without `as` are ignored, even if they come first.
 */
export function acceptedAggregation(exchange: Exchange, versions: readonly string[]): (Output & { readonly as: Transform }) | undefined {
  const rules: NegotiationRules = {
    allowsTransform: (_mediaType, as) =>
      as?.group === 'apidiscovery.k8s.io' && as.kind === 'APIGroupDiscoveryList' && versions.includes(as.version),
  }
  const accepted = negotiateOutput(exchange.headers.accept, DISCOVERY_OFFER.types, rules)
  if (accepted?.as === undefined) return undefined
  return { mediaType: accepted.mediaType, pretty: accepted.pretty || pretty(exchange), as: accepted.as }
}

/** Returns the 406 of a resource. */
export const notAcceptable = (scope: Scope) => failure(406, 'NotAcceptable', notAcceptableText(scope.env.media.types))

const BODIES = new Set(['POST', 'PUT', 'PATCH'])

/**
 * Returns the error of a request whose Accept header matches no route. Before 1.36 upstream's router assumes that a
 * request without Content-Length has no body, and responds to a missing body with 415.
 */
export function unroutable({ method, headers }: Exchange, types: readonly string[], env: EndpointEnvironment) {
  const text = routeNotAcceptableText(types)
  if (handlesSince(env, '1.36') || !BODIES.has(method) || headers['content-length'] !== undefined)
    return failure(406, 'NotAcceptable', text, {})
  return failure(415, 'UnsupportedMediaType', text.replace('406: Not Acceptable', UNROUTABLE_TYPE), {})
}

/** Beginning of the text of go-restful's 415, which is no Status of its own. */
export const UNROUTABLE_TYPE = '415: Unsupported Media Type'

const pretty = (exchange: Exchange): boolean =>
  prefersPretty(exchange.search.includes('pretty') ? exchange.query.get('pretty') : undefined, exchange.ctx.userAgent)

/** Negotiates media type and view of a watch. The preferred type must support streaming. Throws 406. */
export function acceptedStream(scope: Scope): Output {
  const { media } = scope.env
  const accepted = acceptStream(scope.exchange.headers.accept, media.types, dialectRules(scope.dialect, media, prepare(media)))
  if (!accepted) throw failure(406, 'NotAcceptable', notAcceptableText(media.types, true))
  return { mediaType: accepted.mediaType, pretty: false, ...(accepted.as && { as: accepted.as }) }
}

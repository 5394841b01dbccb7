import { splitAt, textBefore, trimSpaces } from '../lib/split-text.ts'

/** A media type of a server. */
export interface MediaType {
  /** `application/json` */
  readonly type: string
  /** Whether watches can be served in this type. */
  readonly stream: boolean
  /** Media type of a watch. Default: the type with `;stream=watch`. */
  readonly streamType?: string
  /** Set for another spelling of an offered type: accepted, but not listed in errors. */
  readonly alias?: true
}

/** Encoding of a body. A server need not offer all of them. */
export type Format = 'json' | 'yaml' | 'protobuf' | 'cbor'

/** Default type if the client states none. */
export const JSON_TYPE = 'application/json'
/** Type for bodies and responses, but not for watches. */
export const YAML_TYPE = 'application/yaml'
/** Type of bodies with the envelope of runtime.Unknown. */
export const PROTOBUF_TYPE = 'application/vnd.kubernetes.protobuf'
/** Alias of the protobuf type without the name of Kubernetes. */
export const NEUTRAL_PROTOBUF_TYPE = 'application/vnd.svc.protobuf'
/** Type with the gate CBORServingAndStorage (KEP-4222). */
export const CBOR_TYPE = 'application/cbor'
/** Type of a watch in CBOR (RFC 8742). */
export const CBOR_SEQUENCE_TYPE = 'application/cbor-seq'

/** Returns the format of an offered media type. */
export function formatOf(mediaType: string): Format {
  switch (mediaType) {
    case YAML_TYPE:
      return 'yaml'
    case PROTOBUF_TYPE:
    case NEUTRAL_PROTOBUF_TYPE:
      return 'protobuf'
    case CBOR_TYPE:
      return 'cbor'
    default:
      return 'json'
  }
}

const cborMediaType: MediaType = { type: CBOR_TYPE, stream: true, streamType: CBOR_SEQUENCE_TYPE }

/** Media types of built-in kinds, in order of preference. */
export const BUILTIN_MEDIA_TYPES: readonly MediaType[] = [
  { type: JSON_TYPE, stream: true },
  { type: YAML_TYPE, stream: false },
  { type: PROTOBUF_TYPE, stream: true },
  { type: NEUTRAL_PROTOBUF_TYPE, stream: true, alias: true },
]

/** Media types that a server reads and writes. */
export interface MediaOffer {
  /** Types in the order of preference. */
  readonly types: readonly MediaType[]
  /** Names of the meta.k8s.io group that are accepted in `g=`. */
  readonly groups: ReadonlySet<string>
}

/** @param domain adds `meta.DOMAIN` to the accepted names of the group of Tables and PartialObjectMetadata */
export const mediaOffer = ({
  cbor = false,
  domain = 'k8s.io',
}: {
  readonly cbor?: boolean
  readonly domain?: string
} = {}): MediaOffer => ({
  types: cbor ? [...BUILTIN_MEDIA_TYPES, cborMediaType] : BUILTIN_MEDIA_TYPES,
  groups: new Set(['meta.k8s.io', `meta.${domain}`]),
})

/** A request for another kind than the resource's own: `as=Table;g=meta.k8s.io;v=v1`. */
export interface Transform {
  /** `Table`, `PartialObjectMetadata` or `PartialObjectMetadataList`, if it is supported. */
  readonly kind: string
  readonly group: string
  readonly version: string
}

/** A negotiated representation. */
export interface Accepted {
  /** One of the offered types. */
  readonly mediaType: string
  /** `;pretty=1` */
  readonly pretty: boolean
  /** Set if another kind than the resource's own is requested. */
  readonly as?: Transform
  /** `;stream=watch`, or empty. */
  readonly stream: string
  /** `;profile=nopeer` or similar, or empty. */
  readonly profile: string
}

/** Restrictions of an endpoint on media types and transforms. */
export interface NegotiationRules {
  /** Whether a media type can represent the resource's own kind (`as` is undefined) or another one. */
  allowsTransform?(mediaType: string, as: Transform | undefined): boolean
}

/**
 * Rules of resources: Tables in JSON and YAML, PartialObjectMetadata in any type. `groups`: accepted names of
 * meta.k8s.io.
 */
export const resourceRules = (plainTypes?: ReadonlySet<string>, groups: ReadonlySet<string> = META_GROUPS): NegotiationRules => ({
  allowsTransform(mediaType, as) {
    if (as === undefined) return plainTypes === undefined || plainTypes.has(mediaType)
    if (!groups.has(as.group) || (as.version !== 'v1' && as.version !== 'v1beta1')) return false
    if (as.kind === 'Table') return mediaType === JSON_TYPE || mediaType === YAML_TYPE
    return as.kind === 'PartialObjectMetadata' || as.kind === 'PartialObjectMetadataList'
  },
})
/** Accepted names without a domain. */
const META_GROUPS: ReadonlySet<string> = new Set(['meta.k8s.io'])

const noTransform: NegotiationRules = { allowsTransform: (_mediaType, as) => as === undefined }

/**
 * Selects a representation by an Accept header; undefined if none is acceptable. Types are compared case-sensitively,
 * as upstream does.
 */
export function negotiateOutput(
  accept: string | undefined,
  offer: readonly MediaType[],
  rules: NegotiationRules = noTransform,
): Accepted | undefined {
  const first = offer[0]
  if (first !== undefined && (accept === undefined || accept === '')) return plainly(first.type)
  const header = accept ?? ''
  for (const clause of parseAccept(header)) {
    for (const media of offer) {
      if (!acceptsType(clause, media.type)) continue
      const accepted = acceptClause(clause, media, rules)
      if (accepted) return accepted
    }
  }
  return undefined
}

/** Selects the representation of a watch: the accepted type must support streaming. */
export function negotiateStream(
  accept: string | undefined,
  offer: readonly MediaType[],
  rules: NegotiationRules = noTransform,
): Accepted | undefined {
  const accepted = negotiateOutput(accept, offer, rules)
  return accepted && offer.some(media => media.type === accepted.mediaType && media.stream) ? accepted : undefined
}

/** Returns the types that an error lists, in the order of the offer. */
export function offeredTypes(offer: readonly MediaType[], streaming = false): string[] {
  const own = offer.filter(media => media.alias !== true)
  return streaming
    ? own.filter(media => media.stream).map(({ type, streamType }) => streamType ?? `${type};stream=watch`)
    : own.map(media => media.type)
}

/** Message of a 406 response. */
export const notAcceptableText = (offer: readonly MediaType[], streaming = false): string =>
  `only the following media types are accepted: ${offeredTypes(offer, streaming).join(', ')}`

/** Message of a 415 response. */
export const unsupportedMediaTypeText = (offer: readonly MediaType[]): string =>
  `the body of the request was in an unknown format - accepted media types include: ${offeredTypes(offer).join(', ')}`

/**
 * Returns the type of a body by its Content-Type, the first of the offer without one; undefined if it is not supported.
 */
export function negotiateInput(contentType: string | undefined, offer: readonly MediaType[]): string | undefined {
  if (contentType === undefined || contentType === '') return offer[0]?.type
  const offered = (type: string | undefined): string | undefined => offer.find(media => media.type === type)?.type
  return offered(contentType) ?? offered(parseMediaType(contentType))
}

/**
 * Check that upstream's router makes before negotiation: a clause must name an offered type exactly, or accept any
 * type; `application/*` is not enough. `produces`: for collections, includes the streaming types.
 */
export function routeAccepts(accept: string | undefined, produces: readonly string[]): boolean {
  if (accept === undefined || accept === '') return true
  for (const clause of splitAt(accept, ',')) {
    const semicolon = clause.indexOf(';')
    const type = trimSpaces(semicolon < 0 ? clause : clause.slice(0, semicolon))
    if (type === '*/*' || produces.includes(type)) return true
  }
  return false
}

/** Text of the 406 response if `routeAccepts` fails. */
export const routeNotAcceptableText = (produces: readonly string[]): string =>
  `406: Not Acceptable\n\nAvailable representations: ${produces.join(', ')}`

/**
 * Whether to indent JSON: requested by the query (`pretty=true`), or the client is a browser or a command line tool.
 */
export function prefersPretty(prettyQuery: string | null | undefined, userAgent: string): boolean {
  if (prettyQuery) return ['1', 't', 'T', 'TRUE', 'true', 'True'].includes(prettyQuery)
  return userAgent.startsWith('curl') || userAgent.startsWith('Wget') || userAgent.startsWith('Mozilla/5.0')
}

/** A media range of an Accept header (RFC 9110, section 12.5.1). */
interface Clause {
  /** Part before the slash, or `*`. */
  readonly type: string
  /** Part after the slash, or `*`. */
  readonly subtype: string
  /** Weight. 1 if there is none, and 0 if it is no number. */
  readonly q: number
  /** Known parameters. */
  readonly params: ReadonlyMap<string, string>
}

const plainly = (mediaType: string): Accepted => ({ mediaType, pretty: false, stream: '', profile: '' })

/** Whether the media type is in the range. */
function acceptsType(clause: Clause, mediaType: string): boolean {
  const [type, subtype] = mediaType.split('/')
  if (clause.subtype === '*') return clause.type === '*' || clause.type === type
  return clause.type === type && clause.subtype === subtype
}

/** Applies the parameters of a clause to a media type that it matches; undefined if they exclude the type. */
function acceptClause(clause: Clause, media: MediaType, rules: NegotiationRules): Accepted | undefined {
  const { params } = clause
  const stream = params.get('stream') ?? ''
  if (stream !== '' && !(media.stream && stream === 'watch')) return undefined
  if (params.get('sv')) return undefined
  const transforms = params.has('as') || params.has('g') || params.has('v')
  const as = transforms ? { kind: params.get('as') ?? '', group: params.get('g') ?? '', version: params.get('v') ?? '' } : undefined
  if (rules.allowsTransform && !rules.allowsTransform(media.type, as)) return undefined
  return { mediaType: media.type, pretty: params.get('pretty') === '1', stream, profile: params.get('profile') ?? '', ...(as && { as }) }
}

const parsed = new Map<string, readonly Clause[]>()
/** Number of elements up to which Go's sort.Sort uses insertion sort. */
const FEW_CLAUSES = 12
/** Longest header in characters that is cached. */
const LONGEST_KEPT = 512

/**
 * Parses an Accept header to its clauses in order of preference. Clients repeat a few headers, so 256 parsed headers of
 * bounded length are cached for all clients.
 */
function parseAccept(header: string): readonly Clause[] {
  const known = parsed.get(header)
  if (known) return known
  const clauses = sortClauses(clausesOf(header))
  if (parsed.size >= 256) parsed.clear()
  if (header.length <= LONGEST_KEPT) parsed.set(header, clauses)
  return clauses
}

/**
 * Returns the clauses of a header in order. In a long header, clauses that repeat the previous one or name a type that
 * no server offers are skipped unparsed.
 */
function clausesOf(header: string): Clause[] {
  const clauses: Clause[] = []
  const long = header.length > LONGEST_KEPT
  let last = ''
  for (const part of splitAt(header, ',')) {
    const text = trimSpaces(part)
    if (text === '' || (long && (text === last || !/^(?:\*|(?:application|text) *\/)/.test(text)))) continue
    last = text
    const clause = parseClause(text)
    if (clause) clauses.push(clause)
  }
  return clauses
}

/**
 * Upstream's order is not total (wildcards go last whatever their q), so the result depends on its sort algorithm: few
 * clauses are sorted by insertion.
 */
function sortClauses(clauses: Clause[]): Clause[] {
  if (clauses.length > FEW_CLAUSES) return clauses.sort((a, b) => wildness(a) - wildness(b) || b.q - a.q)
  const sorted: Clause[] = []
  for (const clause of clauses) {
    const before = sorted.findLastIndex(other => !precedes(clause, other))
    sorted.splice(before + 1, 0, clause)
  }
  return sorted
}

const wildness = ({ type, subtype }: Clause): number => (type === '*' ? 2 : subtype === '*' ? 1 : 0)

/** Parses a clause; undefined if upstream's parser (munnerz/goautoneg) skips it. */
function parseClause(part: string): Clause | undefined {
  const semicolon = part.indexOf(';')
  const media = semicolon < 0 ? part : part.slice(0, semicolon)
  const slash = media.indexOf('/')
  const type = trimSpaces(slash < 0 ? media : media.slice(0, slash))
  let subtype = slash < 0 ? '' : media.slice(slash + 1)
  if (subtype === '') {
    if (type !== '*') return undefined
    subtype = '*'
  } else if (subtype.includes('/') && !subtype.endsWith('/')) return undefined
  const { q, params } = semicolon < 0 ? PLAIN : parametersOf(part.slice(semicolon + 1))
  return { type, subtype: trimSpaces(textBefore(subtype, '/')), q, params }
}

/** Parameters of a clause without any. */
const PLAIN: Pick<Clause, 'q' | 'params'> = { q: 1, params: new Map() }

/** Parses parameters. The last one of a name counts, and malformed ones are skipped. */
function parametersOf(text: string): Pick<Clause, 'q' | 'params'> {
  const params = new Map<string, string>()
  let q = 1
  for (const param of splitAt(text, ';')) {
    const at = param.indexOf('=')
    const value = at < 0 ? '' : param.slice(at + 1)
    const end = value.indexOf('=')
    // One additional sign at the very end is accepted.
    if (end === 0 || value === '' || (end > 0 && end !== value.length - 1)) continue
    const name = trimSpaces(param.slice(0, at))
    const wanted = end > 0 ? value.slice(0, end) : value
    if (name === 'q') q = Number.isFinite(Number(wanted)) ? Number(wanted) : 0
    else if (KNOWN_PARAMETERS.has(name)) params.set(name, trimSpaces(wanted))
  }
  return { q, params }
}

/** Parameters that affect negotiation. Others are ignored. */
const KNOWN_PARAMETERS: ReadonlySet<string> = new Set(['as', 'g', 'v', 'sv', 'stream', 'pretty', 'profile'])

/** Not transitive: the caller's algorithm decides the order. Source: goautoneg's acceptSlice.Less. */
const precedes = (a: Clause, b: Clause): boolean =>
  a.q > b.q || (a.type !== '*' && b.type === '*') || (a.subtype !== '*' && b.subtype === '*')

/** Token of HTTP (RFC 9110, section 5.6.2). */
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9a-zA-Z]+$/

/** Returns the type of a Content-Type in lower case, as mime.ParseMediaType reads it; undefined if that fails. */
function parseMediaType(header: string): string | undefined {
  const at = header.indexOf(';')
  const type = (at < 0 ? header : header.slice(0, at)).trim().toLowerCase()
  const halves = type.split('/')
  if (halves.length > 2 || !halves.every(half => TOKEN.test(half))) return undefined
  const seen = new Set<string>()
  for (let rest = at < 0 ? '' : header.slice(at).trimStart(); rest !== ''; ) {
    const param = /^;\s*([!#$%&'*+\-.^_`|~0-9a-zA-Z]+)\s*=\s*("(?:[^"\\\r\n]|\\.)*"|[!#$%&'*+\-.^_`|~0-9a-zA-Z]+)\s*/.exec(rest)
    if (!param) return /^;\s*$/.test(rest) ? type : undefined
    const name = (param[1] ?? '').toLowerCase()
    if (seen.has(name)) return undefined
    seen.add(name)
    rest = rest.slice(param[0].length)
  }
  return type
}

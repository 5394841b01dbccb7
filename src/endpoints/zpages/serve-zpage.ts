import {
  CBOR_TYPE,
  formatOf,
  JSON_TYPE,
  type MediaType,
  type NegotiationRules,
  negotiateOutput,
  notAcceptableText,
  PROTOBUF_TYPE,
  prefersPretty,
  YAML_TYPE,
} from '../../codec/accept-header.ts'
import { cborBody, encodeCborValue } from '../../codec/cbor.ts'
import { isSince } from '../../lifecycle/release.ts'
import { failure } from '../../meta/status.ts'
import type { Exchange } from '../exchange.ts'
import { compact, indented, yaml } from '../forms/text/styles.ts'
import { sendText } from '../send-text.ts'
import { flagz } from './flagz.ts'
import { statusz } from './statusz.ts'
import type { ZPageContent, ZPageSource } from './zpage-content.ts'
import type { ZPagePath } from './zpage-paths.ts'

const TEXT_TYPE = 'text/plain'
const TEXT_CONTENT_TYPE = 'text/plain; charset=utf-8'
const GROUP = 'config.k8s.io'

/** Forms of the structured pages in one release. */
interface Structured {
  readonly offer: readonly MediaType[]
  /** Served versions. */
  readonly versions: readonly string[]
  /** Media types that are implemented. The others are offered and fail. */
  readonly types: readonly string[]
}

/**
 * Serves a page in the forms of the release: text only in 1.32 to 1.34, v1alpha1 in JSON since 1.35, v1beta1 and
 * further media types since 1.36.
 */
export async function serveZPage(path: ZPagePath, source: ZPageSource, exchange: Exchange): Promise<void> {
  const content = path === '/flagz' ? flagz(source) : statusz(source)
  const { accept } = exchange.headers
  const name = path.slice(1)
  if (isSince(source.features.release, '1.36')) exchange.counted = { group: '', version: '', resource: name }
  const structured = structuredOf(source)
  if (structured === undefined) {
    if (!acceptsText(accept)) return sendText(exchange, 406, 'media type not acceptable, must be: text/plain')
    return sendPage(exchange, content)
  }
  if (accept === undefined || accept.trim() === '') return sendPage(exchange, content)
  const accepted = negotiateOutput(accept, structured.offer, rulesOf(content, structured))
  if (accepted === undefined) throw failure(406, 'NotAcceptable', notAcceptableText(structured.offer))
  const { mediaType, as } = accepted
  if (as === undefined) return sendPage(exchange, content)
  if (!structured.types.includes(mediaType)) throw failure(500, '', `content negotiation failed: unsupported media type '${mediaType}'`)
  if (exchange.counted) exchange.counted = { group: GROUP, version: as.version, resource: name }
  if (as.version === 'v1alpha1' && structured.versions.includes('v1beta1'))
    exchange.setHeader('Warning', `299 - "This version of the ${name} endpoint is deprecated. Please use a newer version."`)
  const document = await content.document(`${GROUP}/${as.version}`)
  const isPretty = accepted.pretty || prefersPretty(exchange.query.get('pretty'), exchange.ctx.userAgent)
  const text = Buffer.from(`${JSON.stringify(document)}\n`)
  const { audit } = exchange.ctx
  if (audit?.showsResponse) audit.responseObject(text)
  const type = `${mediaType};g=${GROUP};v=${as.version};as=${as.kind}`
  switch (formatOf(mediaType)) {
    case 'cbor':
      return exchange.sendBytes(200, type, cborBody(encodeCborValue(document)))
    case 'yaml':
      return exchange.sendBytes(200, type, await yaml.write([text]))
    default:
      return exchange.sendBytes(200, type, await (isPretty ? indented.write([text.subarray(0, -1)]) : compact.write([text])))
  }
}

const sendPage = async (exchange: Exchange, content: ZPageContent): Promise<void> =>
  exchange.sendBytes(200, TEXT_CONTENT_TYPE, Buffer.from(await content.text()))

/** Returns the structured forms of the release. Undefined if it has none. */
function structuredOf({ features: { release }, cbor }: ZPageSource): Structured | undefined {
  if (!isSince(release, '1.35')) return undefined
  const offerOf = (types: readonly string[]): MediaType[] => types.map(type => ({ type, stream: false }))
  if (!isSince(release, '1.36'))
    return { offer: offerOf([JSON_TYPE, YAML_TYPE, PROTOBUF_TYPE, TEXT_TYPE]), versions: ['v1alpha1'], types: [JSON_TYPE] }
  const types = [JSON_TYPE, YAML_TYPE, TEXT_TYPE, ...(cbor ? [CBOR_TYPE] : [])]
  return { offer: offerOf(types), versions: ['v1alpha1', 'v1beta1'], types }
}

/** Plain text has no kind; the other types require one. */
const rulesOf = ({ kind }: ZPageContent, { versions }: Structured): NegotiationRules => ({
  allowsTransform: (mediaType, as) => {
    if (mediaType === TEXT_TYPE) return as === undefined
    return as !== undefined && as.group === GROUP && as.kind === kind && versions.includes(as.version)
  },
})

/**
 * Reports whether releases before 1.35 serve text to this client: it names plain text without parameters, or with its
 * character set only.
 */
const acceptsText = (accept = ''): boolean =>
  accept.split(',').some(clause => {
    const [range = '', ...parameters] = clause.split(';').map(part => part.trim())
    if (!/^(?:text|\*) *\/ *(?:plain|\*)$/.test(range)) return range === '*'
    const others = parameters.filter(parameter => /^[^=]+=[^=]+$/.test(parameter) && !/^q *=/.test(parameter))
    return others.length === 0 || (others.length === 1 && /^charset *= *utf-8$/i.test(others[0] ?? ''))
  })

import { endToEnd, pairsOf } from './headers.ts'

type Header = readonly [name: string, value: string]

/** Other origins are let in, or not, by this server. */
const CORS: readonly string[] = [
  'access-control-allow-credentials',
  'access-control-allow-headers',
  'access-control-allow-methods',
  'access-control-allow-origin',
  'access-control-allow-private-network',
]

/**
 * Headers by which a browser keeps something for all pages of this server's origin, or of its host, and not for the page alone. Backends share the origin with each other and with the API, and the
 * host with whatever else runs there, so none of them may set these.
 */
const ORIGIN_WIDE: readonly string[] = [
  // Service workers that control paths outside their own.
  'service-worker-allowed',
  // Change what the browser stores: storage, caches, cookies, logins.
  'clear-site-data',
  'set-login',
  'secure-session-registration',
  'sec-session-registration',
  // How the host is reached.
  'alt-svc',
  'strict-transport-security',
  'public-key-pins',
  'public-key-pins-report-only',
  'expect-ct',
  // Send reports about any request to an address.
  'nel',
  'report-to',
  'reporting-endpoints',
  // Change what further requests send, or how their responses are read.
  'accept-ch',
  'accept-ch-lifetime',
  'critical-ch',
  'use-as-dictionary',
  // The process that pages of the origin share.
  'origin-agent-cluster',
]

const DROPPED: ReadonlySet<string> = new Set([...CORS, ...ORIGIN_WIDE])

const isPassedBack = ([name]: Header): boolean => !DROPPED.has(name.toLowerCase())

/** The headers of a backend's response that the client gets. */
export const passedBack = (rawHeaders: readonly string[]): Header[] => endToEnd(pairsOf(rawHeaders)).filter(isPassedBack)

/** The headers of a response by which a backend leaves HTTP: those of its connection are the client's, too. */
export const passedBackWithUpgrade = (rawHeaders: readonly string[]): Header[] => pairsOf(rawHeaders).filter(isPassedBack)

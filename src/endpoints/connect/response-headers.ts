import type { Header } from '../../lib/header.ts'
import { endToEnd, pairsOf } from './headers.ts'

/** Access by other origins is decided by this server only. */
const CORS: readonly string[] = [
  'access-control-allow-credentials',
  'access-control-allow-headers',
  'access-control-allow-methods',
  'access-control-allow-origin',
  'access-control-allow-private-network',
]

/**
 * Headers with which a browser changes state of this server's origin or host, and not only of the page. Backends share
 * the origin with each other and with the API, and the host with other services, so they may not set these.
 */
const ORIGIN_WIDE: readonly string[] = [
  // Allows service workers to control paths outside their own.
  'service-worker-allowed',
  // Change the browser's storage, caches, cookies and logins.
  'clear-site-data',
  'set-login',
  'secure-session-registration',
  'sec-session-registration',
  // Change how the host is reached.
  'alt-svc',
  'strict-transport-security',
  'public-key-pins',
  'public-key-pins-report-only',
  'expect-ct',
  // Send reports about all requests to an address.
  'nel',
  'report-to',
  'reporting-endpoints',
  // Change what later requests send, or how their responses are read.
  'accept-ch',
  'accept-ch-lifetime',
  'critical-ch',
  'use-as-dictionary',
  // Changes the process that pages of the origin share.
  'origin-agent-cluster',
]

const DROPPED: ReadonlySet<string> = new Set([...CORS, ...ORIGIN_WIDE])

const isPassedBack = ([name]: Header): boolean => !DROPPED.has(name.toLowerCase())

/** Returns the headers of a backend's response that are sent to the client. */
export const passedBack = (rawHeaders: readonly string[]): Header[] => endToEnd(pairsOf(rawHeaders)).filter(isPassedBack)

/** Returns the headers of a response that switches protocols. Its connection headers are sent to the client as well. */
export const passedBackWithUpgrade = (rawHeaders: readonly string[]): Header[] => pairsOf(rawHeaders).filter(isPassedBack)

import { createReadStream } from 'node:fs'
import { isJsonObject, type JsonObject } from '../../../api/meta/object.ts'
import { compareReleases, type Release } from '../../../lifecycle/release.ts'
import { parsedObject } from '../../../meta/json-members.ts'
import type { Finding, Usage } from '../finding.ts'

/** Requests for one deprecated resource. */
interface Requests {
  readonly removed: string
  /** Number of requests and time of the last one, by user and user agent. */
  readonly callers: Map<string, { count: number; last: string }>
}

/** Limit on the callers that are shown for one resource. */
const MOST_CALLERS = 20
/** Limit on the callers that are counted separately. Clients choose their user agents freely. */
const MOST_COUNTED = 10_000
const OTHERS = 'others'
/** Longest line in bytes. Events have some kilobytes, plus request objects of at most a few megabytes. */
const LONGEST_LINE = 16 << 20

/**
 * Reports clients that requested deprecated versions, from an audit log in JSON lines (audit.k8s.io/v1): events with
 * the annotation `k8s.io/deprecated`. Lines that are not events are skipped. Throws system errors for a file that
 * cannot be read.
 */
export async function auditFindings(path: string, to: Release): Promise<Finding[]> {
  const requests = new Map<string, Requests>()
  for await (const line of auditLines(path)) if (line.includes('k8s.io/deprecated')) addEvent(requests, parsedObject(line) ?? {})
  return [...requests].map(([resource, { removed, callers }]) => findingOf(path, resource, { removed, callers }, to))
}

/** Yields the lines of a file. Lines above the limit are skipped. */
async function* auditLines(path: string): AsyncGenerator<string> {
  let parts: Buffer[] = []
  let size = 0
  for await (const chunk of createReadStream(path)) {
    const bytes: Buffer = chunk
    let start = 0
    for (let end = bytes.indexOf(0x0a); end >= 0; end = bytes.indexOf(0x0a, start)) {
      if (size + end - start <= LONGEST_LINE) yield Buffer.concat([...parts, bytes.subarray(start, end)]).toString()
      ;[parts, size] = [[], 0]
      start = end + 1
    }
    size += bytes.length - start
    if (size <= LONGEST_LINE) parts.push(bytes.subarray(start))
    else parts = []
  }
  if (size > 0 && size <= LONGEST_LINE) yield Buffer.concat(parts).toString()
}

/**
 * Counts a request once, by its final stage. Callers beyond MOST_COUNTED are counted together, so that memory is
 * bounded.
 */
function addEvent(
  requests: Map<string, Requests>,
  { annotations, objectRef, user, userAgent, requestReceivedTimestamp, stage }: JsonObject,
): void {
  if (!isJsonObject(annotations) || annotations['k8s.io/deprecated'] !== 'true' || !isJsonObject(objectRef)) return
  // A request has an event for each stage.
  if (stage !== undefined && stage !== 'ResponseComplete' && stage !== 'Panic') return
  const { apiGroup = '', apiVersion = '', resource = '', subresource = '' } = objectRef
  const name = [apiGroup, apiVersion, resource, subresource].filter(part => part !== '').join('/')
  const found = requests.get(name) ?? { removed: String(annotations['k8s.io/removed-release'] ?? ''), callers: new Map() }
  requests.set(name, found)
  const named = `${isJsonObject(user) ? String(user.username ?? '') : ''} with ${String(userAgent ?? 'no user agent')}`
  const caller = found.callers.size < MOST_COUNTED || found.callers.has(named) ? named : OTHERS
  const { count, last } = found.callers.get(caller) ?? { count: 0, last: '' }
  const time = typeof requestReceivedTimestamp === 'string' ? requestReceivedTimestamp : ''
  found.callers.set(caller, { count: count + 1, last: [last, time].sort()[1] ?? '' })
}

/**
 * Names the callers with the most requests, each with the time of its last one. Blocks if the target no longer serves
 * the version.
 */
function findingOf(path: string, subject: string, { removed, callers }: Requests, to: Release): Finding {
  const minor = /^1\.(\d+)$/.exec(removed)?.[1]
  const since: Release | undefined = minor === undefined ? undefined : `1.${Number(minor)}`
  const isGone = since !== undefined && compareReleases(since, to) <= 0
  const usages = [...callers]
    .sort(([, a], [, b]) => b.count - a.count)
    .slice(0, MOST_CALLERS)
    .map(
      ([by, { count, last }]): Usage => ({
        by: `${by} (${count} ${count === 1 ? 'request' : 'requests'})`,
        ...(last !== '' && { time: last }),
      }),
    )
  return {
    rule: 'requested-version',
    level: isGone ? 'blocking' : 'warning',
    subject,
    place: { source: path },
    message: `clients have requested it, and it is ${isGone ? `not served from ${since} on` : 'deprecated'}`,
    usages,
    ...(since !== undefined && { since }),
  }
}

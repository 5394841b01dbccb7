import { bodyBytes } from '../audit/line.ts'
import type { AuditObserver } from '../audit/open-auditor.ts'
import { hasMembers, type ObjectMembers } from '../meta/equal.ts'
import type { RecordedLevel, RecordedRequest } from './types.ts'

const MOST = 10_000

/** Requests of the control plane's own client to this path are not recorded. */
export const WHY_PATH = '/binnacle/v1/why'

/** Recorded requests of one server: one entry per request, from its audit events. */
export class RecordedRequests {
  readonly observer: AuditObserver
  readonly #byAuditId = new Map<string, RecordedRequest>()

  constructor(level: RecordedLevel) {
    this.observer = {
      policy: { rules: [{ level }] },
      sink: {
        waits: true,
        process: async ({ line }) => {
          const parts: Buffer[] = []
          for (const part of line.parts) for await (const bytes of bodyBytes(part)) parts.push(bytes)
          const event: unknown = JSON.parse(Buffer.concat(parts).toString())
          if (hasMembers(event)) this.#add(recordedOf(event))
          return true
        },
        close: async () => {},
      },
    }
  }

  all(): readonly RecordedRequest[] {
    return [...this.#byAuditId.values()]
  }

  clear(): void {
    this.#byAuditId.clear()
  }

  /** Adds or updates a request. Later audit events are more complete. */
  #add(request: RecordedRequest): void {
    if (request.uri.startsWith(`${WHY_PATH}/`)) return
    this.#byAuditId.set(request.auditId, request)
    if (this.#byAuditId.size <= MOST) return
    const [oldest] = this.#byAuditId.keys()
    if (oldest !== undefined) this.#byAuditId.delete(oldest)
  }
}

const memberText = (value: unknown): string => (typeof value === 'string' ? value : '')
const memberObject = (object: ObjectMembers, name: string): ObjectMembers => {
  const value = object[name]
  return hasMembers(value) ? value : {}
}

/** Converts an audit.k8s.io/v1 Event. */
function recordedOf(event: ObjectMembers): RecordedRequest {
  const user = memberObject(event, 'impersonatedUser' in event ? 'impersonatedUser' : 'user')
  const about = memberObject(event, 'objectRef')
  const { code } = memberObject(event, 'responseStatus')
  const { requestObject, responseObject } = event
  return {
    user: memberText(user.username),
    groups: Array.isArray(user.groups) ? user.groups.map(memberText) : [],
    userAgent: memberText(event.userAgent),
    verb: memberText(event.verb),
    uri: memberText(event.requestURI),
    ...('objectRef' in event && {
      resource: {
        group: memberText(about.apiGroup),
        version: memberText(about.apiVersion),
        resource: memberText(about.resource),
        subresource: memberText(about.subresource),
      },
    }),
    namespace: memberText(about.namespace),
    name: memberText(about.name),
    status: typeof code === 'number' ? code : undefined,
    auditId: memberText(event.auditID),
    ...(requestObject !== undefined && { body: requestObject }),
    ...(responseObject !== undefined && { answer: responseObject }),
  }
}

import { quote } from '../lib/go-quote.ts'
import { formatMicroTime, trimFraction } from '../meta/time.ts'
import type { AuditEvent } from './event.ts'
import type { Stage } from './policy.ts'
import type { EventSummary } from './sink.ts'

/** Returns the characters of the texts, besides those that every event has. */
const charactersOf = (texts: readonly string[]): number => texts.reduce((sum, { length }) => sum + length, 0)

/**
 * Returns an event as the one-line text of --audit-log-format=legacy, as kube-apiserver writes it. Until the text is
 * made, it retains the required strings only, not bodies or the request.
 */
export function legacyText({ request, user, sourceIps, impersonated, reference, status, code }: AuditEvent, stage: Stage): EventSummary {
  const { auditId, userAgent, uri, receivedAt } = request
  const { verb, isResource } = request.info
  const [ip = '<unknown>'] = sourceIps
  const [name, groups = []] = [user?.name, user?.groups]
  const [asName, asGroups] = [impersonated?.name, impersonated?.groups]
  const namespace = isResource ? reference.namespace : ''
  const answer = status === undefined && code === 0 ? '<deferred>' : code
  return {
    bytes: charactersOf([userAgent, uri, name ?? '', asName ?? '', ...groups, ...(asGroups ?? [])]),
    text() {
      const fields: readonly (readonly [string, string])[] = [
        ['id', quote(auditId)],
        ['stage', quote(stage)],
        ['ip', quote(ip)],
        ['method', quote(verb)],
        ['user', quote(name || '<none>')],
        // As upstream, strings that are quoted already are quoted again.
        ['groups', quote(groups.length === 0 ? '<none>' : listed(groups))],
        ['as', quote(asName ?? '<self>')],
        ['asgroups', quote(asGroups ? listed(asGroups) : '<lookup>')],
        ['user-agent', quote(userAgent)],
        ['namespace', quote(namespace || '<none>')],
        ['uri', quote(uri)],
        ['response', `"${answer}"`],
      ]
      return `${trimFraction(formatMicroTime(receivedAt))} AUDIT: ${fields.map(([name, text]) => `${name}=${text}`).join(' ')}`
    },
  }
}

const listed = (texts: readonly string[]): string => texts.map(quote).join(',')

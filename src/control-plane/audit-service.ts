import { setTimeout as sleep } from 'node:timers/promises'
import type { Auditor } from '../audit/auditor.ts'
import { AuditMetrics } from '../audit/metrics.ts'
import { type AuditObserver, type AuditOptions, openAuditor } from '../audit/open-auditor.ts'
import type { CertificateMetrics } from '../clients/certificate-metrics.ts'
import { type Clock, steadyClock } from '../lib/clock.ts'
import type { Dial } from '../lib/connect-proxy.ts'
import type { Logger } from '../lib/log.ts'
import type { MetricFamily } from '../lib/metrics.ts'
import type { Service } from './service.ts'

/** Time to flush pending events at shutdown, in milliseconds. */
const LAST_EVENTS_MS = 10_000

/** Auditing, as configured. */
export interface AuditService extends Service {
  readonly metrics: readonly MetricFamily[]
  /** Undefined if auditing is off. */
  readonly auditor: Auditor | undefined
  /** Flushes pending events. Call it when no request is in flight. */
  close(): Promise<void>
}

/** Optional dependencies. */
export interface AuditGiven {
  /** Receives every event in addition to the backends. */
  readonly observer?: AuditObserver | undefined
  /** Observes certificates of webhooks. */
  readonly certificates?: CertificateMetrics | undefined
  /** Optional. Dials the webhook. Default: directly. */
  readonly dial?: Dial | undefined
}

/** Reads the audit policy, opens the log and creates the webhook client. Throws AuditConfigError. */
export async function openAudit(
  audit: AuditOptions,
  clock: Clock,
  log: Logger,
  { observer, certificates, dial }: AuditGiven = {},
): Promise<AuditService> {
  const metrics = new AuditMetrics()
  const abandoned = new AbortController()
  const auditor = await openAuditor(audit, {
    metrics,
    log,
    now: () => clock.now(),
    clock: steadyClock,
    abandoned: abandoned.signal,
    observer,
    certificates,
    dial,
  })
  return {
    auditor,
    metrics: metrics.families,
    async close() {
      if (auditor === undefined) return
      const late = Symbol('late')
      const ended = await Promise.race([auditor.close(), sleep(LAST_EVENTS_MS, late, { ref: false })])
      if (ended === late) log.error('pending audit events are lost: the log or the webhook does not accept them')
      abandoned.abort()
    },
  }
}

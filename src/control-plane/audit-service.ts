import { setTimeout as sleep } from 'node:timers/promises'
import type { Auditor } from '../audit/auditor.ts'
import { AuditMetrics } from '../audit/metrics.ts'
import { type AuditObserver, openAuditor } from '../audit/open-auditor.ts'
import type { CertificateMetrics } from '../clients/certificate-metrics.ts'
import type { Config } from '../config/config.ts'
import { type Clock, steadyClock } from '../lib/clock.ts'
import type { Dial } from '../lib/connect-proxy.ts'
import type { Logger } from '../lib/log.ts'
import type { MetricFamily } from '../lib/metrics.ts'
import type { Service } from './service.ts'

/** For events that wait when the server ends. */
const LAST_EVENTS_MS = 10_000

/** The audit of requests, as the configuration has it. */
export interface AuditService extends Service {
  readonly metrics: readonly MetricFamily[]
  /** Undefined: nothing is audited. */
  readonly auditor: Auditor | undefined
  /** Writes the events that wait: to be called when no request is left. */
  close(): Promise<void>
}

/** What may be there beside the configuration. */
export interface AuditGiven {
  /** Told of events as well. */
  readonly observer?: AuditObserver | undefined
  /** Of webhooks. */
  readonly certificates?: CertificateMetrics | undefined
  /** How the webhook is dialled; absent: directly. */
  readonly dial?: Dial | undefined
}

/** Reads the policy, opens the log and makes the client of the webhook. Throws AuditConfigError. */
export async function openAudit({ audit }: Config, clock: Clock, log: Logger, { observer, certificates, dial }: AuditGiven = {}): Promise<AuditService> {
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
      if (ended === late) log.error('audit events that wait are lost: the log or the webhook takes none')
      abandoned.abort()
    },
  }
}

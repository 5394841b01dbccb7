import { webhookBackoff } from '../clients/backoff.ts'
import type { CertificateMetrics } from '../clients/certificate-metrics.ts'
import { readKubeconfig } from '../clients/kubeconfig.ts'
import { KubeconfigError } from '../clients/kubeconfig-error.ts'
import { remoteClient } from '../clients/remote-client.ts'
import type { Clock } from '../lib/clock.ts'
import type { Dial } from '../lib/connect-proxy.ts'
import { errorMessage } from '../lib/error-message.ts'
import type { Logger } from '../lib/log.ts'
import { type AuditFormat, Auditor, type AuditTarget } from './auditor.ts'
import type { Retention } from './log/backups.ts'
import { LineWriter } from './log/line-writer.ts'
import { logBackend } from './log/log-backend.ts'
import { type LogOutput, standardOutput } from './log/output.ts'
import { RotatingFile } from './log/rotating-file.ts'
import type { AuditMetrics } from './metrics.ts'
import { BatchingSink, type BatchOptions } from './modes/batching-sink.ts'
import { blockingSink } from './modes/blocking-sink.ts'
import { type AuditPolicy, policyEvaluator } from './policy.ts'
import { AuditConfigError, readPolicyFile } from './policy-file.ts'
import type { AuditBackend, AuditSink } from './sink.ts'
import { webhookBackend } from './webhook/webhook-backend.ts'

/** Whether requests wait for events (`--audit-log-mode`, `--audit-webhook-mode`). */
export type AuditMode = 'batch' | 'blocking' | 'blocking-strict'

/** Configuration of auditing. */
export interface AuditOptions {
  /** Undefined if auditing is off. */
  readonly policyFile: string | undefined
  /** Undefined without a log. */
  readonly log: AuditLogOptions | undefined
  /** Undefined without a webhook. */
  readonly webhook: AuditWebhookOptions | undefined
}

/** Options of logs and webhooks. */
export interface AuditTargetOptions {
  /** Whether requests wait for their events. */
  readonly mode: AuditMode
  /** Sizes and intervals of the mode `batch`. */
  readonly batch: BatchOptions
  /** Limit of an event's length. Undefined if there is none. */
  readonly maxEventBytes: number | undefined
}

/** Flags `--audit-log-…`. */
export interface AuditLogOptions extends Retention, AuditTargetOptions {
  /** `-` is standard output. */
  readonly path: string
  /** Bytes beyond which the log is rotated. */
  readonly maxBytes: number
  readonly format: AuditFormat
}

/** Flags `--audit-webhook-…`. */
export interface AuditWebhookOptions extends AuditTargetOptions {
  /** Path of a kubeconfig. */
  readonly configFile: string
  /** Delay before the first retry of a call. */
  readonly initialBackoffMs: number
}

/** Dependencies of the targets. */
interface AuditParts {
  readonly metrics: AuditMetrics
  readonly log: Logger
  /** Clock of the names of rotated logs. */
  readonly now: () => number
  /** Steady clock. */
  readonly clock: Clock
  /** Optional. Counts weak certificates of the webhook. */
  readonly certificates?: CertificateMetrics | undefined
  /** Optional. Dials the webhook. If omitted, it is dialled directly. */
  readonly dial?: Dial | undefined
  /** Aborts events that wait for a webhook. */
  readonly abandoned: AbortSignal
  /** Undefined if no events are received within the process. */
  readonly observer: AuditObserver | undefined
}

/** Receives events within the process. */
export interface AuditObserver {
  /** Applies if no policy is configured. */
  readonly policy: AuditPolicy
  /** Receives JSON, before the configured targets. */
  readonly sink: AuditSink
}

/**
 * Reads the policy, opens the log and creates the webhook's client. Returns undefined without a policy or a target;
 * policy and log are validated all the same. Throws AuditConfigError.
 */
export async function openAuditor({ policyFile, log: wanted, webhook }: AuditOptions, parts: AuditParts): Promise<Auditor | undefined> {
  const { metrics, log, observer } = parts
  const given = policyFile === undefined ? undefined : await readPolicyFile(policyFile, message => log.warn(message))
  const output = wanted && (await openOutput(wanted, log, parts.now))
  const targets: AuditTarget[] = observer ? [{ plugin: 'log', format: 'json', maxEventBytes: undefined, sink: observer.sink }] : []
  if (given === undefined) {
    if (output) log.info('No audit policy file provided, no events will be recorded for log backend')
    if (webhook) log.info('No audit policy file provided, no events will be recorded for webhook backend')
    await output?.close()
  } else {
    if (wanted && output) targets.push(logTarget(wanted, output, parts))
    if (webhook) targets.push(await webhookTarget(webhook, parts))
  }
  const policy = given ?? observer?.policy
  return policy === undefined || targets.length === 0
    ? undefined
    : new Auditor({ evaluate: policyEvaluator(policy), targets, metrics, log })
}

/** Batches are written one after the other, so that lines are in order. */
function logTarget({ format, maxEventBytes, ...options }: AuditLogOptions, output: LogOutput, parts: AuditParts): AuditTarget {
  const backend = logBackend(new LineWriter(output), parts)
  return { plugin: 'log', format, maxEventBytes, sink: sinkOf(options, { ...parts, backend, concurrency: 1 }) }
}

/** Concurrent batches of a webhook. kube-apiserver has no limit. */
const CONCURRENT_BATCHES = 100

/** Throws AuditConfigError if the kubeconfig is invalid. */
async function webhookTarget(
  { maxEventBytes, configFile, initialBackoffMs, ...options }: AuditWebhookOptions,
  parts: AuditParts,
): Promise<AuditTarget> {
  try {
    const client = remoteClient(await readKubeconfig(configFile), parts)
    const backend = webhookBackend({ ...parts, client, backoff: webhookBackoff(initialBackoffMs), signal: parts.abandoned })
    return {
      plugin: 'webhook',
      format: 'json',
      maxEventBytes,
      sink: sinkOf(options, { ...parts, backend, concurrency: CONCURRENT_BATCHES }),
    }
  } catch (error) {
    throw error instanceof KubeconfigError ? new AuditConfigError(`initializing audit webhook: ${error.message}`) : error
  }
}

const sinkOf = (
  { mode, batch }: Pick<AuditTargetOptions, 'mode' | 'batch'>,
  parts: AuditParts & { readonly backend: AuditBackend; readonly concurrency: number },
): AuditSink => (mode === 'batch' ? new BatchingSink(parts, batch) : blockingSink(parts.backend, mode === 'blocking-strict'))

/** Opens the file for appending. Throws AuditConfigError if that fails. */
async function openOutput({ path, ...rest }: AuditLogOptions, log: Logger, now: () => number): Promise<LogOutput> {
  if (path === '-') return standardOutput
  try {
    return await RotatingFile.open({ ...rest, file: path, now, log })
  } catch (error) {
    throw new AuditConfigError(`ensureLogFile: ${errorMessage(error)}`)
  }
}

import type { BatchOptions } from '../audit/modes/batching-sink.ts'
import type { AuditLogOptions, AuditMode, AuditOptions, AuditTargetOptions, AuditWebhookOptions } from '../audit/open-auditor.ts'
import type { FlagReader } from './flag-reader.ts'
import { FlagError } from './parse-flags.ts'

const MEGABYTE = 1024 * 1024
/** Default for --audit-log-maxsize=0. */
const DEFAULT_MEGABYTES = 100
const DEFAULT_BACKOFF_MS = 10_000
const MODES = ['batch', 'blocking', 'blocking-strict'] as const
const FORMATS = ['legacy', 'json'] as const
const VERSION = 'audit.k8s.io/v1'

/** The two audit backends, whose flags have the same names after the prefix. */
type Plugin = 'log' | 'webhook'

/**
 * Parses the audit flags. Throws FlagError with kube-apiserver's message. As upstream, flags of a backend are ignored
 * unless it is configured.
 */
export function auditOf(read: FlagReader): AuditOptions {
  const path = read.text('audit-log-path')
  const configFile = read.text('audit-webhook-config-file')
  return {
    policyFile: read.text('audit-policy-file'),
    log: path === undefined ? undefined : auditLogOf(read, path),
    webhook: configFile === undefined ? undefined : auditWebhookOf(read, configFile),
  }
}

/** Parses the flags of the audit log. */
function auditLogOf(read: FlagReader, path: string): AuditLogOptions {
  const target = auditTarget(read, 'log')
  const format = allowedValue(
    FORMATS,
    read.text('audit-log-format') ?? '',
    (given, allowed) => `invalid audit log format ${given}, allowed formats are ${allowed}`,
  )
  return {
    ...target,
    path,
    format,
    maxAgeDays: notNegative(read, 'audit-log-maxage'),
    maxBackups: notNegative(read, 'audit-log-maxbackup'),
    maxBytes: (notNegative(read, 'audit-log-maxsize') || DEFAULT_MEGABYTES) * MEGABYTE,
    compress: read.bool('audit-log-compress'),
  }
}

/** Parses the webhook flags. The initial backoff has two names, of which the older is deprecated. */
function auditWebhookOf(read: FlagReader, configFile: string): AuditWebhookOptions {
  const initialBackoff =
    read.text('audit-webhook-initial-backoff') === undefined ? 'audit-webhook-batch-initial-backoff' : 'audit-webhook-initial-backoff'
  const initialBackoffMs = read.text(initialBackoff) === undefined ? DEFAULT_BACKOFF_MS : read.duration(initialBackoff)
  return { ...auditTarget(read, 'webhook'), configFile, initialBackoffMs }
}

/** Parses the flags shared by both backends. */
function auditTarget(read: FlagReader, plugin: Plugin): AuditTargetOptions {
  const asked = read.text(`audit-${plugin}-mode`) ?? ''
  const mode = allowedValue(MODES, asked, (given, allowed) => `invalid audit ${plugin} mode ${given}, allowed modes are ${allowed}`)
  const batch = batchOf(read, plugin, mode)
  const maxEventBytes = truncationOf(read, plugin)
  if (read.text(`audit-${plugin}-version`) !== VERSION) throw new FlagError(`invalid group version, allowed versions are ["${VERSION}"]`)
  return { mode, batch, maxEventBytes }
}

/** Parses the batch flags. They are only validated in mode batch, as upstream. */
function batchOf(read: FlagReader, plugin: Plugin, mode: AuditMode): BatchOptions {
  const check = (what: string, value: number): number => {
    if (mode === 'batch' && value <= 0) throw new FlagError(`invalid audit batch ${plugin} ${what} ${value}, must be a positive number`)
    return value
  }
  const bufferSize = check('buffer size', read.number(`audit-${plugin}-batch-buffer-size`))
  const maxSize = check('max batch size', read.number(`audit-${plugin}-batch-max-size`))
  const isThrottled = read.bool(`audit-${plugin}-batch-throttle-enable`)
  const throttle = isThrottled
    ? {
        qps: check('throttle QPS', read.number(`audit-${plugin}-batch-throttle-qps`)),
        burst: check('throttle burst', read.number(`audit-${plugin}-batch-throttle-burst`)),
      }
    : undefined
  return { bufferSize, maxSize, maxWaitMs: read.duration(`audit-${plugin}-batch-max-wait`), throttle }
}

/**
 * Returns the size limit of an event, or undefined if truncation is off. Validated even if off, as upstream. The event
 * limit bounds a batch too, because events are added one by one.
 */
function truncationOf(read: FlagReader, plugin: Plugin): number | undefined {
  const eventBytes = read.number(`audit-${plugin}-truncate-max-event-size`)
  const batchBytes = read.number(`audit-${plugin}-truncate-max-batch-size`)
  if (eventBytes <= 0) throw new FlagError(`invalid audit truncate ${plugin} max event size ${eventBytes}, must be a positive number`)
  if (batchBytes < eventBytes)
    throw new FlagError(
      `invalid audit truncate ${plugin} max batch size ${batchBytes}, must be greater than max event size (${eventBytes})`,
    )
  return read.bool(`audit-${plugin}-truncate-enabled`) ? eventBytes : undefined
}

function notNegative(read: FlagReader, name: 'audit-log-maxage' | 'audit-log-maxbackup' | 'audit-log-maxsize'): number {
  const value = read.number(name)
  if (value < 0) throw new FlagError(`--${name} ${value} can't be a negative number`)
  return value
}

function allowedValue<T extends string>(allowed: readonly T[], given: string, message: (given: string, allowed: string) => string): T {
  const found = allowed.find(one => one === given)
  if (found === undefined) throw new FlagError(message(given, JSON.stringify(allowed.join(','))))
  return found
}

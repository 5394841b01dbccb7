import type { AuditLogOptions, AuditMode, AuditOptions } from '../audit/open-auditor.ts'
import type { Reader } from './flag-reader.ts'
import { FlagError, isTrue } from './parse-flags.ts'

const MEGABYTE = 1024 * 1024
/** Of --audit-log-maxsize=0. */
const DEFAULT_MEGABYTES = 100
const MODES = ['batch', 'blocking', 'blocking-strict'] as const
const FORMATS = ['legacy', 'json'] as const
const VERSION = 'audit.k8s.io/v1'

/** How requests are audited. Throws FlagError in kube-apiserver's words. As there, flags of the log are looked at only where there is one. */
export function auditOf(read: Reader): AuditOptions {
  const path = read.text('audit-log-path')
  return { policyFile: read.text('audit-policy-file'), log: path === undefined ? undefined : auditLogOf(read, path) }
}

function auditLogOf(read: Reader, path: string): AuditLogOptions {
  const mode = oneOf(MODES, read.text('audit-log-mode') ?? '', (given, allowed) => `invalid audit log mode ${given}, allowed modes are ${allowed}`)
  const batch = batchOf(read, mode)
  const maxEventBytes = truncationOf(read)
  if (read.text('audit-log-version') !== VERSION) throw new FlagError(`invalid group version, allowed versions are ["${VERSION}"]`)
  const format = oneOf(FORMATS, read.text('audit-log-format') ?? '', (given, allowed) => `invalid audit log format ${given}, allowed formats are ${allowed}`)
  return {
    path,
    format,
    mode,
    batch,
    maxEventBytes,
    maxAgeDays: notNegative(read, 'audit-log-maxage'),
    maxBackups: notNegative(read, 'audit-log-maxbackup'),
    maxBytes: (notNegative(read, 'audit-log-maxsize') || DEFAULT_MEGABYTES) * MEGABYTE,
    compress: isTrue(read.text('audit-log-compress') ?? 'false'),
  }
}

/** Looked at in the mode batch alone. */
function batchOf(read: Reader, mode: AuditMode): AuditLogOptions['batch'] {
  const check = (what: string, value: number): number => {
    if (mode === 'batch' && value <= 0) throw new FlagError(`invalid audit batch log ${what} ${value}, must be a positive number`)
    return value
  }
  const bufferSize = check('buffer size', read.number('audit-log-batch-buffer-size'))
  const maxSize = check('max batch size', read.number('audit-log-batch-max-size'))
  const isThrottled = isTrue(read.text('audit-log-batch-throttle-enable') ?? 'false')
  const throttle = isThrottled
    ? {
        qps: check('throttle QPS', read.number('audit-log-batch-throttle-qps')),
        burst: check('throttle burst', read.number('audit-log-batch-throttle-burst')),
      }
    : undefined
  return { bufferSize, maxSize, maxWaitMs: read.duration('audit-log-batch-max-wait'), throttle }
}

/** Looked at whether it is on or not, as upstream. What one event may have bounds a batch, too: each is written by itself. */
function truncationOf(read: Reader): number | undefined {
  const eventBytes = read.number('audit-log-truncate-max-event-size')
  const batchBytes = read.number('audit-log-truncate-max-batch-size')
  if (eventBytes <= 0) throw new FlagError(`invalid audit truncate log max event size ${eventBytes}, must be a positive number`)
  if (batchBytes < eventBytes)
    throw new FlagError(`invalid audit truncate log max batch size ${batchBytes}, must be greater than max event size (${eventBytes})`)
  return isTrue(read.text('audit-log-truncate-enabled') ?? 'false') ? eventBytes : undefined
}

function notNegative(read: Reader, name: 'audit-log-maxage' | 'audit-log-maxbackup' | 'audit-log-maxsize'): number {
  const value = read.number(name)
  if (value < 0) throw new FlagError(`--${name} ${value} can't be a negative number`)
  return value
}

function oneOf<T extends string>(allowed: readonly T[], given: string, message: (given: string, allowed: string) => string): T {
  const found = allowed.find(one => one === given)
  if (found === undefined) throw new FlagError(message(given, JSON.stringify(allowed.join(','))))
  return found
}

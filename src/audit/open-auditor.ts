import type { Logger } from '../lib/log.ts'
import { type AuditFormat, Auditor } from './auditor.ts'
import type { Retention } from './log/backups.ts'
import { BatchingSink, type BatchOptions } from './log/batching-sink.ts'
import { blockingSink } from './log/blocking-sink.ts'
import { LineWriter } from './log/line-writer.ts'
import { type LogOutput, standardOutput } from './log/output.ts'
import { RotatingFile } from './log/rotating-file.ts'
import type { AuditMetrics } from './metrics.ts'
import { policyEvaluator } from './policy.ts'
import { AuditConfigError, readPolicyFile } from './policy-file.ts'

export type AuditMode = 'batch' | 'blocking' | 'blocking-strict'

/** How requests are audited. */
export interface AuditOptions {
  /** Undefined: nothing is audited. */
  readonly policyFile: string | undefined
  /** Undefined: likewise. */
  readonly log: AuditLogOptions | undefined
}

export interface AuditLogOptions extends Retention {
  /** `-` is standard output. */
  readonly path: string
  readonly maxBytes: number
  readonly format: AuditFormat
  readonly mode: AuditMode
  readonly batch: BatchOptions
  readonly maxEventBytes: number | undefined
}

interface AuditParts {
  readonly metrics: AuditMetrics
  readonly log: Logger
  readonly now: () => number
}

/** Reads the policy and opens the log. Undefined where one of them is not wanted: both are looked at all the same. Throws AuditConfigError. */
export async function openAuditor({ policyFile, log: wanted }: AuditOptions, { metrics, log, now }: AuditParts): Promise<Auditor | undefined> {
  const policy = policyFile === undefined ? undefined : await readPolicyFile(policyFile, message => log.warn(message))
  const output = wanted && (await openOutput(wanted, log, now))
  if (wanted === undefined || output === undefined) return undefined
  if (policy === undefined) {
    log.info('No audit policy file provided, no events will be recorded for log backend')
    await output.close()
    return undefined
  }
  const { mode, batch, format, maxEventBytes } = wanted
  const parts = { writer: new LineWriter(output), metrics, log }
  const sink = mode === 'batch' ? new BatchingSink(parts, batch) : blockingSink(parts, mode === 'blocking-strict')
  return new Auditor({ evaluate: policyEvaluator(policy), sink, format, maxEventBytes, metrics, log })
}

async function openOutput({ path, ...rest }: AuditLogOptions, log: Logger, now: () => number): Promise<LogOutput> {
  if (path === '-') return standardOutput
  try {
    return await RotatingFile.open({ ...rest, file: path, now, log })
  } catch (error) {
    throw new AuditConfigError(`ensureLogFile: ${error instanceof Error ? error.message : String(error)}`)
  }
}

import type { AuditOptions } from '../audit/open-auditor.ts'
import type { Release } from '../lifecycle/release.ts'
import type { MetricExposure } from '../server/metrics/metric-exposure.ts'
import { auditOf } from './audit-config.ts'
import type { FlagReader } from './flag-reader.ts'
import { metricsOf } from './metrics-config.ts'
import { FlagError, type GivenFlags } from './parse-flags.ts'

/** Logs, metrics and records of requests. */
export interface ObservabilityConfig {
  readonly audit: AuditOptions
  /** Metrics to expose. */
  readonly metrics: MetricExposure
  /** Number of requests that are kept for `why`. 0 disables it. */
  readonly why: number
  readonly verbosity: number
  /** Flags as given, for `/flagz`. */
  readonly flags: GivenFlags
  readonly loggingFormat: 'text' | 'json'
  /**
   * Log messages: deprecated flags and gates, and features that are requested but not implemented, without which the
   * server allows less.
   */
  readonly warnings: readonly string[]
}

/** Parses the flags of logs, metrics and records. Throws FlagError. `warnings`: of the metrics. */
export function observabilityOf(
  read: FlagReader,
  release: Release,
): { readonly observability: Omit<ObservabilityConfig, 'warnings' | 'flags'>; readonly warnings: readonly string[] } {
  const { exposure, warnings } = metricsOf(read, release)
  return {
    observability: {
      audit: auditOf(read),
      metrics: exposure,
      why: whyOf(read),
      verbosity: read.int('v', 0),
      loggingFormat: loggingFormatOf(read.text('logging-format') ?? 'text'),
    },
    warnings,
  }
}

/** Maximum of --why. More could not be listed and searched. */
const MOST_WHY = 100_000

function whyOf(read: FlagReader): number {
  const why = read.int('why', 0)
  if (why > MOST_WHY) throw new FlagError(`--why: must be at most ${MOST_WHY}`)
  return why
}

/** Parses component-base's --logging-format. Throws FlagError. */
function loggingFormatOf(text: string): 'text' | 'json' {
  if (text === 'text' || text === 'json') return text
  throw new FlagError(`--logging-format: unsupported log format ${JSON.stringify(text)}; it may be text or json`)
}

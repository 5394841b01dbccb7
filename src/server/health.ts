import { errorMessage } from '../lib/error-message.ts'
import type { Logger } from '../lib/log.ts'
import { printValue } from '../meta/field-error.ts'

export type HealthEndpoint = 'healthz' | 'livez' | 'readyz'

/** One thing that must be well. */
export interface HealthCheck {
  /** Unique; also the last segment of its own path. */
  readonly name: string
  /** Absent: all three. */
  readonly endpoints?: readonly HealthEndpoint[]
  /** A report that is asked for in full tells of it; none fails by it, or waits for it otherwise. */
  readonly informs?: boolean
  /** Longest time that it may take before it counts as failed. Default: two seconds. */
  readonly timeoutMs?: number
  /** It says whether the server has begun: on `/livez` it counts once the time for that is over. */
  readonly atStart?: boolean
  /** Optional. Says why the check still fails. Every client can read it in the report of all checks. Default: `reason withheld`. */
  readonly progress?: () => string
  /** Optional. A word on a check that passes, for the report of all checks. */
  readonly note?: () => string | undefined
  /** Throws, or rejects, while it is not well. */
  check(endpoint: HealthEndpoint): void | Promise<void>
}

export interface HealthReport {
  readonly status: 200 | 500
  readonly text: string
}

/** Longest time a check may take before it counts as failed. */
const CHECK_TIMEOUT_MS = 2_000

/** `/healthz`, `/livez` and `/readyz` with their texts as kube-apiserver prints them (https://kubernetes.io/docs/reference/using-api/health-checks/). */
export class Health {
  private readonly checks: HealthCheck[] = []
  private readonly log: Logger
  private readonly now: () => number
  private readonly graceEnd: number

  /** `graceMs`: for what a server begins with, by `--livez-grace-period`; of the clock `now`. */
  constructor(log: Logger, { graceMs, now }: { readonly graceMs: number; readonly now: () => number } = { graceMs: 0, now: () => 0 }) {
    this.log = log
    this.now = now
    this.graceEnd = now() + graceMs
  }

  add(...checks: readonly HealthCheck[]): void {
    this.checks.push(...checks)
  }

  /** The report of all checks of the endpoint, in full where asked for or where one fails. */
  async report(endpoint: HealthEndpoint, query: URLSearchParams): Promise<HealthReport> {
    const excluded = new Set(query.getAll('exclude'))
    const unknown = new Set(excluded)
    const failed: string[] = []
    const checks = this.of(endpoint).filter(check => !check.informs || query.has('verbose'))
    const lines = await Promise.all(
      checks.map(async check => {
        if (unknown.delete(check.name) || excluded.has(check.name)) return `[+]${check.name} excluded: ok\n`
        const reason = await this.run(endpoint, check)
        if (reason === undefined) return passed(check)
        if (!check.informs) failed.push(check.name)
        this.log.debug(2, 'health check failed', { endpoint, check: check.name, reason })
        return `[-]${check.name} failed: ${check.progress?.() || 'reason withheld'}\n`
      }),
    )
    if (unknown.size > 0) lines.push(`warn: some health checks cannot be excluded: no matches for ${[...unknown].sort().map(printValue).join(',')}\n`)
    if (failed.length > 0) return { status: 500, text: `${lines.join('')}${endpoint} check failed\n` }
    return { status: 200, text: query.has('verbose') ? `${lines.join('')}${endpoint} check passed\n` : 'ok' }
  }

  /** The report of one check; undefined where there is none of that name. */
  async reportOne(endpoint: HealthEndpoint, name: string): Promise<HealthReport | undefined> {
    const check = this.of(endpoint).find(one => one.name === name)
    if (check === undefined) return undefined
    const reason = await this.run(endpoint, check)
    return reason === undefined ? { status: 200, text: 'ok' } : { status: 500, text: `internal server error: ${reason}\n` }
  }

  private of(endpoint: HealthEndpoint): HealthCheck[] {
    return this.checks.filter(check => check.endpoints?.includes(endpoint) ?? true)
  }

  private async run(endpoint: HealthEndpoint, check: HealthCheck): Promise<string | undefined> {
    if (endpoint === 'livez' && check.atStart && this.now() < this.graceEnd) return undefined
    let timer: NodeJS.Timeout | undefined
    try {
      const running = check.check(endpoint)
      if (running === undefined) return undefined
      const late = new Promise<never>((_, reject) => {
        timer = setTimeout(() => reject(new Error('the check took too long')), check.timeoutMs ?? CHECK_TIMEOUT_MS)
      })
      await Promise.race([running, late])
      return undefined
    } catch (error) {
      return errorMessage(error)
    } finally {
      clearTimeout(timer)
    }
  }
}

/** The line of a check that passes. */
function passed({ name, note }: HealthCheck): string {
  const word = note?.()
  return word === undefined ? `[+]${name} ok\n` : `[+]${name} ok: ${word}\n`
}

import { errorMessage } from '../lib/error-message.ts'
import type { Logger } from '../lib/log.ts'
import { printValue } from '../meta/field-error.ts'

/** Name of an endpoint, which is its path without the slash. */
export type HealthEndpoint = 'healthz' | 'livez' | 'readyz'

/** A condition of the server's health. */
export interface HealthCheck {
  /** Unique. It is the last segment of the check's own path. */
  readonly name: string
  /** Defaults to all three. */
  readonly endpoints?: readonly HealthEndpoint[]
  /**
   * Whether the check only informs: it is listed by `?verbose`, and never makes a report fail. It does not run
   * otherwise.
   */
  readonly informs?: boolean
  /** Milliseconds before a check that has not finished counts as failed. Defaults to 2000. */
  readonly timeoutMs?: number
  /** Whether the check reports that startup is complete. It counts on `/livez` only after the grace period. */
  readonly atStart?: boolean
  /**
   * Optional. Returns why the check still fails. Every client can read it in the report of all checks. Defaults to
   * `reason withheld`.
   */
  readonly progress?: () => string
  /** Optional. Returns a note on a check that passes, for the report of all checks. */
  readonly note?: () => string | undefined
  /** Throws, or rejects, while the condition does not hold. */
  check(endpoint: HealthEndpoint): void | Promise<void>
}

/** Result of health checks, as an HTTP status and its text. */
export interface HealthReport {
  readonly status: 200 | 500
  readonly text: string
}

/** Default time limit of a check. */
const CHECK_TIMEOUT_MS = 2_000

/**
 * `/healthz`, `/livez` and `/readyz` with their texts as kube-apiserver prints them
 * (https://kubernetes.io/docs/reference/using-api/health-checks/).
 */
export class Health {
  readonly #checks: HealthCheck[] = []
  readonly #log: Logger
  readonly #now: () => number
  readonly #graceEnd: number

  /** `graceMs`: `--livez-grace-period`, from now on. `now`: a clock in milliseconds. */
  constructor(log: Logger, { graceMs, now }: { readonly graceMs: number; readonly now: () => number } = { graceMs: 0, now: () => 0 }) {
    this.#log = log
    this.#now = now
    this.#graceEnd = now() + graceMs
  }

  add(...checks: readonly HealthCheck[]): void {
    this.#checks.push(...checks)
  }

  /** Runs all checks of the endpoint. Lists them if one fails or the query has `verbose`. */
  async report(endpoint: HealthEndpoint, query: URLSearchParams): Promise<HealthReport> {
    const excluded = new Set(query.getAll('exclude'))
    const unknown = new Set(excluded)
    const failed: string[] = []
    const checks = this.#of(endpoint).filter(check => !check.informs || query.has('verbose'))
    const lines = await Promise.all(
      checks.map(async check => {
        if (unknown.delete(check.name) || excluded.has(check.name)) return `[+]${check.name} excluded: ok\n`
        const reason = await this.#run(endpoint, check)
        if (reason === undefined) return passed(check)
        if (!check.informs) failed.push(check.name)
        this.#log.debug(2, 'health check failed', { endpoint, check: check.name, reason })
        return `[-]${check.name} failed: ${check.progress?.() || 'reason withheld'}\n`
      }),
    )
    if (unknown.size > 0)
      lines.push(`warn: some health checks cannot be excluded: no matches for ${[...unknown].sort().map(printValue).join(',')}\n`)
    if (failed.length > 0) return { status: 500, text: `${lines.join('')}${endpoint} check failed\n` }
    return { status: 200, text: query.has('verbose') ? `${lines.join('')}${endpoint} check passed\n` : 'ok' }
  }

  /**
   * Returns a check of the endpoint that fails, undefined if all pass. Runs them in order up to the first that fails,
   * and `suspect`, such as the result of the last call, before all others.
   */
  async failing(endpoint: HealthEndpoint, suspect?: HealthCheck): Promise<HealthCheck | undefined> {
    if (suspect && (await this.#run(endpoint, suspect)) !== undefined) return suspect
    for (const check of this.#of(endpoint)) if (!check.informs && (await this.#run(endpoint, check)) !== undefined) return check
    return undefined
  }

  /** Runs one check. Returns undefined if the endpoint has no check of that name. */
  async reportOne(endpoint: HealthEndpoint, name: string): Promise<HealthReport | undefined> {
    const check = this.#of(endpoint).find(one => one.name === name)
    if (check === undefined) return undefined
    const reason = await this.#run(endpoint, check)
    return reason === undefined ? { status: 200, text: 'ok' } : { status: 500, text: `internal server error: ${reason}\n` }
  }

  #of(endpoint: HealthEndpoint): HealthCheck[] {
    return this.#checks.filter(check => check.endpoints?.includes(endpoint) ?? true)
  }

  /**
   * Returns why the check fails, undefined if it passes. A check that is too late is not cancelled; its end is ignored.
   */
  async #run(endpoint: HealthEndpoint, check: HealthCheck): Promise<string | undefined> {
    if (endpoint === 'livez' && check.atStart && this.#now() < this.#graceEnd) return undefined
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

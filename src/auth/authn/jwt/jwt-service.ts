import { aggregate } from '../../../lib/aggregate.ts'
import { steadyClock } from '../../../lib/clock.ts'
import type { MetricFamily } from '../../../lib/metrics.ts'
import { isSince } from '../../../lifecycle/release.ts'
import { fieldErrorText } from '../../../meta/field-error.ts'
import { fieldPath } from '../../../meta/field-path.ts'
import type { TokenAuthenticator } from '../token.ts'
import { cachedTokens } from '../token-cache.ts'
import type { TokenCacheMetrics } from '../token-cache-metrics.ts'
import type { AuthenticationConfiguration } from './configuration.ts'
import { AuthenticationConfigError } from './configuration-file.ts'
import { disallowedIssuer } from './issuer-validation.ts'
import type { JwtOptions } from './jwt-authenticator.ts'
import { type JwtAuthenticators, jwtAuthenticators } from './jwt-authenticators.ts'
import { type CompiledJwt, validateConfiguration } from './validation.ts'
import type { ValidationRules } from './validation-rules.ts'

/** Authenticates tokens of the current configuration, which can be replaced. */
export interface JwtService {
  /** Authenticator of the current configuration. It caches accepted tokens. */
  readonly tokens: TokenAuthenticator
  readonly metrics: readonly MetricFamily[]
  /** Returns the reason why some current issuers are not ready. Undefined if all are. */
  fault(): string | undefined
  /** Replaces the authenticators. Requests that use the previous ones have a minute to finish. */
  replace(next: JwtAuthenticators): void
  /** Closes current and former authenticators. */
  close(): void
}

/** Dependencies of the service. */
export interface JwtServiceOptions extends JwtOptions {
  /** Rules of the release by which configurations are validated. */
  readonly rules: ValidationRules
  /** Audiences of the server (`--api-audiences`). */
  readonly serverAudiences: readonly string[]
  readonly cacheMetrics: TokenCacheMetrics
}

/** Cache lifetime of accepted tokens, in milliseconds: that of kube-apiserver. */
const CACHE_MS = 10_000
/** Time until replaced authenticators are closed, in milliseconds. */
const LINGER_MS = 60_000

/**
 * Creates the service from the configuration at start. Throws AuthenticationConfigError with kube-apiserver's message.
 */
export function openJwtService(configuration: AuthenticationConfiguration, options: JwtServiceOptions): JwtService {
  const { rules, serverAudiences, cacheMetrics } = options
  let current = jwtAuthenticators(compiledAtStart(configuration, rules), serverAudiences, options)
  const former = new Map<JwtAuthenticators, NodeJS.Timeout>()
  return {
    tokens: cachedTokens((token, audiences) => current.authenticate(token, audiences), {
      ttlMs: CACHE_MS,
      now: () => steadyClock.now(),
      metrics: cacheMetrics,
    }),
    metrics: options.metrics.families,
    fault: () => current.fault(),
    replace(next) {
      const before = current
      current = next
      for (const issuer of before.issuers) if (!next.issuers.includes(issuer)) options.metrics.forget(issuer)
      const timer = setTimeout(() => {
        before.close()
        former.delete(before)
      }, LINGER_MS)
      timer.unref()
      former.set(before, timer)
    },
    close() {
      current.close()
      for (const [before, timer] of former) {
        clearTimeout(timer)
        before.close()
      }
    },
  }
}

/**
 * Validates the configuration at start. Overlaps with the server's own issuers are reported with other paths then,
 * because kube-apiserver detects them when it creates the authenticators.
 */
function compiledAtStart(configuration: AuthenticationConfiguration, rules: ValidationRules): readonly CompiledJwt[] {
  const { errors, compiled } = validateConfiguration(configuration, { ...rules, disallowedIssuers: [] })
  const prefix = isSince(rules.release, '1.34') ? 'invalid authentication configuration: ' : ''
  if (errors.length > 0) throw new AuthenticationConfigError(prefix + aggregate(errors.map(fieldErrorText)))
  for (const { issuer } of configuration.jwt)
    if (rules.disallowedIssuers.includes(issuer.url) && isSince(rules.release, '1.30'))
      throw new AuthenticationConfigError(fieldErrorText(disallowedIssuer(issuer.url, fieldPath('issuer', 'url'), rules.disallowedIssuers)))
  return compiled
}

import { aggregate } from '../../../lib/aggregate.ts'
import { steadyClock } from '../../../lib/clock.ts'
import { DEADLINE } from '../../../lib/deadline.ts'
import { errorMessage } from '../../../lib/error-message.ts'
import { followFile } from '../../../lib/follow-file.ts'
import { pause } from '../../../lib/pause.ts'
import { fieldErrorText, forbidden } from '../../../meta/field-error.ts'
import { fieldPath } from '../../../meta/field-path.ts'
import type { ReloadMetrics } from '../../reload-metrics.ts'
import type { AnonymousConfiguration, AuthenticationConfiguration } from './configuration.ts'
import { AuthenticationConfigError, parseAuthenticationConfiguration } from './configuration-file.ts'
import { jwtAuthenticators } from './jwt-authenticators.ts'
import type { JwtService, JwtServiceOptions } from './jwt-service.ts'
import { type CompiledJwt, validateConfiguration } from './validation.ts'

/** Options of `followConfiguration`. */
export interface FollowOptions extends JwtServiceOptions {
  readonly file: string
  /** Content of the configuration in force. */
  readonly bytes: Buffer
  /** Anonymous access at start. It cannot change without a restart. */
  readonly anonymous: AnonymousConfiguration | undefined
  readonly service: JwtService
  readonly reloads: ReloadMetrics
  /** Interval between checks of the file's modification time, in milliseconds. */
  readonly intervalMs: number
  /** Time for the issuers of a new configuration to become ready, in milliseconds. */
  readonly readyMs: number
}

const READY_INTERVAL_MS = 100

/**
 * Applies the file whenever it changes, until the signal aborts. A configuration that is invalid, or whose issuers are
 * unreachable, is not applied. An invalid file is not retried until it changes; other failures are retried.
 */
export function followConfiguration(options: FollowOptions, signal: AbortSignal): Promise<void> {
  const { file, bytes, intervalMs, log, reloads, now } = options
  const changed = async (next: Buffer): Promise<void> => {
    await takeUp(next, options, signal)
    reloads.reloaded('success', now())
    reloads.configured(next)
    log.info('reloaded authentication config', { file })
  }
  const failed = (error: unknown): boolean => {
    reloads.reloaded('failure', now())
    log.error('failed to reload authentication config', { file, error: errorMessage(error) })
    return !(error instanceof AuthenticationConfigError)
  }
  return followFile({ file, bytes, intervalMs, changed, failed }, signal)
}

/**
 * Replaces the authenticators once the issuers of the new configuration are ready. Throws if that takes longer than
 * `readyMs`.
 */
async function takeUp(bytes: Buffer, options: FollowOptions, signal: AbortSignal): Promise<void> {
  const { rules, serverAudiences, service, readyMs } = options
  const configuration = parseAuthenticationConfiguration(bytes, rules.release)
  const next = jwtAuthenticators(compiledOf(configuration, options), serverAudiences, options)
  const until = steadyClock.now() + readyMs
  for (;;) {
    const fault = next.fault()
    if (fault === undefined) break
    if (steadyClock.now() < until && (await pause(READY_INTERVAL_MS, signal))) continue
    next.close()
    throw new Error(aggregate([fault, DEADLINE]))
  }
  service.replace(next)
}

function compiledOf(configuration: AuthenticationConfiguration, { rules, anonymous }: FollowOptions): readonly CompiledJwt[] {
  const { errors, compiled } = validateConfiguration(configuration, rules)
  if (!sameAnonymous(configuration.anonymous, anonymous))
    errors.push(forbidden(fieldPath('anonymous'), 'changed from initial configuration file'))
  if (errors.length > 0) throw new AuthenticationConfigError(aggregate(errors.map(fieldErrorText)))
  return compiled
}

const sameAnonymous = (a: AnonymousConfiguration | undefined, b: AnonymousConfiguration | undefined): boolean =>
  JSON.stringify(a) === JSON.stringify(b)

import { readFile, stat } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { aggregate } from '../../../lib/aggregate.ts'
import { steadyClock } from '../../../lib/clock.ts'
import { errorMessage } from '../../../lib/error-message.ts'
import { fieldErrorText, forbidden } from '../../../meta/field-error.ts'
import { fieldPath } from '../../../meta/field-path.ts'
import type { AnonymousConfiguration, AuthenticationConfiguration } from './configuration.ts'
import { AuthenticationConfigError, parseAuthenticationConfiguration } from './configuration-file.ts'
import { jwtAuthenticators } from './jwt-authenticators.ts'
import type { JwtService, JwtServiceOptions } from './jwt-service.ts'
import { type CompiledJwt, validateConfiguration } from './validation.ts'

export interface FollowOptions extends JwtServiceOptions {
  readonly file: string
  /** What is in force. */
  readonly text: string
  /** Of the file at start: it can't change. */
  readonly anonymous: AnonymousConfiguration | undefined
  readonly service: JwtService
  /** Between two looks at the times of the file. */
  readonly intervalMs: number
  /** How long issuers of a new configuration have to become ready. */
  readonly readyMs: number
}

/** However its times are, the file is read so often. */
const READ_ANYWAY_MS = 60_000
const READY_INTERVAL_MS = 100

/**
 * Takes up what the file says whenever it has changed, until the signal aborts. A configuration that is wrong, or whose issuers can't be reached, changes nothing. What is wrong stays so until the file changes; all else
 * is tried again.
 */
export async function followConfiguration(options: FollowOptions, signal: AbortSignal): Promise<void> {
  const { file, intervalMs } = options
  let text = options.text
  let seen: string | undefined
  let readAt = steadyClock.now()
  do {
    const stamp = await stampOf(file)
    if (stamp === seen && steadyClock.now() - readAt < READ_ANYWAY_MS) continue
    seen = stamp
    readAt = steadyClock.now()
    text = await look(text, options, signal)
  } while (await passed(intervalMs, signal))
}

/** Returns the text that need not be looked at again. */
async function look(before: string, options: FollowOptions, signal: AbortSignal): Promise<string> {
  const { file, log, metrics, now } = options
  let text = before
  try {
    const bytes = await readFile(file)
    text = bytes.toString()
    if (text === before) return before
    await takeUp(bytes, options, signal)
    metrics.reloaded('success', now())
    metrics.configured(text)
    log.info('reloaded authentication config', { file })
    return text
  } catch (error) {
    if (signal.aborted) return before
    metrics.reloaded('failure', now())
    log.error('failed to reload authentication config', { file, error: errorMessage(error) })
    return error instanceof AuthenticationConfigError ? text : before
  }
}

async function takeUp(bytes: Buffer, options: FollowOptions, signal: AbortSignal): Promise<void> {
  const { rules, serverAudiences, service, readyMs } = options
  const configuration = parseAuthenticationConfiguration(bytes, rules.release)
  const next = jwtAuthenticators(compiledOf(configuration, options), serverAudiences, options)
  const until = steadyClock.now() + readyMs
  for (;;) {
    const fault = next.fault()
    if (fault === undefined) break
    if (steadyClock.now() < until && (await passed(READY_INTERVAL_MS, signal))) continue
    next.close()
    throw new Error(aggregate([fault, 'context deadline exceeded']))
  }
  service.replace(next)
}

function compiledOf(configuration: AuthenticationConfiguration, { rules, anonymous }: FollowOptions): readonly CompiledJwt[] {
  const { errors, compiled } = validateConfiguration(configuration, rules)
  if (!sameAnonymous(configuration.anonymous, anonymous)) errors.push(forbidden(fieldPath('anonymous'), 'changed from initial configuration file'))
  if (errors.length > 0) throw new AuthenticationConfigError(aggregate(errors.map(fieldErrorText)))
  return compiled
}

const sameAnonymous = (a: AnonymousConfiguration | undefined, b: AnonymousConfiguration | undefined): boolean => JSON.stringify(a) === JSON.stringify(b)

/** Changes with the file, and where another takes its place; undefined: it is not there. */
async function stampOf(file: string): Promise<string | undefined> {
  try {
    const { mtimeMs, size, ino } = await stat(file)
    return `${mtimeMs} ${size} ${ino}`
  } catch {
    return undefined
  }
}

const passed = (ms: number, signal: AbortSignal): Promise<boolean> =>
  sleep(ms, undefined, { signal, ref: false }).then(
    () => true,
    () => false,
  )

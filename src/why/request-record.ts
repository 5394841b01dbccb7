import type { Json } from '../api/meta/object.ts'
import type { RequestInfo, User } from '../meta/context.ts'
import type { RequestNotes } from '../meta/request-notes.ts'
import type { Status } from '../meta/status.ts'
import type { WhyChanges, WhyStep, WhyUser } from '../meta/why.ts'
import { cloneSmall, isSmall, valueChanges } from './changes.ts'
import { isSecret, REDACTED, redactedChanges } from './redaction.ts'
import type { Why } from './types.ts'

/** Maximum number of steps of a request, and characters of their JSON. Further steps are only counted. */
const MOST_STEPS = 300
const MOST_CHARACTERS = 32 * 1024
const LONGEST_TEXT = 1024
/** Status reasons whose messages name an object but never quote a value of it. */
const QUOTES_NOTHING: ReadonlySet<string> = new Set([
  'AlreadyExists',
  'Conflict',
  'Expired',
  'NotFound',
  'Timeout',
  'TooManyRequests',
  'Unauthorized',
])
const LONGEST_LIST = 100
/** Members and characters up to which a value needs no truncation. */
const SHORT = 1000

/** Records the steps of a request. Each step is encoded immediately, so that the record retains no object or body. */
export class RequestRecord implements RequestNotes {
  /** JSON of each step, in order. */
  readonly steps: string[] = []
  /** Number of steps that were not recorded. */
  omitted = 0
  /** Status of the response, if it is one. */
  status: Status | undefined
  readonly #begun: number
  readonly #info: () => RequestInfo | undefined
  readonly #onBegin: () => void
  #mediaType: string | undefined
  #characters = 0
  #isOver = false
  #isDenied = false

  /** `info`: returns undefined until the request is parsed. `onBegin`: called when a streamed response begins. */
  constructor(info: () => RequestInfo | undefined, onBegin: () => void = () => {}) {
    this.#info = info
    this.#onBegin = onBegin
    this.#begun = performance.now()
  }

  /**
   * Records a step with its time. Secrets are removed and long values truncated first. Beyond the limits, steps are
   * only counted.
   */
  note(step: WhyStep): void {
    if (this.#isOver) return
    if (this.steps.length >= MOST_STEPS || this.#characters > MOST_CHARACTERS) {
      this.omitted++
      return
    }
    if (step.step === 'authorized' && step.decision !== 'allow') this.#isDenied = true
    const shown = this.#withoutSecrets(step)
    const at = roundMilliseconds(performance.now() - this.#begun)
    const text = JSON.stringify({ at, ...(isShort(shown) ? shown : bounded(shown)), ...roundedTimes(step) })
    if (this.#characters + text.length > 2 * MOST_CHARACTERS) {
      this.omitted++
      return
    }
    this.steps.push(text)
    this.#characters += text.length
  }

  /** Returns a copy of a value for a later comparison. Undefined if it is too large or the request has ended. */
  keep(value: Json | undefined): Json | undefined {
    return this.#isOver ? undefined : cloneSmall(value)
  }

  changes(kept: Json | undefined, now: Json | undefined): WhyChanges {
    return valueChanges(kept, now)
  }

  /** Whether the bodies of the request are secrets. False until the request is parsed. */
  get isAboutSecret(): boolean {
    const info = this.#info()
    return info !== undefined && isSecret(info)
  }

  /** Records that a response of unknown length begins. The media type of a proxied response is not known. */
  begins(mediaType?: string): void {
    this.#mediaType = mediaType
    this.#onBegin()
  }

  /** Records the media type of the response. */
  answersIn(mediaType: string): void {
    this.#mediaType = mediaType
  }

  answersStatus(status: Status): void {
    this.status = status
  }

  /** Returns the response's part of a record. Messages that may quote a secret are left out. */
  get answer(): Why['answer'] {
    const { message, reason = '', details } = this.status ?? {}
    // The message of an invalid value quotes it.
    const isTold = !this.isAboutSecret || this.#isDenied || QUOTES_NOTHING.has(reason)
    const shown = {
      ...(this.#mediaType !== undefined && { mediaType: this.#mediaType }),
      ...(isTold && message !== undefined && { message }),
      ...(isTold && details?.causes && { causes: details.causes }),
    }
    return bounded(shown)
  }

  /** Stops recording: work that the request has started may outlive it. */
  end(): void {
    this.#isOver = true
  }

  /** Removes values that a reader of the record may not see: those of Secrets always, and texts that may quote them. */
  #withoutSecrets(step: WhyStep): WhyStep {
    const secret = this.isAboutSecret
    if ('changes' in step && step.changes !== undefined) return { ...step, changes: redactedChanges(step.changes, secret) }
    if ('patch' in step && step.patch !== undefined)
      return { ...step, patch: isSmallPatch(step.patch) ? redactedChanges(step.patch, secret) : 'too large' }
    // Texts of webhooks and policies may quote the secret.
    if (!secret) return step
    if (step.step === 'warning') return { ...step, text: REDACTED }
    if (step.step === 'audit annotation') return { ...step, value: REDACTED }
    if (step.step === 'webhook' && step.message !== undefined) return { ...step, message: REDACTED }
    if (step.step === 'policy' && step.messages) return { ...step, messages: step.messages.map(() => REDACTED) }
    return step
  }
}

const isSmallPatch = (patch: WhyChanges): boolean =>
  patch === 'too large' || patch.every(({ value }) => value === undefined || isSmall(value))

/** Rounds to microseconds. */
export const roundMilliseconds = (time: number): number => Math.round(time * 1000) / 1000

/** Reports whether a value has bounded length and no bigint, which JSON cannot represent. Most values do. */
function isShort(value: unknown): boolean {
  let room = SHORT
  const fits = (one: unknown): boolean => {
    if (typeof one === 'bigint') return false
    room -= typeof one === 'string' ? one.length : 1
    if (room < 0) return false
    if (typeof one !== 'object' || one === null) return true
    for (const name in one) {
      room -= name.length
      if (!fits(Reflect.get(one, name))) return false
    }
    return true
  }
  return fits(value)
}

const roundedTimes = (step: WhyStep) => ({
  ...('milliseconds' in step && { milliseconds: roundMilliseconds(step.milliseconds) }),
  ...('waited' in step && { waited: roundMilliseconds(step.waited) }),
})

/** Truncates strings and lists of a value. */
function bounded(value: unknown): object {
  let room = MOST_CHARACTERS
  const text = (one: string): string => {
    room -= one.length
    return room < 0 ? '…' : one.length > LONGEST_TEXT ? `${one.slice(0, LONGEST_TEXT)}…` : one
  }
  const cut = (one: unknown): unknown => {
    if (typeof one === 'string') return text(one)
    if (typeof one === 'bigint') return Number(one)
    if (Array.isArray(one)) return one.slice(0, LONGEST_LIST).map(cut)
    if (typeof one !== 'object' || one === null) return one
    return Object.fromEntries(
      Object.entries(one)
        .slice(0, LONGEST_LIST)
        .map(([name, member]) => [text(name), cut(member)]),
    )
  }
  return Object(cut(value))
}

/** Prefix of extra attributes that identify a credential without revealing it. */
const SHOWN_EXTRA = 'authentication.kubernetes.io/'

/** Returns a user without values of extra attributes that may be secret. */
export function whyUser({ name, uid, groups, extra }: User): WhyUser {
  return {
    name,
    ...(uid !== undefined && { uid }),
    groups,
    ...(extra && {
      extra: Object.fromEntries(Object.entries(extra).map(([key, values]) => [key, key.startsWith(SHOWN_EXTRA) ? values : [REDACTED]])),
    }),
  }
}

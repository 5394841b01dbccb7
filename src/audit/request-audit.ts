import type { User } from '../meta/context.ts'
import type { ResponseStatus } from '../meta/status.ts'
import type { Auditor } from './auditor.ts'
import type { AuditEvent } from './event.ts'

/**
 * The stages of an audited request, each of which is reported once. A method may return a promise that the request has
 * to wait for.
 */
export class RequestAudit {
  readonly event: AuditEvent
  readonly #auditor: Auditor
  /** Whether the request failed before it was authenticated. Upstream then only writes an event for its response. */
  readonly #failedEarly: boolean
  #begun = false
  #panicking = false
  #over = false

  constructor(auditor: Auditor, event: AuditEvent, failedEarly = false) {
    this.#auditor = auditor
    this.event = event
    this.#failedEarly = failedEarly
  }

  /** Reports the stage RequestReceived. Resolves with false if the request must fail. */
  async received(): Promise<boolean> {
    const done = this.#auditor.process(this.event, 'RequestReceived')
    if (!this.#auditor.waits || (await done)) return true
    this.#auditor.metrics.rejected.value++
    this.#over = true
    return false
  }

  /** Records the impersonated user. `constraint`: verb of the constrained impersonation mode. */
  impersonates(user: User, constraint?: string): void {
    this.event.impersonated = user
    this.event.impersonationConstraint = constraint
  }

  /** Records the Status of the response without its code, which `answers` sets. */
  status(status: ResponseStatus): void {
    if (!this.#panicking) this.event.answersStatus(status)
  }

  /** Records that a bug caused the response. */
  panicked(message: string): void {
    this.event.status = {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: `APIServer panic'd: ${message}`,
      reason: 'InternalError',
    }
    this.event.responseBody = undefined
    this.#panicking = true
  }

  /** Reports that the head of a response of unknown length is sent. */
  begins(code: number): void {
    this.event.code = code
    void this.#started()
  }

  /** Reports that a complete response is about to be sent. As upstream, it is sent when its event is written. */
  answers(code: number): Promise<unknown> | undefined {
    if (this.#over) return undefined
    this.event.code = code
    const done = Promise.all([this.#started(), this.#ended()])
    return this.#auditor.waits ? done : undefined
  }

  /** Reports that the request is over. Without a response, the client has disconnected. */
  ends(): Promise<unknown> | undefined {
    if (this.#over) return undefined
    const { event } = this
    if (event.code === 0)
      event.status = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', message: 'Connection closed early' }
    if (event.code === 0) event.code = 200
    const done = Promise.all([this.#started(), this.#ended()])
    return this.#auditor.waits ? done : undefined
  }

  /**
   * Reports the stage ResponseStarted. Only long-running requests have it; requests that failed early have no other.
   */
  async #started(): Promise<void> {
    if (this.#begun || this.#over || this.#panicking || !(this.#failedEarly || this.event.request.longRunning)) return
    this.#begun = true
    await this.#auditor.process(this.event, 'ResponseStarted')
  }

  async #ended(): Promise<void> {
    if (this.#over) return
    this.#over = true
    if (!this.#failedEarly) await this.#auditor.process(this.event, this.#panicking ? 'Panic' : 'ResponseComplete')
  }
}

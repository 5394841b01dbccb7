import type { User } from '../meta/context.ts'
import type { AnsweredStatus } from '../meta/status.ts'
import type { Auditor } from './auditor.ts'
import type { AuditEvent } from './event.ts'

/** The stages of one audited request, each of which is reported once. Its methods are called as the request goes on; what they return is what is to be waited for, undefined: nothing. */
export class RequestAudit {
  readonly event: AuditEvent
  private readonly auditor: Auditor
  /** It has failed before anybody has been authenticated, and upstream writes no more of it than its answer. */
  private readonly failedEarly: boolean
  private begun = false
  private panicking = false
  private over = false

  constructor(auditor: Auditor, event: AuditEvent, failedEarly = false) {
    this.auditor = auditor
    this.event = event
    this.failedEarly = failedEarly
  }

  /** Resolves with false where the request must not go on. */
  async received(): Promise<boolean> {
    const done = this.auditor.process(this.event, 'RequestReceived')
    if (!this.auditor.waits || (await done)) return true
    this.auditor.metrics.rejected.value++
    this.over = true
    return false
  }

  /** Its user acts as this one. `constraint`: the verb of the mode of impersonation, where that is constrained. */
  impersonates(user: User, constraint?: string): void {
    this.event.impersonated = user
    this.event.impersonationConstraint = constraint
  }

  /** What is answered is this Status, of which `answers` has the code. */
  status(status: AnsweredStatus): void {
    if (!this.panicking) this.event.answersStatus(status)
  }

  /** What follows is the answer to a bug. */
  panicked(message: string): void {
    this.event.status = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message: `APIServer panic'd: ${message}`, reason: 'InternalError' }
    this.event.responseBody = undefined
    this.panicking = true
  }

  /** The head of an answer of unknown length goes out. */
  begins(code: number): void {
    this.event.code = code
    void this.started()
  }

  /** A whole answer is about to be sent: as upstream, it goes out when its event is written. */
  answers(code: number): Promise<unknown> | undefined {
    if (this.over) return undefined
    this.event.code = code
    const done = Promise.all([this.started(), this.ended()])
    return this.auditor.waits ? done : undefined
  }

  /** The request is over. What has not been answered has lost its client. */
  ends(): Promise<unknown> | undefined {
    if (this.over) return undefined
    const { event } = this
    if (event.code === 0) event.status = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', message: 'Connection closed early' }
    if (event.code === 0) event.code = 200
    const done = Promise.all([this.started(), this.ended()])
    return this.auditor.waits ? done : undefined
  }

  /** Only long-running requests have this stage, and those that fail early have no other. */
  private async started(): Promise<void> {
    if (this.begun || this.over || this.panicking || !(this.failedEarly || this.event.request.longRunning)) return
    this.begun = true
    await this.auditor.process(this.event, 'ResponseStarted')
  }

  private async ended(): Promise<void> {
    if (this.over) return
    this.over = true
    if (!this.failedEarly) await this.auditor.process(this.event, this.panicking ? 'Panic' : 'ResponseComplete')
  }
}

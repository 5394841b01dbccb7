import { steadyClock } from '../../lib/clock.ts'
import { errorMessage } from '../../lib/error-message.ts'
import type { Logger } from '../../lib/log.ts'
import { type Attributes, inSpan, type Span, type Spans } from '../../lib/spans.ts'
import { startInTurns } from '../../lib/steps.ts'
import type { RequestContext } from '../../meta/context.ts'
import { badRequestError, internalServerError, isStatusError, type StatusError, timeoutError } from '../../meta/status.ts'
import type { WebhookCallStep, WhyChange, WhyChanges } from '../../meta/why.ts'
import type { BuiltIns } from '../../registry/other-type.ts'
import type { AdmissionRequest } from '../../registry/types.ts'
import type { StructSchema } from '../../schema/schema.ts'
import { annotateEvent } from '../audit-annotation.ts'
import { annotateFailedOpen } from './annotations.ts'
import { WebhookCallError } from './call-error.ts'
import type { WebhookClients } from './client.ts'
import type { MatchEnvironment } from './invocation.ts'
import type { WebhookMetrics, WebhookType } from './metrics.ts'
import { reviewText, reviewVersionOf } from './review.ts'
import { denial, readVerdict, type WebhookVerdict } from './verdict.ts'
import type { Webhook } from './webhook.ts'
import type { WebhookCall } from './webhook-call.ts'

/** Dependencies of mutating and validating webhooks. */
export interface WebhookEnvironment extends MatchEnvironment {
  readonly clients: WebhookClients
  readonly metrics: WebhookMetrics
  readonly logger: Logger
  /** Returns the schema of AdmissionReview. */
  reviewSchema(): StructSchema
  newUid(): string
  /** Returns the built-in kinds, to decode a patched object that claims another kind. */
  builtIns(): BuiltIns
  readonly spans?: Spans | undefined
}

/** The webhook rejected the request. */
class Rejection extends Error {
  readonly status: StatusError

  constructor(status: StatusError) {
    super(status.message)
    this.status = status
  }
}

const QUIET = new Set(['None', 'NoneOnDryRun'])

/**
 * Calls a webhook and passes its verdict to `use`. Returns undefined if the call failed and failurePolicy is Ignore.
 * Throws a StatusError if the call failed otherwise or the webhook rejected the request. Observes metrics in every
 * case.
 */
export async function consult<T>(
  env: WebhookEnvironment,
  call: WebhookCall,
  use: (verdict: WebhookVerdict) => T | Promise<T>,
): Promise<T | undefined> {
  const { metrics, logger } = env
  const { hook, request } = call
  const { operation, ctx } = request
  const step: WebhookType = hook.kind === 'mutating' ? 'admit' : 'validating'
  const began = performance.now()
  const observe = (code: number, rejected: boolean): void =>
    metrics.observe(hook.name, step, operation, { code, rejected, seconds: (performance.now() - began) / 1000 })
  try {
    const verdict = await ask(env, call)
    const used = await use(verdict)
    observe(200, false)
    ctx.why?.note({ ...asked(call, 'admitted', began), ...(verdict.patch.length > 0 && { patch: patchIn(verdict.patch) }) })
    return used
  } catch (error) {
    ctx.why?.note({ ...asked(call, callOutcome(error, hook), began), message: errorMessage(error) })
    if (isOutOfTime(ctx)) throw timeoutError('request did not complete within the allotted timeout', 0)
    if (!(error instanceof WebhookCallError)) {
      const status = error instanceof Rejection ? error.status : undefined
      metrics.rejected(hook.name, step, operation, status ? 'no_error' : 'apiserver_internal_error', status?.code ?? 0)
      observe(status?.code ?? 0, true)
      throw status ?? error
    }
    const ignored = hook.failurePolicy === 'Ignore'
    observe(error.code, !ignored)
    logger.warn(`failed calling webhook, failing ${ignored ? 'open' : 'closed'}`, { webhook: hook.name, error: error.message })
    if (!ignored) {
      if (!error.canceled) metrics.rejected(hook.name, step, operation, 'calling_webhook_error', error.code)
      throw internalServerError(`failed calling webhook ${JSON.stringify(hook.name)}: ${error.message}`)
    }
    if (!error.canceled) {
      metrics.failedOpen(hook.name, step)
      annotateFailedOpen(call)
    }
    if (ctx.signal.aborted) throw timeoutError('request did not complete within requested timeout', 0)
    return undefined
  }
}

function callOutcome(error: unknown, { failurePolicy }: Webhook): WebhookCallStep['outcome'] {
  if (!(error instanceof WebhookCallError)) return error instanceof Rejection ? 'refused' : 'failed'
  return failurePolicy === 'Ignore' ? 'failed open' : 'failed'
}

/** Result of a webhook call for `why`. */
const asked = ({ hook, round }: WebhookCall, outcome: WebhookCallStep['outcome'], began: number): WebhookCallStep => ({
  step: 'webhook',
  configuration: hook.configuration,
  webhook: hook.name,
  phase: hook.kind,
  round: round === 0 ? 1 : 2,
  outcome,
  milliseconds: performance.now() - began,
})

/** Maximum length of a response, in bytes. A patch that replaces an object of 3 MiB, in base64, fits. */
const MAX_REVIEW_BYTES = 6 << 20

/** Longer patches, in bytes, are not shown by `why`. */
const LONGEST_PATCH = 64 * 1024

/** Operations of a patch. It has been applied, so it is valid JSON. */
function patchIn(bytes: Buffer): WhyChanges {
  if (bytes.length > LONGEST_PATCH) return 'too large'
  const operations: readonly WhyChange[] | null = JSON.parse(bytes.toString())
  return operations ?? []
}

/** Whether the request itself, not the webhook, timed out. Allows 2 ms because timers can fire early. */
const isOutOfTime = ({ signal, deadline = 0 }: RequestContext): boolean =>
  isStatusError(signal.reason, 'Timeout') || (deadline > 0 && steadyClock.now() >= deadline - 2)

/** Sends one review and decodes the verdict, within the webhook's timeout and the request's deadline. */
async function ask(env: WebhookEnvironment, { hook, request, about }: WebhookCall): Promise<WebhookVerdict> {
  const { ctx, dryRun } = request
  if (dryRun && !QUIET.has(hook.sideEffects ?? '')) throw loudOnDryRun(hook)
  const version = reviewVersionOf(hook.reviewVersions)
  if (!version)
    throw new WebhookCallError('could not create admission objects: webhook does not accept known AdmissionReview versions (v1, v1beta1)')
  const uid = env.newUid()
  const body = await inSpan(
    env.spans,
    `Call ${hook.kind} webhook`,
    () => spanAttributes(hook, request, uid),
    async span => post(env, hook, await startInTurns(reviewText(version, uid, request, about), ctx.signal), ctx, span),
  )
  const verdict = await readVerdict(body, { version, uid, mutating: hook.kind === 'mutating', schema: env.reviewSchema() })
  for (const [key, value] of Object.entries(verdict.auditAnnotations)) annotateEvent(request, `${hook.name}/${key}`, value)
  for (const text of verdict.warnings) ctx.warn(text)
  if (!verdict.allowed) throw new Rejection(denial(hook.name, verdict.status))
  return verdict
}

function spanAttributes(
  { configuration, name }: Webhook,
  { served: { version }, subresource, operation }: AdmissionRequest,
  uid: string,
): Attributes {
  const resource = `${version.group}/${version.name}, Resource=${version.names.plural}`
  return { configuration, webhook: name, resource, subresource, operation, UID: uid }
}

/** Error for a webhook with side effects in a dry run. */
function loudOnDryRun({ name, sideEffects }: Webhook): Error {
  if (sideEffects === undefined) return new WebhookCallError('Webhook SideEffects is nil')
  return badRequestError(`admission webhook ${JSON.stringify(name)} does not support dry run`)
}

/**
 * Posts a review, unless an injected fault makes the webhook unreachable. Throws a WebhookCallError with upstream's
 * prefix.
 */
async function post({ clients }: WebhookEnvironment, hook: Webhook, review: string, ctx: RequestContext, span?: Span): Promise<Buffer> {
  const { signal, deadline, audit, webhookFault, reviewInstead } = ctx
  const fault = webhookFault?.(hook.name)
  if (fault !== undefined) throw new WebhookCallError(`failed to call webhook: ${fault}`)
  if (reviewInstead) return reviewInstead(hook, review)
  // The call may not outlast the request.
  const left = deadline ? Math.max(deadline - steadyClock.now(), 1) : hook.timeoutMs
  try {
    const timeoutMs = Math.min(hook.timeoutMs, left)
    return await clients.post(hook.clientConfig, review, {
      timeoutMs,
      signal,
      audit,
      maxBytes: MAX_REVIEW_BYTES,
      traceparent: span?.traceparent,
    })
  } catch (error) {
    if (!(error instanceof WebhookCallError)) throw error
    const { message, code, canceled, isConfiguration } = error
    throw new WebhookCallError(`${isConfiguration ? 'could not get REST client' : 'failed to call webhook'}: ${message}`, {
      code,
      canceled,
    })
  }
}

import type { KubeObject } from '../../api/meta/object.ts'
import { SERVER_USER } from '../../registry/internal-context.ts'
import type { AdmissionRequest } from '../../registry/types.ts'
import type { AdmissionPlugin } from '../chain.ts'
import { inMatchedVersion, inRequestVersion } from '../matched.ts'
import { isExempt } from '../matching.ts'
import { refuse } from '../refuse.ts'
import { type Round, reinvocationOf } from '../reinvocation.ts'
import { withValidManagers } from '../valid-managers.ts'
import { annotateMutation, annotatePatch } from './annotations.ts'
import { seenBodies } from './bodies.ts'
import { consult, type WebhookEnvironment } from './call.ts'
import type { WebhookConfigurations } from './configurations.ts'
import { invocationOf } from './invocation.ts'
import { type PatchedObject, patchedObject } from './patched.ts'
import type { Webhook } from './webhook.ts'
import type { WebhookCall } from './webhook-call.ts'

/** How long a request waits for configurations to be read at start, in milliseconds. */
const FILL_MS = 10_000

const NAME = 'MutatingAdmissionWebhook'

/** Whether webhooks may apply to the request. */
export const hasWebhooks = (configurations: WebhookConfigurations, request: AdmissionRequest): boolean =>
  !request.nested && (mayWait(configurations, request) || webhooksFor(configurations, request).length > 0)

/**
 * Webhooks that may apply to the request. Only those of manifests may apply to configurations of admission: stored ones
 * could not be repaired otherwise.
 */
export const webhooksFor = ({ hooks, manifests }: WebhookConfigurations, request: AdmissionRequest): readonly Webhook[] =>
  isExempt(request) ? manifests : hooks

/** Whether the request waits for stored configurations. While the server starts, its own requests do not. */
const mayWait = ({ filling }: WebhookConfigurations, request: AdmissionRequest): boolean =>
  filling.isOpen && request.ctx.user !== SERVER_USER && !isExempt(request)

/** Waits until all configurations are read. Throws 403 if that takes too long. */
export async function awaitWebhooks(configurations: WebhookConfigurations, request: AdmissionRequest): Promise<void> {
  if (mayWait(configurations, request) && !(await configurations.filling.ended(FILL_MS)))
    throw refuse(request, 'not yet ready to handle request')
}

/**
 * MutatingAdmissionWebhook: calls webhooks one after the other. Each sees the changes of those before it.
 * https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/#mutatingadmissionwebhook
 */
export function mutatingWebhooks(env: WebhookEnvironment, configurations: WebhookConfigurations): AdmissionPlugin {
  return {
    name: NAME,
    handles: request => hasWebhooks(configurations, request),
    async mutate(asked, round = { again: false, wanted: false }) {
      await awaitWebhooks(configurations, asked)
      const { request, back } = seenBodies(asked, 'mutating')
      const object = await askInTurn(env, webhooksFor(configurations, asked), request, round)
      if (!object || object === request.object) return asked.object
      return withValidManagers(asked, back(object))
    },
  }
}

/** Calls the webhooks in order and returns the patched object. */
async function askInTurn(
  env: WebhookEnvironment,
  hooks: readonly Webhook[],
  request: AdmissionRequest,
  round: Round,
): Promise<KubeObject | undefined> {
  const reinvocation = reinvocationOf(round, NAME)
  let current = request
  if (round.again) reinvocation.begin(current.object)
  for (const [index, hook] of hooks.entries()) {
    const about = await invocationOf(hook, current, env)
    if (!about || (round.again && !reinvocation.isDue(hook.id))) continue
    const call: WebhookCall = { hook, request: await inMatchedVersion(current, about), about, round: round.again ? 1 : 0, index }
    const patched = await patchedBy(env, call)
    if (patched?.changed) {
      reinvocation.changed()
      round.wanted = true
    }
    reinvocation.asked(hook.id, hook.reinvocable)
    if (patched) current = { ...current, object: await inRequestVersion(current, patched.object) }
  }
  reinvocation.end(current.object)
  return current.object
}

/**
 * Calls a webhook. Returns the patched object, or undefined if there is no patch. The audit event records whether the
 * object changed, even if the request fails.
 */
async function patchedBy(env: WebhookEnvironment, call: WebhookCall): Promise<PatchedObject | undefined> {
  let changed = false
  try {
    return await consult(env, call, async verdict => {
      const patched = await patchedObject(call, verdict, env.builtIns())
      if (patched) await annotatePatch(call, verdict.patch)
      changed = patched?.changed === true
      return patched
    })
  } finally {
    annotateMutation(call, changed)
  }
}
